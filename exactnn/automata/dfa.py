"""Finite automata: deterministic acceptors, and Moore machines with an output for each state."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exactnn.automata.alphabet import Symbol, as_word
from exactnn.automata.drawn import DrawnMachine, Move, shown_symbol
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.validation import (
    collected,
    hashable,
    name_faults,
    read_mapping,
    rows,
    symbol_faults,
    total_faults,
    unlike_names,
)
from exactnn.errors import MachineError, shown
from exactnn.markup import Node

__all__ = ["DFA", "MooreMachine", "Output", "output_word"]


@dataclass(frozen=True, slots=True, init=False)
class DFA(DrawnMachine):
    """A complete deterministic finite automaton.

    Parameters
    ----------
    states : iterable of hashable
        The states; two states must not print alike.
    input_symbols : iterable of str
        The alphabet.
    transitions : mapping state -> mapping symbol -> state
        The transition function; it must be total.
    initial_state : state
    final_states : iterable of states
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    Examples
    --------
    >>> even = DFA(states={"even", "odd"}, input_symbols={"0", "1"},
    ...            transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    ...            initial_state="even", final_states={"even"})
    >>> even.states
    ('even', 'odd')
    """

    states: tuple[State, ...]
    input_symbols: tuple[Symbol, ...]
    transitions: Transitions[State, Transitions[Symbol, State]]
    initial_state: State
    final_states: tuple[State, ...]
    name: str

    def __init__(
        self,
        *,
        states: Iterable[State],
        input_symbols: Iterable[Symbol],
        transitions: Mapping[State, Mapping[Symbol, State]],
        initial_state: State,
        final_states: Iterable[State],
        name: str = "DFA",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        fill(self, "states", collected("states", states, faults))
        fill(self, "input_symbols", collected("input_symbols", input_symbols, faults))
        fill(self, "final_states", collected("final_states", final_states, faults))
        table = rows(transitions, faults)
        fill(self, "initial_state", initial_state)
        fill(self, "name", name)
        faults += name_faults({"initial": initial_state}, self.states, name)
        faults += _faults(self, table)
        if faults:
            raise MachineError(name, faults)
        fill(self, "transitions", Transitions({q: Transitions(row) for q, row in table.items()}))

    def accepts(self, word: str | Sequence[Symbol] = "") -> bool:
        """Return whether the automaton accepts a word; raises WordError if a symbol is not in the alphabet.

        >>> ends = DFA(states="qr", input_symbols="ab", initial_state="q", final_states="r",
        ...            transitions={"q": {"a": "r", "b": "q"}, "r": {"a": "r", "b": "q"}})
        >>> ends.accepts("aba"), ends.accepts("ab")
        (True, False)
        """
        state = self.initial_state
        for symbol in as_word(word, self.input_symbols):
            state = self.transitions[state][symbol]
        return state in self.final_states

    def _moves(self, state: State) -> Iterator[Move]:
        yield from ((shown_symbol(a), self.transitions[state][a], "") for a in self.input_symbols)

    @property
    def _entries(self) -> str:
        return "next state"

    def _role(self, state: State) -> str:
        return "final" if state in self.final_states else ""

    def _node(self, state: State) -> Node:
        return Node(name=str(state), double=state in self.final_states)


def _faults(dfa: DFA, table: Mapping[State, Mapping[Symbol, State]]) -> list[str]:
    known = set(dfa.states)
    faults = unlike_names(dfa.states) + symbol_faults(dfa.input_symbols, "input symbol")
    faults += [f"final state {shown(q)} is not one of the states" for q in dfa.final_states if q not in known]
    return faults + total_faults(dfa.states, dfa.input_symbols, table, "a DFA")


# --- Moore machines: finite automata whose states have outputs, of which acceptance is only one kind.

Output = Hashable
"""What a state of a Moore machine gives: any hashable value; equal values are one output."""


@dataclass(frozen=True, slots=True, init=False)
class MooreMachine(DrawnMachine):
    """A complete Moore machine: a deterministic finite automaton with an output for each state.

    Parameters
    ----------
    states : iterable of hashable
        The states; two states must not print alike.
    input_symbols : iterable of str
        The alphabet.
    transitions : mapping state -> mapping symbol -> state
        The transition function; it must be total.
    initial_state : state
    outputs : mapping state -> hashable
        The output of each state: text, numbers, verdicts, tuples. Two outputs that differ must not print alike.
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    Notes
    -----
    A DFA is a Moore machine with the outputs True and False.

    References
    ----------
    E. F. Moore, Gedanken-experiments on sequential machines, *Automata Studies*, 1956, pp. 129-153.

    Examples
    --------
    >>> counter = MooreMachine(states=["0", "1", "2"], input_symbols=["a"],
    ...     transitions={"0": {"a": "1"}, "1": {"a": "2"}, "2": {"a": "0"}},
    ...     initial_state="0", outputs={"0": "zero", "1": "one", "2": "two"})
    >>> output_word(counter, "aaaa")
    ('zero', 'one', 'two', 'zero', 'one')
    """

    states: tuple[State, ...]
    input_symbols: tuple[Symbol, ...]
    transitions: Transitions[State, Transitions[Symbol, State]]
    initial_state: State
    outputs: Transitions[State, Output]
    name: str

    def __init__(
        self,
        *,
        states: Iterable[State],
        input_symbols: Iterable[Symbol],
        transitions: Mapping[State, Mapping[Symbol, State]],
        initial_state: State,
        outputs: Mapping[State, Output],
        name: str = "Moore machine",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        fill(self, "states", collected("states", states, faults))
        fill(self, "input_symbols", collected("input_symbols", input_symbols, faults))
        table = rows(transitions, faults)
        fill(self, "initial_state", initial_state)
        fill(self, "name", name)
        faults += name_faults({"initial": initial_state}, self.states, name)
        faults += unlike_names(self.states) + symbol_faults(self.input_symbols, "input symbol")
        faults += _output_faults(self.states, outputs)
        faults += total_faults(self.states, self.input_symbols, table, "a Moore machine")
        if faults:
            raise MachineError(name, faults)
        fill(self, "transitions", Transitions({q: Transitions(row) for q, row in table.items()}))
        fill(self, "outputs", Transitions({q: outputs[q] for q in self.states}))

    def _moves(self, state: State) -> Iterator[Move]:
        yield from ((shown_symbol(a), self.transitions[state][a], "") for a in self.input_symbols)

    @property
    def _entries(self) -> str:
        return "next state"

    def _role(self, state: State) -> str:
        output = self.outputs[state]
        return ", ".join(map(str, output)) if isinstance(output, tuple) else str(output)

    def _node(self, state: State) -> Node:
        return Node(name=f"{state} / {self.outputs[state]}")


def output_word(machine: MooreMachine, word: str | Sequence[Symbol] = "") -> tuple[Output, ...]:
    """Return the outputs of `machine` on `word`: one before the first symbol, and one after each.

    Raises
    ------
    WordError
        If the word has a symbol outside the input alphabet.
    """
    state = machine.initial_state
    found = [machine.outputs[state]]
    for symbol in as_word(word, machine.input_symbols):
        state = machine.transitions[state][symbol]
        found.append(machine.outputs[state])
    return tuple(found)


def _output_faults(states: Sequence[State], outputs: object) -> list[str]:
    if not isinstance(outputs, Mapping):
        return [f"outputs is {shown(outputs)}: give a mapping from states to outputs"]
    known, faults = set(states), list[str]()
    outputs = read_mapping("outputs", outputs, faults)
    faults += [f"output of {shown(q)}, which is not one of the states" for q in outputs if q not in known]
    faults += [f"no output of state {shown(q)}: add one" for q in states if q not in outputs]
    given = {q: outputs[q] for q in states if q in outputs}
    faults += [
        f"output of {shown(q)} is {shown(output)}, which is not hashable: give text or a number"
        for q, output in given.items()
        if not hashable(output)
    ]
    return faults + unlike_names((output for output in given.values() if hashable(output)), "outputs")
