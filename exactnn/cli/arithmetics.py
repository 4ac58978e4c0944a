"""The arithmetics that a command line can name."""

from exactnn.arithmetic import ARITHMETICS, NAMED_FORMATS, Arithmetic, FloatFormat
from exactnn.errors import OptionError, shown

__all__ = ["arithmetic_named", "format_named"]


def arithmetic_named(name: str) -> Arithmetic:
    """Return the arithmetic called `name`.

    >>> str(arithmetic_named("float32"))
    'float32'
    """
    if name not in ARITHMETICS:
        raise OptionError(f"--arithmetic {shown(name)} is unknown: choose one of {', '.join(ARITHMETICS)}")
    return ARITHMETICS[name]


def format_named(name: str) -> FloatFormat:
    """Return the floating-point format called `name`."""
    if name not in NAMED_FORMATS:
        raise OptionError(f"--format {shown(name)} is unknown: choose one of {', '.join(NAMED_FORMATS)}")
    return NAMED_FORMATS[name]
