"""Rounds of a rule, as many as one likes, where what they do is affine and each length depends on others in some order.

In the round j a length is a *growth*: a sum of coefficient * j**k * ratio**j. The growths are found one after the
other: that of a length from those of the lengths that it depends on. So an enormous number of rounds is no more work
than a few, and where the result is too long to be written out it is a sum of powers.
"""

from collections.abc import Callable, Sequence
from math import comb
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Tower, power
from exactnn.arithmetic.powers import Powers
from exactnn.certificates.lengths import Length
from exactnn.errors import CertificateError
from exactnn.work import long_quotient

__all__ = ["UnknownGrowthError", "after_rounds"]

Number = Any
"""A whole number, a fraction or a tower."""

Growth = dict[tuple[mpq, int], Number]
"""(ratio, k) -> the coefficient of j**k * ratio**j."""

MOST_TERMS = 1 << 8
"""Of a growth."""


class UnknownGrowthError(CertificateError):
    """There is no closed form of this kind."""


def after_rounds(
    maps: Sequence[Length], steps: Length, lengths: Sequence[Number], rounds: Number, spend: Callable[[int], object]
) -> tuple[list[Number], Number]:
    """Return the lengths after so many rounds, and the sum of the steps; `spend` is told of the work.

    Raises
    ------
    UnknownGrowthError
        If lengths depend on each other in a circle, or by products, or grow by a ratio that is not whole.

    Examples
    --------
    >>> from exactnn.certificates.lengths import unknown
    >>> x = unknown(0)
    >>> after_rounds([x + x + Length(1)], x, [1], 5, bool)
    ([63], 57)
    """
    taken: Number = 0
    settling = [form for i, form in enumerate(maps) if not form.terms.get((i,))]
    if rounds < len(settling):
        raise UnknownGrowthError(f"{rounds} rounds of a rule with {len(settling)} lengths that settle")
    for _ in settling:
        taken, lengths, rounds = taken + steps.at(lengths), [form.at(lengths) for form in maps], rounds - 1
    known: dict[int, Growth] = {}
    while len(known) < len(maps):
        ready = [
            i
            for i, form in enumerate(maps)
            if i not in known and all(len(m) == 1 and (m[0] == i or m[0] in known) for m in form.terms)
        ]
        if not ready:
            raise UnknownGrowthError("many rounds of a rule whose lengths depend on each other in a circle")
        for i in ready:
            given: Growth = {(mpq(1), 0): mpq(maps[i].constant)}
            for (j,), value in maps[i].terms.items():
                if j != i:
                    given = _plus(given, known[j], value)
            known[i] = _grown(maps[i].terms.get((i,), mpq(0)), given, lengths[i], spend)
    sums: Growth = {(mpq(1), 0): mpq(steps.constant)}
    for monomial, value in steps.terms.items():
        product: Growth = {(mpq(1), 0): value}
        for i in monomial:
            product = _times(product, known[i], spend)
        sums = _plus(sums, product, 1)
    total = _at(_grown(mpq(1), sums, mpq(0), spend), rounds, spend)
    return [_whole(_at(known[i], rounds, spend)) for i in range(len(maps))], _whole(taken + total)


def _plus(one: Growth, other: Growth, factor: Number) -> Growth:
    total = dict(one)
    for key, value in other.items():
        total[key] = total.get(key, 0) + value * factor
    return {key: value for key, value in total.items() if isinstance(value, Tower) or value}


def _times(one: Growth, other: Growth, spend: Callable[[int], object]) -> Growth:
    total: Growth = {}
    for (ratio, k), value in one.items():
        spend(sum(_work(value) + _work(factor) for factor in other.values()))
        total = _plus(total, {(ratio * more, k + j): factor * value for (more, j), factor in other.items()}, 1)
    if len(total) > MOST_TERMS:
        raise UnknownGrowthError(f"a length grows by more than {MOST_TERMS} terms")
    return total


def _grown(ratio: mpq, given: Growth, first: Number, spend: Callable[[int], object]) -> Growth:
    """Return the y with y(j + 1) = ratio * y(j) + given(j) and y(0) = first.

    What is given times j**k * other**j has a part of y with the same ratio. Its coefficients follow from the highest
    down: of j**k * other**j in y(j + 1) - ratio * y(j), which is known, from those of y at higher powers of j and, the
    one that is looked for, at j**k; or at j**(k + 1) if the ratios are the same.
    """
    spend(sum(map(_work, given.values())) + _work(first))
    found: Growth = {}
    for other in {other for other, _ in given}:
        up = int(other == ratio)
        for k in range(max(k for same, k in given if same == other), -1, -1):
            rest = given.get((other, k), 0)
            for j in range(k + 1 + up, k + 2 + max(j for same, j in given if same == other)):
                rest = rest - found.get((other, j), 0) * (other * comb(j, k))
            found[other, k + up] = rest * (1 / (other * (k + 1) if up else other - ratio))
    if ratio:
        begin = sum((value for (_, k), value in found.items() if not k), mpq(0))
        found = _plus(found, {(ratio, 0): first - begin}, 1)
    return found


def _at(growth: Growth, rounds: Number, spend: Callable[[int], object]) -> Number:
    total: Number = mpq(0)
    for (ratio, k), value in growth.items():
        if ratio.denominator != 1 or ratio < 1:
            raise UnknownGrowthError(f"a length grows by {ratio} in each of many rounds")
        for _ in range(k):
            value = value * rounds
        if ratio > 1:
            value = value * power(int(ratio), rounds)
        total = total + value
        spend(_work(value) + _work(total))
    return total


def _work(value: Number) -> int:
    if isinstance(value, Tower):
        powers: Powers = value.powers
        return 64 * (1 + powers.count) + long_quotient(powers.longest, powers.longest)
    bits: int = value.numerator.bit_length()
    return 1 + bits // 1024


def _whole(value: Number) -> Number:
    if isinstance(value, Tower):
        return value
    if value.denominator != 1:
        raise CertificateError("a length or a number of steps is not whole")
    return int(value.numerator)
