"""Exact matrices and vectors from what users write: nested sequences or arrays of exact numbers."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.errors import NetworkError, NumberError, shown

__all__ = ["Matrix", "Vector", "exact_matrix", "exact_vector"]

Vector = tuple[mpq, ...]
Matrix = tuple[Vector, ...]


def exact_vector(values: Sequence[ExactNumber], what: str, *, size: int | None = None) -> Vector:
    """Return `values` as exact numbers; `what` names it in errors.

    >>> exact_vector([1, "1/2", 0.25], "b")
    (mpq(1,1), mpq(1,2), mpq(1,4))
    """
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise NetworkError(f"{what} is {shown(values)}: give a vector (a sequence of exact numbers)")
    if size is not None and len(values) != size:
        raise NetworkError(f"{what} has {len(values)} entries, not {size}")
    return tuple(_entry(value, f"{what}[{i}]") for i, value in enumerate(values))


def exact_matrix(
    rows: Sequence[Sequence[ExactNumber]], what: str, *, height: int | None = None, width: int | None = None
) -> Matrix:
    """Return `rows` as an exact matrix, checked to be rectangular and of the size asked for.

    >>> exact_matrix([[1, 0], [0, "1/3"]], "V")[1]
    (mpq(0,1), mpq(1,3))
    """
    if isinstance(rows, str) or not hasattr(rows, "__len__"):
        raise NetworkError(f"{what} is {shown(rows)}: give a matrix (a sequence of rows)")
    if height is not None and len(rows) != height:
        raise NetworkError(f"{what} has {len(rows)} rows, not {height}")
    if width is None and len(rows):
        width = len(rows[0]) if hasattr(rows[0], "__len__") else None
    return tuple(exact_vector(row, f"{what}[{i}]", size=width) for i, row in enumerate(rows))


def _entry(value: ExactNumber, where: str) -> mpq:
    try:
        return exact(value)
    except NumberError as error:
        raise NumberError(f"{where}: {error}") from None
