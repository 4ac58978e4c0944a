"""Checks that every kind of machine shares; each notes the faults it finds as sentences."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Protocol

from exactnn.automata.alphabet import Symbol
from exactnn.automata.transitions import State, ordered
from exactnn.errors import OptionError, printed, shown
from exactnn.options import entries, mapped

__all__ = [
    "HaltingMachine",
    "collected",
    "halting_faults",
    "halting_state",
    "hashable",
    "is_count",
    "name_faults",
    "needs_rules",
    "read_mapping",
    "rows",
    "symbol_faults",
    "total_faults",
    "unlike_names",
]


class HaltingMachine(Protocol):
    """A machine that runs until it enters one of up to three states."""

    @property
    def accept_state(self) -> State | None:
        """The state that ends a run with acceptance."""

    @property
    def reject_state(self) -> State | None:
        """The state that ends a run with rejection."""

    @property
    def halt_state(self) -> State | None:
        """The state that ends a run without verdict."""


def collected(what: str, values: object, faults: list[str]) -> tuple[Any, ...]:
    """Return `values` in order and without repetitions; if they are no collection of hashables, note a fault.

    >>> faults = []
    >>> collected("states", None, faults), collected("states", ["a", ["b"]], faults), faults
    ((), ('a',), ['states is None: give a collection', "states has ['b'], which is not hashable: give a name"])
    """
    if not isinstance(values, Iterable):
        faults.append(f"{what} is {shown(values)}: give a collection")
        return ()
    try:
        found = entries(what, values)
    except OptionError as error:
        faults.append(str(error))
        return ()
    if isinstance(values, (set, frozenset)):
        return ordered(frozenset(found))
    faults += [
        f"{what} has {shown(value)}, which is not hashable: give a name" for value in found if not hashable(value)
    ]
    return ordered(value for value in found if hashable(value))


def rows(transitions: object, faults: list[str]) -> dict[Any, Mapping[Any, Any]]:
    """Return the rows of a transition table that are not empty; note a fault where it is no mapping of mappings.

    >>> faults = []
    >>> rows({"q": {"a": "q"}, "p": ["a"], "r": {}}, faults), faults
    ({'q': {'a': 'q'}}, ["transitions of 'p' are ['a']: give a mapping from symbols"])
    """
    if not isinstance(transitions, Mapping):
        faults.append(f"transitions is {shown(transitions)}: give a mapping from states to mappings from symbols")
        return {}
    found: dict[Any, Mapping[Any, Any]] = {}
    for state, row in read_mapping("transitions", transitions, faults).items():
        if not isinstance(row, Mapping):
            faults.append(f"transitions of {shown(state)} are {shown(row)}: give a mapping from symbols")
        elif entries_of_row := read_mapping(f"transitions of {shown(state)}", row, faults):
            found[state] = entries_of_row
    return found


def read_mapping(what: str, given: Mapping[Any, Any], faults: list[str]) -> dict[Any, Any]:
    """Return the entries of a mapping; note a fault where they cannot be read.

    >>> read_mapping("outputs", {"q": 1}, [])
    {'q': 1}
    """
    try:
        return mapped(what, given)
    except OptionError as error:
        faults.append(str(error))
        return {}


def is_count(value: object, most: int) -> bool:
    """Whether `value` is a whole number from 1 to `most`.

    >>> is_count(3, 9), is_count(0, 9), is_count(True, 9)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def hashable(value: object) -> bool:
    """Whether `value` can be a key; a tuple of lists cannot, though its type says so."""
    if not isinstance(value, Hashable):
        return False
    try:
        hash(value)
    except Exception:  # that of somebody's own class may raise anything
        return False
    return True


def name_faults(named: Mapping[str, object], states: Iterable[State], name: object) -> list[str]:
    """Return a fault for each named state (None: absent) that is not a state, and for a name that is not text."""
    known = set(states)
    faults = [
        f"{what} state {shown(state)} is not one of the states"
        for what, state in named.items()
        if not hashable(state) or state not in known
    ]
    if not isinstance(name, str):
        faults.append(f"name is {shown(name)}: give text")
    return faults


