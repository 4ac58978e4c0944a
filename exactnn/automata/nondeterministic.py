"""Nondeterministic finite automata with moves that read nothing: only as far as the deterministic one that they are."""

from collections.abc import Collection, Iterable, Mapping

from exactnn.automata.alphabet import Symbol
from exactnn.automata.completed_table import fresh
from exactnn.automata.dfa import DFA
from exactnn.automata.transitions import State, ordered
from exactnn.errors import MachineError, printed

__all__ = ["MOST_SUBSETS", "determinized", "is_complete"]

MOST_SUBSETS = 10_000
"""States of a deterministic automaton that is made: a nondeterministic one of n states may need 2^n."""

MOST_CELLS = 500_000
"""Moves of it."""

Moves = Mapping[State, Mapping[Symbol, Collection[State]]]
"""From a state and a symbol, or "" for a move that reads nothing, to all states that may follow."""


def is_complete(transitions: Moves, states: Iterable[State], symbols: Iterable[Symbol]) -> bool:
    """Whether exactly one state follows on every symbol, and there is no move that reads nothing.

    >>> is_complete({"q": {"a": ["q"]}}, ["q"], "a"), is_complete({"q": {"a": ["q"], "": ["q"]}}, ["q"], "a")
    (True, False)
    """
    alphabet = tuple(symbols)
    rows = [transitions.get(q, {}) for q in states]
    return all(not row.get("") and all(len(set(row.get(a, ()))) == 1 for a in alphabet) for row in rows)


def determinized(
    *,
    states: Iterable[State],
    input_symbols: Iterable[Symbol],
    transitions: Moves,
    initial_states: Iterable[State],
    final_states: Iterable[State],
    name: str = "NFA",
) -> DFA:
    """Return the DFA of the same language, by sets of states (Rabin and Scott).

    An automaton that is deterministic keeps its states, those that cannot be reached too; one that is partial gets the
    state "reject". Else a state is a set of states that can be reached, and is called by its members in braces, or as
    its one member.

    Parameters
    ----------
    states, input_symbols, final_states, name
        As of a :class:`~exactnn.automata.DFA`.
    transitions : mapping state -> mapping symbol -> states
        A move under the symbol "" reads nothing.
    initial_states : iterable of states

    Raises
    ------
    MachineError
        If there are more than 10000 sets or 500000 moves, or the definition has a fault of a DFA.

    References
    ----------
    M. O. Rabin and D. Scott, "Finite automata and their decision problems", *IBM J. Res. Dev.* 3, 1959.

    Examples
    --------
    >>> second_last = determinized(states="pqr", input_symbols="ab", initial_states="p", final_states="r",
    ...     transitions={"p": {"a": "pq", "b": "p"}, "q": {"a": "r", "b": "r"}})
    >>> second_last.states, second_last.accepts("bab"), second_last.accepts("ba")
    (('p', '{p, q}', '{p, q, r}', '{p, r}'), True, False)
    """
    known, alphabet, start = ordered(states), ordered(input_symbols), ordered(initial_states)
    final = set(final_states)
    if len(start) == 1 and is_complete(transitions, known, alphabet):
        return DFA(
            states=known,
            input_symbols=alphabet,
            transitions={q: {a: next(iter(transitions[q][a])) for a in alphabet} for q in known} if alphabet else {},
            initial_state=start[0],
            final_states=[q for q in known if q in final],
            name=name,
        )
    place = {q: i for i, q in enumerate(known)}
    partial = len(start) == 1 and all(
        not row.get("") and all(len(set(targets)) <= 1 for targets in row.values()) for row in transitions.values()
    )
    first = _reached(start, transitions, place)
    waiting = [first, *([(q,) for q in known] if partial else [])]
    found: dict[tuple[State, ...], dict[Symbol, tuple[State, ...]]] = {}
    for subset in waiting:  # it grows meanwhile
        if subset in found:
            continue
        if len(found) >= MOST_SUBSETS or (len(found) + 1) * len(alphabet) > MOST_CELLS:
            fault = f"as a deterministic automaton it has more than {MOST_SUBSETS:,} states or {MOST_CELLS:,} moves"
            raise MachineError(name, [f"{fault}: make it deterministic and smaller first"])
        row = found[subset] = {}
        for a in alphabet:
            target = {p for q in subset for p in transitions.get(q, {}).get(a, ())}
            row[a] = _reached(target, transitions, place)
            waiting.append(row[a])
    names = _names(found, known)
    order = sorted(found, key=lambda s: place[s[0]] if s else len(place)) if partial else list(found)
    return DFA(
        states=[names[subset] for subset in order],
        input_symbols=alphabet,
        transitions={names[s]: {a: names[target] for a, target in found[s].items()} for s in order} if alphabet else {},
        initial_state=names[first],
        final_states=[names[subset] for subset in order if final.intersection(subset)],
        name=name,
    )


def _reached(subset: Iterable[State], transitions: Moves, place: Mapping[State, int]) -> tuple[State, ...]:
    """Return the states that moves without a symbol lead to, those of `subset` included, in the order of all states."""
    found = set(subset)
    waiting = list(found)
    while waiting:
        for q in transitions.get(waiting.pop(), {}).get("", ()):
            if q not in found:
                found.add(q)
                waiting.append(q)
    return tuple(sorted(found, key=place.__getitem__))


def _names(subsets: Iterable[tuple[State, ...]], states: Collection[State]) -> dict[tuple[State, ...], State]:
    """Return a name for each set: that of its one member, or all in braces; "reject" for the empty set."""
    taken = {printed(q) for q in states}
    names: dict[tuple[State, ...], State] = {}
    for subset in subsets:
        if len(subset) == 1:
            names[subset] = subset[0]
            continue
        text = "{" + ", ".join(printed(q) or "?" for q in subset) + "}" if subset else "reject"
        names[subset] = fresh(text, taken)
        taken.add(names[subset])  # type: ignore[arg-type]
    return names
