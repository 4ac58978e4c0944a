"""Counter machines in real time: a finite control with k integer counters that are tested for zero."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, NamedTuple

from exactnn.automata.alphabet import Symbol
from exactnn.automata.drawn import DrawnMachine, Move, shown_symbol
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.validation import collected, hashable, is_count, name_faults, rows, symbol_faults, unlike_names
from exactnn.errors import MachineError, shown
from exactnn.markup import Node

__all__ = ["RESET", "CounterMachine", "CounterRule", "CounterUpdate", "Mask", "counter_mask", "masks"]

RESET = "reset"
"""The update that sets a counter to zero."""

MOST_COUNTERS = 12
"""A total table for more would be larger than any that is written."""

MOST_MASKS = 4
"""Of a state that are shown; of more, how many there are."""

CounterUpdate = int | str
"""What is done to a counter: -1, 0, 1 or RESET."""

Mask = tuple[int, ...]
"""For each counter 0 if it is zero, and 1 if it is not."""

_UPDATES = (-1, 0, 1, RESET)


class CounterRule(NamedTuple):
    """What a counter machine does on a symbol and a mask in a state: one update for each counter."""

    next_state: State
    updates: tuple[CounterUpdate, ...]


@dataclass(frozen=True, slots=True, init=False)
class CounterMachine(DrawnMachine):
    """A deterministic k-counter machine that reads its word in real time: one move for each symbol.

    Counters hold integers and start at zero; a counter that is zero and is decremented is -1. A move depends on the
    state, on the symbol that is read and on which counters are zero; of a counter that is not zero the control knows
    neither value nor sign. It enters a state, and adds -1, 0 or 1 to each counter or resets it to zero. A word is
    accepted by the state after it together with which counters are zero then.

    Parameters
    ----------
    states : iterable of hashable
        The states; two states must not print alike.
    input_symbols : iterable of str
        The alphabet.
    counters : int
        Their number k, from 1 to 12.
    transitions : mapping state -> mapping symbol -> mapping mask -> (next state, updates)
        A mask is a tuple of k numbers, 0 for a counter that is zero and 1 for one that is not; updates are a tuple of
        k of -1, 0, 1 and ``"reset"``. It must be total.
    initial_state : state
    acceptance : iterable of (state, mask)
        With which a word is accepted.
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    Notes
    -----
    This is the general counter machine of [2]_, the real-time counter machine of [1]_ with resets. The simplified one
    of [3]_ has updates that depend on the symbol only (:attr:`is_simplified`): it accepts {a^n b^n}, but not
    {a^n b^n w : n >= 1}, for which the machine must stop counting. Larger steps are left out: +m is m counters of
    step 1, or a count in units of m with the rest in the state.

    References
    ----------
    .. [1] P. C. Fischer, A. R. Meyer and A. L. Rosenberg, "Counter machines and counter languages", Mathematical
       Systems Theory 2, 1968.
    .. [2] W. Merrill, G. Weiss, Y. Goldberg, R. Schwartz, N. A. Smith and E. Yahav, "A formal hierarchy of RNN
       architectures", ACL 2020.
    .. [3] G. Weiss, Y. Goldberg and E. Yahav, "On the practical computational power of finite precision RNNs for
       language recognition", ACL 2018.

    Examples
    --------
    As many a's as b's, in any order:

    >>> def add(step):
    ...     return {mask: ("q", (step,)) for mask in masks(1)}
    >>> equal = CounterMachine(states="q", input_symbols="ab", counters=1, initial_state="q",
    ...                        transitions={"q": {"a": add(1), "b": add(-1)}}, acceptance=[("q", (0,))])
    >>> equal.transitions["q"]["a"][0,], equal.is_simplified
    (CounterRule(next_state='q', updates=(1,)), True)
    """

    states: tuple[State, ...]
    input_symbols: tuple[Symbol, ...]
    counters: int
    transitions: Transitions[State, Transitions[Symbol, Transitions[Mask, CounterRule]]]
    initial_state: State
    acceptance: tuple[tuple[State, Mask], ...]
    name: str

    def __init__(
        self,
        *,
        states: Iterable[State],
        input_symbols: Iterable[Symbol],
        counters: int,
        transitions: Mapping[State, Mapping[Symbol, Mapping[Mask, tuple[State, Iterable[CounterUpdate]]]]],
        initial_state: State,
        acceptance: Iterable[tuple[State, Mask]],
        name: str = "counter machine",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        fill(self, "states", collected("states", states, faults))
        fill(self, "input_symbols", collected("input_symbols", input_symbols, faults))
        fill(self, "counters", counters)
        fill(self, "acceptance", collected("acceptance", acceptance, faults))
        table = rows(transitions, faults)
        fill(self, "initial_state", initial_state)
        fill(self, "name", name)
        faults += unlike_names(self.states) + symbol_faults(self.input_symbols, "input symbol")
        faults += name_faults({"initial": initial_state}, self.states, name)
        if not is_count(counters, MOST_COUNTERS):
            faults.append(f"counters is {shown(counters)}: give a whole number from 1 to {MOST_COUNTERS}")
        else:
            faults += _acceptance_faults(self) + _transition_faults(self, table)
        if faults:
            raise MachineError(name, faults)
        fill(self, "transitions", Transitions({q: Transitions(_row(row)) for q, row in table.items()}))

    def _moves(self, state: State) -> Iterator[Move]:
        for a in self.input_symbols:
            for mask, rule in self.transitions[state][a].items():
                tests, updates = "".join(map(str, mask)), ", ".join(map(str, rule.updates))
                yield f"{shown_symbol(a)} [{tests}]", rule.next_state, updates

    def _role(self, state: State) -> str:
        accepting = sorted(mask for q, mask in self.acceptance if q == state)
        if not accepting or len(accepting) == 2**self.counters:
            return "accepts" if accepting else ""
        if len(accepting) > MOST_MASKS:
            return f"accepts with {len(accepting)} masks"
        return "accepts with " + ", ".join(f"[{''.join(map(str, mask))}]" for mask in accepting)

    def _remark(self) -> str:
        return "; a mask has 0 for a counter that is zero, 1 for one that is not"

    def _node(self, state: State) -> Node:
        return Node(name=str(state), double=any(q == state for q, _ in self.acceptance))

    @property
    def is_simplified(self) -> bool:
        """Whether updates depend on the symbol only, as those of a simplified k-counter machine."""
        seen: dict[Symbol, tuple[CounterUpdate, ...]] = {}
        return all(
            seen.setdefault(a, rule.updates) == rule.updates
            for row in self.transitions.values()
            for a, cells in row.items()
            for rule in cells.values()
        )


def masks(counters: int) -> tuple[Mask, ...]:
    """Return all masks of so many counters.

    >>> masks(2)
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    return tuple(product((0, 1), repeat=counters))


