"""Many rounds of an affine map at once, in closed form: lengths of runs are sums of j**k * r**j after j rounds.

So rounds may be as many as no computer can double its way to, and lengths too long to be written out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, gcd, prod
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Tower, power
from exactnn.errors import SizeLimitError
from exactnn.simulation.positional.forms import Form, long, unknown

__all__ = ["Closed", "closed_form"]

Value = Any
"""A number of long arithmetic, whole or rational, or a tower."""
LARGEST_RATIO = 1 << 32
"""By which a length may grow in a round."""


@dataclass(frozen=True, slots=True)
class Closed:
    """What `first` or more rounds lead to: the lengths after them, and the sum of their steps.

    They are forms in the n lengths before, in the number of rounds, which is the unknown n, and in base**rounds for
    each of the `bases`, which are the unknowns after that.
    """

    first: int
    bases: tuple[int, ...]
    lengths: tuple[Form, ...]
    steps: Form

    def after(self, lengths: Sequence[int], rounds: int) -> tuple[list[int], int]:
        """Return the lengths after so many rounds, and the steps that they take."""
        values = [*lengths, long(rounds)]
        return [self._at(form, values) for form in self.lengths], self._at(self.steps, values)

    def _at(self, form: Form, values: Sequence[int]) -> int:
        """Return the value of a form, of towers too: without a look at residues, since it is whole.

        Powers are multiplied before they are taken, since those of two bases that are too long to be written have no
        product.
        """
        total: Value = mpq(0)
        for monomial, value in form.terms.items():
            part: Value = value
            base = prod([self.bases[i - len(values)] for i in monomial if i >= len(values)])
            for i in monomial:
                part = part * values[i] if i < len(values) else part
            total = total + (part * power(base, values[-1]) if base > 1 else part)
        assert isinstance(total, Tower) or total.denominator == 1, "a length that is not whole"
        return long(total)


def closed_form(maps: Sequence[Form], steps: Form) -> Closed:
    """Return what many rounds lead to, each from lengths x to maps(x) in steps(x) network steps.

    Raises
    ------
    SizeLimitError
        If the maps are not affine, or no length can be found before the others; if a growth is not by whole ratios.

    Examples
    --------
    >>> from exactnn.simulation.positional.forms import unknown
    >>> x = unknown(0)
    >>> closed_form([2 * x + 1], x).lengths, closed_form([2 * x + 1], x).after([1], 5)
    ((-1 + 1*x0*x2 + 1*x2,), ([mpz(63)], mpz(57)))
    """
    lengths, taken = [unknown(i) for i in range(len(maps))], Form({})
    # An unknown whose own coefficient is 0 is settled after as many rounds as there are such unknowns.
    first = sum(_ratio(form, i) == 0 for i, form in enumerate(maps))
    for _ in range(first):
        taken, lengths = taken + steps.into(lengths), [form.into(lengths) for form in maps]
    found: dict[int, _Sequence] = {}
    for i in range(len(maps)):
        _find(i, maps, lengths, found, set())
    rest = _Sequence({})
    for monomial, value in steps.terms.items():
        product = _constant(value)
        for i in monomial:
            product = product * found[i]
        rest = rest + product
    sums = _solved(mpq(1), rest, taken)
    sequences = [*(found[i] for i in range(len(maps))), sums]
    bases = _bases({ratio for sequence in sequences for ratio, _ in sequence.terms if ratio != 1})
    *after, total = [sequence.form(len(maps), first, bases) for sequence in sequences]
    return Closed(first, bases, tuple(after), total)


class _Sequence:
    """The sequence of the sums of coefficient * j**k * ratio**j, by the pairs (ratio, k); coefficients are forms."""

    def __init__(self, terms: Mapping[tuple[mpq, int], Form]) -> None:
        self.terms = {key: value for key, value in terms.items() if value.terms}

    def __add__(self, other: "_Sequence") -> "_Sequence":
        terms = dict(self.terms)
        for key, value in other.terms.items():
            terms[key] = terms[key] + value if key in terms else value
        return _Sequence(terms)

    def __mul__(self, other: "_Sequence") -> "_Sequence":
        total = _Sequence({})
        for (ratio, k), value in self.terms.items():
            for (second, j), factor in other.terms.items():
                total = total + _Sequence({(ratio * second, k + j): value * factor})
        return total

    def form(self, here: int, first: int, bases: Sequence[int]) -> Form:
        """Return the entry j - `first`: a form in which j is the unknown `here`, and base**j those after it."""
        total = Form({})
        for (ratio, k), value in self.terms.items():
            for _ in range(k):
                value = value * (unknown(here) - first)
            for i, base in enumerate(bases, here + 1):
                while ratio % base == 0:
                    ratio, value = ratio / base, value * unknown(i) * mpq(1, base**first)
            total = total + value
        return total


def _constant(value: mpq) -> _Sequence:
    return _Sequence({(mpq(1), 0): Form({(): value} if value else {})})


def _ratio(form: Form, number: int) -> mpq:
    """Return the coefficient of an unknown alone."""
    return form.terms.get((number,), mpq(0))


def _find(
    number: int, maps: Sequence[Form], lengths: Sequence[Form], found: dict[int, _Sequence], begun: set[int]
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


def _solved(ratio: mpq, given: _Sequence, first: Form) -> _Sequence:
    """Return the y with y(j + 1) = ratio * y(j) + given(j), and y(0) = first unless the ratio is 0: then it is so."""
    total = _Sequence({})
    for other in {key for key, _ in given.terms}:
        total = total + _particular(ratio, other, {k: v for (key, k), v in given.terms.items() if key == other})
    if not ratio:
        return total
    start = Form({})
    for (_, k), value in total.terms.items():
        start = start if k else start + value
    return total + _Sequence({(ratio, 0): first - start})


def _particular(ratio: mpq, other: mpq, given: Mapping[int, Form]) -> _Sequence:
    """Return a y with y(j + 1) = ratio * y(j) + sum of given[k] * j**k * other**j.

    Comparing the coefficients of j**k * other**j, from the highest k down, gives one coefficient of y after the other;
    where the ratios are the same, the one of j**(k + 1).
    """
    same = other == ratio
    found: dict[int, Form] = {}
    for k in range(max(given), -1, -1):
        value = given.get(k, Form({}))
        for j, known in found.items():
            value = value - known * (other * comb(j, k))
        found[k + same] = value * (1 / (other * (k + 1) if same else other - ratio))
    return _Sequence({(other, k): value for k, value in found.items()})


def _bases(ratios: set[mpq]) -> tuple[int, ...]:
    """Return whole numbers of whose powers the ratios are products, each in one way: one root of all, or primes."""
    if any(ratio.denominator != 1 or not 1 < ratio <= LARGEST_RATIO for ratio in ratios):
        raise SizeLimitError(f"growth by {', '.join(map(str, ratios))} in each of many rounds")
    roots, primes = set[int](), set[int]()
    for ratio in map(int, ratios):
        factors = _factors(ratio)
        common = gcd(*factors.values())
        roots.add(prod([prime ** (often // common) for prime, often in factors.items()]))
        primes |= factors.keys()
    return tuple(sorted(roots if len(roots) == 1 else primes))


def _factors(number: int) -> dict[int, int]:
    """Return how often each prime divides a number."""
    found: dict[int, int] = {}
    divisor = 2
    while number > 1:
        divisor = divisor if divisor * divisor <= number else number
        while number % divisor == 0:
            number //= divisor
            found[divisor] = found.get(divisor, 0) + 1
        divisor += 1
    return found
