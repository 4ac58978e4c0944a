"""How long the three stacks hold in formats: the first rest, the last halving, the last logarithm that moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import (
    AnyFormats,
    FloatFormat,
    FloatOperations,
    Number,
    checked_formats,
    counted,
    exact,
    is_finite,
)
from exactnn.automata.log_numbers import log_of
from exactnn.files import Data, data_rows
from exactnn.markup import Table, Tabular
from exactnn.options import whole_number
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.vectors import number_text

__all__ = ["StackLimit", "StackLimits", "stack_limits"]

MOST_PARTS = 1000

ZERO, HALF = mpq(0), mpq(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackLimit:
    """How long stacks hold in a format.

    Parameters
    ----------
    format : FloatFormat
    parts : int or None
        The first k for which k pushes of 1/k and one pop of 1 do not leave nothing; None if there is none that was
        tried.
    rest : number or None
        What they leave, the sum of the strengths.
    halvings : int
        The last t with 2^-t above 0: what is in the deepest cell of a superposition after t pushes of weight 1/2, or
        the weight of a run of t steps. None if it is above 0 for ever, as numbers are that are rounded up.
    logarithms : int
        How many steps change the logarithm of that weight, when each adds log(1/2).
    """

    format: FloatFormat
    parts: int | None
    rest: Number | None
    halvings: int | None
    logarithms: int


class StackLimits(Data, Tabular, tuple[StackLimit, ...]):
    """How long stacks hold, for each format."""

    __slots__ = ()

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each entry, with its fields."""
        return data_rows(self)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        rows = tuple(
            (
                str(one.format),
                one.parts,
                "" if one.rest is None else number_text(one.rest),
                one.halvings,
                one.logarithms,
            )
            for one in self
        )
        heading = ("format", "first k with a rest", "rest", "2^-t to t =", "its logarithm to t =")
        return Table(title="how long stacks hold", heading=heading, rows=rows)

    def __repr__(self) -> str:
        return f"<StackLimits of {counted(len(self), 'format')}>"


def stack_limits(
    formats: AnyFormats, *, form: Literal["streaming", "closed"] = "streaming", most: int = 100
) -> StackLimits:
    """Return for each format how long the three stacks hold in it.

    In exact numbers k pushes of 1/k and one pop of 1 leave nothing on a stack of strengths, 2^-t is above 0, and every
    factor changes a weight.

    Parameters
    ----------
    formats : FloatFormat or sequence of them
        Of any rounding but at random.
    form : "streaming" or "closed"
        How `StratifiedStack` pops.
    most : int
        The largest k that is tried.

    Raises
    ------
    OptionError
        If there is no format, one rounds at random, or a number is out of range.

    Notes
    -----
    Rounding to nearest, ties to even, k = 3 has a formula. Let w be 1/3 in a format of p bits. If p is even w is above
    1/3, and 1 - w is in the middle of two numbers and rounded down: 2 (3 w - 1) is left. If p is odd nothing is. A
    logarithm x stays where log(2) is at most half the distance of x to the next number: sums go on for some 2^p steps,
    where weights end after as many as the least exponent says.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16, FLOAT32
    >>> for one in stack_limits([FLOAT16, FLOAT32]):
    ...     print(one.format, one.parts, f"{float(one.rest):.3g}", one.halvings, one.logarithms)
    float16 5 0.000244 24 2746
    float32 3 5.96e-08 149 22494980
    """
    most = whole_number("most", most, least=2, most=MOST_PARTS)
    found = []
    for format in checked_formats(formats):
        rests = ((k, _rest(k, format, form)) for k in range(2, most + 1))
        parts, rest = next(((k, rest) for k, rest in rests if rest), (None, None))
        found.append(
            StackLimit(
                format=format,
                parts=parts,
                rest=rest,
                halvings=None
                if format.rounded(HALF * format.smallest)
                else format.smallest.denominator.bit_length() - 1,
                logarithms=_sums(log_of(HALF, format), format),
            )
        )
    return StackLimits(found)


def _rest(parts: int, format: FloatFormat, form: Literal["streaming", "closed"]) -> Number:
    """Return what is left of so many equal pushes, whose strengths are 1 together, after a pop of 1."""
    stack = StratifiedStack(form=form, arithmetic=format)
    for _ in range(parts):
        stack = stack.step(push=mpq(1, parts))
    left = stack.step(pop=1).strengths
    return sum(map(exact, left), mpq(0)) if all(map(is_finite, left)) else float("nan")


def _sums(term: Number, format: FloatFormat) -> int:
    """Return how often a number can be added to 0 until the sum stays.

    Between two powers of 2 the numbers are evenly spaced, and a step that is followed by one of the same length is
    followed by such steps up to the next power: rounding depends on the term, and in the middle of two numbers on
    whether the sum is an even one, which it is after the first of them.
    """
    add = FloatOperations(format).add
    total, steps = add(0.0, term), 1
    if not total:
        return 0
    while is_finite(total):
        following = add(total, term)
        if following == total or not is_finite(following):
            return steps + (following != total)
        again = add(following, term)
        steps += 1
        before, now, jumps, step = exact(total), exact(following), 0, ZERO
        if is_finite(again) and (step := exact(again) - now) == now - before:
            power = min(mpq(2) ** gmpy2.get_exp(gmpy2.mpfr(now, 2000)), format.largest)  # the first one above
            jumps = max(0, int((power - abs(now)) / abs(step)) - 1)
        total, steps = format.rounded(now + jumps * step), steps + jumps
    return steps
