"""Turing machines on stacks: a stack machine with two stacks for each tape, which makes one move for each of theirs.

The stacks of a tape are what is to the right of the head and what is to the left, the nearest cell on top. The scanned
symbol is in the control: a move pushes what it writes on one stack, and pops the next scanned symbol from the other. At
the start, and when the machine has halted, the scanned symbol is on top of the right stack: one move takes it from
there, and one puts it back. A stack that is empty stands for blanks, or for the end of a semi-infinite tape.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from exactnn.automata.alphabet import Symbol
from exactnn.automata.configuration import StackConfiguration, TapeConfiguration, tape_configuration
from exactnn.automata.machine import machine_of
from exactnn.automata.multi_tape_turing_machine import (
    MultiTapeConfiguration,
    MultiTapeRule,
    MultiTapeTuringMachine,
    Tape,
)
from exactnn.automata.stack_machine import EMPTY, KEEP, POP, Operation, Reading, StackMachine, push
from exactnn.automata.transitions import State
from exactnn.automata.turing_machine import TuringMachine
from exactnn.errors import MachineError, shown

__all__ = ["StacksOfTapes", "from_turing_machine"]

MOST_RULES = 500_000
"""Rules of a stack machine that is made: some minutes' work and some hundreds of MiB."""

Target = tuple[State, tuple[Operation, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StacksOfTapes:
    """A stack machine that simulates a Turing machine, with the correspondence of their configurations and moves.

    Parameters
    ----------
    machine : StackMachine
        Its states are ``(q, a_1, ..., a_k)``, in q scanning these symbols, and ``(q,)`` of the initial state and of
        those that halt, where the scanned symbols are on the stacks.
    tape_machine : TuringMachine or MultiTapeTuringMachine
    """

    machine: StackMachine
    tape_machine: TuringMachine | MultiTapeTuringMachine

    def moves(self, moves: int) -> int:
        """Return how many moves the stack machine makes until it halts, if the Turing machine makes so many.

        One to begin, one for each, one to end; none if the initial state halts.
        """
        return 0 if self.tape_machine.initial_state in self.tape_machine.halting_states else moves + 2

    def encode(self, configuration: TapeConfiguration | MultiTapeConfiguration) -> StackConfiguration:
        """Return the configuration of the stack machine that stands for one of the Turing machine.

        Raises
        ------
        MachineError
            If no state of the stack machine stands for it: it cannot be reached from any word.
        """
        tapes = _tapes(configuration)
        halts = configuration.state in self.tape_machine.halting_states
        state = (configuration.state, *(() if halts else (tape.scanned for tape in tapes)))
        if state not in self.machine.states or len(tapes) != _count(self.tape_machine):
            raise MachineError(
                self.machine.name, [f"no state stands for the configuration {shown(str(configuration))}"]
            )
        stacks = []
        for left, scanned, right in tapes:
            stacks += [(scanned, *right) if halts else right, left]
        return StackConfiguration(state=state, stacks=tuple(stacks))

    def decode(self, configuration: StackConfiguration) -> TapeConfiguration | MultiTapeConfiguration:
        """Return the configuration of the Turing machine that one of the stack machine stands for."""
        assert isinstance(configuration.state, tuple)
        machine = self.tape_machine
        state, *scanned = configuration.state
        tapes = []
        for i in range(_count(machine)):
            right, left = configuration.stacks[2 * i : 2 * i + 2]
            if scanned:
                tapes.append(Tape(left, scanned[i], right))
            else:
                tapes.append(Tape(left, right[0] if right else machine.blank_symbol, right[1:]))
        if isinstance(machine, TuringMachine):
            return tape_configuration(machine, state, *tapes[0])
        found = (tape_configuration(machine, state, *tape) for tape in tapes)
        return MultiTapeConfiguration(state=state, tapes=tuple(Tape(c.left, c.scanned, c.right) for c in found))


def from_turing_machine(machine: TuringMachine | MultiTapeTuringMachine | str) -> StacksOfTapes:
    """Return the stack machine of a Turing machine: 2 stacks for one tape, 2k for k tapes, one move per move.

    Parameters
    ----------
    machine : TuringMachine, MultiTapeTuringMachine, or what :func:`exactnn.load` makes one of

    Raises
    ------
    MachineError
        If it is no Turing machine, or its stack machine would have more than 500000 rules.

    Notes
    -----
    Up to ``|Q| |Γ|^k`` states (those that can be reached) with ``(|Γ| + 1)^(2k)`` readings each.

    Examples
    --------
    >>> from exactnn.automata import interpret
    >>> beaver = TuringMachine(states="ABH", input_symbols=(), tape_symbols="01",
    ...     transitions={"A": {"0": ("B", "1", "R"), "1": ("B", "1", "L")},
    ...                  "B": {"0": ("A", "1", "L"), "1": ("H", "1", "R")}},
    ...     initial_state="A", blank_symbol="0", halt_state="H", tape="two_way_infinite")
    >>> stacks = from_turing_machine(beaver)
    >>> run = interpret(stacks.machine)
    >>> run.steps, stacks.moves(6), str(stacks.decode(run.configuration))
    (8, 8, 'H: 1 1 [1] 1')
    """
    machine = machine_of(machine)
    if not isinstance(machine, TuringMachine | MultiTapeTuringMachine):
        remedy = "give a TuringMachine or a MultiTapeTuringMachine"
        raise MachineError(shown(machine), [f"it is a {type(machine).__name__}: {remedy}"])
    table = _table(machine)
    halting = {q: (q,) for q in machine.halting_states}
    made = StackMachine(
        states=dict.fromkeys([(machine.initial_state,), *table, *halting.values()]),
        input_symbols=machine.input_symbols,
        stack_symbols=machine.tape_symbols,
        stacks=2 * _count(machine),
        transitions=table,
        initial_state=(machine.initial_state,),
        accept_state=None if machine.accept_state is None else (machine.accept_state,),
        reject_state=None if machine.reject_state is None else (machine.reject_state,),
        halt_state=None if machine.halt_state is None else (machine.halt_state,),
        name=f"{machine.name} on stacks",
    )
    return StacksOfTapes(machine=made, tape_machine=machine)


def _count(machine: TuringMachine | MultiTapeTuringMachine) -> int:
    return 1 if isinstance(machine, TuringMachine) else machine.tapes


def _tapes(configuration: TapeConfiguration | MultiTapeConfiguration) -> tuple[Tape, ...]:
    if isinstance(configuration, MultiTapeConfiguration):
        return configuration.tapes
    return (Tape(configuration.left, configuration.scanned, configuration.right),)


def _rule(machine: TuringMachine | MultiTapeTuringMachine, state: State, scanned: Sequence[Symbol]) -> MultiTapeRule:
    if isinstance(machine, MultiTapeTuringMachine):
        return machine.transitions[state][tuple(scanned)]
    rule = machine.transitions[state][scanned[0]]
    return MultiTapeRule(rule.next_state, (rule.written,), (rule.move,))


def _table(machine: TuringMachine | MultiTapeTuringMachine) -> dict[State, dict[Reading, Target]]:
    """Return the transitions of all states that can be reached."""
    if machine.initial_state in machine.halting_states:
        return {}
    number = (len(machine.tape_symbols) + 1) ** (2 * _count(machine))
    _refuse_too_many(machine, number)
    readings = list(product((*machine.tape_symbols, EMPTY), repeat=2 * _count(machine)))
    table: dict[State, dict[Reading, Target]] = {}
    waiting: list[tuple[State, ...]] = [(machine.initial_state,)]
    while waiting:
        state = waiting.pop()
        if state in table or (len(state) == 1 and state[0] in machine.halting_states):
            continue
        _refuse_too_many(machine, (len(table) + 1) * number)
        row = table[state] = {reading: _target(machine, state, reading) for reading in readings}
        waiting += [target for target, _ in row.values() if isinstance(target, tuple)]
    return table


def _refuse_too_many(machine: TuringMachine | MultiTapeTuringMachine, rules: int) -> None:
    if rules > MOST_RULES:
        fault = f"on {2 * _count(machine)} stacks it needs at least {rules} rules, and {MOST_RULES} are the most"
        raise MachineError(machine.name, [f"{fault}: give it fewer tapes or tape symbols"])


def _target(machine: TuringMachine | MultiTapeTuringMachine, state: tuple[State, ...], reading: Reading) -> Target:
    """Return what a state does on a reading."""
    q, *scanned = state
    if not scanned:
        taken = (top or machine.blank_symbol for top in reading[::2])
        return (q, *taken), (POP, KEEP) * _count(machine)
    symbols = [str(a) for a in scanned]
    if q in machine.halting_states:
        back = [operation for a in symbols for operation in (push(a), KEEP)]
        return (q,), tuple(back)
    rule = _rule(machine, q, symbols)
    found: list[Symbol] = []
    operations: list[Operation] = []
    for i, (written, move) in enumerate(zip(rule.written, rule.moves, strict=True)):
        right, left = reading[2 * i : 2 * i + 2]
        if move == "R":
            found.append(right or machine.blank_symbol)
            operations += [POP, push(written)]
        elif move == "L" and (left or machine.tape == "two_way_infinite"):
            found.append(left or machine.blank_symbol)
            operations += [push(written), POP]
        else:  # no move, or none to the left of a leftmost cell
            found.append(written)
            operations += [KEEP, KEEP]
    return (rule.next_state, *found), tuple(operations)
