"""What a unit does to its sum, as data: clamps, jumps, smooth functions, and those that gates may have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.errors import NetworkError, shown
from exactnn.matrices import exact_vector, sequence

__all__ = ["ACTIVATIONS", "PIECEWISE_LINEAR", "SQUASHINGS", "Activation", "Kind", "Piece", "Squashing"]


class Kind(StrEnum):
    """What an activation does with its number; whatever treats one kind by itself treats all of them."""

    CLAMP = "clamp"
    JUMP = "jump"
    SIGMOID = "sigmoid"
    TANH = "tanh"
    SOFTPLUS = "softplus"
    EXP = "exp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """A function of one number that never decreases. Two activations are equal if they are the same function.

    A *clamp* gives x, but `low` where x is below that and `high` where x is above that. A *jump* gives `high` if x > 0,
    else `low`. Both map rationals to rationals. The smooth ones do not: the *sigmoid* 1 / (1 + exp(-x)), *tanh*
    (exp(x) - exp(-x)) / (exp(x) + exp(-x)), *softplus* log(1 + exp(x)) and *exp*. Exact arithmetic refuses those;
    intervals enclose them, and a format rounds them. `low` and `high` are the bounds of their values.

    Parameters
    ----------
    name : str
    kind : {"clamp", "jump", "sigmoid", "tanh", "softplus", "exp"}
    low, high : number, optional
        The least and the greatest value; None for no bound. A jump has both.

    Raises
    ------
    NetworkError, NumberError
        If the kind is unknown, a bound is no exact number or not below the other, or a jump lacks one.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", 1995 (SLU, the saturated linear
    unit, ``min(1, max(0, x))``).

    Examples
    --------
    >>> Activation.named("slu").formula, Activation(name="clip", low=-1, high=1).formula
    ('min(1, max(0, x))', 'min(1, max(-1, x))')
    >>> Activation.SLU.is_rational, Activation.TANH.is_rational
    (True, False)
    >>> Activation(name="up to 6", low=0, high=6) == Activation.named("relu6")
    True
    """

    name: str = field(compare=False)
    kind: Kind = Kind.CLAMP
    low: mpq | None = None
    high: mpq | None = None

    if TYPE_CHECKING:  # names of ACTIVATIONS, in capitals; of the others `named` asks
        IDENTITY: ClassVar["Activation"]
        RELU: ClassVar["Activation"]
        SLU: ClassVar["Activation"]
        HEAVISIDE: ClassVar["Activation"]
        SIGMOID: ClassVar["Activation"]
        TANH: ClassVar["Activation"]
        SOFTPLUS: ClassVar["Activation"]
        EXP: ClassVar["Activation"]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise NetworkError(f"the name of an activation is {shown(self.name)}: give text")
        try:
            object.__setattr__(self, "kind", Kind(self.kind))
        except ValueError:
            raise NetworkError(f"kind of {self.name} is {shown(self.kind)}: choose one of {', '.join(Kind)}") from None
        low, high = self._bounds()
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def _bounds(self) -> tuple[mpq | None, mpq | None]:
        low, high = (None if bound is None else exact(bound) for bound in (self.low, self.high))
        match self.kind:
            case Kind.SIGMOID:
                return mpq(0), mpq(1)
            case Kind.TANH:
                return mpq(-1), mpq(1)
            case Kind.SOFTPLUS | Kind.EXP:
                return mpq(0), None
            case Kind.CLAMP | Kind.JUMP:
                if self.kind is Kind.JUMP and (low is None or high is None):
                    raise NetworkError(f"the jump {self.name} lacks a bound: give low= and high=")
                if low is not None and high is not None and low >= high:
                    raise NetworkError(f"low of {self.name} is {shown(low)}: give less than high, {shown(high)}")
                return low, high
            case _:
                assert_never(self.kind)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        if ACTIVATIONS.get(self.name) == self:
            return f"<Activation.{self.name.upper()}: {self.name!r}>"
        return f"Activation(name={self.name!r}, kind={str(self.kind)!r}, low={self.low!r}, high={self.high!r})"

    @classmethod
    def named(cls, name: object) -> "Activation":
        """Return the activation called `name`, an activation as it is; raises NetworkError for any other value."""
        if isinstance(name, Activation):
            return name
        if isinstance(name, str) and name in ACTIVATIONS:
            return ACTIVATIONS[name]
        raise NetworkError(f"activation {shown(name)} is unknown: choose one of {', '.join(ACTIVATIONS)}")

    @property
    def formula(self) -> str:
        """The definition, as text."""
        match self.kind:
            case Kind.CLAMP:
                inner = "x" if self.low is None else f"max({self.low}, x)"
                return inner if self.high is None else f"min({self.high}, {inner})"
            case Kind.JUMP:
                return f"{self.high} if x > 0 else {self.low}"
            case Kind.SIGMOID:
                return "1 / (1 + exp(-x))"
            case Kind.TANH:
                return "(exp(x) - exp(-x)) / (exp(x) + exp(-x))"
            case Kind.SOFTPLUS:
                return "log(1 + exp(x))"
            case Kind.EXP:
                return "exp(x)"
            case _:
                assert_never(self.kind)

    @property
    def is_rational(self) -> bool:
        """Whether it maps rationals to rationals."""
        return self.kind is Kind.CLAMP or self.kind is Kind.JUMP

    @property
    def is_nonexpansive(self) -> bool:
        """Whether it takes no two numbers further apart: it is continuous, and its slope is between 0 and 1."""
        match self.kind:
            case Kind.CLAMP | Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS:
                return True
            case Kind.JUMP | Kind.EXP:
                return False
            case _:
                assert_never(self.kind)

    @property
    def keeps_zero(self) -> bool:
        """Whether it maps 0 to 0."""
        match self.kind:
            case Kind.CLAMP:
                return (self.low is None or self.low <= 0) and (self.high is None or self.high >= 0)
            case Kind.JUMP:
                return self.low == 0
            case Kind.SIGMOID | Kind.SOFTPLUS | Kind.EXP:
                return False
            case Kind.TANH:
                return True
            case _:
                assert_never(self.kind)


_ACTIVATIONS = (
    Activation(name="identity"),
    Activation(name="relu", low=mpq(0)),
    Activation(name="slu", low=mpq(0), high=mpq(1)),
    Activation(name="relu6", low=mpq(0), high=mpq(6)),
    Activation(name="heaviside", kind=Kind.JUMP, low=mpq(0), high=mpq(1)),
    Activation(name="sigmoid", kind=Kind.SIGMOID),
    Activation(name="tanh", kind=Kind.TANH),
    Activation(name="softplus", kind=Kind.SOFTPLUS),
    Activation(name="exp", kind=Kind.EXP),
)
ACTIVATIONS: Mapping[str, Activation] = MappingProxyType({activation.name: activation for activation in _ACTIVATIONS})
"""The activations by name. A new one that is a clamp or a jump is one more line above."""

for _activation in ACTIVATIONS.values():
    setattr(Activation, _activation.name.upper(), _activation)

PIECEWISE_LINEAR = tuple(activation for activation in ACTIVATIONS.values() if activation.is_rational)
"""The activations that map rationals to rationals."""


# --- Squashings: the functions that a cell puts on its sums, as sums of units with the activations there are.
#
# They are the one vocabulary of names: `SimpleRNN(activation=)` and every gate take any of them.


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
        if isinstance(name, str) and name in SQUASHINGS:
            return SQUASHINGS[name]
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
