"""A state of the exact engine, in the form of the mode that it was reached in, and what is asked of a mode."""

from dataclasses import dataclass
from typing import Any

from exactnn.networks import Input
from exactnn.simulation.positional.experience import SHORTEST_DETOUR

__all__ = ["Asked", "ModeState"]


@dataclass(frozen=True, slots=True)
class ModeState:
    """A state in the form of the mode that it was reached in, and what decides about the next mode.

    `form` is a state of plain rationals, a DirectState or a MacroForm, for the modes "plain", "direct" and "macro". In
    the mode "numerals", of a checkpoint written in macro mode, it is the numbers themselves.

    `wait`: steps in rationals before direct mode is tried again. `detour`: how many steps the next wait has. `stay`:
    steps of direct mode in a row. `macro_at`: at which of them macro mode is tried.
    """

    mode: str
    form: Any
    macro_at: int
    wait: int = 0
    detour: int = SHORTEST_DETOUR
    stay: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """Up to `count` steps on one input, to the first verdict with `until_decided`, or to the state of an `anchor`."""

    symbol: Input
    count: int
    until_decided: bool
    anchor: ModeState | None = None
