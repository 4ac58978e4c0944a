"""Networks with a stack: beside a plain loop of a controller and a stack value, exactly and in formats; full stacks."""

from dataclasses import replace
from itertools import pairwise, product
from random import Random

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.constructions import StackRNN
from exactnn.errors import NetworkError, NumberError, OptionError
from exactnn.networks import Decision, Protocol
from exactnn.outcome import Outcome
from exactnn.stacks import StratifiedStack, SuperpositionStack

KINDS = [SuperpositionStack, StratifiedStack]


def random_parts(random, values, inputs, size):
    """Weights of a controller of simple units, and of all heads."""

    def matrix(height, width):
        return [[mpq(random.randint(-4, 6), random.randint(2, 6)) for _ in range(width)] for _ in range(height)]

    return {
        "V": matrix(size, size), "W": matrix(size, inputs + values), "b": matrix(1, size)[0],
        "s": [mpq(random.randint(0, 3), 4) for _ in range(size)],
        "push": matrix(1, size)[0], "pop": matrix(1, size)[0], "value": matrix(values, size),
        "readout": matrix(1, size)[0], "biases": matrix(1, 2)[0], "last": matrix(1, values)[0],
    }  # fmt: skip


def network_of(parts, kind, depth, **options):
    controller = xn.SimpleRNNLayer(V=parts["V"], W=parts["W"], b=parts["b"], s=parts["s"], activation="slu")
    return StackRNN(
        controller=controller, stack=kind(values=len(parts["value"])), depth=depth, push_weight=parts["push"],
        push_bias=parts["biases"][0], pop_weight=parts["pop"], pop_bias=parts["biases"][1],
        value_weight=parts["value"], value_bias=parts["last"], readout_weight=parts["readout"], **options,
    )  # fmt: skip


def slu(x):
    return max(mpq(0), min(mpq(1), x))


def plain(parts, kind, word):
    """Yield the hidden state and the stack after each input, by the equations."""

    def times(matrix, vector):
        return [sum((x * y for x, y in zip(row, vector, strict=True)), mpq(0)) for row in matrix]

    values = len(parts["value"])
    h, stack, reading = parts["s"], kind(values=values), (mpq(0),) * values
    for x in word:
        sums = zip(times(parts["V"], h), times(parts["W"], [*x, *reading]), parts["b"], strict=True)
        h = [slu(a + b + c) for a, b, c in sums]
        g = slu(times([parts["push"]], h)[0] + parts["biases"][0])
        f = slu(times([parts["pop"]], h)[0] + parts["biases"][1])
        v = [x + y for x, y in zip(times(parts["value"], h), parts["last"], strict=True)]
        stack = stack.step(v, push=g, pop=(1 - g) * f if kind is SuperpositionStack else f)
        reading = stack.reading
        yield h, stack


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), values=st.integers(1, 2), length=st.integers(1, 6))
def test_a_network_is_its_controller_and_its_stack(kind, seed, values, length):
    """With enough depth nothing is lost, and hidden states and stacks are those of the equations at each step."""
    random = Random(seed)
    parts = random_parts(random, values, 2, 2)
    word = [[random.randint(-2, 2), random.randint(-2, 2)] for _ in range(length)]
    network = network_of(parts, kind, length + 1)
    found = xn.run(network, word, arithmetic=xn.RATIONAL, record="all")
    for state, output, (h, stack) in zip(list(found.trace)[1:], found.outputs, plain(parts, kind, word), strict=True):
        assert list(state[:2]) == h
        assert output == (sum(x * y for x, y in zip(parts["readout"], h, strict=True)), 0)
        rest = list(state[2:-1])
        if kind is SuperpositionStack:
            cells = [tuple(rest[i * values : (i + 1) * values]) for i in range(length + 1)]
            assert cells == [*stack.cells, *[(0,) * values] * (length + 1 - len(stack.cells))]
        else:
            strengths, vectors = rest[: length + 1], rest[length + 1 : -values]
            cells = [tuple(vectors[i * values : (i + 1) * values]) for i in range(length + 1)]
            found_there = [pair for pair in zip(strengths, cells, strict=True) if pair[0]]
            expected = zip(reversed(stack.strengths), reversed(stack.vectors), strict=True)
            assert found_there == [pair for pair in expected if pair[0]]
            assert tuple(rest[-values:]) == stack.reading


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 4))
def test_what_is_lost_tells_whether_anything_differs(kind, seed, depth):
    """As long as it is 0 the network is the one with an unlimited stack; it never decreases."""
    random = Random(seed)
    parts = random_parts(random, 1, 1, 2)
    word = [[random.randint(-2, 3)] for _ in range(7)]
    small, large = (xn.run(network_of(parts, kind, d), word, arithmetic=xn.RATIONAL).outputs for d in (depth, 8))
    lost = [y[1] for y in small]
    assert all(x <= y for x, y in pairwise(lost))
    for (y, cut), (right, nothing) in zip(small, large, strict=True):
        assert nothing == 0
        assert cut or y == right


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("arithmetic", [xn.EXACT, xn.FLOAT64, xn.FLOAT16, xn.Interval(bits=80)], ids=str)
def test_a_full_stack_is_an_outcome(kind, arithmetic):
    """a pushes, b pops: of a^n with n above the depth there is no verdict, in any arithmetic."""
    reads = xn.SimpleRNNLayer(V=[[0, 0], [0, 0]], W=[[1, 0, 0], [0, 1, 0]], b=[0, 0], s=[0, 0], activation="slu")
    network = StackRNN(
        controller=reads, stack=kind(), depth=3, push_weight=[1, 0], pop_weight=[0, 1], value_weight=[[1, 0]],
        readout_weight=[5, -5], readout_bias=-1, alphabet="ab",
    )  # fmt: skip
    for word, outcome in (
        ("", Outcome.REJECTED), ("a", Outcome.ACCEPTED), ("aab", Outcome.REJECTED), ("aaabaab", Outcome.STACK_FULL),
        ("aaa", Outcome.ACCEPTED), ("aaaa", Outcome.STACK_FULL), ("aaaabbb", Outcome.STACK_FULL),
        ("abababababa", Outcome.ACCEPTED),
    ):  # fmt: skip
        length = len(word)
        found = xn.run(network, word, arithmetic=arithmetic)
        assert found.outcome is outcome, (word, found.outcome)
        assert found.steps == length
        assert found.verdict is outcome.verdict


