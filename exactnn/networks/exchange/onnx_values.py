"""What a tensor of an ONNX graph is, as far as a network needs to know: a constant, sizes, or the sequence itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exactnn.errors import NetworkFileError, shown
from exactnn.networks.exchange.tensors import Doubles
from exactnn.networks.layer import RecurrentLayer

__all__ = ["BATCH", "DIRECTION", "FEATURES", "TIME", "Array", "Filled", "Node", "Sizes", "Stream", "Value"]

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
    sizes : mapping from axis to int
        The lengths of axes, as far as the model tells them.
    """

    axes: tuple[str, ...]
    layers: tuple[RecurrentLayer, ...] = ()
    weight: Doubles | None = None
    bias: Doubles | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)


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
