"""The parts of a torch model in their order: recurrent modules, and linear layers and activations among and above them.

A linear layer with its activation is a recurrent layer that remembers nothing. Its start state is read on the empty
word only: it is what the layer makes of the start state below.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.cell import Registers, StepUnits, rows
from exactnn.networks.circuit import Unit
from exactnn.networks.exchange.tensors import Tensors, exact_rows, exact_values
from exactnn.networks.exchange.token_tables import many_bits, plus, product, squashed
from exactnn.networks.exchange.torch_modules import (
    check_linear,
    children_of,
    function_of,
    is_harmless,
    is_sequential,
    kind_of,
)
from exactnn.networks.layer import RecurrentLayer, input_width
from exactnn.networks.squashing import SQUASHINGS, Squashing
from exactnn.options import listed

__all__ = [
    "UNIT", "FeedForwardLayer", "Linear", "Names", "PartByPart", "dotted", "in_order", "linear_of", "names_of",
    "without_memory",
]  # fmt: skip

UNIT = 4
"""For how many parameters a unit counts that an activation makes: it takes as much memory."""
MOST_PARTS = 1000
SHORT = 4096
"""Bits of a number of a start state that is taken as it is: through many layers it would get ever longer."""
LARGEST = sys.float_info.max

Names = str | Iterable[str]
"""The name of one part of a model, or those of several in the order in which they are applied."""


class Linear(NamedTuple):
    """A linear layer ``weight x + bias``."""

    weight: Matrix
    bias: Vector


def names_of(option: str, given: Names | None) -> tuple[str, ...]:
    """Return the names that an option gives.

    Raises
    ------
    OptionError
        If it gives something else, things without an order, or an empty sequence.

    Examples
    --------
    >>> names_of("readout", "fc"), names_of("readout", ["fc1", "relu", "fc2"]), names_of("readout", None)
    (('fc',), ('fc1', 'relu', 'fc2'), ())
    """
    if given is None:
        return ()
    example = {"prefix": "'rnn' or ['rnn1', 'rnn2']", "readout": "'fc' or ['fc1', 'relu', 'fc2']"}.get(option, "'fc'")
    wanted = f"the first part of the tensors' names, as in {example}"
    if isinstance(given, str):
        return (given.removesuffix("."),)
    ordered = isinstance(given, Iterable) and not isinstance(given, Set | Mapping)
    names = listed(option, given, wanted) if ordered else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise OptionError(f"{option}={shown(given)}: give {wanted}")
    if len(names) > MOST_PARTS:
        raise OptionError(f"{option} has {len(names):,} names: up to {MOST_PARTS} parts are read")
    return tuple(name.removesuffix(".") for name in names)


def dotted(prefix: str) -> str:
    """Return a name as it stands before those of its tensors."""
    return prefix if not prefix or prefix.endswith(".") else f"{prefix}."


def in_order(names: Iterable[str], modules: Mapping[str, Any], tensors: Tensors) -> Iterator[str]:
    """Yield names, with those of the parts of a torch ``Sequential`` in the place of its own.

    Raises
    ------
    NetworkFileError
        If another module has parts, and no weight of its own: only its `forward` says in which order.
    """
    for name in names:
        module: Any = modules.get(name)
        parts = [] if module is None else [f"{dotted(name)}{part}" for part in children_of(module)]
        own = f"{dotted(name)}weight"
        if module is not None and is_sequential(module):
            yield from in_order(parts, modules, tensors)
        elif not parts or own in tensors or tensors.made_of(own) or kind_of(module).endswith("Linear"):
            yield name
        else:
            there = ", ".join(parts[:6])
            raise NetworkFileError(
                f"{shown(name)} is of the class {kind_of(module)}, whose forward is not read: name its parts in the "
                f"order in which they are applied, of {shown(there, limit=200)}"
            )


def linear_of(tensors: Tensors, name: str, width: int | None) -> Linear:
    """Return the linear layer of that name, which reads so many numbers; None for any."""
    weight = tensors.take(f"{dotted(name)}weight", (None, width))
    bias_name = f"{dotted(name)}bias"
    bias = tensors.take(bias_name, (len(weight),)) if tensors.has(bias_name) else np.zeros(len(weight))
    return Linear(exact_rows(weight), exact_values(bias))


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForwardLayer(RecurrentLayer):
    """A layer ``h(t) = activation(weight x(t) + bias)``, which remembers nothing.

    Parameters
    ----------
    weight : matrix (n by d) or None
        None for 1: it applies the activation only.
    bias : vector of length n
    activation : Squashing
    initial : vector of length n
        What it is before the first step.
    """

    weight: Matrix | None
    bias: Vector
    activation: Squashing
    initial: Vector

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return len(self.bias) if self.weight is None else input_width(self.weight)

    @property
    def hidden_size(self) -> int:
        """How many numbers it gives."""
        return len(self.bias)

    @property
    def start(self) -> Vector:
        """What it is before the first step, `initial`."""
        return self.initial

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add one sum per row and its activation; :meth:`RecurrentLayer.lower` says more."""
        if self.weight is None:
            units = [Unit(name=f"h{number}[{j}]", bias=mpq(0), linear=((x, mpq(1)),)) for j, x in enumerate(below)]
        else:
            units = list(rows(f"h{number}", self.bias, sums=[(below, self.weight)]))
        return tuple(step.squashed({"h": (units, self.activation)})["h"])


