"""Where gradients end that every step multiplies by one factor: at 0, at a number that stays, or beyond the largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import (
    AnyFormats,
    Bounds,
    DirectedRounding,
    ExactNumber,
    FloatFormat,
    FloatOperations,
    checked_formats,
    counted,
    exact,
    is_finite,
    short_text,
)
from exactnn.errors import OptionError, SizeLimitError, shown
from exactnn.files import Data, data_rows
from exactnn.markup import Table, Tabular
from exactnn.matrices import is_sequence
from exactnn.options import entries, whole_number

__all__ = ["GradientLimit", "GradientLimits", "gradient_limits"]

ONE = mpq(1)

MOST_MULTIPLICATIONS = 1_000_000

MOST_EXPONENT_BITS = 15

MOST_SHOWN = 1_000_000
"""Multiples of the smallest number that are shown as such."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientLimit:
    """Where the gradient 1 ends that each of L layers multiplies by a factor in each step.

    Parameters
    ----------
    factor : mpq
    layers : int
        L.
    format : FloatFormat
    rounded : mpq
        The factor in the format.
    last : mpq or float
        What it becomes, and stays: 0, a number of the format, or infinity.
    steps : int
        How many steps it takes to become that.
    exact_steps : int or None
        After how many steps the exact gradient is below half the smallest number of the format, or above the largest;
        None if it is neither ever.
    """

    factor: mpq
    layers: int
    format: FloatFormat
    rounded: mpq
    last: mpq | float
    steps: int
    exact_steps: int | None

    @property
    def multiple(self) -> int | None:
        """How many times the smallest number of the format it becomes; None if it is infinite, or NaN."""
        return int(exact(self.last) / self.format.smallest) if is_finite(self.last) else None


