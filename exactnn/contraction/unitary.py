"""From a contractive ReLU network to a unitary one with the same input-output map, over the rationals.

References
----------
M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, "Input-output equivalence of unitary and contractive RNNs",
NeurIPS 2019, arXiv:1910.13672.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, counted, exact, short_text
from exactnn.contraction.contractivity import Contractivity, Elman, contractivity, elman
from exactnn.contraction.orthogonality import OrthogonalityCertificate
from exactnn.contraction.reachable_ball import ball_of, input_bounds_of
from exactnn.errors import ConstructionError, NumberError, OptionError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.linear_algebra import (
    Matrix,
    Vector,
    completed_isometry,
    defect,
    dot,
    rational_square_root,
    rounded_up,
    square_root_above,
    sum_of_squares,
    transposed,
)
from exactnn.markup import Table, Tabular, named
from exactnn.networks import Activation, AnyNetwork, Circuit, Network, affine_unit, network_of
from exactnn.options import choice, time_watch
from exactnn.simulation import Values

__all__ = ["FORMS", "UnitaryTwin", "unitary"]

ONE, ZERO = mpq(1), mpq(0)

MOST_BOUNDS = 100
"""Bounds of input components that the claim names."""

CITATION = (
    "M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, Input-output equivalence of unitary and contractive "
    "RNNs, NeurIPS 2019 (Theorem 1)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitaryTwin(Tabular):
    """A unitary network with the input-output map of a contractive one, and the proof.

    Parameters
    ----------
    original : Network
    network : Network
        The twin, with rational weights; its first n units are those of the original, the others stay 0. Inputs beyond
        its input bounds end a run with the outcome "out of domain".
    form : str
        Which of :data:`FORMS` it is.
    certificate : OrthogonalityCertificate
        ``certificate.check(original, network)`` checks it again.
    claim : str
    citation : str
    """

    original: Network
    network: Network
    form: str
    certificate: OrthogonalityCertificate
    claim: str
    citation: str = field(default=CITATION, repr=False)

    @property
    def weight_field(self) -> str:
        """The smallest field with the entries of the orthogonal matrix U; the network itself has rational weights."""
        radicands = self.certificate.radicands
        return f"Q({', '.join(f'√({short_text(entry)})' for entry in radicands)})" if radicands else "Q"

    def encode(self, state: Sequence[ExactNumber]) -> Values:
        """Return the state of the twin that stands for a state (n numbers) of the original.

        Raises
        ------
        ConstructionError
            If it has another size.
        """
        _require_size(state, self.original.neurons, self.original.name)
        return (*map(exact, state), *[ZERO] * (self.network.neurons - self.original.neurons))

    def decode(self, state: Values, *, cells: int | None = None) -> Values:
        """Return the state of the original that a state of the twin stands for; `cells` is not used."""
        _require_size(state, self.network.neurons, self.network.name)
        return state[: self.original.neurons]

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Return how many steps of the original so many steps of the twin stand for: as many."""
        return steps

    def __repr__(self) -> str:
        return f"<{self.form} unitary twin of {named(self.original.name)}: {counted(self.network.neurons, 'neuron')}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        original, twin = self.original, self.network
        fields = {
            "original": f"{original.name}: {counted(original.neurons, 'neuron')}",
            "twin": f"{counted(twin.neurons, 'neuron')}, {counted(twin.circuit.weights, 'weight')}",
            "orthogonal matrix over": self.weight_field,
            "claim": self.claim,
            "source": self.citation,
        }
        return Table.of_fields(f"unitary twin, form {self.form}", fields)


