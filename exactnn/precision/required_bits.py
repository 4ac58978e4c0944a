"""How long the exact numbers of a run are, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Numeral, counted
from exactnn.errors import OptionError
from exactnn.files import DataTable
from exactnn.markup import Table
from exactnn.networks import AnyNetwork, network_of
from exactnn.simulation import Run, Values, whole_run

__all__ = ["RequiredBits", "required_bits", "significand_bits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredBits(DataTable):
    """The bits that the exact state needs after each recorded step.

    Parameters
    ----------
    steps : tuple of int
        As those of the run's trace; 0 is the initial state.
    rational : tuple of int
        The bits of the longest numerator or denominator of the state.
    significand : tuple of (int or None)
        The least precision of a binary floating-point format, whatever its exponents, that has all numbers of the
        state; None if a denominator is no power of two, so that no precision is enough.
    """

    steps: tuple[int, ...]
    rational: tuple[int, ...]
    significand: tuple[int | None, ...]

    @property
    def most(self) -> int | None:
        """The least precision that is enough for all of these states; None if none is."""
        if None in self.significand:
            return None
        return max((bits for bits in self.significand if bits is not None), default=1)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each recorded step; `significand` is None where no precision is enough."""
        columns = zip(self.steps, self.rational, self.significand, strict=True)
        return [{"step": step, "rational": bits, "significand": least} for step, bits, least in columns]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the bits of the state after each recorded step."""
        rows = tuple(
            (step, bits, "none is enough" if precision is None else precision)
            for step, bits, precision in zip(self.steps, self.rational, self.significand, strict=True)
        )
        heading = ("step", "bits of a numerator or denominator", "precision that has the state")
        return Table(heading=heading, rows=rows)

    def __repr__(self) -> str:
        rational = counted(max(self.rational, default=0), "bit")
        enough = "no precision is enough" if self.most is None else f"precision {self.most:,}"
        return f"<RequiredBits of {counted(len(self.steps), 'state')}: at most {rational}, {enough}>"


def required_bits(
    network: AnyNetwork | Run,
    word: str | Sequence[object] | None = None,
    *,
    max_steps: int | None = None,
) -> RequiredBits:
    """Return how many bits the exact states of a network on a word need, or those of a run that is there already.

    That a format has all states does not mean that it computes them: sums on the way may need more.

    Parameters
    ----------
    network : Network or Construction, or Run
        An exact run with its states, ``run(..., record="all")``, comes without a word.
    word : str or sequence, optional
        By default the empty word.
    max_steps : int, optional
        Run at most this many network steps.

    Raises
    ------
    NetworkError
        If it is no network, or one with a real start state.
    WordError, OptionError
        As :func:`exactnn.run`; OptionError also if a run is not exact, or has not recorded a state, or a word is
        given with it.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.simulation import run
    >>> halves = SimpleRNN(V=[["1/2"]], W=[["1"]], b=[0], s=[0], readout_weight=[1])
    >>> found = required_bits(halves, [1, 1, 1])
    >>> found.rational, found.significand
    ((1, 1, 2, 3), (1, 1, 2, 3))
    >>> required_bits(run(halves, [1, 1, 1], record="all")) == found
    True
    """
    if not isinstance(network, Run):
        network_of(network)
        return _of_run(whole_run(network, () if word is None else word, max_steps=max_steps, record="all"))
    if word is not None or max_steps is not None:
        raise OptionError("a run has its word and its steps already: give it alone, or a network and a word")
    return _of_run(network)


def _of_run(run: Run) -> RequiredBits:
    network_of(run.network)  # refuses a real start state: no number of bits holds it
    if not run.arithmetic.is_exact:
        raise OptionError(f"the run is in {run.arithmetic}: required bits are those of an exact run")
    if not run.trace.steps or any(b != a + 1 for a, b in pairwise(run.trace.steps)):
        raise OptionError("not every state of the run was recorded: run it with record='all'")
    return RequiredBits(
        steps=run.trace.steps,
        rational=tuple(_rational_bits(state) for state in run.trace),
        significand=tuple(_state_bits(state) for state in run.trace),
    )


def significand_bits(value: mpq) -> int | None:
    """Return the least precision of a binary format that has a number; None if no binary format has it.

    >>> significand_bits(mpq(3, 8)), significand_bits(mpq(1024)), significand_bits(mpq(1, 3)), significand_bits(mpq(0))
    (2, 1, None, 1)
    """
    if not value:
        return 1
    denominator = value.denominator
    if denominator & (denominator - 1):
        return None
    numerator = abs(value.numerator)
    return int(numerator.bit_length() - (numerator & -numerator).bit_length() + 1)


def _numbers(state: Values) -> Iterable[mpq]:
    return (x.rational() if isinstance(x, Numeral) else x for x in state)  # type: ignore[misc]


def _rational_bits(state: Values) -> int:
    return max((int(max(x.numerator.bit_length(), x.denominator.bit_length())) for x in _numbers(state)), default=1)


def _state_bits(state: Values) -> int | None:
    found = [significand_bits(x) for x in _numbers(state)]
    return None if None in found else max((bits for bits in found if bits is not None), default=1)
