"""The arithmetics by name: what a command line or a file can ask for."""

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.named_formats import NAMED_FORMATS
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic

__all__ = ["ARITHMETICS", "Arithmetic", "Format"]

Format = FloatFormat | FixedPoint
"""A number system that rounds."""

Arithmetic = ExactArithmetic | RationalArithmetic | Format
"""A number system in which a network can be asked to run."""

ARITHMETICS: dict[str, Arithmetic] = {str(EXACT): EXACT, str(RATIONAL): RATIONAL, **NAMED_FORMATS}
"""All named arithmetics, the exact ones first."""
