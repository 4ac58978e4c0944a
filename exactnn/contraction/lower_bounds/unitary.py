"""Why a unitary twin needs twice the states: the argument of Theorem 2, run on a given network.

What is proven is on :func:`refute_unitary_candidate`; :mod:`exactnn.contraction.smt_lower_bound` is a cross-check of it
by a solver that knows nothing of the argument.

References
----------
M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, "Input-output equivalence of unitary and contractive RNNs",
NeurIPS 2019, Theorem 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from itertools import product as tuples

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, ExactNumber, counted, short_text
from exactnn.contraction.contractivity import Elman, elman
from exactnn.contraction.lower_bounds.activation_cell import ActivationCell, activation_cell
from exactnn.contraction.lower_bounds.relu_witness import relu_witness
from exactnn.contraction.reachable_ball import input_bounds_of
from exactnn.errors import CertificateError, ConstructionError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, product, rank
from exactnn.markup import named
from exactnn.networks import Activation, AnyNetwork, Network, network_of
from exactnn.options import whole_number
from exactnn.simulation import whole_run

__all__ = ["CandidateComparison", "CellArgument", "refute_unitary_candidate"]

ZERO, ONE = mpq(0), mpq(1)

Word = tuple[Vector, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellArgument:
    """What the argument says of one cell: the identities that equal outputs need, and the dimensions they lead to.

    Parameters
    ----------
    cell : ActivationCell
    failing : tuple of str
        The identities between the matrices that are not true. None: the outputs are equal throughout the cell.
    driven : int
        The rank of D₁F: the directions in which the first input moves the state.
    moved : int
        The rank of U D₁F: those that are left after the recurrent matrix.
    read : int
        The rank of C D₂.
    kernel : int
        The dimension m - `read` of the kernel of C D₂: the directions that the second output does not see.
    """

    cell: ActivationCell
    failing: tuple[str, ...]
    driven: int
    moved: int
    read: int
    kernel: int

    def __str__(self) -> str:
        dimensions = f"rank(D1 F) = {self.driven}, rank(U D1 F) = {self.moved}, dim ker(C D2) = {self.kernel}"
        return f"{dimensions}; {'not true: ' + ', '.join(self.failing) if self.failing else 'all identities hold'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateComparison:
    """A network compared with the memoryless ReLU network of as many inputs.

    Parameters
    ----------
    candidate : Network
    inputs : int
        n: the witness has so many states, inputs and outputs.
    nullity : int
        The dimension of the kernel of the candidate's recurrent matrix; 0 if it is orthogonal, or has an inverse.
    cells : tuple of CellArgument
        Those that were looked at. The first is that of positive inputs, which the lower bound is about.
    word : tuple of one or two inputs, or None
        A word after which the outputs differ, within the input bounds. None: they are the same in all these cells.
    expected, found : vector of length n, or None
        The last outputs of the witness and of the candidate on that word.
    """

    candidate: Network
    inputs: int
    nullity: int
    cells: tuple[CellArgument, ...]
    word: Word | None
    expected: Vector | None
    found: Vector | None

    @property
    def refuted(self) -> bool:
        """Whether the candidate is no twin of the witness: a word says so."""
        return self.word is not None

    @property
    def too_small(self) -> bool:
        """Whether m + nullity < 2n: then the theorem says that the candidate is no twin, and there is a word."""
        return self.candidate.neurons + self.nullity < 2 * self.inputs

    def check(self) -> None:
        """Run both networks on the word again, in plain rationals.

        Raises
        ------
        CertificateError
            If the outputs are not those, or do not differ, or the theorem asks for a word and there is none.
        """
        if self.word is None:
            if self.too_small:
                raise CertificateError("a candidate with fewer states than the theorem asks for has no word against it")
            return
        outputs = [_last_output(network, self.word) for network in (relu_witness(self.inputs), self.candidate)]
        if outputs != [self.expected, self.found] or self.expected == self.found:
            raise CertificateError(f"the outputs on the word {shown(self.word)} are others than this comparison says")

    def __str__(self) -> str:
        states = f"{self.candidate.name} ({counted(self.candidate.neurons, 'state')})"
        if self.word is None:
            return f"no difference between {states} and the witness in {counted(len(self.cells), 'cell')} of inputs"
        assert self.expected is not None
        assert self.found is not None
        word = ", ".join(map(_text, self.word))
        return f"{states} is no twin: on {word} its output is {_text(self.found)}, not {_text(self.expected)}"

    def __repr__(self) -> str:
        found = "refuted" if self.refuted else "not refuted"
        return f"<CandidateComparison of {named(self.candidate.name)} with {counted(self.inputs, 'input')}: {found}>"


def refute_unitary_candidate(
    candidate: AnyNetwork,
    *,
    input_bound: ExactNumber | Sequence[ExactNumber] | None = None,
    max_cells: int = 16,
) -> CandidateComparison:
    """Look for a word on which a network and the memoryless ReLU network differ; a unitary one with m < 2n has one.

    Parameters
    ----------
    candidate : Network or Construction
        A simple RNN with ReLU, ``h' = ReLU(U h + F x + b)``, ``y = C h + c``, with m states and n inputs and outputs.
    input_bound : number, or one for each input component, optional
        The largest absolute value of an input component, above 0. The candidate's own bounds unless it is given, or 1.
    max_cells : int
        How many of the 4ⁿ choices of signs of two inputs are looked at. The first is that of positive inputs. The
        others matter for larger candidates only.

    Returns
    -------
    CandidateComparison
        With a word of one or two inputs, on which both networks were run; or without one, if the outputs are the same
        in all cells that were looked at. That is no proof that they are the same on all words.

    Raises
    ------
    ConstructionError
        If the candidate is no simple RNN with ReLU, reads symbols, has not as many outputs as inputs, or outputs that
        are not affine in its state.
    OptionError
        If an input bound is not positive, or beyond that of the candidate, or `max_cells` is not.

    Notes
    -----
    **Theorem.** If such a network has the outputs ReLU(x₁), ReLU(x₂) on all words of two inputs with components between
    0 and some positive bounds, then ``m + dim ker U ≥ 2n``. So m ≥ 2n if U is orthogonal, or only has an inverse.

    *Proof.* Let h be its start state. The first input x₁ drives the units by ``p₁ = F x₁ + (U h + b)``, each component
    an affine function of x₁. It is zero on a hyperplane, nowhere, or everywhere; a unit of the last kind stays at 0,
    and may be called off. Away from finitely many hyperplanes no unit changes between on and off nearby, so there is an
    open set of positive x₁ with one pattern D₁, a diagonal of ones and zeros, and the state after it is D₁ p₁. There
    ``p₂ = U D₁ p₁ + F x₂ + b`` is affine in (x₁, x₂), and in the same way there is an open set of positive (x₁, x₂),
    a *cell*, with one pattern D₂ too. Throughout this cell

        y₁ = C D₁ F x₁ + C D₁ (U h + b) + c = x₁,
        y₂ = C D₂ U D₁ F x₁ + C D₂ F x₂ + C D₂ (U D₁ (U h + b) + b) + c = x₂.

    Affine functions that are equal on an open set have equal coefficients, whatever the constants are:

        C D₁ F = I,   C D₂ U D₁ F = 0,   C D₂ F = I.

    By the first, D₁F has rank n. U takes its range to a space of dimension at least n - dim ker U. By the second, that
    space lies in the kernel of C D₂. By the third, C D₂ has rank n, so that its kernel has dimension m - n. Hence
    n - dim ker U ≤ m - n. ∎

    The function follows this proof: :func:`activation_cell` finds a cell, in rationals. If the outputs are not those of
    the witness throughout it, then they differ at one of 2n + 1 points of the cell that are affinely independent, and
    both networks are run on it. If m + dim ker U < 2n, the proof says that one of the identities fails, in *every* cell
    of positive inputs: so there is a word in the first. ``cells[0]`` has the identities that fail, and the dimensions.

    In a cell with other signs, ``E₁ x₁`` and ``E₂ x₂`` take the place of the positive inputs, with a zero for each
    negative one.

    Where the twin has a diagonal form D (``NᵀDN = D`` in its certificate) N has an inverse too, and the theorem holds.

    References
    ----------
    M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, NeurIPS 2019, Theorem 2.

    Examples
    --------
    >>> from exactnn.contraction.unitary import unitary
    >>> from exactnn.networks import SimpleRNN
    >>> turn = SimpleRNN(V=[["3/5", "4/5"], ["-4/5", "3/5"]], W=[[1, 0], [0, 1]], b=[0, 0], s=[0, 0],
    ...                  readout_weight=[[1, 0], [0, 1]], name="rotation")
    >>> found = refute_unitary_candidate(turn)
    >>> print(found)
    rotation (2 states) is no twin: on (1/2, 1/4), (1/8, 1/16) its output is (5/8, 0), not (1/8, 1/16)
    >>> print(found.cells[0])
    rank(D1 F) = 2, rank(U D1 F) = 2, dim ker(C D2) = 1; not true: C D2 U D1 F = 0, C D2 F = I
    >>> twin = refute_unitary_candidate(unitary(relu_witness(2), input_bound=3))
    >>> print(twin)
    no difference between unitary twin of ReLU of 2 inputs (4 states) and the witness in 16 cells of inputs
    >>> print(twin.cells[0])
    rank(D1 F) = 2, rank(U D1 F) = 2, dim ker(C D2) = 2; all identities hold
    """
    network = network_of(candidate)
    matrices, (C, c) = elman(network), _readout(network)
    bounds = _bounds(network, input_bound)
    if matrices.activation != Activation.RELU:
        raise ConstructionError(
            f"network {shown(network.name)} has the activation {matrices.activation}: the argument is for ReLU"
        )
    max_cells = whole_number("max_cells", max_cells, 1)
    n = len(bounds)
    cells: list[CellArgument] = []
    word: Word | None = None
    for signs in islice(tuples((1, -1), repeat=2 * n), min(max_cells, sys.maxsize)):
        cell = activation_cell(matrices, bounds, signs)
        first = _difference(C, c, cell.first_state, _wanted(signs, 0, n))
        second = _difference(C, c, cell.second_state, _wanted(signs, 1, n))
        cells.append(_argument(matrices, C, cell, first, second))
        if cells[-1].failing:
            word = next(w for w in cell.words() if _seen(first, w) or _seen(second, w))
            word = word[:1] if _seen(first, word) else word
            break
    found = CandidateComparison(
        candidate=network,
        inputs=n,
        nullity=matrices.size - rank(matrices.V),
        cells=tuple(cells),
        word=word,
        expected=None if word is None else _last_output(relu_witness(n), word),
        found=None if word is None else _last_output(network, word),
    )
    found.check()
    return found


def _bounds(network: Network, input_bound: ExactNumber | Sequence[ExactNumber] | None) -> Vector:
    if network.alphabet is not None:
        raise ConstructionError(f"network {shown(network.name)} reads symbols: the argument is for input vectors")
    given = ONE if input_bound is None and network.input_bounds is None else input_bound
    bounds = input_bounds_of(network, given)
    assert bounds is not None
    if not all(bounds):
        raise OptionError("input_bound is 0: there is an open set of inputs only if it is positive")
    if len(bounds) != len(network.readout) or not bounds:
        raise ConstructionError(
            f"network {shown(network.name)} has {len(bounds)} inputs and {len(network.readout)} outputs: the witness "
            "has as many outputs as inputs"
        )
    return bounds


def _readout(network: Network) -> tuple[Matrix, Vector]:
    """Return C and c of the outputs ``C h + c``."""
    rows = []
    for unit in network.readout:
        if unit.bilinear or unit.activation != Activation.IDENTITY:
            raise ConstructionError(f"network {shown(network.name)} has an output that is not affine in its state")
        row = [ZERO] * network.neurons
        for register, weight in unit.linear:
            row[register] += weight
        rows.append(tuple(row))
    return tuple(rows), tuple(unit.bias for unit in network.readout)


def _wanted(signs: Sequence[int], step: int, n: int) -> Matrix:
    """Return the witness's output after one of the two inputs, as affine functions of both."""
    return tuple(
        tuple(ONE if j == i and signs[i] > 0 else ZERO for j in range(2 * n + 1))
        for i in range(step * n, (step + 1) * n)
    )


