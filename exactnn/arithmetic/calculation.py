"""Sums, products, quotients and the rest in one arithmetic, number by number: exactly, or each of them rounded."""

import operator
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.named import Arithmetic
from exactnn.arithmetic.operations import FloatOperations, Number
from exactnn.arithmetic.rational import ExactArithmetic, ExactNumber, RationalArithmetic, exact
from exactnn.errors import NumberError, OptionError, shown

__all__ = ["Calculation", "ExactCalculation", "FloatCalculation", "calculation_in"]

ZERO = mpq(0)


class ExactCalculation:
    """Rational numbers, as they are.

    Examples
    --------
    >>> ExactCalculation().divide(mpq(1), mpq(3))
    mpq(1,3)
    """

    @staticmethod
    def number(value: ExactNumber) -> mpq:
        """Return a number as a rational; raises NumberError for what is none."""
        return value if type(value) is mpq else exact(value)

    add, subtract, multiply = map(staticmethod, (operator.add, operator.sub, operator.mul))

    @staticmethod
    def divide(x: Any, y: Any) -> mpq:
        """Return x / y; raises NumberError if y is 0."""
        if not y:
            raise NumberError(f"{x} / 0: there is no such number in exact arithmetic")
        found: mpq = x / y
        return found

    @staticmethod
    def least(x: Any, y: Any) -> mpq:
        """Return the smaller number, the first of two that are equal."""
        found: mpq = min(x, y)
        return found

    @staticmethod
    def positive(x: Any) -> mpq:
        """Return max(0, x)."""
        return x if x > 0 else ZERO


class FloatCalculation:
    """Numbers of a format: every operation is rounded, with the zeros, infinities and NaN of IEEE 754.

    Examples
    --------
    >>> half = FloatCalculation(FloatFormat(precision=11, exponent_bits=5))
    >>> half.divide(mpq(1), mpq(3)), half.divide(mpq(1), 0.0), half.positive(mpq(-1))
    (mpq(1365,4096), inf, 0.0)
    """

    def __init__(self, format: FloatFormat) -> None:
        operations = FloatOperations(format)
        self.format = format
        self.add, self.multiply, self.divide = operations.add, operations.multiply, operations.divide

    def number(self, value: ExactNumber) -> Number:
        """Return a number, rounded to nearest."""
        return self.format.parameters.rounded(value)

    def subtract(self, x: Number, y: Number) -> Number:
        """Return x - y."""
        return self.add(x, -y)

    @staticmethod
    def least(x: Number, y: Number) -> Number:
        """Return the smaller number, the first of two that are equal; NaN if one is."""
        return y if y != y or y < x else x

    @staticmethod
    def positive(x: Number) -> Number:
        """Return max(0, x); NaN of NaN."""
        return x if x != x or x > 0 else 0.0


Calculation = ExactCalculation | FloatCalculation
"""What formulas are computed in; its numbers are rationals, or of a format also 0.0, -0.0, infinities and NaN."""


def calculation_in(arithmetic: Arithmetic) -> Calculation:
    """Return the operations of an arithmetic: exact ones, or those of a float format.

    Raises
    ------
    OptionError
        If it is neither.

    Examples
    --------
    >>> from exactnn.arithmetic import EXACT, FLOAT16
    >>> calculation_in(EXACT).divide(mpq(1), mpq(3)), calculation_in(FLOAT16).divide(mpq(1), mpq(3))
    (mpq(1,3), mpq(1365,4096))
    """
    match arithmetic:
        case FloatFormat():
            return FloatCalculation(arithmetic)
        case ExactArithmetic() | RationalArithmetic():
            return ExactCalculation()
    raise OptionError(f"arithmetic={shown(arithmetic)}: give EXACT, RATIONAL or a FloatFormat")
