"""Exact numbers."""

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.strategies.bounds import check_bounds

__all__ = ["rationals"]


def rationals(*, largest: int = 6) -> st.SearchStrategy[mpq]:
    """Rationals p/q with \\|p\\|, q <= `largest`; they shrink to 0.

    Raises
    ------
    OptionError
        If `largest` is less than 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(rationals(), lambda x: x > 1)
    mpq(2,1)
    """
    check_bounds(1, largest=largest)
    return st.builds(mpq, st.integers(-largest, largest), st.integers(1, largest))
