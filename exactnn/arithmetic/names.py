"""The names that others have for a format, and those of their dtypes.

Nothing of numpy, torch, jax or ml_dtypes is imported: a dtype is known by the name that it has there.
"""

import difflib
from collections.abc import Iterable
from numbers import Number

__all__ = ["ALIASES", "did_you_mean", "name_of", "near_names"]

ALIASES = {
    "double": "float64", "float": "float64", "fp64": "float64", "f64": "float64", "binary64": "float64",
    "single": "float32", "fp32": "float32", "f32": "float32", "binary32": "float32",
    "half": "float16", "fp16": "float16", "f16": "float16", "binary16": "float16",
    "bf16": "bfloat16", "tensorfloat32": "tf32", "tensorfloat-32": "tf32",
    "fp8_e4m3": "float8_e4m3", "e4m3": "float8_e4m3", "float8_e4m3fn": "float8_e4m3", "fp8_e4m3fn": "float8_e4m3",
    "e4m3fn": "float8_e4m3",
    "fp8_e5m2": "float8_e5m2", "e5m2": "float8_e5m2",
    "fp6_e3m2": "float6_e3m2", "float6_e3m2fn": "float6_e3m2", "e3m2": "float6_e3m2",
    "fp6_e2m3": "float6_e2m3", "float6_e2m3fn": "float6_e2m3", "e2m3": "float6_e2m3",
    "fp4_e2m1": "float4_e2m1", "float4_e2m1fn": "float4_e2m1", "e2m1": "float4_e2m1",
    "rationals": "rational", "fraction": "rational", "fractions": "rational", "intervals": "certified",
}  # fmt: skip
"""What others call them: IEEE 754, C, CUDA, numpy, torch, ml_dtypes. The last lines are those of people."""

MODULES = ("torch.", "numpy.", "np.", "jax.numpy.", "jnp.", "ml_dtypes.")
"""What stands before a name in the text of a dtype."""

DTYPES = {"float8_e4m3": "p4e4", "float8_e3m4": "p5e3"}
"""Dtypes that are other formats than their names in words: those of ml_dtypes with infinities, as IEEE 754 has them."""


def name_of(value: object) -> str | None:
    """Return the name that a value has, or that its dtype has where it comes from; None if it has none.

    >>> import numpy as np
    >>> name_of("half"), name_of(np.float16), name_of(np.dtype("f4")), name_of(3), name_of("torch.float16")
    ('half', 'float16', 'float32', None, 'float16')
    """
    if isinstance(value, str):
        return next((value.removeprefix(module) for module in MODULES if value.startswith(module)), value)
    if isinstance(value, type):  # numpy.float16, ml_dtypes.bfloat16, float
        return DTYPES.get(value.__name__, value.__name__)
    if isinstance(value, Number) or hasattr(value, "__array__"):  # numpy.float16(2), arrays: they have a dtype
        return None
    if type(value).__module__.partition(".")[0] == "torch":  # torch.float16 is of torch.dtype, and prints so
        return str(value).removeprefix("torch.")
    for holder in (value, getattr(value, "dtype", None)):  # numpy.dtype; jax.numpy.bfloat16 has one
        name = getattr(holder, "name", None)
        if isinstance(name, str) and hasattr(holder, "itemsize"):
            return DTYPES.get(name, name)
    return None


def near_names(given: str, names: Iterable[str]) -> list[str]:
    """Return names that somebody may mean: those that go on as theirs begins, or that look like it.

    >>> near_names("flaot16", ["float16", "float32"]), near_names("float", ["float16", "float32"]), near_names("x", [])
    (['float16'], ['float16', 'float32'], [])
    """
    known = tuple(dict.fromkeys(ALIASES.get(name, name) for name in names))
    begun = [name for name in known if given and name.startswith(given)]
    if not begun and len(given) > 1:
        meant = (name for alias, name in ALIASES.items() if alias.startswith(given))
        begun = [name for name in dict.fromkeys(meant) if name in known]
    if not begun:
        spellings = (*known, *(alias for alias, name in ALIASES.items() if name in known))
        begun = difflib.get_close_matches(given[:40], spellings, n=1)
    return begun


def did_you_mean(near: Iterable[str]) -> str:
    """Return the question whether somebody means one of these names, if there are any.

    >>> did_you_mean(["half"]), did_you_mean([])
    ("did you mean 'half'? ", '')
    """
    listed = " or ".join(map(repr, near))
    return f"did you mean {listed}? " if listed else ""