def without_memory(linear: Linear | None, function: Squashing, below: Sequence[RecurrentLayer]) -> RecurrentLayer:
    """Return the layer of a function of a linear one; without that, of the hidden state of the last layer below.

    One of the two is there. It begins with what it makes of the start state below, if there is a layer: short rationals
    as they are, others as the nearest float64.
    """
    weight, bias = linear or (None, (mpq(0),) * below[-1].hidden_size)
    start = (mpq(0),) * len(bias)
    if below:
        sums = below[-1].start[: below[-1].hidden_size]
        with many_bits():
            if weight is not None:
                sums = tuple(plus(product(weight, sums), bias))
            start = tuple(_short(squashed(function, x)) for x in sums)
    return FeedForwardLayer(weight=weight, bias=bias, activation=function, initial=start)


def _short(number: Any) -> mpq:
    """Return a rational of a few words as it is, and any other number as the nearest finite float64."""
    if type(number) is mpq and number.numerator.bit_length() + number.denominator.bit_length() <= SHORT:
        return number
    try:
        near = float(number)
    except OverflowError:
        near = inf if number > 0 else -inf
    return mpq(max(-LARGEST, min(near, LARGEST)))


class PartByPart:
    """The layers of a model, to which part after part is added; `last` is a linear layer whose activation is open."""

    def __init__(self, tensors: Tensors, modules: Mapping[str, Any]) -> None:
        self.layers: list[RecurrentLayer] = []
        self.last: Linear | None = None
        self._tensors, self._modules = tensors, modules

    def add_recurrent(self, layers: Iterable[RecurrentLayer]) -> None:
        """Add the layers of a recurrent module."""
        self.close()
        self.layers += layers

    def add(self, name: str) -> None:
        """Add a linear layer or an activation.

        Raises
        ------
        NetworkFileError
            If there is none of that name.
        """
        module, there = self._modules.get(name), self._tensors.has(f"{dotted(name)}weight")
        function = None if module is None else function_of(name, module)
        if module is None and not there and name.lower() in SQUASHINGS:
            function = Squashing.named(name)
        if function is not None:
            self._activate(function)
        elif module is None or not is_harmless(module):
            if module is not None:
                check_linear(name, module)
            self._add_linear(name)

    def _add_linear(self, name: str) -> None:
        width = self.width
        self.close()
        try:
            self.last = linear_of(self._tensors, name, width)
        except NetworkFileError as error:
            if f"{dotted(name)}weight" in self._tensors:
                raise
            raise NetworkFileError(f"{error}; {self._hint(name)}") from None

    def _hint(self, name: str) -> str:
        """Return what to do where a linear layer is not there."""
        below = sorted({tensor.removesuffix(".weight") for tensor in self._tensors if tensor.startswith(dotted(name))})
        if any("_packed_params" in tensor for tensor in below):
            return "it is quantized, and dense floating-point numbers are read"
        if below:
            return f"name its parts in their order, as in {[below[0], 'relu', below[-1]]}"
        return f"functions that are read have the names {', '.join(SQUASHINGS)}"

    def close(self) -> None:
        """Let the last linear layer have no activation."""
        if self.last is not None:
            self._activate(Squashing.named("identity"))

    @property
    def width(self) -> int | None:
        """How many numbers there are above the parts so far; None before the first."""
        if self.last is not None:
            return len(self.last.weight)
        return self.layers[-1].hidden_size if self.layers else None

    def _activate(self, function: Squashing) -> None:
        """Apply a function to what the last linear layer gives, or to the hidden state of the last layer."""
        if self.width is None:
            raise NetworkFileError(f"{self._tensors.source}: {function.name} has nothing below: begin with a layer")
        self._tensors.count(UNIT * self.width, function.name)
        self.layers.append(without_memory(self.last, function, self.layers))
        self.last = None
