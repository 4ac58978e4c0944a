"""Single operations of the compiled loops of float formats against MPFR, every bit compared.

Random operands over all exponents, subnormal and near overflow, of about the same size, cancelling each other, and
such that the result is a tie or right beside one; in every deterministic rounding mode: sums, products lane by lane,
products with one number, and fused multiply-adds where the loops have them. All pairs of numbers for formats of 8 bits
and fewer. A share is compared with `FloatOperations`, in rationals, too.

    python benchmarks/rounding_campaign.py [--operations 10000000] [--format NAME ...] [--jobs 2] [--store FILE]

`--operations` is for each format and mode.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import gmpy2
import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from long_work import Work, work_options

from exactnn.arithmetic import (
    BFLOAT16,
    FLOAT8_E5M2,
    FLOAT32,
    NAMED_FORMATS,
    FloatFormat,
    FloatOperations,
    Rounding,
)
from exactnn.campaigns import Campaign, Unit
from exactnn.simulation.rounded import can_round, plain
from tests.simulation import lanes as kernels

Array = NDArray[np.float64]

CHUNK = 1 << 17
"""Operands that are drawn together."""
ROWS = 64
"""Numbers of one chunk by which a row of others is multiplied."""
SHOWN = 3
"""Differences of a format and mode that are printed."""
MODES = tuple(mode for mode in Rounding if mode is not Rounding.STOCHASTIC)
MPFR_MODES = {
    Rounding.NEAREST_EVEN: gmpy2.RoundToNearest,
    Rounding.NEAREST_AWAY: gmpy2.RoundAwayZero,  # of what is cut off one bit later, see `mpfr_results`
    Rounding.TOWARD_ZERO: gmpy2.RoundToZero,
    Rounding.UP: gmpy2.RoundUp,
    Rounding.DOWN: gmpy2.RoundDown,
}
OTHERS = (
    replace(FLOAT32, name="float32"), *(FloatFormat(precision=p, exponent_bits=e, name=f"p{p}e{e}") for p, e in (
        (5, 9), (25, 10), (26, 8), (27, 8), (40, 10), (51, 10), (52, 10), (53, 10),
    )),
    replace(BFLOAT16, subnormals=False, name="bfloat16-flushed"),
    FloatFormat(precision=51, exponent_bits=9, subnormals=False, name="p51e9-flushed"),
    replace(FLOAT8_E5M2, overflow="saturate", name="float8_e5m2-saturating"),
    FloatFormat(precision=30, exponent_bits=9, specials="nan", name="p30e9-nan"),
)  # fmt: skip
FORMATS = {format.name: format for format in (*NAMED_FORMATS.values(), *OTHERS) if can_round(format)}


# --- operands


def scaled(rng: np.random.Generator, significands: Any, exponents: Any) -> Array:
    """Return significands, taken as whole numbers, times powers of two, with random signs."""
    signs = rng.choice((1.0, -1.0), len(significands))
    return signs * np.ldexp(np.asarray(significands, dtype=np.float64), np.asarray(exponents, dtype=np.int32))


def significands(rng: np.random.Generator, count: int, bits: Any) -> NDArray[np.int64]:
    """Return whole numbers of up to `bits` bits with the highest set: any, with few ones, or with few zeros."""
    bits = np.broadcast_to(bits, count)
    top = np.left_shift(1, bits - 1)
    any_bits = rng.integers(0, 1 << 62, count) % top
    few = np.left_shift(1, rng.integers(0, 62, count) % bits) % top
    few |= np.where(rng.random(count) < 0.5, np.left_shift(1, rng.integers(0, 62, count) % bits) % top, 0)
    kind = rng.integers(0, 4, count)
    return top + np.select([kind == 0, kind == 1], [few, top - 1 - few], any_bits)


def representable(values: Array, format: FloatFormat) -> Array:
    """Return floats of the format's precision as its numbers: small ones cut off, large ones bounded."""
    largest, least = float(format.largest), float(format.smallest)
    low = float(mpq(2) ** format.smallest_exponent)
    whole = np.trunc(np.clip(values, -low, low) / least) if format.subnormals else np.zeros(len(values))
    values = np.where(np.abs(values) < low, np.copysign(whole * least, values), values)
    return np.clip(values, -largest, largest)


