"""LSTM cells: with all gates and peepholes, and those of two numbers that double."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.linear_algebra import Matrix, Vector
from exactnn.matrices import exact_vector
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits, additions, named_as_in_torch, rows
from exactnn.networks.circuit import Unit
from exactnn.networks.gates import gate_matrices, gate_vectors
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing

__all__ = ["LSTM", "DoublingLSTM", "DoublingLSTMLayer", "LSTMLayer"]


@named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class LSTMLayer(RecurrentLayer):
    """A layer of LSTM cells, for :func:`StackedRNN`; :func:`LSTM` has its equations and parameters.

    Raises
    ------
    NetworkError, NumberError
        If a gate is missing or unknown, sizes do not fit, or an entry is not an exact number.
    """

    GATES: ClassVar[tuple[str, ...]] = ("i", "f", "g", "o")

    V: Mapping[str, Any]
    W: Mapping[str, Any]
    b: Mapping[str, Any]
    p: Mapping[str, Any] | None = None
    h: Any = None
    c: Any = None
    gate: str | Activation | Squashing = "sigmoid"
    candidate: str | Activation | Squashing = "tanh"
    output: str | Activation | Squashing = "tanh"

    def __post_init__(self) -> None:
        fill, gates = object.__setattr__, self.GATES
        fill(self, "b", gate_vectors(self.b, "b", gates))
        size = self.hidden_size
        fill(self, "V", gate_matrices(self.V, "V", gates, height=size, width=size))
        fill(self, "W", gate_matrices(self.W, "W", gates, height=size))
        if self.p is not None:
            peepholes = [gate for gate in gates if gate != "g"]
            fill(self, "p", gate_vectors(self.p, "p", peepholes, size=size))
        for start in ("h", "c"):
            given = getattr(self, start)
            fill(self, start, (mpq(0),) * size if given is None else exact_vector(given, start, size=size))
        for squashing in ("gate", "candidate", "output"):
            fill(self, squashing, Squashing.named(getattr(self, squashing)))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.W["i"])

    @property
    def hidden_size(self) -> int:
        """Length of its hidden state."""
        return len(self.b["i"])

    @property
    def start(self) -> Vector:
        """Its start state: `h`, then `c`."""
        return (*self.h, *self.c)

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`LSTM`; :meth:`RecurrentLayer.lower` says more."""
        size = self.hidden_size
        h, c = own[:size], own[size:]
        zero = (mpq(0),) * size
        gate, candidate, output = map(Squashing.named, (self.gate, self.candidate, self.output))

        def net(name: str, cell: Registers) -> tuple[Unit, ...]:
            sums: list[tuple[Registers, Matrix]] = [(h, self.V[name]), (below, self.W[name])]
            if self.p and name in self.p:
                sums.append((cell, _diagonal(self.p[name])))
            return rows(f"{name}{number}", self.b[name], sums=sums)

        early = [name for name in self.GATES if name != "o" or not self.p]  # its peephole reads the new cell state
        gates = step.squashed({name: (net(name, c), candidate if name == "g" else gate) for name in early})
        forget = self.forget(step, gates, number)
        new = step.add(rows(f"c{number}", zero, products=[(forget, c), (gates["i"], gates["g"])]))
        if self.p:
            gates |= step.squashed({"o": (net("o", new), gate)})
        seen = step.applied(f"output(c){number}", new, output)
        hidden = step.add(rows(f"h{number}", zero, products=[(gates["o"], seen)]))
        return (*hidden, *new)

    def forget(self, step: StepUnits, gates: Mapping[str, Registers], number: str) -> Registers:
        """Return the registers of what the cell state is multiplied by."""
        return gates["f"]


def _diagonal(entries: Vector) -> Matrix:
    return tuple(tuple(x if i == j else mpq(0) for j in range(len(entries))) for i, x in enumerate(entries))


