"""How the steps of an exact run were taken, as it is told."""

from dataclasses import dataclass, field
from typing import Protocol

from exactnn.arithmetic import count_text

__all__ = ["Account"]


class _Shadowed(Protocol):
    """What takes direct steps with a shadow."""

    checked: int
    cuts: int


@dataclass(slots=True)
class Account:
    """How many steps were taken in which way, and why some were taken in plain rationals.

    `endless`: after the last of them it is proven that there is never a verdict.
    """

    steps: dict[str, int]
    reasons: dict[str, None]
    endless: bool = False
    _shadows: list[_Shadowed] = field(default_factory=list)

    def take(self, shadow: _Shadowed | None) -> None:
        """Take an engine into the account whose steps are checked, if there is one: one for each length of limbs."""
        self._shadows += [] if shadow is None else [shadow]

    @property
    def shadowed(self) -> int:
        """How many steps were checked modulo 2**61 - 1, those up to the last state whose values were asked for."""
        checked = sum(shadow.checked for shadow in self._shadows)
        return min(checked, self.steps["direct"])  # some are taken again

    def __str__(self) -> str:
        done = [f"{count_text(steps)} steps {how}" for how, steps in self.steps.items() if steps]
        why = f" because of {', '.join(self.reasons)}" if self.reasons and self.steps["in rationals"] else ""
        cuts = sum(shadow.cuts for shadow in self._shadows)
        cut = f", {count_text(cuts)} of them cut off a number unseen" if cuts else ""
        checked = f", {count_text(self.shadowed)} steps checked modulo 2^61-1{cut}" if self._shadows else ""
        endless = ", and from there it is proven to go on for ever" if self.endless else ""
        return f"exact: {', '.join(done) or 'no steps'}{why}{checked}{endless}"
