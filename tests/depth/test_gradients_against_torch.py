"""Backward passes in formats beside those of torch, bit for bit."""

import warnings
from random import Random

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.depth.slopes import slopes_along

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_backward_passes_are_those_of_torch(layers):
    """Of two units, whose sums have one order: automatic differentiation gives the same gradients bit for bit."""
    formats = {
        xn.FLOAT64: torch.float64, xn.FLOAT32: torch.float32, xn.FLOAT16: torch.float16, xn.BFLOAT16: torch.bfloat16
    }  # fmt: skip
    factors = set()
    for seed in range(6):
        random = Random(f"{layers} {seed}")
        matrices = [[[mpq(random.randint(-50, 90), 97) for _ in range(2)] for _ in range(2)] for _ in range(layers)]
        network = xn.DeepTransitionRNN(
            V=matrices[0], W=[[1], [1]], b=[1, 1], s=[1, 2], transitions=[(m, [1, 1]) for m in matrices[1:]],
            readout_weight=[1, "1/3"],
        )  # fmt: skip
        word = [random.choice((-3, -2, 0, 1, 2)) for _ in range(12)]
        vectors = [[x] for x in word]
        factors |= {x for step in slopes_along(network, vectors, None) for layer in step for x, _ in layer}
        for found in xn.gradient_growth(network, vectors, list(formats))[1:]:
            assert list(found.largest[1:]) == torch_gradients(matrices, word, found.format, formats)
    assert factors == {0, 1}  # some of the ReLUs are switched off


def torch_gradients(matrices, word, format, formats):
    """Return the largest derivative with respect to each state, from the last but one to the first, by torch."""

    def rounded(x):
        return torch.tensor(format.nearest(x), dtype=formats[format])

    state, states = [rounded(mpq(1)), rounded(mpq(2))], []
    for x in word:
        state = [number.detach().requires_grad_() if not states else number.clone() for number in state]
        for number in state:
            number.retain_grad()
        states.append(state)
        for layer, weights in enumerate(matrices):
            given = 1 if layer else 1 + x
            state = [torch.relu(rounded(a) * state[0] + rounded(b) * state[1] + given) for a, b in weights]
    (rounded(mpq(1)) * state[0] + rounded(mpq(1, 3)) * state[1]).backward()
    return [max(abs(number.grad.item()) for number in given) for given in reversed(states)]
