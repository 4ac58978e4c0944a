"""Arguments and options that several commands share: their types, and how arithmetics and formats are named."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
from gmpy2 import mpz

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, Format, any_arithmetic, format_of
from exactnn.cli.completion import (
    propose_arithmetics,
    propose_constructions,
    propose_formats,
    propose_machines,
)
from exactnn.errors import OptionError, shown
from exactnn.networks import Network, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = [
    "StepLimit",
    "TimeLimit",
    "WholeNumber",
    "arithmetic_named",
    "arithmetic_option",
    "by_option",
    "check_acceptance",
    "check_markdown",
    "chosen_formats",
    "construction_option",
    "format_named",
    "formats_named",
    "formats_option",
    "jobs_option",
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
    "scheduler_option",
    "seconds_option",
    "store_option",
    "words_argument",
    "workers",
]

LARGEST = 10**18
Decorated = TypeVar("Decorated", bound="Callable[..., Any]")
MOST_LIMIT_DIGITS = 10**6
"""Digits of the largest step limit."""

_BYTES = re.compile(r"([0-9]{1,18})([kmgt]?)(?:i?b)?", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")
_LIMIT = re.compile(r"([0-9]+)(?:(?:\^|\*\*)([0-9]{1,7})|[eE]\+?([0-9]{1,7}))?")


def _whole(text: str) -> int | None:
    """Return the whole number that people write as 1000, 1_000, 10^3, 10**3 or 1e3; None if it is none.

    >>> [_whole(text) for text in ("1_000", "10^3", "1e3", "ten")]
    [1000, 1000, 1000, None]
    """
    match = _LIMIT.fullmatch(text.replace("_", ""))
    if match is None or len(match[1]) * int(match[2] or 1) + int(match[3] or 0) > MOST_LIMIT_DIGITS:
        return None
    return int(mpz(match[1]) ** int(match[2] or 1) * mpz(10) ** int(match[3] or 0))


class WholeNumber(click.ParamType[int]):
    """A whole number from `least` to 10^18."""

    name = "number"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return `value` as an int; a text that is no such number is refused."""
        number = _whole(str(value))
        if number is None or not self.least <= number <= LARGEST:
            self.fail(f"{shown(value)}: give a whole number from {self.least} to 10^18", param, ctx)
        return number


class StepLimit(click.ParamType["int | None"]):
    """A whole number of any size, such as 1_000_000 or 10^2000, or "none"."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Return `value` as an int, None for no limit; a text that is neither is refused."""
        if value is None or str(value).lower() == "none":
            return None
        number = _whole(str(value))
        if number is not None:
            return number
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


machine_argument = click.argument("machine", metavar="M", shell_complete=propose_machines)
words_argument = click.argument("words", nargs=-1, metavar="[WORD|PATTERN]...")
construction_option = click.option(
    "--construction",
    metavar="NAME",
    shell_complete=propose_constructions,
    help="How to compile M; 'exactnn show M' lists the names.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Processes that work at once."
)
scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS", help="Work on a Dask cluster: tcp://host:8786, or the path of a scheduler file."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
markdown_option = click.option(
    "--markdown", is_flag=True, help="Print a page in Markdown, the one that is in the documentation."
)


def store_option(what: str) -> Callable[[Decorated], Decorated]:
    """Return the option of a file that keeps the work of what takes long."""
    return click.option(
        "--store", metavar="FILE", help=f"With {what}: keep what is done in FILE, and go on from there."
    )


@contextmanager
def workers(
    jobs: int, scheduler: str | None, warm_up: Callable[[], object] | None = None
) -> "Iterator[Executor | None]":
    """Give the executor that options ask for; None for this process. Each node of a cluster warms up first."""
    from exactnn.campaigns import Processes, on_dask

    if scheduler is not None and jobs > 1:
        raise OptionError("--jobs and --scheduler: give one of them")
    if scheduler is None and jobs == 1:
        yield None
        return
    with Processes(jobs) if scheduler is None else on_dask(scheduler, warm_up=warm_up) as executor:
        yield executor


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
max_states_option = partial(click.option, "--max-states", type=WholeNumber(1), metavar="N")
"""States that a search may find; `help` and `default` are its own."""
max_bytes_option = click.option(
    "--max-bytes", type=ByteSize(), default="8G", show_default=True, metavar="N", help="Memory they may take, about."
)
max_seconds_option = click.option("--max-seconds", type=float, metavar="S", help="Time for the search.")


