"""The study of depth: its targets are those of the exact tasks, its sizes are what they are said to be."""

import sys
from math import prod
from pathlib import Path

import numpy as np
import pytest

import exactnn as xn

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
torch = pytest.importorskip("torch")
pytestmark = pytest.mark.needs_torch
pytest.importorskip("matplotlib")
depth_learning = pytest.importorskip("depth_learning")

TASKS = {
    "copy": "copy",
    "power": "power",
    "temporal product": "temporal product",
    "tracked product": "state-tracking product",
    "parity": "parity",
}


@pytest.mark.parametrize("task", TASKS)
def test_targets_are_outputs_of_the_network_that_solves_the_task(task):
    """In float64, where products of a few float32 numbers are exact or nearly so."""
    x, y = depth_learning.draw(task, (1, 3), (0, 1))
    solution = xn.synthetic_task(TASKS[task])
    first = depth_learning.FIRST[task]
    for word in range(3):
        inputs = [[float(x[0, t, i, word]) for i in range(5)] for t in range(depth_learning.STEPS)]
        outputs = xn.run(solution.network, inputs, arithmetic=xn.FLOAT64).outputs
        expected = [[float(v) for v in output] for output in outputs][first:]
        assert np.allclose(y[0, :, :, word], expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("model", depth_learning.MODELS)
@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_networks_have_the_same_number_of_parameters_but_for_a_unit(model, layers):
    units = depth_learning.width(model, layers, 4000)
    sizes = [sum(map(prod, depth_learning.shapes(model, n, layers))) for n in (units - 1, units, units + 1)]
    assert min(sizes, key=lambda size: abs(size - 4000)) == sizes[1]


@pytest.mark.parametrize("model", depth_learning.MODELS)
def test_outputs_are_those_of_the_exact_network_with_these_weights(model):
    """Two layers of three units: the same numbers as in exact arithmetic, up to the roundings of float32."""
    shapes = depth_learning.shapes(model, 3, 2)
    flat = depth_learning.start(model, 3, 2, (0, 0, 0))
    x, _ = depth_learning.draw("copy", (1, 1), (0, 2))
    found = depth_learning.outputs(model, torch.from_numpy(flat[None]), shapes, x)[0, :, :, 0]
    pieces = np.split(flat, np.cumsum([prod(shape) for shape in shapes])[:-1])
    arrays = [piece.reshape(shape).tolist() for piece, shape in zip(pieces, shapes, strict=True)]
    layers = []
    for A, B, b, h in zip(*(arrays[i:8:4] for i in range(4)), strict=True):
        if model == "2RNN":
            read = len(B[0])
            tensor = [[row[j * (read + 1) : (j + 1) * (read + 1)] for j in range(3)] for row in A]
            parts = {
                "A": [[entries[:read] for entries in row] for row in tensor],
                "U": [[entries[read] for entries in row] for row in tensor],
            }
            layers.append(xn.SecondOrderRNNLayer(**parts, V=B, b=b, s=h))
        else:
            layers.append(xn.SimpleRNNLayer(V=A, W=B, b=b, s=h, activation="relu" if model == "ReLU" else "identity"))
    network = xn.StackedRNN(layers, readout_weight=arrays[8], readout_bias=arrays[9])
    word = [[float(x[0, t, i, 0]) for i in range(5)] for t in range(depth_learning.STEPS)]
    exactly = [[float(v) for v in output] for output in xn.run(network, word).outputs]
    assert np.allclose(found, exactly, rtol=1e-3, atol=1e-5)
