"""Gates and sizes that do not fit are refused with an error that names the parameter and shows the value."""

import pytest
from cells import CELLS, COLUMN, ONE

from exactnn import networks
from exactnn.arithmetic import FLOAT32
from exactnn.errors import NetworkError, NumberError, WordError
from exactnn.networks import (
    LSTM,
    QRNN,
    DeltaNet,
    GatedDeltaNet,
    GRULayer,
    LSTMLayer,
    Piece,
    SelectiveSSM,
    SimpleRNNLayer,
    Squashing,
    StackedRNN,
)
from exactnn.simulation import run

MADE = {getattr(networks, cell.function): cell.call for cell in CELLS.values()} | {
    DeltaNet: {"K": ONE, "V": COLUMN, "beta": [1], "Q": ONE, "S": COLUMN},
    GatedDeltaNet: {"K": ONE, "V": COLUMN, "beta": [1], "decay": [1], "Q": ONE, "S": COLUMN},
}
"""Each cell with parameters that fit; those of one layer with others have no row in `cells`."""

OTHERS = [
    (DeltaNet, {"K": COLUMN}, r"K\[0\] has 2 rows, not 1"),
    (DeltaNet, {"beta": [1, 1]}, r"beta\[0\] has 2 entries, not 1"),
    (DeltaNet, {"S": []}, "S is empty"),
    (DeltaNet, {"S": [[None], [1]]}, r"S\[0\]\[0\]: None"),
    (GatedDeltaNet, {"decay": []}, "decay has 0 entries, not 1"),
    (GatedDeltaNet, {"gate": "softmax"}, "activation 'softmax' is unknown"),
]
WRONG = [(getattr(networks, cell.function), *row) for cell in CELLS.values() for row in cell.refused] + OTHERS


@pytest.mark.parametrize(("make", "changes", "message"), WRONG, ids=lambda x: getattr(x, "__name__", str(x)))
def test_a_cell_that_does_not_fit(make, changes, message):
    with pytest.raises((NetworkError, NumberError), match=message):
        make(**{**MADE[make], **changes}, readout_weight=[1, 1])


def test_every_cell_refuses_something():
    silent = [kind for kind, cell in CELLS.items() if not cell.refused]
    assert not silent, f"{silent}: say in its row of CELLS in tests/networks/cells.py what it refuses"


def test_words_of_another_width():
    """A cell that fits itself refuses vectors that do not fit it, and what is no number."""
    for make, parameters in MADE.items():
        network = make(**parameters, readout_weight=[1, 1])
        size = network.circuit.input_size
        for word in ([[1] * (size + 1)], [[1] * size, []], [["x"] * size], [None]):
            with pytest.raises((WordError, NumberError)):
                run(network, word, FLOAT32)


def test_f_pooling_has_one_state():
    parameters = {name: {gate: value[gate] for gate in "zf"} for name, value in CELLS["QRNN"].call.items()}
    with pytest.raises(NetworkError, match="c is given, but with f-pooling"):
        QRNN(**parameters, pooling="f", c=[0, 0], readout_weight=[1, 1])


def test_layers_that_do_not_fit():
    lstm, gru = LSTMLayer(**CELLS["LSTM"].call), GRULayer(**CELLS["GRU"].call)
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
    network = LSTM(**CELLS["LSTM"].call, candidate=leaky, readout_weight=[1, 1])
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
