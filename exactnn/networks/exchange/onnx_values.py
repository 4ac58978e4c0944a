"""What a tensor of an ONNX graph is: a constant, sizes or the sequence; and operators on what is constant."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exactnn.errors import NetworkFileError, shown
from exactnn.networks.exchange.feed_forward import Linear
from exactnn.networks.exchange.tensors import MOST_PARAMETERS, Doubles, exact_rows, exact_values
from exactnn.networks.layer import RecurrentLayer

__all__ = [
    "BATCH",
    "DIRECTION",
    "FEATURES",
    "TIME",
    "Array",
    "Filled",
    "Node",
    "Sizes",
    "Stream",
    "Value",
    "folded",
    "sliced",
]


TIME, BATCH, DIRECTION, FEATURES = "time", "batch", "direction", "features"
"""What an axis of a tensor runs over."""

Array = np.ndarray[tuple[int, ...], np.dtype[Any]]
"""A constant, with its entries as the file has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A constant tensor with one number everywhere, of a size that may depend on the input's."""

    number: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Whole numbers computed from the sizes of tensors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A tensor that depends on the input: what the network is so far, step by step.

    Parameters
    ----------
    axes : tuple of str
        What its axes run over; those of the graph's input are numbers until an operator tells what they are.
    layers : tuple of RecurrentLayer
        The recurrent layers below it.
    weight : matrix (n by d) or None
        A linear map above the last layer.
    bias : vector of length n or None
    activation : str
        The operator that is the last step, if it is an activation.
    sizes : mapping from axis to int
        The lengths of axes, as far as the model tells them.
    """

    axes: tuple[str, ...]
    layers: tuple[RecurrentLayer, ...] = ()
    weight: Doubles | None = None
    bias: Doubles | None = None
    activation: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def linear(self) -> Linear | None:
        """The linear map exactly, with a bias of zeros if it has none."""
        if self.weight is None:
            return None
        bias = np.zeros(len(self.weight)) if self.bias is None else self.bias
        return Linear(exact_rows(self.weight), exact_values(bias))


Value = Array | Filled | Sizes | Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of the graph with its inputs' values; None stands for an input that is left out.

    Parameters
    ----------
    operator, name : str
    inputs : sequence of values
    attributes : mapping from name to int, float, str, list of these, or array
    outputs : sequence of str
        The names of its outputs.
    """

    operator: str
    name: str
    inputs: Sequence[Value | None]
    outputs: Sequence[str]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def fail(self, what: str) -> NetworkFileError:
        """Return an error that names this node."""
        place = self.name or (self.outputs[0] if self.outputs else "")
        return NetworkFileError(f"node {shown(place, limit=100)} ({shown(self.operator)[1:-1]}): {what}")

    def input(self, place: int) -> Value | None:
        """Return an input, None if it is left out."""
        return self.inputs[place] if place < len(self.inputs) else None

    def required(self, place: int) -> Value:
        """Return an input that must be there."""
        value = self.input(place)
        if value is None:
            raise self.fail(f"input {place} is left out")
        return value

    def stream(self, place: int) -> Stream:
        """Return an input that must depend on the graph's input."""
        value = self.required(place)
        if not isinstance(value, Stream):
            raise self.fail(f"input {place} does not depend on the input sequence")
        return value

    def constant(self, place: int) -> Array:
        """Return an input that must be a constant."""
        value = self.required(place)
        if not isinstance(value, np.ndarray):
            raise self.fail(f"input {place} is no constant of the model")
        return value

    def whole_numbers(self, place: int, attribute: str = "") -> list[int] | None:
        """Return whole numbers, which an attribute or an input gives; None if both are left out."""
        if attribute and attribute in self.attributes:
            given: Any = self.attributes[attribute]
            numbers = given if isinstance(given, list) else [given]
        else:
            if self.input(place) is None:
                return None
            array = self.constant(place)
            if array.dtype.kind not in "iu" or array.size > 16:
                raise self.fail(f"input {place} is {array.shape} of {array.dtype.name}: a few integers are expected")
            numbers = array.reshape(-1).tolist()
        if not all(isinstance(number, int) for number in numbers):
            raise self.fail(f"{attribute or f'input {place}'} is {shown(numbers)}: whole numbers are expected")
        return numbers

    def whole_number(self, attribute: str, default: int) -> int:
        """Return an attribute that must be a whole number."""
        value = self.attributes.get(attribute, default)
        if not isinstance(value, int):
            raise self.fail(f"{attribute} is {shown(value)}: a whole number is expected")
        return value

    def axis(self, value: int, rank: int) -> int:
        """Return an axis as a number from 0 to rank - 1."""
        if not -rank <= value < rank:
            raise self.fail(f"axis {value} of a tensor with {rank} axes")
        return value % rank


