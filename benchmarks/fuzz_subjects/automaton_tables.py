"""Automata as tables: the smallest one, which states are equivalent, and the shortest word that tells two apart.

Tables are drawn from a seed, small ones and some of 200 states, many of them nearly equal: a table with its states
several times and in another order, with one entry changed. The oracles follow definitions: Moore's refinement, and a
search through all pairs of states.
"""

import random
from collections import deque
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from exactnn.equivalence import AutomatonTable, distinguish, minimal_table, state_classes
from fuzz_subjects.subject import Subject
from tests.equivalence.plain_automata import moore_classes, random_table, shuffled

__all__ = ["DISTINGUISHING_WORDS", "MINIMISATION"]

TOGETHER = 10
"""Tables of one seed."""
LARGEST_SEED = 10**9
MOST_COPIES = 60
"""States of a table that is another with its states several times; larger tables have theirs once."""

Pair = tuple[AutomatonTable, AutomatonTable]


def random_automaton(rng: random.Random) -> AutomatonTable:
    """Return a table whose states need not be reachable, nor its labels occur; with few, many are equivalent."""
    states, seed = rng.randint(1, 6) if rng.random() < 0.6 else rng.randint(20, 200), rng.randint(0, LARGEST_SEED)
    table = random_table(seed, states, rng.choice(("a", "ab", "ab", "abc", "abc", "")), rng.choice((1, 2, 2, 3)))
    return table if rng.random() < 0.7 else rarely_labelled(table, rng)


def rarely_labelled(table: AutomatonTable, rng: random.Random) -> AutomatonTable:
    """Return the table with all states but one alike, and transitions to states nearby: it is refined slowly."""
    last, reach = table.states - 1, rng.choice((1, 2, 5))
    rows = [[min(last, max(0, q + rng.randint(-1, reach))) for _ in table.symbols] for q in range(table.states)]
    return changed(table, transitions=rows, labels=[0] * last + [len(table.label_names) - 1], initial_state=0)


def changed(table: AutomatonTable, **fields: object) -> AutomatonTable:
    own = {name: getattr(table, name) for name in ("transitions", "labels", "symbols", "label_names", "initial_state")}
    return AutomatonTable(**own | fields)


def random_pair(rng: random.Random) -> Pair:
    """Return two tables over the same symbols, unlike or nearly alike, the second with its symbols in any order."""
    first, kind = random_automaton(rng), rng.choice(("changed", "changed", "equivalent", "unlike"))
    if kind == "unlike":
        second = random_table(rng.randint(0, LARGEST_SEED), rng.randint(1, 12), first.symbols, rng.randint(1, 3))
    else:
        copies = rng.randint(1, max(1, MOST_COPIES // first.states))
        second = shuffled(first, rng.randint(0, LARGEST_SEED), copies=copies)
    if kind == "changed":
        second = with_one_change(second, rng)
    order = rng.sample(range(len(first.symbols)), len(first.symbols))
    symbols = [second.symbols[column] for column in order]
    rows = [[row[column] for column in order] for row in second.transitions.tolist()]
    return first, changed(second, transitions=rows, symbols=symbols)


def with_one_change(table: AutomatonTable, rng: random.Random) -> AutomatonTable:
    """Return the table with another label, or another target, of one state."""
    state, labels, rows = rng.randrange(table.states), table.labels.tolist(), table.transitions.tolist()
    if table.symbols and rng.random() < 0.5:
        rows[state][rng.randrange(len(table.symbols))] = rng.randrange(table.states)
    else:
        labels[state] = (labels[state] + 1) % len(table.label_names)
    return changed(table, transitions=rows, labels=labels)


def text_of(table: AutomatonTable) -> str:
    names = [table.label_names[label] for label in table.labels]
    return f"{table.transitions.tolist()} on {table.symbols} from {table.initial_state}, labels {names}"


def check_minimal(table: AutomatonTable) -> None:
    plain, classes, minimal = moore_classes(table), state_classes(table).tolist(), minimal_table(table)
    case = text_of(table)
    for state, found in enumerate(classes):
        assert (found >= 0) == (state in plain), f"state {state} is in class {found}: {case}"
    met = {(plain[state], classes[state]) for state in plain}
    number = len(set(plain.values()))
    assert len(met) == number == len({found for _, found in met}), f"not the classes of Moore's refinement: {case}"
    assert minimal.states == number, f"{minimal.states} states, not {number}: {case}"
    for state in plain:
        own = minimal.label_names[minimal.labels[classes[state]]], minimal.transitions[classes[state]].tolist()
        following = [classes[target] for target in table.transitions[state].tolist()]
        assert own == (table.label_names[table.labels[state]], following), f"the class of state {state}: {case}"
    assert classes[table.initial_state] == minimal.initial_state, f"the initial state: {case}"


def shortest_difference(first: AutomatonTable, second: AutomatonTable) -> int | None:
    """Return the length of a shortest word after which labels differ, by a search through all pairs of states."""
    rows, others = first.transitions.tolist(), second.transitions.tolist()
    columns = [second.symbols.index(symbol) for symbol in first.symbols]
    start = first.initial_state, second.initial_state
    lengths, queue = {start: 0}, deque([start])
    while queue:
        p, q = queue.popleft()
        if first.label_names[first.labels[p]] != second.label_names[second.labels[q]]:
            return lengths[p, q]
        for pair in ((rows[p][a], others[q][column]) for a, column in enumerate(columns)):
            if pair not in lengths:
                lengths[pair] = lengths[p, q] + 1
                queue.append(pair)
    return None


def check_word(case: Pair) -> None:
    first, second = case
    found, expected = distinguish(first, second), shortest_difference(first, second)
    text = f"{text_of(first)}; {text_of(second)}: {found}"
    assert (None if found is None else len(found.word)) == expected, f"shortest is {expected}: {text}"
    if found is not None:
        labels = first.label_after(found.word), second.label_after(found.word)
        assert found.labels == labels, f"labels are {labels}: {text}"
        assert labels[0] != labels[1], text


def subject(build: Callable[[random.Random], Any], check: Callable[[Any], None]) -> Subject:
    """Return the subject whose cases are seeds, each of some tables or pairs."""

    def check_all(arithmetic: str, seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(TOGETHER):
            check(build(rng))

    return Subject(cases=lambda arithmetic: st.integers(0, LARGEST_SEED), check=check_all)


MINIMISATION = subject(random_automaton, check_minimal)
DISTINGUISHING_WORDS = subject(random_pair, check_word)
