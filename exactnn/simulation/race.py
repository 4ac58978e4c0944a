"""Who takes the next plain steps of an exact run: whoever is fastest just now, which a trial of a few steps shows.

Nobody here takes a step or looks at a clock. Who takes the steps of a turn tells the race what they took, and asks
whose turn is next.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, Protocol

from gmpy2 import mpq

from exactnn.errors import SizeLimitError
from exactnn.networks import Input, Network
from exactnn.simulation.executor import Output, Segment, State

__all__ = [
    "ALL_RUNS",
    "TURN_SECONDS",
    "Contender",
    "Exact",
    "Guess",
    "Race",
    "Record",
    "Speed",
    "Step",
    "Turn",
    "bits_of",
]

PATIENCE = 50
"""A trial waits until this many times the time has passed that it is expected to take; twice that after one that was
lost, in this run or in another, and so on."""

MOST_LOSSES = 4
"""Lost trials of which that is so."""

CURIOSITY = 5
"""The same where one that was tried is expected to be the fastest now. The first trial, before which that is a guess,
waits longer, by as many times as the executor is expected to be slower."""

FASTER = 0.9
"""What part of the time of a step another executor must take for a change."""

CAUTION = 10
"""The first trial also waits for so many times what preparing it is guessed to take; twice that where layers are laid
out that promise nothing, and as many times more as the executor is expected to be slower."""

PROMISING_STEPS = 64
"""Steps after which what promises to take half the time, with what preparing it takes, is tried at once."""

SHORTEST_STEP = 1e-7
"""Seconds of a step at least, whatever a clock says."""

SHORTEST_WAIT = 0.001
"""Seconds until an executor is tried again whose numbers had no room."""


TRIAL_STEPS, TRIAL_SECONDS = 16, 0.0003
"""Steps by which another executor shows how fast it is, after one, two, four and eight more: the first ones are slower.
Fewer will do where they take so long, the first takes twice the time of the fastest, or others half of it more."""

LONG_TRIAL = 64
"""Steps of a trial, or a first turn, where a loop takes many in one call."""

TURN_SECONDS, GROWTH = 0.002, 4
"""How long one executor works between two decisions, at most, and how many times as many steps as in the last turn."""


Step = Callable[[State], tuple[State, Output]]


class Exact(Protocol):
    """An executor whose states can be made of exact values."""

    def state_of(self, values: Sequence[mpq]) -> State:
        """Return the state with these numbers."""

    def values(self, state: State) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""

    def alike(self, first: State, second: State) -> bool:
        """Whether two states are the same."""

    def advance(
        self, state: State, symbol: Input, count: int, *, until_decided: bool, anchor: State | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""

    def step_on(self, symbol: Input) -> Step:
        """Return what a step on this input does to a state, which also gives the output."""


class Guess(NamedTuple):
    """The seconds of a step, before one was seen: of each layer and each weight, and of a weight by the bits of the
    denominator and by their square.

    A product takes time that is linear in the bits, a gcd time that is quadratic.
    """

    of_layer: float
    of_weight: float
    of_bit: float
    of_square: float = 0.0

    def seconds(self, layers: int, weights: float, bits: int) -> float:
        """Return those of a step."""
        return layers * self.of_layer + weights * (self.of_weight + (self.of_bit + self.of_square * bits) * bits)


IN_LOWEST_TERMS, IN_DYADIC_ONES = Guess(4e-6, 1.5e-7, 2.2e-9, 3e-13), Guess(4e-6, 1.5e-7, 2.7e-10)
IN_INTEGERS, IN_MATRICES, IN_WORDS = Guess(5e-6, 6e-8, 1.6e-11), Guess(1.2e-5, 2e-8, 1e-11), Guess(2.5e-6, 5e-9, 0)
"""What steps should take, measured; in fractions over powers of two no gcd takes long."""


@dataclass(slots=True)
class Speed:
    """What all runs of a network know of an executor.

    A step takes `correction` times what is guessed, as it did when it was `tried`; `losses` are trials since it was the
    fastest. From the second `since` of the record on it waits for the next trial; that is yet to come where converting
    numbers for the last one has to pay first. `reading` are the seconds that it took to write out the numbers of its
    last state, where every state was read.
    """

    correction: float = 1.0
    tried: bool = False
    losses: int = 0
    since: float = 0.0
    reading: float = 0.0


@dataclass(slots=True)
class Record:
    """What all runs of a network know of their executors, by the form of their states, and the seconds of all steps.

    `steps` are those of runs of which not every state was asked for. The `leader` is who went first in the last race,
    by the form of its states, and `first` the seconds of a step before that.

    Machine words take part when `seconds` has come to `words_after`, unless that is None since they had no trial yet.
    It is 0 where they were the fastest in the last one, else twice the seconds at it.
    """

    seconds: float = 0.0
    steps: int = 0
    leader: type = tuple
    first: float = 0.0
    words_after: float | None = None
    speeds: dict[type, Speed] = field(default_factory=dict)

    @classmethod
    def of(cls, network: Network) -> "Record":
        """Return that of a network."""
        return network.laid_out.of(cls, None, cls)

    def took(self, seconds: float) -> None:
        """Take note of steps."""
        self.seconds += seconds
        ALL_RUNS.seconds += seconds


ALL_RUNS = Record()
"""The seconds of all networks' plain steps in this process; threads may lose some."""


