"""Quasi-recurrent networks: gates that see the last few inputs, and not the state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError, shown
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_vector
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits, complements, named_as_in_torch, rows
from exactnn.networks.gates import gate_matrices, gate_vectors
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing
from exactnn.options import whole_number

__all__ = ["QRNN", "QRNNLayer"]

GATES = {"f": ("z", "f"), "fo": ("z", "f", "o"), "ifo": ("z", "f", "o", "i")}
"""The gates by the kind of pooling."""


@named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class QRNNLayer(RecurrentLayer):
    """A layer of quasi-recurrent cells, for :func:`StackedRNN`; :func:`QRNN` has its equations and parameters.

    Raises
    ------
    NetworkError, NumberError
        If a gate is missing or unknown, sizes do not fit, or an entry is not an exact number.
    """

    W: Mapping[str, Any]
    b: Mapping[str, Any]
    window: int = 1
    pooling: Literal["f", "fo", "ifo"] = "fo"
    h: Any = None
    c: Any = None
    gate: str | Activation | Squashing = "sigmoid"
    candidate: str | Activation | Squashing = "tanh"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        if not isinstance(self.pooling, str) or self.pooling not in GATES:
            raise NetworkError(f"pooling is {shown(self.pooling)}: choose one of {', '.join(GATES)}")
        fill(self, "window", whole_number("window", self.window, 1, error=NetworkError))
        if self.pooling == "f" and self.c is not None:
            raise NetworkError("c is given, but with f-pooling the hidden state is the cell state: give h")
        fill(self, "b", gate_vectors(self.b, "b", GATES[self.pooling]))
        size = self.hidden_size
        fill(self, "W", gate_matrices(self.W, "W", GATES[self.pooling], height=size))
        width = input_width(self.W["z"])
        if width % self.window:
            raise NetworkError(
                f"W['z'] has {width} columns, which {shown(self.window)} inputs of one size do not have: give that "
                "many columns for every component of the input, or another window"
            )
        for start in ("h", "c") if self.pooling != "f" else ("h",):
            given = getattr(self, start)
            fill(self, start, (mpq(0),) * size if given is None else exact_vector(given, start, size=size))
        for squashing in ("gate", "candidate"):
            fill(self, squashing, Squashing.named(getattr(self, squashing)))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.W["z"]) // self.window

    @property
    def hidden_size(self) -> int:
        """Length of its hidden state."""
        return len(self.b["z"])

    @property
    def start(self) -> Vector:
        """Its start state: `h`, then `c` unless it is the same, then zeros for the inputs before the word."""
        return (*self.h, *(self.c or ()), *(mpq(0),) * (self.input_size * (self.window - 1)))

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`QRNN`; :meth:`RecurrentLayer.lower` says more."""
        size, pooling = self.hidden_size, self.pooling
        cells = size if pooling == "f" else 2 * size
        last, past = own[cells - size : cells], own[cells:]
        seen = (*below, *past)
        gate, candidate = Squashing.named(self.gate), Squashing.named(self.candidate)
        gates = step.squashed(
            {
                name: (rows(f"{name}{number}", self.b[name], sums=[(seen, self.W[name])]), squashing)
                for name, squashing in zip(GATES[pooling], (candidate, gate, gate, gate), strict=False)
            }
        )
        zero = (mpq(0),) * size
        enters = gates["i"] if pooling == "ifo" else step.add(complements(f"1-f{number}", gates["f"]))
        letter = "h" if pooling == "f" else "c"
        cell = step.add(rows(f"{letter}{number}", zero, products=[(gates["f"], last), (enters, gates["z"])]))
        kept = seen[: len(past)]
        if pooling == "f":
            return (*cell, *kept)
        hidden = step.add(rows(f"h{number}", zero, products=[(gates["o"], cell)]))
        return (*hidden, *cell, *kept)


@named_as_in_torch
def QRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    W: Mapping[str, Sequence[Sequence[ExactNumber]]],
    b: Mapping[str, Sequence[ExactNumber]],
    window: int = 1,
    pooling: Literal["f", "fo", "ifo"] = "fo",
    h: Sequence[ExactNumber] | None = None,
    c: Sequence[ExactNumber] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "sigmoid",
    candidate: str | Activation | Squashing = "tanh",
    alphabet: Iterable[str] | None = None,
    name: str = "QRNN",
) -> Network:
    """Return the quasi-recurrent network with these parameters.

    One step computes, from the last k inputs ``X(t) = (x(t), x(t-1), ..., x(t-k+1))`` and with ``*`` entry by entry,

    ==============================================  ===========================================
    ``z(t) = candidate(b_z + W_z X(t))``             candidate
    ``f(t) = gate(b_f + W_f X(t))``                  forget gate; o (fo, ifo) and i (ifo) alike
    ``h(t) = f(t) * h(t-1) + (1 - f(t)) * z(t)``     hidden state, f-pooling
    ``c(t) = f(t) * c(t-1) + (1 - f(t)) * z(t)``     cell state, fo-pooling
    ``c(t) = f(t) * c(t-1) + i(t) * z(t)``           cell state, ifo-pooling
    ``h(t) = o(t) * c(t)``                           hidden state, fo- and ifo-pooling
    ==============================================  ===========================================

    The gates never see the state. A rounding arithmetic sums in the order that stands here.

    Parameters
    ----------
    W, b : mappings from "z" and "f", with fo-pooling "o", with ifo-pooling "i" too
        To a matrix (n by k d), whose first d columns are those of x(t), the next d those of x(t-1), and a bias (n);
        `weight_ih` and `bias` are the same.
    window : int
        The number k of inputs that the gates see. Before the word there are zeros.
    pooling : {"f", "fo", "ifo"}
    h, c : vectors of length n, optional
        Hidden state and cell state at the start, zeros if not given; with f-pooling there is no c. The network's state
        is h, then c, then the last k - 1 inputs, the latest first.
    readout_weight : vector of length n, or matrix (k by n)
        The output ``w . h + bias``: a number for a vector, a tuple for a matrix.
    readout_bias : number or vector of length k
    gate, candidate : str, Activation or Squashing
        "sigmoid", "tanh", "slu", "hard_sigmoid", "hard_tanh", "step", "sign", "limit_sigmoid", "relu" or another name
        of docs/cells.md.
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors. With "EOS" among them the network is run with intermediate steps;
        else a word is accepted if the output after it is above 0. Without it the network reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If a gate is missing or unknown, sizes do not fit, or an entry is not an exact number.

    References
    ----------
    J. Bradbury, S. Merity, C. Xiong and R. Socher, "Quasi-recurrent neural networks", 2017.

    Examples
    --------
    How often ab stands in a word: the candidate sees b and the letter before it.

    >>> pairs = QRNN(
    ...     W={"z": [[0, 1, 1, 0]], "f": [[0] * 4], "i": [[0] * 4], "o": [[0] * 4]},
    ...     b={"z": [-1], "f": [1], "i": [1], "o": [1]},
    ...     window=2, pooling="ifo", gate="step", candidate="relu", readout_weight=[1], alphabet="ab",
    ... )
    >>> from exactnn.simulation import run
    >>> [str(y) for y in run(pairs, "abbab").outputs]
    ['0', '1', '1', '1', '2']
    """
    layer = QRNNLayer(W=W, b=b, window=window, pooling=pooling, h=h, c=c, gate=gate, candidate=candidate)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
