"""Networks and automata at random, and oracles in plain Python: all states, and how a word ends."""

import random
from collections import deque
from dataclasses import replace
from itertools import product

from gmpy2 import mpq

from exactnn.arithmetic import FLOAT8_E4M3, FLOAT8_E5M2, FLOAT16, FLOAT32, FLOAT64, FixedPoint, FloatFormat
from exactnn.automata import DFA
from exactnn.equivalence.closure_check import reference_for
from exactnn.equivalence.lazy_moore import exact_output
from exactnn.equivalence.spaces.listed import identity_of_numbers
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, Unit
from exactnn.outcome import Outcome

FORMATS = (
    FLOAT8_E4M3, FLOAT8_E5M2, FLOAT16, FLOAT32, FLOAT64,
    FloatFormat(precision=3, exponent_bits=3, rounding="down"), FloatFormat(precision=2, exponent_bits=4, fused=True),
    FloatFormat(precision=4, exponent_bits=3, specials="nan"),
    FloatFormat(precision=5, exponent_bits=4, subnormals=False),
    FloatFormat(precision=3, exponent_bits=4, accumulator=FloatFormat(precision=6, exponent_bits=5)),
    FloatFormat(precision=4, exponent_bits=4, summation="pairwise", rounding="nearest away"),
    FloatFormat(precision=60, exponent_bits=8), FixedPoint(integer_bits=4, fraction_bits=3),
    FixedPoint(integer_bits=4, fraction_bits=2, overflow="wrap", rounding="toward zero"),
    FixedPoint(integer_bits=40, fraction_bits=40),
)  # fmt: skip


NAMES = ("identity", "relu", "slu", "heaviside", "sigmoid", "tanh")
EVERY_ACTIVATION = tuple(map(Activation.named, NAMES))  # what a seed draws goes by their order


def random_recogniser(rng, protocol=None, *, denominators=(1, 2, 4), activations=EVERY_ACTIVATION, second_order=0.2):
    """Return a network that reads one to three symbols, with small weights, layers and second-order terms."""
    protocol = protocol or rng.choice(tuple(Protocol))
    symbols = [*"abc"[: rng.randint(1, 3)], *([EOS] if protocol.reads_eos else [])]

    def number():
        return mpq(rng.randint(-4, 4), rng.choice(denominators))

    def unit(name, available):
        linear = tuple((i, number()) for i in range(available) if rng.random() < 0.6)
        pairs = [
            (rng.randrange(available), rng.randrange(available), number()) for _ in range(rng.random() < second_order)
        ]
        return Unit(name=name, bias=number(), linear=linear, bilinear=tuple(pairs), activation=rng.choice(activations))

    size = rng.randint(1, 3)
    available = size + len(symbols)
    layers = []
    for depth in range(rng.choice((1, 1, 2))):
        layers.append(tuple(unit(f"u{depth}.{i}", available) for i in range(rng.randint(1, size))))
        available += len(layers[-1])
    circuit = Circuit(
        state_size=size,
        input_size=len(symbols),
        layers=tuple(layers),
        next_state=tuple(rng.randrange(size + len(symbols), available) for _ in range(size)),
    )
    return Network(
        circuit=circuit,
        initial_state=tuple(number() for _ in range(size)),
        readout=(Unit(name="out", bias=number(), linear=tuple((i, number()) for i in range(size))),),
        alphabet=tuple(symbols),
        decision=Decision(protocol=protocol, threshold=mpq(rng.choice((0, 1, 2)), 2)),
    )


def random_dfa(rng, states, symbols="ab"):
    """Return a DFA whose states need not all be reached or differ."""
    names = [f"q{i}" for i in range(states)]
    return DFA(
        states=names,
        input_symbols=symbols,
        transitions={q: {a: rng.choice(names) for a in symbols} for q in names},
        initial_state=rng.choice(names),
        final_states=[q for q in names if rng.random() < 0.4],
    )


