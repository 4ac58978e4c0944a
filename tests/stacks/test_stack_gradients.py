"""Gradients through stacks beside automatic differentiation: exactly where all is rational, else within 2^-40."""

from random import Random

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.errors import OptionError
from exactnn.stacks import SuperpositionStack
from tests.stacks.torch_stack_rnns import StackLSTM, torch

pytestmark = pytest.mark.needs_torch

DEPTH = 4


def dyadic(random, height, width):
    return [[mpq(random.randint(-2, 2), 2) for _ in range(width)] for _ in range(height)]


@pytest.mark.parametrize("at_kinks", [0, 1])
@pytest.mark.parametrize("seed", range(10))
def test_a_superposition_with_saturated_gates(seed, at_kinks):
    """All numbers are multiples of small powers of 2, which float64 has: Jacobians are the same numbers.

    Gates are often at a bound, where torch has the slope 1 of clamp, and 0 of hardtanh.
    """
    random = Random(seed)
    V, W, push, pop, value = (dyadic(random, *size) for size in ((2, 2), (2, 2), (1, 2), (1, 2), (1, 2)))
    network = xn.StackRNN(
        controller=xn.SimpleRNNLayer(V=V, W=W, b=[0, "1/2"], s=["1/2", 1], activation="slu"),
        stack=SuperpositionStack(), depth=DEPTH, push_weight=push[0], pop_weight=pop[0], value_weight=value,
        readout_weight=[1, 0],
    )  # fmt: skip
    word = [[random.choice((-1, 0, 1))] for _ in range(2)]
    found = xn.jacobian(network, word, at_kinks=at_kinks).product
    weights = [torch.tensor([[float(x) for x in row] for row in matrix], dtype=torch.float64)
               for matrix in (V, W, push, pop, value)]  # fmt: skip

    def slu(x):
        return torch.clamp(x, 0, 1) if at_kinks else torch.nn.functional.hardtanh(x, 0, 1)

    def after(state):
        (v, w, p, q, u), nothing = weights, torch.zeros(1, dtype=torch.float64)
        h, cells = state[:2], state[2:]
        bias = torch.tensor([0, 0.5], dtype=torch.float64)
        for (x,) in word:
            read = torch.cat([torch.tensor([float(x)], dtype=torch.float64), cells[:1]])
            h = slu(v @ h + w @ read + bias)
            g, f = slu(p @ h), slu(q @ h)
            above, below = torch.cat([u @ h, cells[:-1]]), torch.cat([cells[1:], nothing])
            cells = g * above + (1 - g) * f * below + (1 - g) * (1 - f) * cells
        return torch.cat([h, cells])

    start = torch.tensor([0.5, 1] + [0.0] * DEPTH, dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(after, start).tolist()
    assert [[float(x) for x in row[: 2 + DEPTH]] for row in found[: 2 + DEPTH]] == expected


def test_kinks_are_refused_unless_a_slope_is_given():
    reads = xn.SimpleRNNLayer(V=[[0]], W=[[1, 0, 0]], b=[0], s=[0], activation="slu")
    network = xn.StackRNN(
        controller=reads, stack=SuperpositionStack(), depth=2, push_weight=[1], pop_weight=[0], value_weight=[[1]],
        readout_weight=[1], alphabet="ab",
    )  # fmt: skip
    with pytest.raises(OptionError, match="at_kinks"):
        xn.jacobian(network, "a")
    with pytest.raises(OptionError, match="at_kinks=2"):
        xn.jacobian(network, "a", at_kinks=2)
    assert len(xn.gradient_growth(network, "ab", xn.FLOAT16, at_kinks=0)) == 2


@pytest.mark.parametrize("actions", [2, 3])
def test_a_published_module(actions):
    """The derivative of the last hidden state by the first one, through LSTM and stack."""
    torch.manual_seed(4)
    module = StackLSTM(2, 3, 2, actions).double()
    word = torch.randn(6, 2, dtype=torch.float64)
    network = xn.stack_rnn_from_torch(module, depth=6)
    found = xn.jacobian(network, word.tolist(), bits=200, at_kinks=0).product
    start = torch.zeros(6, dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(lambda h: module(word, (h[:3], h[3:]))[-1], start).tolist()
    for row, theirs in zip(found, expected, strict=False):
        for slope, number in zip(row, theirs, strict=False):
            assert abs(slope.midpoint - mpq(number)) < 2**-40
