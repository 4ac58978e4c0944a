"""Every cell takes torch's names of its weights beside the textbook's letters."""

import pickle
from dataclasses import fields, replace

import cells
import pytest

import exactnn as xn
from exactnn.errors import NetworkError

LETTERS = {"V", "W", "b"}
CELLS = {
    cell.function: cell.call for cell in cells.CELLS.values() if {field.name for field in fields(cell.layer)} >= LETTERS
} | {
    "QRNN": cells.CELLS["QRNN"].call,
    "MultiLayerRNN": {
        "V": [[["1/2"]], [[2, 0], [0, 1]]],
        "W": [[[1]], [[5], [6]]],
        "b": [[3], [4, 0]],
        "s": [[0], [1, 0]],
    },
}
"""Those with a recurrent matrix V, an input matrix W and a bias b; one without V; and one with several of each."""
NAMES = {"V": "weight_hh", "W": "weight_ih", "b": "bias"}


def in_torch(parameters):
    return {NAMES.get(letter, letter): value for letter, value in parameters.items()}


@pytest.mark.parametrize("cell", CELLS)
def test_both_names_give_the_same_network(cell):
    make, parameters = getattr(xn, cell), CELLS[cell]
    assert make(**in_torch(parameters), readout_weight=[1, 1]) == make(**parameters, readout_weight=[1, 1])
    for letter in parameters.keys() & NAMES:
        with pytest.raises(NetworkError, match=f"{letter} and {NAMES[letter]} are two names of one parameter"):
            make(**parameters, **{NAMES[letter]: parameters[letter]}, readout_weight=[1, 1])


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell != "MultiLayerRNN"])
def test_layers_take_them_too_and_stay_values(cell):
    make, parameters = getattr(xn, f"{cell}Layer"), CELLS[cell]
    layer = make(**in_torch(parameters))
    assert layer == make(**parameters) == pickle.loads(pickle.dumps(layer)) == replace(layer)
    assert replace(layer, b=parameters["b"]) == layer
