"""Arguments and options that several commands share, and their types."""

from typing import Any

import click

from exactnn.errors import shown

__all__ = ["WholeNumber", "construction_option", "json_option", "machine_argument", "max_steps_option"]

LARGEST = 10**18


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


machine_argument = click.argument("machine", metavar="M")
construction_option = click.option(
    "--construction", metavar="NAME", help="How to compile M; 'exactnn show M' lists the names."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
max_steps_option = click.option(
    "--max-steps",
    type=WholeNumber(0),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Stop a run after N network steps.",
)
