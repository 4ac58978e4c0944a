"""Cells in MPFR: their circuits are the textbook equations, and those with sigmoid and tanh what torch computes.

With the same order of operations, circuit and equations agree bit for bit; in few bits a sum in another order shows at
once. Torch rounds in float64.
"""

from dataclasses import fields

import gmpy2
import pytest
from cells import CELLS, EXACT_SQUASHINGS, SMOOTH_SQUASHINGS, gru, grus, lstm, lstms, width, words
from gmpy2 import mpfr, mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.networks import GRU, LSTM, Activation, StackedRNN
from exactnn.simulation import run

BITS = 200
SQUASHINGS = {**EXACT_SQUASHINGS, **SMOOTH_SQUASHINGS}
ACTIVATIONS = {
    Activation.IDENTITY: lambda x: x,
    Activation.RELU: lambda x: max(x, mpfr(0)),
    Activation.SIGMOID: SMOOTH_SQUASHINGS["sigmoid"],
    Activation.TANH: gmpy2.tanh,
}
GATED = [
    kind
    for kind, cell in CELLS.items()
    if any(field.name == "gate" and field.default == "sigmoid" for field in fields(cell.layer))
]
"""The cells with sigmoid and tanh unless others are given."""


def number(value):
    return mpfr(mpq(value.numerator, value.denominator))


def written(value):
    """Return parameters with numbers as MPFR has them."""
    if isinstance(value, dict):
        return {key: written(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(written(entry) for entry in value)
    return value if isinstance(value, str | int) else number(value)


def next_state(network, state, x):
    registers = [*state, *x]
    for layer in network.circuit.layers:
        values = []
        for unit in layer:
            total = number(unit.bias)
            for register, weight in unit.linear:
                total = total + number(weight) * registers[register]
            for first, second, weight in unit.bilinear:
                total = total + number(weight) * registers[first] * registers[second]
            values.append(ACTIVATIONS[unit.activation](total))
        registers += values
    return [registers[register] for register in network.circuit.next_state]


def check(network, equations, layer, start, word, bits=BITS):
    """Compare the circuit with the equations after every symbol; return the last state."""
    with gmpy2.context(precision=bits):
        layer, state = written(layer), written(start)
        mine = [number(x) for x in network.initial_state]
        for x in written(word):
            state = equations(layer, state, x, SQUASHINGS)
            mine = next_state(network, mine, x)
            assert mine == [entry for vector in state for entry in vector]
        return mine


def linear(layer):
    """Return a layer whose squashings, which are given by their names, are left out."""
    return layer | {
        field: "identity" for field, value in layer.items() if isinstance(value, str) and value in EXACT_SQUASHINGS
    }


def smooth(layer):
    return layer | {kind: "tanh" for kind in ("candidate", "output") if kind in layer} | {"gate": "sigmoid"}


# mLSTM parts the largest of |n q| and 1 into 1 and what is beyond, and subtracts each.
@pytest.mark.parametrize("kind", [kind for kind in CELLS if kind != "mLSTM"])
@settings(max_examples=30)
@given(st.data(), st.integers(1, 2), st.integers(1, 2))
def test_a_cell_is_its_equations_in_their_order(kind, data, n, d):
    cell = CELLS[kind]
    drawn = data.draw(cell.parameters(n=n, d=d))
    for layer, bits in [(smooth(drawn), BITS)] * (kind in GATED) + [(linear(drawn), 3)]:
        made = cell.layer(**layer)
        network = StackedRNN([made], readout_weight=[1] * made.hidden_size)
        check(network, cell.equations, layer, cell.start(layer), data.draw(words(d)), bits)


def scaled(value, factor):
    if isinstance(value, dict):
        return {key: scaled(entry, factor) for key, entry in value.items()}
    return [scaled(entry, factor) for entry in value] if isinstance(value, list) else value * factor


@given(st.data(), lstms(peepholes=False))
def test_saturated_gates_are_the_limit_of_large_weights(data, layer):
    """Merrill 2019: f(x; N theta) for N to infinity, where sums are 0 too."""
    layer |= {"gate": "limit_sigmoid", "candidate": "sign", "output": "identity"}
    word, readout = data.draw(words(width(layer))), [1] * len(layer["h"])
    limit = run(LSTM(**layer, readout_weight=readout), word).final_state
    large = layer | {name: scaled(layer[name], 10**6) for name in "VWb"} | {"gate": "sigmoid", "candidate": "tanh"}
    network = LSTM(**large, readout_weight=readout)
    states = check(network, lstm, large, (large["h"], large["c"]), word)
    assert all(abs(mpq(x) - y) < mpq(1, 2**100) for x, y in zip(states, limit, strict=True))


def tensor(torch, value):
    def floats(entry):
        return [floats(x) for x in entry] if isinstance(entry, (list, tuple)) else float(entry)

    return torch.tensor(floats(value), dtype=torch.float64)


def load(torch, module, layer, gates, recurrent_bias):
    """Give a module of torch the parameters of a layer; gates are in its order."""
    values = {
        "weight_ih_l0": [row for gate in gates for row in layer["W"][gate]],
        "weight_hh_l0": [row for gate in gates for row in layer["V"][gate]],
        "bias_ih_l0": [x for gate in gates for x in layer["b"][gate]],
        "bias_hh_l0": recurrent_bias,
    }
    with torch.no_grad():
        for name, value in values.items():
            getattr(module, name).copy_(tensor(torch, value))


def close(torch, states, expected):
    assert torch.allclose(states, torch.tensor([float(x) for x in expected], dtype=torch.float64), rtol=0, atol=1e-12)


@pytest.mark.needs_torch
@settings(max_examples=25)
@given(st.data(), lstms(peepholes=False).map(smooth))
def test_torch_has_the_same_lstm(data, layer):
    import torch

    n, d = len(layer["h"]), width(layer)
    word = data.draw(st.lists(st.lists(st.integers(-3, 3).map(mpq), min_size=d, max_size=d), min_size=1, max_size=4))
    module = torch.nn.LSTM(d, n, dtype=torch.float64)
    load(torch, module, layer, "ifgo", [0] * (4 * n))
    with torch.no_grad():
        start = (tensor(torch, [layer["h"]]), tensor(torch, [layer["c"]]))
        _, (h, c) = module(tensor(torch, word), start)
    network = LSTM(**layer, readout_weight=[1] * n)
    close(torch, torch.cat([h[0], c[0]]), check(network, lstm, layer, (layer["h"], layer["c"]), word))


@pytest.mark.needs_torch
@settings(max_examples=25)
@given(st.data(), grus().map(smooth))
def test_torch_has_the_same_gru(data, layer):
    import torch

    layer |= {"reset": "after"}
    n, d = len(layer["h"]), width(layer)
    word = data.draw(st.lists(st.lists(st.integers(-3, 3).map(mpq), min_size=d, max_size=d), min_size=1, max_size=4))
    module = torch.nn.GRU(d, n, dtype=torch.float64)
    load(torch, module, layer, "rzn", [0] * (2 * n) + layer.get("recurrent_bias", [0] * n))
    with torch.no_grad():
        _, h = module(tensor(torch, word), tensor(torch, [layer["h"]]))
    network = GRU(**layer, readout_weight=[1] * n)
    close(torch, h[0], check(network, gru, layer, (layer["h"],), word))
