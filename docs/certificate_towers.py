"""Enormous numbers for `certificate_checker.py` (rule R9): the standard library alone, nothing of exactnn.

A *tower* is c + the sum of v * b**E with fractions c and v, a whole base b, and an exponent E that is a whole number
too long for b**E to be written out, or another tower. Whatever is not certain is `NotKnownError`, never a guess.
"""

from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import comb, gcd, lcm

LONGEST = 1 << 18  # bits of a power that is written out
MOST_TERMS = 5000
joined = lru_cache(1 << 16)(lambda rest, apart: rest + apart)  # an exponent of the two that `parted` makes of it


class NotKnownError(ArithmeticError):
    """A result that this arithmetic does not know."""


class Tower:
    """A sum: `terms` has the coefficient of each (base, exponent), a frozen set of which identifies it."""

    numerator, denominator = 1 << 4096, 1  # for those who ask how long it is

    def __init__(self, terms, constant):
        self.terms, self.constant = terms, constant
        if len(terms) > MOST_TERMS:
            raise NotKnownError("a sum of too many powers")

    @cached_property
    def key(self):
        """What makes it the number that it is: a frozen set, which keeps its hash."""
        return frozenset((*self.terms.items(), (None, self.constant)))

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return isinstance(other, Tower) and (self is other or (hash(self) == hash(other) and self.key == other.key))

    def __add__(self, other):
        if not isinstance(other, Tower):
            return Tower(self.terms, self.constant + other)
        terms = dict(self.terms)
        for power, value in other.terms.items():
            terms[power] = terms.get(power, 0) + value
        return made(terms, self.constant + other.constant)

    def __mul__(self, other):
        if not isinstance(other, Tower):
            return made({power: value * other for power, value in self.terms.items()}, self.constant * other)
        total = made({power: value * self.constant for power, value in other.terms.items()}, Fraction(0))
        total = total + other.constant * self
        for (base, exponent), value in self.terms.items():
            for (second, more), factor in other.terms.items():
                if base != second:
                    raise NotKnownError("a product of powers of two bases")
                total = total + made({(base, exponent + more): value * factor}, Fraction(0))
        return total

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mod__(self, modulus):
        over = lcm(self.constant.denominator, *(value.denominator for value in self.terms.values()))
        total, many = int(self.constant * over), over * modulus
        for (base, exponent), value in self.terms.items():
            total += int(value * over) * power_residue(base, exponent, many)
        if total % over:
            raise NotKnownError("a number that is not whole")
        return total % many // over

    def __floordiv__(self, divisor):
        return (self - self % divisor) * Fraction(1, divisor)

    def __lt__(self, other):
        return sign(self - other) < 0

    def __gt__(self, other):
        return sign(self - other) > 0

    def __le__(self, other):
        return not self > other

    def __ge__(self, other):
        return not self < other


@lru_cache(1 << 16)
def parted(exponent):
    """Return a whole number and the rest of an exponent: of two with the same rest, the difference is whole."""
    apart = exponent.constant.__floor__() if isinstance(exponent, Tower) else exponent
    return apart, exponent - apart


