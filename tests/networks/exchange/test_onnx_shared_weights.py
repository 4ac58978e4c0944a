"""Many layers that share a few weights are counted before the first of them is built."""

import numpy as np
import pytest

from exactnn.errors import NetworkFileError
from exactnn.networks.exchange import onnx_import

onnx = pytest.importorskip("onnx")


def test_no_layer_is_built(tmp_path, monkeypatch):
    helper = onnx.helper
    weights = [onnx.numpy_helper.from_array(np.ones((1, 2, 2), np.float32), name) for name in "WR"]
    nodes = []
    for i in range(3):
        nodes.append(helper.make_node("RNN", [f"x{i}", "W", "R"], [f"y{i}"], hidden_size=2))
        nodes.append(helper.make_node("Squeeze", [f"y{i}", "axis"], [f"x{i + 1}"]))
    weights.append(onnx.numpy_helper.from_array(np.array([1]), "axis"))
    begin = helper.make_tensor_value_info("x0", onnx.TensorProto.FLOAT, ["time", 1, 2])
    end = helper.make_tensor_value_info("x3", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "graph", [begin], [end], weights)
    path = tmp_path / "deep.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    assert onnx_import.load_onnx(path).neurons == 6

    built = []
    monkeypatch.setattr(onnx_import, "MOST_PARAMETERS", 20)
    monkeypatch.setattr(onnx_import, "streamed", built.append)
    with pytest.raises(NetworkFileError, match="more than 20 parameters"):
        onnx_import.load_onnx(path)
    assert not built
