"""Sigmoid and tanh by MPFR, for the few numbers of which the compiled loops cannot tell how they are rounded."""

from gmpy2 import mpq

from exactnn.arithmetic.operations import binary_real, sigmoid_to_odd, tanh_to_odd

__all__ = ["odd_pair", "odd_word"]

_FUNCTIONS = (sigmoid_to_odd, tanh_to_odd)
_BITS = 104  # with the bit that stands for the others, 53 of the nearest float64 and 52 of the rest
_LEAST = -1300  # below all float64
_FRACTION = 62


def odd_pair(tanh: bool, x: float) -> tuple[float, float]:
    """Return the float64 nearest to a value, and the rest, rounded to odd; the rest is 0 below the normal numbers.

    Examples
    --------
    >>> value, error = odd_pair(True, 0.5)
    >>> value, error.hex()
    (0.46211715726000974, '0x1.944a3b887196cp-56')
    """
    found = _FUNCTIONS[tanh](binary_real(mpq(x)), _BITS, _LEAST)
    value = float(found)
    return value, float(mpq(found) - mpq(value)) if abs(value) > 2.0**-900 else 0.0


def odd_word(tanh: bool, word: int, digits: int) -> tuple[int, int]:
    """Return the value at a number in fixed point as the word below, and 62 more bits, rounded to odd.

    The number has so many digits after the point.

    Examples
    --------
    >>> odd_word(False, 0, 4), odd_word(True, -1000, 4)
    ((8, 0), (-16, 1))
    """
    x = binary_real(mpq(word, 1 << digits))
    found = mpq(_FUNCTIONS[tanh](x, digits + _FRACTION + 2, -digits - _FRACTION - 2)) * (1 << (digits + _FRACTION))
    below = int(found.numerator // found.denominator)
    below |= found.denominator != 1
    return below >> _FRACTION, below & ((1 << _FRACTION) - 1)
