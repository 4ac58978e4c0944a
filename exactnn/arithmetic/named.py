"""The formats and arithmetics that have names: what a command line or a file can ask for."""

from collections.abc import Sequence
from typing import TypeGuard

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import NAMED_FORMATS, FloatFormat
from exactnn.arithmetic.interval import CERTIFIED, Certified, Interval
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic

__all__ = [
    "ARITHMETICS",
    "Arithmetic",
    "EnclosingArithmetic",
    "Format",
    "float_formats",
    "is_arithmetic",
    "is_format",
]


Format = FloatFormat | FixedPoint
"""A number system that rounds.

Every arithmetic says of itself whether it `is_exact`, `rounds` or `encloses`, which are `Literal`s, so that mypy knows
which of these unions it is in; and whether it `rounds_at_random`. Ask that of one, and `match` where each goes its way.
"""

Arithmetic = ExactArithmetic | RationalArithmetic | Format
"""A number system in which every value of a run is a number."""

EnclosingArithmetic = Certified | Interval
"""A number system in which every value of a run is an enclosure."""

ARITHMETICS: dict[str, Arithmetic | EnclosingArithmetic] = {
    str(EXACT): EXACT,
    str(RATIONAL): RATIONAL,
    str(CERTIFIED): CERTIFIED,
    **NAMED_FORMATS,
}
"""All named arithmetics, the exact ones first."""


def is_format(value: object) -> TypeGuard[Format]:
    """Return whether a value that somebody gave is a number system that rounds.

    >>> is_format("float32"), is_format(EXACT)
    (False, False)
    """
    return isinstance(value, Format)


def is_arithmetic(value: object) -> TypeGuard[Arithmetic]:
    """Return whether a value that somebody gave is a number system in which every value of a run is a number.

    >>> is_arithmetic("float32"), is_arithmetic(EXACT), is_arithmetic(CERTIFIED)
    (False, True, False)
    """
    return isinstance(value, Arithmetic)


def float_formats(formats: Sequence[Format]) -> list[FloatFormat]:
    """Return those of some formats that are floating-point formats.

    >>> float_formats([FixedPoint(integer_bits=2, fraction_bits=2)])
    []
    """
    return [format for format in formats if isinstance(format, FloatFormat)]
