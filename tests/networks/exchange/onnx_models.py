"""ONNX models with one recurrent node or a few nodes, built with the library's own helper."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

ROWS = {"RNN": 1, "LSTM": 4, "GRU": 3}
STATES = {"RNN": 1, "LSTM": 2, "GRU": 1}


def model(nodes, constants, inputs, outputs, *, opset=17, kind=TensorProto.FLOAT):
    """Return a model; inputs and outputs are name and shape."""
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    values = [[helper.make_tensor_value_info(name, kind, shape) for name, shape in part] for part in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *values, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def recurrent(
    operator,
    *,
    seed=0,
    inputs=2,
    size=3,
    dtype=np.float32,
    left_out=(),
    constants=None,
    outputs=("Y", "Yh"),
    **attributes,
):
    """Return a model of one recurrent node with random parameters; `constants` replaces or adds some."""
    numbers = np.random.default_rng(seed)
    shapes = {
        "W": (1, ROWS[operator] * size, inputs),
        "R": (1, ROWS[operator] * size, size),
        "B": (1, 2 * ROWS[operator] * size),
    }
    parameters = {name: numbers.uniform(-1, 1, shape).astype(dtype) for name, shape in shapes.items()}
    parameters |= constants or {}
    for name in left_out:
        del parameters[name]
    names = ["X", "W", "R", "B", "", "h", "c", "P"]
    given = [name if name == "X" or name in parameters else "" for name in names]
    while not given[-1]:
        given.pop()
    attributes.setdefault("hidden_size", size)
    node = helper.make_node(operator, given, list(outputs), name="cell", **attributes)
    return model([node], parameters, [("X", ["time", 1, inputs])], [(name, None) for name in outputs if name])


def run_by_runtime(model, vectors):
    """Return the first output of a model, a row for every step, as onnxruntime computes it in float32."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    (found,) = session.run([session.get_outputs()[0].name], {name: np.array(vectors, dtype=np.float32)[:, None]})
    return found.reshape(len(vectors), -1)
