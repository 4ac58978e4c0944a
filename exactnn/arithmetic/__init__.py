"""Number systems. This folder knows nothing of machines or networks."""

from exactnn.arithmetic.digit_runs import LongNumber, digit_runs, fraction_digits
from exactnn.arithmetic.digits import digits_of
from exactnn.arithmetic.exact_number import ExactNumber, exact, exact_text, short_text
from exactnn.arithmetic.float_format import FLOAT32, FLOAT64, FloatFormat
from exactnn.arithmetic.integer_text import count_text, whole_text
from exactnn.arithmetic.named import ARITHMETICS, FORMATS, Arithmetic
from exactnn.arithmetic.numeral import Numeral
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic

__all__ = [
    "ARITHMETICS",
    "EXACT",
    "FLOAT32",
    "FLOAT64",
    "FORMATS",
    "RATIONAL",
    "Arithmetic",
    "ExactArithmetic",
    "ExactNumber",
    "FloatFormat",
    "LongNumber",
    "Numeral",
    "RationalArithmetic",
    "count_text",
    "digit_runs",
    "digits_of",
    "exact",
    "exact_text",
    "fraction_digits",
    "short_text",
    "whole_text",
]
