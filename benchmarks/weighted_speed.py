"""Weighted automata: values of words against scikit-splearn and a plain loop, least sizes, and what floats learn.

    pip install scikit-splearn
    python benchmarks/weighted_speed.py            # values, decisions
    python benchmarks/weighted_speed.py --pairs    # 10,000 random pairs, decided and then compared word by word
    python benchmarks/weighted_speed.py --spectral # which automata float64 and float32 do not find

Everything runs in one process, in turn; the best of five rounds. scikit-splearn computes in float64 with numpy, a
product for each symbol; the plain loop is exact, over lists of gmpy2 rationals.
"""

import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from itertools import product
from typing import Any

import click
import numpy as np
from gmpy2 import mpq
from rich.console import Console
from rich.table import Table

import exactnn as xn

ROUNDS = 5
LENGTH = 1000


def random_automaton(size: int, seed: int, *, sparse: bool = False, name: str = "random") -> Any:
    """Return an automaton over two symbols; with `sparse` three weights a row, else all of them."""
    draw = np.random.default_rng(seed)

    def row() -> list[mpq]:
        numbers = draw.integers(-4, 5, size).tolist()
        kept = set(draw.choice(size, min(3, size), replace=False).tolist()) if sparse else range(size)
        return [mpq(x, 4 * size) if j in kept else mpq(0) for j, x in enumerate(numbers)]

    return xn.WeightedAutomaton(
        input_symbols="ab",
        initial=row(),
        transitions={a: [row() for _ in range(size)] for a in "ab"},
        final=row(),
        name=name,
    )


def plain_value(automaton: Any, word: Iterable[str]) -> mpq:
    """Return the value by a loop that anybody would write."""
    weights = list(automaton.initial)
    for symbol in word:
        matrix = automaton.transitions[symbol]
        size = range(len(weights))
        weights = [sum((weights[i] * matrix[i][j] for i in size), mpq(0)) for j in size]
    return sum((x * y for x, y in zip(weights, automaton.final, strict=True)), mpq(0))


def best(work: Callable[[], object]) -> float:
    """Return the seconds of the best of some rounds."""
    found = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


