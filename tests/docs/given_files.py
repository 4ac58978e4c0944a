"""Files that a reader of a page is taken to have: what its commands are given, by the page."""

import numpy as np
import pytest

import exactnn as xn


def contractive_network():
    net = xn.SimpleRNN(V=[["1/2", "1/4"], ["-1/3", "1/2"]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, -1])
    xn.save_network(net, "net.json")


def trained_models():
    """A GRU with a linear layer above, of three symbols, in safetensors, and one in ONNX."""
    pytest.importorskip("safetensors")
    onnx = pytest.importorskip("onnx")
    from safetensors.numpy import save_file

    numbers = np.random.default_rng(0)

    def drawn(*shape):
        return numbers.uniform(-1, 1, shape).astype(np.float32)

    def value(name, shape):
        return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)

    weights = {"rnn.weight_ih_l0": drawn(6, 3), "rnn.weight_hh_l0": drawn(6, 2), "fc.weight": drawn(1, 2)}
    save_file(weights, "model.safetensors")
    constants = {
        "W": drawn(1, 6, 3),
        "R": drawn(1, 6, 2),
        "B": drawn(1, 12),
        "above": drawn(2, 1),
        "axis": np.array([1]),
    }
    helper = onnx.helper
    nodes = [
        helper.make_node("GRU", ["X", "W", "R", "B"], ["all", ""], hidden_size=2),
        helper.make_node("Squeeze", ["all", "axis"], ["states"]),
        helper.make_node("MatMul", ["states", "above"], ["logits"]),
        helper.make_node("Sigmoid", ["logits"], ["chances"]),
    ]
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", [value("X", ["time", 1, 3])], [value("chances", None)], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, "model.onnx")


GIVEN = {"check.md": trained_models, "command_line.md": contractive_network, "trained_networks.md": trained_models}
