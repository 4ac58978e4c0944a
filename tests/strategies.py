"""Hypothesis strategies of the tests: those of `exactnn.strategies`, and what only tests draw.

Machines here have states that nothing leads to, too: what is minimised or encoded must cope with them.
"""

from functools import partial

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn import strategies
from exactnn.automata import MooreMachine, StackConfiguration, tape_configuration
from exactnn.networks import Activation
from exactnn.simulation.executor import Basic
from exactnn.strategies import HALTING, circuits, networks, rationals, words
from exactnn.strategies.networks import contractive_matrices
from exactnn.strategies.numbers import LETTERS

__all__ = [
    "HALTING",
    "LETTERS",
    "circuits",
    "contractive_matrices",
    "counter_machines",
    "dfas",
    "extreme_rationals",
    "long_rationals",
    "matrices",
    "moore_machines",
    "network_words",
    "networks",
    "networks_and_words",
    "rationals",
    "stack_configurations",
    "stack_machines",
    "tape_configurations",
    "turing_machines",
    "words",
]

dfas = partial(strategies.dfas, reachable=False, shuffled=True)
turing_machines = partial(strategies.turing_machines, reachable=False, shuffled=True)
counter_machines = partial(strategies.counter_machines, reachable=False, shuffled=True)
stack_machines = partial(strategies.stack_machines, reachable=False, shuffled=True)
LONG = 10**6000


def long_rationals():
    """Rationals with more than 5000 decimal digits above and below the line."""
    return st.builds(
        lambda p, q, sign: sign * mpq(LONG + p, LONG * 7 + q),
        st.integers(0, 10**6),
        st.integers(1, 10**6),
        st.sampled_from((1, -1)),
    )


def extreme_rationals():
    """Rationals on which float formats overflow, underflow or tie."""
    dyadic = st.builds(lambda n, e: mpq(n) * mpq(2) ** e, st.integers(-(2**60), 2**60), st.integers(-1180, 1020))
    return st.one_of(rationals(), dyadic, dyadic.map(lambda x: x + mpq(1, 3) * mpq(2) ** -1000))


def matrices(height, width, entries):
    """Matrices as lists of rows."""
    return st.lists(st.lists(entries, min_size=width, max_size=width), min_size=height, max_size=height)


@st.composite
def moore_machines(draw, *, max_states=5, max_symbols=3, symbols=None, outputs=("x", "y", 0)):
    """Complete Moore machines with states q0, q1, ... and symbols a, b, ..., unless they are given."""
    dfa = draw(dfas(max_states=max_states, max_symbols=max_symbols, symbols=symbols))
    return MooreMachine(
        states=dfa.states,
        input_symbols=dfa.input_symbols,
        transitions=dfa.transitions,
        initial_state=dfa.initial_state,
        outputs={q: draw(st.sampled_from(outputs)) for q in dfa.states},
    )


@st.composite
def stack_configurations(draw, machine, *, states=None, max_size=5):
    """Configurations of a stack machine, reachable or not."""
    stack = st.lists(st.sampled_from(machine.stack_symbols), max_size=max_size).map(tuple)
    state = st.sampled_from(tuple(machine.states if states is None else states))
    return StackConfiguration(state=draw(state), stacks=tuple(draw(stack) for _ in range(machine.stacks)))


@st.composite
def tape_configurations(draw, machine, *, states=None, max_size=6):
    """Configurations of `machine` in their unique form, reachable or not."""
    symbol = st.sampled_from(machine.tape_symbols)
    cells = st.lists(symbol, max_size=max_size)
    state = st.sampled_from(tuple(machine.states if states is None else states))
    return tape_configuration(machine, draw(state), draw(cells), draw(symbol), draw(cells))


def network_words(network, *, max_size=6, entries=None):
    """Words that `network` can read: symbols, or vectors of rationals."""
    if network.alphabet is not None:
        return words(network.input_symbols, max_size=max_size)
    size = network.circuit.input_size
    vector = st.tuples(*[rationals() if entries is None else entries] * size)
    return st.lists(vector, max_size=max_size)


BASIC = tuple(map(Activation.named, Basic))


@st.composite
def networks_and_words(draw, *, max_size=6, **options):
    """Pairs of a network, of the activations that every executor knows, and a word that it can read."""
    network = draw(networks(**{"activations": BASIC} | options))
    return network, draw(network_words(network, max_size=max_size, entries=options.get("weights")))
