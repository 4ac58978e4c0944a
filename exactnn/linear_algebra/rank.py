"""The rank of a rational matrix, by elimination."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.size_limit import SizeLimit

__all__ = ["rank"]


def rank(matrix: Sequence[Sequence[mpq]]) -> int:
    """Return the rank of a matrix (any number of rows, of equal length), exactly.

    Raises
    ------
    SizeLimitError
        If the next numbers may be too long for the memory.

    Examples
    --------
    >>> rank(((mpq(1), mpq(2)), (mpq(2), mpq(4)), (mpq(0), mpq(1, 3))))
    2
    """
    rest = [list(row) for row in matrix]
    found = 0
    limit = SizeLimit()
    for column in range(len(rest[0]) if rest else 0):
        pivot = next((i for i in range(found, len(rest)) if rest[i][column]), None)
        if pivot is None:
            continue
        rest[found], rest[pivot] = rest[pivot], rest[found]
        first = rest[found]
        limit.refuse_longer(rest[found:], 4)
        for row in rest[found + 1 :]:
            if row[column]:
                factor = row[column] / first[column]
                row[column:] = [x - factor * y for x, y in zip(row[column:], first[column:], strict=True)]
        found += 1
    return found
