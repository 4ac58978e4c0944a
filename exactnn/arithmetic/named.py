"""The arithmetics by name: what a command line or a file can ask for."""

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.interval import CERTIFIED, Certified, Interval
from exactnn.arithmetic.named_formats import NAMED_FORMATS
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic

__all__ = ["ARITHMETICS", "Arithmetic", "EnclosingArithmetic", "Format"]

Format = FloatFormat | FixedPoint
"""A number system that rounds."""

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
