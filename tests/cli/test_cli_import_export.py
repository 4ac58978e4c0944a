"""``exactnn import`` and ``exactnn export``: trained networks in, models out, and what is refused."""

import json

import numpy as np
import pytest

import exactnn as xn
from tests.networks.exchange.state_dictionaries import drawn_tensors

pytest.importorskip("safetensors")
from safetensors.numpy import save_file


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "trained.safetensors"
    tensors = drawn_tensors(1, "RNN", inputs=2, size=3, prefix="rnn.")
    save_file(tensors | {"fc.weight": np.array([[1.0, -1, 0.5]]), "fc.bias": np.array([0.25])}, path)
    return path


def test_there_and_back(invoke, weights, tmp_path):
    net, model = tmp_path / "net.json", tmp_path / "again.safetensors"
    arguments = ("--readout", "fc", "--nonlinearity", "relu", "--alphabet", "ab", "--json")
    record = json.loads(invoke("import", str(weights), "-o", str(net), *arguments).stdout)
    assert (record["neurons"], record["activations"]) == (3, ["relu"])
    assert record["alphabet"] == ["a", "b"]
    expected = xn.load_safetensors(weights, readout="fc", nonlinearity="relu", alphabet="ab")
    assert xn.load_network(net) == expected
    assert json.loads(invoke("run", str(net), "abba", "--json").stdout)["verdict"] == xn.run(expected, "abba").verdict
    assert json.loads(invoke("export", str(net), "-o", str(model), "--json").stdout)["rounded_parameters"] == 0
    assert invoke("import", str(model), "-o", str(net), "--force").exit_code == 0
    assert xn.load_network(net) == expected


def test_parts_in_their_order(invoke, tmp_path):
    path, net = tmp_path / "deep.safetensors", tmp_path / "net.json"
    tensors = drawn_tensors(1, "RNN", inputs=2, size=3, prefix="rnn.")
    tensors |= {"fc1.weight": np.ones((2, 3)), "fc2.weight": np.array([[1.0, -0.5]])}
    save_file(tensors, path)
    assert invoke("import", str(path), "-o", str(net), "--readout", "fc1,relu,fc2").exit_code == 0
    assert xn.load_network(net) == xn.from_torch(tensors, readout=["fc1", "relu", "fc2"], name="deep")


def test_a_machine_as_onnx(invoke, tmp_path):
    pytest.importorskip("onnx")
    path = tmp_path / "parity.onnx"
    done = invoke("export", "parity", "-o", str(path))
    assert (done.exit_code, done.stderr) == (0, "")
    assert "it is exact" in done.stdout
    assert path.stat().st_size > 100
    thirds = tmp_path / "thirds.json"
    xn.save_network(xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a"), thirds)
    done = invoke("export", str(thirds), "-o", str(path), "--force", "--json")
    assert (json.loads(done.stdout)["rounded_parameters"], done.stderr) == (1, "")
    assert "1 parameters, to the nearest" in invoke("export", str(thirds), "-o", str(path), "--force").stdout


def test_an_onnx_model(invoke, tmp_path):
    pytest.importorskip("onnx")
    from tests.networks.exchange.onnx_models import recurrent

    path, net = tmp_path / "model.onnx", tmp_path / "net.json"
    path.write_bytes(recurrent("LSTM").SerializeToString())
    assert invoke("import", str(path), "-o", str(net), "--alphabet", "push,pop", "--tensor", "Yh").exit_code == 0
    assert xn.load_network(net) == xn.load_onnx(path, alphabet=["push", "pop"])
    done = invoke("import", str(path), "-o", str(net), "--force", "--readout", "fc")
    assert (done.exit_code, "--readout" in done.stderr) == (2, True)


def test_models_are_imported_before_they_run(invoke, weights):
    for command in (("run", str(weights), "ab"), ("show", str(weights)), ("collapse", str(weights), "ab")):
        done = invoke(*command)
        assert done.exit_code == 2
        assert "exactnn import" in done.stderr


def test_what_is_refused(invoke, weights, tmp_path):
    net = str(tmp_path / "net.json")
    pickle = tmp_path / "model.pt"
    pickle.write_bytes(b"PK\x03\x04" + bytes(50))
    for arguments, word in (
        (("import", str(weights), "-o", net), "fc.bias"),
        (("import", str(pickle), "-o", net), "pickle"),
        (("import", "model.h5", "-o", net), ".safetensors or .onnx"),
        (("import", "missing.safetensors", "-o", net), "cannot read"),
        (("import", str(weights), "-o", str(tmp_path)), "is a folder"),
        (("import", str(weights), "-o", net, "--tensor", "y"), "--tensor"),
        (("export", "parity", "-o", "parity.h5"), ".onnx or .safetensors"),
        (("export", "parity", "-o", str(tmp_path / "p.safetensors")), "torch"),
        (("export", "parity", "-o", str(tmp_path)), ".onnx or .safetensors"),
    ):
        done = invoke(*arguments)
        assert done.exit_code == 2, arguments
        assert word in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_classifier_accepts_where_one_output_is_the_largest(invoke, weights, tmp_path):
    tensors = drawn_tensors(1, "RNN", inputs=2, size=3, prefix="rnn.")
    save_file(
        tensors | {"fc.weight": np.array([[1.0, -1, 0.5], [0.5, 1, -1]]), "fc.bias": np.array([0.25, 0])}, weights
    )
    net = tmp_path / "net.json"
    arguments = (
        "import",
        str(weights),
        "-o",
        str(net),
        "--readout",
        "fc",
        "--nonlinearity",
        "relu",
        "--alphabet",
        "ab",
    )
    assert invoke(*arguments, "--accepting", "1").exit_code == 0
    outputs = xn.load_safetensors(weights, readout="fc", nonlinearity="relu", alphabet="ab")
    assert xn.load_network(net) == xn.as_acceptor(outputs, 1)
    assert invoke(*arguments, "--accepting", "2", "--force").exit_code == 2