def drawn(rng: np.random.Generator, format: FloatFormat, count: int) -> Array:
    """Return numbers of any exponent, a share of them subnormal, large, or special."""
    p, bottom, top = format.precision, format.smallest_exponent, format.largest_exponent
    exponents = np.select(
        [rng.random(count) < 0.15, rng.random(count) < 0.15, rng.random(count) < 0.4],
        [rng.integers(bottom - p, bottom + 1, count), rng.integers(max(bottom, top - 2), top + 1, count),
         np.clip(rng.integers(-p, p + 1, count), bottom, top)],
        rng.integers(bottom - min(p, 3), top + 1, count),
    )  # fmt: skip
    values = representable(scaled(rng, significands(rng, count, p), exponents - p + 1), format)
    specials = {"ieee": [np.inf, -np.inf, np.nan], "nan": [np.nan], "none": []}[format.specials]
    special = rng.choice([0.0, -0.0, float(format.smallest), -float(format.largest), *specials], count)
    return np.where(rng.random(count) < 0.005, special, values)


def summands(rng: np.random.Generator, format: FloatFormat, count: int) -> tuple[Array, Array]:
    """Return pairs: independent ones, of about the same size, cancelling, and with ties for sums."""
    p = format.precision
    x, y = drawn(rng, format, count), drawn(rng, format, count)
    finite = np.isfinite(x) & (x != 0)
    exponent = np.frexp(np.where(finite, x, 1.0))[1]
    near = scaled(rng, significands(rng, count, p), exponent - p + rng.integers(-p - 2, 3, count))
    bits = rng.integers(1, p + 1, count)
    # The last bit of these is half of the last place of x, or a bit after it.
    halves = scaled(rng, significands(rng, count, bits) | 1, exponent - p - 1 - rng.integers(0, 2, count))
    next_to = -x * (1 + rng.choice((0, 2.0 ** (1 - p)), count))
    kind = np.where(finite, rng.integers(0, 8, count), 0)
    y = np.select([kind < 2, kind < 5, kind < 7], [y, near, halves], next_to)
    return x, rounded_to(y, format)


