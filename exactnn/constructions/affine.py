"""Affine forms over named quantities: how constructions write the rows of a network, and what units are called."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral

__all__ = ["Affine", "symbol", "total", "unit_name", "var"]

Scalar = Union[int, mpq]  # noqa: UP007  (mpq has no | at run time on older gmpy2)


class Affine:
    """constant + sum of coefficient * name; immutable, without zero coefficients.

    Examples
    --------
    >>> form = 2 * var("h") - var("x") + 1
    >>> form.terms, form.constant
    ({'h': mpq(2,1), 'x': mpq(-1,1)}, mpq(1,1))
    """

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Mapping[Hashable, mpq], constant: Scalar = 0) -> None:
        self.terms = {name: coefficient for name, coefficient in terms.items() if coefficient}
        self.constant = mpq(constant)

    def __add__(self, other: "Affine | Scalar") -> "Affine":
        return total([self, other])

    __radd__ = __add__

    def __neg__(self) -> "Affine":
        return self * -1

    def __sub__(self, other: "Affine | Scalar") -> "Affine":
        return self + -other

    def __rsub__(self, other: "Affine | Scalar") -> "Affine":
        return -self + other

    def __mul__(self, factor: Scalar) -> "Affine":
        return Affine({name: coefficient * factor for name, coefficient in self.terms.items()}, self.constant * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> "Affine":
        return self * (1 / mpq(divisor))

    def substitute(self, forms: Mapping[Hashable, "Affine"]) -> "Affine":
        """Return the form with each name that `forms` knows replaced by its form."""
        terms: dict[Hashable, mpq] = {}
        constant = self.constant
        for name, coefficient in self.terms.items():
            form = forms.get(name)
            if form is None:
                terms[name] = terms.get(name, 0) + coefficient
                continue
            constant += coefficient * form.constant
            for inner, weight in form.terms.items():
                terms[inner] = terms.get(inner, 0) + coefficient * weight
        return Affine(terms, constant)

    def at(self, values: Mapping[Hashable, Any]) -> Any:
        """Return the value of the form; names without a value count as zero, and cost nothing."""
        terms = self.terms
        products = [value * terms[name] for name, value in values.items() if name in terms]
        return _sum(products, self.constant)

    def upper_bound(self) -> mpq:
        """Return the largest value of the form when every named quantity lies in [0, 1]."""
        return sum((coefficient for coefficient in self.terms.values() if coefficient > 0), self.constant)

    def __repr__(self) -> str:
        return " + ".join([*(f"{coefficient}*{name}" for name, coefficient in self.terms.items()), str(self.constant)])


def _sum(numbers: list[LongNumber], constant: mpq) -> LongNumber:
    """Return the sum, the numerals first: a rational on the left of one would have it written out."""
    long = [number for number in numbers if isinstance(number, Numeral)]
    if not long:
        return sum(numbers, constant)
    return sum(long[1:], long[0]) + sum((number for number in numbers if not isinstance(number, Numeral)), constant)


def var(name: Hashable) -> Affine:
    """Return the form that is just `name`."""
    return Affine({name: mpq(1)})


def total(forms: Iterable[Affine | Scalar]) -> Affine:
    """Return the sum of `forms`; the sum of none is zero.

    >>> total([var("a"), var("a"), 3]).terms
    {'a': mpq(2,1)}
    """
    terms: dict[Hashable, mpq] = {}
    constant = mpq(0)
    for form in forms:
        if isinstance(form, Affine):
            constant += form.constant
            for name, coefficient in form.terms.items():
                terms[name] = terms.get(name, 0) + coefficient
        else:
            constant += form
    return Affine(terms, constant)


def symbol(name: str) -> Affine:
    """Return the input component that is 1 if the symbol `name` is read."""
    return var(_SymbolKey(name))


@dataclass(frozen=True, slots=True)
class _SymbolKey:
    """The key of an input component: of a type of its own, so that no unit can have it."""

    name: str


def unit_name(unit: Hashable) -> str:
    """Return the printed name of a unit: parts of a tuple are joined by spaces, parts with spaces quoted.

    >>> unit_name(("scan", "q0", "R", "a b"))
    "scan q0 R 'a b'"
    """
    if isinstance(unit, tuple):
        return " ".join(map(unit_name, unit))
    text = str(unit)
    return text if text.isprintable() and text and " " not in text else repr(text)
