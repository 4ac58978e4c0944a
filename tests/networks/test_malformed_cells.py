"""Gates and sizes that do not fit are refused with an error that names the parameter and shows the value."""

import cells
import pytest

from exactnn.arithmetic import FLOAT32
from exactnn.errors import NetworkError, NumberError, WordError
from exactnn.networks import (
    GRU,
    LSTM,
    MLSTM,
    QRNN,
    DeltaNet,
    DeltaProduct,
    DiagonalSSM,
    DoublingLSTM,
    GatedDeltaNet,
    GatedLinearAttention,
    GRULayer,
    LinearRecurrence,
    LSTMLayer,
    Piece,
    SelectiveScan,
    SelectiveSSM,
    SimpleRNNLayer,
    Squashing,
    StackedRNN,
)
from exactnn.simulation import run


def square(gates):
    return {
        "V": {gate: [[1, 0], [0, 1]] for gate in gates},
        "W": {gate: [[1], [1]] for gate in gates},
        "b": {gate: [0, 0] for gate in gates},
    }


CELLS = {
    LSTM: square("ifgo"),
    GRU: square("rzn"),
    DoublingLSTM: square(["i", "f1", "f2", "g", "o"]),
    QRNN: {name: value for name, value in square("zfo").items() if name != "V"},
}

ONE, COLUMN, SQUARE = [[1]], [[1], [1]], [[1, 0], [0, 1]]
CELLS |= {
    LinearRecurrence: {"A": [COLUMN, COLUMN], "s": [0, 0]},
    DiagonalSSM: {"a": [1, "1/2"], "B": COLUMN, "C": SQUARE, "D": COLUMN},
    SelectiveSSM: {"a": COLUMN, "b": COLUMN},
    SelectiveScan: {"A": [[-1], [-2]], "W": SQUARE, "B": [[1, 1]], "C": [[1, 1]], "D": [1, 1]},
    GatedLinearAttention: {"a": ONE, "K": ONE, "V": COLUMN, "Q": ONE},
    DeltaNet: {"K": ONE, "V": COLUMN, "beta": [1], "Q": ONE, "S": COLUMN},
    GatedDeltaNet: {"K": ONE, "V": COLUMN, "beta": [1], "decay": [1], "Q": ONE, "S": COLUMN},
    DeltaProduct: {"K": [ONE, ONE], "V": [COLUMN, COLUMN], "beta": [[1], [1]], "Q": ONE, "S": COLUMN},
    MLSTM: {"f": [1], "i": [1], "K": ONE, "V": COLUMN, "Q": ONE},
}
"""Two numbers are read of each."""

ELSEWHERE = {"DeepTransitionRNNLayer", "SimpleRNNLayer"}
"""Layers whose refusals have tests of their own."""


def test_every_cell_is_here():
    missing = {cell.layer.__name__ for cell in cells.CELLS.values()} - {f"{cell.__name__}Layer" for cell in CELLS}
    assert missing == ELSEWHERE, f"{missing - ELSEWHERE}: enter the cell in CELLS of test_malformed_cells.py"


