"""State dictionaries with torch's names: against the equations of torch's documentation, and what is refused."""

import math

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given

import exactnn as xn
from exactnn.networks.exchange import tensors as tensors_module
from exactnn.networks.exchange.tensors import MOST_PARAMETERS
from tests.networks.exchange.circuit_in_mpfr import close, outputs, torch_outputs
from tests.networks.exchange.state_dictionaries import drawn_tensors, modules
from tests.promptness import promptly


def as_lists(tensors):
    return {name: array.astype(np.float64).tolist() for name, array in tensors.items()}


@given(modules())
def test_the_network_computes_the_equations_of_torch(options):
    tensors = drawn_tensors(**options)
    vectors = np.random.default_rng(options["seed"]).uniform(-2, 2, (5, options["inputs"])).tolist()
    network = xn.from_torch(tensors)
    assert close(outputs(network, vectors), torch_outputs(as_lists(tensors), vectors), bits=180)
    assert network.neurons == options["layers"] * options["size"] * (2 if options["cell"] == "LSTM" else 1)


@pytest.mark.parametrize("cell", ["RNN", "GRU", "LSTM"])
def test_start_states(cell):
    tensors = drawn_tensors(3, cell, inputs=2, size=3, layers=2)
    start = {
        name: np.random.default_rng(5).uniform(-1, 1, (2, 3)).tolist() for name in ("hc" if cell == "LSTM" else "h")
    }
    network = xn.from_torch(tensors, **start)
    vectors = [[1, 0], [0.5, -1]]
    assert close(outputs(network, vectors), torch_outputs(as_lists(tensors), vectors, initial=start), bits=180)


def test_a_relu_network_runs_exactly():
    tensors = drawn_tensors(1, "RNN", inputs=2, size=3, layers=2)
    network = xn.from_torch(tensors, nonlinearity="relu")
    vectors = [(1, 0), ("1/3", 2), (0, -1)]
    h = [[mpq(0)] * 3, [mpq(0)] * 3]
    found = xn.run(network, vectors).outputs
    for vector, output in zip(vectors, found, strict=True):
        below = [mpq(x) for x in vector]
        for k in range(2):
            names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ih, hh, b_ih, b_hh = (tensors[f"{name}_l{k}"].astype(float).tolist() for name in names)
            h[k] = [
                max(
                    mpq(0),
                    mpq(b_ih[j])
                    + mpq(b_hh[j])
                    + sum(mpq(w) * x for w, x in zip(ih[j], below, strict=True))
                    + sum(mpq(w) * x for w, x in zip(hh[j], h[k], strict=True)),
                )
                for j in range(3)
            ]
            below = h[k]
        assert output == tuple(below)


@pytest.mark.parametrize("cell", ["RNN", "GRU", "LSTM"])
def test_single_cells(cell):
    tensors = drawn_tensors(2, cell, inputs=2, size=3)
    single = {name.removesuffix("_l0"): array for name, array in tensors.items()}
    assert xn.from_torch(single) == xn.from_torch(tensors)


def test_an_embedding_reaches_the_cell_as_it_is():
    tensors = drawn_tensors(4, "LSTM", inputs=3, size=2, prefix="rnn.")
    table = np.random.default_rng(0).uniform(-1, 1, (4, 3)).astype(np.float32)
    network = xn.from_torch(tensors | {"embed.weight": table}, embedding="embed", alphabet="abcd")
    plain = {name.removeprefix("rnn."): array for name, array in as_lists(tensors).items()}
    word = "dabc"
    one_hot = [[int(a == b) for b in "abcd"] for a in word]
    vectors = [table["abcd".index(a)].astype(float).tolist() for a in word]
    assert close(outputs(network, one_hot), torch_outputs(plain, vectors), bits=180)
    first = network.circuit.layers[0]
    assert [unit.linear[0][1] for unit in first] == [mpq(float(x)) for x in table[0]]


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_readout(rows, bias):
    tensors = drawn_tensors(4, "RNN", inputs=2, size=2, prefix="net.rnn.")
    linear = np.array([[0.5, -2], [3, 0.25]])[:rows]
    tensors["net.fc.weight"] = linear
    if bias:
        tensors["net.fc.bias"] = np.array([0.5, -1])[:rows]
    network = xn.from_torch(tensors, readout="net.fc", alphabet="ab", name="it")
    assert network.scalar_output == (rows == 1)
    assert [unit.bias for unit in network.readout] == ([mpq(1, 2), mpq(-1)] if bias else [mpq(0)] * 2)[:rows]
    assert [[w for _, w in unit.linear] for unit in network.readout] == linear.tolist()
    assert (network.name, network.decision.protocol) == ("it", "end of word" if rows == 1 else "outputs")


