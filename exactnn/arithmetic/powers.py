"""Sums of powers, of which there is one object each, with their signs, sizes and residues."""

from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from math import gcd, lcm
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from gmpy2 import mpq, mpz

from exactnn.arithmetic.carmichael import carmichael
from exactnn.arithmetic.iterated_logarithm import UNIT, Size
from exactnn.errors import SizeLimitError

__all__ = ["Group", "Powers", "Term", "grouped", "log_bounds", "power_exceeds", "shared_powers"]

Exponent = Any
"""A whole number, or another tower of powers."""
LOG_STEPS = 64
"""Logarithms of bases are known to so many parts of 1."""
MOST_SHARED = 12
"""Terms of a sum up to which there is one object for it."""
LONG_BITS = 1 << 14
"""Sums with longer coefficients are not kept when nobody needs them."""


class Term(NamedTuple):
    """coefficient * base**exponent."""

    base: int
    exponent: Exponent
    coefficient: mpq


Group = tuple[int, object, mpq]
"""Terms with the same base, and exponents that differ by a whole number."""


def _group_of(term: Term) -> Group:
    exponent = term.exponent
    if isinstance(exponent, int | mpz):
        return term.base, None, mpq(0)
    return term.base, exponent.powers, exponent.part


def grouped(terms: Iterable[Term]) -> dict[Group, tuple[Term, ...]]:
    """Return terms by their groups."""
    groups: dict[Group, list[Term]] = {}
    for term in terms:
        groups.setdefault(_group_of(term), []).append(term)
    return {group: tuple(alike) for group, alike in groups.items()}