@dataclass(slots=True)
class Contender:
    """An executor in one run, with what is known of its speed: a guess, and what steps of the network really took.

    It is made when it is needed. `preparing` is a guess of what the first step takes longer, where that is long.
    `at_once` says that it takes many steps in one call. There is no room for denominators beyond `most_bits`. `share`
    is the part of the weights whose registers are not 0, if the executor leaves out the others. `failures` are turns in
    which its numbers had no room: it is `barred` until that second of the record. `reads` says that the numbers of
    every state are written out. `steps` are those on the symbols that it has read, and on some vector under None: the
    first step on each lays out weights, and says nothing of how long later ones take.
    """

    record: Record
    network: Network
    reads: bool
    make: Callable[[], Exact]
    form: type
    by_guess: Guess
    preparing: float = 0.0
    at_once: bool = False
    most_bits: float = inf
    share: float = 1.0
    failures: int = 0
    barred: float = 0.0
    steps: dict[int | None, Step] = field(default_factory=dict)
    speed: Speed = field(init=False)
    _made: Exact | None = None

    def __post_init__(self) -> None:
        self.speed = self.record.speeds.setdefault(self.form, Speed())
        self.speed.since = min(self.speed.since, self.record.seconds)  # a new run converts other numbers

    @property
    def executor(self) -> Exact:
        """The executor; SizeLimitError is raised where it cannot hold the network, or there is no memory for it."""
        if self._made is None:
            try:
                self._made = self.make()
            except MemoryError as error:
                raise SizeLimitError("there is no memory for another executor of plain steps") from error
        return self._made

    def has_read(self, symbol: Input) -> bool:
        """Whether it has read a symbol, or some vector."""
        return (None if isinstance(symbol, tuple) else symbol) in self.steps

    def step_on(self, symbol: Input) -> Step | None:
        """Return the step on an input; None if it has not read it yet."""
        if isinstance(symbol, tuple):
            return self.executor.step_on(symbol) if None in self.steps else None
        return self.steps.get(symbol)

    def first_step_on(self, symbol: Input) -> Step:
        """Return the step on an input that it reads for the first time."""
        step = self.steps[None if isinstance(symbol, tuple) else symbol] = self.executor.step_on(symbol)
        return step

    @property
    def reading(self) -> float:
        """Seconds in which the numbers of a state are written out, if they are."""
        return self.speed.reading if self.reads else 0.0

    @property
    def waited(self) -> float:
        """Seconds of steps for which it has waited for a trial; below 0 where the last one has to pay first."""
        return self.record.seconds - self.speed.since

    def failed(self) -> None:
        """Take note that its numbers had no room: it waits, longer each time, in later runs as after a lost trial."""
        self.failures += 1
        self.speed.losses += 1
        self.speed.since = self.record.seconds
        self.barred = self.record.seconds + SHORTEST_WAIT * 2.0 ** min(self.failures, 30)

    def changed(self, converting: float) -> None:
        """Take note of a trial, or a change from it, and the seconds in which numbers were converted for that."""
        self.speed.since = self.record.seconds + PATIENCE * converting

    def guess(self, bits: int) -> float:
        """Return the seconds that a step should take, before it was seen."""
        circuit = self.network.circuit
        return self.by_guess.seconds(len(circuit.layers) + 1, max(1, circuit.weights) * self.share, bits)

    def expected(self, bits: int) -> float:
        """Return the seconds that a step should take, and the reading of its state if that is part of it."""
        return self.guess(bits) * self.speed.correction + self.reading

    def is_due(self, best: "Contender", bits: int) -> bool:
        """Whether it is to be tried now, while another one is the fastest, on denominators of so many bits."""
        if bits > self.most_bits or self.record.seconds < self.barred:
            return False
        expected, rival = self.expected(bits), best.expected(bits)
        losses = min(self.speed.losses, MOST_LOSSES)
        if self.speed.tried:
            patience = CURIOSITY if expected < FASTER * rival else PATIENCE
            return self.waited > (patience << losses) * expected
        promises = 2 * (expected + self.preparing / PROMISING_STEPS) < rival and not losses
        most = min(PATIENCE, CURIOSITY * best.speed.correction * max(1.0, expected / rival))
        caution = CAUTION if expected < rival or self.at_once else 2 * CAUTION * expected / rival
        return promises or self.waited > (most * expected + caution * self.preparing) * (1 << losses)

    def saw(self, seconds: float, bits: int) -> None:
        """Take note of a step; a single slow turn, as where memory is collected, says little."""
        correction = max(seconds, SHORTEST_STEP) / self.guess(bits)
        speed = self.speed
        speed.correction = min(correction, 2 * speed.correction) if speed.tried else correction
        speed.tried = True


