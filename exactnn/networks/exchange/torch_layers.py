"""The parameters of torch's recurrent modules, by the names and in the order that torch gives them.

======  ==========================  =====================================================================
cell    rows of ``weight_ih_l0``    step
======  ==========================  =====================================================================
RNN     h                           h = tanh(W x + b_ih + V h + b_hh), or relu
LSTM    i, f, g, o                  c = f c + i g, h = o tanh(c)
GRU     r, z, n                     n = tanh(W x + b_in + r (V h + b_hn)), h = (1 - z) n + z h
======  ==========================  =====================================================================

Torch is not imported here: names and arrays are enough.
"""

from collections.abc import Sequence
from itertools import count

import numpy as np
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.exchange.tensors import Doubles, Tensors, exact_rows, exact_values
from exactnn.networks.gru import GRULayer
from exactnn.networks.layer import RecurrentLayer
from exactnn.networks.lstm import LSTMLayer
from exactnn.networks.simple_rnn import SimpleRNNLayer
from exactnn.options import choice

__all__ = ["CELLS", "GATES", "found_prefix", "torch_layers"]

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
            f"{tensors.source} has no tensor weight_ih_l0, as a recurrent module of torch has: there are "
            f"{shown(', '.join(sorted(tensors)[:12]) or 'none', limit=300)}"
        )
    choices = ", ".join(map(shown, prefixes[:6]))
    raise NetworkFileError(f"{tensors.source} has several recurrent modules: choose one with prefix=, of {choices}")


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
        width = layers[-1].hidden_size if layers else None
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
        biased = any(f"{prefix}bias_{kind}{suffix}" in tensors for kind in ("ih", "hh"))
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
