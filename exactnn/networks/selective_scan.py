"""The selective scan of Mamba: a diagonal state-space model for each channel, with steps that the input selects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_matrix, exact_vector
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits
from exactnn.networks.circuit import Unit, affine_unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.linear_attention import read_by, tables_of
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing

__all__ = ["SelectiveScan", "SelectiveScanLayer"]

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectiveScanLayer(RecurrentLayer):
    """A layer of the selective scan, for :func:`StackedRNN`; :func:`SelectiveScan` has its equations.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, an entry is not an exact number, or a squashing is unknown.
    """

    A: Any
    W: Any
    b: Any = None
    B: Any
    C: Any
    D: Any = None
    s: Any = None
    gate: str | Activation | Squashing = "softplus"
    decay: str | Activation | Squashing = "exp"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "A", exact_matrix(self.A, "A"))
        channels, width = len(self.A), input_width(self.A)
        if not width:
            raise NetworkError("A is empty: give a matrix of at least one row, for a channel, and one column")
        fill(self, "W", exact_matrix(self.W, "W", height=channels, width=channels))
        fill(self, "b", (ZERO,) * channels if self.b is None else exact_vector(self.b, "b", size=channels))
        for letter in "BC":
            fill(self, letter, exact_matrix(getattr(self, letter), letter, height=width, width=channels))
        if self.D is not None:
            fill(self, "D", exact_vector(self.D, "D", size=channels))
        zeros = ((ZERO,) * width,) * channels
        fill(self, "s", zeros if self.s is None else exact_matrix(self.s, "s", height=channels, width=width))
        for function in ("gate", "decay"):
            fill(self, function, Squashing.named(getattr(self, function)).as_activation)

    @property
    def input_size(self) -> int:
        """How many numbers it reads: one for each channel."""
        return len(self.A)

    @property
    def hidden_size(self) -> int:
        """Length of y, which is read: a number for each channel."""
        return len(self.A)

    @property
    def start(self) -> Vector:
        """Its start state: zeros for y, then h channel by channel."""
        return (*(ZERO for _ in self.s), *(entry for row in self.s for entry in row))

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of :func:`SelectiveScan`; :meth:`RecurrentLayer.lower` says more."""
        channels, width = len(self.A), input_width(self.A)
        old = own[channels:]
        tables = tables_of(step, below, {letter: getattr(self, letter) for letter in "WBC"}, number)
        sums = [
            Unit(name=f"delta{number}[{i}]", bias=self.b[i], linear=((register, ONE),))
            for i, register in enumerate(tables["W"])
        ]
        delta = step.squashed({"delta": (sums, Squashing.named(self.gate))})["delta"]
        exponents = [
            affine_unit(f"a{number}[{i},{j}]", {delta[i]: weight}, ZERO, Activation.IDENTITY)
            for i, row in enumerate(self.A)
            for j, weight in enumerate(row)
        ]
        products = [
            Unit(name=f"dx{number}[{i}]", bias=ZERO, bilinear=((delta[i], x, ONE),)) for i, x in enumerate(below)
        ]
        found = step.squashed(
            {"a": (exponents, Squashing.named(self.decay)), "dx": (products, Squashing.named("identity"))}
        )
        state = step.add(
            [
                Unit(
                    name=f"h{number}[{i},{j}]",
                    bias=ZERO,
                    bilinear=(
                        (found["a"][i * width + j], old[i * width + j], ONE),
                        (found["dx"][i], tables["B"][j], ONE),
                    ),
                )
                for i in range(channels)
                for j in range(width)
            ]
        )
        read = read_by(step, state, tables["C"], width, f"{'y' if self.D is None else 'Ch'}{number}")
        if self.D is not None:
            read = step.add(
                [
                    Unit(
                        name=f"y{number}[{i}]",
                        bias=ZERO,
                        linear=((read[i], ONE), *([(below[i], weight)] if weight else [])),
                    )
                    for i, weight in enumerate(self.D)
                ]
            )
        return (*read, *state)


