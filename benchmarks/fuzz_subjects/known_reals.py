"""Lazily refined reals whose value is known: their digits end, or recur."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, cycle

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.arithmetic import DigitStream, LazyReal
from exactnn.strategies import rationals

__all__ = ["MOST", "Case", "cases"]

MOST = 80
"""Digits that may be read, or fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Digits from 0 to base - 1: some, and then others again and again; none of these, and they end."""

    base: int
    first: tuple[int, ...]
    again: tuple[int, ...]

    def source(self) -> Iterator[int]:
        return chain(self.first, cycle(self.again))

    def tail(self, base: int, values: tuple[int, ...], position: int) -> mpq:
        """Return the number that the digits from a position on are, in a base and with values for the digits."""
        first = self.first[position:]
        skipped = max(0, position - len(self.first)) % max(1, len(self.again))
        again = self.again[skipped:] + self.again[:skipped]
        total = sum((mpq(values[d], base ** (i + 1)) for i, d in enumerate(first)), mpq(0))
        round_ = sum((mpq(values[d], base ** (i + 1)) for i, d in enumerate(again)), mpq(0))
        if not again:
            return total
        return total + round_ / (1 - mpq(1, base ** len(again))) / base ** len(first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Reals by stream, base and values of its digits; a constant and sums of (real, position, coefficient)."""

    streams: tuple[Digits, ...]
    reals: tuple[tuple[int, int, tuple[int, ...]], ...]
    sums: tuple[tuple[tuple[int, int, mpq], ...], ...]
    constant: mpq
    weight: mpq
    bound: mpq
    before: int
    most: int

    def read(self) -> list[LazyReal]:
        """Return the reals; of their streams, so many digits have been read before by somebody else."""
        streams = [DigitStream(digits.source(), base=digits.base) for digits in self.streams]
        for stream in streams:
            for place in range(self.before):
                stream.at(place)
        return [LazyReal(stream=streams[which], base=base, values=values) for which, base, values in self.reals]

    def tail(self, real: int, position: int) -> mpq:
        which, base, values = self.reals[real]
        return self.streams[which].tail(base, values, position)


@st.composite
def digits(draw: st.DrawFn) -> Digits:
    base = draw(st.integers(1, 6))
    digit = st.integers(0, base - 1) | st.just(base - 1)
    first, again = draw(st.lists(digit, max_size=6)), draw(st.lists(digit, max_size=3))
    return Digits(base=base, first=tuple(first), again=tuple(again))


@st.composite
def reals(draw: st.DrawFn, streams: tuple[Digits, ...]) -> tuple[int, int, tuple[int, ...]]:
    which, base = draw(st.integers(0, len(streams) - 1)), draw(st.integers(2, 12))
    value = st.integers(0, base - 1) | st.just(base - 1)
    return which, base, tuple(draw(value) for _ in range(streams[which].base))


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    streams = tuple(draw(st.lists(digits(), min_size=1, max_size=2)))
    numbers = tuple(draw(st.lists(reals(streams), min_size=1, max_size=3)))
    term = st.tuples(st.integers(0, len(numbers) - 1), st.integers(0, 4), rationals(largest=9))
    return Case(
        streams=streams,
        reals=numbers,
        sums=tuple(draw(st.lists(st.lists(term, max_size=3).map(tuple), min_size=1, max_size=2))),
        constant=draw(rationals()),
        weight=draw(rationals()),
        bound=draw(rationals() | st.builds(mpq, st.integers(-999, 999), st.just(500))),
        before=draw(st.integers(0, 8)),
        most=draw(st.just(MOST) | st.integers(0, 12)),
    )
