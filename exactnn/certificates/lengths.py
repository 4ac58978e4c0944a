"""Lengths of runs, and numbers of steps: polynomials in unknown whole numbers, with rational coefficients.

Known lengths are constants: whole numbers, or towers of powers, which the type checker takes for whole numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast

from gmpy2 import gcd, lcm, mpq, mpz

from exactnn.arithmetic import Tower
from exactnn.errors import CertificateError, NumberError
from exactnn.work import MOST_BITS, long_product, long_quotient, long_words, too_long

__all__ = ["ONE_LIMB", "TOWER_WORK", "Length", "added", "bits_of", "length_of", "require_whole", "unknown", "whole"]

Monomial = tuple[int, ...]
"""The unknowns that are multiplied, in order."""

ZERO = mpq(0)
TERM_BITS = 1 << 12
"""What a term of a tower counts for: its exponent is another tower."""
TOWER_WORK = 8
"""Units of work for a product of two terms of towers."""
MOST_TERMS = 1 << 10
HIGHEST_DEGREE = 64
_NONE: Mapping[Monomial, mpq] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Length:
    """A constant plus a sum of coefficient * monomial, without coefficients that are 0.

    >>> x, y = unknown(0), unknown(1)
    >>> (x + Length(3)).at([4]), x - x == Length(0), (x * y).into([y + Length(1), y]).at([0, 2])
    (7, True, 6)
    """

    constant: int | mpq
    terms: Mapping[Monomial, mpq] = field(default_factory=lambda: _NONE)

    def __add__(self, other: "Length") -> "Length":
        constant = self.constant + other.constant
        if not self.terms and not other.terms:
            return Length(constant)
        terms = dict(self.terms)
        for monomial, value in other.terms.items():
            terms[monomial] = terms.get(monomial, ZERO) + value
        return length_of(constant, terms)

    def __sub__(self, other: "Length") -> "Length":
        if not self.terms and not other.terms:
            return Length(self.constant - other.constant)
        return self + other * Length(-1)

    def __mul__(self, other: "Length") -> "Length":
        if not self.terms and not other.terms:
            return Length(self.constant * other.constant)
        one, two = (self, other) if other.terms else (other, self)
        if not one.terms:  # a known factor
            factor = one.constant
            return length_of(factor * two.constant, {m: factor * value for m, value in two.terms.items()})
        terms: dict[Monomial, mpq] = {}
        for first, value in (((), one.constant), *one.terms.items()):
            for second, more in (((), two.constant), *two.terms.items()):
                monomial = tuple(sorted(first + second))
                terms[monomial] = terms.get(monomial, ZERO) + mpq(value * more)
        return length_of(terms.pop((), mpq(0)), terms)

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms.items())))

    def at(self, values: Sequence[int]) -> int:
        """Return the length for these values of the unknowns; raises CertificateError if it is not whole."""
        total = self.constant if isinstance(self.constant, Tower) else mpq(self.constant)
        for monomial, value in self.terms.items():
            product = value
            for i in monomial:
                product = product * values[i]
            total = total + product
        if isinstance(total, Tower):
            return cast(int, total)
        if total.denominator != 1:
            raise CertificateError("a length or a number of steps is not whole")
        return int(total)

    def into(self, lengths: Sequence["Length"], spend: Callable[[int], object] = bool) -> "Length":
        """Return it with a length in the place of each unknown; `spend` is told of the work."""
        total = Length(self.constant)
        for monomial, value in self.terms.items():
            product = Length(value)
            for i in monomial:
                spend(_work_of_product(product, lengths[i]))
                product = product * lengths[i]
            spend(product.work)
            total = total + product
        return total

    def least(self) -> mpq | None:
        """Return a number that it is at least wherever the unknowns are at least 1; None if the signs tell none."""
        if any(value < 0 for value in self.terms.values()):
            return None
        return mpq(self.constant) + sum(self.terms.values())

    @property
    def denominator(self) -> int:
        """The least common denominator of its coefficients and its constant."""
        return int(lcm(*[mpq(value).denominator for value in (self.constant, *self.terms.values())]))

    @property
    def content(self) -> int:
        """The greatest common divisor of its coefficients, which must be whole."""
        return int(gcd(*[value.numerator for value in self.terms.values()]))

    @property
    def bits(self) -> int:
        """The size of the largest number in it."""
        if not self.terms:
            return bits_of(self.constant)
        return max(bits_of(value) for value in (self.constant, *self.terms.values()))

    @property
    def work(self) -> int:
        """What an operation on it takes."""
        if not self.terms:
            return 1 + long_words(bits_of(self.constant))
        return (1 + len(self.terms)) * (1 + long_words(self.bits))


def _work_of_product(one: Length, other: Length) -> int:
    terms, bits = (1 + len(one.terms)) * (1 + len(other.terms)), [one.bits, other.bits]
    if isinstance(one.constant, Tower) and isinstance(other.constant, Tower):
        powers = one.constant.powers, other.constant.powers
        terms *= TOWER_WORK * (1 + powers[0].count) * (1 + powers[1].count)
        bits = [bits_of(x.constant) + x.powers.longest for x in (one.constant, other.constant)]
    return one.work + other.work + terms * (1 + long_product(*bits))


def whole(value: int | mpq | mpz | Tower) -> int:
    """Return a known length, which is whole, for the arithmetic of towers too."""
    return cast(int, value) if isinstance(value, Tower) else int(value)


def bits_of(value: int | mpq) -> int:
    """Return the size of a number, as far as work on it goes: that of a tower is that of its coefficients."""
    if isinstance(value, Tower):
        return TERM_BITS * (1 + value.powers.count) + max(bits_of(value.constant), value.powers.longest)
    if isinstance(value, int):
        return value.bit_length()
    return value.numerator.bit_length() + value.denominator.bit_length()


def added(one: int, other: int) -> tuple[int, int]:
    """Return the sum of two known numbers, and the work that it was.

    Of towers, terms of one group are merged: that writes out by how much their exponents differ, so that the term they
    become is at least as long as that.
    """
    total = one + other
    work = long_words(max(bits_of(value.constant if isinstance(value, Tower) else value) for value in (one, other)))
    if isinstance(one, Tower) and isinstance(other, Tower):
        fewer, more = sorted((one.powers, other.powers), key=lambda powers: powers.count)
        groups = total.powers.groups if isinstance(total, Tower) else {}
        merged = [bits_of(term.coefficient) for group in fewer.groups for term in groups.get(group, ())]
        work += long_words(TERM_BITS * more.count) + sum(1 + long_quotient(bits, bits) for bits in merged)
    return total, work


def length_of(constant: int | mpq, terms: Mapping[Monomial, mpq]) -> Length:
    """Return a length from its constant and its other terms, without those that are 0."""
    if any(isinstance(value, Tower) for value in terms.values()):
        raise CertificateError("a length that is not known is multiplied by one that is too long to be written out")
    found = Length(constant, {monomial: value for monomial, value in terms.items() if value})
    if len(found.terms) > MOST_TERMS or any(len(monomial) > HIGHEST_DEGREE for monomial in found.terms):
        raise CertificateError(f"its steps are a polynomial of more than {MOST_TERMS} terms or degree {HIGHEST_DEGREE}")
    if found.terms and found.bits > 4 * MOST_BITS:
        raise too_long()
    return found


def require_whole(length: Length) -> None:
    """Raise CertificateError if a known length is no whole number."""
    try:
        is_whole = not (length.constant if isinstance(length.constant, Tower) else mpq(length.constant)) % 1
    except NumberError:
        is_whole = False
    if not is_whole:
        raise CertificateError("a length, or a number of rounds, is not whole")


def unknown(number: int) -> Length:
    """Return the unknown with that number."""
    return Length(0, {(number,): mpq(1)})


ONE_LIMB = Length(1)