def test_every_float_is_the_dyadic_rational_that_it_is():
    for dtype in (np.float16, np.float32, np.float64):
        tensors = {"weight_ih_l0": np.array([[0.1]], dtype=dtype), "weight_hh_l0": np.array([[-1e-7]], dtype=dtype)}
        (unit,) = xn.from_torch(tensors).circuit.layers[0]
        expected = {register: mpq(*float(dtype(x)).as_integer_ratio()) for register, x in ((1, 0.1), (0, -1e-7))}
        assert dict(unit.linear) == expected
    mixed = {"weight_ih_l0": np.array([[0.1]], dtype=np.float32), "weight_hh_l0": np.array([[0.1]])}
    assert dict(xn.from_torch(mixed).circuit.layers[0][0].linear)[0] == mpq(0.1)


def test_two_biases_are_their_exact_sum():
    tensors = {
        "weight_ih_l0": np.array([[1.0]]),
        "weight_hh_l0": np.array([[1.0]]),
        "bias_ih_l0": np.array([1e30]),
        "bias_hh_l0": np.array([1e-30]),
    }
    assert xn.from_torch(tensors).circuit.layers[0][0].bias == mpq(1e30) + mpq(1e-30)


LSTM = drawn_tensors(0, "LSTM", inputs=2, size=2)


def without(name):
    return {key: array for key, array in LSTM.items() if key != name}


def changed(name, array):
    return LSTM | {name: array}


def holding(name, place, value):
    array = LSTM[name].copy()
    array[place] = value
    return changed(name, array)


