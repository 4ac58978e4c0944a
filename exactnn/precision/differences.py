"""A rounded run beside the exact one: states taken again one by one, and the first difference of each kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from gmpy2 import mpq

from exactnn.arithmetic import Number, count_text, value_text
from exactnn.automata import StackConfiguration, State, TapeConfiguration, configuration_text
from exactnn.outcome import Outcome

__all__ = ["REACH", "ConfigurationDivergence", "ValueDivergence", "VerdictDivergence"]

REACH = 8
"""Cells shown on either side of the head."""

SIDES = ("left", "right")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueDivergence:
    """The first step at which a neuron's value is not the exact one; of several neurons, the first in order.

    Parameters
    ----------
    step : int
    neuron : str
    exact : mpq
    computed : float, or mpq where the format has numbers that no float is
    ulps : mpq or None
        The error in units in the last place: in the distance between the format's numbers at the exact value. None if
        the computed value is infinite or NaN.
    bits : int or None
        The least precision of a binary format that has the exact value; None if none has it. It may be that of the
        format: then a product or a sum on the way was rounded.
    """

    step: int
    neuron: str
    exact: mpq
    computed: Number
    ulps: mpq | None = None
    bits: int | None = None

    def __repr__(self) -> str:
        values = f"exactly {value_text(self.exact)}, computed {value_text(self.computed)}"
        return f"<ValueDivergence of {self.neuron} at step {count_text(self.step)}: {values}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationDivergence:
    """The first step at which the decoded configuration is not the machine's."""

    step: int
    exact: TapeConfiguration | StackConfiguration | State
    computed: TapeConfiguration | StackConfiguration | State

    @property
    def depth(self) -> int | None:
        """How far from the head the nearest wrong cell is: its depth in its stack, 0 under the head.

        None if the tapes are the same and the state is wrong, or where there is no tape.
        """
        if isinstance(self.exact, StackConfiguration) and isinstance(self.computed, StackConfiguration):
            pairs = zip(self.exact.stacks, self.computed.stacks, strict=True)
            return min((d for a, b in pairs if (d := _first_difference(a, b)) is not None), default=None)
        if not isinstance(self.exact, TapeConfiguration) or not isinstance(self.computed, TapeConfiguration):
            return None
        if self.exact.scanned != self.computed.scanned:
            return 0
        found = [_first_difference(getattr(self.exact, side), getattr(self.computed, side)) for side in SIDES]
        return min((depth for depth in found if depth is not None), default=None)

    def __repr__(self) -> str:
        exact, computed = (configuration_text(c, reach=REACH) for c in (self.exact, self.computed))
        return f"<ConfigurationDivergence at step {count_text(self.step)}: exactly {exact}, computed {computed}>"


def _first_difference(exact: Sequence[object], computed: Sequence[object]) -> int | None:
    """Return the number of the first entry that differs, counted from 1, or None."""
    pairs = enumerate(zip_longest(exact, computed), start=1)
    return next((depth for depth, (a, b) in pairs if a != b), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictDivergence:
    """The step at which one run says something that the other does not; None is "not yet"."""

    step: int
    exact: Outcome | None
    computed: Outcome | None