def factors(rng: np.random.Generator, format: FloatFormat, count: int) -> tuple[Array, Array]:
    """Return pairs: independent ones, with subnormal or very large products, and with ties for products."""
    p, bottom, top = format.precision, format.smallest_exponent, format.largest_exponent
    x, y = drawn(rng, format, count), drawn(rng, format, count)
    finite = np.isfinite(x) & (x != 0)
    exponent = np.frexp(np.where(finite, x, 1.0))[1] - 1
    low, high = rng.integers(bottom - p - 2, bottom + 3, count), rng.integers(top - 2, top + 2, count)
    goal = np.where(rng.random(count) < 0.6, low, high)
    border = scaled(rng, significands(rng, count, p), np.clip(goal - exponent, bottom, top) - p + 1)
    # Odd numbers with p + 1 or p + 2 bits together have products of p to p + 2 bits, of which the last is set.
    first = rng.integers(2, p + 1, count)
    second = np.clip(p + 1 + rng.integers(0, 2, count) - first, 1, p)
    one = scaled(rng, significands(rng, count, first) | 1, rng.integers(bottom, top, count) // 2 - first)
    other = scaled(rng, significands(rng, count, second) | 1, rng.integers(bottom, top, count) // 2 - second)
    kind = np.where(finite, rng.integers(0, 4, count), 0)
    x = np.where(kind == 3, one, x)
    y = np.select([kind == 0, kind < 3], [y, border], other)
    return rounded_to(x, format), rounded_to(y, format)


def addends(rng: np.random.Generator, format: FloatFormat, x: Array, y: Array) -> Array:
    """Return numbers to add to products: any, of about their size, or what cancels them."""
    count, p = len(x), format.precision
    with np.errstate(all="ignore"):
        products = x * y
    finite = np.isfinite(products) & (products != 0)
    exponent = np.frexp(np.where(finite, products, 1.0))[1] + rng.integers(-2 * p, 2 * p, count)
    near = scaled(rng, significands(rng, count, p), np.minimum(exponent, format.largest_exponent + 1) - p)
    kind = np.where(finite, rng.integers(0, 4, count), 0)
    return rounded_to(np.select([kind == 0, kind < 3], [drawn(rng, format, count), near], -products), format)


def rounded_to(values: Array, format: FloatFormat) -> Array:
    """Return operands as numbers of the format, cut off after its last bit; special ones stay."""
    finite = np.isfinite(values)
    fraction, exponent = np.frexp(np.where(finite, values, 0.0))
    cut = np.ldexp(np.trunc(np.ldexp(fraction, format.precision)), exponent - format.precision)
    return np.where(finite, representable(np.copysign(cut, np.where(finite, values, 0.0)), format), values)


def all_numbers(format: FloatFormat) -> Array:
    """Return all numbers of a small format."""
    up, found, x = replace(format, rounding="up"), [0.0], mpq(0)
    while x < format.largest:
        x = up.rounded(x + format.smallest / 4) if x else format.smallest
        found.append(float(x))
    specials = {"ieee": [np.inf, -np.inf, np.nan], "nan": [np.nan], "none": []}[format.specials]
    return np.array(found + [-x for x in found] + specials)


# --- oracles


def mpfr_context(format: FloatFormat, precision: int, mode: int) -> gmpy2.context:
    """Return a context with the exponents of a format; without subnormals, with smaller ones than it has."""
    if not format.subnormals:
        return gmpy2.context(precision=precision, emax=format.largest_exponent + 3, round=mode)
    return gmpy2.context(
        precision=precision,
        emax=format.largest_exponent + (1 if precision == format.precision else 3),
        emin=format.smallest_exponent - precision + 2,
        subnormalize=True,
        round=mode,
    )


def mpfr_results(name: str, format: FloatFormat, operands: tuple[Array, ...]) -> Array:
    """Return what MPFR makes of operands, in the format."""
    exact = mpfr_context(format, format.precision, MPFR_MODES[format.rounding])
    if format.rounding is Rounding.NEAREST_AWAY:  # cut off after one more bit, a tie is what has that bit
        longer = mpfr_context(format, format.precision + 1, gmpy2.RoundToZero)
        once = map(getattr(longer, name), *(part.tolist() for part in operands))
        results = map(exact.plus, once)
    else:
        results = map(getattr(exact, name), *(part.tolist() for part in operands))
    found = np.fromiter(map(float, results), dtype=np.float64, count=len(operands[0]))
    return bounded(found, format, operands)


def bounded(found: Array, format: FloatFormat, operands: tuple[Array, ...]) -> Array:
    """Return results with what a format does at its ends, where it is not what MPFR does."""
    largest, mode = float(format.largest), format.rounding
    if not format.subnormals:
        low = float(format.smallest)
        found = np.where(np.abs(found) < low, np.copysign(0.0, found), found)
    if format.overflow == "infinity" and format.subnormals:
        return found
    finite = np.all([np.isfinite(part) for part in operands], axis=0)
    beyond = {"infinity": np.inf, "saturate": largest, "nan": np.nan}[format.overflow]
    inward = mode is Rounding.TOWARD_ZERO
    above = largest if inward or mode is Rounding.DOWN else beyond
    below = -largest if inward or mode is Rounding.UP else -beyond
    over = finite & (np.abs(found) > largest)
    return np.where(over, np.where(found < 0, below, above), found)


def rational_results(name: str, format: FloatFormat, operands: tuple[Array, ...]) -> Array:
    """Return what the operations in rationals make of operands."""
    compute = getattr(FloatOperations(format), {"mul": "multiply", "fma": "fused"}.get(name, name))
    numbers = ([mpq(x) if x and np.isfinite(x) else x for x in part.tolist()] for part in operands)
    return np.array([float(compute(*some)) for some in zip(*numbers, strict=True)])


# --- the campaign


def differences(found: Array, expected: Array) -> NDArray[np.int64]:
    """Return where two arrays differ in a bit; NaNs are alike."""
    same = (found.view(np.int64) == expected.view(np.int64)) | (np.isnan(found) & np.isnan(expected))
    return np.flatnonzero(~same)


def computed(
    format: FloatFormat, rng: np.random.Generator, count: int
) -> Iterator[tuple[str, str, tuple[Array, ...], Array]]:
    """Yield (kind, name in MPFR, operands, results) of every kind of operation in the compiled loops."""
    exact_products = 2 * format.precision <= 53
    packed = kernels.carrier_of(plain(format, exact_products))
    if is_small(format):
        rows = columns = all_numbers(format)
        sums = products = tuple(part.ravel().copy() for part in np.meshgrid(rows, columns))
    else:
        sums, products = summands(rng, format, count), factors(rng, format, count)
        rows, columns = products[1][:ROWS], products[0][: max(1, count // ROWS)]
    total, product, fused = sums[0].copy(), products[0].copy(), addends(rng, format, *products)
    with np.errstate(all="ignore"):
        kernels.add(sums[1], total, packed, 0)
        yield "add", "add", sums, total
        kernels.multiply_all(products[1], product, packed, 0)
        yield "multiply", "mul", products, product
        found = np.empty((len(rows), len(columns)))
        for row, factor in enumerate(rows.tolist()):
            kernels.multiply(factor, columns, found[row], packed, 0)
        yield "by a number", "mul", (np.repeat(rows, len(columns)), np.tile(columns, len(rows))), found.ravel()
        if exact_products:
            addend = fused.copy()
            kernels.fuse(*products, fused, packed, 0)
            yield "fused", "fma", (*products, addend), fused


def is_small(format: FloatFormat) -> bool:
    """Return whether all pairs of numbers are taken."""
    return format.precision + format.exponent_bits <= 8


def compared(
    format: FloatFormat, rng: np.random.Generator, operations: int, share: int
) -> tuple[Counter[str], list[str]]:
    """Compare operations in one format and mode; return counts, and lines about differences."""
    counts: Counter[str] = Counter()
    lines: list[str] = []
    count = max(ROWS, min(CHUNK, operations // 4))
    while not counts["operations"] or (counts["operations"] < operations and not is_small(format)):
        for kind, name, operands, found in computed(format, rng, count):
            sample = 1 + share * len(found) // max(operations, 4 * len(found))
            some = rng.choice(len(found), min(len(found), sample), replace=False)
            parts = tuple(part[some] for part in operands)
            for oracle, expected, mine, given in (
                ("MPFR", mpfr_results(name, format, operands), found, operands),
                ("rationals", rational_results(name, format, parts), found[some], parts),
            ):
                wrong = differences(mine, expected)
                counts["differences"] += len(wrong)
                for i in wrong[: max(0, SHOWN - len(lines))]:
                    texts = ", ".join(part[i].item().hex() for part in given)
                    what = f"{mine[i].item().hex()}, but {expected[i].item().hex()} by {oracle}"
                    lines.append(f"{format.name}, {format.rounding}: {kind} of {texts} is {what}")
            counts["operations"] += len(found)
            counts["in rationals"] += len(some)
    return counts, lines


@dataclass(frozen=True)
class Mode(Unit):
    """Operations of one format in one rounding mode."""

    format: str
    mode: int
    seed: int
    operations: int
    share: int

    def run(self, subject: object) -> dict[str, Any]:
        rng = np.random.default_rng([self.seed, self.mode, *self.format.encode()])
        compared(replace(BFLOAT16, name="warm-up"), np.random.default_rng(0), 100, 10)  # compiles
        rounded = replace(FORMATS[self.format], rounding=MODES[self.mode])
        counts, lines = compared(rounded, rng, self.operations, self.share)
        return {"counts": counts, "lines": lines}


def report(tally: dict[str, Counter[str]]) -> Table:
    """Return the counts by format."""
    columns = ("operations", "in rationals", "differences")
    table = Table("format", *columns)
    for name, counts in (*tally.items(), ("together", sum(tally.values(), Counter()))):
        table.add_row(name, *(f"{counts[column]:,}" for column in columns))
    return table


@click.command()
@click.option("--operations", default=10_000_000, show_default=True, help="Of each format and mode, about.")
@click.option("--format", "names", multiple=True, type=click.Choice(list(FORMATS)), help="All, if not given.")
@click.option("--seed", default=0, show_default=True)
@click.option("--share", default=100_000, show_default=True, help="Of the operations, how many in rationals too.")
@work_options
def main(operations: int, names: tuple[str, ...], seed: int, share: int, work: Work) -> None:
    """Compare the compiled operations of float formats with MPFR."""
    console, began = Console(width=max(Console().width, 130)), time.perf_counter()
    chosen = [FORMATS[name] for name in names or FORMATS]
    units = [Mode(format.name, n, seed, operations, share) for format in chosen for n in range(len(MODES))]
    found = work.run(Campaign(units, list), "formats and modes")
    tally: dict[str, Counter[str]] = {format.name: Counter() for format in chosen}
    for unit, row in found.result:
        tally[unit.format].update(row["counts"])
        for line in row["lines"]:
            console.print(line, style="red", highlight=False, soft_wrap=True)
    console.print(report(tally))
    total = sum(tally.values(), Counter())
    console.print(
        f"seed {seed}: {total['operations']:,} operations in {len(chosen)} formats and {len(MODES)} modes, "
        f"{total['differences']:,} differences, {(time.perf_counter() - began) / 60:.1f} minutes",
        soft_wrap=True,
    )
    sys.exit(bool(total["differences"] or found.failed))


if __name__ == "__main__":
    main()
