"""A number of a state as text for people, whatever the arithmetic is."""

from typing import Any

from exactnn.arithmetic.exact_number import short_text

__all__ = ["value_text"]


def value_text(value: Any, *, limit: int = 24) -> str:
    """Return a float with all its digits, a rational if it is not long, anything else as it writes itself.

    >>> from gmpy2 import mpq
    >>> value_text(0.1), value_text(mpq(1, 3)), value_text(mpq(1, 3**1000))
    ('0.1', '1/3', '≈7.5639e-478 (1/1585 bits)')
    """
    if isinstance(value, float):
        return repr(value)
    return short_text(value, limit=limit) if hasattr(value, "numerator") else str(value)
