"""Hypothesis strategies of the tests: every value is valid by construction, nothing is filtered.

They shrink to the smallest numerator, one state, the shortest word, no units.
"""

from itertools import product

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.automata import (
    DFA,
    EMPTY,
    KEEP,
    POP,
    RESET,
    CounterMachine,
    MooreMachine,
    StackConfiguration,
    StackMachine,
    TuringMachine,
    push,
    tape_configuration,
)
from exactnn.linear_algebra import defect, ldl
from exactnn.networks import PIECEWISE_LINEAR, Circuit, Decision, Network, Protocol, Unit

LETTERS = "abcdefgh"
LONG = 10**6000
HALTING = ({"halt_state": "H"}, {"accept_state": "A"}, {"accept_state": "A", "reject_state": "R"})
"""The kinds of halting states that a Turing machine can have."""


def rationals(*, largest=6):
    """Rationals p/q with |p|, q <= `largest`."""
    return st.builds(mpq, st.integers(-largest, largest), st.integers(1, largest))


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


def scaled(matrix):
    """Return a multiple of a matrix with a spectral norm below 1."""
    while not ldl(defect(matrix)).definite:
        matrix = tuple(tuple(entry * mpq(3, 4) for entry in row) for row in matrix)
    return matrix


def contractive_matrices(*, size, entries=None):
    """Square matrices with a spectral norm below 1."""
    rows = matrices(size, size, rationals(largest=5) if entries is None else entries)
    return rows.map(lambda matrix: scaled(tuple(map(tuple, matrix))))


def words(alphabet, *, max_size=8):
    """Words over `alphabet` as tuples; only the empty one if there are no symbols."""
    if not alphabet:
        return st.just(())
    return st.lists(st.sampled_from(tuple(alphabet)), max_size=max_size).map(tuple)


@st.composite
def dfas(draw, *, max_states=5, max_symbols=3, symbols=None):
    """Complete deterministic automata with states q0, q1, ... and symbols a, b, ..., unless they are given."""
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = LETTERS[: draw(st.integers(1, max_symbols))] if symbols is None else symbols
    state = st.sampled_from(states)
    return DFA(
        states=states,
        input_symbols=symbols,
        transitions={q: {a: draw(state) for a in symbols} for q in states},
        initial_state=draw(state),
        final_states=draw(st.lists(state, unique=True)),
    )


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
def turing_machines(draw, *, max_states=3, max_symbols=3, tapes=("two_way_infinite", "semi_infinite"), halting=HALTING):
    """Total machines of every kind: with two, one or no verdicts, with or without an input alphabet, in any order."""
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = "_" + LETTERS[: draw(st.integers(1, max_symbols - 1))]
    halting = draw(st.sampled_from(halting))
    target = st.sampled_from([*halting.values(), *states])
    rule = st.tuples(target, st.sampled_from(symbols), st.sampled_from("RL"))
    return TuringMachine(
        states=draw(st.permutations([*states, *halting.values()])),
        input_symbols=draw(st.permutations(symbols[1 : draw(st.integers(1, len(symbols)))])),
        tape_symbols=draw(st.permutations(symbols)),
        transitions={q: {a: draw(rule) for a in symbols} for q in states},
        initial_state="q0",
        blank_symbol="_",
        tape=draw(st.sampled_from(tapes)),
        **halting,
    )


@st.composite
def stack_machines(draw, *, max_states=3, max_symbols=2, max_stacks=2, halting=HALTING):
    """Total stack machines of every kind: with two, one or no verdicts, with or without an input alphabet."""
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = LETTERS[: draw(st.integers(1, max_symbols))]
    stacks = draw(st.integers(1, max_stacks))
    halting = draw(st.sampled_from(halting))
    target = st.sampled_from([*halting.values(), *states])
    operation = st.sampled_from([KEEP, POP, *map(push, symbols)])
    rule = st.tuples(target, st.tuples(*[operation] * stacks))
    return StackMachine(
        states=draw(st.permutations([*states, *halting.values()])),
        input_symbols=draw(st.permutations(symbols[: draw(st.integers(0, len(symbols)))])),
        stack_symbols=symbols,
        stacks=stacks,
        transitions={q: {r: draw(rule) for r in product((*symbols, EMPTY), repeat=stacks)} for q in states},
        initial_state="q0",
        **halting,
    )


