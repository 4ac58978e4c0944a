"""Expressions of a step: affine sums over registers, symbols that are read, and clipped expressions.

Sums, differences and rational multiples are written with operators; what is not affine comes from functions
(`operations.py`). An expression is a value: nothing is computed until it is evaluated or lowered to units.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NoReturn, Union

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact, short_text
from exactnn.constructions.steps.domain import BIT, Domain, sum_domain
from exactnn.constructions.unit_keys import unit_name
from exactnn.errors import ConstructionError, NumberError, shown

__all__ = ["Atom", "Clipped", "Expression", "Known", "Operand", "Read", "Register", "as_expression"]

ZERO, ONE = mpq(0), mpq(1)
LONGEST = 80


@dataclass(frozen=True, slots=True)
class Register:
    """A number that the step keeps: its name, where it lies, and its value at the start."""

    name: Hashable
    domain: Domain
    start: mpq

    def __str__(self) -> str:
        return unit_name(self.name)


@dataclass(frozen=True, slots=True)
class Read:
    """1 if this symbol is read, else 0."""

    symbol: str
    domain = BIT

    def __str__(self) -> str:
        return f"read({shown(self.symbol)})"


@dataclass(frozen=True, slots=True)
class Clipped:
    """relu(argument), or slu(argument) if `saturates`."""

    argument: "Expression"
    saturates: bool
    domain: Domain

    def __str__(self) -> str:
        return f"{'slu' if self.saturates else 'relu'}({cut(str(self.argument))})"


@dataclass(frozen=True, slots=True)
class Known:
    """An expression that lies in a smaller domain than intervals can tell; a direct evaluation checks it.

    `alternatives` is what else it rests on: a sum of conditions of which at most one is 1, or None.
    """

    argument: "Expression"
    domain: Domain
    text: str
    alternatives: "Expression | None" = None

    def __str__(self) -> str:
        return cut(self.text)


Atom = Register | Read | Clipped | Known
Operand = Union["Expression", ExactNumber]


@dataclass(frozen=True, slots=True)
class Expression:
    """constant + sum of weight * atom; each atom once, no weight 0.

    Examples
    --------
    >>> from exactnn.constructions.steps import bit, read
    >>> value = 2 * bit("odd") - read("a") / 2 + 1
    >>> print(value, "in", value.domain)
    2 odd - 1/2 read('a') + 1 in [1/2, 3]
    """

    terms: tuple[tuple[Atom, mpq], ...]
    constant: mpq = ZERO

    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.terms, self.constant)))

    def __hash__(self) -> int:
        return self._hash  # kept, as expressions are nested and share their parts

    @property
    def domain(self) -> Domain:
        """Where the value lies, by the domains of its atoms."""
        return sum_domain([atom.domain.scaled(weight) for atom, weight in self.terms], self.constant)

    def __add__(self, other: Operand) -> "Expression":
        addend = as_expression(other)
        weights = dict(self.terms)
        for atom, weight in addend.terms:
            weights[atom] = weights.get(atom, ZERO) + weight
        return Expression(
            tuple((atom, weight) for atom, weight in weights.items() if weight), self.constant + addend.constant
        )

    __radd__ = __add__

    def __neg__(self) -> "Expression":
        return self * -1

    def __sub__(self, other: Operand) -> "Expression":
        return self + -as_expression(other)

    def __rsub__(self, other: Operand) -> "Expression":
        return -self + other

    def __mul__(self, factor: ExactNumber) -> "Expression":
        if isinstance(factor, Expression):
            raise ConstructionError(
                f"{shown(str(self))} times {shown(str(factor))}: a product of two expressions is not piecewise linear; "
                "multiply by a number, or use if_(condition, value)"
            )
        scale = exact(factor)
        return Expression(tuple((atom, weight * scale) for atom, weight in self.terms if scale), self.constant * scale)

    __rmul__ = __mul__

    def __truediv__(self, divisor: ExactNumber) -> "Expression":
        scale = exact(divisor) if not isinstance(divisor, Expression) else ZERO
        if not scale:
            raise ConstructionError(f"{shown(str(self))} / {shown(divisor)}: divide by a number that is not 0")
        return self * (1 / scale)

    def __bool__(self) -> NoReturn:
        raise ConstructionError(
            f"{shown(str(self))} is an expression of a step, not true or false: use if_, and_, or_ and not_"
        )

    def __str__(self) -> str:
        text = ""
        for atom, weight in self.terms:
            sign = (" - " if weight < 0 else " + ") if text else "-" * (weight < 0)
            factor = "" if abs(weight) == 1 else f"{short_text(abs(weight))} "
            text += f"{sign}{factor}{atom}"
        if not text:
            return short_text(self.constant)
        if self.constant:
            text += f"{' - ' if self.constant < 0 else ' + '}{short_text(abs(self.constant))}"
        return text

    __repr__ = __str__


def cut(text: str) -> str:
    """Return a formula for people, cut where it is long."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def as_expression(value: Operand) -> Expression:
    """Return a number as an expression, and an expression as it is.

    Raises
    ------
    ConstructionError
        If it is neither.
    """
    if isinstance(value, Expression):
        return value
    try:
        return Expression((), exact(value))
    except NumberError:
        raise ConstructionError(
            f"{shown(value)} is no operand of a step: give an expression or an exact number"
        ) from None
