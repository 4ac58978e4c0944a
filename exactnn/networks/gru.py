"""Gated recurrent units."""

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
from exactnn.networks.circuit import Unit
from exactnn.networks.gates import gate_matrices, gate_vectors
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing

__all__ = ["GRU", "GRULayer"]

GATES = ("r", "z", "n")


@named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class GRULayer(RecurrentLayer):
    """A layer of gated recurrent units, for :func:`StackedRNN`; :func:`GRU` has its equations and parameters.

    Raises
    ------
    NetworkError, NumberError
        If a gate is missing or unknown, sizes do not fit, or an entry is not an exact number.
    """

    V: Mapping[str, Any]
    W: Mapping[str, Any]
    b: Mapping[str, Any]
    recurrent_bias: Any = None
    h: Any = None
    reset: Literal["after", "before"] = "after"
    gate: str | Activation | Squashing = "sigmoid"
    candidate: str | Activation | Squashing = "tanh"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        if not isinstance(self.reset, str) or self.reset not in ("after", "before"):
            raise NetworkError(f'reset is {shown(self.reset)}: choose "after" or "before" the recurrent matrix')
        if self.reset == "before" and self.recurrent_bias is not None:
            raise NetworkError(
                'recurrent_bias is given, but with reset="before" no gate multiplies it: add it to the bias b["n"]'
            )
        fill(self, "b", gate_vectors(self.b, "b", GATES))
        size = self.hidden_size
        fill(self, "V", gate_matrices(self.V, "V", GATES, height=size, width=size))
        fill(self, "W", gate_matrices(self.W, "W", GATES, height=size))
        for vector in ("h", "recurrent_bias") if self.reset == "after" else ("h",):
            given = getattr(self, vector)
            fill(self, vector, (mpq(0),) * size if given is None else exact_vector(given, vector, size=size))
        for squashing in ("gate", "candidate"):
            fill(self, squashing, Squashing.named(getattr(self, squashing)))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.W["r"])

    @property
    def hidden_size(self) -> int:
        """Length of its state."""
        return len(self.b["r"])

    @property
    def start(self) -> Vector:
        """Its start state, `h`."""
        return self.h  # type: ignore[no-any-return]

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`GRU`; :meth:`RecurrentLayer.lower` says more."""
        gate, candidate = Squashing.named(self.gate), Squashing.named(self.candidate)

        def net(name: str) -> tuple[Unit, ...]:
            return rows(f"{name}{number}", self.b[name], sums=[(own, self.V[name]), (below, self.W[name])])

        gates = step.squashed({"r": (net("r"), gate), "z": (net("z"), gate)})
        n = step.squashed({"n": (self._candidate(step, own, below, gates["r"], number), candidate)})["n"]
        rest = step.add(complements(f"1-z{number}", gates["z"]))
        zero = (mpq(0),) * self.hidden_size
        return tuple(step.add(rows(f"h{number}", zero, products=[(rest, n), (gates["z"], own)])))

    def _candidate(
        self, step: StepUnits, h: Registers, below: Registers, r: Registers, number: str
    ) -> tuple[Unit, ...]:
        """Return the sums of the candidate, after adding what they read."""
        name, bias, incoming = f"n{number}", self.b["n"], (below, self.W["n"])
        if self.reset == "before":
            zero = (mpq(0),) * self.hidden_size
            left = step.add(rows(f"r*h{number}", zero, products=[(r, h)]))
            return rows(name, bias, sums=[(left, self.V["n"]), incoming])
        recurrent = step.add(rows(f"Vh{number}", self.recurrent_bias, sums=[(h, self.V["n"])]))
        return rows(name, bias, sums=[incoming], products=[(r, recurrent)])


@named_as_in_torch
def GRU(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Mapping[str, Sequence[Sequence[ExactNumber]]],
    W: Mapping[str, Sequence[Sequence[ExactNumber]]],
    b: Mapping[str, Sequence[ExactNumber]],
    recurrent_bias: Sequence[ExactNumber] | None = None,
    h: Sequence[ExactNumber] | None = None,
    reset: Literal["after", "before"] = "after",
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "sigmoid",
    candidate: str | Activation | Squashing = "tanh",
    alphabet: Iterable[str] | None = None,
    name: str = "GRU",
) -> Network:
    """Return the gated recurrent units with these parameters, the cell of PyTorch and ONNX.

    One step computes, with ``*`` entry by entry,

    ==================================================================  ==============================
    ``r(t) = gate(b_r + V_r h(t-1) + W_r x(t))``                         reset gate
    ``z(t) = gate(b_z + V_z h(t-1) + W_z x(t))``                         update gate
    ``n(t) = candidate(b_n + W_n x(t) + r(t) * (b' + V_n h(t-1)))``      candidate, reset after
    ``n(t) = candidate(b_n + V_n (r(t) * h(t-1)) + W_n x(t))``           candidate, reset before
    ``h(t) = (1 - z(t)) * n(t) + z(t) * h(t-1)``                         hidden state
    ==================================================================  ==============================

    A rounding arithmetic sums in the order that stands here; ``1 - z(t)`` is rounded too.

    Parameters
    ----------
    V, W, b : mappings from "r", "z" and "n"
        To a recurrent matrix (n by n), an input matrix (n by d) and a bias (n); `weight_hh`, `weight_ih`
        and `bias` are the same.
    recurrent_bias : vector of length n, optional
        b' of the candidate; zeros if not given.
    h : vector of length n, optional
        The start state; zeros if not given.
    reset : {"after", "before"}
        Whether the reset gate multiplies after the recurrent matrix (PyTorch; ``linear_before_reset=1`` of ONNX) or
        before it (Cho et al.).
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

    Notes
    -----
    With a gate in [0, 1] and a candidate in [-1, 1] the new state lies between the candidate and the last state. A
    state that begins in [-1, 1] therefore stays there: with saturated gates, or in a format, a GRU counts up to a bound
    only, where an LSTM counts on (Weiss, Goldberg and Yahav 2018). It stays there in a format that rounds to nearest,
    too: with p digits ``1 - z`` is wrong by 2^-(p+1) at most, no product is above its gate, and a sum of at most
    1 + 2^-(p+1) is rounded to 1 or less. In another mode of rounding it can leave.

    References
    ----------
    K. Cho, B. van Merrienboer, D. Bahdanau and Y. Bengio, "On the properties of neural machine translation", 2014.
    G. Weiss, Y. Goldberg and E. Yahav, "On the practical computational power of finite precision RNNs", 2018.

    Examples
    --------
    The update gate keeps the last state where it is 1.

    >>> last_letter = GRU(
    ...     V={gate: [[0]] for gate in "rzn"},
    ...     W={"r": [[0, 0, 0]], "z": [[0, 0, 1]], "n": [[1, -1, 0]]},
    ...     b={gate: [0] for gate in "rzn"},
    ...     readout_weight=[1], gate="step", candidate="sign", alphabet="ab_",
    ... )
    >>> from exactnn.simulation import run
    >>> [str(y) for y in run(last_letter, "a__b_").outputs]
    ['1', '1', '1', '-1', '-1']
    """
    layer = GRULayer(V=V, W=W, b=b, recurrent_bias=recurrent_bias, h=h, reset=reset, gate=gate, candidate=candidate)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
