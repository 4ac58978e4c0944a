"""The float formats that have names, as others know them: their limits in the standards, and their names elsewhere."""

from exactnn.arithmetic import NAMED_FORMATS

LIMITS = {
    "float64": (53, 11, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022, 2.0**-1074),
    "float32": (24, 8, 3.4028234663852886e38, 1.1754943508222875e-38, 1.401298464324817e-45),
    "float16": (11, 5, 65504.0, 6.103515625e-05, 5.960464477539063e-08),
    "bfloat16": (8, 8, 3.3895313892515355e38, 1.1754943508222875e-38, 9.183549615799121e-41),
    "tf32": (11, 8, 3.4011621342146535e38, 1.1754943508222875e-38, 1.1479437019748901e-41),
    "float8_e4m3": (4, 4, 448.0, 0.015625, 0.001953125),
    "float8_e5m2": (3, 5, 57344.0, 6.103515625e-05, 1.52587890625e-05),
    "float6_e3m2": (3, 3, 28.0, 0.25, 0.0625),
    "float6_e2m3": (4, 2, 7.5, 1.0, 0.125),
    "float4_e2m1": (2, 2, 6.0, 1.0, 0.5),
}
"""Precision, exponent bits, largest, smallest normal and smallest number, as IEEE 754-2019 and OCP's OFP8 1.0 and
MX 1.0 give them; bfloat16 and TF32 are binary32 with the last 16 and 13 bits cut off."""

ML_DTYPES = {
    "float8_e4m3": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "float6_e3m2": "float6_e3m2fn",
    "float6_e2m3": "float6_e2m3fn",
    "float4_e2m1": "float4_e2m1fn",
}
"""Name -> what ml_dtypes calls it, of formats of at most 8 bits."""

GFLOAT = {
    "float8_e4m3": "format_info_ocp_e4m3",
    "float8_e5m2": "format_info_ocp_e5m2",
    "float6_e3m2": "format_info_ocp_e3m2",
    "float6_e2m3": "format_info_ocp_e2m3",
    "float4_e2m1": "format_info_ocp_e2m1",
    "bfloat16": "format_info_bfloat16",
    "float16": "format_info_binary16",
}
"""Name -> what gfloat.formats calls it."""

SMALL_NAMES = [name for name, format in NAMED_FORMATS.items() if format.precision + format.exponent_bits <= 8]
"""Those of at most 8 bits."""
