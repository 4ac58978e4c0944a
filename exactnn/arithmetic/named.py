"""The arithmetics by name: what a command line or a file can ask for."""

from exactnn.arithmetic.float_format import FLOAT32, FLOAT64, FloatFormat
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic

__all__ = ["ARITHMETICS", "FORMATS", "Arithmetic"]

Arithmetic = ExactArithmetic | RationalArithmetic | FloatFormat
"""A number system in which a network can be asked to run."""

FORMATS: dict[str, FloatFormat] = {str(named): named for named in (FLOAT64, FLOAT32)}
"""The named floating-point formats."""

ARITHMETICS: dict[str, Arithmetic] = {str(EXACT): EXACT, str(RATIONAL): RATIONAL, **FORMATS}
"""All named arithmetics, the exact ones first."""
