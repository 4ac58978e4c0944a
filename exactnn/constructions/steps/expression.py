"""Expressions of a step: affine sums over registers, symbols and clipped expressions, each in a domain."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, Union

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact, short_text
from exactnn.constructions.affine import unit_name
from exactnn.errors import ConstructionError, NumberError, shown

__all__ = [
    "BIT",
    "UNIT",
    "Atom",
    "Clipped",
    "Domain",
    "Expression",
    "Known",
    "Operand",
    "Read",
    "Register",
    "alternative",
    "as_expression",
    "joined",
    "known",
    "relu",
    "slu",
    "total",
    "within",
]

ZERO, ONE = mpq(0), mpq(1)
LONGEST = 80

Operand = Union["Expression", ExactNumber]


@dataclass(frozen=True, slots=True)
class Domain:
    """All numbers from `low` to `high`, or all whole ones; an end that is None is open to infinity.

    Examples
    --------
    >>> str(BIT), str(UNIT), str(Domain(mpq(0), None, whole=True)), str(ANY)
    ('{0, 1}', '[0, 1]', 'the whole numbers of [0, ∞)', '(-∞, ∞)')
    """

    low: mpq | None
    high: mpq | None
    whole: bool = False

    def __contains__(self, value: mpq) -> bool:
        if self.whole and value.denominator != 1:
            return False
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def includes(self, other: "Domain") -> bool:
        """Whether every number of another domain is in this one.

        >>> UNIT.includes(BIT), BIT.includes(UNIT)
        (True, False)
        """
        above = self.low is None or (other.low is not None and self.low <= other.low)
        below = self.high is None or (other.high is not None and other.high <= self.high)
        return above and below and (other.whole or not self.whole)

    def scaled(self, factor: mpq) -> "Domain":
        """Return the domain of ``factor * x``, the factor not 0."""
        low, high = (None if end is None else factor * end for end in (self.low, self.high))
        if factor < 0:
            low, high = high, low
        return Domain(low, high, self.whole and factor.denominator == 1)

    def clipped(self, low: mpq | None, high: mpq | None) -> "Domain":
        """Return the domain of x that is moved to the nearest end if it is outside of [low, high].

        >>> str(Domain(mpq(-3), mpq(2)).clipped(mpq(0), None))
        '[0, 2]'
        """
        ends = []
        for end, default in ((self.low, low), (self.high, high)):
            value = default if end is None else end
            if value is not None and low is not None:
                value = max(value, low)
            if value is not None and high is not None:
                value = min(value, high)
            ends.append(value)
        whole = self.whole and all(end is None or end.denominator == 1 for end in (low, high))
        return Domain(ends[0], ends[1], whole)

    def of_largest(self, other: "Domain") -> "Domain":
        """Return the domain of max(x, y), y in another domain.

        >>> str(Domain(None, mpq(1)).of_largest(Domain(mpq(0), mpq(2))))
        '[0, 2]'
        """
        lows = [low for low in (self.low, other.low) if low is not None]
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Domain(max(lows, default=None), high, self.whole and other.whole)

    def of_smallest(self, other: "Domain") -> "Domain":
        """Return the domain of min(x, y), y in another domain."""
        minus = mpq(-1)
        return self.scaled(minus).of_largest(other.scaled(minus)).scaled(minus)

    def __str__(self) -> str:
        if self == BIT:
            return "{0, 1}"
        low = "(-∞" if self.low is None else f"[{short_text(self.low)}"
        high = "∞)" if self.high is None else f"{short_text(self.high)}]"
        return f"{'the whole numbers of ' * self.whole}{low}, {high}"


def sum_domain(domains: Iterable[Domain], constant: mpq) -> Domain:
    """Return the domain of a constant plus a number of each domain."""
    low, high, whole = constant, constant, constant.denominator == 1
    lows: list[mpq | None] = [low]
    highs: list[mpq | None] = [high]
    for domain in domains:
        lows.append(domain.low)
        highs.append(domain.high)
        whole = whole and domain.whole
    return Domain(_sum(lows), _sum(highs), whole)


def _sum(ends: list[mpq | None]) -> mpq | None:
    known = [end for end in ends if end is not None]
    return sum(known, mpq(0)) if len(known) == len(ends) else None


BIT = Domain(mpq(0), mpq(1), whole=True)
"""0 or 1."""

UNIT = Domain(mpq(0), mpq(1))
"""From 0 to 1."""

ANY = Domain(None, None)
"""Every number."""


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


def relu(value: Operand) -> Expression:
    """Return max(0, value): a unit, unless the domain of the value says which of the two it is."""
    argument = as_expression(value)
    domain = argument.domain
    if domain.low is not None and domain.low >= 0:
        return argument
    if domain.high is not None and domain.high <= 0:
        return Expression(())
    return Expression(((Clipped(argument, False, domain.clipped(ZERO, None)), ONE),))


def slu(value: Operand) -> Expression:
    """Return min(1, max(0, value))."""
    argument = as_expression(value)
    domain = argument.domain
    if domain.high is not None and domain.high <= 1:
        return relu(argument)
    if domain.low is not None and domain.low >= 1:
        return Expression((), ONE)
    return Expression(((Clipped(argument, True, domain.clipped(ZERO, ONE)), ONE),))


def within(value: Operand, low: ExactNumber | None, high: ExactNumber | None, *, whole: bool = False) -> Expression:
    """Return the same value, claimed to lie in [low, high]: for what you know and intervals cannot tell.

    A direct evaluation (`step_outputs`) checks the claim; a network does not.

    Raises
    ------
    ConstructionError
        If `low` is above `high`.
    """
    argument = as_expression(value)
    domain = Domain(None if low is None else exact(low), None if high is None else exact(high), whole)
    if domain.low is not None and domain.high is not None and domain.low > domain.high:
        raise ConstructionError(f"within({argument}, {low}, {high}): nothing lies there; give the lower end first")
    return known(argument, domain, f"within({argument}, {low}, {high})")


def joined(branches: Sequence[Expression], conditions: Sequence[Expression]) -> Expression:
    """Return the sum of branches of which at most one is not 0: that whose condition is 1."""
    whole = all(branch.domain.whole for branch in branches)
    text = " or ".join(map(str, branches)) or "0"
    return alternative(total(branches), conditions, Domain(ZERO, ONE, whole), text)


def alternative(value: Expression, conditions: Sequence[Expression], domain: Domain, text: str) -> Expression:
    """Return a value that has its domain because at most one of some conditions is 1."""
    chosen = total(conditions)
    if BIT.includes(chosen.domain):
        return known(value, domain, text)
    return Expression(((Known(value, domain, text, chosen), ONE),))


def known(value: Expression, domain: Domain, text: str) -> Expression:
    """Return a value with the domain that it is known to have, unless intervals tell as much."""
    if domain.includes(value.domain):
        return value
    return Expression(((Known(value, domain, text), ONE),))


def total(values: Sequence[Expression]) -> Expression:
    """Return the sum of expressions; the sum of none is 0."""
    return sum(values, Expression(()))
