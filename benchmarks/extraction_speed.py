"""Extraction of automata from networks: against learning by queries, and millions of states.

Minsky networks of random minimal DFAs with 100 states: all states enumerated and minimised, against L* of AALpy with
an equivalence oracle that lets it find all of them. Then a network of one neuron in fixed point that remembers its
last so many symbols, and one of three neurons with dense weights, with memory and time.

    pip install -e ".[learning]"
    python benchmarks/extraction_speed.py [--bits 24]
"""

import gc
import resource
import statistics
import time
from dataclasses import replace
from importlib.metadata import version
from random import Random, seed

import click
from gmpy2 import mpq
from rich.console import Console
from rich.table import Table

import exactnn as xn
from exactnn.arithmetic import Arithmetic
from exactnn.equivalence import minimal, minimal_table
from exactnn.networks import Decision, Network, Protocol
from exactnn.simulation import executor_for

ROUNDS = 5
EXTRACTIONS = 5
"""In each round, one after the other; learning takes once."""
WALKS = 1
"""Walks from each state of a hypothesis: the smallest number with which AALpy's oracle lets L* find all states here."""


def random_minimal_dfa(states: int, seed: int) -> xn.DFA:
    """Return a minimal DFA over two symbols with exactly so many states: the first one that random choices give."""
    random = Random(f"{states} {seed}")
    while True:
        size = states + random.randrange(states)
        dfa = xn.DFA(
            states=range(size),
            input_symbols="ab",
            transitions={q: {a: random.randrange(size) for a in "ab"} for q in range(size)},
            initial_state=0,
            final_states=[q for q in range(size) if random.random() < 0.5],
        )
        found = minimal(dfa)
        if isinstance(found, xn.DFA) and len(found.states) == states:
            return found


def learned_by_aalpy(network: Network, arithmetic: Arithmetic) -> int:
    """Learn a network with nothing but AALpy, a state kept from symbol to symbol; return the number of states found.

    Its oracle takes the smallest of some budgets that finds all states, which the caller knows.
    """
    from aalpy.base import SUL
    from aalpy.learning_algs import run_Lstar
    from aalpy.oracles import StatePrefixEqOracle

    executor = executor_for(network, arithmetic)
    symbols = list(network.input_symbols or ())

    class System(SUL):  # type: ignore[misc]
        def pre(self) -> None:
            self.state = executor.start()

        def post(self) -> None:
            pass

        def step(self, letter: str | None) -> bool:
            if letter is not None:
                segment = executor.advance(self.state, symbols.index(letter), 1, until_decided=False)
                self.state = segment.state
            output = executor.output(self.state)
            assert not isinstance(output, tuple)
            return network.decision.outcome(output) is xn.Outcome.ACCEPTED

    seed(1)  # AALpy draws from the module's generator
    system = System()
    oracle = StatePrefixEqOracle(symbols, system, walks_per_state=WALKS, walk_len=20)
    return len(run_Lstar(symbols, system, oracle, automaton_type="dfa", print_level=0).states)


def against_learning(console: Console, states: int) -> None:
    """Time extraction with minimisation, and L*, in turn."""
    table = Table(title=f"{states} states, milliseconds, median of {ROUNDS}")
    for column in ("arithmetic", "extracted, minimised", "L* (AALpy)", "ratio", "L* (exactnn)", "ratio"):
        table.add_column(column)
    network = xn.minsky(random_minimal_dfa(states, 0)).network
    for arithmetic in (xn.EXACT, xn.FLOAT16, xn.FLOAT32, xn.FLOAT64):
        xn.extract_state_machine(network, arithmetic)  # compiles
        mine, theirs, others = [], [], []
        for _ in range(ROUNDS):
            for _ in range(EXTRACTIONS):
                began = time.perf_counter()
                found = xn.extract_state_machine(network, arithmetic)
                assert found.table is not None
                assert minimal_table(found.table).states == states
                mine.append(time.perf_counter() - began)
            gc.collect()
            began = time.perf_counter()
            assert learned_by_aalpy(network, arithmetic) == states
            theirs.append(time.perf_counter() - began)
            began = time.perf_counter()
            learned = xn.learn_automaton(network, arithmetic=arithmetic, algorithm="L*", oracle="states")
            others.append(time.perf_counter() - began)
            gc.collect()
            assert learned.automaton is not None
            assert len(learned.automaton.states) == states
        fast, slow, kept = (statistics.median(times) * 1e3 for times in (mine, theirs, others))
        table.add_row(
            str(arithmetic), f"{fast:.2f}", f"{slow:.0f}", f"{slow / fast:.0f}", f"{kept:.0f}", f"{kept / fast:.0f}"
        )
    console.print(table)


def shift_register(bits: int) -> tuple[Network, xn.FixedPoint]:
    """Return a network whose number is its last symbols, as many as there are bits."""
    network = xn.SimpleRNN(V=[["1/2"]], W=[["0", "1/2"]], b=[0], s=[0], readout_weight=[1], readout_bias="-1/2",
                           activation="slu", alphabet="ab")  # fmt: skip
    return network, xn.FixedPoint(integer_bits=2, fraction_bits=bits, rounding="down")


def three_registers(bits: int) -> tuple[Network, xn.FixedPoint]:
    """Return a network of three neurons that passes symbols on from one to the next, mixed."""
    network = xn.SimpleRNN(
        V=[["1/2", 0, 0], ["1/4", "1/2", "1/8"], [0, "3/8", "1/2"]], W=[[0, "1/2"], ["1/8", 0], [0, "1/16"]],
        b=[0, 0, 0], s=[0, 0, 0], readout_weight=[1, -1, 1], readout_bias="-1/4", activation="slu", alphabet="ab",
    )  # fmt: skip
    return network, xn.FixedPoint(integer_bits=3, fraction_bits=bits)


def many_states(console: Console, bits: int) -> None:
    """Enumerate all states of two networks."""
    table = Table(title="all states of a fixed-point network")
    for column in ("network", "format", "states", "bound", "seconds", "ns a transition", "minimal", "seconds", "GiB"):
        table.add_column(column)
    for make, size in ((shift_register, bits), (three_registers, 7)):
        network, format = make(size)
        network = replace(network, decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(0)))
        found = xn.extract_state_machine(network, format)
        assert found.complete
        began = time.perf_counter()
        minimal = minimal_table(found.table)
        seconds = time.perf_counter() - began
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        table.add_row(
            f"{make.__name__} ({network.neurons})", str(format), f"{found.states:,}", f"{found.bound:,}",
            f"{found.seconds:.1f}", f"{found.seconds / found.states / 2 * 1e9:.0f}", f"{minimal.states:,}",
            f"{seconds:.1f}", f"{memory:.1f}",
        )  # fmt: skip
    console.print(table)


@click.command()
@click.option("--bits", default=24, show_default=True, help="Symbols that the network of one neuron remembers.")
@click.option("--states", default=100, show_default=True, help="Of the automata that are learned too.")
def main(bits: int, states: int) -> None:
    """Print the two tables."""
    console = Console()
    console.print(f"numba {version('numba')}, aalpy {version('aalpy')}")
    against_learning(console, states)
    many_states(console, bits)


if __name__ == "__main__":
    main()
