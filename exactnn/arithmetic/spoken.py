"""What people give for an arithmetic: its value here, its name here or elsewhere, its bits, a dtype."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import FLOAT32, NAMED_FORMATS, FloatFormat
from exactnn.arithmetic.interval import Interval
from exactnn.arithmetic.named import ARITHMETICS, Arithmetic, EnclosingArithmetic, Format
from exactnn.arithmetic.names import ALIASES, did_you_mean, name_of, near_names
from exactnn.errors import ExactnnError, OptionError, UnsupportedArithmeticError, shown
from exactnn.options import entries

__all__ = [
    "AnyArithmetic",
    "AnyEnclosing",
    "AnyFormat",
    "AnyFormats",
    "any_arithmetic",
    "arithmetic_of",
    "arithmetics_of",
    "checked_formats",
    "format_of",
    "formats_of",
]

AnyFormat = Format | str | Any
"""A format, its name, or a dtype."""
AnyFormats = AnyFormat | Iterable[AnyFormat]
"""One or several."""
AnyArithmetic = Arithmetic | str | Any
AnyEnclosing = Arithmetic | EnclosingArithmetic | str | Any

TENSOR_CORE = "tensor core "
"""What begins the name of a format whose sums are in float32."""

NARROW = tuple(name for name, format in NAMED_FORMATS.items() if format.precision <= FLOAT32.precision // 2)
"""The formats whose products are exact in float32."""

COLLECTIONS = list, tuple, set, frozenset
"""One arithmetic is taken out of these, if it is the only one in it."""

WIDE_EXPONENT = 10
"""Bits of the exponent where a format is named by its precision only: so many that they play no part."""

KNOWN = (
    f"give one of {', '.join(ARITHMETICS)}, one with sums in float32, as 'tensor core bf16', or its bits, as p20, "
    "p20e8, q8.8, uq0.8 or interval128"
)

_SIZES = re.compile(r"p([0-9]{1,4})(?:e([0-9]{1,2}))?")
_INTERVAL = re.compile(r"interval([0-9]{1,7})")
_FIXED = re.compile(r"(u?)q([0-9]{1,4})\.([0-9]{1,4})")


def any_arithmetic(
    value: AnyEnclosing, name: str = "arithmetic", *, error: type[ExactnnError] = UnsupportedArithmeticError
) -> Arithmetic | EnclosingArithmetic:
    """Return the arithmetic that somebody means.

    Parameters
    ----------
    value
        An arithmetic; a name, such as "exact", "float16", "fp8_e4m3", "p20e8" (bits of the significand and of the
        exponent), "q4.12" or "uq0.8" (bits before and after the point), "interval128", "tensor core bf16" (sums in
        float32); or a dtype of numpy, torch, jax or ml_dtypes.
    name : str
        What it is called in the message.

    Raises
    ------
    error
        If it is none of these; the message has the nearest name.

    Examples
    --------
    >>> import numpy as np
    >>> [str(any_arithmetic(value)) for value in ("bf16", np.float16, np.dtype("f4"), "exact", "q4.12")]
    ['bfloat16', 'float16', 'float32', 'exact', 'q4.12']
    >>> any_arithmetic("flaot16")
    Traceback (most recent call last):
    ...
    exactnn.errors.UnsupportedArithmeticError: arithmetic='flaot16' is unknown: did you mean 'float16'? give one of ...
    """
    if isinstance(value, COLLECTIONS):
        given = entries(name, value, error=error)
        if len(given) > 1:
            raise error(f"{_called(name, value)} has {len(given)} entries: give one arithmetic here")
        value = given[0] if given and not isinstance(given[0], COLLECTIONS) else value
    if isinstance(value, Arithmetic | EnclosingArithmetic):
        return value
    text = name_of(value)
    if text is not None:
        spoken = " ".join(text.lower().split())
        if ALIASES.get(closed := spoken.replace(" ", ""), closed) in ARITHMETICS:  # "float 16"
            spoken = closed
        known = ARITHMETICS.get(ALIASES.get(spoken, spoken)) or _sized(spoken) or _on_tensor_cores(spoken)
        if known is not None:
            return known
        raise error(f"{_called(name, text)} is unknown: {_hint(spoken)}{KNOWN}")
    raise error(f"{_called(name, value)} is no arithmetic: {KNOWN}, or a FloatFormat, a FixedPoint or a dtype")


def _hint(spoken: str) -> str:
    """Return what somebody may mean, or why there is no such format."""
    if "," in spoken:
        return "these are several, and one is meant: "
    if (whole := re.fullmatch(r"(u?)int([0-9]{1,2})", spoken)) is not None:
        unsigned, bits = whole[1], int(whole[2])
        point = f"uq0.{bits}" if unsigned else f"q{(bits + 1) // 2}.{bits // 2}"
        return f"whole numbers need a scale: {bits} bits in fixed point are such as {point}; "
    if spoken.endswith("fnuz"):
        return "its exponents have another bias than those of IEEE 754, and it has no -0: no format here is like that; "
    if not f"{spoken} ".startswith(TENSOR_CORE):
        return did_you_mean(near_names(spoken, (*ARITHMETICS, *(f"{TENSOR_CORE}{name}" for name in NARROW))))
    given = spoken.removeprefix(TENSOR_CORE.strip()).strip()
    named = ALIASES.get(given, given)
    if named in NAMED_FORMATS:
        return f"tensor cores take no {named}: it is rounded to tf32 first, give 'tensor core tf32'; or "
    return did_you_mean(f"{TENSOR_CORE}{name}" for name in near_names(given, NARROW) or NARROW[:3])


def _called(name: str, value: object) -> str:
    """Return an argument, or an option of a command, with its value."""
    return f"{name}{' ' if name.startswith('--') or ' ' in name else '='}{shown(value)}"


def arithmetic_of(
    value: AnyArithmetic, name: str = "arithmetic", *, error: type[ExactnnError] = UnsupportedArithmeticError
) -> Arithmetic:
    """Return the arithmetic of numbers that somebody means; as :func:`any_arithmetic`, but none of enclosures."""
    found = any_arithmetic(value, name, error=error)
    if isinstance(found, EnclosingArithmetic):
        raise error(
            f"{found} arithmetic gives enclosures, not numbers: exactnn.run and exactnn.certified_argmax run it; "
            "give another arithmetic here"
        )
    return found


def format_of(value: AnyFormat, name: str = "format", *, error: type[ExactnnError] = OptionError) -> Format:
    """Return the format that somebody means; as :func:`any_arithmetic`, but nothing that does not round.

    >>> format_of("half").precision
    11
    """
    found = any_arithmetic(value, name, error=error)
    if isinstance(found, EnclosingArithmetic):
        raise error(
            f"{_called(name, str(found))} gives enclosures and does not round: give a format, such as 'float32'"
        )
    if not isinstance(found, Format):
        raise error(f"{_called(name, str(found))} does not round: give a format, such as 'float32'")
    return found


def formats_of(value: AnyFormats, name: str = "formats", *, error: type[ExactnnError] = OptionError) -> list[Format]:
    """Return the formats that somebody means: one, or several, of which there is at least one; a text may have commas.

    >>> formats_of("float16") == formats_of(["fp16"])
    True
    >>> [str(format) for format in formats_of("float16, bf16")]
    ['float16', 'bfloat16']
    """
    return [format_of(each, name, error=error) for each in _several(value, name, "format", error)]


def arithmetics_of(
    value: AnyArithmetic, name: str = "arithmetics", *, error: type[ExactnnError] = OptionError
) -> list[Arithmetic]:
    """Return the arithmetics of numbers that somebody means: one, or several, of which there is at least one."""
    return [arithmetic_of(each, name, error=error) for each in _several(value, name, "arithmetic", error)]


def checked_formats(formats: AnyFormats) -> list[FloatFormat]:
    """Return one floating-point format or several; raises OptionError for others, and those that round at random."""
    chosen = formats_of(formats)
    for format in chosen:
        if not isinstance(format, FloatFormat) or format.rounds_at_random:
            raise OptionError(f"formats has {shown(format)}: give FloatFormats that do not round at random")
    return [format for format in chosen if isinstance(format, FloatFormat)]


def _several(value: Any, name: str, what: str, error: type[ExactnnError]) -> list[Any]:
    if isinstance(value, str):
        return [part for part in value.split(",") if part.strip()] or [value]
    if isinstance(value, Arithmetic | EnclosingArithmetic | bytes | type) or not isinstance(value, Iterable):
        return [value]
    found: list[Any] = entries(name, value)
    if not found:
        raise error(f"{name}={shown(value)}: give at least one {what}, such as 'float16'")
    return found


def _on_tensor_cores(text: str) -> FloatFormat | None:
    """Return a format as matrix units have it: products of its numbers are exact there, and summed in float32."""
    name = text.removeprefix(TENSOR_CORE)
    format = ARITHMETICS.get(ALIASES.get(name, name))
    if name == text or not isinstance(format, FloatFormat) or format.precision > FLOAT32.precision // 2:
        return None
    return replace(format, accumulator=FLOAT32, name=f"{TENSOR_CORE}{format}")


def _sized(text: str) -> Arithmetic | EnclosingArithmetic | None:
    """Return the format of the bits that a name such as p20e8, q8.8 or interval128 tells."""
    if match := _INTERVAL.fullmatch(text):
        return Interval(bits=int(match[1]))
    if match := _FIXED.fullmatch(text):
        return FixedPoint(integer_bits=int(match[2]), fraction_bits=int(match[3]), signed=not match[1])
    if match := _SIZES.fullmatch(text):
        return FloatFormat(precision=int(match[1]), exponent_bits=int(match[2] or WIDE_EXPONENT), name=text)
    return None
