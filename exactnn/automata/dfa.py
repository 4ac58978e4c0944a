"""Deterministic finite automata, with the names that automata-lib uses."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from exactnn.automata.alphabet import Symbol
from exactnn.automata.drawn import DrawnMachine, Move, shown_symbol
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.validation import collected, name_faults, rows, symbol_faults, total_faults, unlike_names
from exactnn.errors import MachineError, shown
from exactnn.markup import Node

__all__ = ["DFA"]


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
