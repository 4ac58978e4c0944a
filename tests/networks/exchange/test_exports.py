"""Networks as torch modules and ONNX models: what they compute is float64 as the circuit means it, bit for bit."""

import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import assume, given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import NetworkError, OptionError
from exactnn.networks import Activation
from exactnn.networks.exchange.float_circuit import float_circuit
from exactnn.simulation.executors import executor_for
from tests.networks.exchange.circuit_in_mpfr import close, outputs
from tests.networks.exchange.state_dictionaries import drawn_tensors
from tests.plain_circuit import bits
from tests.strategies import networks, rationals

MACHINES = ("parity", "anbn", "divisible-by-3", "anbn-stacks", "palindrome")


def inputs_of(network, word, steps=0):
    """Return the inputs of a word and of EOS symbols after it, as indices or vectors."""
    found = network.inputs(word)
    if network.decision.protocol.reads_eos:
        found += [network.alphabet.index(xn.EOS)] * steps
    return found


def vectors_of(network, inputs):
    size = network.circuit.input_size
    rows = [np.eye(size)[x] if isinstance(x, int) else np.array([float(entry) for entry in x]) for x in inputs]
    return np.array(rows, dtype=np.float64).reshape(len(inputs), size)


def in_format(network, inputs, format):
    """Return the outputs after each step, and the last state, of the executor of a format."""
    executor = executor_for(network, format)
    state, found = executor.start(), []
    for x in inputs:
        state = executor.advance(state, x, 1, until_decided=False).state
        output = executor.output(state)
        found.append(output if isinstance(output, tuple) else (output,))
    return found, executor.values(state)


def in_torch(network, inputs, dtype="float64"):
    import torch

    with torch.no_grad():
        found, state = xn.to_torch(network, dtype=dtype)(torch.from_numpy(vectors_of(network, inputs)))
    assert found.dtype == state.dtype == getattr(torch, dtype)
    return found.tolist(), state.tolist()


def in_torch32(network, inputs):
    return in_torch(network, inputs, "float32")


def in_onnxruntime(network, inputs):
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        xn.to_onnx(network, path)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        found, state = session.run(["outputs", "final_state"], {"inputs": vectors_of(network, inputs)})
    return found.tolist(), state.tolist()


PROGRAMS = {"torch": in_torch, "torch in float32": in_torch32, "onnxruntime": in_onnxruntime}
programs = pytest.mark.parametrize(
    "program",
    [pytest.param(name, marks=[pytest.mark.needs_torch] if "torch" in name else []) for name in PROGRAMS],
)


def check(network, inputs, program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xn.PrecisionWarning)
        found, state = PROGRAMS[program](network, inputs)
    expected, last = in_format(network, inputs, xn.FLOAT32 if program == "torch in float32" else xn.FLOAT64)
    assert bits(found) == bits(expected)
    assert bits(state) == bits(last)


