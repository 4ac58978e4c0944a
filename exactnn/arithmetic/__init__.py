"""Number systems. This folder knows nothing of machines or networks."""

from exactnn.arithmetic.arithmetic_file import arithmetic_from_json, arithmetic_to_json
from exactnn.arithmetic.digit_runs import LongNumber, digit_runs, fraction_digits
from exactnn.arithmetic.digit_stream import DigitSource, DigitStream
from exactnn.arithmetic.digits import digits_of
from exactnn.arithmetic.directed import Bounds, DirectedRounding, exact_dyadic, is_dyadic
from exactnn.arithmetic.enclosure import Enclosure
from exactnn.arithmetic.exact_number import ExactNumber, exact, exact_text, short_text
from exactnn.arithmetic.fixed_operations import FixedOperations
from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.float_operations import FloatOperations, Number, has_number
from exactnn.arithmetic.integer_text import count_text, counted, whole_text
from exactnn.arithmetic.interval import CERTIFIED, Certified, Interval
from exactnn.arithmetic.lazy_number import DigitCount, LazyNumber, linear_combination
from exactnn.arithmetic.lazy_real import LazyReal, lazy_real
from exactnn.arithmetic.mpfr_operations import MpfrOperations, can_mpfr
from exactnn.arithmetic.named import (
    ARITHMETICS,
    Arithmetic,
    EnclosingArithmetic,
    Format,
    float_formats,
    is_arithmetic,
    is_format,
)
from exactnn.arithmetic.named_formats import (
    BFLOAT16,
    FLOAT4_E2M1,
    FLOAT6_E2M3,
    FLOAT6_E3M2,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    NAMED_FORMATS,
    TF32,
)
from exactnn.arithmetic.numeral import Numeral
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic
from exactnn.arithmetic.rounding import Rounding
from exactnn.arithmetic.value_text import value_text

__all__ = [
    "ARITHMETICS",
    "BFLOAT16",
    "CERTIFIED",
    "EXACT",
    "FLOAT4_E2M1",
    "FLOAT6_E2M3",
    "FLOAT6_E3M2",
    "FLOAT8_E4M3",
    "FLOAT8_E5M2",
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "NAMED_FORMATS",
    "RATIONAL",
    "TF32",
    "Arithmetic",
    "Bounds",
    "Certified",
    "DigitCount",
    "DigitSource",
    "DigitStream",
    "DirectedRounding",
    "EnclosingArithmetic",
    "Enclosure",
    "ExactArithmetic",
    "ExactNumber",
    "FixedOperations",
    "FixedPoint",
    "FloatFormat",
    "FloatOperations",
    "Format",
    "Interval",
    "LazyNumber",
    "LazyReal",
    "LongNumber",
    "MpfrOperations",
    "Number",
    "Numeral",
    "RationalArithmetic",
    "Rounding",
    "arithmetic_from_json",
    "arithmetic_to_json",
    "can_mpfr",
    "count_text",
    "counted",
    "digit_runs",
    "digits_of",
    "exact",
    "exact_dyadic",
    "exact_text",
    "float_formats",
    "fraction_digits",
    "has_number",
    "is_arithmetic",
    "is_dyadic",
    "is_format",
    "lazy_real",
    "linear_combination",
    "short_text",
    "value_text",
    "whole_text",
]
