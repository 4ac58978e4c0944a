"""The parts of a torch model in their order: recurrent modules, and linear layers and activations among and above them.

A linear layer with its activation is a recurrent layer that remembers nothing. Its start state is read on the empty
word only: it is what the layer makes of the start state below.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.cell import Registers, StepUnits, rows
from exactnn.networks.circuit import Unit
from exactnn.networks.exchange.tensors import Tensors, exact_rows, exact_values
from exactnn.networks.exchange.token_tables import entries, many_bits, plus, product, squashed
from exactnn.networks.layer import RecurrentLayer, input_width
from exactnn.networks.squashing import SQUASHINGS, Squashing
from exactnn.options import listed

__all__ = [
    "HARMLESS", "Linear", "Names", "PartByPart", "dotted", "in_order", "kind_of", "linear_of", "names_of",
    "without_memory",
]  # fmt: skip

Names = str | Iterable[str]
"""The name of one part of a model, or those of several in the order in which they are applied."""

HARMLESS = r".*(Dropout|Identity|Loss)(\dd)?"
"""A pattern of the names of torch's classes that compute nothing in a trained model."""

_ACTIVATIONS = {
    "ReLU": ("relu", {}),
    "ReLU6": ("relu6", {}),
    "Tanh": ("tanh", {}),
    "Sigmoid": ("sigmoid", {}),
    "Hardtanh": ("hard_tanh", {"min_val": -1, "max_val": 1}),
    "Hardsigmoid": ("hard_sigmoid", {}),
    "Softplus": ("softplus", {"beta": 1}),
}
"""Of torch's classes: the function, and the settings with which it is that."""


class Linear(NamedTuple):
    """A linear layer ``weight x + bias``."""

    weight: Matrix
    bias: Vector


def names_of(option: str, given: Names | None) -> tuple[str, ...]:
    """Return the names that an option gives.

    Raises
    ------
    OptionError
        If it gives something else, or an empty sequence.

    Examples
    --------
    >>> names_of("readout", "fc"), names_of("readout", ["fc1", "relu", "fc2"]), names_of("readout", None)
    (('fc',), ('fc1', 'relu', 'fc2'), ())
    """
    if given is None:
        return ()
    example = {"prefix": "'rnn' or ['rnn1', 'rnn2']", "readout": "'fc' or ['fc1', 'relu', 'fc2']"}.get(option, "'fc'")
    wanted = f"the first part of the tensors' names, as in {example}"
    names = [given] if isinstance(given, str) else listed(option, given, wanted) if isinstance(given, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise OptionError(f"{option}={shown(given)}: give {wanted}")
    return tuple(names)


def dotted(prefix: str) -> str:
    """Return a name as it stands before those of its tensors."""
    return prefix if not prefix or prefix.endswith(".") else f"{prefix}."


def kind_of(module: Any) -> str:
    """Return the name of a module's class, which TorchScript keeps; "" if there is no module."""
    return "" if module is None else str(getattr(module, "original_name", type(module).__name__))


def in_order(names: Iterable[str], modules: Mapping[str, Any]) -> Iterator[str]:
    """Yield names, with those of the parts of a torch ``Sequential`` in the place of its own.

    Raises
    ------
    NetworkFileError
        If another module has parts: only its own `forward` says in which order.
    """
    for name in names:
        module: Any = modules.get(name.removesuffix("."))
        parts = [] if module is None else [f"{dotted(name)}{part}" for part, _ in module.named_children()]
        if not parts:
            yield name
        elif kind_of(module) == "Sequential":
            yield from in_order(parts, modules)
        else:
            there = ", ".join(parts[:6])
            raise NetworkFileError(
                f"{shown(name)} is a {kind_of(module)}, whose forward is not read: name its parts in the order in "
                f"which they are applied, of {shown(there, limit=200)}"
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

    One of the two is there. It begins with what it makes of the start state below, if there is a layer: rationals as
    they are, others as the nearest float64.
    """
    weight, bias = linear or (None, (mpq(0),) * below[-1].hidden_size)
    start = (mpq(0),) * len(bias)
    if below:
        sums = below[-1].start[: below[-1].hidden_size]
        with many_bits():
            if weight is not None:
                sums = tuple(plus(product(weight, sums), bias))
            start = tuple(row[0] for row in entries([[squashed(function, x) for x in sums]], "start states"))
    return FeedForwardLayer(weight=weight, bias=bias, activation=function, initial=start)


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
        module = self._modules.get(name.removesuffix("."))
        kind, there = kind_of(module), self._tensors.has(f"{dotted(name)}weight")
        if kind in _ACTIVATIONS:
            self._activate(_function(name, module))
        elif "Norm" in kind or (kind and not there):
            if not re.fullmatch(HARMLESS, kind):
                raise NetworkFileError(
                    f"{shown(name)} is a {kind}, which is not read: linear layers are, and {', '.join(_ACTIVATIONS)}"
                )
        elif not there and name.lower() in SQUASHINGS:
            self._activate(Squashing.named(name))
        else:
            width = self.width
            self.close()
            try:
                self.last = linear_of(self._tensors, name, width)
            except NetworkFileError as error:
                if there:
                    raise
                raise NetworkFileError(f"{error}; activations have names such as relu, tanh, sigmoid") from None

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
        self.layers.append(without_memory(self.last, function, self.layers))
        self.last = None


def _function(name: str, module: Any) -> Squashing:
    """Return the function of a module; raises NetworkFileError if its settings make it another one."""
    function, settings = _ACTIVATIONS[kind_of(module)]
    for setting, value in settings.items():
        own = getattr(module, setting, value)
        if own != value:
            raise NetworkFileError(
                f"{shown(name)} is a {kind_of(module)} with {setting}={shown(own)}: it is read with {setting}={value}"
            )
    return Squashing.named(function)