class GradientLimits(Data, Tabular, tuple[GradientLimit, ...]):
    """Where gradients end, for each factor, each number of layers and each format."""

    __slots__ = ()

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each entry, with its fields."""
        return data_rows(self)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        rows = tuple(
            (short_text(one.factor), one.layers, str(one.format), _ending(one), one.steps, one.exact_steps)
            for one in self
        )
        heading = ("factor", "layers", "format", "ends at", "after steps", "exactly beyond the format after")
        return Table(title="where gradients end", heading=heading, rows=rows)

    def __repr__(self) -> str:
        return f"<GradientLimits of {counted(len(self), 'gradient')}>"


def _ending(limit: GradientLimit) -> str:
    if not limit.last:
        return "0"
    if limit.multiple is None:
        return "infinity" if limit.last == limit.last else "NaN"
    if limit.multiple >= MOST_SHOWN:
        return short_text(exact(limit.last))
    return f"{limit.multiple} · 2^{1 - limit.format.smallest.denominator.bit_length()}"


def gradient_limits(
    factors: ExactNumber | Sequence[ExactNumber],
    formats: AnyFormats,
    layers: int | Sequence[int] = 1,
) -> GradientLimits:
    """Return where gradients end that each of L layers multiplies by a factor in each step, in formats and exactly.

    The gradient begins as 1. It is that of a network whose Jacobian in each layer is the factor times an orthogonal
    matrix of which one entry in each row is not 0; and its size is that of any such network, but for rounding.

    Parameters
    ----------
    factors : number or sequence of numbers
        Above 0.
    formats : FloatFormat or sequence of them
        They round to nearest; the factor is rounded once, and every product.
    layers : int or sequence of int
        How many factors one step has.

    Raises
    ------
    OptionError
        If a factor is not above 0 or is 0 in a format, there are no factors, formats or layers, or a format rounds at
        random.
    SizeLimitError
        If a gradient takes more than a million products to end.

    Notes
    -----
    Let w be the factor in the format. For w < 1 numbers k times the smallest one become w k, rounded: k stays where
    k (1 - w) <= 1/2, and at 1/2 only if k is even (ties to even). Rounding is monotone, so that the gradient never goes
    below the largest such k, and comes to it. With w <= 1/2 there is none, and the gradient becomes 0. Of L layers the
    steps are a L-th, rounded up.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16, FLOAT32
    >>> for one in gradient_limits(["9/10", "1/2"], [FLOAT16, FLOAT32]):
    ...     print(one.factor, one.format, one.multiple, one.steps, one.exact_steps)
    9/10 float16 4 142 165
    9/10 float32 4 964 987
    1/2 float16 0 25 26
    1/2 float32 0 150 151
    >>> gradient_limits("9/10", FLOAT16, layers=3)[0].steps
    48
    """
    numbers = [exact(x) for x in _several("factors", factors)]
    depths = [whole_number("layers", depth, least=1, most=MOST_MULTIPLICATIONS) for depth in _several("layers", layers)]
    found = []
    for factor in numbers:
        if factor <= 0:
            raise OptionError(f"factor {short_text(factor)}: give a number above 0")
        for format in checked_formats(formats):
            if format.exponent_bits > MOST_EXPONENT_BITS:
                raise SizeLimitError(f"{format} has numbers that are too small to go down to: give fewer exponent bits")
            rounded, last, products = _rounded_end(factor, format)
            exact_products = _exact_end(factor, format)
            found += [
                GradientLimit(
                    factor=factor,
                    layers=depth,
                    format=format,
                    rounded=rounded,
                    last=last,
                    steps=-(-products // depth),
                    exact_steps=None if exact_products is None else -(-exact_products // depth),
                )
                for depth in depths
            ]
    return GradientLimits(found)


def _several(name: str, given: Any) -> list[Any]:
    found = entries(name, given) if is_sequence(given) else [given]
    if not found:
        raise OptionError(f"{name}={shown(given)}: give one at least")
    return found


def _rounded_end(factor: mpq, format: FloatFormat) -> tuple[mpq, mpq | float, int]:
    """Return the factor in a format, what 1 becomes by products with it, and after how many."""
    rounded = format.parameters.rounded(factor)
    if not rounded or not is_finite(rounded):
        raise OptionError(f"the factor {short_text(factor)} is {rounded} in {format}: give one that is a number there")
    multiply = FloatOperations(format).multiply
    gradient: mpq | float = ONE
    for products in range(MOST_MULTIPLICATIONS + 1):
        following = multiply(gradient, rounded) if gradient and is_finite(gradient) else gradient
        if following == gradient or gradient != gradient:
            return exact(rounded), gradient, products
        gradient = following
    raise SizeLimitError(
        f"in {format} the factor {short_text(factor)} takes more than {MOST_MULTIPLICATIONS:,} products to end: give "
        "one that is further from 1"
    )


def _exact_end(factor: mpq, format: FloatFormat) -> int | None:
    """Return the first power that is below half the smallest number, or above the largest.

    It is the whole number above a quotient of logarithms, whose bounds tell which, but where it is a whole number
    itself: then powers tell.
    """
    if factor == 1:
        return None
    base, bound = (factor, format.largest) if factor > 1 else (1 / factor, 2 / format.smallest)
    bits = 200 + 2 * max(0, (base - 1).denominator.bit_length() - (base - 1).numerator.bit_length())
    for precision in (bits, 4 * bits):
        low, high = (int(gmpy2.floor(x)) for x in _quotient_of_logarithms(bound, base, precision))
        if low == high:
            return low + 1
    return next(power for power in range(low, high + 2) if base**power > bound)


def _quotient_of_logarithms(x: mpq, y: mpq, bits: int) -> Bounds:
    """Return bounds of log(x) / log(y), of numbers above 1."""
    with DirectedRounding.wide():
        rounding = DirectedRounding(bits)
        (least, most), (low, high) = map(rounding.enclosed, (x, y))
        down, up = rounding.down, rounding.up
        return down.div(down.log(least), up.log(high)), up.div(up.log(most), down.log(low))
