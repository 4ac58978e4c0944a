"""ONNX files as plain data: bounded, without external data, with every size of a tensor checked before it is read."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from exactnn.errors import MissingExtraError, NetworkFileError, shown
from exactnn.interrupts import Uninterrupted, loaded
from exactnn.networks.exchange.onnx_values import Array
from exactnn.networks.exchange.tensors import read_model

__all__ = ["Graph", "GraphNode", "read_graph", "require_onnx"]

MOST_NODES = 100_000
"""Nodes of a graph that are read."""


def require_onnx() -> ModuleType:
    """Return the module onnx; raises MissingExtraError if it is not installed."""
    try:
        return loaded("onnx")
    except ImportError:
        raise MissingExtraError('this needs onnx: pip install "exactnn[onnx]"') from None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A node as the file has it: names instead of values."""

    operator: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Any

    @property
    def title(self) -> str:
        """What to call it in errors."""
        return shown(self.name or (self.outputs[0] if self.outputs else ""), limit=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The graph of a model.

    Parameters
    ----------
    source : str
        The file's name.
    nodes : tuple of GraphNode
        In an order in which each reads what was computed before.
    constants : dict from name to tensor
        As the file has them; :meth:`constant` reads one.
    inputs : dict from name to the sizes of its axes
        The inputs that are no constants; a size, or all of them, is None if the file does not tell it.
    outputs : tuple of str
    """

    source: str
    nodes: tuple[GraphNode, ...]
    constants: dict[str, Any]
    inputs: dict[str, tuple[int | None, ...] | None]
    outputs: tuple[str, ...]

    def constant(self, name: str) -> Array:
        """Return a constant as an array; raises NetworkFileError if it is damaged or stored elsewhere."""
        return tensor_array(self.constants[name], f"{self.source}: tensor {shown(name, limit=100)}")

    def attributes(self, node: GraphNode) -> dict[str, Any]:
        """Return a node's attributes: numbers, texts, lists of these, arrays; None for any other."""
        return dict(self._attributes(node))

    def _attributes(self, node: GraphNode) -> Iterator[tuple[str, Any]]:
        kinds = require_onnx().AttributeProto
        for attribute in node.attributes:
            where = f"{self.source}: node {node.title}: attribute {shown(attribute.name)}"
            kind = attribute.type
            if kind == kinds.INT:
                yield attribute.name, attribute.i
            elif kind == kinds.FLOAT:
                yield attribute.name, attribute.f
            elif kind == kinds.STRING:
                yield attribute.name, attribute.s.decode("utf-8", "replace")
            elif kind == kinds.INTS:
                yield attribute.name, list(attribute.ints)
            elif kind == kinds.FLOATS:
                yield attribute.name, list(attribute.floats)
            elif kind == kinds.STRINGS:
                yield attribute.name, [text.decode("utf-8", "replace") for text in attribute.strings]
            elif kind == kinds.TENSOR:
                yield attribute.name, tensor_array(attribute.t, where)
            else:
                yield attribute.name, None  # a graph, say: whoever asks for it refuses it


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """Return the graph of an ONNX file.

    Raises
    ------
    NetworkFileError
        If the file is missing, too large, or no ONNX model.
    MissingExtraError
        If onnx is not installed.
    """
    onnx = require_onnx()
    with Uninterrupted("loading protobuf"):
        from google.protobuf.message import DecodeError

    data = read_model(path, "an ONNX model")
    source = shown(Path(path).name, limit=200)
    try:
        model = onnx.ModelProto.FromString(data)
    except (DecodeError, RecursionError) as error:
        raise NetworkFileError(f"{source} is not an ONNX model: {shown(str(error))}") from None
    graph = model.graph
    if not graph.node:
        raise NetworkFileError(f"{source} has no graph with nodes: give an ONNX model")
    if len(graph.node) > MOST_NODES:
        raise NetworkFileError(f"{source} has {len(graph.node)} nodes; graphs of up to {MOST_NODES} are read")
    constants = {tensor.name: tensor for tensor in graph.initializer}
    if graph.sparse_initializer:
        raise NetworkFileError(f"{source} has sparse tensors, which are not read: give dense ones")
    return Graph(
        source=source,
        nodes=tuple(
            GraphNode(
                operator=node.op_type,
                domain=node.domain,
                name=node.name,
                inputs=tuple(node.input),
                outputs=tuple(node.output),
                attributes=node.attribute,
            )
            for node in graph.node
        ),
        constants=constants,
        inputs={value.name: _sizes(value) for value in graph.input if value.name not in constants},
        outputs=tuple(value.name for value in graph.output),
    )


def _sizes(value: Any) -> tuple[int | None, ...] | None:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return tuple(size.dim_value if size.HasField("dim_value") else None for size in tensor.shape.dim)


def tensor_array(tensor: Any, where: str) -> Array:
    """Return a tensor of floats or integers as an array, if it holds as many numbers as its shape says."""
    onnx = require_onnx()
    kinds = onnx.TensorProto
    if tensor.data_location == kinds.EXTERNAL or tensor.external_data:
        raise NetworkFileError(f"{where} is stored in another file, which is not read: save the model as one file")
    fields = {
        kinds.FLOAT: ("float_data", 4),
        kinds.DOUBLE: ("double_data", 8),
        kinds.FLOAT16: ("int32_data", 2),
        kinds.BFLOAT16: ("int32_data", 2),
        kinds.INT32: ("int32_data", 4),
        kinds.INT64: ("int64_data", 8),
        kinds.BOOL: ("int32_data", 1),
    }
    if tensor.data_type not in fields:
        raise NetworkFileError(f"{where} is of the type {_type_name(kinds, tensor.data_type)}, which is not read")
    data, width = fields[tensor.data_type]
    there = len(tensor.raw_data) // width if tensor.HasField("raw_data") else len(getattr(tensor, data))
    if any(size < 0 for size in tensor.dims) or math.prod(tensor.dims) != there or len(tensor.raw_data) % width:
        raise NetworkFileError(f"{where} has {there} numbers, but its shape is {shown(list(tensor.dims))}")
    try:
        array: Array = onnx.numpy_helper.to_array(tensor)
    except (ValueError, TypeError, OverflowError) as error:
        raise NetworkFileError(f"{where} cannot be read: {shown(str(error))}") from None
    return array.astype("float32") if tensor.data_type == kinds.BFLOAT16 else array


def _type_name(kinds: Any, number: int) -> str:
    try:
        return str(kinds.DataType.Name(number))
    except ValueError:
        return str(number)