class Powers:
    """A sum of terms, of which there is one object only, so that what is found out about it is found out once.

    The terms are in lowest terms: no base divides its coefficient, nor has a factor in common with its denominator, and
    no two terms with the same base have exponents that differ by a short number. They are kept by their groups, since a
    long sum to which a short one is added changes in the groups of that only.
    """

    __slots__ = ("__weakref__", "_denominator", "_longest", "_terms", "count", "groups", "residues", "sizes")

    def __init__(self, groups: Mapping[Group, tuple[Term, ...]]) -> None:
        self.groups = groups
        self.count = sum(map(len, groups.values()))
        self.residues: dict[tuple[int, int], int] = {}
        self.sizes: tuple[int, Size] | None = None
        self._terms: tuple[Term, ...] | None = None
        self._denominator: int | None = None
        self._longest: int | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of all groups."""
        if self._terms is None:
            self._terms = tuple(chain.from_iterable(self.groups.values()))
        return self._terms

    @property
    def denominator(self) -> int:
        """The least common denominator of the coefficients."""
        if self._denominator is None:
            self._denominator = lcm(*[int(term.coefficient.denominator) for term in self.terms])
        return self._denominator

    @property
    def longest(self) -> int:
        """The bits of the longest coefficient, its numerator and its denominator together."""
        if self._longest is None:
            self._longest = max(
                [v.numerator.bit_length() + v.denominator.bit_length() for _, _, v in self.terms], default=0
            )
        return self._longest

    def decided(self) -> tuple[int, Size]:
        """Return the sign and the size; raises SizeLimitError if they are not known."""
        if self.sizes is None:
            self.sizes = _decided(self.terms)
        return self.sizes

    def residue(self, multiple: int, modulus: int) -> int:
        """Return a multiple of the sum, which is whole, modulo a number."""
        found = self.residues.get((multiple, modulus))
        if found is None:
            total = 0
            for base, exponent, coefficient in self.terms:
                total += int(coefficient * multiple % modulus) * _power_residue(base, exponent, modulus)
            found = self.residues[multiple, modulus] = total % modulus
        return found


_KNOWN: WeakValueDictionary[tuple[object, ...], Powers] = WeakValueDictionary()
_LATEST: deque[Powers] = deque(maxlen=1 << 12)
"""Those that are kept a while though nobody has them."""


def shared_powers(groups: Mapping[Group, tuple[Term, ...]]) -> Powers:
    """Return the object for a sum of terms; there may be others for a long one."""
    made = Powers(groups)
    if made.count > MOST_SHARED:
        return made
    key = tuple(sorted([(*_place(term), term.coefficient) for term in made.terms]))
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = made
        if sum([term.coefficient.numerator.bit_length() for term in made.terms]) < LONG_BITS:
            _LATEST.append(found)
    return found


def _place(term: Term) -> tuple[int, int, Any]:
    """Return where a term is in a sum: the same for equal powers."""
    exponent = term.exponent
    if isinstance(exponent, int | mpz):
        return term.base, 0, exponent
    return term.base, id(exponent.powers), exponent.constant


# --- Which sign a sum has: that of its largest term, where that is larger than all others together.


def _decided(terms: tuple[Term, ...]) -> tuple[int, Size]:
    """Return the sign of a sum and its size."""
    top = terms[0]
    for term in terms[1:]:
        if power_exceeds(term, top, 0):
            top = term
    room = len(terms).bit_length() + 1  # bits by which the largest must exceed each of the others
    for term in terms:
        if term is not top and not power_exceeds(
            top, term, room + log_bounds(term.coefficient)[1] - log_bounds(top.coefficient)[0]
        ):
            raise SizeLimitError("two sums of powers that are too close to each other to be compared")
    return (1 if top.coefficient > 0 else -1), _size(top)


def power_exceeds(one: Term, other: Term, bits: int) -> bool:
    """Whether a power is larger than another by more than so many bits, without their coefficients."""
    first, second = _size_of(one.exponent), _size_of(other.exponent)
    if first.is_far_above(second) and first.exceeds_bits(max(0, bits).bit_length() + 2):
        return True
    if second.is_far_above(first):
        return False
    low, high = _log_of_base(one.base)
    if one.base == other.base:
        difference = one.exponent - other.exponent
        return bool(difference > 0 and difference * low > bits)
    least, most = _log_of_base(other.base)
    if one.exponent * low - other.exponent * most > bits:
        return True
    if not one.exponent * high - other.exponent * least > bits:
        return False
    raise SizeLimitError(f"powers of {one.base} and {other.base} that are too close to each other to be compared")


def _size_of(value: Exponent) -> Size:
    return Size.of(int(value)) if isinstance(value, int | mpz) else value.size


def _size(term: Term) -> Size:
    """Return the size of a term, and of all sums of which it is so much the largest that these are half to twice it."""
    (low, high), (least, most) = _log_of_base(term.base), log_bounds(term.coefficient)
    if isinstance(term.exponent, int | mpz):
        below, above = int(term.exponent * low) + least - 2, int(term.exponent * high) + most + 2
        return Size(1, below * UNIT, above * UNIT).settled()
    size = term.exponent.size
    if not size.exceeds_bits(max(-least, most).bit_length() + 2):
        raise SizeLimitError("a power that is not much longer than its coefficient")
    # The logarithm of the sum is the exponent times that of the base, or half to twice as much.
    size = size.widened(int(high).bit_length() + 2)
    return Size(size.levels + 1, size.low, size.high).settled()


def log_bounds(value: mpq) -> tuple[int, int]:
    """Return bounds of the base-2 logarithm of the size of a number that is not 0."""
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    return bits - 1, bits + 1


@cache
def _log_of_base(base: int) -> tuple[mpq, mpq]:
    """Return bounds of the base-2 logarithm of a base."""
    bits = (mpz(base) ** LOG_STEPS).bit_length()
    exact = base & (base - 1) == 0
    return mpq(bits - 1, LOG_STEPS), mpq(bits - exact, LOG_STEPS)


# --- Residues.


def _power_residue(base: int, exponent: Exponent, modulus: int) -> int:
    """Return base**exponent modulo a number that is short beside the exponent.

    The modulus is g * m with g dividing a power of the base and m prime to it. The power is 0 modulo g, and modulo m it
    has the period of Carmichael's function in the exponent.
    """
    if isinstance(exponent, int | mpz):
        return pow(base, int(exponent), modulus)
    if not exponent.size.exceeds_bits(modulus.bit_length().bit_length()):
        raise SizeLimitError(f"a residue modulo a number of {modulus.bit_length()} bits of a power that is no longer")
    prime_to_base, shared = modulus, 1
    while (common := gcd(prime_to_base, base)) > 1:
        prime_to_base //= common
        shared *= common
    if prime_to_base == 1:
        return 0
    found = pow(base, exponent % carmichael(prime_to_base), prime_to_base)
    return shared * (found * pow(shared, -1, prime_to_base) % prime_to_base) % modulus
