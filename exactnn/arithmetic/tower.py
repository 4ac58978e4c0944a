"""Whole numbers that are too long to be written out: sums of powers whose exponents may be such sums again.

A run of some Turing machines takes more than 10^10^10^10^10 steps. Such a number is kept as c + sum of v * b**E with
rational c and v, whole b and an exponent E that is a whole number or another such sum. Sums, products, residues and
comparisons are exact: one that cannot be decided raises SizeLimitError.
"""

import sys
from collections.abc import Iterable
from functools import cache, total_ordering
from itertools import pairwise
from math import gcd, lcm
from typing import Any, Union

import gmpy2
from gmpy2 import mpq, mpz

from exactnn.arithmetic.iterated_logarithm import Size
from exactnn.arithmetic.powers import Group, Powers, Term, grouped, log_bounds, power_exceeds, shared_powers
from exactnn.errors import NumberError, SizeLimitError, shown

__all__ = ["WRITTEN_BITS", "Tower", "Whole", "power", "residue", "sum_of_apart"]

WRITTEN_BITS = 1 << 24
"""Bits up to which a power is written out, and exponents that differ by less are one term."""
MOST_EXPONENT = 3 * 10**8
"""Powers of ten up to which a number is shown with one: gmpy2's reals end at 2**2**30, whatever the context says."""

LONGEST_BASE = 1 << 10
"""Bits of a base of a power that is not written out."""

Whole = Union[int, mpz, "Tower"]
"""A whole number, of any size: one of Python or gmpy2 if it can be written out."""
Value = Union[int, mpz, mpq, "Tower"]