def test_full_stacks_in_files_comparisons_and_automata(tmp_path):
    reads = xn.SimpleRNNLayer(V=[[0, 0], [0, 0]], W=[[1, 0, 0], [0, 1, 0]], b=[0, 0], s=[0, 0], activation="slu")
    network = StackRNN(
        controller=reads, stack=SuperpositionStack(), depth=2, push_weight=[1, 0], pop_weight=[0, 1],
        value_weight=[[1, 0]], readout_weight=[1, 0], alphabet="ab",
    )  # fmt: skip
    xn.save_network(network, tmp_path / "stack.json")
    again = xn.load_network(tmp_path / "stack.json")
    assert again == network
    assert again.decision.full == 2
    assert xn.run(again, "aaa").outcome is Outcome.STACK_FULL
    extracted = xn.extract_state_machine(network, xn.FLOAT8_E4M3)
    for length in range(6):
        for word in map("".join, product("ab", repeat=length)):
            expected = xn.run(network, word, arithmetic=xn.FLOAT8_E4M3).outcome
            state = extracted.automaton.initial_state
            for symbol in word:
                state = extracted.automaton.transitions[state][symbol]
            assert str(extracted.automaton.outputs[state]) == str(expected)
    assert xn.first_divergence(network, "aabb", xn.FLOAT16).verdict is None
    for wrong, message in (({"full": 0}, "above the threshold"), ({"full": 5, "protocol": "outputs"}, "full")):
        with pytest.raises(NetworkError, match=message):
            Decision(**({"protocol": Protocol.END_OF_WORD} | wrong))


