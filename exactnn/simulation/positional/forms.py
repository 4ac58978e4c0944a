"""Forms: polynomials with rational coefficients in run lengths that are unknown.

Lengths, conditions and the steps of a round are forms. What a rule does in many rounds is a sum over them: of a
polynomial in the number of the round where lengths grow by constants, by repeated doubling of the round elsewhere.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import comb, gcd, lcm
from typing import cast

from gmpy2 import mpq, mpz

from exactnn.arithmetic import Tower

__all__ = ["Form", "Monomial", "long", "short", "sum_over_rounds", "unknown"]

Monomial = tuple[int, ...]
"""The numbers of the unknowns that are multiplied, in order; () is 1."""

ZERO = mpq(0)


def long(value: int | mpq | Tower) -> int:
    """Return a whole number for long arithmetic; for the type checker it is an int, with which it has all in common.

    A number that is too long to be written out stays the tower that it is.
    """
    return cast(int, value if isinstance(value, Tower) else mpz(value))  # type: ignore[arg-type]


def short(value: int) -> int:
    """Return a number of long arithmetic for everybody else: an int, or the tower that it is."""
    return value if isinstance(value, Tower) else int(value)


class Form:
    """A polynomial: a coefficient, not 0, for each monomial.

    >>> x, y = unknown(0), unknown(1)
    >>> (x + 1) * (x - y) == x * x - x * y + x - y, (2 * x + 3).at([4]), (x * y).into([y + 1, y]).at([0, 2])
    (True, mpz(11), mpz(6))
    """

    __slots__ = ("_whole", "terms")

    def __init__(self, terms: Mapping[Monomial, mpq]) -> None:
        self.terms = terms
        self._whole: tuple[int, list[tuple[int, Monomial]]] | None = None

    def __add__(self, other: "Form | int | mpq") -> "Form":
        terms = dict(self.terms)
        for monomial, value in _form(other).terms.items():
            total = terms.get(monomial, ZERO) + value
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return Form(terms)

    def __sub__(self, other: "Form | int | mpq") -> "Form":
        return self + _form(other) * -1

    def __mul__(self, other: "Form | int | mpq") -> "Form":
        if not isinstance(other, Form):
            return Form({monomial: value * other for monomial, value in self.terms.items()}) if other else Form({})
        if other.is_constant:
            return self * other.constant
        terms: dict[Monomial, mpq] = {}
        for one, value in self.terms.items():
            for two, factor in other.terms.items():
                monomial = tuple(sorted(one + two)) if one and two else one + two
                terms[monomial] = terms.get(monomial, ZERO) + value * factor
        return Form({monomial: value for monomial, value in terms.items() if value})

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return " + ".join(["*".join([str(value), *(f"x{i}" for i in m)]) for m, value in self.key]) or "0"

    @property
    def key(self) -> tuple[tuple[Monomial, mpq], ...]:
        """The terms in order: the same for equal forms."""
        return tuple(sorted(self.terms.items()))

    @property
    def constant(self) -> mpq:
        """The coefficient of 1."""
        return self.terms.get((), ZERO)

    @property
    def is_constant(self) -> bool:
        """Whether no unknown is in it."""
        return not self.terms or (len(self.terms) == 1 and () in self.terms)

    @property
    def degree(self) -> int:
        """The most unknowns that are multiplied."""
        return max(map(len, self.terms), default=0)

    @property
    def unknowns(self) -> set[int]:
        """The numbers of the unknowns in it."""
        return {i for monomial in self.terms for i in monomial}

    @property
    def denominator(self) -> int:
        """The least common denominator of the coefficients."""
        return lcm(*[int(value.denominator) for value in self.terms.values()])

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients of unknowns, where all of these are whole."""
        return gcd(*[int(value) for monomial, value in self.terms.items() if monomial])

    def at(self, values: Sequence[int]) -> int:
        """Return the value for these values of the unknowns, which must be whole."""
        if self._whole is None:
            over = self.denominator
            self._whole = over, [(long(value * over), monomial) for monomial, value in self.terms.items()]
        over, terms = self._whole
        total = long(0)
        for value, monomial in terms:
            for i in monomial:
                value = value * values[i]
            total += value
        if over == 1:
            return total
        assert not total % over, "a form with a value that is not whole"
        return total // over

    def is_at_least(self, least: int) -> bool:
        """Whether it is at least that much by its signs alone, wherever all unknowns are at least 1."""
        values = self.terms.items()
        return all(value >= 0 for monomial, value in values if monomial) and sum(value for _, value in values) >= least

    def into(self, forms: "Sequence[Form]") -> "Form":
        """Return the form with a form in the place of each unknown."""
        total = Form({})
        for monomial, value in self.terms.items():
            product = Form({(): value})
            for i in monomial:
                product = product * forms[i]
            total = total + product
        return total


def _form(value: Form | int | mpq) -> Form:
    if isinstance(value, Form):
        return value
    return Form({(): mpq(value)} if value else {})


def unknown(number: int) -> Form:
    """Return the unknown with that number."""
    return Form({(number,): mpq(1)})


def sum_over_rounds(form: Form, start: Sequence[Form], changes: Sequence[int], rounds: Form) -> Form:
    """Return the sum of form(start + j * changes) for j from 0 to `rounds` - 1.

    >>> x = unknown(0)
    >>> sum_over_rounds(x, [x], [1], Form({(): mpq(4)})) == 4 * x + 6
    True
    """
    powers = [Form({})] * (form.degree + 1)  # form(start + j * changes) is the sum of powers[k] * j**k
    for monomial, value in form.terms.items():
        product = [Form({(): value})]
        for i in monomial:
            grown = [power * start[i] for power in product] + [Form({})]
            for k, power in enumerate(product):
                grown[k + 1] = grown[k + 1] + power * changes[i]
            product = grown
        for k, power in enumerate(product):
            powers[k] = powers[k] + power
    total = Form({})
    for k, power in enumerate(powers):
        if power.terms:
            total = total + power * _sum_of_powers(k).into([rounds])
    return total


@cache
def _sum_of_powers(exponent: int) -> Form:
    """Return 0**k + 1**k + ... + (n - 1)**k, with 0**0 = 1, as a form in n.

    The sum of (j + 1)**(k + 1) - j**(k + 1) over these j is n**(k + 1), and also a sum of lower power sums.
    """
    total = Form({(0,) * (exponent + 1): mpq(1)})
    for lower in range(exponent):
        total = total - _sum_of_powers(lower) * comb(exponent + 1, lower)
    return total * mpq(1, exponent + 1)