def changed_basis(network, rng, entries):
    """Return a network whose state is P h instead of h, for an invertible matrix P = L U of these entries."""
    size = network.circuit.state_size
    lower = [[rng.choice(entries) if j < i else mpq(i == j) for j in range(size)] for i in range(size)]
    upper = [[rng.choice(entries) if j > i else mpq(i == j) for j in range(size)] for i in range(size)]
    basis = times(lower, upper)
    back = times(inverse_of_upper(upper), inverse_of_lower(lower))
    (layer,) = network.circuit.layers
    units = tuple(through(unit, back, size) for unit in layer)
    first = size + network.circuit.input_size
    following = [network.circuit.next_state[j] for j in range(size)]
    states = tuple(
        Unit(name=f"p{i}", bias=mpq(0), linear=tuple((following[j], basis[i][j]) for j in range(size) if basis[i][j]))
        for i in range(size)
    )
    circuit = Circuit(
        state_size=size,
        input_size=network.circuit.input_size,
        layers=(units, states),
        next_state=tuple(first + len(units) + i for i in range(size)),
    )
    start = tuple(sum((basis[i][j] * network.initial_state[j] for j in range(size)), mpq(0)) for i in range(size))
    readout = tuple(through(unit, back, size) for unit in network.readout)
    return replace(network, circuit=circuit, initial_state=start, readout=readout)


def through(unit, back, size):
    """Return a unit that reads the old state out of the new one."""
    weights = {}
    for register, weight in unit.linear:
        parts = enumerate(back[register]) if register < size else [(register, mpq(1))]
        for i, part in parts:
            weights[i] = weights.get(i, mpq(0)) + weight * part
    return replace(unit, linear=tuple((i, weight) for i, weight in sorted(weights.items()) if weight))


def times(a, b):
    return [
        [sum((x * y for x, y in zip(row, column, strict=True)), mpq(0)) for column in zip(*b, strict=True)] for row in a
    ]


def inverse_of_lower(matrix):
    size = len(matrix)
    inverse = [[mpq(i == j) for j in range(size)] for i in range(size)]
    for i in range(size):
        for j in range(i):
            inverse[i] = [x - matrix[i][j] * y for x, y in zip(inverse[i], inverse[j], strict=True)]
    return inverse


def inverse_of_upper(matrix):
    transposed = [list(column) for column in zip(*matrix, strict=True)]
    return [list(column) for column in zip(*inverse_of_lower(transposed), strict=True)]


def plain_states(network, arithmetic, most):
    """Return what tells the states apart that words lead to, by the reference executor; None if there are more."""
    executor = reference_for(network, arithmetic)
    start = executor.start()
    found, queue = {identity_of_numbers(executor.values(start))}, deque([start])
    letters = [i for i, symbol in enumerate(network.alphabet) if symbol != EOS]
    while queue:
        state = queue.popleft()
        for letter in letters:
            following = executor.advance(state, letter, 1, until_decided=False).state
            identity = identity_of_numbers(executor.values(following))
            if identity not in found:
                if len(found) == most:
                    return None
                found.add(identity)
                queue.append(following)
    return found


def plain_label(network, arithmetic, word, most=2000):
    """Return what a network says of a word, by the reference executor and a set of all states on EOS."""
    executor = reference_for(network, arithmetic)
    state = executor.start()
    for symbol in word:
        state = executor.advance(state, network.alphabet.index(symbol), 1, until_decided=False).state
    decision = network.decision
    if decision.protocol is Protocol.OUTPUTS:
        return exact_output(executor.output(state))
    if not decision.protocol.reads_eos:
        return decision.outcome(executor.output(state))
    met = set()
    for _ in range(most):
        identity = identity_of_numbers(executor.values(state))
        if identity in met:
            return Outcome.NON_HALTING
        met.add(identity)
        state = executor.advance(state, network.alphabet.index(EOS), 1, until_decided=False).state
        outcome = decision.outcome(executor.output(state))
        if outcome is not None:
            return outcome
    return None


def words_up_to(symbols, length):
    """Return all words of at most `length` symbols, shorter ones first."""
    return [word for n in range(length + 1) for word in product(symbols, repeat=n)]


def label_of(automaton, word):
    """Return what an automaton says of a word, as a network's label."""
    state = automaton.initial_state
    for symbol in word:
        state = automaton.transitions[state][symbol]
    if isinstance(automaton, DFA):
        return Outcome.ACCEPTED if state in automaton.final_states else Outcome.REJECTED
    return automaton.outputs[state]


def seeded(*parts):
    """Return a generator that depends on nothing but `parts`."""
    return random.Random(" ".join(map(str, parts)))