# --- Operators of ONNX on what does not depend on the sequence: constants, and sizes of tensors.
#
# Exporters compute start states from the sizes of the input; what matters of them is that they are zero everywhere.

_FLOATS = {1: np.float32, 10: np.float16, 11: np.float64}
_INTEGERS = {6: np.int32, 7: np.int64}
_LAST = 2**31 - 2
"""A slice that ends here or later goes to the end."""


def folded(node: Node) -> Value:
    """Return the output of a node none of whose inputs depends on the sequence.

    Raises
    ------
    NetworkFileError
        If the operator is none of those that exporters use for start states and transposed weights.
    """
    if node.operator == "Constant":
        return _constant(node)
    if node.operator == "ConstantOfShape":
        value = node.attributes.get("value", np.zeros(1, dtype=np.float32))
        if not isinstance(value, np.ndarray) or value.size != 1 or value.dtype.kind not in "f":
            return Sizes()
        return Filled(number=float(value.reshape(())))
    if any(isinstance(value, Sizes) for value in node.inputs[:1]) or node.operator == "Range":
        return _of_sizes(node)
    first = node.required(0)
    if isinstance(first, Filled):
        return _of_filled(node, first)
    if node.operator == "Expand" and isinstance(first, np.ndarray):
        uniform = first.size > 0 and first.dtype.kind == "f" and bool((first == first.flat[0]).all())
        return Filled(number=float(first.flat[0])) if uniform else first  # whoever reads it broadcasts it
    operation = _ON_ARRAYS.get(node.operator)
    if operation is None:
        if all(isinstance(value, np.ndarray) and value.dtype.kind in "iub" for value in node.inputs):
            return Sizes()
        raise node.fail("this operator on constants is not read")
    if any(isinstance(value, Sizes) for value in node.inputs):
        return Sizes()
    return operation(node)


