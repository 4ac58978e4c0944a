"""The arithmetics that a command line can name."""

import re
from collections.abc import Iterable

from exactnn.arithmetic import (
    ARITHMETICS,
    NAMED_FORMATS,
    Arithmetic,
    EnclosingArithmetic,
    FixedPoint,
    FloatFormat,
    Format,
    Interval,
)
from exactnn.errors import OptionError, shown

__all__ = ["arithmetic_named", "format_named", "formats_named", "run_arithmetic_named"]


WIDE_EXPONENT = 10
"""Bits of the exponent where a format is named by its precision only: so many that they play no part."""

MOST_FORMATS = 1000
"""Of one range."""

_RANGE = re.compile(r"p([0-9]{1,4}):([0-9]{1,4})(e[0-9]{1,2})?")
_SIZES = re.compile(r"p([0-9]{1,4})(?:e([0-9]{1,2}))?")
_INTERVAL = re.compile(r"interval([0-9]{1,7})")
_FIXED = re.compile(r"(u?)q([0-9]{1,4})\.([0-9]{1,4})")


def arithmetic_named(name: str, option: str = "--arithmetic") -> Arithmetic:
    """Return the arithmetic called `name`; an error names the option.

    >>> str(arithmetic_named("float32"))
    'float32'
    """
    found = run_arithmetic_named(name, option)
    if isinstance(found, EnclosingArithmetic):
        raise OptionError(f"{option} {shown(name)} gives enclosures, not numbers: exactnn run is for it; give another")
    return found


def run_arithmetic_named(name: str, option: str = "--arithmetic") -> Arithmetic | EnclosingArithmetic:
    """Return the arithmetic called `name`, of numbers or of enclosures.

    >>> run_arithmetic_named("interval128")
    Interval(bits=128)
    """
    if name in ARITHMETICS:
        return ARITHMETICS[name]
    if match := _INTERVAL.fullmatch(name):
        return Interval(bits=int(match[1]))
    return _sized(option, name, (*ARITHMETICS, "interval128"))


def format_named(name: str) -> Format:
    """Return the format called `name`: by its own name, or by its bits, as p20, p20e8, q8.8 or uq0.8.

    In fixed point they are the integer bits, the sign bit included, and those after the point; results are rounded to
    nearest and saturate.

    >>> format_named("p20e8"), format_named("p20").exponent_bits
    (FloatFormat(precision=20, exponent_bits=8, name='p20e8'), 10)
    >>> format_named("q4.12"), format_named("uq0.8")
    (FixedPoint(integer_bits=4, fraction_bits=12), FixedPoint(integer_bits=0, fraction_bits=8, signed=False))
    """
    return NAMED_FORMATS[name] if name in NAMED_FORMATS else _sized("--format", name, NAMED_FORMATS)


def formats_named(name: str) -> tuple[Format, ...]:
    """Return the formats that `name` stands for: one, or as p2:40 or p2:40e8 one for each precision, the last included.

    >>> [str(one) for one in formats_named("p9:11e5")], [str(one) for one in formats_named("float16")]
    (['p9e5', 'p10e5', 'p11e5'], ['float16'])
    """
    match = _RANGE.fullmatch(name)
    if match is None:
        return (format_named(name),)
    first, last = int(match[1]), int(match[2])
    if not 2 <= first <= last < first + MOST_FORMATS:
        raise OptionError(f"--format {shown(name)}: from at least 2 bits up, at most {MOST_FORMATS} formats")
    return tuple(format_named(f"p{precision}{match[3] or ''}") for precision in range(first, last + 1))


def _sized(option: str, name: str, known: Iterable[str]) -> Format:
    """Return the format of the bits that a name such as p20e8 or q8.8 tells."""
    if match := _FIXED.fullmatch(name):
        return FixedPoint(integer_bits=int(match[2]), fraction_bits=int(match[3]), signed=not match[1])
    if match := _SIZES.fullmatch(name):
        return FloatFormat(precision=int(match[1]), exponent_bits=int(match[2] or WIDE_EXPONENT), name=name)
    choices = f"{', '.join(known)}, or give its bits, as p20, p20e8, q8.8 or uq0.8"
    raise OptionError(f"{option} {shown(name)} is unknown: choose one of {choices}")
