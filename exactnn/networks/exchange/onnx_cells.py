"""The operators RNN, LSTM and GRU of ONNX as recurrent layers.

========  ==============  ===================================================================
operator  rows of W, R    here
========  ==============  ===================================================================
RNN       i               h
LSTM      i, o, f, c      i, o, f, g; peepholes P: i, o, f
GRU       z, r, h         z, r, n; ``linear_before_reset=1`` is torch's order, 0 that of Cho et al.
========  ==============  ===================================================================

Parameters must be constants of the model.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.errors import NetworkError, NumberError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.activation import Activation
from exactnn.networks.exchange.affine_front import AffineFront
from exactnn.networks.exchange.onnx_values import BATCH, DIRECTION, FEATURES, TIME, Filled, Node, Stream
from exactnn.networks.exchange.tensors import MOST_PARAMETERS, Doubles, as_doubles, exact_rows, exact_values
from exactnn.networks.gru import GRULayer
from exactnn.networks.layer import RecurrentLayer
from exactnn.networks.lstm import LSTMLayer
from exactnn.networks.simple_rnn import SimpleRNNLayer
from exactnn.networks.squashing import Piece, Squashing

__all__ = ["GATES", "operator_function", "recurrent_outputs"]

GATES = {"RNN": ("h",), "LSTM": ("i", "o", "f", "g"), "GRU": ("z", "r", "n")}
"""The gates of each operator in the order in which ONNX stacks their rows, under the names of this library."""

_PEEPHOLES = ("i", "o", "f")
_DEFAULTS = {"RNN": ("Tanh",), "LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh")}
_INPUTS = {"RNN": 6, "LSTM": 8, "GRU": 6}


def recurrent_outputs(node: Node) -> tuple[Stream, ...]:
    """Return the outputs Y and Y_h of a recurrent node.

    Raises
    ------
    ExactnnError
        If it is not a forward layer of a known kind with constant parameters.
    """
    _refuse(node)
    below = node.stream(0)
    batch_first = node.whole_number("layout", 0) == 1
    if len(below.axes) != 3:
        raise node.fail(f"it reads a tensor with {len(below.axes)} axes: time, batch and features are expected")
    order = (BATCH, TIME, FEATURES) if batch_first else (TIME, BATCH, FEATURES)
    for axis, wanted in zip(below.axes, order, strict=True):
        if axis in (TIME, BATCH, DIRECTION, FEATURES) and axis != wanted:
            raise node.fail(f"it reads the axis of {axis} as that of {wanted}")
    layer = _layer(node, below, batch_first)
    layers = (*below.layers, layer)
    outputs = (BATCH, TIME, DIRECTION, FEATURES) if batch_first else (TIME, DIRECTION, BATCH, FEATURES)
    last = (BATCH, DIRECTION, FEATURES) if batch_first else (DIRECTION, BATCH, FEATURES)
    sizes = {name: below.sizes[axis] for axis, name in zip(below.axes, order, strict=True) if axis in below.sizes}
    sizes |= {DIRECTION: 1, FEATURES: layer.hidden_size}
    return Stream(axes=outputs, layers=layers, sizes=sizes), Stream(axes=last, layers=layers, sizes=sizes)


def _refuse(node: Node) -> None:
    """Raise for what changes the meaning of a layer and is not read."""
    direction = node.attributes.get("direction", "forward")
    if not isinstance(direction, str) or direction != "forward":  # an array is unequal entry by entry
        raise node.fail(f"direction is {shown(direction)}: only forward layers are read")
    if "clip" in node.attributes:
        raise node.fail(f"clip={shown(node.attributes['clip'])} cuts the sums off: models without it are read")
    if node.whole_number("input_forget", 0):
        raise node.fail("input_forget couples two gates: models without it are read")
    if node.whole_number("layout", 0) not in (0, 1):
        raise node.fail(f"layout is {shown(node.attributes['layout'])}: it is 0 or 1")
    if len(node.inputs) > _INPUTS[node.operator]:
        raise node.fail(f"it has {len(node.inputs)} inputs, {_INPUTS[node.operator]} at most")
    if node.input(4) is not None:
        raise node.fail("sequence_lens gives every sequence of a batch a length: models without it are read")


def _layer(node: Node, below: Stream, batch_first: bool) -> RecurrentLayer:
    gates = GATES[node.operator]
    W, R = _parameter(node, 1, 3), _parameter(node, 2, 3)
    size = R.shape[1]
    height = len(gates) * size
    width = W.shape[1]
    if R.shape[0] != height or W.shape[0] != height or not width:
        raise node.fail(f"W is {W.shape} and R {R.shape}: both have {len(gates)} rows for each column of R")
    if node.whole_number("hidden_size", size) != size:
        raise node.fail(f"hidden_size is {node.attributes['hidden_size']}, but R has {size} columns")
    B = np.zeros(2 * height) if node.input(3) is None else _parameter(node, 3, 2)
    if B.shape != (2 * height,):
        raise node.fail(f"B is {B.shape}: it has {2 * height} numbers for {size} units")
    layer = _cell(node, gates, (W, R, B), size, batch_first)
    linear = below.linear
    if linear is None:
        return layer
    if len(linear.weight) != width:
        raise node.fail(f"it reads {width} numbers, and there are {len(linear.weight)} below")
    return AffineFront(weight=linear.weight, bias=linear.bias, layer=layer)


def _cell(
    node: Node, gates: Sequence[str], parameters: tuple[Doubles, Doubles, Doubles], size: int, batch_first: bool
) -> RecurrentLayer:
    W, R, B = parameters
    incoming, recurrent = _matrices(W, gates), _matrices(R, gates)
    biases, others = (_vectors(part, gates) for part in np.split(B, 2))
    b = {gate: tuple(map(mpq.__add__, biases[gate], others[gate])) for gate in gates}
    h = _start(node, 5, size, batch_first)
    functions = list(_squashings(node))
    if node.operator == "RNN":
        return SimpleRNNLayer(V=recurrent["h"], W=incoming["h"], b=b["h"], s=h, activation=functions[0])
    if node.operator == "LSTM":
        peepholes = None if node.input(7) is None else _vectors(_parameter(node, 7, 2), _PEEPHOLES)
        if peepholes is not None and any(len(values) != size for values in peepholes.values()):
            raise node.fail(f"P has not three numbers for each of {size} units")
        c = _start(node, 6, size, batch_first)
        gate, candidate, output = functions
        return LSTMLayer(
            V=recurrent, W=incoming, b=b, p=peepholes, h=h, c=c, gate=gate, candidate=candidate, output=output
        )
    gate, candidate = functions
    if node.whole_number("linear_before_reset", 0):
        b["n"] = biases["n"]
        return GRULayer(
            V=recurrent, W=incoming, b=b, recurrent_bias=others["n"], h=h, reset="after", gate=gate, candidate=candidate
        )
    return GRULayer(V=recurrent, W=incoming, b=b, h=h, reset="before", gate=gate, candidate=candidate)


def _matrices(stacked: Doubles, gates: Sequence[str]) -> dict[str, Matrix]:
    return dict(zip(gates, map(exact_rows, np.split(stacked, len(gates))), strict=True))


def _vectors(stacked: Doubles, gates: Sequence[str]) -> dict[str, Vector]:
    if len(stacked) % len(gates):
        return dict.fromkeys(gates, ())
    return dict(zip(gates, map(exact_values, np.split(stacked, len(gates))), strict=True))


def _parameter(node: Node, place: int, rank: int) -> Doubles:
    """Return a constant parameter of the one direction there is."""
    array = node.constant(place)
    name = f"input {place} of {node.name or node.operator}"
    if array.ndim != rank or array.shape[0] != 1 or 0 in array.shape:
        raise node.fail(f"input {place} is {array.shape}: {rank} axes are expected, the first for one direction")
    if array.size > MOST_PARAMETERS:
        raise node.fail(f"input {place} has {array.size} numbers: {MOST_PARAMETERS} is the most that is read")
    return as_doubles(array[0], name)


def _start(node: Node, place: int, size: int, batch_first: bool) -> Vector:
    """Return a start state, which must be a constant, and the same for every sequence of a batch."""
    value = node.input(place)
    if value is None:
        return (mpq(0),) * size
    if isinstance(value, Filled):
        return (exact(value.number),) * size
    if not isinstance(value, np.ndarray):
        raise node.fail(f"the start state, input {place}, is an input of the model: only constant ones are read")
    array = value.swapaxes(0, 1) if batch_first and value.ndim == 3 else value
    if array.ndim != 3 or array.shape[0] != 1 or array.shape[2] != size or not array.shape[1]:
        raise node.fail(f"the start state, input {place}, is {value.shape}: one direction and {size} units are read")
    if (array != array[:, :1]).any():
        raise node.fail(f"the start state, input {place}, is not the same for every sequence of the batch")
    return exact_values(as_doubles(array[0, 0], f"input {place} of {node.name or node.operator}"))


def _squashings(node: Node) -> Iterator[Squashing]:
    """Yield the activations of a node."""
    names = node.attributes.get("activations", list(_DEFAULTS[node.operator]))
    if not isinstance(names, list) or len(names) != len(_DEFAULTS[node.operator]):
        raise node.fail(f"activations are {shown(names)}: {len(_DEFAULTS[node.operator])} names are expected")
    values = {key: node.attributes.get(f"activation_{key}", []) for key in ("alpha", "beta")}
    for key, given in values.items():
        takers = sum(key in _PARAMETERS.get(name, {}) for name in names)
        if not isinstance(given, list) or len(given) not in (0, takers):
            raise node.fail(f"activation_{key} is {shown(given)}, but {takers} of its activations have one")
    queues = {key: iter(given) for key, given in values.items()}
    for name in names:
        if name not in _FUNCTIONS:
            raise node.fail(f"activation {shown(name)} is not read: {', '.join(_FUNCTIONS)} are")
        parameters = {key: next(queues[key], default) for key, default in _PARAMETERS.get(name, {}).items()}
        if None in parameters.values():
            raise node.fail(f"activation {name} has parameters without a default, and they are not given")
        chosen = {key: exact(value) for key, value in parameters.items()}
        yield _FUNCTIONS[name](**chosen)


def operator_function(node: Node) -> Squashing:
    """Return the activation that a node applies to each number."""
    try:
        if node.operator == "Clip":
            low, high = (_bound(node, place, name) for place, name in ((1, "min"), (2, "max")))
            return Squashing.named(Activation(name="Clip", low=low, high=high))
        settings = _PARAMETERS.get(node.operator, {})
        parameters = {key: exact(node.attributes.get(key, default)) for key, default in settings.items()}
        function: Squashing = _FUNCTIONS[node.operator](**parameters)
    except (NumberError, NetworkError) as error:
        raise node.fail(str(error)) from None
    return function


def _bound(node: Node, place: int, name: str) -> mpq | None:
    """Return a bound of Clip, which is an input, or in old models an attribute; None for none, as infinity is."""
    value = node.attributes.get(name) if node.input(place) is None else node.constant(place)
    if value is None:
        return None
    array = np.asarray(value, dtype=None if isinstance(value, np.ndarray) else np.float64)
    if array.size != 1:
        raise node.fail(f"{name} is {array.shape}: one number is expected")
    if array.dtype.kind == "f" and np.isinf(array).all():
        return None
    return exact_values(as_doubles(array.reshape(1), f"{name} of {node.name or node.operator}"))[0]


def _named(name: str) -> Any:
    return lambda: Squashing.named(name)


_SMALL = float(np.float32(0.2)), float(np.float32(0.01))  # ONNX attributes are float32, their defaults too

_PARAMETERS: dict[str, dict[str, float | None]] = {
    "HardSigmoid": {"alpha": _SMALL[0], "beta": 0.5},
    "Affine": {"alpha": None, "beta": None},
    "LeakyRelu": {"alpha": _SMALL[1]},
    "ScaledTanh": {"alpha": None, "beta": None},
}

_FUNCTIONS: dict[str, Any] = {
    "Tanh": _named("tanh"),
    "Sigmoid": _named("sigmoid"),
    "Relu": _named("relu"),
    "Softplus": _named("softplus"),
    "HardSigmoid": lambda alpha, beta: Squashing(
        name="HardSigmoid", pieces=[Piece(activation=Activation.SLU, scale=alpha, offset=beta)]
    ),
    "Affine": lambda alpha, beta: Squashing(
        name="Affine", pieces=[Piece(activation=Activation.IDENTITY, scale=alpha, offset=beta)]
    ),
    "LeakyRelu": lambda alpha: Squashing(
        name="LeakyRelu",
        pieces=[Piece(activation=Activation.RELU), Piece(activation=Activation.RELU, scale=-1, factor=-alpha)],
    ),
    "ScaledTanh": lambda alpha, beta: Squashing(
        name="ScaledTanh", pieces=[Piece(activation=Activation.TANH, scale=beta, factor=alpha)]
    ),
}