def check_close(network, inputs, program):
    """Compare with the executor of float64: a library's smooth functions are right to a few last places."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xn.PrecisionWarning)
        found, _ = PROGRAMS[program](network, inputs)
    expected, _ = in_format(network, inputs, xn.FLOAT64)
    assert close([[mpq(y) for y in row] for row in expected], found, bits=16 if program == "torch in float32" else 40)


INSTEAD = {
    Activation.SIGMOID: Activation.SLU,
    Activation.TANH: Activation.RELU,
    Activation.SOFTPLUS: Activation.RELU,
    Activation.EXP: Activation.RELU,
}


def piecewise_linear(network):
    """Return a network with other activations for the smooth ones, which no two libraries round alike."""

    def units(layer):
        return tuple(replace(unit, activation=INSTEAD.get(unit.activation, unit.activation)) for unit in layer)

    circuit = replace(network.circuit, layers=tuple(map(units, network.circuit.layers)))
    return replace(network, circuit=circuit, readout=units(network.readout))


@programs
@given(st.data())
def test_any_circuit_bit_for_bit(program, data):
    network = piecewise_linear(data.draw(networks()))
    size = network.circuit.input_size
    entry = st.integers(0, size - 1) if network.alphabet else st.tuples(*[rationals()] * size)
    least = int(program == "onnxruntime")  # whose Scan does not take none
    assume(size or (network.alphabet is None and not least))
    check(network, data.draw(st.lists(entry, min_size=least, max_size=5)), program)


def linear_recurrences():
    """Return a network of every linear recurrence, with numbers that no float has, on two symbols."""
    third, parts = ["1/3", "2/7"], [["1/3", "-2/7"], ["5/9", "1/10"]]
    read = {"readout_weight": ["1/3", "3/11"], "alphabet": "ab"}
    factor = {"Q": parts, "S": [["1/7", 1], [0, "-1/3"]], **read}
    attention = {"K": parts, "V": [["2/3", 1], [1, "-1/9"]], "Q": [["1/3", 1], ["-6/7", "1/5"]], **read}
    return {
        "LinearRecurrence": xn.LinearRecurrence(A=[[["1/3", 1], ["-1/7", "2/3"]], [[1, "1/5"], [0, "-2/9"]]],
                                                s=third, **read),
        "DiagonalSSM": xn.DiagonalSSM(a=["9/10", ("1/3", "2/3")], B=[["1/3", 1], [1, 0], ["1/7", 1]],
                                      C=[["1/3", 1, 0], ["1/9", "2/3", 1]], D=parts, **read),
        "SelectiveSSM": xn.SelectiveSSM(a=parts, b=[["1/3", 1], ["-1/11", "2/3"]], s=third, **read),
        "GatedLinearAttention": xn.GatedLinearAttention(a=[["9/10", "1/3"], ["2/3", "4/5"]], **attention),
        "DeltaNet": xn.DeltaNet(K=parts, V=parts, beta=["2/3", "9/7"], **factor),
        "GatedDeltaNet": xn.GatedDeltaNet(K=parts, V=parts, beta=["2/3", "9/7"], decay=["9/10", "1/3"], **factor),
        "DeltaProduct": xn.DeltaProduct(K=[parts, parts[::-1]], beta=[["2/3", "9/7"], ["1/7", 1]], **factor),
        "MLSTM": xn.MLSTM(f=["9/10", "1/3"], i=["1/3", "2/7"], threshold="1/3", **attention),
    }  # fmt: skip


LINEAR = linear_recurrences()


@programs
@pytest.mark.parametrize("cell", LINEAR)
def test_linear_recurrences_bit_for_bit(program, cell):
    check(LINEAR[cell], LINEAR[cell].inputs("abbab" * 12), program)


@programs
@pytest.mark.parametrize("machine", MACHINES)
def test_compiled_networks(program, machine):
    """Every construction of a machine: first words, then EOS symbols."""
    source = xn.load(machine)
    for name in xn.constructions.constructions_for(source):
        network = xn.compile(source, construction=name).network
        if network.neurons < 300:
            check(network, inputs_of(network, network.input_symbols[:2] * 2, steps=6), program)


@programs
@pytest.mark.parametrize("cell", ["RNN", "GRU", "LSTM"])
def test_smooth_networks_agree_to_the_last_bits(program, cell):
    """Sigmoid and tanh of a library are right to a few units in the last place, and nothing here magnifies that."""
    network = xn.from_torch(drawn_tensors(3, cell, inputs=2, size=4, layers=2, dtype=np.float64))
    vectors = np.random.default_rng(1).uniform(-1, 1, (50, 2)).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xn.PrecisionWarning)  # the sum of two biases is no float32
        found, _ = PROGRAMS[program](network, [tuple(vector) for vector in vectors])
    assert close(outputs(network, vectors), found, bits=16 if program == "torch in float32" else 40)


@programs
@pytest.mark.parametrize("activation", INSTEAD, ids=str)
def test_smooth_activations_agree_to_the_last_bits(program, activation):
    network = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=activation)
    inputs = [(mpq(k, 8),) for k in range(-80, 81)]
    check_close(network, inputs, program)


@programs
def test_the_selective_scan_agrees_to_the_last_bits(program):
    scan = {"A": [[-1, -2], ["-1/2", -3]], "W": [[1, 0], ["1/2", -1]], "b": [-1, 1], "B": [[1, 0], [0, 1]],
            "C": [[1, 1], [1, -1]], "D": [1, "1/2"]}  # fmt: skip
    network = xn.SelectiveScan(**scan, readout_weight=[[1, 0], [0, 1]])
    inputs = [(mpq(k, 8), mpq(8 - k, 4)) for k in range(12)]
    check_close(network, inputs, program)


@programs
def test_overflow_and_nan(program):
    large = 10**30 if program == "torch in float32" else 10**200
    network = xn.SimpleRNN(
        V=[[large, 0], [1, -1]], W=[[1], [0]], b=[0, 0], s=[1, 0], readout_weight=[[1, 0], [0, 1]], activation="relu"
    )
    check(network, [(1,)] * 6, program)
    check(network, [(-1,)] * 6, program)


THIRDS = xn.SimpleRNN(V=[["1/3"]], W=[["1/2"]], b=[0], s=["1/7"], readout_weight=[1])


def test_what_is_rounded_is_reported(tmp_path):
    assert float_circuit(THIRDS).rounded == 2
    pytest.importorskip("onnx")
    with pytest.warns(xn.PrecisionWarning, match="2 parameters are no float64"):
        assert xn.to_onnx(THIRDS, tmp_path / "a.onnx") == 2
    assert xn.to_onnx(xn.compile(xn.load("parity")).network, tmp_path / "b.onnx") == 0


@pytest.mark.needs_torch
def test_what_torch_rounds_is_reported():
    import torch

    with pytest.warns(xn.PrecisionWarning, match="2 parameters are no float64"):
        assert xn.to_torch(THIRDS).rounded_parameters == 2
    with pytest.warns(xn.PrecisionWarning, match="2 parameters are no float32"):
        assert xn.to_torch(THIRDS, dtype="float32").rounded_parameters == 2
    assert torch.float64 == xn.to_torch(xn.compile(xn.load("parity")).network).layers[0].bias.dtype


@given(rationals(), st.sampled_from([("float64", xn.FLOAT64), ("float32", xn.FLOAT32)]))
def test_roundings_are_to_nearest(value, type_):
    dtype, format = type_
    network = xn.SimpleRNN(V=[[1]], W=[[1]], b=[value], s=[0], readout_weight=[1])
    rounded = float_circuit(network, dtype)
    (bias,) = rounded.layers[0].bias
    assert bias == format.nearest(value)
    assert bias.dtype == dtype
    assert rounded.rounded == (format.nearest(value) != value)


def test_no_number_is_rounded_twice():
    """1 + 2^-24 + 2^-60 is above the middle of two float32; its float64 is the middle, which goes down."""
    value = 1 + mpq(1, 2**24) + mpq(1, 2**60)
    network = xn.SimpleRNN(V=[[1]], W=[[1]], b=[value], s=[0], readout_weight=[1])
    assert float_circuit(network, "float32").layers[0].bias[0] == 1 + mpq(1, 2**23)


def test_what_cannot_be_exported(tmp_path):
    large = xn.SimpleRNN(V=[[10**400]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    for network in (large, "parrity", None):
        with pytest.raises(xn.ExactnnError):
            float_circuit(network)
    with pytest.raises(NetworkError, match="beyond the largest float32"):
        float_circuit(xn.SimpleRNN(V=[[10**40]], W=[[1]], b=[0], s=[0], readout_weight=[1]), "float32")
    with pytest.raises(OptionError, match="dtype='float16'"):
        float_circuit(THIRDS, "float16")
    pytest.importorskip("onnx")
    with pytest.raises(xn.ExactnnError, match="cannot write"):
        xn.to_onnx(xn.compile(xn.load("parity")).network, tmp_path / "no" / "folder.onnx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs_torch
def test_words_batches_and_states_in_torch():
    import torch

    construction = xn.compile(xn.load("parity"))
    module = xn.to_torch(construction.network)
    one_hot = module.one_hot("0110")
    assert one_hot.shape == (4, len(construction.network.alphabet))
    outputs, state = module(one_hot)
    first, middle = module(one_hot[:2])
    rest, last = module(one_hot[2:], middle)
    assert torch.equal(torch.cat([first, rest]), outputs)
    assert torch.equal(last, state)
    batch, states = module(torch.stack([one_hot, one_hot.flip(0)], dim=1))
    assert torch.equal(batch[:, 0], outputs)
    assert batch.shape == (4, 2, 1)
    assert torch.equal(states[0], state)
    none, start = module(one_hot[:0])
    assert (none.shape, start.tolist()) == ((0, 1), [float(x) for x in construction.network.initial_state])


@pytest.mark.needs_torch
def test_a_module_can_be_trained():
    import torch

    network = xn.from_torch(drawn_tensors(1, "LSTM", inputs=2, size=3))
    module, cell = xn.to_torch(network), torch.nn.LSTM(2, 3).double()
    tensors = drawn_tensors(1, "LSTM", inputs=2, size=3)
    cell.load_state_dict({name: torch.from_numpy(array) for name, array in tensors.items()})
    x = torch.randn(5, 2, dtype=torch.float64)
    for program in (module, cell):
        outputs, _ = program(x)
        outputs.square().sum().backward()
    weights = cell.weight_hh_l0.grad
    (layer,) = [layer for layer in module.layers if len(layer.bias) == 12]
    own = (layer.register_index < 3).nonzero()[:, 0]
    gradients = torch.zeros(12, 3, dtype=torch.float64)
    gradients[layer.unit_index[own], layer.register_index[own]] = layer.weight.grad[own]
    assert torch.allclose(gradients, weights, rtol=1e-10, atol=1e-12)


def test_the_model_says_what_it_reads(tmp_path):
    onnx = pytest.importorskip("onnx")
    network = xn.compile(xn.load("anbn")).network
    xn.to_onnx(network, tmp_path / "a.onnx")
    told = {entry.key: entry.value for entry in onnx.load(tmp_path / "a.onnx").metadata_props}
    assert told["protocol"] == str(network.decision.protocol)
    assert (told["rounded_parameters"], told["name"]) == ("0", network.name)
    xn.to_onnx(network, tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    with pytest.raises(xn.ExactnnError, match="Scan"):
        xn.load_onnx(tmp_path / "a.onnx")
