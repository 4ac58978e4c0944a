"""The base in which a network's numbers are written, and how long the pieces of a number are."""

from dataclasses import dataclass, field
from functools import cached_property
from math import log2

from gmpy2 import is_prime, mpq, mpz, remove

from exactnn.networks import Network

__all__ = ["Radix", "limbs_of", "radix_of"]

WORD_BITS = 61
"""Bits of a machine integer that a head may use."""
WHOLE_SYMBOLS = 6
"""Digits of which long limbs are a multiple: symbols of a stack have often 1, 2, 3 or 6 digits.

Heads of whole symbols become full after as many pushes each time, which processors learn to predict: else a third of
the speed is lost.
"""
LARGEST_PRIME = 1000
"""Primes beyond this are not looked for: a base with such a factor leaves too few digits in a machine word."""


_SMALL_PRIMES = [n for n in range(2, LARGEST_PRIME) if is_prime(n)]


@dataclass(frozen=True, kw_only=True)
class Radix:
    """Base B and the lengths, in digits, of the pieces that a number is cut into.

    A head has at most `most` digits after a step; a digit more and limbs of `limb` digits are moved to the tail.
    `least` digits are enough for every unit to see what it needs. What is cut is padded to whole symbols, of `symbol`
    digits each, so that pieces of as many digits hold the same symbols whatever the last digit of a number is. What is
    known of numbers that are cut holds for all lengths of symbols.
    """

    base: int
    limb: int
    least: int
    most: int
    symbol: int = field(default=1, compare=False)

    def places(self, value: mpq) -> int | None:
        """Return the least p such that value * base**p is an integer; None if there is none."""
        rest, places = value.denominator, 0
        for prime, power in self.primes:
            rest, multiplicity = remove(rest, prime)
            places = max(places, -(-multiplicity // power))
        return places if rest == 1 else None

    def kept(self, places: int) -> int:
        """Return how many digits of a number stay in its head; the rest is whole limbs."""
        return places if places <= self.most else self.least + (places - self.least) % self.limb

    def cut(self, value: mpq) -> tuple[int, int, list[int]] | None:
        """Return a number as head, places of the head, and limbs; None if it is not in the base or too large.

        >>> Radix(base=10, limb=2, least=1, most=5).cut(mpq(1234567, 10**7))
        (1, 1, [23, 45, 67])
        """
        places = self.places(value)
        if places is None:
            return None
        places += -places % self.symbol
        kept, base = self.kept(places), mpz(self.base)
        head, rest = divmod(value.numerator * (base**places // value.denominator), base ** (places - kept))
        if abs(head) >> WORD_BITS:
            return None
        return int(head), kept, limbs_of(rest, (places - kept) // self.limb, base**self.limb)

    @cached_property
    def longest(self) -> int:
        """The most digits with which a head begins a step: after one, or with a limb more than too few."""
        return max(self.most, self.least + self.limb)

    @cached_property
    def powers(self) -> list[int]:
        """The powers of the base that fit a machine word."""
        powers = [1]
        while powers[-1] * self.base < 1 << WORD_BITS + 1:
            powers.append(powers[-1] * int(self.base))
        return powers

    def fits(self, number: int, places: int, shift: int) -> bool:
        """Return whether plus or minus a shifted number of (0, 1) and number / base**places fits a machine word."""
        digits = max(0, self.longest - shift)
        if digits >= len(self.powers):
            return False
        largest = self.base**self.longest + abs(number) * self.base ** max(0, digits - places)
        return not largest >> WORD_BITS + 1

    @cached_property
    def primes(self) -> list[tuple[int, int]]:
        """The primes of the base, with their powers in it."""
        rest, found = mpz(self.base), []
        for prime in _SMALL_PRIMES:
            rest, power = remove(rest, prime)
            if power:
                found.append((prime, power))
            if rest == 1:
                break
        return found

    def term(self, weight: mpq) -> tuple[int, int]:
        """Return (n, s) with weight = n * base**s, n no multiple of the base; the weight is in Z[1/base]."""
        places = self.places(weight)
        assert places is not None
        number, shift = int(weight * self.base**places), -places
        while number and number % self.base == 0:
            number, shift = number // self.base, shift + 1
        return number, shift


def radix_of(network: Network, limb_digits: int | None = None) -> Radix | None:
    """Return the radix of a network, or None if its weights do not fit machine words in any base.

    The base is the product of the primes in the denominators of the weights and biases, 2 if there are none, or a
    number with the same primes of which more weights are powers: 12 where the weights are 12, 1/12 and 144.

    >>> from exactnn.networks import SimpleRNN
    >>> radix_of(SimpleRNN(V=[["1/4"]], W=[["-1/6"]], b=[0], s=[0], readout_weight=[1])).base
    6
    """
    return network.laid_out.of(radix_of, limb_digits, lambda: _radix_of(network, limb_digits))


def _radix_of(network: Network, limb_digits: int | None) -> Radix | None:
    units = [unit for layer in network.circuit.layers for unit in layer]
    constants = {unit.bias for unit in units}
    weights = {weight for unit in units for _, weight in unit.linear}
    weights |= {weight for unit in units for _, _, weight in unit.bilinear}
    radical = _radical({int(x.denominator) for x in constants | weights})
    if radical is None:
        return None
    base = _base(radical, weights)
    exact = Radix(base=base, limb=1, least=1, most=1)
    terms = [exact.term(weight) for weight in weights if weight]
    places = max((exact.places(x) or 0 for x in constants | weights), default=0)
    up = max((shift for _, shift in terms), default=0)
    down = max((-shift for _, shift in terms), default=0)
    largest = max((_size(unit.bias, unit.linear, unit.bilinear) for unit in units), default=mpq(0))
    least = places + max(up, 0)
    free = (WORD_BITS - log2(int(largest) + 3)) / log2(base) - least - max(down, 0)
    limb = int(free // 2)
    if limb >= 2 * WHOLE_SYMBOLS:
        limb -= limb % WHOLE_SYMBOLS
    if limb_digits is not None:
        limb = min(limb_digits, limb)
    return None if limb < 1 else Radix(base=base, limb=limb, least=least, most=least + 2 * limb)


def _size(bias: mpq, linear: tuple[tuple[int, mpq], ...], bilinear: tuple[tuple[int, int, mpq], ...]) -> mpq:
    """Return a bound on the pre-activation for registers in [0, 1]."""
    weights = [weight for _, weight in linear] + [weight for _, _, weight in bilinear]
    return abs(bias) + sum(map(abs, weights), mpq(0))


def _base(radical: int, weights: set[mpq]) -> int:
    """Return the base in which the most weights are plus or minus a power: the radical, or a number like 12.

    Fractions count first: a number that one multiplies in each step gets longer by as many digits as that one has. The
    powers of a power of a prime are powers of the prime, too.
    """
    if is_prime(radical):
        return radical
    candidates = {int(part) for w in weights for part in (abs(w.numerator), w.denominator) if part > 1}
    same = sorted(n for n in candidates if n % radical == 0 and _radical({n}) == radical)
    fractions = {weight for weight in weights if weight.denominator > 1}
    return max((radical, *same), key=lambda base: (_powers_of(base, fractions), _powers_of(base, weights)))


def _powers_of(base: int, weights: set[mpq]) -> int:
    """Return how many of the numbers are plus or minus a power of the base."""
    single = Radix(base=base, limb=1, least=1, most=1)
    return sum(abs(single.term(weight)[0]) == 1 for weight in weights)


def _radical(denominators: set[int]) -> int | None:
    """Return the product of the primes that divide one of the numbers; None if there are large ones."""
    rest = {d for d in denominators if d > 1}
    base = 1
    for prime in _SMALL_PRIMES:
        if any(d % prime == 0 for d in rest):
            base *= prime
            rest = {int(remove(d, prime)[0]) for d in rest} - {1}
        if not rest:
            return max(base, 2)
    return None


FEW_LIMBS = 8
"""So many are taken one after the other."""


def limbs_of(number: mpz, count: int, unit: mpz) -> list[int]:
    """Return the `count` limbs of a number below unit**count, the most significant first, in subquadratic time.

    >>> limbs_of(mpz(123456), 3, mpz(100))
    [12, 34, 56]
    """
    if count <= FEW_LIMBS:
        limbs: list[int] = []
        while len(limbs) < count:
            number, limb = divmod(number, unit)
            limbs.append(int(limb))
        return limbs[::-1]
    low = count // 2
    high, rest = divmod(number, unit**low)
    return limbs_of(high, count - low, unit) + limbs_of(rest, low, unit)
