"""The parameters of torch's recurrent modules: their names and order, from a network and back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.errors import NetworkError, NetworkFileError, NumberError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.circuit import Unit
from exactnn.networks.exchange.tensors import Doubles, Tensors, exact_rows, exact_values
from exactnn.networks.gru import GRULayer
from exactnn.networks.layer import RecurrentLayer
from exactnn.networks.lstm import LSTMLayer
from exactnn.networks.network import Network
from exactnn.networks.simple_rnn import SimpleRNNLayer
from exactnn.options import choice

__all__ = [
    "CELLS",
    "GATES",
    "TorchParameters",
    "found_prefix",
    "is_first",
    "layer_count",
    "torch_layers",
    "torch_parameters",
]


# --- The parameters of torch's recurrent modules, by the names and in the order that torch gives them.
#
# ======  ==========================  =====================================================================
# cell    rows of ``weight_ih_l0``    step
# ======  ==========================  =====================================================================
# RNN     h                           h = tanh(W x + b_ih + V h + b_hh), or relu
# LSTM    i, f, g, o                  c = f c + i g, h = o tanh(c)
# GRU     r, z, n                     n = tanh(W x + b_in + r (V h + b_hn)), h = (1 - z) n + z h
# ======  ==========================  =====================================================================
#
# Torch is not imported here: names and arrays are enough.

GATES = {"RNN": ("h",), "GRU": ("r", "z", "n"), "LSTM": ("i", "f", "g", "o")}
"""The gates of each cell in the order in which torch stacks their rows."""

CELLS = tuple(GATES)
NONLINEARITIES = ("tanh", "relu")

_BY_GATES = {len(gates): cell for cell, gates in GATES.items()}
_FIRST = ("weight_ih_l0", "weight_ih")
_UNSUPPORTED = {"_reverse": "bidirectional", "weight_hr_l": "an LSTM with proj_size"}


def found_prefix(tensors: Tensors) -> str:
    """Return what stands before ``weight_ih_l0`` in the names of the only recurrent module there is.

    Raises
    ------
    NetworkFileError
        If there is none, or several.
    """
    prefixes = sorted({name.removesuffix(first) for name in tensors for first in _FIRST if _ends(name, first)})
    if len(prefixes) == 1:
        return prefixes[0]
    if not prefixes:
        raise NetworkFileError(
            f"{tensors.source} has no tensor weight_ih_l0, as a recurrent module of torch has: "
            f"{tensors.made_of('weight_ih_l0')}there are "
            f"{shown(', '.join(sorted(tensors)[:12]) or 'none', limit=300)}"
        )
    choices = ", ".join(map(shown, prefixes[:6]))
    raise NetworkFileError(
        f"{tensors.source} has several recurrent modules: choose one by its prefix, or give several in the order in "
        f"which they are applied, of {choices}"
    )


def is_first(name: str) -> bool:
    """Return whether a tensor of that name is the first of a recurrent module of torch.

    >>> is_first("rnn.weight_ih_l0")
    True
    """
    return any(_ends(name, first) for first in _FIRST)


def layer_count(tensors: Tensors, prefix: str) -> int:
    """Return how many layers the recurrent module with this prefix has; 0 if there is none."""
    return len(_suffixes(tensors, prefix)) if any(f"{prefix}{first}" in tensors for first in _FIRST) else 0


def _ends(name: str, last: str) -> bool:
    return name == last or name.endswith(f".{last}")


def torch_layers(
    tensors: Tensors,
    prefix: str,
    *,
    cell: str | None,
    nonlinearity: str,
    h: Doubles | None = None,
    c: Doubles | None = None,
    width: int | None = None,
) -> list[RecurrentLayer]:
    """Return the layers of the recurrent module whose tensors' names begin with `prefix`.

    Parameters
    ----------
    tensors : Tensors
    prefix : str
    cell : {"RNN", "LSTM", "GRU"} or None
        None tells it from the number of rows: an RNN has n of them, a GRU 3n, an LSTM 4n.
    nonlinearity : {"tanh", "relu"}
        Of an RNN; no tensor tells it.
    h, c : matrix (layers by n), optional
        Start states, zeros by default.
    width : int, optional
        How many numbers the first one reads; any by default.

    Raises
    ------
    NetworkFileError, NumberError, OptionError
        If a tensor is missing or of a wrong shape, it is no such module, or a number is not finite.
    """
    if cell is not None:
        choice("cell", cell, CELLS)
    choice("nonlinearity", nonlinearity, NONLINEARITIES)
    for name in tensors:
        for part, what in _UNSUPPORTED.items():
            if name.startswith(prefix) and part in name.removeprefix(prefix):
                raise NetworkFileError(
                    f"{tensors.source} has the tensor {shown(name)}, so it is {what}: only forward modules without "
                    "projection are read"
                )
    suffixes = _suffixes(tensors, prefix)
    starts = [_starts(matrix, what, len(suffixes)) for matrix, what in ((h, "h"), (c, "c"))]
    layers: list[RecurrentLayer] = []
    for k, suffix in enumerate(suffixes):
        width = layers[-1].hidden_size if layers else width
        parts = _Parts(tensors, prefix, suffix, cell, width)
        cell = parts.cell  # all layers are of one kind
        layers.append(parts.layer(nonlinearity, starts[0][k], starts[1][k]))
    return layers


def _suffixes(tensors: Tensors, prefix: str) -> list[str]:
    """Return what the names of each layer's tensors end with; those of torch's single cells end with nothing."""
    if f"{prefix}weight_ih" in tensors:
        return [""]
    suffixes = []
    for k in count():
        if k and f"{prefix}weight_ih_l{k}" not in tensors:
            break
        suffixes.append(f"_l{k}")
    return suffixes


def _starts(matrix: Doubles | None, what: str, layers: int) -> Sequence[Vector | None]:
    if matrix is None:
        return [None] * layers
    if matrix.ndim != 2 or len(matrix) != layers:
        raise NetworkFileError(f"start states {what} are {matrix.shape}: give a matrix with {layers} rows, one a layer")
    return exact_rows(matrix)


class _Parts:
    """The tensors of one layer, split into gates."""

    def __init__(self, tensors: Tensors, prefix: str, suffix: str, cell: str | None, width: int | None) -> None:
        recurrent = tensors.take(f"{prefix}weight_hh{suffix}", (None, None))
        height, size = recurrent.shape
        found = None if height % size else _BY_GATES.get(height // size)
        if found is None or (cell is not None and cell != found):
            raise NetworkFileError(
                f"{tensors.source}: tensor {shown(f'{prefix}weight_hh{suffix}')} is {height} by {size}: that of "
                f"{f'an {cell}' if cell else 'an RNN, GRU or LSTM'} has "
                f"{len(GATES[cell]) if cell else '1, 3 or 4'} times as many rows as columns"
            )
        self.cell, self.gates = found, GATES[found]
        incoming = tensors.take(f"{prefix}weight_ih{suffix}", (height, width))
        self.V, self.W = self._matrices(recurrent), self._matrices(incoming)
        there = [tensors.has(f"{prefix}bias_{kind}{suffix}") for kind in ("ih", "hh")]
        biased = any(there)
        if biased:
            both = [tensors.take(f"{prefix}bias_{kind}{suffix}", (height,)) for kind in ("ih", "hh")]
        else:  # bias=False
            both = [np.zeros(height), np.zeros(height)]
        self.b_ih, self.b_hh = self._vectors(both[0]), self._vectors(both[1])

    def layer(self, nonlinearity: str, h: Vector | None, c: Vector | None) -> RecurrentLayer:
        """Return the layer; the two biases of a gate are one number, their exact sum."""
        b = {gate: tuple(map(mpq.__add__, self.b_ih[gate], self.b_hh[gate])) for gate in self.gates}
        if c is not None and self.cell != "LSTM":
            raise OptionError(f"c is the start of a cell state, which an {self.cell} does not have: leave it out")
        if self.cell == "LSTM":
            return LSTMLayer(V=self.V, W=self.W, b=b, h=h, c=c)
        if self.cell == "GRU":
            b["n"] = self.b_ih["n"]
            recurrent = self.b_hh["n"]  # the reset gate multiplies it
            return GRULayer(V=self.V, W=self.W, b=b, recurrent_bias=recurrent, h=h)
        start = (mpq(0),) * len(b["h"]) if h is None else h
        return SimpleRNNLayer(V=self.V["h"], W=self.W["h"], b=b["h"], s=start, activation=nonlinearity)

    def _matrices(self, stacked: Doubles) -> dict[str, Matrix]:
        return dict(zip(self.gates, map(exact_rows, np.split(stacked, len(self.gates))), strict=True))

    def _vectors(self, stacked: Doubles) -> dict[str, Vector]:
        return dict(zip(self.gates, map(exact_values, np.split(stacked, len(self.gates))), strict=True))


# --- A stack of torch's cells taken apart: from a network's circuit back to the tensors that torch would have for it.
#
# Units are found by the names that the lowerings give them. What is found is a guess: whoever uses it makes the network
# of these tensors and compares it with the one that was taken apart.

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
            told["nonlinearity"] = nonlinearity = str(self.units[f"h{numbers[0]}[0]"][1].activation)
            if nonlinearity not in NONLINEARITIES:
                raise NetworkError(
                    f"{self.network.name} has the activation {nonlinearity!r}, and torch's RNN has only "
                    f"{' and '.join(NONLINEARITIES)}: save it with save_network, or to_onnx"
                )
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
