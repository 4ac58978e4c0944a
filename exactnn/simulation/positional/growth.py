"""Many rounds of an affine map at once, in closed form: lengths of runs are sums of j**k * r**j in the round j.

So rounds may be as many as no computer can double its way to, and lengths too long to be written out.
"""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Tower, power
from exactnn.errors import SizeLimitError
from exactnn.simulation.positional.forms import Form, long

__all__ = ["many_rounds"]

Value = Any
"""A number of long arithmetic, whole or rational, or a tower."""


def many_rounds(maps: Sequence[Form], steps: Form, lengths: Sequence[int], rounds: int) -> tuple[list[int], int]:
    """Return the lengths after so many rounds, and the sum of `steps` over them.

    Raises
    ------
    SizeLimitError
        If the maps are not affine, or no length can be found before the others; if a growth is not by whole ratios.

    Examples
    --------
    >>> from exactnn.simulation.positional.forms import unknown
    >>> x = unknown(0)
    >>> many_rounds([2 * x + 1], x, [1], 5)
    ([mpz(63)], mpz(57))
    """
    total: Value = mpq(0)
    # An unknown whose own coefficient is 0 is settled after as many rounds as there are such unknowns.
    settling = sum(_ratio(form, i) == 0 for i, form in enumerate(maps))
    if rounds < settling:
        raise SizeLimitError(f"{rounds} rounds of a rule with {settling} lengths that settle")
    for _ in range(settling):
        total, lengths, rounds = total + steps.at(lengths), [form.at(lengths) for form in maps], rounds - 1
    found: dict[int, _Sequence] = {}
    for i in range(len(maps)):
        _find(i, maps, lengths, found, set())
    taken = _Sequence({})
    for monomial, value in steps.terms.items():
        product = _constant(value)
        for i in monomial:
            product = product * found[i]
        taken = taken + product
    total = total + _solved(mpq(1), taken, mpq(0)).at(rounds)
    return [_whole(found[i].at(rounds)) for i in range(len(maps))], _whole(total)


class _Sequence:
    """The sequence of the sums of coefficient * j**k * ratio**j, by the pairs (ratio, k)."""

    def __init__(self, terms: Mapping[tuple[mpq, int], Value]) -> None:
        self.terms = {key: value for key, value in terms.items() if isinstance(value, Tower) or value}

    def __add__(self, other: "_Sequence") -> "_Sequence":
        terms = dict(self.terms)
        for key, value in other.terms.items():
            terms[key] = terms.get(key, mpq(0)) + value
        return _Sequence(terms)

    def __mul__(self, other: "_Sequence") -> "_Sequence":
        total = _Sequence({})
        for (ratio, k), value in self.terms.items():
            for (second, j), factor in other.terms.items():
                total = total + _Sequence({(ratio * second, k + j): value * factor})
        return total

    def at(self, number: int) -> Value:
        """Return the entry with that number."""
        total: Value = mpq(0)
        for (ratio, k), value in self.terms.items():
            for _ in range(k):
                value = value * number
            if ratio != 1:
                if ratio.denominator != 1 or ratio < 0:
                    raise SizeLimitError(f"growth by {ratio} in each of many rounds")
                value = value * power(int(ratio), number)
            total = total + value
        return total


def _constant(value: mpq) -> _Sequence:
    return _Sequence({(mpq(1), 0): value})


def _ratio(form: Form, number: int) -> mpq:
    """Return the coefficient of an unknown alone."""
    return form.terms.get((number,), mpq(0))


def _find(
    number: int, maps: Sequence[Form], lengths: Sequence[int], found: dict[int, _Sequence], begun: set[int]
) -> None:
    """Find the sequence of a length, after those of the others that it depends on."""
    if number in found:
        return
    if number in begun or maps[number].degree > 1:
        raise SizeLimitError("lengths that depend on each other in each of many rounds")
    begun.add(number)
    given = _constant(maps[number].constant)
    for i in maps[number].unknowns - {number}:
        _find(i, maps, lengths, found, begun)
        given = given + _constant(maps[number].terms[(i,)]) * found[i]
    found[number] = _solved(_ratio(maps[number], number), given, lengths[number])


def _solved(ratio: mpq, given: _Sequence, first: Value) -> _Sequence:
    """Return the y with y(j + 1) = ratio * y(j) + given(j), and y(0) = first unless the ratio is 0: then it is so."""
    total = _Sequence({})
    for other in {key for key, _ in given.terms}:
        total = total + _particular(ratio, other, {k: v for (key, k), v in given.terms.items() if key == other})
    if not ratio:
        return total
    start: Value = mpq(0)
    for (_, k), value in total.terms.items():
        start = start if k else start + value
    return total + _Sequence({(ratio, 0): first - start})


def _particular(ratio: mpq, other: mpq, given: Mapping[int, Value]) -> _Sequence:
    """Return a y with y(j + 1) = ratio * y(j) + sum of given[k] * j**k * other**j.

    Comparing the coefficients of j**k * other**j, from the highest k down, gives one coefficient of y after the other;
    where the ratios are the same, the one of j**(k + 1).
    """
    same = other == ratio
    found: dict[int, Value] = {}
    for k in range(max(given), -1, -1):
        value = given.get(k, mpq(0))
        for j, known in found.items():
            value = value - known * (other * comb(j, k))
        found[k + same] = value * (1 / (other * (k + 1) if same else other - ratio))
    return _Sequence({(other, k): value for k, value in found.items()})


def _whole(value: Value) -> int:
    assert isinstance(value, Tower) or value.denominator == 1, "a length that is not whole"
    return long(value)