def made(terms, constant):
    """Return a sum in one form: powers whose exponents differ by a short number are one term."""
    groups = {}
    for (base, exponent), value in terms.items():
        apart, rest = parted(exponent)
        groups.setdefault((base, rest), []).append((apart, value))
    found, constant = {}, Fraction(constant)
    for (base, rest), members in groups.items():
        members.sort(key=lambda member: member[0])
        while members:
            low, value = members.pop(0)
            while members and (members[0][0] - low) * base.bit_length() <= 64 * LONGEST:
                at, more = members.pop(0)
                value += more * base ** (at - low)
            step = 1  # how many powers of the base are taken out at once
            while value and step:
                whole, left = divmod(value.numerator, base**step)
                without = Fraction(whole, value.denominator), low + step, 2 * step
                value, low, step = (value, low, step // 2) if left else without
            while gcd(value.denominator, base) > 1:
                value, low = value * base, low - 1
            if isinstance(rest, Tower) or low * base.bit_length() > LONGEST:
                found |= {(base, joined(rest, low)): value} if value else {}
            else:
                constant += value * base**low
    return Tower(found, constant) if found else constant


def power(base, exponent):
    """Return base**exponent."""
    if isinstance(exponent, Tower) or exponent * base.bit_length() > LONGEST:
        if base.bit_length() > 64 or (isinstance(exponent, Tower) and sign(exponent) < 0):
            raise NotKnownError("a power of a long base, or with a negative exponent")
        root, degree = root_of(base)
        return made({(root, exponent * degree): Fraction(1)}, 0)
    return Fraction(base) ** int(exponent)


@cache
def root_of(base):
    """Return (r, k) with base = r**k and the largest k."""
    for k in range(base.bit_length(), 1, -1):
        root = round(base ** (1 / k))
        for near in (root - 1, root, root + 1):
            if near > 1 and near**k == base:
                return near, k
    return base, 1


def sign(value):
    """Return 1, 0 or -1."""
    return sign_of(value) if isinstance(value, Tower) else (value > 0) - (value < 0)


@lru_cache(1 << 16)
def sign_of(tower):
    """Return the sign of the largest power, if it exceeds all else together."""
    items = list(tower.terms.items())
    if len({base for (base, _), _ in items}) > 1:
        raise NotKnownError("a comparison of powers of two bases")
    (_, top), value = items[0]
    for (_, exponent), other in items[1:]:
        if sign(exponent - top) > 0:
            top, value = exponent, other
    room = len(items).bit_length() + 2
    for (_, exponent), other in items:
        if exponent != top and not sign((top - exponent) - (room + bits(other) + bits(value))) > 0:
            raise NotKnownError("a comparison of sums that are close to each other")
    if tower.constant and not sign(top - (room + bits(tower.constant) + bits(value))) > 0:
        raise NotKnownError("a comparison of a sum with a number that is close to it")
    return 1 if value > 0 else -1


def bits(value):
    """Return a bound of the base-2 logarithm of a fraction, and of its inverse."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def power_residue(base, exponent, modulus):
    """Return a power modulo a number: 0 modulo the part that shares factors with the base, periodic modulo the rest."""
    if not isinstance(exponent, Tower):
        return pow(base, int(exponent), modulus)
    rest, shared = modulus, 1
    while (common := gcd(rest, base)) > 1:
        rest, shared = rest // common, shared * common
    if not sign(exponent - modulus.bit_length()) > 0:
        raise NotKnownError("a residue of a short power")
    found = pow(base, exponent % period(rest), rest) if rest > 1 else 0
    return shared * (found * pow(shared, -1, rest) % rest) if rest > 1 else 0


@lru_cache(1 << 12)
def period(number):
    """Return a period of powers of what is prime to a number."""
    found, divisor = 1, 2
    while divisor * divisor <= number:
        part = 1
        while not number % divisor:
            number, part = number // divisor, part * divisor
        if part > 1:
            found = lcm(found, part // divisor * (divisor - 1))
        divisor += 1
        if divisor > 1 << 22:
            raise NotKnownError("a modulus with large factors")
    return lcm(found, number - 1) if number > 1 else found


def after_rounds(maps, steps, lengths, rounds, at):
    """Return the lengths after so many rounds, and the sum of the steps; `at` evaluates a form."""
    taken = 0
    for _ in [i for i, form in enumerate(maps) if not form.get((i,))]:
        taken, lengths, rounds = taken + at(steps, lengths), [at(form, lengths) for form in maps], rounds - 1
    known = {}
    for _ in maps:
        for i, form in enumerate(maps):
            if i not in known and all(len(key) < 2 and (not key or key[0] in known or key[0] == i) for key in form):
                given = {(Fraction(1), 0): form.get((), Fraction(0))}
                for key, value in form.items():
                    if key and key != (i,):
                        given = plus(given, known[key[0]], value)
                known[i] = grown(form.get((i,), Fraction(0)), given, lengths[i])
    if len(known) < len(maps):
        raise NotKnownError("lengths that depend on each other in a circle")
    total = {}
    for key, value in steps.items():
        product = {(Fraction(1), 0): value}
        for i in key:
            product = times(product, known[i])
        total = plus(total, product, 1)
    total = entry(grown(Fraction(1), total, Fraction(0)), rounds)
    return [entry(known[i], rounds) for i in range(len(maps))], taken + total


def plus(one, other, factor):
    """Return one + factor * other, sums of terms j**k * r**j."""
    total = dict(one)
    for key, value in other.items():
        total[key] = total.get(key, 0) + factor * value
    return {key: value for key, value in total.items() if isinstance(value, Tower) or value}


def times(one, other):
    """Return the product of two such sums."""
    total = {}
    for (ratio, k), value in one.items():
        total = plus(total, {(ratio * more, k + j): value * factor for (more, j), factor in other.items()}, 1)
    return total


def grown(ratio, given, first):
    """Return y(j) as {(r, k): coefficient of j**k * r**j} with y(j + 1) = ratio * y(j) + given(j), y(0) = first."""
    found = {}
    for r in {r for r, _ in given}:
        row, up = {k: value for (other, k), value in given.items() if other == r}, int(r == ratio)
        for k in range(max(row), -1, -1):
            rest = row.get(k, Fraction(0))
            for j in range(k + 1 + up, max(row) + 1 + up):
                rest = rest - r * comb(j, k) * found.get((r, j), 0)
            found[r, k + up] = rest * (1 / (r * (k + 1) if up else r - ratio))
    start = sum((value for (_, k), value in found.items() if not k), Fraction(0))
    return plus(found, {(ratio, 0): first - start}, 1) if ratio else found


def entry(growth, number):
    """Return the value of such a sum for j = `number`."""
    total = Fraction(0)
    for (ratio, k), value in growth.items():
        if ratio.denominator > 1 or ratio < 1:
            raise NotKnownError(f"growth by {ratio}")
        for _ in range(k):
            value = value * number
        total = total + (value if ratio == 1 else value * power(int(ratio), number))
    return total


def claimed(sums, number, rational):
    """Return the number that a list of sums says; `number` and `rational` read what they hold."""
    found = []
    for entry in sums:
        total = rational(entry["constant"])
        for base, exponent, value in entry["powers"]:
            at = found[number(exponent, 0, len(found) - 1)] if type(exponent) is int else number(exponent, 0)
            total = total + power(number(base, 2), at) * rational(value)
        if total % 1:
            raise NotKnownError("a sum that is not whole")
        found.append(total)
    return found[-1]
