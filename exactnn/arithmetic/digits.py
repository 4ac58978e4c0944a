"""The digits of whole numbers and of finite fractions in any base, and runs of equal words of digits."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import gmpy2
from gmpy2 import mpq, mpz

__all__ = [
    "Piece",
    "Runs",
    "carried",
    "digit_chunks",
    "digits_of",
    "divided",
    "fraction_of_runs",
    "merged",
    "places",
    "regrouped",
    "side_by_side",
]


CHUNK = 1 << 14
"""Digits of a chunk."""
SHORT = 128
"""Words that are put together one by one."""
LARGEST_NAMED = 62
"""The largest base that gmpy2 has letters for."""

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES = (
    bytes.maketrans(_LETTERS.lower()[:36].encode(), bytes(range(36))),
    bytes.maketrans(_LETTERS.encode(), bytes(range(LARGEST_NAMED))),
)


def divided(number: mpz, base: int, digits: int) -> tuple[mpz, mpz]:
    """Return ``divmod(number, base**digits)``, fast for powers of two.

    >>> divided(mpz(123456), 10, 2)
    (mpz(1234), mpz(56))
    """
    if base & (base - 1):
        return divmod(number, mpz(base) ** digits)
    bits = (base.bit_length() - 1) * digits
    high = number >> bits
    return high, number - (high << bits)


def digits_of(number: mpz, base: int, count: int) -> Sequence[int]:
    """Return the last `count` digits of a number of at least 0 that has no more, the most significant first.

    >>> list(digits_of(mpz(123), 10, 5))
    [0, 0, 1, 2, 3]
    """
    if base <= LARGEST_NAMED:
        text = number.digits(base) if number else ""
        return text.encode().translate(_VALUES[base > 36]).rjust(count, b"\0")
    if count <= 1:
        return (int(number),) * count
    low = count // 2
    high, rest = divided(number, base, low)
    return (*digits_of(high, base, count - low), *digits_of(rest, base, low))


def digit_chunks(number: mpz, base: int, count: int) -> Iterator[Sequence[int]]:
    """Yield what :func:`digits_of` returns in pieces, of lengths that depend on `count` alone.

    >>> [len(chunk) for chunk in digit_chunks(mpz(7), 2, 20_000)]
    [10000, 10000]
    """
    if count <= CHUNK:
        yield digits_of(number, base, count)
        return
    low = count // 2
    high, rest = divided(number, base, low)
    yield from digit_chunks(high, base, count - low)
    yield from digit_chunks(rest, base, low)


def places(value: mpq, base: int) -> int | None:
    """Return how many digits a number has after the point, or None if they do not end.

    >>> places(mpq(1, 8), 10), places(mpq(5), 10), places(mpq(1, 3), 10)
    (3, 0, None)
    """
    rest, most = value.denominator, 0
    for prime, power in _factors(base):
        rest, found = gmpy2.remove(rest, prime)
        most = max(most, -(-found // power))
    return most if rest == 1 else None


@cache
def _factors(base: int) -> tuple[tuple[int, int], ...]:
    """Return the primes of a base with their powers."""
    found: dict[int, int] = {}
    prime = 2
    while base > 1:
        if base % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            base //= prime
        elif prime * prime > base:
            prime = base
        else:
            prime += 1
    return tuple(found.items())


# --- Sequences of equal words: how they are cut anew, laid side by side, and rid of carries.
#
# A run is (word, count). In a sequence of runs the most significant word comes first; counts may be of any size.

Runs = tuple[tuple[int, int], ...]
Piece = tuple[int, int, int]
"""A word, how many digits it has, and how often it is repeated."""


def merged(runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the runs with equal neighbours put together, and without empty ones.

    >>> list(merged([(5, 1), (5, 2), (7, 0), (5, 1)]))
    [(5, 4)]
    """
    last, repeated = 0, 0
    for word, count in runs:
        if count and repeated and word != last:
            yield last, repeated
            repeated = 0
        last = word if count else last
        repeated += count
    if repeated:
        yield last, repeated


