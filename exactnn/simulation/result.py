"""What a run gives: its outcome, outputs and states, and long sequences with few changes in little room."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

from gmpy2 import mpq

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, Enclosure, count_text, counted, short_text
from exactnn.automata import is_in_a_state
from exactnn.errors import OptionError
from exactnn.markup import Table, Tabular, named
from exactnn.networks import Network, RealNetwork
from exactnn.outcome import Decided, Outcome
from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import Later, Output, Values
from exactnn.simulation.trace import Trace

__all__ = ["GrowingRunLengths", "Run", "RunLengths"]


# --- A sequence stored as (value, repetitions): the outputs of a run, which are mostly the same for ever.
#
# What a run gives back cannot be changed; while it runs the sequence grows, and is another class.

LONG = 1000
"""Bits from which a number is not shown as a whole."""

SHORT = 400
"""Bytes that a fraction has room for up to which gmpy2 is asked whether it equals another one."""

T = TypeVar("T")


class RunLengths(Generic[T]):
    """A sequence of runs of equal values, given as (value, repetitions); it may be longer than memory.

    Use :attr:`count` where ``len`` could overflow. It equals any list or tuple with the same entries, and so it has no
    hash.

    Examples
    --------
    >>> outputs = RunLengths([(0, 10**30), (1, 1)])
    >>> outputs.count, outputs[10**30], outputs[-1], outputs[:3]
    (1000000000000000000000000000001, 1, 1, [0, 0, 0])
    """

    __slots__ = ("_ends", "_values")

    def __init__(self, runs: Iterable[tuple[T, int]] = ()) -> None:
        grown = GrowingRunLengths[T]()
        grown.extend(runs)
        self._values: Sequence[T] = tuple(grown._values)
        self._ends: Sequence[int] = tuple(grown._ends)

    @property
    def count(self) -> int:
        """The number of entries, of any size."""
        return self._ends[-1] if self._ends else 0

    @property
    def runs(self) -> list[tuple[T, int]]:
        """The runs as (value, repetitions)."""
        starts = [0, *self._ends]
        return [(value, end - start) for value, start, end in zip(self._values, starts, self._ends, strict=False)]

    def first(self, holds: Callable[[T], bool]) -> int | None:
        """Return the index of the first entry for which `holds` is true, or None; each run is looked at once.

        >>> outputs = RunLengths([(0, 10**30), (1, 1)])
        >>> outputs.first(lambda output: output != 0) == 10**30
        True
        """
        start = 0
        for value, end in zip(self._values, self._ends, strict=True):
            if holds(value):
                return start
            start = end
        return None

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return bool(self._values)

    def __iter__(self) -> Iterator[T]:
        for value, repetitions in self.runs:
            for _ in range(repetitions):  # itertools.repeat takes no count beyond a machine word
                yield value

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[i] for i in range(self.count)[index]]
        position = index + self.count if index < 0 else index
        if not 0 <= position < self.count:
            raise IndexError(f"index {count_text(index)} of a sequence of {count_text(self.count)}")
        return self._values[bisect_right(self._ends, position)]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RunLengths):
            return self.runs == other.runs
        if isinstance(other, (list, tuple)):
            return self.count == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        runs = self.runs
        parts = [_text(*run) for run in (runs if len(runs) <= 8 else [*runs[:4], *runs[-3:]])]
        if len(runs) > 8:
            parts.insert(4, "...")
        return f"<{count_text(self.count)} entries: {', '.join(parts)}>"


class GrowingRunLengths(RunLengths[T]):
    """A sequence of runs that grows at its end.

    Examples
    --------
    >>> outputs = GrowingRunLengths()
    >>> outputs.append(0, 2); outputs.extend([(0, 1), (1, 1)])
    >>> outputs.runs, outputs.finished()
    ([(0, 3), (1, 1)], <4 entries: 0 x 3, 1>)
    """

    __slots__ = ()

    _values: list[T]
    _ends: list[int]

    def __init__(self) -> None:
        self._values, self._ends = [], []

    def append(self, value: T, repetitions: int) -> None:
        """Append `value`, `repetitions` times."""
        self.extend([(value, repetitions)])

    def extend(self, runs: Iterable[tuple[T, int]]) -> None:
        """Append runs given as (value, repetitions)."""
        values, ends, end = self._values, self._ends, self.count
        for value, repetitions in runs:
            if not repetitions:
                continue
            end += repetitions
            last = values[-1] if values else None
            short = type(value) is mpq is type(last) and value.__sizeof__() < SHORT
            if values and (last == value if short else _same(last, value)):
                ends[-1] = end
            else:
                values.append(value)
                ends.append(end)

    def truncate(self, count: int) -> None:
        """Keep the first `count` entries, also after an append that was interrupted."""
        while self._ends and (self._ends[-2] if len(self._ends) > 1 else 0) >= count:
            self._ends.pop()
        del self._values[len(self._ends) :]
        if self._ends:
            self._ends[-1] = min(self._ends[-1], count)

    def finished(self) -> RunLengths[T]:
        """Return the sequence as it is, which cannot be changed."""
        found: RunLengths[T] = RunLengths()
        found._values, found._ends = tuple(self._values), tuple(self._ends)
        return found


def _text(value: object, repetitions: int) -> str:
    """Return a run of entries for people, whatever its length and that of its numbers."""
    long = isinstance(value, mpq) and (abs(value.numerator) + value.denominator).bit_length() > LONG
    text = short_text(value) if isinstance(value, mpq) and long else _repr(value)
    return f"{text} x {count_text(repetitions)}" if repetitions > 1 else text


def _repr(value: object) -> str:
    if isinstance(value, tuple) and all(isinstance(entry, Enclosure) for entry in value):
        return f"({', '.join(map(str, value))})"
    return str(value) if isinstance(value, Enclosure) else repr(value)


def _same(first: object, second: object) -> bool:
    """Whether two entries are the same: floats bit for bit, so that 0 is not -0 and NaN is NaN.

    Fractions are in lowest terms, so that their parts tell; gmpy2 would multiply them crosswise.
    """
    if type(first) is mpq and type(second) is mpq:
        return first.numerator == second.numerator and first.denominator == second.denominator
    if isinstance(first, tuple) and isinstance(second, tuple):
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(type(a) is type(b) and _same(a, b) for a, b in pairs)
    if isinstance(first, float) or isinstance(second, float):
        return repr(first) == repr(second)
    return first == second


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Decided, Tabular):
    """A finished, limited or interrupted run of a network on a word.

    Parameters
    ----------
    outcome : Outcome
        How it ended; `outcome.sentence` says it in words.
    steps : int or Tower
        Network steps taken, the word's and the EOS steps together. A number that is too long to be written out is a
        :class:`exactnn.Tower`, here and in what counts steps or cells: exact, but a sum of powers.
    eos_steps : int or Tower
        EOS steps taken: T of the theorem if the run was decided, the step that proved it if it never ends.
    initial_output : number or tuple
        Output of the initial state: the answer on the empty word, for protocols that give one.
    outputs : RunLengths
        The output after each step; entry t-1 is that of step t. With ``record="end"`` they begin with the last symbol.
    trace : Trace
        The recorded states.
    engine : str
        What ran.
    seconds : float
        Wall time; of a run that was resumed, of all its parts. Without that in which the final state is written out.
    cycle : Cycle or None
        Where the states repeat, if that proved that the run never ends.
    resumed_from : int or None
        The step at which it went on from a checkpoint file.
    digits : int or None
        How many digits of a real start state were read, None of a rational network. That digits end counts as one.
    bits : int or None
        How many bits the enclosures of this run have, None in any other arithmetic; CERTIFIED raised them until then.
    """

    network: Network | RealNetwork
    word: tuple[object, ...]
    arithmetic: Arithmetic | EnclosingArithmetic
    outcome: Outcome
    steps: int
    eos_steps: int
    _machine_steps: int | None = field(repr=False)
    initial_output: Output
    outputs: RunLengths[Output]
    trace: Trace
    _final_state: Later = field(repr=False)
    engine: str
    _certificate: str | None = field(repr=False)
    seconds: float
    cycle: Cycle | None = None
    resumed_from: int | None = None
    digits: int | None = None
    bits: int | None = None
    _decode: Callable[[Values], object] | None = field(default=None, repr=False, compare=False)

    @property
    def final_state(self) -> Values:
        """The numbers of the state at the end, as many as the network's state has; exact in exact arithmetic.

        Long ones are written out when they are asked for first.
        """
        return self._final_state()

    @property
    def machine_steps(self) -> int | None:
        """Moves of the simulated machine so far, where a construction says so.

        A rounding run may simulate no machine: there are none where the machine's state cannot be read back at the end.
        """
        moves = self._machine_steps
        if moves is None or not self.arithmetic.rounds or self._decode is None:
            return moves
        return moves if not moves or is_in_a_state(self.configuration) else None

    @property
    def configuration(self) -> object:
        """The machine's configuration at the end; raises OptionError where no construction says what numbers stand for.

        Of a rounded run, what cannot be read back is shown as "?".
        """
        if self._decode is None:
            raise OptionError(f"{self.network.name} was run as a mere network: give its construction, or the machine")
        return self._decode(self.final_state)

    @property
    def certificate(self) -> dict[str, Any] | None:
        """JSON data that prove the verdict and its step, where they were asked for; who changes them changes a copy."""
        if self._certificate is None:
            return None
        data: dict[str, Any] = json.loads(self._certificate)
        return data

    def __hash__(self) -> int:
        return hash((self.network.name, self.word, self.arithmetic, self.outcome, self.steps))

    @property
    def outside_at(self) -> int | None:
        """The step, from 1, whose input is beyond the network's input bounds and ended the run; None if none did."""
        return self.steps + 1 if self.outcome is Outcome.OUT_OF_DOMAIN else None

    def __repr__(self) -> str:
        ending = f"after {counted(self.steps, 'step')} ({count_text(self.eos_steps)} EOS)"
        if self.outside_at is not None:
            ending = f"at step {self.outside_at}"
        return f"<Run of {named(self.network.name)} in {self.arithmetic}: {self.outcome} {ending}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        fields: dict[str, object] = {
            "network": f"{self.network.name} ({counted(self.network.neurons, 'neuron')})",
            "arithmetic": f"{self.arithmetic} ({self.engine})",
            "outcome": f"{self.outcome}: {self.outcome.sentence}",
            "beyond the bounds": None if self.outside_at is None else f"at step {self.outside_at}",
            "steps": f"{count_text(self.steps)} network steps, {count_text(self.eos_steps)} of them EOS",
            "digits": None if self.digits is None else f"{count_text(self.digits)} of the real start state",
            "bits": None if self.bits is None else f"{count_text(self.bits)} of every bound of an enclosure",
            "cycle": None if self.cycle is None else str(self.cycle),
            "machine steps": None if self.machine_steps is None else count_text(self.machine_steps),
            "seconds": f"{self.seconds:.3g}",
        }
        return Table.of_fields("", fields)
