"""Operations on the numbers of a fixed-point format, in rationals: slow, short, and what tests the fast ones.

A number is a rational. Every operation is the exact one, rounded once.
"""

from gmpy2 import mpq

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_operations import MARGIN
from exactnn.arithmetic.rounding import Rounding, random_bits
from exactnn.arithmetic.smooth_functions import binary_real, sigmoid_to_odd, tanh_to_odd

__all__ = ["FixedOperations"]


class FixedOperations:
    """As :class:`FloatOperations`; the i-th operation takes the i-th random number if rounding is stochastic.

    Examples
    --------
    >>> operations = FixedOperations(FixedPoint(integer_bits=3, fraction_bits=2))
    >>> operations.add(mpq(3), mpq(3)), operations.multiply(mpq(1, 4), mpq(-1, 4)), operations.convert(mpq(3, 8))
    (mpq(15,4), mpq(0,1), mpq(1,2))
    """

    def __init__(self, format: FixedPoint, count: int = 0) -> None:
        self.format = format
        self.count = count

    def number(self, number: mpq | float) -> mpq:
        """Return a number of the format in the form that the operations take."""
        return mpq(number)

    @staticmethod
    def plain(number: mpq) -> mpq:
        """Return what :meth:`number` or an operation gave as a number."""
        return number

    def convert(self, number: mpq) -> mpq:
        """Return a number of another format in this one."""
        draw = 0
        if self.format.rounding is Rounding.STOCHASTIC:
            draw = random_bits(self.format.seed, self.count)
        self.count += 1
        return self.format.rounded(number, draw)

    def multiply(self, x: mpq, y: mpq) -> mpq:
        """Return x * y."""
        return self.convert(x * y)

    def add(self, x: mpq, y: mpq) -> mpq:
        """Return x + y."""
        return self.convert(x + y)

    def sigmoid(self, x: mpq) -> mpq:
        """Return 1 / (1 + exp(-x))."""
        bits = self.format.fraction_bits + MARGIN
        return self.convert(mpq(sigmoid_to_odd(binary_real(x), bits, -bits)))

    def tanh(self, x: mpq) -> mpq:
        """Return tanh(x)."""
        bits = self.format.fraction_bits + MARGIN
        return self.convert(mpq(tanh_to_odd(binary_real(x), bits, -bits)))