MOST_FORMATS = 1000
"""Of one range."""

_RANGE = re.compile(r"p([0-9]{1,4}):([0-9]{1,4})(e[0-9]{1,2})?")


def arithmetic_named(name: str, option: str = "the arithmetic") -> Arithmetic:
    """Return the arithmetic called `name`; an error calls it as `option` does.

    >>> str(arithmetic_named("float32"))
    'float32'
    """
    found = run_arithmetic_named(name, option)
    if isinstance(found, EnclosingArithmetic):
        raise OptionError(f"{option} {shown(name)} gives enclosures, not numbers: exactnn run is for it; give another")
    return found


def run_arithmetic_named(name: str, option: str = "the arithmetic") -> Arithmetic | EnclosingArithmetic:
    """Return the arithmetic called `name`, of numbers or of enclosures.

    >>> run_arithmetic_named("interval128")
    Interval(bits=128)
    """
    return any_arithmetic(name, option, error=OptionError)


def formats_option(default: Sequence[str], more: str = "") -> Callable[[Decorated], Decorated]:
    """Return the option of one or more formats, which has one name as good as another."""
    shown_default = f"  [default: {','.join(default)}]" if default else ""
    return click.option(
        "--format",
        "--formats",
        "--arithmetic",
        "formats",
        multiple=True,
        metavar="NAME",
        shell_complete=propose_formats,
        help="Such as float16 or float8_e4m3; by its bits p20e8, or p2:40 for each of these precisions; in fixed point "
        f"q8.8 (sign included) or uq0.8; several with commas, or repeated.{more}{shown_default}",
    )


def chosen_formats(names: Sequence[str], default: Sequence[str]) -> tuple[Format, ...]:
    """Return the formats that the option names, each once.

    >>> [str(one) for one in chosen_formats(["float16,bf16", "p20"], [])]
    ['float16', 'bfloat16', 'p20']
    """
    single = [part for name in names or default for part in name.split(",")]
    return tuple(dict.fromkeys(one for name in single for one in formats_named(name)))


def arithmetic_option(default: str | None = None, **extra: Any) -> Callable[[Decorated], Decorated]:
    """Return the option of one arithmetic, which has one name as good as another."""
    names, given = ("--arithmetic", "--format", "--formats", "arithmetic"), () if default is None else (default,)
    return click.option(
        *names, metavar="NAME", multiple=True, default=given, callback=_the_only_one,
        shell_complete=propose_arithmetics, **extra,
    )  # fmt: skip


def _the_only_one(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """Return the name that is given, if any is; of several the last would win without a word."""
    if len(set(given)) > 1:
        raise OptionError(f"{option.opts[0]} {' and '.join(map(shown, given))}: give one, and run once for each")
    return given[0] if given else None


def format_named(name: str) -> Format:
    """Return the format called `name`: by its own name, or by its bits, as p20, p20e8, q8.8 or uq0.8.

    In fixed point they are the integer bits, the sign bit included, and those after the point; results are rounded to
    nearest and saturate.

    >>> format_named("p20e8"), format_named("p20").exponent_bits
    (FloatFormat(precision=20, exponent_bits=8, name='p20e8'), 10)
    >>> format_named("q4.12"), format_named("uq0.8")
    (FixedPoint(integer_bits=4, fraction_bits=12), FixedPoint(integer_bits=0, fraction_bits=8, signed=False))
    """
    return format_of(name, "the format")


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
        raise OptionError(f"formats {shown(name)}: from at least 2 bits up, at most {MOST_FORMATS} formats")
    return tuple(format_named(f"p{precision}{match[3] or ''}") for precision in range(first, last + 1))


def n_option(numbers: str) -> Callable[[Any], Any]:
    """Return the option that says which words a pattern stands for, `numbers` unless given."""
    return click.option(
        "--n",
        default=numbers,
        show_default=True,
        metavar="FIRST:LAST[:STEP]",
        help="The n of patterns, from FIRST to LAST; a single number is that n alone.",
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
