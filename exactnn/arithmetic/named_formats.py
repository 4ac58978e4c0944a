"""The floating-point formats that have names.

IEEE 754-2019 binary64, binary32, binary16; bfloat16 and TensorFloat-32; E4M3 and E5M2 of the OCP 8-bit specification
(2023); E3M2, E2M3 and E2M1 of the OCP microscaling specification (2023), here without their shared scale.
"""

from exactnn.arithmetic.float_format import FloatFormat

__all__ = [
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
]

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
