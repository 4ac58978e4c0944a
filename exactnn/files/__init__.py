"""Writing files: the one place of the house where that is done.

The same rules hold for every kind of file:

- A file is put in its place in one step, when all of it is on the disk. Whatever happens meanwhile (a full disk,
  Ctrl-C, a kill, another writer), whoever reads sees the old file or the new one, whole.
- Only regular files are written. A folder, device, named pipe or socket is refused.
- A link is followed: the file that it leads to is replaced, or made if it is not there yet; the link stays a link.
- A file that is replaced keeps its permissions, and its owner where that is allowed; a new one has those of any other.
"""

from exactnn.files.data_table import Data, DataRows, DataTable, data_rows, json_rows
from exactnn.files.folder import made_folder
from exactnn.files.once import do_once, forget_once
from exactnn.files.table_file import Rows, check_table_file, table_bytes
from exactnn.files.whole_file import Target, new_file, target_of, write_file, written_elsewhere

__all__ = [
    "Data",
    "DataRows",
    "DataTable",
    "Rows",
    "Target",
    "check_table_file",
    "data_rows",
    "do_once",
    "forget_once",
    "json_rows",
    "made_folder",
    "new_file",
    "table_bytes",
    "target_of",
    "write_file",
    "written_elsewhere",
]
