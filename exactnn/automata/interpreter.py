"""The direct interpreter of all machines, step by step."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from math import inf
from typing import assert_never

from gmpy2 import mpq

from exactnn.automata.alphabet import Symbol, Word, as_word
from exactnn.automata.configuration import (
    CounterConfiguration,
    StackConfiguration,
    TapeConfiguration,
    tape_configuration,
)
from exactnn.automata.counter_machine import CounterMachine, counter_mask
from exactnn.automata.dfa import DFA, MooreMachine, Output
from exactnn.automata.machine import Machine, Transducer, ValuedMachine, machine_of
from exactnn.automata.mealy_machine import MealyMachine
from exactnn.automata.multi_tape_turing_machine import MultiTapeConfiguration, MultiTapeTuringMachine, Tape
from exactnn.automata.nondeterministic_stack import NondeterministicStack
from exactnn.automata.stack_machine import EMPTY, KEEP, POP, StackMachine
from exactnn.automata.transitions import State
from exactnn.automata.turing_machine import TuringMachine
from exactnn.automata.validation import HaltingMachine
from exactnn.automata.weighted_automaton import WeightedAutomaton
from exactnn.automata.weighted_pushdown_automaton import WeightedPushdownAutomaton
from exactnn.errors import MachineError, shown
from exactnn.linear_algebra import Vector, dot
from exactnn.options import step_limit, time_limit
from exactnn.outcome import Decided, Outcome

__all__ = [
    "Configuration",
    "Counts",
    "MachineRun",
    "configurations",
    "counts_after",
    "counts_outcome",
    "interpret",
]


Configuration = (
    TapeConfiguration
    | MultiTapeConfiguration
    | StackConfiguration
    | CounterConfiguration
    | NondeterministicStack
    | Vector
    | State
)
"""What a machine is in between two moves: of a DFA a state, of weighted automata the weights of states or runs."""

MOVES = 10_000
"""Moves between two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineRun(Decided):
    """What a direct run of a machine gave: the outcome, the number of moves, the last configuration.

    It is true if the word was accepted and false if it was rejected, as a run of a network is.
    Of a weighted automaton there is the `value` of the word, of a weighted pushdown automaton its weight, of a Moore or
    a Mealy machine the `output` after the last symbol: None of a Mealy machine on the empty word.
    """

    outcome: Outcome
    steps: int
    configuration: Configuration
    value: mpq | None = None
    output: Output | None = None


def interpret(
    machine: Machine | str,
    word: str | Sequence[Symbol] = "",
    *,
    max_steps: int | None = None,
    max_seconds: float | None = None,
) -> MachineRun:
    """Run `machine` on `word` by its definition.

    Parameters
    ----------
    machine : Machine, or what :func:`exactnn.load` makes one of
    word : str or sequence of str
    max_steps : int, optional
        Stop after this many moves; without it a machine that does not halt runs for ever.
    max_seconds : float, optional
        Stop after this time, with the outcome "time limit".

    Raises
    ------
    WordError
        If the word has a symbol outside the input alphabet.
    OptionError
        If `max_steps` or `max_seconds` is negative.

    Examples
    --------
    >>> from exactnn.automata import TuringMachine
    >>> beaver = TuringMachine(states="ABH", input_symbols=(), tape_symbols="01",
    ...     transitions={"A": {"0": ("B", "1", "R"), "1": ("B", "1", "L")},
    ...                  "B": {"0": ("A", "1", "L"), "1": ("H", "1", "R")}},
    ...     initial_state="A", blank_symbol="0", halt_state="H", tape="two_way_infinite")
    >>> run = interpret(beaver)
    >>> run.outcome.value, run.steps, str(run.configuration)
    ('halted', 6, 'H: 1 1 [1] 1')
    >>> [word for word in ("ab", "abba") if interpret("palindrome", word)]
    ['abba']
    """
    machine = _checked(machine)
    read, limit = as_word(word, machine.input_symbols), step_limit(max_steps)
    end = time.monotonic() + time_limit(max_seconds)
    if isinstance(machine, DFA | MooreMachine | MealyMachine):
        return _run_automaton(machine, read, limit)
    if isinstance(machine, CounterMachine):
        return _run_counters(machine, read, limit)
    if isinstance(machine, WeightedAutomaton):
        return _run_weighted(machine, read, limit)
    if isinstance(machine, WeightedPushdownAutomaton):
        return _run_pushdown(machine, read, limit, end)
    return _run(_control(machine, read), limit, end)