def unitary(
    network: AnyNetwork,
    *,
    input_bound: ExactNumber | Sequence[ExactNumber] | None = None,
    form: str = "2n",
    room: ExactNumber = 2,
    max_seconds: float | None = None,
) -> UnitaryTwin:
    """Return a unitary network with the outputs of a contractive ReLU network on every bounded input.

    ``h' = ReLU(V h + W x + b)`` with ‖V‖₂ < 1 and n states gets further units, which complete V to an orthogonal
    matrix. Their biases are so far below 0 that they stay 0 for ever, as long as the inputs are bounded.

    Parameters
    ----------
    network : Network or Construction
        A simple RNN.
    input_bound : number, or one for each input component
        The largest absolute value of an input component. Networks that read symbols need none: their inputs are
        one-hot.
    form : "2n", "5n" or "2n+3"
        The most states that the twin has. "2n", Theorem 1: n further units, one for each pivot dᵢ of
        ``I - VᵀV = LDLᵀ``, and an orthogonal matrix U over Q(√d₁, ..., √dₙ). The network has the rational matrix
        N = √D⁻¹ U √D instead, which is the same network with its further units scaled. "5n": U itself is rational, with
        a unit for each of the at most four squares that dᵢ is a sum of. "2n+3": U is rational, with n + 3 units, since
        I - VᵀV is a sum of n + 3 squares of linear forms; this takes python-flint, and was found for all n ≤ 14
        that were tried, unless numbers of 60 digits had to be factored.
    room : number of at least 1
        How many times as low as exact runs need it the biases of the further units are. With 1 they are as high as can
        be, and rounding may release a unit (:func:`exactnn.contraction.hold` says where it cannot).
    max_seconds : float, optional
        Time for all of it. None for no limit.

    Raises
    ------
    ConstructionError
        If the network is no simple RNN with ReLU, or is not contractive: the message has the pivot that says so.
    OptionError
        If the input bound is missing or no bound, there is no such form, or `room` is no number of at least 1.
    MissingExtraError
        If python-flint is needed, and not installed.
    TimeLimitError
        If it takes longer than `max_seconds`.
    SizeLimitError
        If numbers become so long that squares are not looked for in them (above 8,192 bits), or that there is no
        memory for them.

    Notes
    -----
    The columns of V, continued by those of a matrix X with ``XᵀX = I - VᵀV`` (in the form D), are orthogonal to each
    other; reflections along rational vectors complete them, so that nowhere a square root is taken. In the "2n" form
    that the same D serves rows and columns is Witt's theorem: I - VᵀV and I - VVᵀ are congruent over Q.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.simulation import run
    >>> leaky = SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> twin = unitary(leaky, input_bound=3)
    >>> elman(twin.network).V
    ((mpq(3,5), mpq(4,5)), (mpq(4,5), mpq(-3,5)))
    >>> run(twin, [3, 0, 0]).outputs[:] == run(leaky, [3, 0, 0]).outputs[:]
    True
    >>> run(twin, [3, 4, 0])
    <Run of unitary twin of simple RNN in exact: out of domain at step 2>
    """
    original = network_of(network)
    choice("form", form, FORMS)
    if not _is_room(room):
        raise OptionError(f"room={shown(room)}: give a number of at least 1")
    watch = time_watch(max_seconds, "making the unitary twin")
    matrices = elman(original)
    if matrices.activation != Activation.RELU:
        raise ConstructionError(
            f"network {shown(original.name)} has the activation {matrices.activation}: a unitary twin is made of ReLU "
            "networks, whose further units can be held at 0"
        )
    bounds = input_bounds_of(original, input_bound)
    verdict = contractivity(original, watch=watch)
    if not verdict.contractive:
        raise ConstructionError(f"network {shown(original.name)} is {verdict}: it has no unitary twin by this theorem")
    further, lengths = FORMS[form](verdict, watch)  # refuses numbers that are too long before anything takes long
    ball = ball_of(original, bounds, verdict, watch)
    metric = (*[ONE] * matrices.size, *lengths)
    columns = [(*column, *more) for column, more in zip(transposed(matrices.V), transposed(further), strict=True)]
    certificate = OrthogonalityCertificate(form=metric, ball=ball, input_bounds=bounds)
    whole = completed_isometry(columns, metric, watch=watch)
    held = [rounded_up(exact(room) * square_root_above(dot(row, row)) * ball.radius) for row in further]
    twin = _twin(original, matrices, whole, held, bounds)
    certificate.check(original, twin, watch=watch)
    return UnitaryTwin(
        original=original, network=twin, form=form, certificate=certificate, claim=_claim(original, twin, certificate)
    )


