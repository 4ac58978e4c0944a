"""The formats and arithmetics that have names: what a command line or a file can ask for."""

from collections.abc import Sequence
from typing import TypeGuard

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.interval import CERTIFIED, Certified, Interval
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic

__all__ = [
    "ARITHMETICS",
    "BFLOAT16",
    "FLOAT4_E2M1",
    "FLOAT6_E2M3",
    "FLOAT6_E3M2",
    "FLOAT8_E4M3",
    "FLOAT8_E5M2",
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "NAMED_FORMATS",
    "TF32",
    "Arithmetic",
    "EnclosingArithmetic",
    "Format",
    "float_formats",
    "is_arithmetic",
    "is_format",
]


# --- The floating-point formats that have names.
#
# IEEE 754-2019 binary64, binary32, binary16; bfloat16 and TensorFloat-32; E4M3 and E5M2 of the OCP 8-bit specification
# (2023); E3M2, E2M3 and E2M1 of the OCP microscaling specification (2023), here without their shared scale.

FLOAT64 = FloatFormat(precision=53, exponent_bits=11, name="float64")
FLOAT32 = FloatFormat(precision=24, exponent_bits=8, name="float32")
FLOAT16 = FloatFormat(precision=11, exponent_bits=5, name="float16")
BFLOAT16 = FloatFormat(precision=8, exponent_bits=8, name="bfloat16")
TF32 = FloatFormat(precision=11, exponent_bits=8, name="tf32")
FLOAT8_E4M3 = FloatFormat(precision=4, exponent_bits=4, specials="nan", name="float8_e4m3")
FLOAT8_E5M2 = FloatFormat(precision=3, exponent_bits=5, name="float8_e5m2")
FLOAT6_E3M2 = FloatFormat(precision=3, exponent_bits=3, specials="none", name="float6_e3m2")
FLOAT6_E2M3 = FloatFormat(precision=4, exponent_bits=2, specials="none", name="float6_e2m3")
FLOAT4_E2M1 = FloatFormat(precision=2, exponent_bits=2, specials="none", name="float4_e2m1")

NAMED_FORMATS = {format.name: format for format in tuple(vars().values()) if isinstance(format, FloatFormat)}
"""Those above by name, in the same order."""


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