def _difference(C: Matrix, c: Vector, state: Matrix, wanted: Matrix) -> Matrix:
    """Return the candidate's output less the wanted one, as affine functions of the two inputs."""
    return tuple(
        (*(x - y for x, y in zip(row[:-1], target[:-1], strict=True)), row[-1] + constant)
        for row, target, constant in zip(product(C, state), wanted, c, strict=True)
    )


def _seen(difference: Matrix, word: Word) -> bool:
    """Whether two outputs differ on a word of two inputs."""
    point = (*word[0], *word[1], ONE)
    return any(sum((x * y for x, y in zip(row, point, strict=True)), ZERO) for row in difference)


def _argument(network: Elman, C: Matrix, cell: ActivationCell, first: Matrix, second: Matrix) -> CellArgument:
    n, signs = len(C), [entry > 0 for entry in cell.point]
    one, two = (("I" if all(half) else f"E{i}") for i, half in ((1, signs[:n]), (2, signs[n:])))
    identities = (
        (f"C D1 F = {one}", [row[:n] for row in first]),
        ("C D1 (U h + b) + c = 0", [row[-1:] for row in first]),
        ("C D2 U D1 F = 0", [row[:n] for row in second]),
        (f"C D2 F = {two}", [row[n:-1] for row in second]),
        ("C D2 (U D1 (U h + b) + b) + c = 0", [row[-1:] for row in second]),
    )
    driven = tuple(row if on else (ZERO,) * n for row, on in zip(network.W, cell.first_active, strict=True))
    read = rank([[x if on else ZERO for x, on in zip(row, cell.second_active, strict=True)] for row in C])
    return CellArgument(
        cell=cell,
        failing=tuple(name for name, rest in identities if any(map(any, rest))),
        driven=rank(driven),
        moved=rank(product(network.V, driven)),
        read=read,
        kernel=network.size - read,
    )


def _last_output(network: Network, word: Word) -> Vector:
    output = whole_run(network, word, arithmetic=RATIONAL).outputs[-1]
    return output if isinstance(output, tuple) else (output,)  # type: ignore[return-value]


def _text(vector: Vector) -> str:
    return f"({', '.join(map(short_text, vector))})"