def sliced(node: Node, rank: int) -> list[tuple[int, int, int, int]]:
    """Return what a Slice takes: (axis, start, end, step) for each axis that it names."""
    starts, ends = node.whole_numbers(1, "starts"), node.whole_numbers(2, "ends")
    if starts is None or ends is None:
        raise node.fail("it has no starts or no ends")
    axes = node.whole_numbers(3, "axes") or list(range(len(starts)))
    steps = node.whole_numbers(4) or [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise node.fail("starts, ends, axes and steps are not of one length")
    return [(node.axis(axis, rank), *rest) for axis, *rest in zip(axes, starts, ends, steps, strict=True)]  # type: ignore[misc]


def _constant(node: Node) -> Value:
    if "value" in node.attributes:
        value = node.attributes["value"]
        if not isinstance(value, np.ndarray):
            raise node.fail("its value is no tensor")
        return value
    for key, kind in (("value_float", float), ("value_int", int), ("value_floats", float), ("value_ints", int)):
        given = node.attributes.get(key)
        entries = given if isinstance(given, list) and key.endswith("s") else [given]
        if given is not None and all(isinstance(entry, kind) for entry in entries):
            return np.array(given, dtype=np.float32 if kind is float else np.int64)
    raise node.fail("its value is of a kind that is not read")


def _of_sizes(node: Node) -> Value:
    """Return what comes of sizes: sizes, whatever is done to them."""
    known = (
        "Gather",
        "Unsqueeze",
        "Squeeze",
        "Concat",
        "Slice",
        "Cast",
        "Mul",
        "Add",
        "Sub",
        "Div",
        "Identity",
        "Range",
    )
    if node.operator in (*known, "Reshape", "Equal", "Where", "Max", "Min"):
        return Sizes()
    raise node.fail("this operator on sizes of tensors is not read")


def _of_filled(node: Node, first: Filled) -> Value:
    kept = ("Expand", "Slice", "Identity", "Squeeze", "Unsqueeze", "Transpose", "Gather", "Reshape", "Tile")
    same = node.operator == "Concat" and all(value == first for value in node.inputs if isinstance(value, Filled))
    if node.operator in kept or (same and all(isinstance(value, Filled) for value in node.inputs)):
        return first
    if node.operator == "Cast" and node.attributes.get("to") in _FLOATS and not first.number:
        return first
    raise node.fail("this operator on a tensor with one number everywhere is not read")


def _cast(node: Node) -> Value:
    array, target = node.constant(0), node.attributes.get("to")
    if array.dtype.kind in "iub" and target in _INTEGERS:
        return array.astype(_INTEGERS[target])
    if target not in _FLOATS:
        raise node.fail("a cast to a type that is not read")
    with np.errstate(over="ignore", invalid="ignore"):
        cast: Array = array.astype(_FLOATS[target])
        rounds = (cast.astype(np.float64) != array.astype(np.float64)).any()
    if rounds:
        raise node.fail("this cast rounds weights: save the model in their own type")
    return cast


def _transpose(node: Node) -> Value:
    array = node.constant(0)
    order = node.whole_numbers(len(node.inputs), "perm")
    order = list(reversed(range(array.ndim))) if order is None else order
    if sorted(order) != list(range(array.ndim)):
        raise node.fail(f"perm is {order} for a tensor with {array.ndim} axes")
    return array.transpose(order)


def _squeeze(node: Node) -> Value:
    array, axes = node.constant(0), node.whole_numbers(1, "axes")
    try:
        return np.squeeze(array, None if axes is None else tuple(axes))
    except ValueError as error:
        raise node.fail(f"{error}") from None


def _unsqueeze(node: Node) -> Value:
    array, axes = node.constant(0), node.whole_numbers(1, "axes")
    try:
        return np.expand_dims(array, tuple(axes or ()))
    except ValueError as error:
        raise node.fail(f"{error}") from None


def _slice(node: Node) -> Value:
    array = node.constant(0)
    index = [slice(None)] * array.ndim
    for axis, start, end, step in sliced(node, array.ndim):
        if step <= 0:
            raise node.fail(f"step {step}: steps above 0 are read")
        index[axis] = slice(start, None if end >= _LAST else end, step)
    return array[tuple(index)]


def _concat(node: Node) -> Value:
    arrays = [node.constant(place) for place in range(len(node.inputs))]
    if sum(array.size for array in arrays) > MOST_PARAMETERS:
        raise node.fail(f"it makes more than {MOST_PARAMETERS:,} numbers, the most of a constant that are read")
    try:
        return np.concatenate(arrays, axis=node.whole_number("axis", 0))
    except ValueError as error:
        raise node.fail(f"{error}") from None


def _gather(node: Node) -> Value:
    array, indices = node.constant(0), node.constant(1)
    if indices.ndim or indices.dtype.kind not in "iu":
        if array.dtype.kind in "iub":
            return Sizes()
        raise node.fail("only one index of a constant is read")
    axis = node.axis(node.whole_number("axis", 0), array.ndim)
    if not -array.shape[axis] <= int(indices) < array.shape[axis]:
        raise node.fail(f"index {int(indices)} of an axis of {array.shape[axis]}")
    taken: Array = array.take(int(indices), axis=axis)
    return taken


_ON_ARRAYS: dict[str, Callable[[Node], Value]] = {
    "Identity": lambda node: node.constant(0),
    "Cast": _cast,
    "Transpose": _transpose,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Slice": _slice,
    "Concat": _concat,
    "Gather": _gather,
}