def configurations(machine: Machine | str, word: str | Sequence[Symbol] = "") -> Iterator[Configuration]:
    """Yield the configurations of `machine`, or of one by its name, on `word`, the initial one first, until it halts.

    Those of a DFA, which are states, of a counter machine, and of weighted automata, which are the weights of their
    states, or of all runs with a stack: one before each symbol and one after the last.
    """
    machine = _checked(machine)
    read = as_word(word, machine.input_symbols)
    if isinstance(machine, DFA | MooreMachine | MealyMachine):
        return _states(machine, read)
    if isinstance(machine, CounterMachine):
        return _path_of_counters(machine, read)
    if isinstance(machine, ValuedMachine):
        return machine.path(read)
    return _path(_control(machine, read))


def _checked(machine: object) -> Machine:
    """Return the machine, or that of a name."""
    machine = machine_of(machine)
    if not isinstance(machine, Machine):
        kind = type(machine).__name__
        remedy = "give a DFA, a MooreMachine, a MealyMachine, a CounterMachine, "
        remedy += "a StackMachine, a TuringMachine, a MultiTapeTuringMachine, "
        remedy += "a WeightedAutomaton or a WeightedPushdownAutomaton"
        raise MachineError(shown(machine), [f"no interpreter for {kind}: {remedy}"])
    return machine


def _states(machine: DFA | Transducer, word: Word) -> Iterator[State]:
    state = machine.initial_state
    yield state
    for symbol in word:
        state = machine.transitions[state][symbol]
        yield state


def _moves(word: Word, max_steps: int | None) -> int:
    """Return how many moves there are of a machine that makes one for each symbol."""
    return len(word) if max_steps is None else min(len(word), max_steps)


def _run_automaton(machine: DFA | Transducer, word: Word, max_steps: int | None) -> MachineRun:
    states = list(islice(_states(machine, word), _moves(word, max_steps) + 1))
    moves, last = len(states) - 1, states[-1]
    output: Output | None = None
    match machine:
        case DFA():
            outcome = Outcome.ACCEPTED if last in machine.final_states else Outcome.REJECTED
        case MooreMachine():
            outcome, output = Outcome.COMPLETED, machine.outputs[last]
        case MealyMachine():
            outcome = Outcome.COMPLETED
            output = machine.outputs[states[-2]][word[moves - 1]] if moves else None
        case _:
            assert_never(machine)
    if moves < len(word):
        outcome = Outcome.STEP_LIMIT
    return MachineRun(outcome=outcome, steps=moves, configuration=last, output=output)


Counts = tuple[State, tuple[int, ...]]
"""A state and the counters: what a counter machine is in between two moves."""


def counts_after(machine: CounterMachine, before: Counts, symbol: Symbol) -> Counts:
    """Return what a counter machine is in after it has read a symbol.

    >>> from exactnn.machine_files import load
    >>> counts_after(load("anbn-counter"), ("as", (2,)), "b")
    ('bs', (1,))
    """
    state, counters = before
    state, updates = machine.transitions[state][symbol][counter_mask(counters)]
    changes = zip(counters, updates, strict=True)
    return state, tuple(0 if isinstance(update, str) else value + update for value, update in changes)


