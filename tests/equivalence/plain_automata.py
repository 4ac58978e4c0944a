"""Plain Python oracles: Moore's refinement, words by brute force, random tables."""

import random
from itertools import product

from exactnn.equivalence import AutomatonTable


def random_table(seed, states, symbols="ab", labels=2):
    """A table drawn from a seeded generator; every label may occur, and states need not be reachable."""
    rng = random.Random(seed)
    return AutomatonTable(
        transitions=[[rng.randrange(states) for _ in symbols] for _ in range(states)] if symbols else [[]] * states,
        labels=[rng.randrange(labels) for _ in range(states)],
        symbols=symbols,
        label_names=[f"label {i}" for i in range(labels)],
        initial_state=rng.randrange(states),
    )


def shuffled(table, seed, *, copies=1):
    """An equivalent table: each state `copies` times, in another order, with the labels in another order."""
    rng = random.Random(seed)
    states = [(q, copy) for q in range(table.states) for copy in range(copies)]
    rng.shuffle(states)
    place = {state: i for i, state in enumerate(states)}
    names = list(table.label_names)
    rng.shuffle(names)
    rows = [[place[int(target), rng.randrange(copies)] for target in table.transitions[q]] for q, _ in states]
    return AutomatonTable(
        transitions=rows if table.symbols else [[]] * len(states),
        labels=[names.index(table.label_names[table.labels[q]]) for q, _ in states],
        symbols=table.symbols,
        label_names=names,
        initial_state=place[table.initial_state, 0],
    )


def reachable(table):
    """The states that can be reached, in breadth-first order."""
    found = [table.initial_state]
    for state in found:
        found += [t for t in dict.fromkeys(table.transitions[state].tolist()) if t not in found]
    return found


def moore_classes(table):
    """The class of each state that can be reached, by Moore's refinement: round after round until nothing splits."""
    states = reachable(table)
    classes = {q: int(table.labels[q]) for q in states}
    while True:
        signatures = {q: (classes[q], *(classes[t] for t in table.transitions[q].tolist())) for q in states}
        numbers = {signature: i for i, signature in enumerate(dict.fromkeys(signatures.values()))}
        if len(numbers) == len(set(classes.values())):
            return classes
        classes = {q: numbers[signatures[q]] for q in states}


def words_up_to(symbols, length):
    """All words of at most `length` symbols, shorter ones first."""
    for n in range(length + 1):
        yield from product(symbols, repeat=n)


def difference_by_brute_force(first, second, length):
    """The length of the shortest word up to `length` after which two tables differ, or None."""
    for word in words_up_to(first.symbols, length):
        if first.label_after(word) != second.label_after(word):
            return len(word)
    return None