@pytest.mark.parametrize(("format", "dtype"), [(xn.FLOAT32, np.float32), (xn.FLOAT64, np.float64)])
def test_a_superposition_in_formats_is_that_of_numpy(format, dtype):
    """The recurrence of the paper with float weights, operation by operation."""
    random = Random(3)
    parts = random_parts(random, 1, 1, 2)
    network = network_of(parts, SuperpositionStack, 6)
    word = [[random.randint(-2, 3)] for _ in range(6)]
    found = xn.run(network, word, arithmetic=format, record="all")

    def number(x):
        return dtype(format.nearest(mpq(x)))

    def affine(bias, terms):
        total = number(bias)
        for weight, x in terms:
            if weight:
                total = total + number(weight) * x
        return total

    def clip(x):
        return max(dtype(0), min(dtype(1), x))

    h, cells = [number(x) for x in parts["s"]], [dtype(0)] * 6
    for (x,), state in zip(word, list(found.trace)[1:], strict=True):
        read = [number(x), cells[0]]
        h = [
            clip(affine(b, [*zip(v, h, strict=True), *zip(w, read, strict=True)]))
            for v, w, b in zip(parts["V"], parts["W"], parts["b"], strict=True)
        ]
        heads = zip(("push", "pop"), parts["biases"], strict=True)
        g, f = (clip(affine(bias, zip(parts[head], h, strict=True))) for head, bias in heads)
        v = affine(parts["last"][0], zip(parts["value"][0], h, strict=True))
        b, c = (1 - g) * f, (1 - g) * (1 - f)
        around = [v, *cells, dtype(0)]
        cells = [g * around[i] + b * around[i + 2] + c * around[i + 1] for i in range(6)]
        assert [float(y) for y in state[:8]] == [float(y) for y in (*h, *cells)]


def test_smooth_gates_are_enclosed():
    """With sigmoid gates, too, the weights sum to 1; the run is certified."""
    parts = random_parts(Random(4), 1, 1, 2)
    network = network_of(parts, SuperpositionStack, 4, gate="sigmoid", value="tanh")
    found = xn.run(network, [[1], [0], [2]], arithmetic=xn.CERTIFIED)
    assert found.outcome is Outcome.COMPLETED
    assert found.outputs[-1][1].low >= 0


def test_wrong_stack_rnns_are_refused():
    parts = random_parts(Random(5), 2, 1, 2)
    layer = xn.SimpleRNNLayer(V=parts["V"], W=parts["W"], b=parts["b"], s=parts["s"], activation="slu")
    good = {
        "controller": layer, "stack": SuperpositionStack(values=2), "depth": 2, "push_weight": [1, 0],
        "pop_weight": [0, 1], "value_weight": [[1, 0], [0, 1]], "readout_weight": [1, 0],
    }  # fmt: skip
    assert StackRNN(**good).circuit.input_size == 1
    for changes, error, message in (
        ({"controller": 1}, NetworkError, "give a layer"),
        ({"stack": SuperpositionStack().step(1, push=1)}, NetworkError, "give an empty"),
        ({"stack": xn.NondeterministicStack()}, NetworkError, "give an empty"),
        ({"stack": SuperpositionStack(values=4), "value_weight": [[1, 0]] * 4}, NetworkError, "reads 3 numbers"),
        ({"stack": SuperpositionStack(values=2, arithmetic=xn.FLOAT16)}, NetworkError, "said by the run"),
        ({"stack": StratifiedStack(values=2, form="closed")}, NetworkError, "said by the run"),
        ({"depth": 0}, OptionError, "depth=0"),
        ({"depth": 10**9}, OptionError, "depth"),
        ({"push_weight": [1]}, NetworkError, "push_weight has 1 entries"),
        ({"value_weight": [[1, 0]]}, NetworkError, "value_weight has 1 rows"),
        ({"push_bias": "x"}, NumberError, "x"),
        ({"gate": "softmin"}, NetworkError, "softmin"),
        ({"gate": "relu"}, NetworkError, r"not all in \[0, 1\]"),
        ({"gate": "tanh"}, NetworkError, r"not all in \[0, 1\]"),
        ({"gate": "softmax", "stack": StratifiedStack(values=2)}, NetworkError, "SuperpositionStack"),
        ({"readout_weight": 3}, NetworkError, "readout_weight"),
    ):
        with pytest.raises(error, match=message):
            StackRNN(**(good | changes))
    assert replace(layer, activation="relu") != layer
