"""Trained networks from ONNX models: recurrent layers with constant parameters, every weight exactly."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np

from exactnn.errors import ExactnnError, NetworkFileError, OptionError, shown
from exactnn.networks.exchange.feed_forward import UNIT, FeedForwardLayer
from exactnn.networks.exchange.onnx_file import Graph, GraphNode, read_graph
from exactnn.networks.exchange.onnx_streams import FUNCTIONS, streamed
from exactnn.networks.exchange.onnx_values import BATCH, DIRECTION, FEATURES, TIME, Node, Stream, Value, folded
from exactnn.networks.exchange.tensors import MOST_PARAMETERS
from exactnn.networks.exchange.trained_network import network_with_readout
from exactnn.networks.network import Network

__all__ = ["load_onnx"]

MOST_FOLDED = 64 * 2**20
"""Numbers of constants that are computed from others: a small file can ask for very many."""


def load_onnx(
    path: str | os.PathLike[str],
    *,
    output: str | None = None,
    alphabet: Iterable[str] | None = None,
    name: str | None = None,
) -> Network:
    """Read the recurrent network in an ONNX model, its weights exactly.

    Parameters
    ----------
    path : path
    output : str, optional
        The tensor of the graph that is the network's output; the first output of the graph by default. Only what it
        depends on is read. Name a tensor before a softmax, which is no step of a network.
    alphabet : iterable of str, optional
        The symbols of the one-hot vectors, or of the rows of the embedding, that the model reads.
    name : str, optional

    Returns
    -------
    Network
        A sequence of forward recurrent layers (``RNN``, ``LSTM``, ``GRU``), each with a linear layer or an embedding
        below if there is one, and a linear readout. A model that takes the last step's output is the same network,
        since a network has an output after each step.

    Raises
    ------
    NetworkFileError
        If the file is missing, too large, damaged, has external data, or an operator that a network does not have; the
        message names the node.
    NumberError
        If a weight is infinite or not a number.
    OptionError, NetworkError
        If there is no such output, or the alphabet does not fit.
    MissingExtraError
        If onnx is not installed.

    Notes
    -----
    ``linear_before_reset``, activations with their parameters, peepholes and constant start states are read. The two
    biases of a gate are one bias here, their exact sum. Refused are reverse and bidirectional layers, ``clip``,
    ``input_forget``, ``sequence_lens``, and start states that are inputs of the model.
    """
    graph = read_graph(path)
    try:
        wanted = _output(graph, output)
        value = _evaluated(graph, wanted)
        return _network(graph, wanted, value, alphabet, Path(path).stem if name is None else name)
    except ExactnnError as error:
        raise type(error)(f"{graph.source}: {str(error).removeprefix(f'{graph.source}: ')}") from None


def _output(graph: Graph, output: str | None) -> str:
    if output is None:
        if not graph.outputs:
            raise NetworkFileError("the graph has no outputs")
        return graph.outputs[0]
    known = {name for node in graph.nodes for name in node.outputs}
    if not isinstance(output, str) or output not in known:
        raise OptionError(f"output={shown(output)} is no tensor of the graph; its outputs are {shown(graph.outputs)}")
    return output


class _Sizes:
    """How many parameters, and computed constants, there are so far."""

    def __init__(self) -> None:
        self._parameters = self._folded = 0

    def count(self, read: Node) -> None:
        """Count a node that reads a stream: its constants, since a few can be in many layers, and units it makes."""
        self._parameters += sum(value.size for value in read.inputs if isinstance(value, np.ndarray))
        if read.operator in FUNCTIONS:
            streams = (value for value in read.inputs if isinstance(value, Stream))
            self._parameters += UNIT * sum(stream.sizes.get(FEATURES, 0) for stream in streams)
        if self._parameters > MOST_PARAMETERS:
            raise read.fail(f"with it there are more than {MOST_PARAMETERS:,} parameters, the most that are read")

    def fold(self, read: Node) -> Value:
        """Return the constant that a node makes, and count it."""
        result = folded(read)
        self._folded += result.size if isinstance(result, np.ndarray) else 0
        if self._folded > MOST_FOLDED:
            raise read.fail(f"with it more than {MOST_FOLDED:,} constants are computed, the most that are")
        return result


def _evaluated(graph: Graph, wanted: str) -> Value:
    """Return what the tensor `wanted` is; only nodes that it depends on are read, in the order of the file."""
    values: dict[str, Value] = {}
    constants: list[GraphNode] = []
    layers: list[GraphNode] = []
    streams = set(graph.inputs)
    for node in _needed(graph, wanted):
        later = bool(streams.intersection(node.inputs))
        (layers if later else constants).append(node)
        streams.update(node.outputs if later else ())
    sizes = _Sizes()
    for node in constants:
        read = _read(graph, values, node)
        values[node.outputs[0]] = sizes.fold(read)
    foreseen = _Sizes()
    for node in layers:  # they are counted as a whole before the first is built
        foreseen.count(_read(graph, values, node, streams))
    for node in layers:
        read = _read(graph, values, node)
        if any(isinstance(value, Stream) for value in read.inputs):
            sizes.count(read)
            results = streamed(read)
        else:
            results = (sizes.fold(read),)
        values.update(zip(node.outputs, results, strict=False))  # a later output, such as a cell state, is not there
    if wanted not in values:
        raise NetworkFileError(f"{shown(wanted)} is a cell state or no output of a layer: choose another with output=")
    return values[wanted]


def _read(graph: Graph, values: dict[str, Value], node: GraphNode, later: Collection[str] = ()) -> Node:
    """Return a node with what its inputs are; those that are known `later` are left out."""
    read = Node(
        operator=node.operator,
        name=node.name,
        inputs=[None if name in later else _value(graph, values, name) for name in node.inputs],
        outputs=node.outputs,
        attributes=graph.attributes(node),
    )
    if node.domain not in ("", "ai.onnx"):
        raise read.fail(f"it is of the domain {shown(node.domain)}: only operators of ONNX are read")
    return read


def _needed(graph: Graph, wanted: str) -> list[GraphNode]:
    """Return the nodes that a tensor depends on."""
    needed, found = {wanted}, []
    for node in reversed(graph.nodes):
        if needed.intersection(node.outputs):
            needed.difference_update(node.outputs)
            needed.update(name for name in node.inputs if name)
            found.append(node)
    return found[::-1]


def _value(graph: Graph, values: dict[str, Value], name: str) -> Value | None:
    if not name:
        return None
    if name in values:
        return values[name]
    if name in graph.constants:
        values[name] = graph.constant(name)
        return values[name]
    if name in graph.inputs:
        sizes = graph.inputs[name]
        if sizes is None or not 1 <= len(sizes) <= 4:
            raise NetworkFileError(f"input {shown(name)} has no axes, or many: sequences have 2, or 3 with a batch")
        axes = tuple(f"input {shown(name)}, axis {axis}" for axis in range(len(sizes)))
        known = {axis: size for axis, size in zip(axes, sizes, strict=True) if size is not None}
        return Stream(axes=axes, sizes=known)
    raise NetworkFileError(f"tensor {shown(name, limit=100)} is read before it is there")


def _network(graph: Graph, wanted: str, value: Value, alphabet: Iterable[str] | None, name: str) -> Network:
    if not isinstance(value, Stream) or all(isinstance(layer, FeedForwardLayer) for layer in value.layers):
        raise NetworkFileError(f"{shown(wanted)} does not come from a recurrent layer (RNN, LSTM or GRU)")
    if set(value.axes) - {TIME, BATCH, DIRECTION, FEATURES} or FEATURES not in value.axes:
        raise NetworkFileError(f"{shown(wanted)} has the axes {', '.join(value.axes)}, without features")
    if value.activation:
        raise NetworkFileError(
            f"{shown(wanted)} is what {value.activation} makes of a layer: the outputs of a network are those of a "
            "linear layer, so name the tensor before it with output="
        )
    return network_with_readout(list(value.layers), value.linear, alphabet, name)
