"""The certificate of a unitary twin: all that its claim rests on, to be checked again in plain rationals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.contraction.contractivity import elman
from exactnn.contraction.reachable_ball import ReachableBall
from exactnn.errors import CertificateError, ConstructionError
from exactnn.linear_algebra import Matrix, Vector, dot, is_isometry
from exactnn.networks import Activation, AnyNetwork, Network, Unit, network_of

__all__ = ["OrthogonalityCertificate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrthogonalityCertificate:
    """Why a network with an orthogonal recurrent matrix has the input-output map of a contractive one.

    With n states of the original, m of the twin, and D the diagonal of `form`:

    1. ``NᵀDN = D`` for the twin's recurrent matrix N. Then ``U = √D N √D⁻¹`` is orthogonal, and the twin is the network
       with the matrix U with its units scaled: ReLU goes with positive factors.
    2. The upper left n by n block of N is the original matrix V; the further units read no input, start at 0, and are
       not read by the output; all else is the same. Inputs are one-hot, or both networks answer up to `input_bounds`.
    3. ‖h‖ ≤ `ball.radius` in every state that the original reaches under the input bounds.
    4. ``bias + N h ≤ 0`` for each further unit and all such h, so that it stays 0 for ever.

    Parameters
    ----------
    form : vector of length m
        Ones for the units of the original, positive numbers for the others. All ones: N itself is orthogonal.
    ball : ReachableBall
    input_bounds : vector of length d, or None for one-hot inputs
    """

    form: Vector
    ball: ReachableBall
    input_bounds: Vector | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", tuple(map(exact, self.form)))  # in floats a sum may seem to be 1

    def check(self, original: AnyNetwork, twin: AnyNetwork, *, watch: Callable[[], object] = bool) -> None:
        """Check every point again, in rationals. `watch` is called now and then, and may raise an exception.

        Raises
        ------
        CertificateError
            If one of them is not true; the message says which.
        NetworkError
            If one of them is no network.
        """
        original, twin = network_of(original), network_of(twin)
        try:
            first, second = elman(original), elman(twin)
        except ConstructionError as error:
            raise CertificateError(str(error)) from None
        size, more = first.size, second.size - first.size
        _require(len(self.form) == second.size and more >= 0, "the sizes of the networks and of the form differ")
        _require(all(entry == 1 for entry in self.form[:size]), "a unit of the original is scaled")
        _require(all(entry > 0 for entry in self.form), "the form is not positive definite")
        _require(
            is_isometry(second.V, self.form, watch=watch), "the recurrent matrix of the twin does not preserve the form"
        )
        _require({first.activation, second.activation} == {Activation.RELU}, "an activation is not ReLU")
        _require(_block(second.V, size) == first.V, "the block of the recurrent matrix is not the original's")
        _require(second.W[:size] == first.W and not any(map(any, second.W[size:])), "the input matrices differ")
        _require(second.b[:size] == first.b, "the biases differ")
        _require(second.s[:size] == first.s and not any(second.s[size:]), "the start states differ")
        _require(_same_readout(original, twin, size), "the outputs, the alphabets or the decisions differ")
        _require(twin.input_bounds == self.input_bounds, "the input bounds of the twin are others")
        _require((self.input_bounds is None) == (twin.alphabet is not None), "nothing bounds the inputs of the twin")
        _require(_no_wider(self.input_bounds, original.input_bounds), "the original has smaller input bounds")
        _require(
            self.ball.holds(first, self.input_bounds, watch=watch), "a reachable state may be longer than the radius"
        )
        for row, bias in zip(second.V[size:], second.b[size:], strict=True):
            silent = bias <= 0 and bias**2 >= dot(row[:size], row[:size]) * self.ball.radius**2
            _require(silent, "a further unit may become positive")

    @property
    def radicands(self) -> tuple[mpq, ...]:
        """The numbers besides 1 whose square roots are in the orthogonal matrix U."""
        return tuple(dict.fromkeys(entry for entry in self.form if entry != 1))


def _require(true: bool, fault: str) -> None:
    if not true:
        raise CertificateError(f"this is no proof that the two networks have the same outputs: {fault}")


def _block(matrix: Matrix, size: int) -> Matrix:
    return tuple(row[:size] for row in matrix[:size])


def _no_wider(bounds: Vector | None, others: Vector | None) -> bool:
    """Whether the other bounds, if there are any, allow all that these do."""
    if others is None:
        return True
    return bounds is not None and all(mine <= theirs for mine, theirs in zip(bounds, others, strict=True))


def _same_readout(original: Network, twin: Network, size: int) -> bool:
    """Whether outputs are read from the same units in the same way."""

    def formulas(readout: Sequence[Unit]) -> list[object]:
        return [(unit.bias, unit.linear, unit.bilinear, unit.activation) for unit in readout]

    linear = [register for unit in twin.readout for register, _ in unit.linear]
    bilinear = [register for unit in twin.readout for *pair, _ in unit.bilinear for register in pair]
    return (
        formulas(original.readout) == formulas(twin.readout)
        and all(register < size for register in (*linear, *bilinear))
        and original.alphabet == twin.alphabet
        and original.decision == twin.decision
        and original.scalar_output == twin.scalar_output
    )
