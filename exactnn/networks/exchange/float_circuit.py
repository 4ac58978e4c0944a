"""A circuit's parameters as float64 or float32: what programs that have no other numbers can run.

The order of terms is the circuit's, so that a program which adds them one by one, bias first, computes what the
circuit means in that format, bit for bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isinf
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import FLOAT32, FLOAT64, short_text
from exactnn.errors import NetworkError, shown
from exactnn.networks.activation import Activation
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.circuit import Unit
from exactnn.options import choice

__all__ = ["FloatCircuit", "FloatLayer", "float_circuit"]

DTYPES = {"float64": FLOAT64, "float32": FLOAT32}
"""The types that there are, by numpy's names."""

Floats = np.ndarray[tuple[int, ...], np.dtype[Any]]
Indices = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatLayer:
    """One layer of units in a format.

    Attributes
    ----------
    bias : array of length n
    unit, register, weight : arrays, one entry per linear term, in the order of summation
    product_unit, first, second, factor : arrays, one entry per second-order term, summed after those
    activations : tuple of (Activation, indices of its units)
        Their bounds are numbers of the format.
    """

    bias: Floats
    unit: Indices
    register: Indices
    weight: Floats
    product_unit: Indices
    first: Indices
    second: Indices
    factor: Floats
    activations: tuple[tuple[Activation, Indices], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatCircuit:
    """A network in a format, and how many of its numbers had to be rounded for it.

    Attributes
    ----------
    layers : tuple of FloatLayer
    next_state : array of registers
    initial_state : array
    readout : FloatLayer
    rounded : int
        Parameters that are no numbers of the format and were rounded to the nearest one, ties to even.
    """

    layers: tuple[FloatLayer, ...]
    next_state: Indices
    initial_state: Floats
    readout: FloatLayer
    rounded: int


def float_circuit(network: AnyNetwork, dtype: str = "float64") -> FloatCircuit:
    """Return a network's parameters rounded to float64 or float32, each once.

    Raises
    ------
    NetworkError
        If it is no network, or one with a real start state, or a parameter is beyond the largest number of the type.
    OptionError
        If there is no such type.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> third = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=["1/5"], readout_weight=["0.5"])
    >>> float_circuit(third).rounded
    2
    """
    network = network_of(network)
    choice("dtype", dtype, DTYPES)
    rounding = _Rounding(network.name, dtype)
    return FloatCircuit(
        layers=tuple(_layer(units, rounding) for units in network.circuit.layers),
        next_state=np.array(network.circuit.next_state, dtype=np.int64),
        initial_state=rounding.array("initial_state", network.initial_state),
        readout=_layer(network.readout, rounding),
        rounded=rounding.count,
    )


class _Rounding:
    """Rounds numbers to a type, and counts those that change."""

    def __init__(self, network: str, dtype: str) -> None:
        self.network, self.dtype = network, dtype
        self.format = DTYPES[dtype]
        self.count = 0

    def array(self, what: str, values: Sequence[mpq]) -> Floats:
        return np.array([self._nearest(what, value) for value in values], dtype=self.dtype)

    def _nearest(self, what: str, value: mpq) -> float:
        nearest = self.format.nearest(value)
        if isinf(nearest):
            raise NetworkError(f"{self.network}: {what} has {short_text(value)}, beyond the largest {self.dtype}")
        self.count += mpq(nearest) != value
        return nearest


def _layer(units: tuple[Unit, ...], rounding: _Rounding) -> FloatLayer:
    linear = [(i, *term) for i, unit in enumerate(units) for term in unit.linear]
    products = [(i, *term) for i, unit in enumerate(units) for term in unit.bilinear]
    kinds = dict.fromkeys(unit.activation for unit in units)
    name = units[0].name if units else "no units"
    return FloatLayer(
        bias=rounding.array(f"the bias of the layer of {shown(name)}", [unit.bias for unit in units]),
        unit=_column(linear, 0),
        register=_column(linear, 1),
        weight=rounding.array(f"the layer of {shown(name)}", [weight for _, _, weight in linear]),
        product_unit=_column(products, 0),
        first=_column(products, 1),
        second=_column(products, 2),
        factor=rounding.array(f"the layer of {shown(name)}", [weight for *_, weight in products]),
        activations=tuple(
            (
                _rounded_bounds(kind, rounding),
                np.array([i for i, unit in enumerate(units) if unit.activation == kind], dtype=np.int64),
            )
            for kind in kinds
        ),
    )


def _rounded_bounds(activation: Activation, rounding: _Rounding) -> Activation:
    """Return the activation with its bounds rounded to the type."""
    low, high = (
        None if bound is None else mpq(*rounding.array(f"a bound of {activation}", [bound]).tolist())
        for bound in (activation.low, activation.high)
    )
    return replace(activation, low=low, high=high)


def _column(terms: Sequence[tuple[object, ...]], place: int) -> Indices:
    return np.array([term[place] for term in terms], dtype=np.int64)
