"""The arithmetics that a command line can name."""

import re
from collections.abc import Iterable

from exactnn.arithmetic import ARITHMETICS, NAMED_FORMATS, Arithmetic, FloatFormat
from exactnn.errors import OptionError, shown

__all__ = ["arithmetic_named", "format_named"]


WIDE_EXPONENT = 10
"""Bits of the exponent where a format is named by its precision only: so many that they play no part."""

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


def _sized(option: str, name: str, known: Iterable[str]) -> FloatFormat:
    """Return the format of the bits that a name such as p20e8 tells."""
    match = _SIZES.fullmatch(name)
    if match is None:
        choices = f"{', '.join(known)}, or give its bits, as p20 or p20e8"
        raise OptionError(f"{option} {shown(name)} is unknown: choose one of {choices}")
    return FloatFormat(precision=int(match[1]), exponent_bits=int(match[2] or WIDE_EXPONENT), name=name)
