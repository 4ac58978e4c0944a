"""Every cell takes torch's names of its weights beside the textbook's letters."""

import pickle
from dataclasses import replace

import pytest

import exactnn as xn
from exactnn.errors import NetworkError


def gates(letters, value):
    return dict.fromkeys(letters, value)


CELLS = {
    "SimpleRNN": {"V": [["1/2"]], "W": [[1]], "b": [3], "s": [0]},
    "MultiLayerRNN": {"V": [[["1/2"]], [[2]]], "W": [[[1]], [[5]]], "b": [[3], [4]], "s": [[0], [1]]},
    "LSTM": {"V": gates("ifgo", [[2]]), "W": gates("ifgo", [[3]]), "b": gates("ifgo", [5])},
    "DoublingLSTM": {
        "V": gates(("i", "f1", "f2", "g", "o"), [[2]]),
        "W": gates(("i", "f1", "f2", "g", "o"), [[3]]),
        "b": gates(("i", "f1", "f2", "g", "o"), [5]),
    },
    "GRU": {"V": gates("rzn", [[2]]), "W": gates("rzn", [[3]]), "b": gates("rzn", [5])},
    "QRNN": {"W": gates("zfo", [[3]]), "b": gates("zfo", [5])},
}
NAMES = {"V": "weight_hh", "W": "weight_ih", "b": "bias"}


def in_torch(parameters):
    return {NAMES.get(letter, letter): value for letter, value in parameters.items()}


@pytest.mark.parametrize("cell", CELLS)
def test_both_names_give_the_same_network(cell):
    make, parameters = getattr(xn, cell), CELLS[cell]
    assert make(**in_torch(parameters), readout_weight=[1]) == make(**parameters, readout_weight=[1])
    for letter in parameters.keys() & NAMES:
        with pytest.raises(NetworkError, match=f"{letter} and {NAMES[letter]} are two names of one parameter"):
            make(**parameters, **{NAMES[letter]: parameters[letter]}, readout_weight=[1])


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell != "MultiLayerRNN"])
def test_layers_take_them_too_and_stay_values(cell):
    make, parameters = getattr(xn, f"{cell}Layer"), CELLS[cell]
    layer = make(**in_torch(parameters))
    assert layer == make(**parameters) == pickle.loads(pickle.dumps(layer)) == replace(layer)
    assert replace(layer, b=parameters["b"]) == layer
