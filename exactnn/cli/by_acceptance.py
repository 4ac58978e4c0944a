"""The option ``--by``: how words end, or only whether they are accepted."""

from collections.abc import Callable
from typing import Any

import click

from exactnn.errors import OptionError
from exactnn.networks import Network, Protocol

__all__ = ["by_option", "check_acceptance"]


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
