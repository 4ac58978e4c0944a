"""A stack of torch's cells taken apart: from a network's circuit back to the tensors that torch would have for it.

Units are found by the names that the lowerings give them. What is found is a guess: whoever uses it makes the network
of these tensors and compares it with the one that was taken apart.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.errors import NetworkError, NumberError, OptionError, shown
from exactnn.linear_algebra import Vector
from exactnn.networks.circuit import Unit
from exactnn.networks.exchange.tensors import Doubles
from exactnn.networks.exchange.torch_layers import GATES
from exactnn.networks.network import Network

__all__ = ["TorchParameters", "torch_parameters"]

_STATE = re.compile(r"([hc])([0-9]*)\[([0-9]+)\]")
_TYPES: dict[str, Any] = {"float64": np.float64, "float32": np.float32, "float16": np.float16}

Registers = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchParameters:
    """Tensors under torch's names, and what they are.

    Parameters
    ----------
    arrays : dict from name to array
    told : dict
        The options of :func:`load_safetensors` that belong to them.
    """

    arrays: dict[str, Any]
    told: dict[str, Any]


def torch_parameters(network: Network, dtype: str) -> TorchParameters:
    """Return the tensors of a network that is a stack of torch's cells, with a linear readout.

    Parameters
    ----------
    network : Network
    dtype : {"float64", "float32", "float16"}

    Raises
    ------
    NetworkError
        If units that such a stack has are missing.
    NumberError
        If a parameter is no number of that type; nothing is rounded.
    OptionError
        If there is no such type.
    """
    if not isinstance(dtype, str) or dtype not in _TYPES:
        raise OptionError(f"dtype={shown(dtype)}: choose one of {', '.join(_TYPES)}")
    try:
        return _Reader(network, dtype).parameters()
    except KeyError as error:
        raise NetworkError(
            f"{network.name} is no stack of torch's cells, it has no {error}: save it with save_network, or to_onnx"
        ) from None


class _Reader:
    """Reads one network."""

    def __init__(self, network: Network, dtype: str) -> None:
        self.network, self.dtype = network, dtype
        circuit = network.circuit
        first = circuit.state_size + circuit.input_size
        units = [unit for layer in circuit.layers for unit in layer]
        self.units = {unit.name: (first + i, unit) for i, unit in enumerate(units)}
        self.arrays: dict[str, Any] = {}
        self.cell = "LSTM" if "c" in self._letters() else "GRU" if self._is_gru() else "RNN"

    def parameters(self) -> TorchParameters:
        """Return everything that is found."""
        circuit = self.network.circuit
        numbers = list(dict.fromkeys(match[2] for match in self._states() if match is not None))
        if not numbers:
            raise KeyError("h[0]")
        sizes = [sum(m is not None and m[1] == "h" and m[2] == number for m in self._states()) for number in numbers]
        if len(set(sizes)) > 1:
            raise NetworkError(f"{self.network.name} has layers of several sizes, which torch's modules do not have")
        below: Registers = range(circuit.state_size, circuit.state_size + circuit.input_size)
        told: dict[str, Any] = {"prefix": "rnn.", "cell": self.cell}
        if f"e{numbers[0]}[0]" in self.units:
            below = self._embedding(numbers[0], below)
            told["embedding"] = "embedding."
        own, starts = 0, []
        for k, (number, size) in enumerate(zip(numbers, sizes, strict=True)):
            self._layer(k, number, range(own, own + size), below)
            below = [self.units[f"h{number}[{j}]"][0] for j in range(size)]
            starts.append(self.network.initial_state[own : own + size * (2 if self.cell == "LSTM" else 1)])
            own += len(starts[-1])
        self._starts(starts, sizes)
        if self.cell == "RNN":
            told["nonlinearity"] = str(self.units[f"h{numbers[0]}[0]"][1].activation)
        top = own - len(starts[-1])
        self._readout(range(top, top + sizes[-1]), told)
        return TorchParameters(arrays=self.arrays, told=told)

    def _states(self) -> list[re.Match[str] | None]:
        return [_STATE.fullmatch(name) for name in self.network.circuit.state_names]

    def _letters(self) -> set[str]:
        return {match[1] for match in self._states() if match is not None}

    def _is_gru(self) -> bool:
        return any(name.startswith("1-z") for name in self.units)

    def _embedding(self, number: str, below: Registers) -> Registers:
        found: list[tuple[int, Unit]] = []
        while f"e{number}[{len(found)}]" in self.units:
            found.append(self.units[f"e{number}[{len(found)}]"])
        table = [self._row(unit, below) for _, unit in found]
        self.arrays["embedding.weight"] = np.ascontiguousarray(self._matrix(table, "embedding").T)
        return [register for register, _ in found]

    def _layer(self, k: int, number: str, own: Registers, below: Registers) -> None:
        incoming: list[Vector] = []
        recurrent: list[Vector] = []
        first, second = [], []  # the two biases
        for gate in GATES[self.cell]:
            for j in range(len(own)):
                unit = self.units[f"{gate}{number}[{j}]"][1]
                inner = self.units[f"Vh{number}[{j}]"][1] if gate == "n" else unit
                incoming.append(self._row(unit, below))
                recurrent.append(self._row(inner, own))
                first.append(self._nearest(unit.bias))
                second.append(inner.bias if gate == "n" else unit.bias - mpq(float(first[-1])))
        self.arrays[f"rnn.weight_ih_l{k}"] = self._matrix(incoming, f"W of layer {k}")
        self.arrays[f"rnn.weight_hh_l{k}"] = self._matrix(recurrent, f"V of layer {k}")
        self.arrays[f"rnn.bias_ih_l{k}"] = np.array(first, dtype=_TYPES[self.dtype])
        self.arrays[f"rnn.bias_hh_l{k}"] = self._matrix([tuple(second)], f"the bias of layer {k}")[0]

    def _starts(self, starts: list[Vector], sizes: list[int]) -> None:
        if not any(map(any, starts)):
            return
        hidden = [start[:size] for start, size in zip(starts, sizes, strict=True)]
        self.arrays["initial_h"] = self._matrix(hidden, "the start state")
        if self.cell == "LSTM":
            cells = [start[size:] for start, size in zip(starts, sizes, strict=True)]
            self.arrays["initial_c"] = self._matrix(cells, "the start state")

    def _readout(self, top: Registers, told: dict[str, Any]) -> None:
        rows = [self._row(unit, top) for unit in self.network.readout]
        biases = tuple(unit.bias for unit in self.network.readout)
        identity = [tuple(mpq(i == j) for j in range(len(top))) for i in range(len(top))]
        if rows == identity and not any(biases) and not self.network.scalar_output:
            return  # the hidden state itself
        told["readout"] = "readout."
        self.arrays["readout.weight"] = self._matrix(rows, "the readout")
        self.arrays["readout.bias"] = self._matrix([biases], "the readout")[0]

    def _row(self, unit: Unit, registers: Registers) -> Vector:
        weights = dict(unit.linear)
        return tuple(weights.get(register, mpq(0)) for register in registers)

    def _matrix(self, rows: list[Vector], what: str) -> Doubles:
        """Return rows as an array, if every entry is a number of the type."""
        if len({len(row) for row in rows}) > 1:
            raise NetworkError(f"{self.network.name}: {what} has rows of several lengths, which torch does not have")
        for row in rows:
            for value in row:
                if mpq(float(self._nearest(value))) != value:
                    raise NumberError(
                        f"{self.network.name}: {what} has {short_text(value)}, which is no {self.dtype}: "
                        "save it with save_network"
                    )
        return np.array([[self._nearest(value) for value in row] for row in rows], dtype=_TYPES[self.dtype])

    def _nearest(self, value: mpq) -> Any:
        """Return a number of the type near `value`, finite."""
        try:
            with np.errstate(over="ignore"):
                near = _TYPES[self.dtype](int(value.numerator) / int(value.denominator))
        except OverflowError:
            near = _TYPES[self.dtype](np.inf)
        if not np.isfinite(near):
            raise NumberError(f"{self.network.name} has {short_text(value)}, which is beyond the largest {self.dtype}")
        return near
