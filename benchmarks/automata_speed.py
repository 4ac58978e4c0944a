"""How long minimal automata and distinguishing words take, and the same in automata-lib, in turn in one process.

Random automata of two symbols, half of whose states are final, and chains: states in a row, of which only the last is
final. Processor time, since all of it is one thread's; the best of several rounds. Automata-lib takes part as far as
`--theirs` states, and is timed once from 10,000 states on. Its minify takes a DFA object; ours is timed from arrays
(`minimal_table`) and from a DFA object (`minimal`).

    pip install automata-lib
    python benchmarks/automata_speed.py
"""

import argparse
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from exactnn.equivalence import AutomatonTable, dfa_of, distinguish, minimal, minimal_table
from exactnn.machine_files import to_automata_lib

ROUNDS = 5
FEW = 10_000
"""From so many states on, automata-lib is timed once."""

SHORTEST = 1e-3
"""Seconds that are long enough to be timed."""

OBJECTS = 100_000
"""DFA objects are made up to so many states; beyond, automata are arrays."""


def random_table(states: int, seed: int = 0) -> AutomatonTable:
    """Return a random automaton of two symbols."""
    draw = np.random.default_rng(seed)
    return AutomatonTable(
        transitions=draw.integers(0, states, (states, 2), dtype=np.int32),
        labels=draw.integers(0, 2, states, dtype=np.int32),
        symbols="ab",
        label_names=[False, True],
    )


def chain(states: int) -> AutomatonTable:
    """Return states in a row, the last one final: every state is a class, and plain refinement takes as many rounds."""
    following = np.minimum(np.arange(1, states + 1, dtype=np.int32), states - 1)
    labels = np.zeros(states, dtype=np.int32)
    labels[-1] = 1
    return AutomatonTable(
        transitions=np.stack([following, following], axis=1), labels=labels, symbols="ab", label_names=[False, True]
    )


def once_changed(table: AutomatonTable) -> AutomatonTable:
    """Return an automaton that differs in the label of the state that breadth-first search finds last."""
    smallest = minimal_table(table)
    labels = smallest.labels.copy()
    labels[-1] = 1 - labels[-1]
    return AutomatonTable(
        transitions=smallest.transitions, labels=labels, symbols=smallest.symbols, label_names=smallest.label_names
    )


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the shortest time of some calls, each repeated until the clock shows it."""
    times = []
    for _ in range(rounds):
        repeated = 0
        began = time.process_time()
        while (taken := time.process_time() - began) < SHORTEST or not repeated:
            work()
            repeated += 1
        times.append(taken / repeated)
    return min(times)


def shown(time_taken: float | None) -> str:
    """Return seconds with three digits, in a fitting unit."""
    if time_taken is None:
        return "–"
    unit, factor = next(pair for pair in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if time_taken * pair[1] >= 1)
    return f"{time_taken * factor:.3g} {unit}"


def theirs(table: AutomatonTable) -> Any:
    """Return the automaton of automata-lib, through a DFA object."""
    return to_automata_lib(dfa_of(table))


def row(kind: str, table: AutomatonTable, most: int) -> tuple[str, ...]:
    """Time one automaton, and return a row of the results."""
    smallest = minimal_table(table)
    other = once_changed(table)
    arrays = seconds(lambda: minimal_table(table))
    equal = seconds(lambda: distinguish(table, smallest))
    unlike = seconds(lambda: distinguish(table, other))
    witness = distinguish(table, other)
    objects = minify = compare = None
    if table.states <= OBJECTS:
        dfa = dfa_of(table)
        objects = seconds(lambda: minimal(dfa), 2)
    if table.states <= most:
        lib = theirs(table)
        rounds = ROUNDS if table.states < FEW else 1
        minify = seconds(lambda: lib.minify(), rounds)
        again = theirs(smallest)
        compare = seconds(lambda: lib == again, rounds)
        assert len(lib.minify().states) == smallest.states if table.states < FEW else lib == again
    assert witness is not None
    return (
        kind,
        f"{table.states:,}",
        f"{smallest.states:,}",
        shown(arrays),
        shown(objects),
        shown(minify),
        shown(equal),
        shown(compare),
        f"{shown(unlike)} ({len(witness.word):,} symbols)",
    )


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--most", type=int, default=10**6, help="states of the largest automata")
    options.add_argument("--theirs", type=int, default=10**4, help="states of the largest automata for automata-lib")
    chosen = options.parse_args()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "automata-lib"))
    console = Console(width=200)
    console.print(f"Python {platform.python_version()}, {packages}, {platform.processor() or platform.machine()}")
    table = Table(title="time for an automaton")
    for column in (
        *("automaton", "states", "minimal", "minimal_table", "minimal(DFA)", "automata-lib minify"),
        *("distinguish: equal", "automata-lib ==", "distinguish: different"),
    ):
        table.add_column(column)
    row("warm-up", random_table(10), 0)
    for kind, make in (("random", random_table), ("chain", chain)):
        states = 1000
        while states <= chosen.most:
            table.add_row(*row(kind, make(states), chosen.theirs))
            states *= 10
    console.print(table)


if __name__ == "__main__":
    main()