@total_ordering
class Tower:
    """A sum c + v1 * b1**E1 + v2 * b2**E2 + ..., too long to be written out.

    It is added, subtracted and multiplied exactly with whole and rational numbers and with others of the same bases,
    divided by whole numbers (`//`, `%`), and compared with any. What becomes short enough is an ordinary number again.
    An operation whose result is not known raises SizeLimitError: a product of powers of different bases, or a
    comparison of sums that are too close to each other.

    Parameters
    ----------
    powers : Powers
        The sum of the terms.
    constant : mpq

    Examples
    --------
    >>> x = power(10, power(10, 100))
    >>> x > power(9, power(10, 100)), (x * x) % 7, x - x, (x + 6) // 4 == x // 4 + 1
    (True, 2, mpz(0), True)
    >>> print(x)
    about 10^(1e100)
    >>> print(power(2, x))
    more than 10↑↑4
    """

    __slots__ = ("constant", "powers")

    def __init__(self, powers: Powers, constant: mpq) -> None:
        self.powers = powers
        self.constant = constant

    @property
    def whole_part(self) -> int:
        """The largest whole number that is at most the constant."""
        return int(self.constant.numerator // self.constant.denominator)

    @property
    def part(self) -> mpq:
        """What the constant has beyond its whole part."""
        return mpq(0) if self.constant.denominator == 1 else self.constant - self.whole_part

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms (base, exponent, coefficient)."""
        return self.powers.terms

    # --- Sums and products

    def __add__(self, other: Value) -> Value:
        if isinstance(other, Tower):
            return _sum(self, other) if self.powers.count >= other.powers.count else _sum(other, self)
        return Tower(self.powers, self.constant + other) if other else self

    __radd__ = __add__

    def __neg__(self) -> "Tower":
        groups = {group: tuple([Term(b, e, -v) for b, e, v in terms]) for group, terms in self.powers.groups.items()}
        return Tower(shared_powers(groups), -self.constant)

    def __sub__(self, other: Value) -> Value:
        if isinstance(other, Tower) and other.powers is self.powers:
            return _short(self.constant - other.constant)
        return self + -other

    def __rsub__(self, other: Value) -> Value:
        return -self + other

    def __mul__(self, other: Value) -> Value:
        if not isinstance(other, Tower):
            if not other:
                return mpz(0)
            return _made([Term(b, e, v * other) for b, e, v in self.terms], self.constant * other)
        terms = [Term(b, e, v * self.constant) for b, e, v in other.terms if self.constant]
        terms += [Term(b, e, v * other.constant) for b, e, v in self.terms if other.constant]
        for base, exponent, value in self.terms:
            for second, more, factor in other.terms:
                if base != second:
                    raise SizeLimitError(f"a product of powers of {base} and {second} that are too long to be written")
                terms.append(Term(base, _whole(exponent + more), value * factor))
        return _made(terms, self.constant * other.constant)

    __rmul__ = __mul__

    def __mod__(self, modulus: int) -> int:
        return residue(self, modulus)

    def __floordiv__(self, divisor: int) -> Whole:
        return _whole((self - residue(self, divisor)) * mpq(1, divisor))

    def __divmod__(self, divisor: int) -> tuple[Whole, int]:
        rest = residue(self, divisor)
        return _whole((self - rest) * mpq(1, divisor)), rest

    # --- Comparisons

    @property
    def sign(self) -> int:
        """1, or -1; raises SizeLimitError if it is not known."""
        sign, size = self.powers.decided()
        if self.constant and not size.exceeds_bits(log_bounds(self.constant)[1] + 2):
            raise SizeLimitError("a sum of powers that is too close to a number to be compared with it")
        return sign

    @property
    def size(self) -> Size:
        """How large it is, whatever its sign."""
        return self.powers.decided()[1] if not self.constant or self.sign else Size(0, 0, 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tower | int | mpz | mpq):
            return NotImplemented
        if isinstance(other, Tower):
            if self.powers is other.powers:
                return bool(self.constant == other.constant)
            if hash(self) != hash(other):
                return False
        difference = self - other
        return not (difference.sign if isinstance(difference, Tower) else difference)

    def __lt__(self, other: Value) -> bool:
        difference = self - other
        return difference.sign < 0 if isinstance(difference, Tower) else difference < 0

    def __hash__(self) -> int:
        """Return the residue modulo 2**61 - 1, which is the same for all forms of a number."""
        over, modulus = _denominator(self), sys.hash_info.modulus
        inverse = pow(over, -1, modulus) if over % modulus else 0
        return _residue_of_multiple(self, over, modulus) * inverse % modulus

    # --- Text

    def __int__(self) -> int:
        raise OverflowError(f"this number ({self}) is too long to be written out")

    __index__ = __int__

    def __str__(self) -> str:
        if self.sign < 0:
            return f"-({-self})"
        levels, rest = _levels(self)
        if levels == 0:
            return f"about {rest:.4g}".replace("e+", "e")
        if levels == 1:
            return f"about 10^({rest:.4g})".replace("e+", "e")
        while rest >= 10:
            levels, rest = levels + 1, gmpy2.log10(rest)
        while not self > _tens(levels):
            levels -= 1
        return f"more than 10↑↑{levels}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def __format__(self, spec: str) -> str:
        return str(self)


def power(base: int, exponent: Whole) -> Whole:
    """Return base**exponent, for a base of at least 2 and an exponent that is not negative.

    >>> power(2, 10), power(2, power(2, 100)) == power(4, power(2, 99))
    (mpz(1024), True)
    """
    if not isinstance(exponent, Tower) and exponent < 0:
        raise NumberError(f"a power with the exponent {shown(exponent)}, which is negative")
    if not isinstance(exponent, Tower) and exponent * base.bit_length() <= WRITTEN_BITS:
        return mpz(base) ** int(exponent)
    if base.bit_length() > LONGEST_BASE:
        raise SizeLimitError(f"a power of a number of {base.bit_length()} bits that is too long to be written")
    root, degree = _root(int(base))
    exponent = _whole(exponent * degree)
    if not isinstance(exponent, Tower):
        exponent = int(exponent)
    elif exponent.sign < 0:
        raise SizeLimitError("a power with a negative exponent that is too long to be written")
    return _whole(_made([Term(root, exponent, mpq(1))], mpq(0)))


def sum_of_apart(values: Iterable[Value]) -> Value:
    """Return the sum of numbers whose powers are terms of their own, so that it takes no time to merge them.

    NumberError is raised if the exponents of two differ by a short number.
    """
    terms, constant = list[Term](), mpq(0)
    for value in values:
        terms += value.terms if isinstance(value, Tower) else ()
        constant += value.constant if isinstance(value, Tower) else value
    groups = grouped(terms)
    for (base, *_), alike in groups.items():
        for low, high in pairwise(sorted(alike, key=_offset)):
            if _are_near(base, low, high):
                apart = _offset(high) - _offset(low)
                raise NumberError(f"two powers of {base} whose exponents differ by {apart}: write one for both")
    return Tower(shared_powers(groups), constant) if groups else _short(constant)


@cache
def _root(base: int) -> tuple[int, int]:
    """Return (r, k) with base = r**k and the largest k."""
    for k in range(base.bit_length() - 1, 1, -1):
        root, exact = gmpy2.iroot(mpz(base), k)
        if exact:
            return int(root), k
    return base, 1


def _whole(value: Value) -> Whole:
    """Return a number that is whole as an integer, if it is no tower."""
    if isinstance(value, Tower):
        return value
    if isinstance(value, mpq):
        assert value.denominator == 1, "a number that is not whole"
        return value.numerator
    return value


def _made(terms: list[Term], constant: mpq) -> Value:
    """Return the sum of terms and a constant in lowest terms."""
    groups: dict[Group, tuple[Term, ...]] = {}
    for group, alike in grouped(terms).items():
        found, rest = _merged(group[0], alike)
        constant += rest
        if found:
            groups[group] = found
    return Tower(shared_powers(groups), mpq(constant)) if groups else _short(constant)


def _sum(longer: Tower, other: Tower) -> Value:
    """Return the sum of two towers; terms of the longer one that have nothing to do with the other stay as they are."""
    groups = dict(longer.powers.groups)
    constant = longer.constant + other.constant
    for group, terms in other.powers.groups.items():
        if group not in groups:
            groups[group] = terms
            continue
        found, rest = _merged(group[0], groups[group] + terms)
        constant += rest
        if found:
            groups[group] = found
        else:
            del groups[group]
    return Tower(shared_powers(groups), constant) if groups else _short(constant)


def _offset(term: Term) -> int:
    """Return a whole number by which the exponents of a group differ."""
    exponent = term.exponent
    return exponent.whole_part if isinstance(exponent, Tower) else int(exponent)


def _are_near(base: int, one: Term, other: Term) -> bool:
    """Whether the exponents of two terms of a group differ by so little that they are one term."""
    return abs(_offset(one) - _offset(other)) * base.bit_length() <= WRITTEN_BITS


def _merged(base: int, group: tuple[Term, ...]) -> tuple[tuple[Term, ...], mpq]:
    """Return the sum of terms of one group in lowest terms, which are in this group, and a number if that is short."""
    found: list[Term] = []
    constant, shifted = mpq(0), False
    rest = sorted(group, key=_offset, reverse=True)
    while rest:
        lowest = rest.pop()
        first, value = _offset(lowest), lowest.coefficient
        while rest and _are_near(base, lowest, rest[-1]):
            term = rest.pop()
            value += term.coefficient * mpz(base) ** (_offset(term) - first)
        if not value:
            continue
        value, shift = _reduced(value, base)
        exponent = _whole(lowest.exponent + shift) if shift else lowest.exponent
        if not isinstance(exponent, Tower) and exponent * base.bit_length() <= WRITTEN_BITS:
            constant += value * mpq(base) ** int(exponent)
            continue
        found.append(Term(base, exponent, value))
        shifted = shifted or bool(shift)
    if shifted:  # by which some may have come near to each other
        found.sort(key=_offset)
        if any(_are_near(base, low, high) for low, high in pairwise(found)):
            again, more = _merged(base, tuple(found))
            return again, constant + more
    return tuple(found), constant


def _short(value: mpq) -> Value:
    return value.numerator if value.denominator == 1 else value


def _reduced(value: mpq, base: int) -> tuple[mpq, int]:
    """Return (w, k) with value = w * base**k: the base does not divide w, and is prime to its denominator."""
    above, below = value.numerator, value.denominator
    above, shift = gmpy2.remove(above, base)
    if below == 1:
        return mpq(above), shift
    while (common := gcd(int(below), base)) > 1:
        below //= common
        above *= base // common
        shift -= 1
        above, more = gmpy2.remove(above, base)
        shift += more
    return mpq(above, below), shift


# --- Residues.


def residue(value: Whole, modulus: int) -> int:
    """Return a whole number modulo another one, of any size.

    >>> residue(power(3, power(3, 100)), 10)
    3
    """
    modulus = int(modulus)
    if not isinstance(value, Tower):
        return int(value % modulus)
    over = _denominator(value)
    multiple = _residue_of_multiple(value, over, modulus * over)
    if multiple % over:
        raise NumberError(f"a sum of {len(value.terms)} powers that is no whole number")
    return multiple // over % modulus


def _denominator(value: Tower) -> int:
    return lcm(int(value.constant.denominator), value.powers.denominator)


def _residue_of_multiple(value: Tower, over: int, modulus: int) -> int:
    """Return over * value modulo a number, for `over` that all denominators divide."""
    return (int(value.constant * over) + value.powers.residue(over, modulus)) % modulus


@cache
def _tens(levels: int) -> Whole:
    """Return 10**10**...**10 with so many tens."""
    value: Whole = 1
    for _ in range(levels):
        value = power(10, value)
    return value


def _levels(value: Whole) -> tuple[int, Any]:
    """Return (h, x) for a number above 1 that is about 10^10^...^x with h tens."""
    tops: list[Term] = []
    while isinstance(value, Tower):
        top = value.terms[0]
        for term in value.terms[1:]:
            if power_exceeds(term, top, 0):
                top = term
        tops.append(top)
        value = top.exponent
    with gmpy2.context(precision=64, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        levels, rest = 0, gmpy2.mpfr(value)
        for top in reversed(tops):
            scale = gmpy2.log10(gmpy2.mpfr(top.base))
            if levels > 1:
                levels += 1
            elif levels == 1:
                levels, rest = 2, rest + gmpy2.log10(scale)
            else:
                rest = rest * scale + gmpy2.log10(gmpy2.mpfr(abs(top.coefficient)))
                levels, rest = (0, gmpy2.exp10(rest)) if rest < MOST_EXPONENT else (1, rest)
    return levels, rest
