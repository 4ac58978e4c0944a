"""What a unit does to its sum, as data: clamps, jumps and smooth functions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.errors import NetworkError, shown

__all__ = ["ACTIVATIONS", "PIECEWISE_LINEAR", "Activation", "Kind"]


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
        The least and the greatest value; None for no bound. A jump has both. Smooth functions have their own, and
        refuse others.

    Raises
    ------
    NetworkError, NumberError
        If the kind is unknown, a bound is no exact number, not below the other or not that of a smooth function, or a
        jump lacks one.

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
                own: tuple[mpq, mpq | None] = mpq(0), mpq(1)
            case Kind.TANH:
                own = mpq(-1), mpq(1)
            case Kind.SOFTPLUS | Kind.EXP:
                own = mpq(0), None
            case Kind.CLAMP | Kind.JUMP:
                if self.kind is Kind.JUMP and (low is None or high is None):
                    raise NetworkError(f"the jump {self.name} lacks a bound: give low= and high=")
                if low is not None and high is not None and low >= high:
                    raise NetworkError(f"low of {self.name} is {shown(low)}: give less than high, {shown(high)}")
                return low, high
            case _:
                assert_never(self.kind)
        for end, given, bound in (("low", low, own[0]), ("high", high, own[1])):
            if given not in (None, bound):
                said = "none" if bound is None else shown(bound)
                raise NetworkError(
                    f"{end} of {self.name} is {shown(given)}, and {self.kind} has {said}: leave it out, or clamp its "
                    "values with a unit of their own"
                )
        return own

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
        if isinstance(name, str) and name.lower() in ACTIVATIONS:
            return ACTIVATIONS[name.lower()]
        known = f"{', '.join(ACTIVATIONS)}, or give Activation(name=, low=, high=)"
        raise NetworkError(f"activation {shown(name)} is unknown: choose one of {known}")

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
