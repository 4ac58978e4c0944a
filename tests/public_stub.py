"""The types of the public names, written from their table.

    python tests/public_stub.py

writes ``exactnn/__init__.pyi``, which a test compares with the table `_PUBLIC` of ``exactnn/__init__.py``.
"""

from pathlib import Path

import exactnn

STUB = Path(exactnn.__file__).with_suffix(".pyi")
HEAD = '"""Types of the public names: written by tests/public_stub.py from the table in `__init__.py`."""\n\n'


def stub():
    """Return the text of the stub: an import for each name, in the order of the table."""
    names = [(module, name) for module, listed in exactnn._PUBLIC.items() for name in listed.split()]
    return HEAD + "".join(f"from {module} import {name} as {name}\n" for module, name in names)


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
