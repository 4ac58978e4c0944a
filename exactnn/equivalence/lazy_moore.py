"""Moore machines whose states are found as they are asked for: what extraction and comparison walk through."""

from math import isfinite
from typing import Protocol

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure
from exactnn.equivalence.spaces.state_space import Numbers
from exactnn.outcome import Outcome
from exactnn.simulation import Output

__all__ = ["UNSETTLED", "Label", "LazyMoore", "exact_output"]

Label = Outcome | str | tuple[str, ...]
"""What is said of a word: how its run ends, or the output after it as text, where a network gives outputs."""

UNSETTLED = -1
"""In place of the number of a label: it could not be told within the limits."""


class LazyMoore(Protocol):
    """A deterministic machine that reads words and says something of each; state 0 is the initial one."""

    @property
    def batch(self) -> int:
        """How many states are looked at between two looks at the limits."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """What words are made of."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that what was found takes, about."""

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after a symbol, given by its number; -1 where a limit was met."""

    def labels(self, states: Numbers) -> Numbers:
        """Return the number of each state's label, or UNSETTLED."""

    def label(self, number: int) -> Label:
        """Return the label with that number."""


def exact_output(output: Output) -> str | tuple[str, ...]:
    """Return an output as text that is equal for equal numbers; -0 is 0.

    >>> exact_output(-0.5), exact_output((mpq(1, 3), -0.0, float("nan")))
    ('-1/2', ('1/3', '0', 'nan'))
    """
    if isinstance(output, tuple):
        return tuple(map(_text, output))
    return _text(output)


def _text(number: mpq | float | Enclosure) -> str:
    assert not isinstance(number, Enclosure)
    return str(number) if isinstance(number, float) and not isfinite(number) else str(mpq(number))
