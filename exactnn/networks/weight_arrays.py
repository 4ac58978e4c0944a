"""The weights of a network as arrays with names."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.networks.circuit import Circuit, Unit

__all__ = ["weight_arrays"]


def weight_arrays(
    initial_state: Sequence[mpq], circuit: Circuit, readout: tuple[Unit, ...], *, exact: bool
) -> dict[str, NDArray[Any]]:
    """Return what :meth:`Network.weights` returns."""
    arrays: dict[str, NDArray[Any]] = {"initial_state": _filled((circuit.state_size,), initial_state)}
    width = circuit.state_size + circuit.input_size
    for number, layer in enumerate(circuit.layers):
        whole = _matrix(layer, width)
        parts = np.split(whole, (circuit.state_size, circuit.state_size + circuit.input_size), axis=1)
        names = zip(("state", "input", "units"), parts, strict=True)
        arrays |= {f"layer{number}.{name}": part for name, part in names if name != "units" or number}
        arrays |= _rest(f"layer{number}", layer)
        width += len(layer)
    arrays["readout.state"] = _matrix(readout, circuit.state_size)
    arrays |= _rest("readout", readout)
    return arrays if exact else {name: array.astype(np.float64) for name, array in arrays.items()}


def _filled(shape: tuple[int, ...], values: Any) -> NDArray[Any]:
    array = np.empty(shape, dtype=object)
    array[:] = list(values)
    return array


def _matrix(units: tuple[Unit, ...], width: int) -> NDArray[Any]:
    matrix = np.full((len(units), width), mpq(0), dtype=object)
    for row, unit in zip(matrix, units, strict=True):
        for register, weight in unit.linear:
            row[register] += weight
    return matrix


def _rest(name: str, units: tuple[Unit, ...]) -> dict[str, NDArray[Any]]:
    """Return the biases, and the products if there are any."""
    arrays = {f"{name}.bias": _filled((len(units),), [unit.bias for unit in units])}
    products = [(place, *product) for place, unit in enumerate(units) for product in unit.bilinear]
    if products:
        table = np.empty((len(products), 4), dtype=object)
        for row, product in zip(table, products, strict=True):
            row[:] = product
        arrays[f"{name}.products"] = table
    return arrays