def values() -> Table:
    """Time the value of a word."""
    np.float_ = np.float64  # as numpy before 2 calls it, which scikit-splearn 1.2.1 is written for
    from splearn.automaton import Automaton

    table = Table("automaton", "exact value", "plain gmpy2 loop", "network, float64", "scikit-splearn, float64")
    word = "ab" * (LENGTH // 2)
    for size, sparse in ((2, False), (10, False), (10, True), (60, True)):
        automaton = random_automaton(size, size, sparse=sparse)
        network = xn.compile(automaton)

        def floats(x: Any) -> Any:
            return np.array([list(map(float, row)) for row in x] if isinstance(x[0], tuple) else list(map(float, x)))

        theirs = Automaton(
            nbL=2,
            nbS=size,
            initial=floats(automaton.initial),
            final=floats(automaton.final),
            transitions=[floats(automaton.transitions[a]) for a in "ab"],
        )
        numbers = [0, 1] * (LENGTH // 2)
        assert automaton.value(word) == plain_value(automaton, word)
        assert np.isclose(float(automaton.value(word)), theirs.val(numbers))
        times = [
            best(lambda a=automaton: a.value(word)),
            best(lambda a=automaton: plain_value(a, word)),
            best(lambda n=network: xn.run(n, word, arithmetic=xn.FLOAT64, record="outputs")),
            best(lambda t=theirs, n=numbers: t.val(n)),
        ]
        kind = "three weights a row" if sparse else "all weights"
        table.add_row(f"{size} states, {kind}", *(f"{1e3 * t:.3g} ms" for t in times))
    return table


def decisions() -> Table:
    """Time least sizes and equality."""
    table = Table("automaton", "least size", "equal to itself in another basis")
    for size in (10, 60, 150, 300):
        automaton = random_automaton(size, size)
        begin = time.perf_counter()
        least = xn.minimal_weighted(automaton)
        middle = time.perf_counter()
        assert least.size == size
        changed = in_another_basis(automaton)
        assert xn.compare_weighted(automaton, changed).equal
        table.add_row(f"{size} states, all weights", f"{middle - begin:.3g} s", f"{time.perf_counter() - middle:.3g} s")
    for size in (10, 60, 150):
        small = random_automaton(size // 2, size)
        twice = small + small
        begin = time.perf_counter()
        least = xn.minimal_weighted(twice)
        middle = time.perf_counter()
        assert least.size == size // 2
        assert xn.compare_weighted(twice, least).equal
        table.add_row(
            f"{twice.size} states, of which half are needed",
            f"{middle - begin:.3g} s",
            f"{time.perf_counter() - middle:.3g} s",
        )
    return table


def in_another_basis(automaton: Any) -> Any:
    """Return an automaton with the same values: its states in reverse order, with every other weight doubled."""
    order = [(i, mpq(1 + i % 2)) for i in reversed(automaton.states)]
    return xn.WeightedAutomaton(
        input_symbols=automaton.input_symbols,
        initial=[automaton.initial[i] * x for i, x in order],
        transitions={
            a: [[m[i][j] * y / x for j, y in order] for i, x in order] for a, m in automaton.transitions.items()
        },
        final=[automaton.final[i] / x for i, x in order],
    )


def pairs(count: int) -> str:
    """Decide random pairs, half of them equal, and compare all words shorter than the bound."""
    draw = np.random.default_rng(0)
    equal = 0
    for number in range(count):
        first = small_automaton(draw)
        kind = number % 4
        second = small_automaton(draw)
        if kind == 0:
            second = xn.minimal_weighted(first)
        elif kind == 1:
            second = first + 0 * second
        found = xn.compare_weighted(first, second)
        bound = first.size + second.size
        words = (w for n in range(bound) for w in product("ab", repeat=n))
        shortest = next((w for w in words if first.value(w) != second.value(w)), None)
        assert found.witness == shortest, (first, second, found, shortest)
        assert found.equal is (shortest is None)
        equal += found.equal
    return f"{count:,} pairs of automata, {equal:,} of them equal: all as the words shorter than the bound say"


def small_automaton(draw: Any) -> Any:
    """Return an automaton of up to three states whose weights are halves."""
    size = int(draw.integers(1, 4))

    def row() -> list[mpq]:
        return [mpq(int(x), 2) for x in draw.integers(-2, 3, size)]

    return xn.WeightedAutomaton(
        input_symbols="ab", initial=row(), transitions={a: [row() for _ in range(size)] for a in "ab"}, final=row()
    )


def spectral(count: int) -> Table:
    """Learn automata whose poles come nearer: how many are found exactly, and how many floats give the right size."""
    table = Table("condition number", "automata", "exactly the same", "size right in float64", "in float32")
    classes: dict[int, list[list[bool]]] = {}
    draw = np.random.default_rng(1)
    for _ in range(count):
        size = int(draw.integers(2, 5))
        gap = mpq(1, int(10 ** draw.uniform(0, 8)))
        poles = [mpq(1, 2) + i * gap / 4 for i in range(size)]
        matrix = [[poles[i] if i == j else mpq(0) for j in range(size)] for i in range(size)]
        automaton = xn.WeightedAutomaton(
            input_symbols="ab",
            initial=[1] * size,
            transitions=dict.fromkeys("ab", matrix),
            final=[1 + i for i in range(size)],
        )
        some = ["".join(w) for n in range(size + 1) for w in product("ab", repeat=n)]
        block = np.array([[float(automaton.value(u + v)) for v in some] for u in some])
        singular = np.linalg.svd(block)[1]
        condition = singular[0] / max(singular[size - 1], 1e-300)
        row = [xn.compare_weighted(xn.spectral_learn(automaton, some, some), automaton).equal]
        row += [xn.spectral_learn(automaton, some, some, arithmetic=a).size == size for a in (xn.FLOAT64, xn.FLOAT32)]
        classes.setdefault(int(np.log10(condition)) // 2 * 2, []).append(row)
    for decade, rows in sorted(classes.items()):
        table.add_row(f"1e{decade} to 1e{decade + 2}", *map(str, (len(rows), *map(sum, zip(*rows, strict=True)))))
    return table


@click.command()
@click.option("--pairs", "count", is_flag=False, flag_value=10_000, type=int, help="Decide so many random pairs.")
@click.option("--spectral", "learned", is_flag=False, flag_value=200, type=int, help="Learn so many automata.")
def main(count: int | None, learned: int | None) -> None:
    """Time weighted automata, or check them."""
    console = Console(width=140)
    console.print(f"exactnn {xn.__version__}, gmpy2 {version('gmpy2')}, numpy {version('numpy')}")
    if count is not None:
        console.print(pairs(count))
    if learned is not None:
        console.print(spectral(learned))
    if count is None and learned is None:
        console.print(f"scikit-splearn {version('scikit-splearn')}; a word of {LENGTH:,} symbols")
        console.print(values())
        console.print(decisions())


if __name__ == "__main__":
    main()
