"""Deterministic finite automata, with the names that automata-lib uses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from exactnn.automata.alphabet import Symbol
from exactnn.automata.transitions import State, Transitions, ordered
from exactnn.automata.validation import symbol_faults, unlike_names
from exactnn.errors import MachineError, shown

__all__ = ["DFA"]


@dataclass(frozen=True, slots=True, init=False)
class DFA:
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
        fill = object.__setattr__
        fill(self, "states", ordered(states))
        fill(self, "input_symbols", ordered(input_symbols))
        fill(self, "transitions", Transitions({q: Transitions(row) for q, row in transitions.items() if row}))
        fill(self, "initial_state", initial_state)
        fill(self, "final_states", ordered(final_states))
        fill(self, "name", name)
        if faults := _faults(self):
            raise MachineError(name, faults)


def _faults(dfa: DFA) -> list[str]:
    known, symbols = set(dfa.states), set(dfa.input_symbols)
    faults = unlike_names(dfa.states) + symbol_faults(dfa.input_symbols, "input symbol")
    if dfa.initial_state not in known:
        faults.append(f"initial state {shown(dfa.initial_state)} is not one of the states")
    faults += [f"final state {shown(q)} is not one of the states" for q in dfa.final_states if q not in known]
    faults += [f"transitions of {shown(q)}, which is not one of the states" for q in dfa.transitions if q not in known]
    for q in dfa.states:
        row: Mapping[Symbol, State] = dfa.transitions.get(q, Transitions({}))
        for a in dfa.input_symbols:
            if a not in row:
                faults.append(f"no transition from state {shown(q)} on {shown(a)}: add one (a DFA must be complete)")
            elif row[a] not in known:
                faults.append(f"transition from {shown(q)} on {shown(a)} goes to {shown(row[a])}, which is not a state")
        faults += [
            f"transition from {shown(q)} on {shown(a)}, which is not an input symbol" for a in row if a not in symbols
        ]
    return faults
