"""Arguments and options that several commands share, and their types."""

import re
from typing import Any

import click
from gmpy2 import mpz

from exactnn.errors import shown

__all__ = [
    "ByteSize",
    "StepLimit",
    "WholeNumber",
    "construction_option",
    "json_option",
    "machine_argument",
    "max_bytes_option",
    "max_seconds_option",
    "max_states_option",
    "max_steps_option",
]

LARGEST = 10**18
MOST_LIMIT_DIGITS = 10**6
"""Digits of the largest step limit."""

_BYTES = re.compile(r"([0-9]{1,18})([kmgt]?)(?:i?b)?", re.IGNORECASE)
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
construction_option = click.option(
    "--construction", metavar="NAME", help="How to compile M; 'exactnn show M' lists the names."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
max_steps_option = click.option(
    "--max-steps",
    type=StepLimit(),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Stop a run after N network steps: a number such as 1000 or 10^30, or none for no limit.",
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