def regrouped(pieces: Iterable[Piece], base: int, digits: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of words of `digits` digits that pieces of other lengths make, filled up with zeros.

    The length of a piece that is repeated divides `digits`. Pieces may be negative: it is the number that stays.

    >>> list(regrouped([(123, 3, 1), (45, 2, 9)], 10, 4))
    [(1234, 1), (5454, 4), (5000, 1)]
    """
    return merged(_regrouped(pieces, _Cutter(base, digits)))


def _regrouped(pieces: Iterable[Piece], cutter: "_Cutter") -> Iterator[tuple[int, int]]:
    for word, size, count in pieces:
        if not size:
            continue
        period = max(1, cutter.digits // size)
        repeats, singles = divmod(count, period)
        if repeats > 2:
            yield from cutter.take(word, size, period)  # what is left over now comes from this piece alone
            for cut, _ in cutter.take(word, size, period):  # so that this word comes again and again
                yield cut, repeats - 1
        else:
            singles = count
        yield from cutter.take(word, size, singles)
    yield from cutter.end()


class _Cutter:
    """Puts pieces together and cuts words of `digits` digits off."""

    def __init__(self, base: int, digits: int) -> None:
        self.base = base
        self.digits = digits
        self._rest, self._length = 0, 0

    def take(self, word: int, size: int, count: int) -> Iterator[tuple[int, int]]:
        """Append a word of `size` digits `count` times, and yield what is complete."""
        shift = self.base**size
        for _ in range(count):
            self._rest = self._rest * shift + word
            self._length += size
            while self._length >= self.digits:
                self._length -= self.digits
                cut, self._rest = divmod(self._rest, self.base**self._length)
                yield cut, 1

    def end(self) -> Iterator[tuple[int, int]]:
        """Yield what is left over, filled up with zeros."""
        if self._length:
            yield self._rest * self.base ** (self.digits - self._length), 1


def side_by_side(rows: Sequence[Iterable[tuple[int, int]]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (words, count): the words of several sequences of runs at the same places; the shorter end in zeros.

    >>> list(side_by_side([[(1, 5)], [(2, 3), (3, 10**30)]]))
    [((1, 2), 3), ((1, 3), 2), ((0, 3), 999999999999999999999999999998)]
    """
    waiting = [iter(row) for row in rows]
    words, counts = [0] * len(rows), [0] * len(rows)
    while True:
        for i, row in enumerate(waiting):
            while not counts[i]:
                words[i], counts[i] = next(row, (0, -1))  # a sequence that has ended has count -1
        step = min((count for count in counts if count > 0), default=0)
        if not step:
            return
        yield tuple(words), step
        counts = [count - step if count > 0 else count for count in counts]


def carried(runs: Sequence[tuple[int, int]], unit: int) -> tuple[int, Runs]:
    """Return (carry, runs) with words from 0 to unit - 1 that stand for the same number, without zeros at the end.

    >>> carried([(0, 3), (-1, 2)], 10)
    (-1, ((9, 3), (8, 1), (9, 1)))
    """
    carry = 0
    found: list[tuple[int, int]] = []
    for word, count in reversed(runs):
        left = count
        while left:
            following, digit = divmod(word + carry, unit)
            steps = left if following == carry else 1  # a carry that comes back stays for the whole run
            if digit or found:
                found.append((digit, steps))
            carry, left = following, left - steps
    return carry, tuple(merged(reversed(found)))


def fraction_of_runs(runs: Sequence[tuple[int, int]], unit: mpz) -> tuple[mpz, int]:
    """Return (n, d) with n / unit**d the number that runs of words stand for, in subquadratic time.

    >>> fraction_of_runs([(1, 2), (3, 1)], mpz(4))
    (mpz(23), 3)
    """
    if len(runs) == 1:
        ((word, count),) = runs
        return mpz(word) if count == 1 else word * (unit**count - 1) // (unit - 1), count
    length = sum([count for _, count in runs])
    if length <= SHORT:
        number = mpz(0)
        for word, count in runs:
            for _ in range(count):
                number = number * unit + word
        return number, length
    middle = len(runs) // 2
    (high, _), (low, count) = (fraction_of_runs(half, unit) for half in (runs[:middle], runs[middle:]))
    return high * unit**count + low, length
