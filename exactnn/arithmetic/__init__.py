"""Number systems. This folder knows nothing of machines or networks."""

from exactnn.arithmetic.exact_number import ExactNumber, exact, exact_text, short_text
from exactnn.arithmetic.float_format import FLOAT32, FLOAT64, FloatFormat
from exactnn.arithmetic.named import ARITHMETICS, FORMATS, Arithmetic
from exactnn.arithmetic.rational import RATIONAL, RationalArithmetic

__all__ = [
    "ARITHMETICS",
    "FLOAT32",
    "FLOAT64",
    "FORMATS",
    "RATIONAL",
    "Arithmetic",
    "ExactNumber",
    "FloatFormat",
    "RationalArithmetic",
    "exact",
    "exact_text",
    "short_text",
]
