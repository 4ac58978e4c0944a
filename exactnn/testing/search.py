"""The search for a smallest machine and a shortest word on which a construction or a format is wrong.

Machines are searched from the smallest on, and words of a given machine in the order of their length; longer words are
found by Hypothesis, which is steered towards runs whose exact numbers need many bits, and shrinks what it finds.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, product
from random import Random
from typing import TypeVar

from hypothesis import HealthCheck, Phase, find, settings, target
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample, Unsatisfiable

from exactnn.automata import Machine, MachineRun, TuringMachine, ValuedMachine
from exactnn.errors import ExactnnError, OptionError
from exactnn.machine_files import load
from exactnn.options import callback, whole_number
from exactnn.options import seconds as time_of
from exactnn.outcome import Outcome
from exactnn.precision import required_bits
from exactnn.simulation import Run
from exactnn.strategies import machines_of_kind, words
from exactnn.testing.compiler import Compiled, Compiler, compiler_of
from exactnn.testing.disagreement import Disagreement, Rules, compare

__all__ = ["Fuzzing", "fuzz"]

_Drawn = TypeVar("_Drawn")

SIZES: tuple[tuple[int, int, int], ...] = ((1, 1, 3), (2, 1, 3), (2, 2, 3), (3, 2, 3), (4, 3, 3), (2, 2, 12))
"""(states that do not halt, symbols beside the blank, symbols of a word), one search for each, in this order."""

LARGER: tuple[tuple[int, int, int], ...] = ((8, 2, 3), (16, 2, 3))
"""What comes after them, one more in each further round, where nothing was found."""

FIRST_ROUND = 150
"""Machines of one size in the first round; every further one has twice as many."""

EXHAUSTIVE_SHARE = 0.4
"""Part of the time in which the words of a given machine are gone through by length."""


HELD = 1.0
"""Seconds from which a comparison that Ctrl-C ended is told."""


class _EndError(BaseException):
    """The time is up; no Exception, so that Hypothesis does not take it for a failed test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzing:
    """What a search has found.

    Parameters
    ----------
    found : Disagreement or None
        The smallest machine, and the shortest word on it, that were met.
    tried : int
        Pairs of a machine and a word that were compared.
    refused : int
        Machines that the construction does not compile, or the arithmetic does not run.
    agree_up_to : int or None
        On a given machine, all words of up to so many symbols agree; None if not even the empty one was compared, or
        no machine was given.
    interrupted : bool
        Whether Ctrl-C ended it.
    seconds : float
    held_by : (Machine, tuple of str), optional
        The machine and the word that were being compared when Ctrl-C came, if that took more than a second: a
        construction may never come back.
    """

    found: Disagreement | None
    tried: int
    refused: int
    agree_up_to: int | None
    interrupted: bool
    seconds: float
    held_by: tuple[Machine, tuple[str, ...]] | None = None

    @property
    def is_shortest(self) -> bool:
        """Whether every shorter word of the given machine was compared, and agrees."""
        return self.found is not None and self.agree_up_to == len(self.found.word) - 1


