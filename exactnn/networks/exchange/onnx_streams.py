"""Operators of ONNX on the sequence itself: axes that move, embeddings, linear layers and recurrent layers."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from exactnn.errors import shown
from exactnn.networks.exchange.feed_forward import without_memory
from exactnn.networks.exchange.onnx_cells import GATES, operator_function, recurrent_outputs
from exactnn.networks.exchange.onnx_values import BATCH, DIRECTION, FEATURES, TIME, Node, Sizes, Stream, Value, sliced
from exactnn.networks.exchange.tensors import MOST_PARAMETERS, Doubles, as_doubles
from exactnn.networks.squashing import Squashing

__all__ = ["FUNCTIONS", "OPERATORS", "streamed"]

_FLOATS, _INTEGERS = (1, 10, 11), (6, 7)
FUNCTIONS = ("Clip", "HardSigmoid", "LeakyRelu", "Relu", "Sigmoid", "Softplus", "Tanh")
"""Operators that apply a function to each number."""
_FAR = 2**31 - 2
"""A slice that ends here or later goes to the end."""


def streamed(node: Node) -> Sequence[Value]:
    """Return the outputs of a node that reads the sequence.

    Raises
    ------
    ExactnnError
        If a network has no such operator, or it is used in a way that a network cannot do.
    """
    if node.operator in GATES:
        return recurrent_outputs(node)
    if node.operator == "Scan":
        raise node.fail(
            "its body is not read, and models of exactnn.to_onnx are such: keep the network with "
            "exactnn.save_network, as .json, and give that file"
        )
    if node.operator not in _ON_STREAMS:
        raise node.fail(
            "a network has no such step: recurrent layers, embeddings, linear layers and activations are read "
            f"({', '.join(OPERATORS)}); with output= a tensor before it can be the network's output"
        )
    return (_ON_STREAMS[node.operator](node),)


def _shape(node: Node) -> Value:
    node.stream(0)
    return Sizes()


def _same(node: Node) -> Value:
    return node.stream(0)


def _dropout(node: Node) -> Value:
    training = node.input(2)
    if isinstance(training, np.ndarray) and training.size == 1 and not training.any():
        training = None
    if training is not None:
        raise node.fail("dropout is on: export the model after module.eval()")
    return node.stream(0)


def _cast(node: Node) -> Value:
    stream, target = node.stream(0), node.attributes.get("to")
    untouched = not stream.layers and stream.weight is None
    if target == 11 or (target in (*_FLOATS, *_INTEGERS) and untouched):
        return stream
    raise node.fail(f"a cast to the type {shown(target)} rounds: only casts of the input and to float64 are read")


def _transpose(node: Node) -> Value:
    stream = node.stream(0)
    order = node.whole_numbers(len(node.inputs), "perm")
    order = list(reversed(range(len(stream.axes)))) if order is None else order
    if sorted(order) != list(range(len(stream.axes))):
        raise node.fail(f"perm is {shown(order)} for a tensor with {len(stream.axes)} axes")
    return replace(stream, axes=tuple(stream.axes[axis] for axis in order))


def _squeeze(node: Node) -> Value:
    stream, axes = node.stream(0), node.whole_numbers(1, "axes")
    if axes is None:
        raise node.fail("it names no axes")
    taken = {node.axis(axis, len(stream.axes)) for axis in axes}
    for axis in taken:
        if stream.axes[axis] not in (DIRECTION, BATCH):
            raise node.fail(f"it takes away the axis of {stream.axes[axis]}: only those of direction and batch can go")
    return replace(stream, axes=tuple(kept for axis, kept in enumerate(stream.axes) if axis not in taken))


def _unsqueeze(node: Node) -> Value:
    stream, axes = node.stream(0), node.whole_numbers(1, "axes") or []
    rank = len(stream.axes) + len(axes)
    new = {node.axis(axis, rank) for axis in axes}
    if len(new) != 1 or BATCH in stream.axes:
        raise node.fail("it adds an axis that is no axis of a batch")
    names = iter(stream.axes)
    return replace(stream, axes=tuple(BATCH if axis in new else next(names) for axis in range(rank)))


def _reshape(node: Node) -> Value:
    """Return the sequence without the axis of the only direction, if that is all that the reshape does."""
    stream, shape = node.stream(0), node.whole_numbers(1) or []
    axes = tuple(axis for axis in stream.axes if axis != DIRECTION)
    fits = len(shape) == len(axes) and shape.count(-1) <= 1
    for place, (axis, size) in enumerate(zip(axes, shape, strict=False)):
        copied = size == 0 and not node.whole_number("allowzero", 0) and stream.axes[place] == axis
        fits &= size == -1 or copied or size == stream.sizes.get(axis)
    if not fits:
        raise node.fail(f"it makes {shown(shape)} of {', '.join(stream.axes)}: only the axis of direction can go")
    return replace(stream, axes=axes)


def _gather(node: Node) -> Value:
    """Return an embedding, or what is left after one index of an axis was taken."""
    first = node.required(0)
    if not isinstance(first, Stream):
        return _embedding(node)
    index = node.constant(1)
    axis = node.axis(node.whole_number("axis", 0), len(first.axes))
    if index.size != 1 or index.dtype.kind not in "iu" or index.ndim:
        raise node.fail("it picks several entries of a tensor: only single ones are read")
    _check_place(node, first.axes[axis], int(index))
    return replace(first, axes=first.axes[:axis] + first.axes[axis + 1 :])


def _check_place(node: Node, axis: str, index: int) -> None:
    right = {TIME: (-1,), DIRECTION: (0, -1), BATCH: (0, -1)}.get(axis, ())
    if index not in right:
        raise node.fail(
            f"it takes entry {index} of the axis of {axis}: a network has an output after each step, so that only "
            "the last step, and the only direction or sequence, can be taken"
        )


def _embedding(node: Node) -> Value:
    stream = node.stream(1)
    if node.axis(node.whole_number("axis", 0), 2) or stream.layers or stream.weight is not None:
        raise node.fail("only rows of a constant table are taken, by the input")
    table = _matrix(node, 0)
    sizes = {**stream.sizes, FEATURES: table.shape[1]}
    return Stream(axes=(*stream.axes, FEATURES), weight=np.ascontiguousarray(table.T), sizes=sizes)


def _slice(node: Node) -> Value:
    stream = node.stream(0)
    for axis, start, end, step in sliced(node, len(stream.axes)):
        if stream.axes[axis] == TIME and start == -1:
            stream = replace(stream, sizes={**stream.sizes, TIME: 1})
        whole = start == 0 and end >= _FAR and step == 1
        last = stream.axes[axis] == TIME and start == -1 and end >= _FAR and step == 1
        if not (whole or last):
            raise node.fail(f"it takes {start}:{end}:{step} of the axis of {stream.axes[axis]}, not the last step")
    return stream


def _matmul(node: Node) -> Value:
    return _linear(node, _matrix(node, 1), None)


def _gemm(node: Node) -> Value:
    scales = [node.attributes.get(name, 1.0) for name in ("alpha", "beta")]
    if scales != [1.0, 1.0] or node.whole_number("transA", 0):
        raise node.fail(
            f"alpha, beta and transA are {shown(scales)} and {node.whole_number('transA', 0)}: 1, 1 and 0 are read"
        )
    matrix = _matrix(node, 1)
    if node.whole_number("transB", 0):
        matrix = matrix.T
    bias = None if node.input(2) is None else _bias(node, 2, matrix.shape[1])
    return _linear(node, matrix, bias)


def _activated(node: Node) -> Value:
    stream = node.stream(0)
    if stream.weight is None and not stream.layers:
        raise node.fail("it is applied to the input itself: a layer has to come before it")
    return replace(_closed(stream, operator_function(node)), activation=node.operator)


def _closed(stream: Stream, function: Squashing) -> Stream:
    """Return a function of the last linear layer, or of the last hidden state, as a layer of its own."""
    layer = without_memory(stream.linear, function, stream.layers)
    return replace(stream, layers=(*stream.layers, layer), weight=None, bias=None)


def _linear(node: Node, matrix: Doubles, bias: Doubles | None) -> Value:
    """Return ``x matrix + bias`` over the features."""
    stream = node.stream(0)
    named = [axis for axis in stream.axes if axis in (TIME, BATCH, DIRECTION)]
    if not stream.axes or stream.axes[-1] in named:
        raise node.fail(
            f"it multiplies along the axis of {stream.axes[-1] if stream.axes else 'nothing'}, not the features"
        )
    if stream.weight is not None:
        if len(stream.weight) != len(matrix):
            raise node.fail(f"it reads {len(matrix)} numbers, but the layer below has {len(stream.weight)}")
        stream = _closed(stream, Squashing.named("identity"))
    elif stream.layers and stream.layers[-1].hidden_size != len(matrix):
        raise node.fail(f"it reads {len(matrix)} numbers, but the layer below has {stream.layers[-1].hidden_size}")
    axes = (*stream.axes[:-1], FEATURES)
    sizes = {**stream.sizes, FEATURES: matrix.shape[1]}
    weight = np.ascontiguousarray(matrix.T)
    return replace(stream, axes=axes, weight=weight, bias=bias, sizes=sizes, activation="")


def _add(node: Node) -> Value:
    places = [place for place in (0, 1) if isinstance(node.required(place), Stream)]
    if len(places) != 1:
        raise node.fail("it adds two tensors that depend on the input: a network of layers has no such step")
    stream = node.stream(places[0])
    if stream.weight is None or stream.bias is not None or stream.axes[-1] != FEATURES:
        raise node.fail("it adds a constant to what is no linear layer without bias")
    return replace(stream, bias=_bias(node, 1 - places[0], len(stream.weight)))


def _matrix(node: Node, place: int) -> Doubles:
    array = node.constant(place)
    if array.ndim != 2 or 0 in array.shape or array.size > MOST_PARAMETERS:
        raise node.fail(f"input {place} is {array.shape}: a matrix of {MOST_PARAMETERS} numbers at most is expected")
    return as_doubles(array, f"input {place} of {node.name or node.operator}")


def _bias(node: Node, place: int, size: int) -> Doubles:
    array = node.constant(place)
    vector = array.reshape(-1) if array.size == size and array.ndim in (1, 2) and array.shape[-1] == size else None
    if array.size == 1:
        vector = np.repeat(array.reshape(-1), size)
    if vector is None:
        raise node.fail(f"input {place} is {array.shape}: a vector of {size} numbers is expected")
    return as_doubles(vector, f"input {place} of {node.name or node.operator}")


_ON_STREAMS: dict[str, Callable[[Node], Value]] = {
    **dict.fromkeys(FUNCTIONS, _activated),
    "Add": _add,
    "Cast": _cast,
    "Dropout": _dropout,
    "Gather": _gather,
    "Gemm": _gemm,
    "Identity": _same,
    "MatMul": _matmul,
    "Reshape": _reshape,
    "Shape": _shape,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}

OPERATORS = tuple(sorted((*GATES, *_ON_STREAMS)))
"""The operators that are read on what depends on the input."""