WRONG = {
    "no mapping": (LSTM, {"V": [[1]]}, r"V is \[\[1\]\], which is no mapping: give a matrix for each of i, f, g, o"),
    "no bias": (GRU, {"b": None}, "b is None, which is no mapping"),
    "gate missing": (LSTM, {"b": {"i": [0]}}, "b has no gate 'f': give a vector for each of i, f, g, o"),
    "gate unknown": (GRU, {"b": {g: [0, 0] for g in "rznx"}}, "b has the gate 'x', which the cell does not have"),
    "shared forget gates": (DoublingLSTM, square("ifgo"), "b has no gate 'f1'"),
    "no output gate": (QRNN, {"pooling": "f"}, "b has the gate 'o'"),
    "no input gate": (QRNN, {"pooling": "ifo"}, "b has no gate 'i'"),
    "not square": (LSTM, {"V": square("ifgo")["W"]}, r"V\['i'\]\[0\] has 1 entries, not 2"),
    "other width": (GRU, {"W": {**square("rzn")["W"], "n": [[1, 1]] * 2}}, r"W\['n'\]\[0\] has 2 entries, not 1"),
    "other height": (QRNN, {"W": {**CELLS[QRNN]["W"], "o": [[1]]}}, r"W\['o'\] has 1 rows, not 2"),
    "bias length": (LSTM, {"b": {**square("ifgo")["b"], "o": [1]}}, r"b\['o'\] has 1 entries, not 2"),
    "hidden start": (GRU, {"h": [1]}, "h has 1 entries, not 2"),
    "cell start": (LSTM, {"c": [1, 2, 3]}, "c has 3 entries, not 2"),
    "entry": (LSTM, {"b": {**square("ifgo")["b"], "g": [0, "x"]}}, r"b\['g'\]\[1\]: 'x'"),
    "gate function": (LSTM, {"gate": "softmax"}, "activation 'softmax' is unknown: choose one of identity, relu, slu"),
    "candidate function": (GRU, {"candidate": None}, "activation None is unknown"),
    "output function": (DoublingLSTM, {"output": ["tanh"]}, r"activation \['tanh'\] is unknown"),
    "peephole": (LSTM, {"p": {"i": [1, 1]}}, "p has no gate 'f': give a vector for each of i, f, o"),
    "peephole of g": (LSTM, {"p": {g: [1, 1] for g in "ifgo"}}, "p has the gate 'g'"),
    "reset": (GRU, {"reset": "never"}, "reset is 'never': choose"),
    "useless bias": (GRU, {"reset": "before", "recurrent_bias": [0, 0]}, r'add it to the bias b\["n"\]'),
    "recurrent bias": (GRU, {"recurrent_bias": [0]}, "recurrent_bias has 1 entries, not 2"),
    "pooling": (QRNN, {"pooling": "max"}, "pooling is 'max': choose one of f, fo, ifo"),
    "pooling list": (QRNN, {"pooling": ["f"]}, r"pooling is \['f'\]"),
    "window": (QRNN, {"window": 0}, "window=0: give a whole number of at least 1"),
    "window text": (QRNN, {"window": "2"}, "window='2'"),
    "window width": (QRNN, {"window": 2}, r"W\['z'\] has 1 columns, which 2 inputs"),
    "slices": (LinearRecurrence, {"A": [COLUMN]}, "A has 1 matrices, not 2"),
    "slice height": (LinearRecurrence, {"A": [COLUMN, ONE]}, r"A\[1\] has 1 rows, not 2"),
    "slice width": (LinearRecurrence, {"A": [COLUMN, SQUARE]}, r"A\[1\]\[0\] has 2 entries, not 1"),
    "recurrence entry": (LinearRecurrence, {"s": [0, "x"]}, r"s\[1\]: 'x'"),
    "no poles": (DiagonalSSM, {"a": "9/10"}, r"a is '9/10': give a sequence of numbers, or of pairs"),
    "three parts": (DiagonalSSM, {"a": [1, (0, 1, 2)]}, r"a\[1\] is \(0, 1, 2\): give a number, or a pair"),
    "pole": (DiagonalSSM, {"a": [1, float("nan")]}, r"a\[1\]\[0\]: nan"),
    "pair of poles": (DiagonalSSM, {"a": [(0, 1), 1]}, "B has 2 rows, not 3"),
    "read width": (DiagonalSSM, {"C": [[1]]}, r"C\[0\] has 1 entries, not 2"),
    "skip height": (DiagonalSSM, {"D": ONE}, "D has 1 rows, not 2"),
    "skip width": (DiagonalSSM, {"D": SQUARE}, r"D\[0\] has 2 entries, not 1"),
    "skip alone": (DiagonalSSM, {"C": None}, "D is given without C"),
    "diagonal start": (DiagonalSSM, {"s": [1]}, "s has 1 entries, not 2"),
    "table height": (SelectiveSSM, {"b": ONE}, "b has 1 rows, not 2"),
    "table width": (SelectiveSSM, {"b": SQUARE}, r"b\[0\] has 2 entries, not 1"),
    "table": (SelectiveSSM, {"a": None}, "a is None: give a matrix"),
    "selected start": (SelectiveSSM, {"s": 0}, "s is 0: give"),
    "no channels": (SelectiveScan, {"A": []}, "A is empty: give a matrix of at least one row"),
    "no numbers": (SelectiveScan, {"A": [[], []]}, "A is empty"),
    "step": (SelectiveScan, {"W": COLUMN}, r"W\[0\] has 1 entries, not 2"),
    "step bias": (SelectiveScan, {"b": [0]}, "b has 1 entries, not 2"),
    "input vector": (SelectiveScan, {"B": COLUMN}, "B has 2 rows, not 1"),
    "output vector": (SelectiveScan, {"C": ONE}, r"C\[0\] has 1 entries, not 2"),
    "skip matrix": (SelectiveScan, {"D": SQUARE}, r"D\[0\]: "),
    "scan start": (SelectiveScan, {"s": [0, 0]}, r"s\[0\] is 0: give"),
    "scan entry": (SelectiveScan, {"A": [["-x"], [1]]}, r"A\[0\]\[0\]: '-x'"),
    "scan gate": (SelectiveScan, {"gate": "softmax"}, "activation 'softmax' is unknown"),
    "scan decay": (SelectiveScan, {"decay": 2}, "activation 2 is unknown"),
    "no keys": (GatedLinearAttention, {"K": [], "a": [], "Q": []}, "K is empty: give the keys"),
    "decays": (GatedLinearAttention, {"a": COLUMN}, "a has 2 rows, not 1"),
    "values": (GatedLinearAttention, {"V": SQUARE}, r"V\[0\] has 2 entries, not 1"),
    "query": (GatedLinearAttention, {"Q": ["1"]}, r"Q\[0\] is '1': give"),
    "attention start": (GatedLinearAttention, {"S": ONE}, "S has 1 rows, not 2"),
    "delta keys": (DeltaNet, {"K": COLUMN}, r"K\[0\] has 2 rows, not 1"),
    "delta strength": (DeltaNet, {"beta": [1, 1]}, r"beta\[0\] has 2 entries, not 1"),
    "delta start": (DeltaNet, {"S": []}, "S is empty"),
    "delta entry": (DeltaNet, {"S": [[None], [1]]}, r"S\[0\]\[0\]: None"),
    "delta decay": (GatedDeltaNet, {"decay": []}, "decay has 0 entries, not 1"),
    "delta gate": (GatedDeltaNet, {"gate": "softmax"}, "activation 'softmax' is unknown"),
    "no delta steps": (DeltaProduct, {"K": [], "V": [], "beta": []}, "K is empty: give the keys of at least one"),
    "delta values": (DeltaProduct, {"V": [COLUMN]}, "V has 1 entries, but K has 2: give one for each delta step"),
    "delta strengths": (DeltaProduct, {"beta": [[1]]}, "beta has 1 entries, but K has 2"),
    "delta query": (DeltaProduct, {"Q": COLUMN}, "Q has 2 rows, not 1"),
    "no cells": (MLSTM, {"K": [], "Q": []}, "K is empty: give the keys"),
    "forget gate": (MLSTM, {"f": [1, 1]}, "f has 2 entries, not 1"),
    "input gate": (MLSTM, {"i": 1}, "i is 1: give"),
    "cell query": (MLSTM, {"Q": SQUARE}, "Q has 2 rows, not 1"),
    "threshold": (MLSTM, {"threshold": "half"}, r"threshold\[0\]: 'half'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_cell_that_does_not_fit(case):
    cell, changes, message = WRONG[case]
    with pytest.raises((NetworkError, NumberError), match=message):
        cell(**{**CELLS[cell], **changes}, readout_weight=[1, 1])


def test_words_of_another_width():
    """A cell that fits itself refuses vectors that do not fit it, and what is no number."""
    for cell, parameters in CELLS.items():
        network = cell(**parameters, readout_weight=[1, 1])
        size = network.circuit.input_size
        for word in ([[1] * (size + 1)], [[1] * size, []], [["x"] * size], [None]):
            with pytest.raises((WordError, NumberError)):
                run(network, word, FLOAT32)


def test_f_pooling_has_one_state():
    parameters = {name: {gate: value[gate] for gate in "zf"} for name, value in CELLS[QRNN].items()}
    with pytest.raises(NetworkError, match="c is given, but with f-pooling"):
        QRNN(**parameters, pooling="f", c=[0, 0], readout_weight=[1, 1])


def test_layers_that_do_not_fit():
    lstm, gru = LSTMLayer(**CELLS[LSTM]), GRULayer(**CELLS[GRU])
    for layers, message in (
        ([], "layers is empty"),
        (lstm, "layers is LSTMLayer"),
        ([lstm, "GRU"], r"layers\[1\] is 'GRU'"),
        ([lstm, gru], r"layers\[1\] reads 1 numbers, but the hidden state below it has 2"),
    ):
        with pytest.raises(NetworkError, match=message):
            StackedRNN(layers, readout_weight=[1, 1])
    with pytest.raises(NetworkError, match="readout_weight has 1 entries, not 2"):
        StackedRNN([SimpleRNNLayer(V=[[1]], W=[[1]], b=[0], s=[0]), lstm], readout_weight=[1])


def test_a_squashing_of_ones_own():
    leaky = Squashing(
        name="leaky",
        pieces=[Piece(activation="relu"), Piece(activation="relu", scale=-1, factor="-1/4")],
    )
    network = LSTM(**CELLS[LSTM], candidate=leaky, readout_weight=[1, 1])
    assert any(unit.name == "piece 1 of g[0]" for layer in network.circuit.layers for unit in layer)
    with pytest.raises(NetworkError, match="squashing 'none' has no pieces"):
        Squashing(name="none", pieces=[])
    for wrong, message in ((5, "pieces of squashing 'x' is 5"), ([1], "has the piece 1"), (None, "is None")):
        with pytest.raises(NetworkError, match=message):
            Squashing(name="x", pieces=wrong)
    with pytest.raises(NetworkError, match=r"name of a squashing is \['x'\]: give text"):
        Squashing(name=["x"], pieces=leaky.pieces)
    with pytest.raises(NetworkError, match="activation 'softmax' is unknown"):
        Piece(activation="softmax")


@pytest.mark.parametrize(("changed", "message"), [
    ({"C": [[1], [1]]}, "give both, or leave both out"),
    ({"D": [[1]]}, "give both, or leave both out"),
    ({"C": [[1]], "D": [[1]]}, "C "),
    ({"C": [[1], [1]], "D": [[1], [1], [1]]}, "D has 3 rows and a has 2"),
    ({"C": [[1], [1]], "D": []}, "D has 0 rows and a has 2"),
    ({"C": [[1], [1]], "D": [[1, 2]]}, "D"),
])  # fmt: skip
def test_readers_of_a_selective_ssm(changed, message):
    with pytest.raises(NetworkError, match=message):
        SelectiveSSM(a=[[1], [1]], b=[[1], [1]], readout_weight=[1, 1], **changed)