FITS_NOT = (("ih", 3), ("hh", 2))
REFUSED = {
    "no recurrent matrix": (without("weight_hh_l0"), {}, "weight_hh_l0"),
    "one bias": (without("bias_hh_l0"), {}, "bias_hh_l0"),
    "nan": (holding("weight_hh_l0", (3, 1), np.nan), {}, r"weight_hh_l0\[3, 1\] is nan"),
    "infinite": (holding("bias_ih_l0", 2, -np.inf), {}, r"bias_ih_l0\[2\] is -inf"),
    "integers": (changed("weight_hh_l0", np.ones((8, 2), dtype=np.int64)), {}, "int64"),
    "complex": (changed("weight_hh_l0", np.ones((8, 2), dtype=complex)), {}, "complex128"),
    "another width": (changed("weight_hh_l0", np.ones((8, 3))), {}, "rows"),
    "another height": (changed("weight_ih_l0", np.ones((6, 2))), {}, "6 by 2"),
    "no rows": (changed("weight_hh_l0", np.ones((0, 0))), {}, "0 by 0"),
    "a vector": (changed("weight_hh_l0", np.ones(8)), {}, "where any by any is expected"),
    "a long bias": (changed("bias_ih_l0", np.ones(9)), {}, "9"),
    "no array": (changed("bias_ih_l0", "text"), {}, "'bias_ih_l0' is of a type that is not read"),
    "another cell": (LSTM, {"cell": "GRU"}, "8 by 2"),
    "an unknown cell": (LSTM, {"cell": "QRNN"}, "QRNN"),
    "an unknown nonlinearity": (LSTM, {"nonlinearity": "sine"}, "sine"),
    "bidirectional": (changed("weight_ih_l0_reverse", np.ones((8, 2))), {}, "bidirectional"),
    "projections": (changed("weight_hr_l0", np.ones((1, 2))), {}, "proj_size"),
    "left over": (changed("fc.weight", np.ones((1, 2))), {}, "left out, 'fc.weight'"),
    "no readout": (LSTM, {"readout": "fc"}, "fc.weight': there are"),
    "a readout within a module": (
        changed("module.fc.weight", np.ones((1, 2))),
        {"readout": "fc"},
        "'module.fc.weight'",
    ),
    "a readout that is a module": (LSTM, {"readout": object()}, "as in 'fc'"),
    "a wide readout": (changed("fc.weight", np.ones((1, 3))), {"readout": "fc"}, "1 by 3"),
    "a narrow embedding": (changed("e.weight", np.ones((4, 1))), {"embedding": "e"}, "4 by 1"),
    "a short alphabet": (LSTM, {"alphabet": "a"}, "alphabet"),
    "a wrong prefix": (LSTM, {"prefix": "rnn"}, "rnn.weight_hh_l0"),
    "a prefix that is no text": (LSTM, {"prefix": 5}, "prefix=5"),
    "a set": (LSTM, {"readout": {"fc1", "fc2"}}, "readout=.*: give the first part"),
    "an empty name": (LSTM, {"readout": ["fc", ""]}, "readout="),
    "a thousand parts": (LSTM, {"readout": ["fc"] * 1001}, "1,001 names: up to 1000 parts"),
    "parts of a readout": (
        changed("fc.0.weight", np.ones((3, 2))) | {"fc.2.weight": np.ones((1, 3))},
        {"readout": "fc"},
        r"name its parts in their order, as in \['fc.0', 'relu', 'fc.2'\]",
    ),
    "no prefix in a list": (LSTM, {"prefix": []}, "prefix="),
    "a number in a list": (
        LSTM,
        {"readout": ["fc", 3]},
        r"readout=\['fc', 3\]: give .* 'fc' or \['fc1', 'relu', 'fc2'\]",
    ),
    "parts without a recurrent one": (
        changed("fc.weight", np.ones((1, 2))),
        {"prefix": ["fc", "relu"]},
        "no recurrent",
    ),
    "an activation on top": (
        changed("fc.weight", np.ones((1, 2))),
        {"readout": ["fc", "tanh"]},
        "ends with an activation",
    ),
    "a layer above that does not fit": (
        changed("a.weight", np.ones((3, 2))) | {"b.weight": np.ones((1, 2))},
        {"readout": ["a", "relu", "b"]},
        "'b.weight' is 1 by 2, where any by 3",
    ),
    "a layer that does not fit": (
        changed("weight_hh_l1", np.ones((8, 2))) | {"weight_ih_l1": np.ones((8, 3))},
        {},
        "l1",
    ),
    "start states of one layer too many": (LSTM, {"h": [[0, 0], [0, 0]]}, "1 rows"),
    "a start state of another size": (LSTM, {"h": [[0, 0, 0]]}, "3 entries"),
    "a cell state of a GRU": (drawn_tensors(0, "GRU", inputs=2, size=2), {"c": [[0, 0]]}, "GRU does not have"),
    "a number as a key": ({5: LSTM["bias_ih_l0"]}, {}, "key 5"),
    "no dictionary": ([1, 2], {}, "no torch.nn.Module"),
    "a path": ("model.pt", {}, "no torch.nn.Module and no state_dict"),
    "nothing in it": ({}, {}, "^state_dict is empty: give a module with weights"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    tensors, options, message = REFUSED[name]
    with pytest.raises(xn.ExactnnError, match=message) as error:
        xn.from_torch(tensors, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("start", "message"), [
    ([[1, 2], [3]], "rows of several lengths"),
    ([[2**53 + 1, 0]], "an integer that is no float64"),
    ([[2**64, 0]], "of type"),
    ([[2**63 + 1, 0]], "an integer that is no float64"),
])  # fmt: skip
def test_start_states_that_are_not_read(start, message):
    tensors = drawn_tensors(1, "RNN", inputs=1, size=2)
    with pytest.raises(xn.ExactnnError, match=message):
        xn.from_torch(tensors, h=start)
    assert xn.from_torch(tensors, h=[[2**53, -(2**60)]]).initial_state == (2**53, -(2**60))


def test_several_recurrent_modules_need_a_prefix():
    both = drawn_tensors(0, "GRU", inputs=2, size=2, prefix="a.") | drawn_tensors(
        1, "RNN", inputs=2, size=3, prefix="b."
    )
    with pytest.raises(xn.ExactnnError, match=r"'a\.', 'b\.'"):
        xn.from_torch(both)
    assert (xn.from_torch(both, prefix="a").neurons, xn.from_torch(both, prefix="b.").neurons) == (2, 3)


ABOVE = {
    "a.weight": np.array([[1.0, -2.0], [0.5, 1.0], [-1.0, 0.25]]),
    "a.bias": np.array([0.5, -0.25, 3.0]),
    "b.weight": np.array([[1.0, 4.0, -2.0]]),
    "b.bias": np.array([0.125]),
}


def above(function, h):
    """Return what the two linear layers of ABOVE make of a hidden state."""
    rows = zip(ABOVE["a.weight"].tolist(), ABOVE["a.bias"].tolist(), strict=True)
    middle = [function(mpq(bias) + sum(mpq(w) * x for w, x in zip(row, h, strict=True))) for row, bias in rows]
    return mpq(0.125) + sum(mpq(w) * x for w, x in zip(ABOVE["b.weight"][0].tolist(), middle, strict=True))


CLAMPS = {"relu": (0, None), "relu6": (0, 6), "hard_tanh": (-1, 1), "identity": (None, None)}


@pytest.mark.parametrize("name", CLAMPS)
def test_layers_above_are_exact_on_every_word(name):
    """Also on the empty word, whose output is that of the start state."""
    low, high = CLAMPS[name]
    tensors = drawn_tensors(2, "RNN", inputs=2, size=2) | ABOVE
    given = {"nonlinearity": "relu", "h": [[0.75, -0.5]], "alphabet": "ab"}
    network = xn.from_torch(tensors, readout=["a", name, "b"], **given)
    below = xn.from_torch(drawn_tensors(2, "RNN", inputs=2, size=2), **given)
    states = [mpq(0.75), mpq(-0.5)], *xn.run(below, "abbab").outputs

    def function(x):
        raised = x if low is None else max(low, x)
        return raised if high is None else min(high, raised)

    expected = [above(function, h) for h in states]
    assert list(xn.run(network, "abbab").outputs) == expected[1:]
    assert bool(xn.run(network, "")) == (expected[0] > 0)
    assert network.initial_state[-3:] == tuple(
        function(mpq(b) + mpq(row[0]) * states[0][0] + mpq(row[1]) * states[0][1])
        for row, b in zip(ABOVE["a.weight"].tolist(), ABOVE["a.bias"].tolist(), strict=True)
    )


@pytest.mark.parametrize(("name", "function"), [("tanh", math.tanh), ("sigmoid", lambda x: 1 / (1 + math.exp(-x)))])
def test_smooth_layers_above_begin_with_the_nearest_float64(name, function):
    network = xn.from_torch(drawn_tensors(2, "GRU", inputs=2, size=2) | ABOVE, readout=["a", name, "b"])
    starts = network.initial_state[-3:]
    assert all(
        math.isclose(x, function(b), rel_tol=1e-15) for x, b in zip(starts, ABOVE["a.bias"].tolist(), strict=True)
    )
    assert all(mpq(float(x)) == x for x in starts)


def test_units_of_activations_count_as_parameters(monkeypatch):
    monkeypatch.setattr(tensors_module, "MOST_PARAMETERS", 1000)
    with promptly(), pytest.raises(xn.ExactnnError, match="more than 1,000 parameters with 'relu'"):
        xn.from_torch(changed("fc.weight", np.ones((1, 2))), readout=["relu"] * 900 + ["fc"])


def test_start_states_of_many_layers_stay_short():
    """Exactly they would double again and again."""
    chain = changed("a.weight", np.array([[1.3e-300, 0], [0, 1.7e-300]])) | {"a.bias": np.ones(2)}
    with promptly():
        network = xn.from_torch(chain | {"fc.weight": np.ones((1, 2))}, readout=["a"] * 900 + ["fc"])
    assert max(x.denominator.bit_length() for x in network.initial_state) <= 4096
    large = {"a.weight": np.array([[1e300, 0], [0, -1e300]]), "a.bias": np.full(2, 1e300)}
    network = xn.from_torch(LSTM | large | {"fc.weight": np.ones((1, 2))}, readout=["a"] * 9 + ["fc"])
    assert max(x.numerator.bit_length() for x in network.initial_state) <= 4096


def test_recurrent_modules_in_a_row():
    first, second = (drawn_tensors(k, "LSTM", inputs=n, size=2, prefix=f"{k}.") for k, n in ((1, 3), (2, 2)))
    network = xn.from_torch(first | second, prefix=["1", "2"])
    renamed = {name.removeprefix("1."): array for name, array in first.items()}
    renamed |= {name.removeprefix("2.").replace("_l0", "_l1"): array for name, array in second.items()}
    assert network == xn.from_torch(renamed)
    wide = {"proj.weight": np.ones((3, 2))}
    with pytest.raises(xn.ExactnnError, match=r"'2.weight_ih_l0' is 8 by 2, where 8 by 3"):
        xn.from_torch(first | second | wide, prefix=["1", "proj", "2"])


def test_too_many_parameters_are_refused_before_they_are_numbers():
    huge = np.broadcast_to(np.float32(0), (4 * 1001, 1001))
    assert huge.size > MOST_PARAMETERS
    with pytest.raises(xn.ExactnnError, match="4,000,000"):
        xn.from_torch({"weight_ih_l0": huge, "weight_hh_l0": huge})


@pytest.mark.parametrize("place", ["fc.bias", "rnn.bias_ih_l0"])
def test_a_bias_that_is_there_in_parts_is_not_left_out(place):
    tensors = drawn_tensors(1, "RNN", inputs=2, size=3, prefix="rnn.")
    tensors |= {"fc.weight": np.ones((1, 3)), "fc.bias": np.ones(1)}
    taken = [place, place.replace("ih", "hh")] if "ih" in place else [place]
    parts = {f"{name}_orig": tensors.pop(name) for name in taken}
    with pytest.raises(xn.ExactnnError, match=rf"{place}.*prune\.remove"):
        xn.from_torch(tensors | parts, prefix="rnn", readout="fc")
