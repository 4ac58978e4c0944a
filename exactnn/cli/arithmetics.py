"""The arithmetics that a command line can name."""

import re
from collections.abc import Iterable

from exactnn.arithmetic import ARITHMETICS, NAMED_FORMATS, Arithmetic, FloatFormat
from exactnn.errors import OptionError, shown

__all__ = ["arithmetic_named", "format_named", "formats_named"]


WIDE_EXPONENT = 10
"""Bits of the exponent where a format is named by its precision only: so many that they play no part."""

MOST_FORMATS = 1000
"""Of one range."""

_RANGE = re.compile(r"p([0-9]{1,4}):([0-9]{1,4})(e[0-9]{1,2})?")
_SIZES = re.compile(r"p([0-9]{1,4})(?:e([0-9]{1,2}))?")


def arithmetic_named(name: str) -> Arithmetic:
    """Return the arithmetic called `name`.

    >>> str(arithmetic_named("float32"))
    'float32'
    """
    if name in ARITHMETICS:
        return ARITHMETICS[name]
    return _sized("--arithmetic", name, ARITHMETICS)


def format_named(name: str) -> FloatFormat:
    """Return the floating-point format called `name`: by its own name, or as p20 or p20e8 by its bits.

    >>> format_named("p20e8").exponent_bits, format_named("p20").exponent_bits
    (8, 10)
    """
    return NAMED_FORMATS[name] if name in NAMED_FORMATS else _sized("--format", name, NAMED_FORMATS)


def formats_named(name: str) -> tuple[FloatFormat, ...]:
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


def _sized(option: str, name: str, known: Iterable[str]) -> FloatFormat:
    """Return the format of the bits that a name such as p20e8 tells."""
    match = _SIZES.fullmatch(name)
    if match is None:
        choices = f"{', '.join(known)}, or give its bits, as p20 or p20e8"
        raise OptionError(f"{option} {shown(name)} is unknown: choose one of {choices}")
    return FloatFormat(precision=int(match[1]), exponent_bits=int(match[2] or WIDE_EXPONENT), name=name)
