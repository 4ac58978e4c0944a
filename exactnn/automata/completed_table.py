"""Tables as people write them, made total: moves that stay, several final states, transitions that are not defined.

Each of these is a rule that is stated here, and its result is a plain table of a machine.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal

from exactnn.automata.alphabet import Symbol
from exactnn.automata.transitions import State
from exactnn.automata.validation import hashable
from exactnn.errors import printed, shown
from exactnn.options import choice

__all__ = ["MOST_READINGS", "UNDEFINED", "Undefined", "completed", "fresh", "with_one_final_state", "without_stays"]

Undefined = Literal["error", "reject", "halt"]
UNDEFINED: tuple[Undefined, ...] = ("error", "reject", "halt")
STAYS = ("S", "N")
"""Moves that leave the head where it is: S as in textbooks, N as in automata-lib."""

MOST_READINGS = 2_000_000
"""Rules that a table is completed to."""

Table = Mapping[State, Mapping[Any, Any]]


def fresh(name: str, taken: Collection[str | None]) -> str:
    """Return `name`, with primes where a state has it already.

    >>> fresh("halt", ["q0", "halt"])
    "halt'"
    """
    while name in taken:
        name += "'"
    return name


def without_stays(
    states: tuple[State, ...], table: Table, tape_symbols: Iterable[Symbol]
) -> tuple[tuple[State, ...], Table]:
    """Return states and table with moves there and back in place of those that stay.

    A rule (p, b, stay) becomes (p', b, R), and p' leads back: from it, every symbol x has the rule (p, x, L). A stay
    takes two moves so, on either kind of tape, and there is one new state for each p, called "p back".

    >>> without_stays(("q", "h"), {"q": {"a": ("h", "b", "S")}}, "ab")[1]
    {'q': {'a': ('h back', 'b', 'R')}, 'h back': {'a': ('h', 'a', 'L'), 'b': ('h', 'b', 'L')}}
    """
    taken = set(map(printed, states))
    back: dict[State, State] = {}

    def moved(rule: Any) -> Any:
        is_stay = isinstance(rule, (tuple, list)) and len(rule) == 3 and isinstance(rule[2], str) and rule[2] in STAYS
        if not is_stay or not hashable(rule[0]) or rule[0] not in states:
            return rule
        target = rule[0]
        if target not in back:
            name = fresh(f"{printed(target)} back", taken)
            taken.add(name)
            back[target] = name
        return back[target], rule[1], "R"

    found: dict[State, Mapping[Any, Any]] = {
        q: {reading: moved(rule) for reading, rule in row.items()} for q, row in table.items()
    }
    found |= {new: {a: (target, a, "L") for a in tape_symbols} for target, new in back.items()}
    return (*states, *back.values()), found


def with_one_final_state(
    states: tuple[State, ...], table: Table, final: tuple[State, ...], initial: State, faults: list[str]
) -> tuple[tuple[State, ...], Table, State | None]:
    """Return states and table in which one final state stands for all of them, and that state; None if there is none.

    It is the initial state if that is final, and else the first of the states that is.

    >>> with_one_final_state(("q", "y", "z"), {"q": {"a": ("z", "a", "R")}}, ("y", "z"), "q", [])
    (('q', 'y'), {'q': {'a': ('y', 'a', 'R')}}, 'y')
    """
    faults += [f"final state {shown(q)} is not one of the states" for q in final if q not in states]
    faults += [f"transitions of {shown(q)}, which is a final state: remove them" for q in final if q in table]
    known = [q for q in states if q in final]
    if not known:
        return states, table, None
    accept = initial if hashable(initial) and initial in known else known[0]
    others = {q for q in known if q != accept}

    def led(rule: Any) -> Any:
        is_rule = isinstance(rule, (tuple, list)) and rule and hashable(rule[0])
        return (accept, *rule[1:]) if is_rule and rule[0] in others else rule

    merged = {q: {reading: led(rule) for reading, rule in row.items()} for q, row in table.items() if q not in final}
    return tuple(q for q in states if q not in others), merged, accept


def completed(
    states: tuple[State, ...],
    table: Table,
    undefined: Undefined,
    halting: Mapping[str, State | None],
    readings: Callable[[], Iterable[Any]],
    size: int,
    rule: Callable[[State, Any], Any],
    faults: list[str],
) -> tuple[tuple[State, ...], Table, State | None]:
    """Return states and table with a rule for every reading, and the state that undefined transitions enter.

    That is the reject or the halt state, as `undefined` says, or a new one; None for "error", or if none is undefined.

    Parameters
    ----------
    halting : mapping
        From "accept", "reject" and "halt" to the states, None where there is none.
    readings : callable
        All readings, of which there are `size`.
    rule : callable
        From the state that is entered and a reading to the rule.
    """
    choice("undefined", undefined, UNDEFINED)
    if undefined == "error":
        return states, table, None
    lacking = [q for q in states if q not in halting.values() and len(table.get(q, {})) < size]
    if not lacking:
        return states, table, None
    if size * len(states) > MOST_READINGS:
        faults.append(
            f"undefined={undefined!r} makes {size:,} rules for each of {len(states):,} states: give fewer symbols, or "
            f"all rules; at most {MOST_READINGS:,} are made"
        )
        return states, table, None
    sink = halting[undefined]
    if sink is None:
        sink = fresh(undefined, set(map(printed, states)))
        states = (*states, sink)
    whole = dict(table)
    for q in lacking:
        row = table.get(q, {})
        whole[q] = dict(row) | {reading: rule(sink, reading) for reading in readings() if reading not in row}
    return states, whole, sink