@st.composite
def counter_machines(draw, *, max_states=3, max_symbols=2, max_counters=2):
    """Total counter machines whose moves depend on everything that they may depend on."""
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = LETTERS[: draw(st.integers(1, max_symbols))]
    counters = draw(st.integers(1, max_counters))
    masks = list(product((0, 1), repeat=counters))
    rule = st.tuples(st.sampled_from(states), st.tuples(*[st.sampled_from([1, -1, 0, RESET])] * counters))
    return CounterMachine(
        states=states,
        input_symbols=symbols,
        counters=counters,
        transitions={q: {a: {mask: draw(rule) for mask in masks} for a in symbols} for q in states},
        initial_state="q0",
        acceptance=draw(st.sets(st.tuples(st.sampled_from(states), st.sampled_from(masks)))),
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


@st.composite
def circuits(draw, *, weights=None, max_state=4, min_input=0, max_input=3, max_layers=3, max_units=3):
    """Circuits of any shape: linear and second-order terms, and states that copy any register."""
    weight = rationals() if weights is None else weights
    state_size, input_size = draw(st.integers(0, max_state)), draw(st.integers(min_input, max_input))
    available = state_size + input_size
    layers = []
    for number in range(draw(st.integers(0, max_layers))):
        units = [draw(_units(f"u{number}.{i}", available, weight)) for i in range(draw(st.integers(1, max_units)))]
        layers.append(tuple(units))
        available += len(units)
    register = st.integers(0, max(0, available - 1))
    return Circuit(
        state_size=state_size,
        input_size=input_size,
        layers=tuple(layers),
        next_state=tuple(draw(register) for _ in range(state_size)),
    )


@st.composite
def _units(draw, name, available, weight):
    register = st.integers(0, available - 1)
    linear = st.lists(st.tuples(register, weight), max_size=3) if available else st.just([])
    bilinear = st.lists(st.tuples(register, register, weight), max_size=2) if available else st.just([])
    return Unit(
        name=name,
        bias=draw(weight),
        linear=tuple(draw(linear)),
        bilinear=tuple(draw(bilinear)),
        activation=draw(st.sampled_from(PIECEWISE_LINEAR)),
    )


@st.composite
def networks(draw, *, weights=None, protocols=tuple(Protocol), names=None, **sizes):
    """Networks around :func:`circuits` of `sizes`, reading vectors or one-hot symbols, of any of `protocols`."""
    weight = rationals() if weights is None else weights
    circuit = draw(circuits(weights=weight, min_input=int(all(p.reads_eos for p in protocols)), **sizes))
    fitting = [p for p in protocols if circuit.input_size or not p.reads_eos]
    protocol = draw(st.sampled_from(fitting))
    scalar = protocol is not Protocol.OUTPUTS or draw(st.booleans())
    outputs = 1 if scalar else draw(st.integers(0, 3))
    one_hot = protocol.reads_eos or draw(st.booleans())
    alphabet = tuple(LETTERS[: circuit.input_size])
    if protocol.reads_eos:
        alphabet = (*alphabet[1:], "EOS")
    return Network(
        circuit=circuit,
        initial_state=tuple(draw(weight) for _ in range(circuit.state_size)),
        readout=tuple(draw(_units(f"y{i}", circuit.state_size, weight)) for i in range(outputs)),
        alphabet=alphabet if one_hot else None,
        decision=Decision(protocol=protocol, threshold=draw(st.sampled_from((mpq(0), mpq(1, 2), mpq(1, 3))))),
        scalar_output=scalar,
        name="network" if names is None else draw(names),
    )


def network_words(network, *, max_size=6, entries=None):
    """Words that `network` can read: symbols, or vectors of rationals."""
    if network.alphabet is not None:
        return words(network.input_symbols, max_size=max_size)
    size = network.circuit.input_size
    vector = st.tuples(*[rationals() if entries is None else entries] * size)
    return st.lists(vector, max_size=max_size)


@st.composite
def networks_and_words(draw, *, max_size=6, **options):
    """Pairs of a network and a word that it can read."""
    network = draw(networks(**options))
    return network, draw(network_words(network, max_size=max_size, entries=options.get("weights")))
