"""Squashings: the functions that a gated cell puts on its gates, as sums of units with the activations there are."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactnn.arithmetic import ExactNumber, exact
from exactnn.errors import NetworkError, shown
from exactnn.networks.activation import Activation
from exactnn.networks.matrix import sequence

__all__ = ["SQUASHINGS", "Piece", "Squashing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One unit of a squashing, ``factor * activation(scale * x + offset)``."""

    activation: Activation
    scale: ExactNumber = 1
    offset: ExactNumber = 0
    factor: ExactNumber = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "activation", Activation.named(self.activation))
        for field in ("scale", "offset", "factor"):
            object.__setattr__(self, field, exact(getattr(self, field)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Squashing:
    """A function of one number, ``offset`` plus the sum of its pieces.

    An activation is a squashing of one piece and needs no unit of its own. Any other reads a unit for the sum x that
    it is applied to, so that x is summed and rounded once; its pieces are the next layer, their sum the one after.
    ``hard_tanh`` = SLU(x) - SLU(-x), ``sign`` = H(x) - H(-x) and ``limit_sigmoid`` = 1/2 + H(x)/2 - H(-x)/2 round
    nothing but x, in any format that has 1/2; ``hard_sigmoid`` = SLU(x/6 + 1/2) rounds 1/6, the product and the sum.

    Parameters
    ----------
    name : str
    pieces : sequence of Piece
    offset : number

    Raises
    ------
    NetworkError, NumberError
        If the name is no text, there are no pieces or other things among them, or the offset is no exact number.

    Notes
    -----
    The networks with saturated gates of Merrill (2019) are limits of f(x; N theta) for N to infinity: there sigmoid
    becomes ``step`` and tanh becomes ``sign``, where the sum that they read is not exactly 0. At 0 sigmoid stays 1/2,
    as ``limit_sigmoid`` does and ``step`` does not, and tanh stays 0, as ``sign`` does.

    References
    ----------
    W. Merrill, "Sequential neural networks as automata", *Deep Learning and Formal Languages*, 2019.

    Examples
    --------
    >>> Squashing.named("hard_tanh").is_activation, Squashing.named("slu").is_activation
    (False, True)
    >>> [(str(piece.activation), str(piece.scale), str(piece.factor)) for piece in Squashing.named("sign").pieces]
    [('heaviside', '1', '1'), ('heaviside', '-1', '-1')]
    """

    name: str
    pieces: Sequence[Piece]
    offset: ExactNumber = 0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise NetworkError(f"name of a squashing is {shown(self.name)}: give text")
        pieces = sequence(self.pieces, f"pieces of squashing {shown(self.name)}", "a sequence of Pieces")
        if wrong := [piece for piece in pieces if not isinstance(piece, Piece)]:
            raise NetworkError(f"squashing {shown(self.name)} has the piece {shown(wrong[0])}: give Pieces")
        object.__setattr__(self, "pieces", tuple(pieces))
        object.__setattr__(self, "offset", exact(self.offset))
        if not self.pieces:
            raise NetworkError(f"squashing {shown(self.name)} has no pieces: give one Piece at least")

    @classmethod
    def named(cls, name: object) -> "Squashing":
        """Return the squashing called `name`, a squashing as it is; raises NetworkError for any other value."""
        if isinstance(name, Squashing):
            return name
        if isinstance(name, str) and name in SQUASHINGS:
            return SQUASHINGS[name]
        raise NetworkError(f"squashing {shown(name)} is unknown: choose one of {', '.join(SQUASHINGS)}")

    @property
    def is_activation(self) -> bool:
        """Whether a unit that computes x can apply it at once."""
        return not self.offset and self.pieces == (Piece(activation=self.pieces[0].activation),)

    @property
    def is_one_unit(self) -> bool:
        """Whether one piece alone is its value."""
        return not self.offset and len(self.pieces) == 1 and self.pieces[0].factor == 1

    @property
    def is_rational(self) -> bool:
        """Whether it maps rationals to rationals."""
        return all(piece.activation.is_rational for piece in self.pieces)


def _difference(activation: Activation, factor: ExactNumber = 1) -> tuple[Piece, Piece]:
    """Return the pieces of ``factor * (activation(x) - activation(-x))``."""
    return Piece(activation=activation, factor=factor), Piece(activation=activation, scale=-1, factor=-exact(factor))


_ALL = (
    Squashing(name="sigmoid", pieces=[Piece(activation=Activation.SIGMOID)]),
    Squashing(name="tanh", pieces=[Piece(activation=Activation.TANH)]),
    Squashing(name="slu", pieces=[Piece(activation=Activation.SLU)]),
    Squashing(name="hard_sigmoid", pieces=[Piece(activation=Activation.SLU, scale="1/6", offset="1/2")]),
    Squashing(name="hard_tanh", pieces=_difference(Activation.SLU)),
    Squashing(name="step", pieces=[Piece(activation=Activation.HEAVISIDE)]),
    Squashing(name="sign", pieces=_difference(Activation.HEAVISIDE)),
    Squashing(name="limit_sigmoid", pieces=_difference(Activation.HEAVISIDE, "1/2"), offset="1/2"),
    Squashing(name="relu", pieces=[Piece(activation=Activation.RELU)]),
    Squashing(name="identity", pieces=[Piece(activation=Activation.IDENTITY)]),
)

SQUASHINGS = {squashing.name: squashing for squashing in _ALL}
"""The squashings by name."""
