"""Steps of a network in fixed point, in numba: words are int64, and products of long ones have 128 bits.

Formats come as tuples of plain numbers, see `Word` and `Manner`; a network as the flat arrays of
:mod:`exactnn.simulation.float_rows`.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Columns, Rows
from exactnn.simulation.recurrence_kernels import first_difference
from exactnn.simulation.smooth_kernels import SMOOTH, TANH, hard_word, odd_fraction

__all__ = ["Array", "Manner", "Shift", "Word", "advance", "evaluate"]

Array = NDArray[Any]

Word = tuple[int, int, int, bool, bool, np.uint64]
"""The words of a format: the lowest, the largest, a mask of all their bits; whether they saturate, whether rounding is
stochastic, and the seed of its random numbers."""

Shift = tuple[int, int, int, int, int]
"""How words with more or fewer bits after the point become words of a format: by so many bits to the left, and then to
the right; a word grows to the next one if a carry comes of what falls off and, added to it, an amount, another one for
negative words, and another one for odd results."""

Manner = tuple[Word, Word, Shift, Shift, Shift, Shift, bool, bool | None, Shift, int]
"""The words of sums and those of results; how the product of two numbers becomes a term, that of a term and a number a
term, a bias a sum, and a sum a result; whether the words of sums and results differ, and True if there are products
longer than int64, else None: loops for that type have no code for long ones, and are thrice as fast. Then how a smooth
value with 62 bits more becomes a result, and the digits of results after the point."""

_LARGEST = (1 << 63) - 1


@register_jitable
def in_word(value: Any, word: Any) -> Any:
    """Return a word for any integer: the nearest one, or that with the same last bits."""
    low, high, mask, saturates, _, _ = word
    if saturates:
        return min(max(value, low), high)
    return ((value - low) & mask) + low


@register_jitable
def added(x: Any, y: Any, word: Any) -> Any:
    """Return the sum of two words."""
    total = x + y
    # In words of 63 bits and the sign the sum may be beyond int64; wrapped around it is right anyway.
    if word[3] and (x ^ total) & (y ^ total) < 0:
        return word[0] if x < 0 else word[1]
    return in_word(total, word)


@register_jitable
def random_bits(seed: Any, count: Any) -> Any:
    """Return the random number of operation `count`: see :func:`exactnn.arithmetic.rounding.random_bits`."""
    x = seed + np.uint64(count + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((x ^ (x >> np.uint64(31))) >> np.uint64(32))


@register_jitable
def grows_at_random(negative: Any, rest: Any, bits: Any, draw: Any) -> Any:
    """Return whether a word whose last bits fell off grows: its magnitude does if they are beyond a random number."""
    size = (1 << bits) - rest if negative else rest
    bound = 2 * draw + 1
    beyond = size << (33 - bits) > bound if bits <= 33 else size > bound << (bits - 33)
    return rest != 0 and beyond != negative


@intrinsic
def long_product(typing_context: Any, x: Any, y: Any, left: Any, right: Any) -> Any:
    """Return x * y * 2**left / 2**right rounded down, by way of 128 bits, and whether it fits int64.

    Between them, what fell off: `right` bits, or 62 if those are fewer, with the last one set if more are not 0.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, long = ir.IntType(64), ir.IntType(128)
        x, y, left, right = (builder.sext(argument, long) for argument in arguments)
        value = builder.shl(builder.mul(x, y), left)
        whole = builder.ashr(value, right)
        rest = builder.sub(value, builder.shl(whole, right))
        many = builder.sub(right, long(62))
        excess = builder.select(builder.icmp_signed(">", many, long(0)), many, long(0))
        kept = builder.lshr(rest, excess)
        lost = builder.icmp_unsigned("!=", builder.shl(kept, excess), rest)
        low = builder.trunc(whole, word)
        fits = builder.icmp_signed("==", builder.sext(low, long), whole)
        found = (low, builder.trunc(builder.or_(kept, builder.zext(lost, long)), word), builder.zext(fits, word))
        return context.make_tuple(builder, signature.return_type, found)

    triple: Any = types.Tuple((types.int64,) * 3)  # type: ignore[no-untyped-call]
    return triple(types.int64, types.int64, types.int64, types.int64), generate


@register_jitable
def product(x: Any, y: Any, shift: Any, word: Any, long: Any, count: Any) -> Any:
    """Return the word that a product of words is rounded to, whose bits after the point are others."""
    left, bits, amount, for_negative, for_odd = shift
    if long is not None:
        negative = x != 0 and y != 0 and (x < 0) != (y < 0)
        parts: Any = long_product(x, y, left, bits)  # type: ignore[call-arg]
        whole, rest, fits = parts
        bits = min(bits, 62)
        if word[3] and (fits == 0 or whole == _LARGEST):
            return word[0] if negative else word[1]
    else:
        value = (x * y) << left
        negative = value < 0
        whole = value >> bits
        rest = value - (whole << bits)
    if word[4]:
        carry = np.int64(grows_at_random(negative, rest, bits, random_bits(np.uint64(word[5]), count)))
    else:
        carry = (rest + amount + negative * for_negative + (whole & 1) * for_odd) >> bits
    return in_word(whole + carry, word)


@register_jitable
def activated(code: Any, total: Any, one: Any) -> Any:
    """Return the activation with this code of a word."""
    if code == 3:
        return one if total > 0 else 0
    if code != 0:
        total = max(total, 0)
        if code == 2:
            total = min(total, one)
    return total


