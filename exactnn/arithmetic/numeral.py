"""Exact numbers with astronomically many digits, as runs of equal pieces."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import total_ordering
from itertools import islice
from math import isfinite, lcm

import gmpy2
from gmpy2 import mpq, mpz

from exactnn.arithmetic.digits import Piece, Runs, carried, divided, fraction_of_runs, places, regrouped, side_by_side
from exactnn.arithmetic.rational import count_text
from exactnn.errors import NumberError, SizeLimitError
from exactnn.size_limit import default_max_bits

__all__ = ["MOST_DIGITS", "Numeral"]

MOST_DIGITS = 1 << 28
"""Digits up to which a numeral is written out as a rational."""
FLOAT_BITS = 1200
"""More bits after the point than any float has."""
SHORT = 64
"""Digits of a piece that a head is cut into."""

Rational = int | mpz | mpq | Fraction

_RATIONAL = (int, mpz, mpq, Fraction)


@total_ordering
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Numeral:
    """The number (head + sign * T) / base**places, where T = 0.XXX... in base**limb_digits has runs of equal limbs.

    It equals any number of the same value, and is compared, added, subtracted and multiplied by rationals exactly, in
    time that depends on the number of runs alone. A numeral goes on the left: a gmpy2 number on the left wants it
    written out.

    Parameters
    ----------
    base : int
    limb_digits : int
        How many digits of the base a limb has.
    head, places : int
    sign : 1 or -1
    runs : tuple of (limb, count)
        The limbs of T, the most significant first; counts are of any size. The last limb is not 0.

    Examples
    --------
    One third, up to its 10**100-th binary digit:

    >>> third = Numeral(base=2, limb_digits=2, head=0, places=0, sign=1, runs=((1, 5 * 10**99),))
    >>> third.digits == 10**100, float(third), third.leading(8), third < mpq(1, 3), third
    (True, 0.3333333333333333, mpq(85,256), True, <0.333333 with about 1.000e100 digits in base 2>)
    """

    base: int
    limb_digits: int
    head: int
    places: int
    sign: int
    runs: Runs

    @classmethod
    def of(cls, value: Rational, base: int) -> "Numeral":
        """Return a rational as a numeral.

        Raises
        ------
        NumberError
            If its digits in the base do not end.

        Examples
        --------
        >>> Numeral.of(mpq(-3, 8), 2).head
        -3
        """
        value = _rational(value)
        count = places(value, base)
        if count is None:
            raise NumberError(f"a denominator of {value.denominator.bit_length()} bits divides no power of {base}: "
                              f"the number has no end in base {base}")  # fmt: skip
        head = value.numerator * (mpz(base) ** count // value.denominator)
        return cls(base=base, limb_digits=1, head=int(head), places=count, sign=1, runs=())

    @property
    def digits(self) -> int:
        """How many digits there are after the point."""
        return self.places + self.limb_digits * sum(count for _, count in self.runs)

    @property
    def bits(self) -> int:
        """A bound of the bits of :meth:`rational`, numerator and denominator together.

        >>> Numeral(base=2, limb_digits=2, head=0, places=0, sign=1, runs=((1, 50),)).bits
        202
        """
        fraction = (self.base - 1).bit_length() * self.digits
        return 2 * (fraction + 1) + self.head.bit_length()

    def rational(self) -> mpq:
        """Return the number as a rational.

        Raises
        ------
        SizeLimitError
            If it is too long to be written out: beyond 2**28 digits, or 1/64 of the memory.
        """
        if self.digits > MOST_DIGITS or self.bits > default_max_bits():
            raise SizeLimitError(
                f"a number of {count_text(self.digits)} digits is not written out: use it as the Numeral that it is "
                "(on the left of an operator), or take its leading() digits"
            )
        tail, digits = fraction_of_runs(self.runs, mpz(self.base) ** self.limb_digits)
        scale = mpz(self.base) ** (digits * self.limb_digits)
        return mpq(self.head * scale + self.sign * tail, scale * mpz(self.base) ** self.places)

    def __mpq__(self) -> mpq:
        """Return :meth:`rational`; where that raises an error, or is interrupted, gmpy2 makes a TypeError of it."""
        return self.rational()

    def leading(self, digits: int) -> mpq:
        """Return the number cut after so many digits, towards minus infinity."""
        limbs = max(0, digits - self.places) // self.limb_digits + 2
        known = mpz(0)
        unit = mpz(self.base) ** self.limb_digits
        taken = 0
        for limb in islice(self._limbs(), limbs):
            known = known * unit + limb
            taken += 1
        longer = sum(count for _, count in self.runs) > taken
        number = self.head * unit**taken + self.sign * known
        cut = (number - (longer and self.sign < 0)) * mpz(self.base) ** digits
        return mpq(cut // mpz(self.base) ** (self.places + taken * self.limb_digits), mpz(self.base) ** digits)

    def floor(self, scale: int | mpz) -> mpz:
        """Return the largest whole number that is at most `scale` times this one, for a scale above 0.

        >>> Numeral(base=2, limb_digits=2, head=0, places=0, sign=1, runs=((1, 10**99),)).floor(300)
        mpz(99)
        """
        cut = self.leading(_digits_for(scale, self.base)) * scale  # less than 1 too low
        found = cut.numerator // cut.denominator
        return found + (self >= mpq(found + 1, scale))

    def words(self, digits: int = 1) -> tuple[int, int, Runs]:
        """Return (whole, d, runs), the number as whole + 0.www... with words from 0 to base**d - 1.

        The length d is a multiple of `digits`, so that a word is made of whole digits in base**digits.

        >>> Numeral(base=10, limb_digits=1, head=7, places=2, sign=-1, runs=((3, 10**20),)).words(2)
        (0, 2, ((6, 1), (66, 49999999999999999999), (67, 1)))
        """
        length = lcm(self.limb_digits, digits)
        whole, runs = _total([(1, self)], length)
        return whole, length, runs

    def __add__(self, other: "Numeral | Rational") -> "Numeral":
        if not isinstance(other, (Numeral, *_RATIONAL)):
            return NotImplemented
        return _sum([(1, self), (1, self._like(other))])

    __radd__ = __add__

    def __sub__(self, other: "Numeral | Rational") -> "Numeral":
        if not isinstance(other, (Numeral, *_RATIONAL)):
            return NotImplemented
        return _sum([(1, self), (-1, self._like(other))])

    def __rsub__(self, other: Rational) -> "Numeral":
        return -self + other

    def __neg__(self) -> "Numeral":
        return replace(self, head=-self.head, sign=-self.sign)

    def __mul__(self, factor: Rational) -> "Numeral":
        if not isinstance(factor, _RATIONAL):
            return NotImplemented
        scaled = self._like(factor)
        product = _sum([(scaled.head, self)])
        return replace(product, places=scaled.places)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        found = self._compared(other)
        return NotImplemented if found is None else found == 0

    def __lt__(self, other: object) -> bool:
        found = self._compared(other)
        return NotImplemented if found is None else found < 0

    def __hash__(self) -> int:
        """Return the hash of the rational of the same value, as Python defines it for all numbers."""
        modulus = sys.hash_info.modulus
        unit = pow(self.base, self.limb_digits, modulus)
        number = 0
        for limb, count in reversed(self.runs):
            shift = pow(unit, -(count % (modulus - 1)), modulus)
            ones = (1 - shift) * pow(unit - 1, -1, modulus) if unit > 1 else count
            number = (limb * ones + number * shift) % modulus
        number = (self.head + self.sign * number) * pow(self.base, -self.places, modulus) % modulus
        return hash(number if self >= 0 else number - modulus if number else 0)

    def __bool__(self) -> bool:
        return bool(self.head or self.runs)

    def __float__(self) -> float:
        """Return the nearest float, of two the even one."""
        digits = _digits_for(1 << FLOAT_BITS, self.base)
        cut = self.leading(digits)
        below, above = float(cut), float(cut + mpq(1, mpz(self.base) ** digits))
        if below == above:
            return below
        middle = (mpq(below) + mpq(above)) / 2
        return float(middle) if self == middle else below if self < middle else above

    def __str__(self) -> str:
        with gmpy2.context(precision=53, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
            return f"{gmpy2.mpfr(self.leading(self.places + SHORT)):.6g}"

    def __repr__(self) -> str:
        return f"<{self} with {count_text(self.digits)} digits in base {self.base}>"

    def _limbs(self) -> Iterator[int]:
        for limb, count in self.runs:
            for _ in range(min(count, 1 << 62)):
                yield limb

    def _like(self, other: "Numeral | Rational") -> "Numeral":
        """Return a number as a numeral in the same base."""
        if not isinstance(other, Numeral):
            return Numeral.of(other, self.base)
        if other.base != self.base:
            raise NumberError(
                f"numerals in bases {self.base} and {other.base} have no sum: write one out by rational()"
            )
        return other

    def _compared(self, other: object) -> int | None:
        """Return the sign of self - other, or None if that is no finite number."""
        if isinstance(other, Numeral):
            difference = self - other
            return -1 if difference.head < 0 else int(bool(difference))
        if not isinstance(other, (*_RATIONAL, float)) or (isinstance(other, float) and not isfinite(other)):
            return None
        bound = self.sign * (_rational(other) * mpz(self.base) ** self.places - self.head)
        return self.sign * _compared_runs(self.runs, self.base**self.limb_digits, bound)

    def _pieces(self) -> Iterator[Piece]:
        """Yield the digits after the point, those of the head from 0 up."""
        fraction = self.head % mpz(self.base) ** self.places
        yield from _short_pieces(fraction, self.base, self.places)
        for limb, count in self.runs:
            yield self.sign * limb, self.limb_digits, count


def _rational(value: Rational | float) -> mpq:
    """Return a number as a rational; gmpy2 itself takes no Fraction of its own integers."""
    return mpq(value) if isinstance(value, (float, mpz)) else mpq(value.numerator, value.denominator)


def _digits_for(scale: int | mpz, base: int) -> int:
    """Return so many digits that base**digits is at least `scale`."""
    return scale.bit_length() // (base.bit_length() - 1) + 1


def _short_pieces(number: mpz, base: int, digits: int) -> Iterator[Piece]:
    if digits <= SHORT:
        yield int(number), digits, 1
        return
    high, low = divided(number, base, digits // 2)
    yield from _short_pieces(high, base, digits - digits // 2)
    yield from _short_pieces(low, base, digits // 2)


def _sum(terms: Sequence[tuple[int, Numeral]]) -> Numeral:
    """Return the sum of factor * numeral, in one base."""
    base = terms[0][1].base
    length = lcm(*(numeral.limb_digits for _, numeral in terms))
    whole, runs = _total(terms, length)
    return Numeral(base=base, limb_digits=length, head=whole, places=0, sign=1, runs=runs)


def _total(terms: Sequence[tuple[int, Numeral]], length: int) -> tuple[int, Runs]:
    """Return a sum as a whole number and words of `length` digits after the point, none of them negative."""
    base = terms[0][1].base
    factors = [factor for factor, _ in terms]
    whole = sum(factor * int(numeral.head // mpz(base) ** numeral.places) for factor, numeral in terms)
    rows = [regrouped(numeral._pieces(), base, length) for _, numeral in terms]
    added = [
        (sum(factor * word for factor, word in zip(factors, words, strict=True)), count)
        for words, count in side_by_side(rows)
    ]
    carry, runs = carried(added, base**length)
    return whole + carry, runs


def _compared_runs(runs: Runs, unit: int, bound: mpq) -> int:
    """Return the sign of T - bound, T the number of the runs.

    T - f shrinks by unit**count over a run of limbs, f = limb / (unit - 1) being the number of a run without end. So
    the distance of the bound from f grows by that, and decides when it is above 1.
    """
    for limb, count in runs:
        gap = bound - mpq(limb, unit - 1)
        if not gap:
            continue
        near = count * (unit.bit_length() - 1) <= gap.denominator.bit_length()
        grown = gap * mpz(unit) ** count if near else gap
        if not near or abs(grown) > 1:
            return -1 if gap > 0 else 1
        bound = grown + mpq(limb, unit - 1)
    return -1 if bound > 0 else int(bound < 0)
