"""Learning the automaton of a Minsky network by queries: L* and KV, with each oracle.

The networks are those of random automata over two symbols that are minimal, with uniform transitions and final states
by a coin. All run in exact arithmetic. Each is learned with the limits that `learn_automaton` has anyway; "right" says
how many came out equivalent. Seconds are the best of three rounds; like all figures they are means over the automata.
What one call keeps is not there for the next.

    python benchmarks/learning_speed.py [STATES ...]
"""

import platform
import random
import sys
from importlib.metadata import version
from statistics import mean

from rich.console import Console
from rich.table import Table

import exactnn as xn
from exactnn.equivalence import ORACLES
from exactnn.equivalence.learning.learned_automaton import Hypothesis, minimal

SIZES = (10, 20, 50, 100)
AUTOMATA = 5
ROUNDS = 3


def hypothesis_of(dfa: xn.DFA) -> Hypothesis:
    """Return the minimal form of an automaton, whose states have numbers in order of discovery."""
    number = {state: n for n, state in enumerate(dfa.states)}
    rows = [[number[dfa.transitions[state][symbol]] for symbol in dfa.input_symbols] for state in dfa.states]
    final = set(dfa.final_states)
    outcomes = [xn.Outcome.ACCEPTED if state in final else xn.Outcome.REJECTED for state in dfa.states]
    return minimal(rows, outcomes, number[dfa.initial_state])


def random_automaton(states: int, seed: int) -> xn.DFA:
    """Return a minimal automaton with exactly so many states: the first one that random choices give."""
    rng = random.Random(f"{states} {seed}")
    while True:
        size = states + rng.randrange(states)
        dfa = xn.DFA(
            states=range(size),
            input_symbols="ab",
            transitions={q: {a: rng.randrange(size) for a in "ab"} for q in range(size)},
            initial_state=0,
            final_states=[q for q in range(size) if rng.random() < 0.5],
        )
        found = hypothesis_of(dfa)
        if len(found) == states:
            return xn.DFA(
                states=range(states),
                input_symbols="ab",
                transitions={q: dict(zip("ab", row, strict=True)) for q, row in enumerate(found.transitions)},
                initial_state=0,
                final_states=[q for q, outcome in enumerate(found.outcomes) if outcome is xn.Outcome.ACCEPTED],
            )


def measure(dfa: xn.DFA, algorithm: str, oracle: str) -> tuple[float, xn.LearnedAutomaton, bool]:
    """Return the seconds of the fastest round, what was learned, and whether it is right."""
    network = xn.compile(dfa).network
    rounds = [xn.learn_automaton(network, algorithm=algorithm, oracle=oracle) for _ in range(ROUNDS)]
    learned = rounds[0]
    assert learned.automaton is not None
    return min(each.seconds for each in rounds), learned, hypothesis_of(learned.automaton) == hypothesis_of(dfa)


def main() -> None:
    """Print the table."""
    sizes = [int(argument) for argument in sys.argv[1:]] or SIZES
    console = Console(width=140)
    console.print(f"Python {platform.python_version()}, aalpy {version('aalpy')}, gmpy2 {version('gmpy2')}")
    table = Table(title=f"Learning by queries, means over {AUTOMATA} automata")
    columns = ("states", "algorithm", "oracle", "seconds", "words asked", "hypotheses", "network steps", "states found")
    for column in (*columns, "right", "proven"):
        table.add_column(column, justify="right")
    for states in sizes:
        automata = [random_automaton(states, seed) for seed in range(AUTOMATA)]
        for algorithm in ("L*", "KV"):
            for oracle in ORACLES:
                seconds, learned, right = zip(*(measure(dfa, algorithm, oracle) for dfa in automata), strict=True)
                table.add_row(
                    str(states), algorithm, oracle,
                    f"{mean(seconds):.3f}",
                    f"{mean(each.membership_queries for each in learned):.0f}",
                    f"{mean(each.rounds for each in learned):.0f}",
                    f"{mean(each.steps for each in learned):.0f}",
                    f"{mean(len(each.outcomes) for each in learned):.1f}",
                    f"{sum(right)}/{AUTOMATA}",
                    f"{sum(each.certified for each in learned)}/{AUTOMATA}",
                )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
