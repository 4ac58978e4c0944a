"""One machine on one word, by its definition and through a network: whether they end alike, and where not."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from gmpy2 import mpq

from exactnn.arithmetic import EXACT, Arithmetic, arithmetic_of, counted
from exactnn.automata import Machine, MachineRun, TapeConfiguration, as_word, configurations, interpret
from exactnn.constructions import Configuration, Construction
from exactnn.errors import ConstructionError, ExactnnError, TimeLimitError, shown
from exactnn.options import choice, time_limit, whole_number
from exactnn.outcome import Outcome
from exactnn.simulation import Run, Values, whole_run
from exactnn.testing.compiler import Compiled, Compiler

__all__ = ["BY", "MAX_MOVES", "SLOWDOWN", "By", "Difference", "Disagreement", "Rules", "compare"]

By = Literal["outcome", "configuration"]
BY: tuple[By, ...] = ("outcome", "configuration")

MAX_MOVES = 100
"""Moves of a machine, after which it counts as one that has not halted yet."""

SLOWDOWN = 16
"""Network steps that a move may take in a network of which that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When a network and a machine agree on a word.

    Parameters
    ----------
    arithmetic : Arithmetic
        In which the network runs.
    by : "outcome" or "configuration"
        What is compared: how the run ends, and when, which of a network that is no construction is only not too early;
        or besides, after every move, the decoded configuration.
    max_moves : int
        A machine that has not halted by then must not have been decided by the network either.
    slowdown : int
        Of a network that is no construction: the most steps that it may take for a move, or a symbol of the word. It
        takes one at least.
    """

    arithmetic: Arithmetic = EXACT
    by: By = "outcome"
    max_moves: int = MAX_MOVES
    slowdown: int = SLOWDOWN

    def __post_init__(self) -> None:
        choice("by", self.by, BY)
        object.__setattr__(self, "arithmetic", arithmetic_of(self.arithmetic))
        for name in ("max_moves", "slowdown"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first move after which a network's state does not stand for the machine's configuration."""

    move: int
    machine: Configuration
    network: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A machine and a word on which a network does not do what the machine does.

    Parameters
    ----------
    machine : Machine
    word : tuple of str
    construction : str
        Its name, or ``module:function``.
    rules : Rules
    expected : Outcome
        How the machine ends, by its definition; "step limit" if it has not halted after `max_moves` moves.
    moves : int
        Of the machine.
    found : str
        How the network's run ends, or what its construction raised.
    steps : int
        Of the network.
    difference : Difference or None
        Where the configurations begin to differ, of a construction that can decode them.
    value : mpq or None
        Of the word, if the machine is a weighted automaton, with or without a stack.
    """

    machine: Machine
    word: tuple[str, ...]
    construction: str
    rules: Rules
    expected: Outcome
    moves: int
    found: str
    steps: int
    difference: Difference | None = None
    value: mpq | None = None


Seen = Callable[[Compiled, MachineRun, Run], object]
"""What is told of a pair that agrees: the network, the run of the machine and that of the network."""


def compare(
    compiler: Compiler,
    machine: Machine,
    word: str | Sequence[str],
    rules: Rules | None = None,
    *,
    seen: Seen | None = None,
    max_seconds: float | None = None,
) -> Disagreement | None:
    """Return how a compiled network and its machine disagree on a word, or None if they agree.

    Whatever the compiler raises that is no error of exactnn is a disagreement too, and so is a state that cannot be
    decoded. Where both agree, `seen` is called.

    Raises
    ------
    ExactnnError
        If the compiler refuses the machine, the arithmetic the network, or the machine the word.
    TimeLimitError
        If `max_seconds` are over before there is a result.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.testing.compiler import compiler
    >>> compare(compiler("siegelmann_sontag"), load("anbn"), "aabb") is None
    True
    >>> book = compare(compiler("literal_book"), load("anbn"), "ab")
    >>> book.expected.value, book.found
    ('accepted', 'rejected')
    """
    rules = Rules() if rules is None else rules
    read, clock = as_word(word, machine.input_symbols), _Clock(max_seconds)
    direct = interpret(machine, read, max_steps=rules.max_moves, max_seconds=clock.left)
    if direct.outcome is Outcome.TIME_LIMIT:
        raise TimeLimitError(f"the machine was stopped after {counted(direct.steps, 'move')}: the time was over")
    difference = None
    try:
        compiled = compiler.compiled(machine)
        result = _run(compiled, read, direct, rules, clock, record="outputs" if seen is None else "all")
        timing = _timing(compiled, read, direct, result)
        alike = _ends_alike(direct, result) and not timing
        if isinstance(compiled, Construction) and (rules.by == "configuration" or not alike):
            recorded = _run(compiled, read, direct, rules, clock, record="all")
            difference = _difference(compiled, machine, recorded, direct, clock)
    except ExactnnError:
        raise
    except Exception as error:  # of somebody's own construction: its fault, and worth a counterexample
        found, steps = f"raised {type(error).__name__}: {shown(str(error))}", 0
    else:
        if alike and difference is None:
            if seen is not None:
                seen(compiled, direct, result)
            return None
        value = "" if direct.value is None else f", value {_last_output(result)}"
        found, steps = f"{result.outcome}{value}{timing}", result.steps
    return Disagreement(
        machine=machine,
        word=read,
        construction=compiler.name,
        rules=rules,
        expected=direct.outcome,
        moves=direct.steps,
        value=direct.value,
        found=found,
        steps=steps,
        difference=difference,
    )


class _Clock:
    """How much of a time is left."""

    def __init__(self, seconds: float | None) -> None:
        self._end = time.monotonic() + time_limit(seconds)

    @property
    def left(self) -> float:
        """Seconds, infinity if there is no end."""
        return max(0.0, self._end - time.monotonic())


def _run(
    compiled: Compiled, word: tuple[str, ...], direct: MachineRun, rules: Rules, clock: _Clock, *, record: str
) -> Run:
    """Run the network for as long as it may take for the moves of the machine."""
    halted = direct.outcome is not Outcome.STEP_LIMIT
    if isinstance(compiled, Construction):
        limit = compiled.verdict_steps(len(word), direct.steps + halted)  # a move more tells late from never
    elif halted:
        limit = rules.slowdown * (len(word) + direct.steps + 2)
    else:
        limit = len(word) + direct.steps
    return whole_run(
        compiled, word, arithmetic=rules.arithmetic, max_steps=limit, max_seconds=clock.left, record=record
    )


def _timing(compiled: Compiled, word: tuple[str, ...], direct: MachineRun, result: Run) -> str:
    """Return " too early" or " too late" if the network says how the machine ends, but not when it should.

    A network that is no construction must not say it before the machine has moved so far: it cannot know.
    """
    if result.outcome is not direct.outcome or direct.outcome is Outcome.STEP_LIMIT:
        return ""
    if not isinstance(compiled, Construction):
        return " too early" * (result.steps < direct.steps)
    steps = compiled.verdict_steps(len(word), direct.steps)
    return " too early" * (result.steps < steps) + " too late" * (result.steps > steps)


def _ends_alike(direct: MachineRun, result: Run) -> bool:
    if direct.outcome is Outcome.STEP_LIMIT:
        return result.outcome not in (Outcome.ACCEPTED, Outcome.REJECTED, Outcome.HALTED)
    if result.outcome is not direct.outcome:
        return False
    return direct.value is None or _last_output(result) in (direct.value, None)


def _last_output(result: Run) -> object:
    """Return the output after the word, None if it is not one number."""
    output = result.outputs[-1] if len(result.outputs) else result.initial_output
    return None if isinstance(output, tuple) else output


def _difference(
    construction: Construction, machine: Machine, result: Run, direct: MachineRun, clock: _Clock
) -> Difference | None:
    """Return the first move after which a recorded state does not stand for the machine's configuration.

    A run that has ended before stays in its last state. Where the construction is of a machine of another kind, which
    simulates the one that was given, the configurations are that machine's.
    """
    of = machine if type(machine) is type(construction.machine) else construction.machine
    word = tuple(map(str, result.word))
    first, pace = construction.set_up_steps(len(word)), construction.steps_per_move
    exact = result.arithmetic.is_exact
    path = islice(configurations(of, word), direct.steps + 1)
    for move, configuration in enumerate(path):
        if not clock.left:
            raise TimeLimitError(f"the configurations were compared up to move {move}: the time was over")
        step = first + pace * move
        if step > result.steps and result.outcome is Outcome.NON_HALTING:
            break  # what follows was there before
        step = min(step, result.steps)
        decoded = _decoded(construction, result.trace[step], None if exact else _reach(configuration) + 1)
        if decoded != configuration:
            return Difference(move=move, machine=configuration, network=decoded)
    return None


def _decoded(construction: Construction, state: Values, cells: int | None) -> object:
    """Return what a state stands for; that it cannot be read is a difference too, and no refusal."""
    try:
        return construction.decode(state, cells=cells)
    except ConstructionError as error:
        return f"not decoded: {error}"


def _reach(configuration: object) -> int:
    if isinstance(configuration, TapeConfiguration):
        return max(len(configuration.left), len(configuration.right))
    return max(map(len, getattr(configuration, "stacks", ())), default=0)