def halting_state(role: str, state: object, faults: list[str]) -> State | None:
    """Return a state that halts, or None; of what cannot be a state at all note a fault, and return None.

    >>> faults = []
    >>> halting_state("accept", ["q"], faults), faults
    (None, ["accept state ['q'] is not one of the states"])
    """
    if hashable(state):
        return state
    faults.append(f"{role} state {shown(state)} is not one of the states")
    return None


def halting_faults(
    machine: HaltingMachine, initial: object, states: Iterable[State], name: object, table: Mapping[State, object]
) -> list[str]:
    """Return a fault for each of initial and halting states that is not a state, and for roles that exclude others.

    A state called None without a row in the `table` was to halt, which cannot be said: None is "no such state".
    """
    named = {"accept": machine.accept_state, "reject": machine.reject_state, "halt": machine.halt_state}
    present = {what: state for what, state in named.items() if state is not None}
    faults = name_faults({"initial": initial, **present}, states, name)
    if machine.accept_state is not None and machine.accept_state == machine.reject_state:
        faults.append(f"accept and reject state are both {shown(machine.accept_state)}")
    if machine.halt_state is not None and len(present) > 1:
        faults.append("a machine with a halt state gives no verdict: drop it, or drop accept and reject state")
    if None in states and None not in table:
        faults.append(
            "state None has no transitions, and it cannot be the accept, reject or halt state: given as one of these, "
            "None says that there is none: rename the state"
        )
    return faults


def needs_rules(state: State, machine: HaltingMachine, table: Mapping[State, object]) -> bool:
    """Whether a state must have a rule for every reading: it does not halt, and :func:`halting_faults` let it pass."""
    if state is None:
        return None in table
    return state not in (machine.accept_state, machine.reject_state, machine.halt_state)


def symbol_faults(symbols: Iterable[object], what: str) -> list[str]:
    """Return a fault for each symbol that is not a non-empty string.

    >>> symbol_faults(["a", "", 3], "input symbol")
    ["input symbol '' is empty: a symbol is a non-empty string", 'input symbol 3 is not a string: write it as text']
    """
    faults = []
    for symbol in symbols:
        if not isinstance(symbol, str):
            faults.append(f"{what} {shown(symbol)} is not a string: write it as text")
        elif not symbol:
            faults.append(f"{what} '' is empty: a symbol is a non-empty string")
    return faults


def unlike_names(values: Iterable[State], what: str = "states") -> list[str]:
    """Return a fault for every two states that print alike, since units and reports are named after states.

    >>> unlike_names([1, "1"]), unlike_names([None, "None"], "outputs")
    (["states 1 and '1' have the same name: rename one"], ["outputs None and 'None' have the same name: rename one"])
    """
    faults = []
    names: dict[str, State] = {}
    for value in values:
        name = printed(value)
        if name is None:
            faults.append(f"{shown(value)} is no name for one of the {what}: give one that can be printed")
            continue
        other = names.setdefault(name, value)
        if value != value:
            faults.append(f"{what} have {shown(value)}, which is not equal to itself: give another name")
        elif other != value:
            faults.append(f"{what} {shown(other)} and {shown(value)} have the same name: rename one")
    if not names and what == "states":
        faults.append("there are no states: a machine has at least its initial state")
    return faults


def total_faults(
    states: Iterable[State], symbols: Iterable[Symbol], table: Mapping[State, Mapping[Symbol, object]], kind: str
) -> list[str]:
    """Return a fault for each entry that a table of states by symbols lacks, or has too many, or that is no state.

    >>> total_faults(["q"], ["a"], {"q": {"b": "q"}}, "a DFA")[0]
    "no transition from state 'q' on 'a': add one (a DFA must be complete)"
    """
    states, symbols = list(states), list(symbols)
    known, alphabet = set(states), set(symbols)
    faults = [f"transitions of {shown(q)}, which is not one of the states" for q in table if q not in known]
    for q in states:
        row = table.get(q, {})
        for a in symbols:
            if a not in row:
                faults.append(f"no transition from state {shown(q)} on {shown(a)}: add one ({kind} must be complete)")
            elif not hashable(row[a]) or row[a] not in known:
                faults.append(f"transition from {shown(q)} on {shown(a)} goes to {shown(row[a])}, which is not a state")
        faults += [
            f"transition from {shown(q)} on {shown(a)}, which is not an input symbol" for a in row if a not in alphabet
        ]
    return faults
