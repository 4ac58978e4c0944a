"""Compilation of kernels: numba with a disk cache where one can be written, without it elsewhere."""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import TypeVar, cast

import numba

__all__ = ["compiled", "compiled_with_python"]

F = TypeVar("F", bound=Callable[..., object])


def compiled(kernel: F) -> F:
    """Compile `kernel` at its first call; no fused multiply-add, no reordering of sums; threads may run side by side.

    The disk cache notices a change in the file of a kernel. Its name in the cache tells the state of the other files
    that it takes functions from.
    """
    return _compiled(kernel, nogil=True)


def compiled_with_python(kernel: F) -> F:
    """Compile as :func:`compiled` a kernel that calls functions of Python, so that no threads run it side by side."""
    return _compiled(kernel, nogil=False)


def _compiled(kernel: F, *, nogil: bool) -> F:
    assert isinstance(kernel, FunctionType)
    stamp = _stamp(kernel)
    if stamp:
        kernel.__qualname__ = f"{kernel.__qualname__}_{stamp}"
    try:
        return cast(F, numba.njit(cache=True, nogil=nogil)(kernel))
    except RuntimeError:  # neither the package's folder nor a user folder can be written
        return cast(F, numba.njit(nogil=nogil)(kernel))


def _stamp(kernel: FunctionType) -> str:
    """Return a digest of the other modules of this package that its module takes functions from, "" if there are none.

    They count with those that they take functions from.
    """
    homes: set[str] = set()
    new = _homes(kernel.__globals__)
    while new - homes:
        homes |= new
        new = set().union(*(_homes(vars(sys.modules[home])) for home in homes))
    files = [sys.modules[home].__file__ for home in sorted(homes - {kernel.__module__})]
    texts = [Path(file).read_bytes() for file in files if file is not None]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16] if texts else ""


def _homes(names: dict[str, object]) -> set[str]:
    """Return the modules of compiled code where the functions among some names come from."""
    homes = {str(getattr(value, "__module__", None)) for value in names.values() if callable(value)}
    return {home for home in homes if home.startswith(__package__) and home.endswith("kernels")}
