"""Compilation of kernels: numba with a disk cache where one can be written, without it elsewhere."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., object])


def compiled(kernel: F) -> F:
    """Compile `kernel` at its first call; no fused multiply-add and no reordering of sums.

    Kernels that call each other live in one module, so that the disk cache notices every change.
    """
    try:
        return cast(F, numba.njit(cache=True)(kernel))
    except RuntimeError:  # neither the package's folder nor a user folder can be written
        return cast(F, numba.njit(kernel))
