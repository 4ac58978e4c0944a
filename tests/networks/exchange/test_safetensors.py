"""safetensors files: what is written comes back as it was, and damaged files are refused in a sentence."""

import json
import struct
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import NetworkError, NetworkFileError, OptionError
from exactnn.networks.exchange import tensors
from tests.networks.exchange.state_dictionaries import drawn_tensors, modules
from tests.promptness import promptly

pytest.importorskip("safetensors")
from safetensors.numpy import load, save


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def through_a_file(network, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        xn.save_safetensors(network, path, **options)
        return xn.load_safetensors(path)


@given(modules(), st.booleans(), st.integers(0, 3), st.booleans())
def test_what_is_saved_comes_back_as_it_was(options, alphabet, rows, embedded):
    tensors = drawn_tensors(**options, prefix="rnn.")
    numbers, symbols = np.random.default_rng(7), options["inputs"]
    given_options = {}
    if rows:
        tensors["fc.weight"] = numbers.uniform(-1, 1, (rows, options["size"])).astype(options["dtype"])
        given_options["readout"] = "fc"
    if embedded:
        symbols = 4
        tensors["e.weight"] = numbers.uniform(-1, 1, (4, options["inputs"])).astype(options["dtype"])
        given_options["embedding"] = "e"
    if alphabet:
        given_options["alphabet"] = ["push", "pop", "EOS" if rows == 1 else "y", "x"][:symbols]
    network = xn.from_torch(tensors, nonlinearity="relu", name="name", **given_options)
    assert through_a_file(network) == network


def test_start_states_and_thresholds_come_back(path):
    tensors = drawn_tensors(1, "LSTM", inputs=2, size=2, layers=2)
    network = xn.from_torch(tensors, h=[[0.5, 0], [0, 1]], c=[[0, -1], [3, 0]])
    assert through_a_file(network) == network


def test_the_tensors_are_those_of_torch(path):
    """Weights under their names, bit for bit; the two biases sum to what they were."""
    tensors = drawn_tensors(1, "GRU", inputs=2, size=3, layers=2)
    xn.save_safetensors(xn.from_torch(tensors), path)
    found = {name.removeprefix("rnn."): array for name, array in load(path.read_bytes()).items()}
    assert set(found) == set(tensors)
    for name, array in tensors.items():
        if "weight" in name:
            assert (found[name] == array).all()
    for k in range(2):
        for place in range(9):
            sums = [
                mpq(float(t[f"bias_ih_l{k}"][place])) + mpq(float(t[f"bias_hh_l{k}"][place])) for t in (found, tensors)
            ]
            assert sums[0] == sums[1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_types(path, dtype):
    network = xn.from_torch(drawn_tensors(2, "RNN", inputs=1, size=2, bias=False, dtype=np.float16))
    xn.save_safetensors(network, path, dtype=dtype)
    assert {array.dtype.name for array in load(path.read_bytes()).values()} == {dtype}
    assert xn.load_safetensors(path, name=network.name) == network


def test_nothing_is_rounded(path):
    network = xn.from_torch(drawn_tensors(2, "RNN", inputs=1, size=2, bias=False, dtype=np.float64))
    with pytest.raises(xn.ExactnnError, match="no float32"):
        xn.save_safetensors(network, path, dtype="float32")
    large = xn.SimpleRNN(V=[[10**400]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(xn.ExactnnError, match="beyond the largest float64"):
        xn.save_safetensors(large, path)
    with pytest.raises(xn.ExactnnError, match="float8"):
        xn.save_safetensors(network, path, dtype="float8")
    assert not path.exists()


@pytest.mark.parametrize("machine", ["parity", "anbn", "divisible-by-3"])
def test_networks_that_are_no_torch_modules_are_refused(path, machine):
    with pytest.raises(NetworkError, match=r"is no stack of torch's cells, it has no '\w+\[0\]'"):
        xn.save_safetensors(xn.compile(xn.load(machine)).network, path)
    assert not path.exists()


def test_an_activation_that_torch_has_not_is_refused(path):
    linear = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    with pytest.raises(NetworkError, match="has the activation 'identity', and torch's RNN has only tanh and relu"):
        xn.save_safetensors(linear, path)
    assert not path.exists()


def test_layers_of_several_sizes_and_squashings_are_refused(path):
    sizes = xn.MultiLayerRNN(
        V=[[[1]], [[1, 0], [0, 1]]], W=[[[1]], [[1], [1]]], b=[[0], [0, 0]], s=[[0], [0, 0]], readout_weight=[1, 1]
    )
    ones = {gate: [[1]] for gate in "ifgo"}
    hard = xn.LSTM(V=ones, W=ones, b={gate: [0] for gate in "ifgo"}, readout_weight=[1], gate="slu")
    before = {gate: [[1]] for gate in "rzn"}
    cho = xn.GRU(V=before, W=before, b={gate: [0] for gate in "rzn"}, readout_weight=[1], reset="before")
    for network in (sizes, hard, cho):
        with pytest.raises(xn.ExactnnError):
            xn.save_safetensors(network, path)
    with pytest.raises(xn.ExactnnError, match="no stack of torch's cells"):
        xn.save_safetensors("parity", path)


def test_bfloat16(path):
    data = np.array([0x3F80, 0xC040], dtype="<u2").tobytes()  # 1 and -3
    header = {
        "weight_ih_l0": {"dtype": "BF16", "shape": [1, 1], "data_offsets": [0, 2]},
        "weight_hh_l0": {"dtype": "BF16", "shape": [1, 1], "data_offsets": [2, 4]},
    }
    path.write_bytes(file_of(header, data))
    assert xn.load_safetensors(path).circuit.layers[0][0].linear == ((0, mpq(-3)), (1, mpq(1)))


def test_metadata_are_the_options_that_are_not_given(path):
    tensors = drawn_tensors(1, "RNN", inputs=2, size=2, prefix="net.") | {"other": np.ones(1)}
    told = {"prefix": "net.", "nonlinearity": "relu", "alphabet": ["a", "b"], "name": "told"}
    path.write_bytes(save(tensors, {"exactnn": json.dumps(told)}))
    network = xn.load_safetensors(path)
    assert (network.name, network.alphabet, str(network.circuit.layers[0][0].activation)) == (
        "told",
        ("a", "b"),
        "relu",
    )
    network = xn.load_safetensors(path, nonlinearity="tanh", alphabet="xy", name="given")
    assert (network.name, network.alphabet, str(network.circuit.layers[0][0].activation)) == (
        "given",
        ("x", "y"),
        "tanh",
    )


def test_metadata_name_parts_in_their_order(path):
    tensors = drawn_tensors(1, "RNN", inputs=2, size=2, prefix="net.")
    tensors |= {"a.weight": np.ones((3, 2)), "b.weight": np.ones((1, 3))}
    told = {"prefix": ["net"], "readout": ["a", "relu", "b"]}
    path.write_bytes(save(tensors, {"exactnn": json.dumps(told)}))
    assert xn.load_safetensors(path) == xn.from_torch(tensors, **told, name=path.stem)


def file_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def one(**changes):
    entry = {"dtype": "F64", "shape": [1, 1], "data_offsets": [0, 8]} | changes
    return {"weight_ih_l0": entry}


RIGHT = save(drawn_tensors(1, "LSTM", inputs=2, size=2))
DAMAGED = {
    "empty": b"",
    "a length only": RIGHT[:8],
    "cut off": RIGHT[:-1],
    "too long": RIGHT + b"x",
    "a header of 2^64 bytes": b"\xff" * 8,
    "a header beyond the file": struct.pack("<Q", 10**6) + b"{}",
    "no JSON": file_of(b"{" * 100),
    "deep JSON": file_of(b'{"a":' * 10_000),
    "10^18 numbers": file_of(one(shape=[10**9, 10**9], data_offsets=[0, 8 * 10**18])),
    "a size that wraps": file_of(one(shape=[2**33, 2**33])),
    "overlapping": file_of(one() | {"b": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}, bytes(8)),
    "70 axes": file_of(one(shape=[1] * 70), bytes(8)),
    "nothing, 10^36 times": file_of(one(shape=[0, 2**62, 2**62], data_offsets=[0, 0])),
    "a signalling nan": file_of(
        one(dtype="F32", data_offsets=[0, 4]) | {"weight_hh_l0": one(dtype="F32", data_offsets=[4, 8])["weight_ih_l0"]},
        bytes([1, 0, 0x80, 0x7F] * 2),
    ),
    "an unknown type": file_of(one(dtype="F65"), bytes(8)),
    "text as a length": b"{}" * 20,
    "a zip archive": b"PK\x03\x04" + bytes(100),
    "a pickle": b"\x80\x02}q\x00(X\x05",
    "integers": save({name: array.astype(int) for name, array in drawn_tensors(1, "RNN", inputs=1, size=1).items()}),
    "nan": save({name: array * np.nan for name, array in drawn_tensors(1, "RNN", inputs=1, size=1).items()}),
    "metadata that are no JSON": save({}, {"exactnn": "{"}),
    "metadata that are a list": save({}, {"exactnn": "[]"}),
    "metadata of another kind": save({}, {"exactnn": '{"alphabet": 5}'}),
    "metadata with a list of another kind": save({}, {"exactnn": '{"readout": [5]}'}),
    "metadata with a list for a text": save({}, {"exactnn": '{"embedding": ["e"]}'}),
    "unknown metadata": save({}, {"exactnn": '{"eval": "1"}'}),
    "a wrong protocol": save(drawn_tensors(1, "RNN", inputs=1, size=1), {"exactnn": '{"protocol": "maybe"}'}),
}


def test_a_type_that_is_not_read_is_called_that(path):
    path.write_bytes(DAMAGED["integers"])
    with pytest.raises(NetworkFileError, match="'weight_hh_l0' is of a type that is not read: weights are floats of 8"):
        xn.load_safetensors(path)


@pytest.mark.parametrize("wrong", [None, 5, b"model.safetensors"])
def test_paths_that_are_none(wrong):
    network = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(NetworkFileError, match="cannot write"):
        xn.save_safetensors(network, wrong)
    with pytest.raises(NetworkFileError, match="give a file name"):
        xn.load_safetensors(wrong)


@pytest.mark.parametrize("dtype", [[], None, 64])
def test_types_that_are_none(path, dtype):
    network = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="choose one of float64"):
        xn.save_safetensors(network, path, dtype=dtype)


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_are_refused(path, name):
    path.write_bytes(DAMAGED[name])
    with promptly(), pytest.raises(xn.ExactnnError) as error:
        xn.load_safetensors(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000


def test_pickles_are_refused_with_the_way_out(path):
    path.write_bytes(DAMAGED["a zip archive"])
    with pytest.raises(xn.ExactnnError, match=r"is a pickle, which runs code.*state_dict"):
        xn.load_safetensors(path)


@pytest.mark.parametrize("spaces", [0x280 - 2, 0x10280 - 2])
def test_a_header_whose_length_looks_like_a_pickle_is_none(path, spaces):
    """The length is the first thing in the file: 0x280 begins like a pickle."""
    path.write_bytes(file_of(b"{" + b" " * spaces + b"}"))
    with pytest.raises(xn.ExactnnError, match="no tensor weight_ih_l0"):
        xn.load_safetensors(path)


def test_files_that_are_none(tmp_path, monkeypatch, path):
    for place in (tmp_path, tmp_path / "missing", "a\0b", 5):
        with pytest.raises(xn.ExactnnError):
            xn.load_safetensors(place)
    path.write_bytes(RIGHT)
    monkeypatch.setattr(tensors, "SIZE_LIMIT", len(RIGHT) - 1)
    with pytest.raises(xn.ExactnnError, match="bytes, the most"):
        xn.load_safetensors(path)
    network = xn.from_torch(drawn_tensors(1, "LSTM", inputs=2, size=2))
    with pytest.raises(xn.ExactnnError, match="cannot write"):
        xn.save_safetensors(network, tmp_path / "no" / "folder")


@given(st.data())
def test_changed_bytes_are_refused_or_other_numbers(data):
    """Whatever bytes are, they are a network or an error that is meant."""
    changed = bytearray(RIGHT)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.one_of(st.integers(0, len(changed) - 1), st.integers(0, 200)))
        changed[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.one_of(st.none(), st.integers(0, len(changed))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        path.write_bytes(changed[:end])
        with suppress(xn.ExactnnError):
            assert isinstance(xn.load_safetensors(path), xn.Network)


def test_a_header_of_a_million_tensors_is_refused(path):
    """The library reads headers of 100 MB, which takes minutes and gigabytes."""
    tensors = {f"t{i:040}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in range(50_000)}
    path.write_bytes(file_of(tensors))
    with promptly(), pytest.raises(xn.ExactnnError, match="headers of up to 4194304 are read"):
        xn.load_safetensors(path)