def counter_mask(values: Iterable[int]) -> Mask:
    """Return for each counter 0 if it is zero and 1 if it is not.

    >>> counter_mask([3, 0, -1])
    (1, 0, 1)
    """
    return tuple(int(value != 0) for value in values)


def _row(row: Mapping[Symbol, Mapping[Mask, Any]]) -> dict[Symbol, Transitions[Mask, CounterRule]]:
    return {
        a: Transitions({mask: CounterRule(entry[0], tuple(entry[1])) for mask, entry in cells.items()})
        for a, cells in row.items()
    }


def _acceptance_faults(machine: CounterMachine) -> list[str]:
    known, possible = set(machine.states), set(masks(machine.counters))
    faults = []
    for entry in machine.acceptance:
        if not isinstance(entry, tuple) or len(entry) != 2:
            faults.append(f"acceptance has {shown(entry)}: write (state, mask)")
        elif entry[0] not in known:
            faults.append(f"acceptance has {shown(entry[0])}, which is not one of the states")
        elif entry[1] not in possible:
            faults.append(f"acceptance has {shown(entry[1])}, which is no mask: {_mask_form(machine)}")
    return faults


def _mask_form(machine: CounterMachine) -> str:
    return f"that is a tuple of {machine.counters} of 0 (zero) and 1 (not zero)"


def _transition_faults(machine: CounterMachine, table: Mapping[State, Mapping[Symbol, Any]]) -> list[str]:
    states, alphabet = set(machine.states), set(machine.input_symbols)
    faults = [f"transitions of {shown(q)}, which is not one of the states" for q in table if q not in states]
    for q, row in table.items():
        for a, cells in row.items():
            where = f"transition from {shown(q)} on {shown(a)}"
            if a not in alphabet:
                faults.append(f"{where}, which is not an input symbol")
            elif not isinstance(cells, Mapping):
                faults.append(f"{where} is {shown(cells)}: give a mapping from masks to (next state, updates)")
            else:
                faults += [f"{where} {fault}" for fault in _cell_faults(machine, cells, states)]
    for q in machine.states:
        row = table.get(q, {})
        faults += [
            f"no transition from state {shown(q)} on {shown(a)}: add one for every mask"
            for a in machine.input_symbols
            if a not in row
        ]
    return faults


def _cell_faults(machine: CounterMachine, cells: Mapping[Mask, Any], states: set[State]) -> list[str]:
    faults = []
    possible = masks(machine.counters)
    for mask, entry in cells.items():
        where = f"with mask {shown(mask)}"
        if mask not in possible:
            faults.append(f"{where} is of no mask: {_mask_form(machine)}")
        if not _is_rule(entry):
            faults.append(f"{where} is {shown(entry)}: write (next state, updates), one for each counter")
            continue
        if entry[0] not in states:
            faults.append(f"{where} goes to {shown(entry[0])}, which is not one of the states")
        if len(entry[1]) != machine.counters:
            faults.append(f"{where} has {len(entry[1])} updates: there are {machine.counters} counters")
        faults += [
            f"{where} does {shown(update)}: write -1, 0, 1 or 'reset'" for update in entry[1] if not _is_update(update)
        ]
    missing = ", ".join(map(shown, islice((mask for mask in possible if mask not in cells), 3)))
    return [*faults, f"has no rule for mask {missing}: add one for every mask"] if missing else faults


def _is_update(update: object) -> bool:
    return type(update) in (int, str) and update in _UPDATES


def _is_rule(entry: object) -> bool:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2 or not isinstance(entry[1], (tuple, list)):
        return False
    return hashable(entry[0])