@named_as_in_torch
def LSTM(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Mapping[str, Sequence[Sequence[ExactNumber]]],
    W: Mapping[str, Sequence[Sequence[ExactNumber]]],
    b: Mapping[str, Sequence[ExactNumber]],
    p: Mapping[str, Sequence[ExactNumber]] | None = None,
    h: Sequence[ExactNumber] | None = None,
    c: Sequence[ExactNumber] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "sigmoid",
    candidate: str | Activation | Squashing = "tanh",
    output: str | Activation | Squashing = "tanh",
    alphabet: Iterable[str] | None = None,
    name: str = "LSTM",
) -> Network:
    """Return the long short-term memory with these parameters, the cell of PyTorch and ONNX.

    One step computes, with ``*`` entry by entry,

    ====================================================  =====================
    ``i(t) = gate(b_i + V_i h(t-1) + W_i x(t))``           input gate
    ``f(t) = gate(b_f + V_f h(t-1) + W_f x(t))``           forget gate
    ``g(t) = candidate(b_g + V_g h(t-1) + W_g x(t))``      candidate
    ``o(t) = gate(b_o + V_o h(t-1) + W_o x(t))``           output gate
    ``c(t) = f(t) * c(t-1) + i(t) * g(t)``                 cell state
    ``h(t) = o(t) * output(c(t))``                         hidden state
    ====================================================  =====================

    A rounding arithmetic sums in the order that stands here. Peepholes add ``p_i * c(t-1)``, ``p_f * c(t-1)`` and
    ``p_o * c(t)`` to the sums of the gates, at the end.

    Parameters
    ----------
    V, W, b : mappings from "i", "f", "g" and "o"
        To a recurrent matrix (n by n), an input matrix (n by d) and a bias (n); `weight_hh`, `weight_ih`
        and `bias` are the same.
    p : mapping from "i", "f" and "o" to vectors of length n, optional
    h, c : vectors of length n, optional
        Hidden state and cell state at the start; zeros if not given. The network's state is h, then c.
    readout_weight : vector of length n, or matrix (k by n)
        The output ``w . h + bias``: a number for a vector, a tuple for a matrix.
    readout_bias : number or vector of length k
    gate, candidate, output : str, Activation or Squashing
        "sigmoid", "tanh", "slu", "hard_sigmoid", "hard_tanh", "step", "sign", "limit_sigmoid", "relu" or another name
        of docs/cells.md;
        saturated gates are ``gate="step", candidate="sign"`` (:class:`Squashing` says where they are the limit).
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors. With "EOS" among them the network is run with intermediate steps;
        else a word is accepted if the output after it is above 0. Without it the network reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If a gate is missing or unknown, sizes do not fit, or an entry is not an exact number.

    References
    ----------
    S. Hochreiter and J. Schmidhuber, "Long short-term memory", *Neural Computation* 9, 1997; with forget gates:
    F. A. Gers, J. Schmidhuber and F. Cummins, "Learning to forget", *Neural Computation* 12, 2000; with peepholes:
    F. A. Gers and J. Schmidhuber, "Recurrent nets that time and count", 2000.

    Examples
    --------
    A counter: every gate is open, and the candidate is 1 for an a and -1 for a b.

    >>> count = LSTM(
    ...     V={gate: [[0]] for gate in "ifgo"},
    ...     W={"i": [[0, 0]], "f": [[0, 0]], "g": [[1, -1]], "o": [[0, 0]]},
    ...     b={"i": [1], "f": [1], "g": [0], "o": [1]},
    ...     readout_weight=[1], gate="step", candidate="sign", output="identity", alphabet="ab",
    ... )
    >>> count.circuit.state_names
    ('h[0]', 'c[0]')
    >>> from exactnn.simulation import run
    >>> [str(y) for y in run(count, "aaab").outputs]
    ['1', '2', '3', '2']
    """
    layer = LSTMLayer(V=V, W=W, b=b, p=p, h=h, c=c, gate=gate, candidate=candidate, output=output)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)


# --- The doubling LSTM: two forget gates, whose sum multiplies the cell state.


@named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class DoublingLSTMLayer(LSTMLayer):
    """A layer of doubling LSTM cells, for :func:`StackedRNN`; :func:`DoublingLSTM` has its equations and parameters."""

    GATES: ClassVar[tuple[str, ...]] = ("i", "f1", "f2", "g", "o")

    def forget(self, step: StepUnits, gates: Mapping[str, Registers], number: str) -> Registers:
        """Add the sum of the two forget gates and return its registers."""
        return step.add(additions(f"f{number}", gates["f1"], gates["f2"]))


@named_as_in_torch
def DoublingLSTM(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Mapping[str, Sequence[Sequence[ExactNumber]]],
    W: Mapping[str, Sequence[Sequence[ExactNumber]]],
    b: Mapping[str, Sequence[ExactNumber]],
    h: Sequence[ExactNumber] | None = None,
    c: Sequence[ExactNumber] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "sigmoid",
    candidate: str | Activation | Squashing = "tanh",
    output: str | Activation | Squashing = "tanh",
    alphabet: Iterable[str] | None = None,
    name: str = "doubling LSTM",
) -> Network:
    """Return an LSTM with two forget gates, ``c(t) = (f1(t) + f2(t)) * c(t-1) + i(t) * g(t)``.

    All else is as in :func:`~exactnn.networks.lstm.LSTM`. With saturated gates f1 + f2 is 0, 1 or 2: the cell state is
    reset, kept or doubled, as a binary stack needs it.

    Parameters
    ----------
    V, W, b : mappings from "i", "f1", "f2", "g" and "o"
        To a recurrent matrix (n by n), an input matrix (n by d) and a bias (n); `weight_hh`, `weight_ih`
        and `bias` are the same.
    h, c, readout_weight, readout_bias, gate, candidate, output, alphabet
        As in :func:`~exactnn.networks.lstm.LSTM`.

    Raises
    ------
    NetworkError, NumberError
        If a gate is missing or unknown, sizes do not fit, or an entry is not an exact number.

    Notes
    -----
    The lecture that makes this cell up prints the same weights for both forget gates. Saturated gates then agree, so
    that f1 + f2 is 0 or 2 and nothing can be kept. Here each has its own weights; for the cell as printed give both the
    same ones.

    Examples
    --------
    The value of a binary numeral: every digit doubles, and 1 adds one.

    >>> gates = ("i", "f1", "f2", "g", "o")
    >>> value = DoublingLSTM(
    ...     V={gate: [[0]] for gate in gates},
    ...     W={gate: [[0, 1]] if gate == "g" else [[0, 0]] for gate in gates},
    ...     b={gate: [0] if gate == "g" else [1] for gate in gates},
    ...     readout_weight=[1], gate="step", candidate="sign", output="identity", alphabet="01",
    ... )
    >>> from exactnn.simulation import run
    >>> [str(y) for y in run(value, "1011").outputs]
    ['1', '2', '5', '11']
    """
    layer = DoublingLSTMLayer(V=V, W=W, b=b, h=h, c=c, gate=gate, candidate=candidate, output=output)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
