"""The functions that a cell puts on its sums, as sums of units with the activations there are.

They are the one vocabulary of names: `SimpleRNN(activation=)` and every gate take any of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.errors import NetworkError, shown
from exactnn.matrices import exact_vector, sequence
from exactnn.networks.activation import ACTIVATIONS, Activation

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
        for number in ("scale", "offset", "factor"):
            object.__setattr__(self, number, exact(getattr(self, number)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Squashing:
    """A function of one number, ``offset`` plus the sum of its pieces. Two are equal if these are.

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

    name: str = field(compare=False)
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
        """Return the squashing called `name`, that of an activation, or a squashing as it is.

        Raises
        ------
        NetworkError
            For any other value.

        Examples
        --------
        >>> Squashing.named("heaviside") == Squashing.named("step"), Squashing.named(Activation.SLU).name
        (True, 'slu')
        """
        if isinstance(name, Squashing):
            return name
        if isinstance(name, Activation):
            return cls(name=name.name, pieces=[Piece(activation=name)])
        if isinstance(name, str) and name.lower() in SQUASHINGS:
            return SQUASHINGS[name.lower()]
        raise NetworkError(f"activation {shown(name)} is unknown: choose one of {', '.join(SQUASHINGS)}")

    @classmethod
    def piecewise_linear(
        cls,
        points: Iterable[tuple[ExactNumber, ExactNumber]],
        *,
        below: ExactNumber = 0,
        above: ExactNumber = 0,
        name: str = "piecewise linear",
    ) -> "Squashing":
        """Return the continuous function that is linear between its breakpoints, as a sum of clamped units.

        Between two breakpoints that is one SLU, below the first and above the last one ReLU each, where it is not
        constant there. The values are exact in exact arithmetic; a format rounds every unit and the sum.

        Parameters
        ----------
        points : pairs (x, y), x ascending
        below, above : number
            The slopes below the first breakpoint and above the last one.
        name : str

        Raises
        ------
        NetworkError, NumberError
            If there is no point, the x do not ascend, or an entry is no exact number.

        Examples
        --------
        The leaky ReLU; and x clipped to -1..1, with its two constant ends.

        >>> leaky = Squashing.piecewise_linear([(0, 0)], below="1/100", above=1, name="leaky_relu")
        >>> [(str(piece.activation), str(piece.scale), str(piece.factor)) for piece in leaky.pieces]
        [('relu', '-1', '-1/100'), ('relu', '1', '1')]
        >>> clip = Squashing.piecewise_linear([(-1, -1), (1, 1)])
        >>> [(str(piece.activation), str(piece.scale), str(piece.factor)) for piece in clip.pieces], str(clip.offset)
        ([('slu', '1/2', '2')], '-1')
        """
        corners = [exact_vector(point, "a breakpoint", size=2) for point in sequence(points, "points", "pairs (x, y)")]
        if not corners:
            raise NetworkError(f"{shown(name)} has no breakpoint: give one pair (x, y) at least")
        if wrong := next((b for a, b in pairwise(corners) if a[0] >= b[0]), None):
            raise NetworkError(f"breakpoint x = {wrong[0]} of {shown(name)} is not above the one before: let x ascend")
        (first, start), (last, _) = corners[0], corners[-1]
        relu, slu = Activation.RELU, Activation.SLU
        pieces = [Piece(activation=relu, scale=-1, offset=first, factor=-exact(below))] if exact(below) else []
        for (x, y), (right, top) in pairwise(corners):
            if y != top:
                scale = 1 / (right - x)
                pieces.append(Piece(activation=slu, scale=scale, offset=-x * scale, factor=top - y))
        if exact(above):
            pieces.append(Piece(activation=relu, offset=-last, factor=above))
        return cls(name=name, pieces=pieces or [Piece(activation=Activation.IDENTITY, scale=0, factor=0)], offset=start)

    @property
    def is_activation(self) -> bool:
        """Whether a unit that computes x can apply it at once."""
        return not self.offset and self.pieces == (Piece(activation=self.pieces[0].activation),)

    @property
    def as_activation(self) -> "Activation | Squashing":
        """The activation that it is, if a unit can apply it at once; else this squashing."""
        return self.pieces[0].activation if self.is_activation else self

    @property
    def bounds(self) -> tuple[mpq | None, mpq | None]:
        """Numbers that no value is below and above, of the pieces' own; None for none.

        >>> [str(x) for x in Squashing.named("limit_sigmoid").bounds]
        ['0', '1']
        """
        low: mpq | None = exact(self.offset)
        high: mpq | None = exact(self.offset)
        for piece in filter(lambda piece: piece.factor, self.pieces):
            factor, ends = exact(piece.factor), (piece.activation.low, piece.activation.high)
            least, most = ends if factor > 0 else ends[::-1]
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return low, high

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


_OTHERS = (
    Squashing(name="hard_sigmoid", pieces=[Piece(activation=Activation.SLU, scale="1/6", offset="1/2")]),
    Squashing(name="hard_tanh", pieces=_difference(Activation.SLU)),
    Squashing(name="step", pieces=[Piece(activation=Activation.HEAVISIDE)]),
    Squashing(name="sign", pieces=_difference(Activation.HEAVISIDE)),
    Squashing(name="limit_sigmoid", pieces=_difference(Activation.HEAVISIDE, "1/2"), offset="1/2"),
    Squashing.piecewise_linear([(0, 0)], below="1/100", above=1, name="leaky_relu"),
)

SQUASHINGS = {squashing.name: squashing for squashing in (*map(Squashing.named, ACTIVATIONS.values()), *_OTHERS)}
"""The squashings by name: every activation is one."""