def SelectiveScan(  # noqa: N802  (a constructor by its field's name)
    *,
    A: Sequence[Sequence[ExactNumber]],
    W: Sequence[Sequence[ExactNumber]],
    b: Sequence[ExactNumber] | None = None,
    B: Sequence[Sequence[ExactNumber]],
    C: Sequence[Sequence[ExactNumber]],
    D: Sequence[ExactNumber] | None = None,
    s: Sequence[Sequence[ExactNumber]] | None = None,
    gate: str | Activation | Squashing = "softplus",
    decay: str | Activation | Squashing = "exp",
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    alphabet: Iterable[str] | None = None,
    name: str = "selective scan",
) -> Network:
    """Return the selective state-space model of Mamba (S6), for d channels with n numbers of state each.

    The input x has a number for each channel. ``delta = softplus(W x + b)`` is the length of a step in each channel;
    ``B x`` and ``C x`` are vectors of n numbers, the same for all channels. With them

    ``h_ij(t) = exp(delta_i A_ij) h_ij(t-1) + (delta_i x_i) (B x)_j`` and ``y_i(t) = sum_j h_ij(t) (C x)_j + D_i x_i``.

    The layer above and the readout read y. Where the entries of A are negative, as they are in Mamba, h decays. Without
    D there is no last term.

    Products and sums are rounded in the order of the equations, b and ``D_i x_i`` being added last. That is the order
    of ``selective_scan_ref``, the authors' reference, but for ``delta_i x_i B_j``, which libraries may multiply in
    another one. Their code for graphics processors adds ``D_i x_i`` first, and computes exp by powers of two.

    Parameters
    ----------
    A : matrix (d by n)
    W : matrix (d by d)
        If it is a product of two matrices of low rank, as in Mamba, give that product.
    b : vector of length d, optional
        0 unless given.
    B, C : matrices (n by d)
    D : vector of length d, optional
    s : matrix (d by n), optional
        The start state of h, 0 unless given.
    gate, decay : str, Activation or Squashing
        What makes delta of its sums, and decays of ``delta_i A_ij``: "softplus" and "exp" unless given, or others of
        docs/cells.md.
    readout_weight : vector of length d, or matrix (k by d)
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors; a word is accepted if the output after it is above 0. Without it the network
        reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, an entry is not an exact number, or a squashing is unknown.

    Notes
    -----
    softplus and exp of rationals are irrational, so that exact arithmetic refuses it with these: run it in a format, or
    in `exactnn.CERTIFIED`. With piecewise linear functions for both, exact arithmetic runs it.

    In continuous time ``h' = A h + B x``. Over a step of length delta the paper's equation (4) multiplies x by
    ``(exp(delta A) - 1) / A`` times B; its code by ``delta B``, the first term of the series (Euler), and so does this.

    References
    ----------
    A. Gu and T. Dao, "Mamba: linear-time sequence modeling with selective state spaces", 2023, arXiv:2312.00752,
    Algorithm 2; its code, ``selective_scan_ref`` of ``state-spaces/mamba``.

    Examples
    --------
    >>> from exactnn import CERTIFIED, FLOAT32, run
    >>> net = SelectiveScan(A=[[-1, -2]], W=[[1]], B=[[1], [1]], C=[[1], [-1]], D=[1], readout_weight=[1])
    >>> run(net, [1, 2, 1], FLOAT32).outputs[-1]
    2.7134695053100586
    >>> print(run(net, [1, 2, 1], CERTIFIED).outputs[-1])
    [2.71346933789902484837, 2.71346933789902485055]

    Steps of length 1 that halve the state, in exact arithmetic:

    >>> halves = Squashing.piecewise_linear([(-1, "1/2"), (0, 1)], name="halves")
    >>> exact = SelectiveScan(A=[[-1]], W=[[1]], B=[[1]], C=[[1]], gate="step", decay=halves, readout_weight=[1])
    >>> [str(y) for y in run(exact, [1, 1, 1]).outputs]
    ['1', '3/2', '7/4']
    """
    layer = SelectiveScanLayer(A=A, W=W, b=b, B=B, C=C, D=D, s=s, gate=gate, decay=decay)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