@dataclass(slots=True)
class Turn:
    """Steps that one contender takes before the next decision.

    `steps` are those that took `seconds`, without the first one on each input, and without `converting` numbers.
    """

    contender: Contender
    form: type
    left: int
    seconds: float = 0.0
    converting: float = 0.0
    steps: int = 0

    @classmethod
    def of(cls, contender: Contender, steps: int) -> "Turn":
        """Return the turn in which a contender takes so many steps."""
        return cls(contender, contender.form, steps)

    @property
    def is_over(self) -> bool:
        """Whether all steps are taken, or the time is over."""
        return self.left <= 0 or self.seconds > TURN_SECONDS


class Race:
    """Contenders for the plain steps of a run, and whose turn it is.

    Those whose numbers have no room give way, at last to the one whose states are tuples, in lowest terms.

    Parameters
    ----------
    record : Record
    contenders : dict of Contender
        By the form of their states. More may be added later.
    bits : int
        Those of the longest denominator of the state from which they begin.
    taken : int
        Steps that one of them took before, if its speed is known from these: then it has had its first turn.
    """

    def __init__(self, record: Record, contenders: dict[type, Contender], bits: int, taken: int = 0) -> None:
        self.record, self.contenders = record, contenders
        ready = [it for it in contenders.values() if it.speed.tried or not it.preparing]
        self.best = min(ready, key=lambda it: it.expected(bits))
        self.best.speed.losses, record.leader = 0, self.best.form
        self.turn = Turn.of(self.best, LONG_TRIAL if self.best.at_once else 1)
        if taken and self.best.form is tuple:
            self.turn.steps = taken
            self.go_on(bits)

    def give_way(self, contender: Contender) -> None:
        """Let another one go on, since its numbers had no room: the fastest one, if it had room so far."""
        contender.failed()
        if self.best.failures:
            others = [it for it in self.contenders.values() if it.speed.tried and not it.failures]
            self.best = min(others, key=lambda it: it.expected(0), default=self.contenders[tuple])
        self.turn = Turn.of(self.best, 1)

    def judge(self, bits: int) -> bool:
        """Say who is fastest, after a turn that led to denominators of so many bits; return false if it goes on."""
        turn, best = self.turn, self.best
        if not turn.steps:  # nobody asked for one
            return False
        contender, seconds = turn.contender, turn.seconds / turn.steps
        if contender is not best:
            with_reading = seconds + contender.reading
            first = turn.steps == 1
            more = turn.steps < TRIAL_STEPS and (first or turn.seconds < TRIAL_SECONDS)
            if more and with_reading < best.expected(bits) * (2 if first else 1.5):
                contender.saw(seconds, bits)  # the run may end before the trial does
                turn.left, turn.seconds, turn.steps = 2 * turn.steps, 0.0, 0
                return False
            contender.changed(turn.converting)
            if with_reading < FASTER * best.expected(bits):
                best.changed(turn.converting)
                self.best, contender.speed.losses = contender, 0
        faster = seconds + contender.reading < contender.expected(bits)
        if turn.steps >= TRIAL_STEPS or turn.seconds > TRIAL_SECONDS or faster or not contender.speed.tried:
            contender.saw(seconds, bits)  # else these may be first steps
        self.record.seconds += turn.converting + turn.steps * contender.reading
        return True

    def go_on(self, bits: int) -> None:
        """Say whose turn is next: that of one who is due for a trial, or else the fastest."""
        best = self.best
        due = [it for it in self.contenders.values() if it is not best and it.is_due(best, bits)]
        if due:
            contender = min(due, key=lambda it: it.expected(bits))
            contender.speed.since = self.record.seconds
            contender.speed.losses += 1  # unless it wins
            self.turn = Turn.of(contender, LONG_TRIAL if contender.at_once else 1)
        else:
            most = int(TURN_SECONDS / max(best.expected(bits), SHORTEST_STEP))
            self.turn = Turn.of(best, max(1, min(most, GROWTH * self.turn.steps)))


def bits_of(state: State) -> int:
    """Return the length of the longest denominator of a state of any of them."""
    if type(state) is not tuple:  # numbers over one denominator
        return int(state.denominator.bit_length())
    return max((value.denominator.bit_length() for value in state), default=0)