def counts_outcome(machine: CounterMachine, counts: Counts) -> Outcome:
    """Return whether a counter machine accepts where its word ends."""
    state, counters = counts
    return Outcome.ACCEPTED if (state, counter_mask(counters)) in machine.acceptance else Outcome.REJECTED


def _path_of_counters(machine: CounterMachine, word: Word) -> Iterator[CounterConfiguration]:
    for state, counters in _counts_along(machine, word):
        yield CounterConfiguration(state=state, counters=counters)


def _counts_along(machine: CounterMachine, word: Word) -> Iterator[Counts]:
    return accumulate(word, partial(counts_after, machine), initial=(machine.initial_state, (0,) * machine.counters))


def _run_counters(machine: CounterMachine, word: Word, max_steps: int | None) -> MachineRun:
    *before, last = islice(_counts_along(machine, word), _moves(word, max_steps) + 1)
    outcome = Outcome.STEP_LIMIT if len(before) < len(word) else counts_outcome(machine, last)
    configuration = CounterConfiguration(state=last[0], counters=last[1])
    return MachineRun(outcome=outcome, steps=len(before), configuration=configuration)


def _run_weighted(machine: WeightedAutomaton, word: Word, max_steps: int | None) -> MachineRun:
    *before, last = islice(machine.path(word), _moves(word, max_steps) + 1)
    if len(before) < len(word):
        return MachineRun(outcome=Outcome.STEP_LIMIT, steps=len(before), configuration=last)
    value = dot(last, machine.final)
    return MachineRun(outcome=Outcome.COMPLETED, steps=len(before), configuration=last, value=value)


def _run_pushdown(machine: WeightedPushdownAutomaton, word: Word, max_steps: int | None, end: float) -> MachineRun:
    steps, last = 0, machine.stack()
    for steps, last in enumerate(islice(machine.path(word), _moves(word, max_steps) + 1)):
        if steps < len(word) and time.monotonic() >= end:
            return MachineRun(outcome=Outcome.TIME_LIMIT, steps=steps, configuration=last)
    if steps < len(word):
        return MachineRun(outcome=Outcome.STEP_LIMIT, steps=steps, configuration=last)
    value = mpq(machine.final_weight(last))
    return MachineRun(outcome=Outcome.COMPLETED, steps=steps, configuration=last, value=value)


class _Head:
    """A tape as two stacks around the scanned symbol, with the machine's state; O(1) a move."""

    __slots__ = ("left", "machine", "right", "scanned", "state")

    def __init__(self, machine: TuringMachine, word: Word) -> None:
        self.machine = machine
        self.state = machine.initial_state
        self.left: list[Symbol] = []  # nearest cell last
        self.scanned = word[0] if word else machine.blank_symbol
        self.right = list(reversed(word[1:]))  # nearest cell last

    def move(self) -> None:
        """Apply the rule for the scanned symbol."""
        machine = self.machine
        self.state, written, direction = machine.transitions[self.state][self.scanned]
        behind, ahead = (self.left, self.right) if direction == "R" else (self.right, self.left)
        if direction == "L" and machine.tape == "semi_infinite" and not ahead:
            self.scanned = written  # the head stays on the leftmost cell
            return
        behind.append(written)
        self.scanned = ahead.pop() if ahead else machine.blank_symbol

    def configuration(self) -> TapeConfiguration:
        return tape_configuration(self.machine, self.state, self.left[::-1], self.scanned, self.right[::-1])