@register_jitable
def grown(whole: Any, rest: Any, negative: Any, shift: Any, word: Any, draw: Any) -> Any:
    """Return the integer that one with 62 more bits is rounded to."""
    _, bits, amount, for_negative, for_odd = shift
    if word[4]:
        return whole + np.int64(grows_at_random(negative, rest, bits, draw))
    return whole + ((rest + amount + negative * for_negative + (whole & 1) * for_odd) >> bits)


@compiled
def smooth(code: int, total: int, manner: Manner, count: int) -> int:
    """Return the sigmoid or tanh of a word, rounded."""
    _, word, _, _, _, _, _, _, shift, digits = manner
    negative = code == TANH and total < 0
    draw = random_bits(np.uint64(word[5]), count) if word[4] else np.int64(0)
    for attempt in range(2):
        below, below_rest, above, above_rest = odd_fraction(code, total, digits, attempt == 0)
        found = grown(below, below_rest, negative, shift, word, draw)
        if found == grown(above, above_rest, negative, shift, word, draw):
            return int(in_word(found, word))
    below, below_rest = hard_word(code == TANH, total, digits)
    return int(in_word(grown(below, below_rest, negative, shift, word, draw), word))


@register_jitable
def with_products(unit: Any, total: Any, rows: Any, registers: Any, manner: Any, count: Any) -> Any:
    """Return a sum with the second-order terms of a unit added, and the number of the next operation."""
    _, _, _, _, _, ends, lefts, rights, weights = rows
    inner, _, first, second, _, _, _, long, _, _ = manner
    for term in range(ends[unit], ends[unit + 1]):
        found = product(weights[term], registers[lefts[term]], first, inner, long, count)
        found = product(found, registers[rights[term]], second, inner, long, count + 1)
        total = added(total, found, inner)
        count += 3
    return total, count


@compiled
def evaluate(rows: Rows, registers: Array, results: Array, manner: Manner, one: int, count: int) -> int:
    """Compute units in order into `results`; return the number of the next operation."""
    bias, activation, ends, columns, weights, _, _, _, _ = rows
    inner, outer, first, _, entering, leaving, differ, long, _, _ = manner
    for unit in range(len(bias)):
        total = bias[unit]
        if differ:
            total = product(total, 1, entering, inner, long, count)
            count += 1
        for term in range(ends[unit], ends[unit + 1]):
            total = added(total, product(weights[term], registers[columns[term]], first, inner, long, count), inner)
            count += 2
        total, count = with_products(unit, total, rows, registers, manner, count)
        if differ:
            total = product(total, 1, leaving, outer, long, count)
            count += 1
        if activation[unit] >= SMOOTH:
            results[unit] = smooth(activation[unit], total, manner, count)
            count += 1
        else:
            results[unit] = activated(activation[unit], total, one)
    return count


@compiled
def evaluate_columns(
    rows: Rows, by_columns: Columns, registers: Array, first_unit: int, manner: Manner, one: int
) -> None:
    """As :func:`evaluate`, into registers and over those that are not 0; random numbers would be others."""
    bias, activation, _, _, _, _, _, _, _ = rows
    layers, ends, targets, weights = by_columns
    inner, outer, first, _, entering, leaving, differ, long, _, _ = manner
    results = registers[first_unit:]
    begin = 0
    column = 0
    for layer in range(len(layers)):
        end = begin + layers[layer, 0]
        available = layers[layer, 1]
        for unit in range(begin, end):
            results[unit] = product(bias[unit], 1, entering, inner, long, 0) if differ else bias[unit]
        for register in range(available):
            value = registers[register]
            if value != 0:
                for term in range(ends[column + register], ends[column + register + 1]):
                    found = product(weights[term], value, first, inner, long, 0)
                    results[targets[term]] = added(results[targets[term]], found, inner)
        for unit in range(begin, end):
            total, _ = with_products(unit, results[unit], rows, registers, manner, 0)
            if differ:
                total = product(total, 1, leaving, outer, long, 0)
            if activation[unit] >= SMOOTH:
                results[unit] = smooth(activation[unit], total, manner, 0)
            else:
                results[unit] = activated(activation[unit], total, one)
        begin = end
        column += available


@compiled
def advance(
    units: Rows, by_columns: Columns, sorted_columns: bool, next_state: Array, readout: Rows, registers: Array,
    first_unit: int, outputs: Array, manner: Manner, one: int, threshold: int, until_decided: bool, count: int,
    anchors: Array | None = None,
) -> tuple[int, int]:  # fmt: skip
    """Step until `outputs` is full, an output passes the threshold, or the state is that in `anchors`, if it has a row.

    The state stays in `registers`. Return the steps taken, and the number of the next operation.
    """
    size = len(next_state)
    following = np.empty(size, dtype=np.int64)
    at = 0
    for step in range(len(outputs)):
        if sorted_columns:
            evaluate_columns(units, by_columns, registers, first_unit, manner, one)
        else:
            count = evaluate(units, registers, registers[first_unit:], manner, one, count)
        for i in range(size):
            following[i] = registers[next_state[i]]
        for i in range(size):
            registers[i] = following[i]
        count = evaluate(readout, registers, outputs[step], manner, one, count)
        if until_decided and (outputs[step, 0] > threshold or outputs[step, 0] < -threshold):
            return step + 1, count
        if anchors is not None and len(anchors) and (at == size or registers[at] == anchors[0, at]):
            at = first_difference(registers, anchors[0])  # where they mostly differ after the next step too
            if at == size:
                return step + 1, count
    return len(outputs), count
