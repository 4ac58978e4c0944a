"""The true run of a network, with others in step beside it: exact, or in enclosures of as many bits as it takes."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from gmpy2 import mpq

from exactnn.arithmetic import CERTIFIED, EXACT, Certified, Enclosure, FloatFormat, Format, Interval
from exactnn.errors import OptionError, shown
from exactnn.networks import Input, Network
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, Stretch, Values, Walk, cut_short_by, executor_for
from exactnn.simulation.smooth_units import has_smooth_units
from exactnn.simulation.walk import CUT_SHORT

__all__ = ["Companion", "Follower", "TrueRun", "checked_reference", "narrow_for"]


class Companion(Protocol):
    """What goes along with the true run of a word."""

    @property
    def sees_states(self) -> bool:
        """Whether it looks at the state after each step; where nobody does, many steps are taken at once."""

    def begin(self, true: Values) -> None:
        """Look at the start state."""

    def step(self, stretch: Stretch, true: Values) -> None:
        """Take the steps that the true run took, after which its state is `true`; one, if somebody sees states."""

    def end(self, outcome: Outcome, steps: int) -> None:
        """Look at how the word ended, where no limit was in the way."""


Goes = TypeVar("Goes", bound=Companion)


class Follower:
    """A rounded run in step with the true one."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.state = executor.start()
        self.output = executor.output(self.state)

    def advance(self, symbol: Input, count: int, *, until_decided: bool) -> tuple[int, Outcome | None]:
        """Take so many steps, or those up to the first verdict; return how many they were, and the verdict."""
        steps, outcome = 0, None
        while steps < count and outcome is None:
            segment = self.executor.advance(self.state, symbol, count - steps, until_decided=until_decided)
            self.state, self.output = segment.state, segment.outputs[-1][0]
            steps, outcome = steps + segment.steps, segment.outcome
        return steps, outcome

    def take(self, stretch: Stretch) -> tuple[int, Outcome | None]:
        """Take the steps that the true run took, or those up to the first verdict here; return what `advance` does."""
        return self.advance(stretch.symbol, stretch.segment.steps, until_decided=stretch.deciding)


class TrueRun:
    """What a network of real numbers does, prepared once for many words, in one thread.

    With activations that are rational everything is exact. With others numbers are enclosed. A run whose enclosures do
    not tell enough is begun again with more bits: as many as it will need if it goes on to lose them as it did.

    Parameters
    ----------
    network : Network
    reference : Certified
        The bits of the first enclosures and of the last ones, and how narrow those of a state have to be.

    Attributes
    ----------
    executor : Executor
        What gave the last run.
    """

    def __init__(self, network: Network, reference: Certified = CERTIFIED) -> None:
        self.network = network
        self.reference = reference
        self.encloses = has_smooth_units(network)
        exact = None if self.encloses else executor_for(network, EXACT, every_state=True)
        self.executor = exact or self._enclosing(reference.bits)

    def _enclosing(self, bits: int) -> Executor:
        return executor_for(self.network, Interval(bits=bits), enclosing=True)

    def follow(
        self, inputs: Sequence[Input], begin: Callable[[], Sequence[Goes]], *, limit: int | None, end: float
    ) -> tuple[Outcome, int, Sequence[Goes]]:
        """Run a word to its verdict or to a limit; return how it ends, the steps, and those who went along.

        Parameters
        ----------
        begin : callable
            Returns who goes along; it is called anew for each run with more bits.
        limit : int, optional
            Steps.
        end : float
            The `time.perf_counter()` at which time is up.
        """
        while True:
            companions = begin()
            outcome, steps, lost = self._once(inputs, companions, limit, end)
            bits = self._more_bits(outcome, steps, lost, len(inputs))
            if bits is None or time.perf_counter() >= end:
                return outcome, steps, companions
            self.executor = self._enclosing(bits)

    def _once(
        self, inputs: Sequence[Input], companions: Sequence[Companion], limit: int | None, end: float
    ) -> tuple[Outcome, int, float]:
        """Run once; return how it ended, the steps that are certain, and how many bits were lost in them."""
        executor, encloses, steps = self.executor, self.encloses, 0
        walk = Walk(executor, inputs, limit=limit, end=end, at_once=1)
        try:
            true = executor.values(walk.position.state)
            for companion in companions:
                companion.begin(true)
            for stretch in walk:
                true = executor.values(stretch.position.state)
                if encloses and not all(map(self.reference.tells, _enclosures(true))):
                    return Outcome.BIT_LIMIT, steps, self._lost(true)
                steps = stretch.position.steps
                for companion in companions:
                    companion.step(stretch, true)
                walk.adapts = not self._is_watched(companions)
        except CUT_SHORT as error:
            return cut_short_by(error), steps, 0.0
        assert walk.outcome is not None
        if not walk.outcome.cut_short:
            for companion in companions:
                companion.end(walk.outcome, walk.position.steps)
        return walk.outcome, steps, 0.0

    def _is_watched(self, companions: Sequence[Companion]) -> bool:
        """Whether the state after each step matters; enclosures have to be narrow enough in all of them."""
        return self.encloses or any(companion.sees_states for companion in companions)

    def _bits(self) -> int:
        assert isinstance(self.executor.arithmetic, Interval)  # type: ignore[attr-defined]
        return self.executor.arithmetic.bits  # type: ignore[attr-defined]

    @property
    def can_tell_more(self) -> bool:
        """Whether a run with more bits would follow if this one did not tell enough."""
        return self.encloses and self._bits() < self.reference.most_bits

    def _lost(self, true: Values) -> float:
        """Return how many bits of the widest enclosure are not known any more."""
        ratio = max(found.width / max(mpq(1), abs(found.low), abs(found.high)) for found in _enclosures(true))
        return self._bits() + ratio.numerator.bit_length() - ratio.denominator.bit_length()

    def _more_bits(self, outcome: Outcome, steps: int, lost: float, length: int) -> int | None:
        """Return the bits for the next run; None if the last one will do, or had as many as may be."""
        if outcome is not Outcome.BIT_LIMIT or not self.can_tell_more:
            return None
        foreseen = self.reference.bits + int(1.1 * lost * length / max(1, steps)) if lost > 0 else 0
        return min(self.reference.most_bits, max(2 * self._bits(), foreseen))


def narrow_for(formats: Sequence[Format]) -> Certified:
    """Return enclosures beside which the errors of formats are known: to 40 bits more than the formats have.

    >>> from exactnn.arithmetic import FLOAT32
    >>> str(narrow_for([FLOAT32]))
    'certified(88 to 4096 bits, width 1/18446744073709551616)'
    """
    known = 40 + max((f.precision if isinstance(f, FloatFormat) else f.fraction_bits for f in formats), default=13)
    bits = known + 24
    return Certified(bits=bits, most_bits=max(CERTIFIED.most_bits, 2 * bits), width=mpq(1, 1 << known))


def _enclosures(values: Values) -> Iterator[Enclosure]:
    return (value for value in values if isinstance(value, Enclosure))


def checked_reference(reference: object) -> Certified:
    """Return what says how many bits are tried; raises OptionError for something else."""
    if not isinstance(reference, Certified):
        raise OptionError(f"reference={shown(reference)}: give exactnn.CERTIFIED or another exactnn.Certified")
    return reference