def fuzz(
    compiler: Compiler | str | Callable[..., object],
    machine: Machine | str | None = None,
    *,
    kind: type | None = None,
    rules: Rules | None = None,
    seconds: float = 60,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Fuzzing:
    """Search for a machine and a word on which a compiled network does not do what its machine does.

    Parameters
    ----------
    compiler : Compiler, str or callable
        As of :func:`exactnn.testing.compiler`, a name that it takes, or a function from machines to networks.
    machine : Machine or name of a machine, optional
        Only this one; then words are searched.
    kind : type, optional
        The machines to draw, where the compiler does not say.
    rules : Rules, optional
        The arithmetic, and what is compared.
    seconds : float
        Time for the search; it ends before if something is found.
    seed : int
        The same seed draws the same machines, as far as the time goes.
    progress : callable, optional
        Called now and then with the number of comparisons and that of rounds.

    Raises
    ------
    OptionError
        If `compiler` is none, `seconds` no positive number or `seed` no whole one, or there is no strategy for the
        machines.
    ExactnnError
        What the compiler raised, if it refuses every machine.

    Examples
    --------
    The construction of a textbook, as printed, and its smallest machine that is simulated wrongly:

    >>> from exactnn.testing import compiler
    >>> wrong = fuzz(compiler("literal_book"), seconds=60).found
    >>> len(wrong.machine.transitions), len(wrong.machine.tape_symbols), wrong.word
    (1, 2, ())
    """
    callback("progress", progress)
    whole_number("seed", seed, None)
    most = time_of("seconds", seconds, positive=True)
    search = _Search(compiler_of(compiler), Rules() if rules is None else rules, most, seed, progress)
    interrupted = False
    try:
        if machine is None:
            search.machines(kind or search.compiler.kind)
        else:
            search.words_of(load(machine))
    except _EndError:
        pass
    except KeyboardInterrupt:
        interrupted = True
    if search.refusal is not None and not search.tried:
        raise search.refusal
    return search.result(interrupted)


class _Search:
    """What was compared so far, and the best of it."""

    def __init__(
        self,
        compiler: Compiler,
        rules: Rules,
        seconds: float,
        seed: int,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self.compiler, self.rules, self.seed, self.progress = compiler, rules, seed, progress
        self.began = time.monotonic()
        self.seconds = self.until = seconds
        self.tried = self.refused = self.round = 0
        self.best: Disagreement | None = None
        self.agree_up_to: int | None = None
        self.refusal: ExactnnError | None = None
        self.compared: tuple[Machine, tuple[str, ...]] | None = None  # just now
        self.since = 0.0

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def result(self, interrupted: bool) -> Fuzzing:
        return Fuzzing(
            found=self.best,
            tried=self.tried,
            refused=self.refused,
            agree_up_to=None if self.agree_up_to == -1 and self.best is None else self.agree_up_to,
            interrupted=interrupted,
            seconds=self.elapsed,
            held_by=self.compared if interrupted and self.elapsed > self.since + HELD else None,
        )

    def disagrees(self, machine: Machine, word: Sequence[str], *, steer: bool = False) -> bool:
        """Compare a machine on a word, and keep what is smaller than all before."""
        if self.elapsed > self.until:
            raise _EndError
        self.compared, self.since = (machine, tuple(word)), self.elapsed
        try:
            found = compare(self.compiler, *self.compared, self.rules, seen=_steer if steer else None)
        except ExactnnError as error:
            self.refused += 1
            self.refusal = error
            return False
        self.tried += 1
        if self.progress is not None and not self.tried % 10:
            self.progress(self.tried, self.round)
        if found is None:
            return False
        if self.best is None or _size(found) <= _size(self.best):
            self.best = found
        return True

    def machines(self, kind: type | None) -> None:
        """Draw machines from the smallest size on, in rounds of more and more, until one is wrong."""
        if kind is None:
            raise OptionError(
                f"{self.compiler.name} does not say which machines it compiles: annotate its parameter with their "
                "class, or give a machine"
            )
        sizes = SIZES
        for self.round in count():
            if self.best is None:
                sizes = SIZES + LARGER[: self.round]
            for i, (states, symbols, longest) in enumerate(sizes):
                longest += longest // 3 * self.round
                pair = _pairs(kind, states, symbols, longest, self.round > 0)
                if self.find(pair, lambda pair: self.disagrees(*pair, steer=True), FIRST_ROUND << self.round):
                    if self.until == self.seconds:  # the first: what is smaller may take as long again
                        self.until = min(self.seconds, 2 * self.elapsed)
                    sizes = sizes[:i]
                    break
            if not sizes:
                return

    def words_of(self, machine: Machine) -> None:
        """Go through the words of a machine by length, draw longer ones, and see whether a shorter one is wrong too."""
        try:
            compiled = self.compiler.compiled(machine)  # once: that it refuses is the answer
        except ExactnnError:
            raise
        except Exception:  # any other error is what was searched for
            if self.disagrees(machine, ()):
                self.agree_up_to = -1
                return
            raise
        self.compiler = replace(self.compiler, function=lambda _: compiled)
        by_length = _by_length(machine.input_symbols)
        for word in by_length:
            self.agree_to(len(word) - 1)
            if self.disagrees(machine, word):
                return
            if self.elapsed > EXHAUSTIVE_SHARE * self.seconds:
                break
        else:
            self.agree_to(0)  # there is no word but the empty one
            return
        for self.round in count():
            drawn = _long_words(machine.input_symbols, 8 << self.round)
            if self.find(drawn, lambda word: self.disagrees(machine, word, steer=True), 4 * FIRST_ROUND):
                break
        assert self.best is not None
        for word in by_length:
            self.agree_to(len(word) - 1)
            if len(word) >= len(self.best.word) or self.disagrees(machine, word):
                return

    def agree_to(self, size: int) -> None:
        """Note that all words of up to `size` symbols agree, unless one of them was refused."""
        if not self.refused:
            self.agree_up_to = size

    def find(self, strategy: st.SearchStrategy[_Drawn], condition: Callable[[_Drawn], bool], examples: int) -> bool:
        """Whether Hypothesis finds and shrinks a value that meets the condition."""
        options = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.target, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        with suppress(NoSuchExample, Unsatisfiable):
            find(strategy, condition, settings=options, random=Random(f"{self.seed} {self.round} {examples}"))
            return True
        return False


def _steer(compiled: Compiled, direct: MachineRun, result: Run) -> None:
    """Tell Hypothesis how long a run that halts is, and how many bits its exact numbers need."""
    if direct.outcome is Outcome.STEP_LIMIT:
        return
    target(float(direct.steps), label="moves")
    with suppress(ExactnnError):
        exact = result.arithmetic.is_exact
        bits = required_bits(result) if exact else required_bits(compiled, result.word, max_steps=result.steps)
        target(float(max(bits.rational)), label="required bits")


def _size(found: Disagreement) -> tuple[int, ...]:
    """Return what makes a disagreement small: few states, symbols and stacks, a short word, few moves."""
    machine = found.machine
    symbols = getattr(machine, "tape_symbols", getattr(machine, "stack_symbols", machine.input_symbols))
    stores = getattr(machine, "stacks", getattr(machine, "counters", 0))
    states = len(machine.states if isinstance(machine, ValuedMachine) else machine.transitions)
    return states, len(symbols), stores, len(found.word), found.moves


@st.composite
def _pairs(
    draw: st.DrawFn, kind: type, max_states: int, max_symbols: int, max_size: int, shuffled: bool
) -> tuple[Machine, tuple[str, ...]]:
    """Machines with words; with names in their own order first, in which Hypothesis shrinks best."""
    blank = int(kind is TuringMachine)
    machine = draw(machines_of_kind(kind, max_states=max_states, max_symbols=max_symbols + blank, shuffled=shuffled))
    return machine, draw(words(machine.input_symbols, max_size=max_size))


def _by_length(alphabet: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield all words by length, those of one length in the order of the alphabet; the empty one only without one."""
    for size in count() if alphabet else range(1):
        yield from product(alphabet, repeat=size)


def _long_words(alphabet: Sequence[str], max_size: int) -> st.SearchStrategy[tuple[str, ...]]:
    """Words of any kind, and of a few runs of the same symbol, as many languages have them."""
    symbol = st.sampled_from(tuple(alphabet))
    run = st.builds(lambda a, times: (a,) * times, symbol, st.integers(1, max_size))
    runs = st.lists(run, max_size=4).map(lambda parts: tuple(a for part in parts for a in part)[: 4 * max_size])
    return st.one_of(words(alphabet, max_size=max_size), runs)