def _is_room(room: ExactNumber) -> bool:
    try:
        return bool(exact(room) >= 1)
    except NumberError:
        return False


def _twin(original: Network, matrices: Elman, whole: Matrix, held: Sequence[mpq], bounds: Vector | None) -> Network:
    """Return the network with the completed matrix, and biases that hold the further units at 0."""
    n, m, d = matrices.size, len(whole), original.circuit.input_size
    names = original.circuit.state_names
    units = tuple(
        affine_unit(
            names[i] if i < n else f"held[{i - n}]",
            [*enumerate(whole[i]), *(zip(range(m, m + d), matrices.W[i], strict=True) if i < n else ())],
            matrices.b[i] if i < n else -held[i - n],
            Activation.RELU,
        )
        for i in range(m)
    )
    return Network(
        circuit=Circuit(state_size=m, input_size=d, layers=(units,), next_state=tuple(range(m + d, 2 * m + d))),
        initial_state=(*matrices.s, *[ZERO] * (m - n)),
        readout=original.readout,
        alphabet=original.alphabet,
        decision=original.decision,
        scalar_output=original.scalar_output,
        name=f"unitary twin of {original.name}",
        input_bounds=bounds,
    )


Further = tuple[Matrix, Vector]
"""A matrix X (k by n), and the k lengths of its rows' units: ``XᵀDX = I - VᵀV``."""


def _by_pivots(verdict: Contractivity, watch: Callable[[], object]) -> Further:
    """Return a unit for each pivot: its length is the pivot, or 1 if that is a square."""
    rows, lengths = [], []
    for row, pivot in zip(transposed(verdict.factors.lower), verdict.pivots, strict=True):
        root = rational_square_root(pivot)
        rows.append(row if root is None else tuple(root * entry for entry in row))
        lengths.append(pivot if root is None else ONE)
    return tuple(rows), tuple(lengths)


def _by_four_squares(verdict: Contractivity, watch: Callable[[], object]) -> Further:
    """Return a unit for each of the squares that the pivots are sums of."""
    rows = [
        tuple(root * entry for entry in row)
        for row, pivot in zip(transposed(verdict.factors.lower), verdict.pivots, strict=True)
        for root in sum_of_squares(pivot, watch=watch)
    ]
    return tuple(rows), (ONE,) * len(rows)


def _by_squares_of_forms(verdict: Contractivity, watch: Callable[[], object]) -> Further:
    """Return n + 3 units, for the squares of linear forms that I - VᵀV is a sum of."""
    with Uninterrupted("loading python-flint"):
        from exactnn.linear_algebra.sums_of_squares import squares_of_form

    rows = squares_of_form(defect(verdict.matrix), watch=watch)
    return rows, (ONE,) * len(rows)


FORMS: dict[str, Callable[[Contractivity, Callable[[], object]], Further]] = {
    "2n": _by_pivots,
    "5n": _by_four_squares,
    "2n+3": _by_squares_of_forms,
}
"""The forms of a unitary twin, by the most states that it has."""


def _claim(original: Network, twin: Network, certificate: OrthogonalityCertificate) -> str:
    bounds = certificate.input_bounds
    domain = "" if bounds is None else f" with input components up to {_bounds_text(bounds)}"
    kind = "is orthogonal after its further units are scaled" if certificate.radicands else "is orthogonal"
    return (
        f"On every word{domain}, {twin.name} ({twin.neurons} states) gives exactly the outputs of {original.name} "
        f"({original.neurons} states), and its recurrent matrix {kind}."
    )


def _bounds_text(bounds: Vector) -> str:
    more = f" and so on, for {len(bounds):,} components" if len(bounds) > MOST_BOUNDS else ""
    return ", ".join(map(short_text, bounds[:MOST_BOUNDS])) + more


def _require_size(state: Sequence[object], size: int, name: str) -> None:
    if not isinstance(state, Sequence):
        raise ConstructionError(f"{shown(state)} is no state: give a sequence of {size} numbers")
    if len(state) != size:
        raise ConstructionError(f"{shown(state)} has {len(state)} numbers: a state of {name} has {size}")
