"""A cycle of states: the proof that a run never comes to a verdict."""

from dataclasses import dataclass

from exactnn.arithmetic import count_text
from exactnn.errors import shown
from exactnn.options import whole_number

__all__ = ["Cycle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """The states after EOS steps i and i + `period` are equal for every i from `preperiod` on, and no earlier one.

    Under EOS the input is always the same, so that a state that comes again is followed by what followed it before.
    There was no verdict in the first `preperiod` + `period` EOS steps, so there is none, ever.

    Parameters
    ----------
    preperiod : int
        EOS steps before the cycle: the least that there are. 0 if the state at the end of the word comes again.
    period : int
        EOS steps from a state of the cycle to the same state: the least that there are, 1 for a fixed point.

    Raises
    ------
    OptionError
        If `preperiod` is negative or `period` is not positive.

    Notes
    -----
    States are equal bit for bit: -0 is not 0. A NaN is equal to any other, since no step tells them apart.

    Examples
    --------
    >>> print(Cycle(preperiod=12, period=3))
    period 3 from EOS step 12 on
    """

    preperiod: int
    period: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "preperiod", whole_number("preperiod", self.preperiod))
        object.__setattr__(self, "period", whole_number("period", self.period, 1))

    def __repr__(self) -> str:
        return f"Cycle(preperiod={shown(self.preperiod)}, period={shown(self.period)})"

    def __str__(self) -> str:
        return f"period {count_text(self.period)} from EOS step {count_text(self.preperiod)} on"
