"""Mealy machines: finite automata whose transitions have outputs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.automata.alphabet import Symbol, as_word
from exactnn.automata.dfa import MooreMachine, Output
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

__all__ = ["MealyMachine", "moore_of_mealy", "translation"]


@dataclass(frozen=True, slots=True, init=False)
class MealyMachine(DrawnMachine):
    """A complete Mealy machine: a deterministic finite automaton with an output for each transition.

    Parameters
    ----------
    states : iterable of hashable
        The states; two states must not print alike.
    input_symbols : iterable of str
        The alphabet.
    transitions : mapping state -> mapping symbol -> state
        The transition function; it must be total.
    initial_state : state
    outputs : mapping state -> mapping symbol -> hashable
        The output of each transition: text, numbers, tuples. Two outputs that differ must not print alike.
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    Notes
    -----
    A word of n symbols gives n outputs; the empty word gives none, which is what sets it apart from a
    :class:`~exactnn.automata.MooreMachine`.

    References
    ----------
    G. H. Mealy, "A method for synthesizing sequential circuits", *Bell System Technical Journal* 34, 1955.

    Examples
    --------
    >>> edges = MealyMachine(states=["low", "high"], input_symbols="01", initial_state="low",
    ...     transitions={q: {"0": "low", "1": "high"} for q in ("low", "high")},
    ...     outputs={"low": {"0": "same", "1": "up"}, "high": {"0": "down", "1": "same"}})
    >>> translation(edges, "0110")
    ('same', 'up', 'same', 'down')
    """

    states: tuple[State, ...]
    input_symbols: tuple[Symbol, ...]
    transitions: Transitions[State, Transitions[Symbol, State]]
    initial_state: State
    outputs: Transitions[State, Transitions[Symbol, Output]]
    name: str

    def __init__(
        self,
        *,
        states: Iterable[State],
        input_symbols: Iterable[Symbol],
        transitions: Mapping[State, Mapping[Symbol, State]],
        initial_state: State,
        outputs: Mapping[State, Mapping[Symbol, Output]],
        name: str = "Mealy machine",
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
        given = _outputs(self.states, self.input_symbols, outputs, faults)
        faults += total_faults(self.states, self.input_symbols, table, "a Mealy machine")
        if faults:
            raise MachineError(name, faults)
        fill(self, "transitions", Transitions({q: Transitions(row) for q, row in table.items()}))
        fill(self, "outputs", Transitions({q: Transitions(row) for q, row in given.items()}))

    def _moves(self, state: State) -> Iterator[Move]:
        for a in self.input_symbols:
            yield shown_symbol(a), self.transitions[state][a], shown_symbol(str(self.outputs[state][a])) or "''"

    @property
    def _entries(self) -> str:
        return "output → next state"

    def _node(self, state: State) -> Node:
        return Node(name=str(state))


def _outputs(
    states: Sequence[State], symbols: Sequence[Symbol], outputs: object, faults: list[str]
) -> dict[State, dict[Symbol, Any]]:
    """Return the output of each transition, and note what is wrong."""
    if not isinstance(outputs, Mapping):
        faults.append(f"outputs is {shown(outputs)}: give a mapping from states to mappings from symbols to outputs")
        return {}
    table = read_mapping("outputs", outputs, faults)
    known, alphabet = set(states), set(symbols)
    faults += [f"outputs of {shown(q)}, which is not one of the states" for q in table if q not in known]
    found: dict[State, dict[Symbol, Any]] = {}
    for q in states:
        row = table.get(q, {})
        if not isinstance(row, Mapping):
            faults.append(f"outputs of {shown(q)} are {shown(row)}: give a mapping from symbols to outputs")
            continue
        row = read_mapping(f"outputs of {shown(q)}", row, faults)
        faults += [
            f"no output of the transition from {shown(q)} on {shown(a)}: add one" for a in symbols if a not in row
        ]
        faults += [
            f"output of {shown(q)} on {shown(a)}, which is not an input symbol" for a in row if a not in alphabet
        ]
        found[q] = {a: row[a] for a in symbols if a in row}
    values = [output for row in found.values() for output in row.values()]
    faults += [
        f"an output is {shown(output)}, which is not hashable: give text or a number"
        for output in values
        if not hashable(output)
    ]
    faults += unlike_names((output for output in values if hashable(output)), "outputs")
    return found


def translation(machine: MealyMachine, word: str | Sequence[Symbol] = "") -> tuple[Output, ...]:
    """Return the outputs of `machine` on `word`, one for each symbol.

    Raises
    ------
    WordError
        If the word has a symbol outside the input alphabet.
    """
    state, found = machine.initial_state, []
    for symbol in as_word(word, machine.input_symbols):
        found.append(machine.outputs[state][symbol])
        state = machine.transitions[state][symbol]
    return tuple(found)


def moore_of_mealy(machine: MealyMachine, *, before: Output = None) -> MooreMachine:
    """Return the Moore machine whose output after a word is that of the Mealy machine's last transition.

    Its states are the pairs of a state and the output with which it was entered, as far as they can be reached. The
    first one, which no transition has led to, has the output `before`.

    Raises
    ------
    MachineError
        If `before` is an output of the machine: then the empty word could not be told from others.

    Examples
    --------
    >>> from exactnn.automata import output_word
    >>> flip = MealyMachine(states="q", input_symbols="01", transitions={"q": {"0": "q", "1": "q"}}, initial_state="q",
    ...     outputs={"q": {"0": "1", "1": "0"}})
    >>> output_word(moore_of_mealy(flip), "01")
    (None, '1', '0')
    """
    if any(before == output for row in machine.outputs.values() for output in row.values()):
        raise MachineError(machine.name, [f"before={shown(before)} is one of its outputs: give another value"])
    first = (machine.initial_state, before)
    table: dict[State, dict[Symbol, State]] = {}
    waiting = [first]
    while waiting:
        pair = waiting.pop()
        if pair in table:
            continue
        q = pair[0]
        following = {a: (machine.transitions[q][a], machine.outputs[q][a]) for a in machine.input_symbols}
        table[pair] = dict(following)
        waiting += following.values()
    return MooreMachine(
        states=list(table),
        input_symbols=machine.input_symbols,
        transitions=table if machine.input_symbols else {},
        initial_state=first,
        outputs={pair: pair[1] for pair in table if isinstance(pair, tuple)},
        name=machine.name,
    )
