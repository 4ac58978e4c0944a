"""Folders that import a name when it is asked for, so that a short run does not wait for what it does not need.

Which names a folder has its stub says, ``__init__.pyi``: to type checkers and editors, and here to Python. Each stands
there once, as ``from MODULE import NAME as NAME``. With the folder itself for MODULE, NAME is a file or folder in it.
"""

import os
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from exactnn.interrupts import loaded

__all__ = ["make_lazy"]

LINE = re.compile(r"^from (\S+) import[\s(]+(\w+) as \2\b", re.MULTILINE)


class LazyFolder(ModuleType):
    """A folder whose names are imported when they are asked for, whole, whatever Ctrl-C and other threads do."""

    _homes: dict[str, str]
    """The module that each name comes from."""
    _hints: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        home = self._homes.get(name)
        if home is None:
            hint = f": {self._hints[name]}" if name in self._hints else ""
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}{hint}", name=name, obj=self)
        if home == self.__name__:
            return loaded(f"{self.__name__}.{name}")
        return vars(self).setdefault(name, getattr(loaded(home), name))

    def __setattr__(self, name: str, value: Any) -> None:
        """Bind a name; but where a file has the name of a function in it, importing the file does not hide that."""
        is_file = isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}"
        if is_file and self._homes.get(name, self.__name__) != self.__name__:
            return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self._homes, *(name for name in vars(self) if name.startswith("__"))})


def make_lazy(name: str, hints: Mapping[str, str] | None = None) -> list[str]:
    """Let the folder `name` import its names when they are asked for, and return them but for files and folders.

    Parameters
    ----------
    name : str
        The ``__name__`` of a folder's ``__init__.py``, which calls this. It has a stub beside it.
    hints : mapping, optional
        What to say of names that it does not have.
    """
    folder = sys.modules[name]
    loader: Any = folder.__loader__  # it finds the stub in an archive, too
    stub = loader.get_data(os.path.join(folder.__path__[0], "__init__.pyi")).decode()
    homes = {found: home for home, found in LINE.findall(stub)}
    vars(folder).update(_homes=homes, _hints=hints or {})
    folder.__class__ = LazyFolder
    return sorted(found for found, home in homes.items() if home != name)