class _Heads:
    """The tapes of a machine, each as two stacks with the nearest cells last, and its state."""

    __slots__ = ("left", "machine", "right", "scanned", "state")

    def __init__(self, machine: MultiTapeTuringMachine, word: Word) -> None:
        self.machine = machine
        self.state = machine.initial_state
        self.left: list[list[Symbol]] = [[] for _ in range(machine.tapes)]
        self.right: list[list[Symbol]] = [[] for _ in range(machine.tapes)]
        self.right[0] = list(reversed(word[1:]))
        self.scanned = [*(word[:1] or (machine.blank_symbol,)), *[machine.blank_symbol] * (machine.tapes - 1)]

    def move(self) -> None:
        """Apply the rule for the scanned symbols."""
        machine = self.machine
        self.state, self.scanned[:], moves = machine.transitions[self.state][tuple(self.scanned)]
        for i, direction in enumerate(moves):
            behind, ahead = (self.left[i], self.right[i]) if direction == "R" else (self.right[i], self.left[i])
            bounced = direction == "L" and machine.tape == "semi_infinite" and not ahead
            if direction != "S" and not bounced:
                behind.append(self.scanned[i])
                self.scanned[i] = ahead.pop() if ahead else machine.blank_symbol

    def configuration(self) -> MultiTapeConfiguration:
        parts = zip(self.left, self.scanned, self.right, strict=True)
        found = [tape_configuration(self.machine, self.state, left[::-1], a, right[::-1]) for left, a, right in parts]
        return MultiTapeConfiguration(state=self.state, tapes=tuple(Tape(c.left, c.scanned, c.right) for c in found))


class _Stacks:
    """The stacks of a machine with their tops last, and its state; O(1) a move."""

    __slots__ = ("machine", "stacks", "state")

    def __init__(self, machine: StackMachine, word: Word) -> None:
        self.machine = machine
        self.state = machine.initial_state
        self.stacks: list[list[Symbol]] = [list(reversed(word)), *([] for _ in range(machine.stacks - 1))]

    def move(self) -> None:
        """Apply the rule for the tops."""
        reading = tuple(stack[-1] if stack else EMPTY for stack in self.stacks)
        self.state, operations = self.machine.transitions[self.state][reading]
        for stack, operation in zip(self.stacks, operations, strict=True):
            if operation == POP:
                del stack[-1:]
            elif operation != KEEP:
                stack.append(operation[1])

    def configuration(self) -> StackConfiguration:
        return StackConfiguration(state=self.state, stacks=tuple(tuple(reversed(stack)) for stack in self.stacks))


_Control = _Head | _Heads | _Stacks


def _control(machine: StackMachine | TuringMachine | MultiTapeTuringMachine, word: Word) -> _Control:
    if isinstance(machine, TuringMachine):
        return _Head(machine, word)
    return _Stacks(machine, word) if isinstance(machine, StackMachine) else _Heads(machine, word)


def _path(control: _Control) -> Iterator[TapeConfiguration | MultiTapeConfiguration | StackConfiguration]:
    yield control.configuration()
    while control.state not in control.machine.halting_states:
        control.move()
        yield control.configuration()


def _run(control: _Control, max_steps: int | None, end: float) -> MachineRun:
    halting = control.machine.halting_states
    limit = inf if max_steps is None else max_steps
    steps = 0
    in_time = True
    while in_time and control.state not in halting and steps < limit:
        until = min(limit, steps + MOVES)
        while control.state not in halting and steps < until:
            control.move()
            steps += 1
        in_time = time.monotonic() < end
    outcome = _OUTCOMES[halting_kind(control.machine, control.state)]
    if outcome is Outcome.STEP_LIMIT and steps < limit:
        outcome = Outcome.TIME_LIMIT
    return MachineRun(outcome=outcome, steps=steps, configuration=control.configuration())


def halting_kind(machine: HaltingMachine, state: State) -> str:
    """Return "accept", "reject", "halt" or "running" for a state of `machine`."""
    for kind, halting in (
        ("accept", machine.accept_state),
        ("reject", machine.reject_state),
        ("halt", machine.halt_state),
    ):
        if halting is not None and state == halting:
            return kind
    return "running"


_OUTCOMES = {
    "accept": Outcome.ACCEPTED,
    "reject": Outcome.REJECTED,
    "halt": Outcome.HALTED,
    "running": Outcome.STEP_LIMIT,
}
