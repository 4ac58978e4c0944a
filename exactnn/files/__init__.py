"""Writing files: the one place of the house where that is done.

The same rules hold for every kind of file:

- A file is put in its place in one step, when all of it is on the disk. Whatever happens meanwhile (a full disk,
  Ctrl-C, a kill, another writer), whoever reads sees the old file or the new one, whole.
- Only regular files are written. A folder, device, named pipe or socket is refused.
- A link is followed: the file that it leads to is replaced, or made if it is not there yet; the link stays a link.
- A file that is replaced keeps its permissions, and its owner where that is allowed; a new one has those of any other.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
