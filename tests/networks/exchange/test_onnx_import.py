"""Recurrent operators of ONNX: against onnxruntime and torch's equations, and what is refused, by its node."""

import tempfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.networks.exchange import onnx_import, tensors
from tests.networks.exchange.circuit_in_mpfr import close, outputs, torch_outputs
from tests.networks.exchange.state_dictionaries import drawn_tensors
from tests.promptness import promptly

pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper

from tests.networks.exchange.onnx_models import STATES, model, recurrent, run_by_runtime

ORDERS = {"RNN": (0,), "LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2)}
"""For each gate of ONNX its place in torch: i, o, f, c of i, f, g, o, and z, r, h of r, z, n."""


@pytest.fixture
def load(tmp_path):
    def call(made, **options):
        path = tmp_path / "model.onnx"
        path.write_bytes(made if isinstance(made, bytes) else made.SerializeToString())
        return xn.load_onnx(path, **options)

    return call


def vectors_of(seed, size, steps=6):
    return np.random.default_rng(seed).uniform(-2, 2, (steps, size)).astype(np.float32).tolist()


def in_onnx_order(array, cell):
    parts = np.split(array, len(ORDERS[cell]))
    return np.concatenate([parts[place] for place in ORDERS[cell]])


def rows_of(tensors, cell):
    """Return W, R and B of a node with the parameters of a torch module."""
    ordered = {name: in_onnx_order(array, cell)[None] for name, array in tensors.items()}
    biases = [ordered["bias_ih_l0"], ordered["bias_hh_l0"]]
    return {"W": ordered["weight_ih_l0"], "R": ordered["weight_hh_l0"], "B": np.concatenate(biases, axis=1)}


@pytest.mark.parametrize("cell", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_the_network_is_that_of_torch_with_the_gates_in_another_order(load, cell, dtype):
    tensors = drawn_tensors(5, cell, inputs=2, size=3, dtype=dtype)
    attributes = {"linear_before_reset": 1} if cell == "GRU" else {}
    network = load(recurrent(cell, constants=rows_of(tensors, cell), **attributes), name="one")
    assert network == xn.from_torch(tensors, name="one")
    vectors = vectors_of(1, 2)
    lists = {name: array.astype(np.float64).tolist() for name, array in tensors.items()}
    assert close(outputs(network, vectors), torch_outputs(lists, vectors), bits=180)


START = {"h": np.array([[[0.5, -1, 0.25]]], dtype=np.float32), "c": np.array([[[2, 0, -0.5]]], dtype=np.float32)}
PEEPHOLES = {"P": np.array([[0.5, -1, 2, 0.25, 1, -0.5, 1, 2, -2]], dtype=np.float32)}
VARIANTS = {
    "RNN": ("RNN", {}),
    "LSTM": ("LSTM", {}),
    "GRU, reset before": ("GRU", {}),
    "GRU, reset after": ("GRU", {"linear_before_reset": 1}),
    "without bias": ("LSTM", {"left_out": ["B"]}),
    "GRU without bias": ("GRU", {"left_out": ["B"], "linear_before_reset": 1}),
    "peepholes": ("LSTM", {"constants": PEEPHOLES}),
    "start states": ("LSTM", {"constants": START}),
    "a start state": ("GRU", {"constants": {"h": START["h"]}}),
    "relu": ("RNN", {"activations": ["Relu"]}),
    "sigmoid": ("RNN", {"activations": ["Sigmoid"]}),
    "an activation of two units": ("RNN", {"activations": ["LeakyRelu"], "activation_alpha": [0.25]}),
    "other activations": ("LSTM", {"activations": ["HardSigmoid", "Relu", "Sigmoid"]}),
    "activations with parameters": (
        "LSTM",
        {
            "activations": ["HardSigmoid", "LeakyRelu", "ScaledTanh"],
            "activation_alpha": [0.25, 0.5, 0.75],
            "activation_beta": [0.375, 0.625],
        },
    ),
    "an affine candidate": (
        "GRU",
        {"activations": ["Sigmoid", "Affine"], "activation_alpha": [0.5], "activation_beta": [0.25]},
    ),
    "a default alpha": ("GRU", {"activations": ["HardSigmoid", "LeakyRelu"]}),
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_against_onnxruntime(load, name, seed):
    """In float32 there: five digits tell gates and activations apart."""
    pytest.importorskip("onnxruntime")
    operator, options = VARIANTS[name]
    made = recurrent(operator, seed=seed, **options)
    vectors = vectors_of(seed, 2)
    found = np.array([[float(x) for x in row] for row in outputs(load(made), vectors)])
    assert np.abs(found - run_by_runtime(made, vectors)).max() < 1e-5


def test_what_stands_around_the_cell(load):
    """A linear layer below, two cells, a readout: the axes are followed."""
    numbers = np.random.default_rng(0)
    constants = {
        "E": numbers.uniform(-1, 1, (2, 3)).astype(np.float32),
        "e": numbers.uniform(-1, 1, 3).astype(np.float32),
        "F": numbers.uniform(-1, 1, (2, 4)).astype(np.float32),
        "f": numbers.uniform(-1, 1, (1, 2)).astype(np.float32),
        "one": np.array([1]),
        "two": np.array([2]),
        "last": np.array(-1),
    }
    for k, (operator, inputs, size) in enumerate((("GRU", 3, 3), ("LSTM", 3, 4))):
        rows = {"GRU": 3, "LSTM": 4}[operator] * size
        constants |= {f"W{k}": numbers.uniform(-1, 1, (1, rows, inputs)).astype(np.float32)}
        constants |= {f"R{k}": numbers.uniform(-1, 1, (1, rows, size)).astype(np.float32)}
    nodes = [
        helper.make_node("MatMul", ["X", "E"], ["x1"]),
        helper.make_node("Add", ["e", "x1"], ["x2"]),
        helper.make_node("Transpose", ["x2"], ["x3"], perm=[1, 0, 2]),
        helper.make_node("GRU", ["x3", "W0", "R0"], ["y0"], hidden_size=3),
        helper.make_node("Squeeze", ["y0", "one"], ["y1"]),
        helper.make_node("Dropout", ["y1"], ["y2"]),
        helper.make_node("LSTM", ["y2", "W1", "R1"], ["y3"], hidden_size=4),
        helper.make_node("Transpose", ["y3"], ["y4"], perm=[2, 0, 3, 1]),
        helper.make_node("Squeeze", ["y4", "one3"], ["y5"]),
        helper.make_node("Identity", ["y5"], ["y6"]),
        helper.make_node("Transpose", ["F"], ["Ft"]),
        helper.make_node("MatMul", ["y6", "Ft"], ["y7"]),
        helper.make_node("Add", ["y7", "f"], ["y8"]),
        helper.make_node("Gather", ["y8", "last"], ["y9"], axis=1),
        helper.make_node("Softmax", ["y9"], ["probabilities"]),
    ]
    constants["one3"] = np.array([3])
    made = model(
        nodes, constants, [("X", [1, "time", 2])], [("y8", [1, "time", 2]), ("y9", [1, 2]), ("probabilities", [1, 2])]
    )
    networks = [load(made), load(made, output="y9")]
    assert networks[0] == networks[1]
    assert (networks[0].neurons, len(networks[0].readout)) == (11, 2)
    with pytest.raises(xn.ExactnnError, match=r"'probabilities' \(Softmax\).*output="):
        load(made, output="probabilities")
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    vectors = vectors_of(3, 2)
    (expected,) = session.run(["y8"], {"X": np.array([vectors], dtype=np.float32)})
    found = np.array([[float(x) for x in row] for row in outputs(networks[0], vectors)])
    assert np.abs(found - expected[0]).max() < 1e-5


def test_batches_first(load):
    made = recurrent("GRU", seed=1, layout=1, constants={"h": START["h"]})
    assert load(made) == load(recurrent("GRU", seed=1, constants={"h": START["h"]}))


def reshaped(shape, perm=(0, 2, 1, 3), sizes=("time", 1, 2)):
    """Return a cell and what newer exporters of torch write after it: the direction by the features, then one axis."""
    made = recurrent("GRU")
    for dim, size in zip(made.graph.input[0].type.tensor_type.shape.dim, sizes, strict=True):
        dim.Clear()
        if isinstance(size, int):
            dim.dim_value = size
    made.graph.node.append(helper.make_node("Transpose", ["Y"], ["Y1"], perm=perm))
    made = without_time(made, helper.make_node("Reshape", ["Y1", "shape"], ["Z"], name="flat"))
    return with_constant(made, "shape", np.array(shape))


@pytest.mark.parametrize("shape", [[0, 0, -1], [0, 0, 3], [-1, 1, 3], [0, 1, 3], [6, 1, 3]])
def test_reshapes_that_take_the_direction_away(load, shape):
    made = reshaped(shape, sizes=(6, 1, 2) if shape[0] == 6 else ("time", 1, 2))
    assert load(made) == load(recurrent("GRU"))


@pytest.mark.parametrize("shape", [[1, -1, 3], [-1, 3], [0, 0, 4], [6, 1, 3], [-1, -1, 3], [0, -1, 1, 3], [2, 3, 3]])
def test_reshapes_that_do_anything_else_are_refused(load, shape):
    with pytest.raises(xn.ExactnnError, match=r"'flat' \(Reshape\)"):
        load(reshaped(shape))


def test_a_zero_in_a_reshape_copies_the_axis_at_its_place(load):
    """With the direction before the batch it would copy that of the direction."""
    with pytest.raises(xn.ExactnnError, match="Reshape"):
        load(reshaped([0, 0, -1], perm=(0, 1, 2, 3)))


def without_time(made, node):
    """Return a model with one more node after its cell."""
    made.graph.node.append(node)
    del made.graph.output[:]
    made.graph.output.append(helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None))
    return made


def with_constant(made, name, array):
    made.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    return made


def with_value(made, **value):
    """Return a model whose start state is what a Constant with this attribute makes."""
    made.graph.node.insert(0, helper.make_node("Constant", [], ["h"], **value))
    made.graph.node[1].input.extend(["", "h"])
    return made


def external(made):
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")
    return made


def resized(made, dims):
    del made.graph.initializer[0].dims[:]
    made.graph.initializer[0].dims.extend(dims)
    return made


def nan(made):
    array = numpy_helper.to_array(made.graph.initializer[1]).copy()
    array[0, 2, 1] = np.nan
    made.graph.initializer[1].CopyFrom(numpy_helper.from_array(array, "R"))
    return made


def made_with(operator="LSTM", **options):
    return lambda: recurrent(operator, **options)


ONES = np.ones((1, 12, 3), dtype=np.float32)
REFUSED = {
    "reverse": (made_with(direction="reverse"), r"'cell' \(LSTM\): direction is 'reverse'"),
    "bidirectional": (made_with(direction="bidirectional"), "bidirectional"),
    "a direction that is a tensor": (
        made_with(direction=numpy_helper.from_array(np.zeros(0, dtype=np.float32))),
        "direction is array",
    ),
    "a whole number that is none": (
        lambda: with_value(recurrent("LSTM"), value_int=float("nan")),
        "its value is of a kind that is not read",
    ),
    "numbers that are text": (
        lambda: with_value(recurrent("LSTM"), value_floats=["a"]),
        "its value is of a kind that is not read",
    ),
    "clip": (made_with(clip=1.0), "clip"),
    "coupled gates": (made_with(input_forget=1), "input_forget"),
    "an unknown activation": (made_with(activations=["Elu", "Tanh", "Tanh"]), "Elu"),
    "few activations": (made_with(activations=["Tanh"]), "3 names"),
    "an affine activation without parameters": (made_with("GRU", activations=["Sigmoid", "Affine"]), "Affine"),
    "too many parameters of activations": (made_with(activation_alpha=[1.0]), "activation_alpha"),
    "another hidden size": (made_with(hidden_size=4), "hidden_size is 4"),
    "a layout that is none": (made_with(layout=2), "layout"),
    "no W": (made_with(left_out=["W"]), "input 1 is left out"),
    "a wide W": (made_with("GRU", constants={"W": ONES}), "W is"),
    "two directions": (made_with(constants={"W": np.ones((2, 12, 2), dtype=np.float32)}), "one direction"),
    "a short B": (made_with(constants={"B": np.ones((1, 5), dtype=np.float32)}), "B is"),
    "a short P": (made_with(constants={"P": np.ones((1, 5), dtype=np.float32)}), "P has not"),
    "a short start state": (made_with(constants={"h": np.ones((1, 1, 2), dtype=np.float32)}), "start state"),
    "start states by sequence": (
        made_with(constants={"h": np.array([[[0, 0, 0], [0, 0, 1]]], dtype=np.float32)}),
        "same for every sequence",
    ),
    "integers": (made_with(constants={"R": np.ones((1, 12, 3), dtype=np.int64)}), "int64"),
    "nan": (lambda: nan(recurrent("LSTM")), r"\[2, 1\] is nan"),
    "external data": (lambda: external(recurrent("LSTM")), "another file"),
    "huge dims": (lambda: resized(recurrent("LSTM"), [1, 10**9, 10**9]), "numbers, but its shape"),
    "negative dims": (lambda: resized(recurrent("LSTM"), [1, -12, -2]), "numbers, but its shape"),
    "many dims": (lambda: resized(recurrent("LSTM"), [1] * 70 + [24]), "cannot be read"),
    "a step in the middle": (
        lambda: with_constant(
            without_time(recurrent("LSTM"), helper.make_node("Gather", ["Y", "k"], ["Z"], axis=0)), "k", np.array(0)
        ),
        "entry 0 of the axis of time",
    ),
    "a sum over time": (
        lambda: without_time(recurrent("LSTM"), helper.make_node("ReduceSum", ["Y"], ["Z"], name="total")),
        r"'total' \(ReduceSum\)",
    ),
    "another domain": (
        lambda: without_time(recurrent("LSTM"), helper.make_node("Gather", ["Y"], ["Z"], domain="com.other")),
        "com.other",
    ),
    "the cell state": (
        lambda: without_time(recurrent("LSTM", outputs=("Y", "Yh", "Yc")), helper.make_node("Identity", ["Yc"], ["Z"])),
        "'Yc'",
    ),
    "no cell": (
        lambda: model([helper.make_node("Identity", ["X"], ["Y"])], {}, [("X", [1, 1, 1])], [("Y", None)]),
        "recurrent",
    ),
    "a name that is nothing": (
        lambda: model([helper.make_node("Identity", ["Q"], ["Y"])], {}, [("X", [1, 1, 1])], [("Y", None)]),
        "'Q' is read before it is there",
    ),
    "no nodes": (lambda: model([], {}, [], []), "no graph"),
    "empty": (lambda: b"", "no graph"),
    "no protobuf": (lambda: b"\xff" * 100, "no ONNX|not an ONNX"),
    "text": (lambda: b"hello, world", "not an ONNX"),
    "a pickle": (lambda: b"\x80\x02}q\x00", "pickle"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(load, name):
    make, message = REFUSED[name]
    with promptly(), pytest.raises(xn.ExactnnError, match=message) as error:
        load(make())
    assert "\n" not in str(error.value)


def test_sequence_lengths_and_start_states_from_outside_are_refused(load):
    for place, word in ((4, "sequence_lens"), (5, "input of the model")):
        made = recurrent("LSTM")
        node = made.graph.node[0]
        del node.input[:]
        node.input.extend([*["X", "W", "R", "B", "", "", ""][:place], "given"])
        made.graph.input.append(helper.make_tensor_value_info("given", TensorProto.FLOAT, [1, 1, 3]))
        with pytest.raises(xn.ExactnnError, match=word):
            load(made)


HEADS = {
    "relu": ("Relu", {}, ()),
    "tanh": ("Tanh", {}, ()),
    "sigmoid": ("Sigmoid", {}, ()),
    "softplus": ("Softplus", {}, ()),
    "hard sigmoid": ("HardSigmoid", {"alpha": 0.25, "beta": 0.375}, ()),
    "leaky": ("LeakyRelu", {"alpha": 0.125}, ()),
    "clip": ("Clip", {}, ("low", "high")),
    "clip above": ("Clip", {}, ("", "high")),
    "nothing": ("Identity", {}, ()),
}


def with_head(operator, attributes, bounds, *, last=True):
    """Return a model of an LSTM, an activation, a linear layer, that activation again and a linear layer."""
    made, numbers = recurrent("LSTM"), np.random.default_rng(5)
    constants = {
        "A": numbers.uniform(-1, 1, (3, 5)).astype(np.float32),
        "a": numbers.uniform(-1, 1, 5).astype(np.float32),
        "Z": numbers.uniform(-1, 1, (5, 2)).astype(np.float32),
        "one": np.array([1]),
        "low": np.array(-0.25, dtype=np.float32),
        "high": np.array(0.125, dtype=np.float32),
    }
    nodes = [
        helper.make_node("Squeeze", ["Y", "one"], ["y1"]),
        helper.make_node(operator, ["y1", *bounds], ["y2"], **attributes),
        helper.make_node("MatMul", ["y2", "A"], ["y3"]),
        helper.make_node("Add", ["y3", "a"], ["y4"]),
        helper.make_node(operator, ["y4", *bounds], ["y5"], name="above", **attributes),
        helper.make_node("MatMul", ["y5", "Z"], ["y6"]),
    ]
    cell = [*made.graph.node]
    parameters = {tensor.name: numpy_helper.to_array(tensor) for tensor in made.graph.initializer}
    return model([*cell, *nodes], parameters | constants, [("X", ["time", 1, 2])], [("y6" if last else "y5", None)])


@pytest.mark.parametrize("name", HEADS)
def test_layers_above_against_onnxruntime(load, name):
    pytest.importorskip("onnxruntime")
    made, vectors = with_head(*HEADS[name]), vectors_of(3, 2)
    found = np.array([[float(x) for x in row] for row in outputs(load(made), vectors)])
    assert np.abs(found - run_by_runtime(made, vectors)).max() < 1e-5


def test_bounds_of_old_models_are_attributes(load):
    """Before opset 11."""
    new = load(with_head("Clip", {}, ("low", "high")), name="it")
    made = with_head("Clip", {}, ())
    for node in made.graph.node:
        if node.op_type == "Clip":
            node.attribute.extend([helper.make_attribute("min", -0.25), helper.make_attribute("max", 0.125)])
    assert load(made, name="it") == new
    free = with_head("Clip", {}, ("low", "high"))
    for tensor in free.graph.initializer:
        if tensor.name == "high":
            tensor.CopyFrom(numpy_helper.from_array(np.array(np.inf, dtype=np.float32), "high"))
    assert load(free, name="it") == load(with_head("Clip", {}, ("low",)), name="it")


def test_wrong_bounds_name_the_node(load):
    made = with_head("Clip", {}, ("high", "low"))
    with pytest.raises(xn.ExactnnError, match=r"node 'y2' \(Clip\): low of Clip"):
        load(made)


def test_layers_without_a_recurrent_one_are_no_network(load):
    weight = np.ones((2, 2), dtype=np.float32)
    nodes = [
        helper.make_node("MatMul", ["X", "A"], ["y1"]),
        helper.make_node("Relu", ["y1"], ["y2"]),
        helper.make_node("MatMul", ["y2", "A"], ["y3"]),
    ]
    with pytest.raises(xn.ExactnnError, match="does not come from a recurrent layer"):
        load(model(nodes, {"A": weight}, [("X", ["time", 2])], [("y3", None)]))


def test_an_activation_at_the_end_is_refused_with_the_way_out(load):
    made = with_head("Sigmoid", {}, (), last=False)
    with pytest.raises(xn.ExactnnError, match=r"'y5' is what Sigmoid makes of a layer.*name the tensor before it"):
        load(made)
    assert len(load(made, output="y4").readout) == 5


def test_activations_without_end_are_refused(load, monkeypatch):
    made = recurrent("GRU")
    names = ["Y", *(f"y{k}" for k in range(400))]
    made.graph.node.extend(helper.make_node("Relu", [below], [above]) for below, above in pairwise(names))
    monkeypatch.setattr(onnx_import, "MOST_PARAMETERS", 1000)
    with promptly(), pytest.raises(xn.ExactnnError, match="1,000 parameters"):
        load(made, output="y399")


def test_options(load, tmp_path, monkeypatch):
    made = recurrent("LSTM")
    assert load(made, alphabet="ab", name="it").alphabet == ("a", "b")
    with pytest.raises(xn.ExactnnError, match="output='nothing'"):
        load(made, output="nothing")
    with pytest.raises(xn.ExactnnError, match="alphabet"):
        load(made, alphabet="abc")
    with pytest.raises(xn.ExactnnError, match="cannot read"):
        xn.load_onnx(tmp_path / "missing.onnx")
    monkeypatch.setattr(tensors, "SIZE_LIMIT", 100)
    with pytest.raises(xn.ExactnnError, match="100 bytes"):
        load(made)


@pytest.mark.parametrize("wrong", [[], ["Y"], 5])
def test_outputs_that_are_no_names(load, wrong):
    with pytest.raises(xn.ExactnnError, match="is no tensor of the graph"):
        load(recurrent("LSTM"), output=wrong)


def test_later_states_are_not_the_first_output(load):
    assert load(recurrent("LSTM"), output="Yh") == load(recurrent("LSTM"))
    assert STATES["LSTM"] * 3 == load(recurrent("LSTM")).neurons


def test_small_files_that_ask_for_much_are_refused(load, monkeypatch):
    """Constants that double in every node, and a layer whose weights are used again and again."""
    nodes = [helper.make_node("Concat", [f"h{i}" if i else "h"] * 2, [f"h{i + 1}"], axis=0) for i in range(60)]
    made = recurrent("GRU", constants={"h": START["h"]})
    nodes.append(helper.make_node("GRU", ["X", "W", "R", "B", "", "h60"], ["Z"], hidden_size=3, name="last"))
    made.graph.node.extend(nodes)
    with promptly(), pytest.raises(xn.ExactnnError, match="4,000,000"):
        load(made, output="Z")
    monkeypatch.setattr(onnx_import, "MOST_PARAMETERS", 50_000)
    wide = np.ones((1, 3 * 30, 30), dtype=np.float32)
    constants = {"W": wide, "R": wide, "zero": np.zeros(1, dtype=np.float32)}
    again = [helper.make_node("GRU", ["X", "W", "R"], ["", f"z{k}"], hidden_size=30) for k in range(60)]
    shapes = [helper.make_node("Shape", [f"z{k}"], [f"s{k}"]) for k in range(60)]
    last = [
        helper.make_node("Concat", [f"s{k}" for k in range(60)], ["s"], axis=0),
        helper.make_node("Expand", ["zero", "s"], ["h"]),
        helper.make_node("GRU", ["X", "W", "R", "", "", "h"], ["Z"], hidden_size=30),
    ]
    with promptly(), pytest.raises(xn.ExactnnError, match="50,000 parameters"):
        load(model([*again, *shapes, *last], constants, [("X", ["time", 1, 30])], [("Z", None)]))


RIGHT = recurrent("LSTM", constants=START | PEEPHOLES, activations=["HardSigmoid", "Tanh", "Tanh"]).SerializeToString()


@given(st.data())
def test_changed_bytes_are_refused_or_other_numbers(data):
    """Whatever bytes are, they are a network or an error that is meant; most bytes here are not of the weights."""
    changed = bytearray(RIGHT)
    structure = [place for place, byte in enumerate(RIGHT) if 0 < byte < 0x7F]
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.sampled_from(structure))] = data.draw(st.integers(0, 255))
    end = data.draw(st.one_of(st.none(), st.integers(0, len(changed))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(changed[:end])
        with suppress(xn.ExactnnError):
            assert isinstance(xn.load_onnx(path), xn.Network)
