"""SimpleRNN and MultiLayerRNN mean their textbook equations, evaluated here in plain fractions.

h_l(t) = f(V_l h_l(t-1) + W_l h_{l-1}(t) + b_l), h_0(t) = x(t); output = readout_weight . h_L(t) + readout_bias.
"""

from dataclasses import dataclass
from fractions import Fraction

from every_executor import check_every_executor
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import LETTERS

from exactnn.networks import ACTIVATIONS, MultiLayerRNN, Protocol, SimpleRNN
from exactnn.simulation import run

FRACTIONS = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 4))

TEXTBOOK = {
    "identity": lambda x: x,
    "relu": lambda x: max(Fraction(0), x),
    "slu": lambda x: min(Fraction(1), max(Fraction(0), x)),
    "heaviside": lambda x: Fraction(x > 0),
}


def vectors(size):
    return st.lists(FRACTIONS, min_size=size, max_size=size)


def matrices(height, width):
    return st.lists(vectors(width), min_size=height, max_size=height)


@dataclass
class Stack:
    """The parameters of a stack of RNNs, and what it reads."""

    V: list
    W: list
    b: list
    s: list
    readout_weight: list
    readout_bias: object
    activation: str
    inputs: list


@st.composite
def stacks(draw, *, max_layers=3, one_hot=False):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=max_layers))
    width = draw(st.integers(1, 3))
    widths = [width, *sizes[:-1]]
    outputs = draw(st.integers(0, 3))  # 0: a single number, written as a vector
    weight = draw(vectors(sizes[-1]) if not outputs else matrices(outputs, sizes[-1]))
    bias = draw(FRACTIONS if not outputs or draw(st.booleans()) else vectors(outputs))
    entry = st.integers(0, width - 1) if one_hot else vectors(width)
    return Stack(
        V=[draw(matrices(n, n)) for n in sizes],
        W=[draw(matrices(n, m)) for n, m in zip(sizes, widths, strict=True)],
        b=[draw(vectors(n)) for n in sizes],
        s=[draw(vectors(n)) for n in sizes],
        readout_weight=weight,
        readout_bias=bias,
        activation=draw(st.sampled_from(sorted(TEXTBOOK))),
        inputs=draw(st.lists(entry, max_size=5)),
    )


def dot(row, vector):
    return sum((w * x for w, x in zip(row, vector, strict=True)), Fraction(0))


def textbook(stack, vectors):
    """Yield (states of all layers, output) before the first and after every vector."""
    f = TEXTBOOK[stack.activation]
    states = [list(start) for start in stack.s]
    yield states, output(stack, states[-1])
    for x in vectors:
        below, following = x, []
        for V, W, b, h in zip(stack.V, stack.W, stack.b, states, strict=True):
            below = [f(dot(V[i], h) + dot(W[i], below) + b[i]) for i in range(len(h))]
            following.append(below)
        states = following
        yield states, output(stack, states[-1])


def output(stack, top):
    weight, bias = stack.readout_weight, stack.readout_bias
    if not isinstance(weight[0], list):
        return dot(weight, top) + bias
    biases = bias if isinstance(bias, list) else [bias] * len(weight)
    return tuple(dot(row, top) + offset for row, offset in zip(weight, biases, strict=True))


def parameters(stack):
    names = ("V", "W", "b", "s", "readout_weight", "readout_bias", "activation")
    return {name: getattr(stack, name) for name in names}


def check(result, expected):
    """Compare every state and output of a run with the textbook's, exactly."""
    assert [tuple(x for layer in states for x in layer) for states, _ in expected] == list(result.trace)
    assert [y for _, y in expected] == [result.initial_output, *result.outputs]


@given(stacks())
def test_a_stack_on_vectors(stack):
    network = MultiLayerRNN(**parameters(stack))
    result = run(network, stack.inputs, record="all")
    check(result, list(textbook(stack, stack.inputs)))
    assert network.decision.protocol is Protocol.OUTPUTS
    assert network.neurons == sum(map(len, stack.s))
    assert network.scalar_output == (not isinstance(stack.readout_weight[0], list))


@given(stacks(one_hot=True))
def test_a_stack_on_symbols(stack):
    width = len(stack.W[0][0])
    network = MultiLayerRNN(**parameters(stack), alphabet=LETTERS[:width])
    result = run(network, "".join(LETTERS[i] for i in stack.inputs), record="all")
    check(result, list(textbook(stack, [[Fraction(i == j) for j in range(width)] for i in stack.inputs])))
    if network.scalar_output:
        assert network.decision.protocol is Protocol.END_OF_WORD
        last = ([result.initial_output, *result.outputs])[-1]
        assert result.verdict.value == ("accept" if last > 0 else "reject")
    else:
        assert result.verdict is None


@given(stacks(max_layers=1))
def test_a_simple_rnn_is_a_stack_of_one(stack):
    simple = {name: value[0] if name in "VWbs" else value for name, value in parameters(stack).items()}
    network = SimpleRNN(**simple)
    check(run(network, stack.inputs, record="all"), list(textbook(stack, stack.inputs)))
    assert network.circuit.units == len(stack.s[0])


@given(stacks(max_layers=1), st.sampled_from(["text", "float", "mpq"]))
def test_entries_may_be_written_in_every_exact_way(stack, kind):
    write = {"text": str, "float": float, "mpq": lambda x: mpq(x.numerator, x.denominator)}[kind]

    def written(value):
        return [written(x) for x in value] if isinstance(value, list) else write(value)

    def dyadic(value):  # a float is exact only for these
        return [dyadic(x) for x in value] if isinstance(value, list) else Fraction(float(value))

    names = ("V", "W", "b", "s", "readout_weight", "readout_bias")
    given_as = {name: written(getattr(stack, name)) for name in names}
    meant = {name: (dyadic if kind == "float" else list)([getattr(stack, name)])[0] for name in names}
    one = {name: (value[0] if name in "VWbs" else value) for name, value in given_as.items()}
    two = {name: (value[0] if name in "VWbs" else value) for name, value in meant.items()}
    assert SimpleRNN(**one, activation=stack.activation) == SimpleRNN(**two, activation=stack.activation)


@settings(max_examples=15)
@given(stacks())
def test_every_executor_runs_them(stack):
    network = MultiLayerRNN(**parameters(stack))
    exact, _ = check_every_executor(network, stack.inputs)
    assert exact.steps == len(stack.inputs)


@given(stacks())
def test_zero_weights_are_left_out(stack):
    network = MultiLayerRNN(**parameters(stack))
    nonzero = sum(bool(w) for matrices in (stack.V, stack.W) for matrix in matrices for row in matrix for w in row)
    assert network.circuit.weights == nonzero


def test_an_alphabet_with_eos_has_intermediate_steps():
    network = SimpleRNN(
        V=[["1"]], W=[[0, "1/4"]], b=[0], s=[0], readout_weight=[1], readout_bias="-1/2", alphabet=["a", "EOS"]
    )
    assert network.decision.protocol is Protocol.EOS_VERDICT
    assert network.input_symbols == ("a",)
    result = run(network, "aa")
    assert result.outputs == [mpq(-1, 2)] * 2 + [mpq(-1, 4)]
    assert (result.outcome, result.eos_steps) == ("rejected", 1)


def test_activations_are_told_by_name_or_member():
    one = {"V": [[1]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [1]}
    for activation in ACTIVATIONS.values():
        assert SimpleRNN(**one, activation=activation) == SimpleRNN(**one, activation=str(activation))
    assert SimpleRNN(**one) == SimpleRNN(**one, activation="relu")
