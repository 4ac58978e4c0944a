"""Arguments and options that several commands share: their types, and how arithmetics and formats are named."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import click
from gmpy2 import mpz

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
from exactnn.networks import Network, Protocol

__all__ = [
    "StepLimit",
    "TimeLimit",
    "WholeNumber",
    "arithmetic_named",
    "by_option",
    "check_acceptance",
    "check_markdown",
    "construction_option",
    "format_named",
    "formats_named",
    "json_option",
    "machine_argument",
    "markdown_option",
    "max_bits_option",
    "max_bytes_option",
    "max_seconds_option",
    "max_states_option",
    "max_steps_option",
    "n_option",
    "run_arithmetic_named",
    "seconds_option",
    "words_argument",
]

LARGEST = 10**18
MOST_LIMIT_DIGITS = 10**6
"""Digits of the largest step limit."""

_BYTES = re.compile(r"([0-9]{1,18})([kmgt]?)(?:i?b)?", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")
_LIMIT = re.compile(r"([0-9]+)(?:(?:\^|\*\*)([0-9]{1,7}))?")


class WholeNumber(click.ParamType[int]):
    """A whole number from `least` to 10^18."""

    name = "number"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return `value` as an int; a text that is no such number is refused."""
        text = str(value).replace("_", "")
        number = int(text) if len(text) <= len(str(LARGEST)) and text.isascii() and text.isdecimal() else -1
        if not self.least <= number <= LARGEST:
            self.fail(f"{shown(value)}: give a whole number from {self.least} to 10^18", param, ctx)
        return number


class StepLimit(click.ParamType["int | None"]):
    """A whole number of any size, such as 1_000_000 or 10^2000, or "none"."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Return `value` as an int, None for no limit; a text that is neither is refused."""
        if value is None or str(value).lower() == "none":
            return None
        match = _LIMIT.fullmatch(str(value).replace("_", ""))
        if match is not None and len(match[1]) * int(match[2] or 1) <= MOST_LIMIT_DIGITS:
            return int(mpz(match[1]) ** int(match[2] or 1))
        return self.fail(f"{shown(value)}: give a whole number such as 1000 or 10^30, or none for no limit", param, ctx)


class TimeLimit(click.ParamType["float | None"]):
    """A number of seconds such as 600 or 0.5, or "none"."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        """Return `value` as a float, None for no limit; a text that is neither is refused."""
        text = str(value)
        if text.lower() == "none":
            return None
        if _SECONDS.fullmatch(text):
            return float(text)
        return self.fail(f"{shown(value)}: give a number of seconds such as 600, or none for no limit", param, ctx)


class ByteSize(click.ParamType[int]):
    """A number of bytes, such as 8G or 512M; the letters stand for powers of 1024."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return `value` as an int; a text that is no such number is refused."""
        match = _BYTES.fullmatch(str(value))
        if match is None or not int(match[1]):
            self.fail(f"{shown(value)}: give a number of bytes such as 8G or 512M", param, ctx)
        return int(match[1]) << 10 * " kmgt".index(match[2].lower() or " ")


machine_argument = click.argument("machine", metavar="M")
words_argument = click.argument("words", nargs=-1, metavar="[WORD|PATTERN]...")
construction_option = click.option(
    "--construction", metavar="NAME", help="How to compile M; 'exactnn show M' lists the names."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
markdown_option = click.option(
    "--markdown", is_flag=True, help="Print a page in Markdown, the one that is in the documentation."
)
max_steps_option = click.option(
    "--max-steps",
    type=StepLimit(),
    metavar="N",
    help="Stop the run of a word after N network steps, such as 1000 or 10^30; there is no limit unless given.",
)
seconds_option = click.option(
    "--seconds",
    type=TimeLimit(),
    default=60.0,
    show_default="60",
    metavar="S",
    help="Stop the run of a word after S seconds: a number such as 600, or none for no limit.",
)
max_bits_option = click.option(
    "--max-bits",
    type=WholeNumber(1),
    metavar="N",
    help="Bits that exact numbers may have together: 1/64 of the memory unless given.",
)
max_states_option = click.option(
    "--max-states",
    type=WholeNumber(1),
    default=20_000_000,
    show_default=True,
    metavar="N",
    help="States that may be found.",
)
max_bytes_option = click.option(
    "--max-bytes", type=ByteSize(), default="8G", show_default=True, metavar="N", help="Memory they may take, about."
)
max_seconds_option = click.option("--max-seconds", type=float, metavar="S", help="Time for the search.")


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


def n_option(numbers: str) -> Callable[[Any], Any]:
    """Return the option that says which words a pattern stands for, `numbers` unless given."""
    return click.option(
        "--n", default=numbers, show_default=True, metavar="FIRST:LAST[:STEP]", help="The n of patterns."
    )


def check_markdown(markdown: bool, as_json: bool) -> None:
    """Refuse to print one thing in two forms."""
    if markdown and as_json:
        raise OptionError("--markdown and --json: choose one of the two")


def by_option(what: str) -> Callable[[Any], Any]:
    """Return the option; `what` begins its help text."""
    return click.option(
        "--by",
        type=click.Choice(["outcome", "acceptance"]),
        default="outcome",
        show_default=True,
        help=f"{what}: how they end, or only whether they are accepted.",
    )


def check_acceptance(network: Network, by: str) -> None:
    """Refuse to ask for acceptance where a network says nothing of it.

    Raises
    ------
    OptionError
        If the network gives outputs.
    """
    if by == "acceptance" and network.decision.protocol is Protocol.OUTPUTS:
        raise OptionError(f"--by acceptance: {network.name} gives outputs, not verdicts: leave it out")
