"""Exact matrices and vectors from what users write."""

from collections.abc import Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.errors import NetworkError, NumberError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.options import entries

__all__ = ["exact_entry", "exact_matrix", "exact_vector", "is_sequence", "sequence"]


def exact_vector(values: Sequence[ExactNumber], what: str, *, size: int | None = None) -> Vector:
    """Return `values` as exact numbers; `what` names it in errors.

    >>> exact_vector([1, "1/2", 0.25], "b")
    (mpq(1,1), mpq(1,2), mpq(1,4))
    """
    given = sequence(values, what, "a vector (a sequence of exact numbers)")
    if size is not None and len(given) != size:
        raise NetworkError(f"{what} has {len(given)} entries, not {size}")
    return tuple(exact_entry(value, f"{what}[{i}]") for i, value in enumerate(given))


def exact_matrix(
    rows: Sequence[Sequence[ExactNumber]], what: str, *, height: int | None = None, width: int | None = None
) -> Matrix:
    """Return `rows` as an exact matrix, checked to be rectangular and of the size asked for.

    >>> exact_matrix([[1, 0], [0, "1/3"]], "V")[1]
    (mpq(0,1), mpq(1,3))
    """
    given = sequence(rows, what, "a matrix (a sequence of rows)")
    if height is not None and len(given) != height:
        raise NetworkError(f"{what} has {len(given)} rows, not {height}")
    if width is None and given:
        width = len(sequence(given[0], f"{what}[0]", "a vector (a sequence of exact numbers)"))
    return tuple(exact_vector(row, f"{what}[{i}]", size=width) for i, row in enumerate(given))


def exact_entry(value: ExactNumber, where: str) -> mpq:
    """Return one exact number; `where` names its place in the error."""
    try:
        return exact(value)
    except NumberError as error:
        raise NumberError(f"{where}: {error}") from None


def is_sequence(value: object) -> bool:
    """Whether `value` is an ordered sequence or an array of at least one dimension; text is not."""
    if isinstance(value, (str, bytes, bytearray)):
        return False
    return isinstance(value, Sequence) or getattr(value, "ndim", 0) >= 1


def sequence(value: object, what: str, wanted: str) -> list[Any]:
    """Return an ordered sequence as a list, or raise NetworkError."""
    if not is_sequence(value):
        raise NetworkError(f"{what} is {shown(value)}: give {wanted}")
    return entries(what, value, error=NetworkError)  # type: ignore[arg-type]
