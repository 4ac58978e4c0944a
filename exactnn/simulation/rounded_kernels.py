"""Steps of a network in a floating-point format that the processor lacks: many runs side by side, in numba.

Numbers are kept as float64. An operation is done in float64 first, together with its error, which is a float64 too;
both say what the exact result is, and that is rounded once. This is right for every format of up to 53 bits and 10 bits
of exponent: then nothing overflows on the way, and what float64's own underflow loses is far below the format's
smallest number. Formats come as tuples of plain numbers, see `Format`.

Registers are `registers[register, lane]`, and every lane is a run of its own. The loops over lanes have no branches, so
that they are vectorised.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Rows

__all__ = ["Array", "Format", "Manner", "advance_lanes", "evaluate"]

Array = NDArray[Any]

Format = tuple[
    float, float, float, bool, bool, bool, float, bool, bool, bool, float, float, float, float, float, bool,
    np.uint64,
]  # fmt: skip
"""Powers of two: what a binade's least number is multiplied by so that the sum of both is rounded to the format by the
processor, and so that it is the unit in the last place; the least number of the lowest binade. Whether float64 products are exact; whether sums may be rounded twice.
Then the rounding: whether to nearest with ties to even; if not, the fraction beyond which a magnitude grows (below 0:
a random number), whether positive and negative ones may, and whether they do at a tie. Then below what magnitude a
result becomes 0, the largest number, what becomes of positive and negative results beyond that, and of infinity. Whether
the rounding is down; and the seed of random numbers."""

Manner = tuple[Format, Format, bool, int, bool]
"""The format of sums and that of results, whether they differ, the order of a sum, and whether terms that are 0 in all
lanes may be left out."""

BIAS_FIRST, BIAS_LAST, PAIRWISE, FUSED = range(4)

_EXPONENT = 2047 << 52
_ENOUGH = 2.0**900  # more than any number of these formats, and far from an overflow
_INFINITY = np.inf


@intrinsic
def multiply_add(typing_context: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x * y + z, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@register_jitable
def rounded(value: Any, error: Any, beyond: Any, format: Any) -> Any:
    """Return value + error in the format, where value is that sum to nearest in float64."""
    flush, largest, above, below, infinity = format[10], format[11], format[12], format[13], format[14]
    result = to_nearest(value, error, format) if format[5] else by_fraction(value, error, beyond, format)
    result = 0.0 if abs(result) < flush else result
    result = np.copysign(result, value)
    result = (below if value < 0.0 else above) if abs(result) > largest else result
    return np.copysign(infinity, value) if abs(value) == _INFINITY else result


@register_jitable
def binade_of(value: Any) -> Any:
    """Return the power of two at or below a magnitude, and 0 or infinity for what has none."""
    return np.int64(np.float64(value).view(np.int64) & _EXPONENT).view(np.float64)


@register_jitable
def shift_of(binade: Any, scale: Any, smallest: Any) -> Any:
    """Return what is added and subtracted so that the processor rounds to the format."""
    has_all = (scale == 1.0) & (binade >= smallest)  # float64 has no more bits
    return 0.0 if has_all else min(max(binade, smallest), _ENOUGH) * scale


@register_jitable
def to_nearest(value: Any, error: Any, format: Any) -> Any:
    """Return the nearest number of the precision, of two the even one; the sign of a zero is of no meaning."""
    scale, smallest = format[0], format[2]
    shift = np.copysign(shift_of(binade_of(value), scale, smallest), value)
    result = (value + shift) - shift
    # What float64 takes for a tie is none if it has an error; that tells which of the two is nearer.
    rest = value - result
    tie = (abs(rest) == 2.0**-53 * abs(shift)) & (error != 0.0)
    same = (np.float64(error).view(np.int64) ^ np.float64(rest).view(np.int64)) >= 0
    return result + np.copysign(2.0**-52 * shift, rest) if tie & same else result


@register_jitable
def by_fraction(value: Any, error: Any, beyond: Any, format: Any) -> Any:
    """Return one of the two neighbours in the precision, as the fraction between them tells; zeros as above."""
    scale, unit, smallest, positive, negative, away = format[0], format[1], format[2], format[7], format[8], format[9]
    bits = np.float64(value).view(np.int64)
    inexact = error != 0.0
    opposite = (np.float64(error).view(np.int64) ^ bits) < 0
    # Cut off rather than rounded in float64, what is missing only adds to the fraction.
    magnitude = abs(np.int64(bits - np.int64(inexact & opposite)).view(np.float64))
    binade = binade_of(magnitude)
    shift, last = shift_of(binade, scale, smallest), max(binade, smallest) * unit
    whole = (magnitude + shift) - shift
    whole = whole - last if whole > magnitude else whole
    rest, limit = magnitude - whole, beyond * last
    may = negative if value < 0.0 else positive
    grows = may & ((rest > limit) | ((rest == limit) & (inexact | away)))
    return whole + last if grows else whole


@register_jitable
def product(x: Any, y: Any, beyond: Any, format: Any) -> Any:
    """Return x * y in the format."""
    value = x * y
    error: Any = multiply_add(x, y, -value)  # type: ignore[call-arg]
    # A product of two numbers that are not 0 is not 0, however small.
    lost = (value == 0.0) & (x != 0.0) & (y != 0.0)
    value = np.copysign(5e-324, value) if lost else value
    return rounded(value, error, beyond, format)


@register_jitable
def total(x: Any, y: Any, beyond: Any, format: Any) -> Any:
    """Return x + y in the format."""
    value = x + y
    other = value - x
    error = (x - (value - other)) + (y - other)
    # Rounding down, an exact zero is -0, but for 0 + 0.
    downward = format[15] & (value == 0.0) & (np.copysign(1.0, x) + np.copysign(1.0, y) < 2.0)
    value = -0.0 if downward else value
    return rounded(value, error, beyond, format)


@register_jitable
def random_fraction(seed: Any, count: Any) -> Any:
    """Return the random number of operation `count`: see :func:`exactnn.arithmetic.rounding.random_bits`."""
    x = seed + np.uint64(count + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = (x ^ (x >> np.uint64(31))) >> np.uint64(32)
    return (2.0 * np.float64(x) + 1.0) / 8589934592.0


@register_jitable
def threshold_of(format: Any, count: Any) -> Any:
    """Return the fraction beyond which the magnitude grows in operation `count`."""
    return random_fraction(np.uint64(format[16]), count) if format[6] < 0.0 else format[6]


@compiled
def multiply(factor: Any, values: Array, results: Array, format: Format, count: Any) -> None:
    """Multiply by one number in every lane."""
    beyond = threshold_of(format, count)
    if format[3]:
        for lane in range(len(values)):
            results[lane] = rounded(factor * values[lane], 0.0, beyond, format)
    else:
        for lane in range(len(values)):
            results[lane] = product(factor, values[lane], beyond, format)


@compiled
def multiply_all(values: Array, results: Array, format: Format, count: Any) -> None:
    """Multiply `results` by `values`, lane by lane."""
    beyond = threshold_of(format, count)
    for lane in range(len(values)):
        results[lane] = product(results[lane], values[lane], beyond, format)


@compiled
def add(values: Array, results: Array, format: Format, count: Any) -> None:
    """Add `values` to `results`, lane by lane."""
    beyond = threshold_of(format, count)
    if format[4]:
        for lane in range(len(values)):
            results[lane] = rounded(results[lane] + values[lane], 0.0, beyond, format)
    else:
        for lane in range(len(values)):
            results[lane] = total(results[lane], values[lane], beyond, format)


@compiled
def fuse(first: Array, second: Array, results: Array, format: Format, count: Any) -> None:
    """Add products to `results` with one rounding, lane by lane; the products must be exact in float64."""
    beyond = threshold_of(format, count)
    for lane in range(len(results)):
        results[lane] = total(results[lane], first[lane] * second[lane], beyond, format)


@compiled
def convert(results: Array, format: Format, count: Any) -> None:
    """Round numbers of another format into this one."""
    beyond = threshold_of(format, count)
    for lane in range(len(results)):
        results[lane] = rounded(results[lane], 0.0, beyond, format)


@compiled
def activate(code: Any, results: Array) -> None:
    """Apply the activation with this code; NaN goes through all but Heaviside."""
    for lane in range(len(results)):
        value = results[lane]
        if code == 3:
            results[lane] = 1.0 if value > 0.0 else 0.0
        elif code != 0:
            value = 0.0 if value <= 0.0 else value
            results[lane] = 1.0 if code == 2 and value > 1.0 else value


@compiled
def sum_up(terms: Array, used: int, order: int, format: Format, count: int) -> int:
    """Add rows into the first, one after the other or in pairs; return the number of the next operation."""
    if order == BIAS_LAST:
        for term in range(1, used):
            add(terms[term], terms[0], format, count)
            count += 1
        return count
    while used > 1:
        for pair in range(used // 2):
            if pair:
                terms[pair] = terms[2 * pair]
            add(terms[2 * pair + 1], terms[pair], format, count)
            count += 1
        if used % 2:
            terms[used // 2] = terms[used - 1]
        used = (used + 1) // 2
    return count


@register_jitable
def any_number(row: Array) -> bool:
    """Return whether a register is not 0 in some lane; NaN is not 0."""
    for value in row:  # noqa: SIM110 - `any` would be slower, and on arrays it takes NaN for false
        if value != 0.0:
            return True
    return False


@compiled
def evaluate(
    rows: Rows, registers: Array, active: Array, results: Array, terms: Array, manner: Manner, first: int, count: int
) -> int:
    """Compute units in order into the rows of `results`; return the number of the next operation.

    `active` says which registers are not 0 in all lanes; it is kept up if `results` are the registers from `first` on,
    which is -1 otherwise. `terms` is scratch space: a row for each term of the longest unit, and two more.
    """
    bias, activation, ends, columns, weights, second_ends, lefts, rights, second_weights = rows
    inner, outer, converts, order, skip = manner
    at_once = order in (BIAS_FIRST, FUSED)
    for unit in range(len(bias)):
        result = results[unit]
        result[:] = bias[unit]
        if converts:
            convert(result, inner, count)
            count += 1
        used = 0
        if order == PAIRWISE:
            terms[0] = result
            used = 1
        for term in range(ends[unit], ends[unit + 1]):
            if skip and not active[columns[term]]:
                continue
            if order == FUSED:
                terms[0] = weights[term]
                fuse(registers[columns[term]], terms[0], result, inner, count)
                count += 1
                continue
            multiply(weights[term], registers[columns[term]], terms[used], inner, count)
            count += 1
            if at_once:
                add(terms[used], result, inner, count)
                count += 1
            else:
                used += 1
        for term in range(second_ends[unit], second_ends[unit + 1]):
            multiply(second_weights[term], registers[lefts[term]], terms[used], inner, count)
            count += 1
            if order == FUSED:
                fuse(registers[rights[term]], terms[used], result, inner, count)
                count += 1
                continue
            multiply_all(registers[rights[term]], terms[used], inner, count)
            count += 1
            if at_once:
                add(terms[used], result, inner, count)
                count += 1
            else:
                used += 1
        if not at_once:
            if order == BIAS_LAST:
                terms[used] = result
                used += 1
            count = sum_up(terms, used, order, inner, count)
            result[:] = terms[0]
        if converts:
            convert(result, outer, count)
            count += 1
        activate(activation[unit], result)
        if skip and first >= 0:
            active[first + unit] = any_number(result)
    return count


@compiled
def advance_lanes(
    units: Rows, readout: Rows, next_state: Array, registers: Array, active: Array, terms: Array, first_unit: int,
    outputs: Array, manner: Manner, threshold: float, until_decided: bool, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Step on one input until `outputs` (step, output, lane) is full; the state stays in `registers`.

    With `until_decided`, stop where the output of lane 0 is a verdict. Return the steps taken, and the number of the
    next operation.
    """
    size = len(next_state)
    following = np.empty((size, registers.shape[1]))
    for step in range(len(outputs)):
        if manner[4]:
            for register in range(first_unit):
                active[register] = any_number(registers[register])
        count = evaluate(units, registers, active, registers[first_unit:], terms, manner, first_unit, count)
        for i in range(size):
            following[i] = registers[next_state[i]]
        registers[:size] = following
        if manner[4]:
            for register in range(size):
                active[register] = any_number(registers[register])
        count = evaluate(readout, registers, active, outputs[step], terms, manner, -1, count)
        if until_decided and abs(outputs[step, 0, 0]) > threshold:
            return step + 1, count
    return len(outputs), count
