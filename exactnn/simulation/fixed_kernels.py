"""Steps of a network in fixed point, in numba: words are int64, and no intermediate result is longer.

Which formats that holds for, `can_compile` of :mod:`exactnn.simulation.fixed` says. Formats come as tuples of plain
numbers, see `Word` and `Manner`; a network as the flat arrays of :mod:`exactnn.simulation.float_rows`.
"""

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Columns, Rows

__all__ = ["Array", "Manner", "Shift", "Word", "advance", "evaluate"]

Array = NDArray[Any]

Word = tuple[int, int, int, bool, bool, np.uint64]
"""The words of a format: the lowest, the largest, a mask of all their bits; whether they saturate, whether rounding is
stochastic, and the seed of its random numbers."""

Shift = tuple[int, int, int, int, int]
"""How words with more or fewer bits after the point become words of a format: by so many bits to the left, and then to
the right; a word grows to the next one if what falls off, and these together, carry: an amount, one more for negative
words, and one for odd results."""

Manner = tuple[Word, Word, Shift, Shift, Shift, Shift, bool]
"""The words of sums and those of results; how the product of two numbers becomes a term, that of a term and a number a
term, a bias a sum, and a sum a result; and whether the first and the last word differ at all."""


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
def grows_at_random(value: Any, rest: Any, bits: Any, draw: Any) -> Any:
    """Return whether a word whose last bits fell off grows: its magnitude does if they are beyond a random number."""
    size = (1 << bits) - rest if value < 0 else rest
    bound = 2 * draw + 1
    beyond = size << (33 - bits) > bound if bits <= 33 else size > bound << (bits - 33)
    return rest != 0 and beyond == (value >= 0)


@register_jitable
def shifted(value: Any, shift: Any, word: Any, count: Any) -> Any:
    """Return the word that an integer with another number of bits after the point is rounded to."""
    left, right, amount, negative, odd = shift
    value = value << left
    whole = value >> right
    rest = value - (whole << right)
    if word[4]:
        return in_word(whole + grows_at_random(value, rest, right, random_bits(np.uint64(word[5]), count)), word)
    carry = (rest + amount + (value < 0) * negative + (whole & 1) * odd) >> right
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
def with_products(unit: Any, total: Any, rows: Any, registers: Any, manner: Any, count: Any) -> Any:
    """Return a sum with the second-order terms of a unit added, and the number of the next operation."""
    _, _, _, _, _, ends, lefts, rights, weights = rows
    inner, _, first, second, _, _, _ = manner
    for term in range(ends[unit], ends[unit + 1]):
        product = shifted(weights[term] * registers[lefts[term]], first, inner, count)
        product = shifted(product * registers[rights[term]], second, inner, count + 1)
        total = added(total, product, inner)
        count += 3
    return total, count


@compiled
def evaluate(rows: Rows, registers: Array, results: Array, manner: Manner, one: int, count: int) -> int:
    """Compute units in order into `results`; return the number of the next operation."""
    bias, activation, ends, columns, weights, _, _, _, _ = rows
    inner, outer, first, _, entering, leaving, differ = manner
    for unit in range(len(bias)):
        total = bias[unit]
        if differ:
            total = shifted(total, entering, inner, count)
            count += 1
        for term in range(ends[unit], ends[unit + 1]):
            product = shifted(weights[term] * registers[columns[term]], first, inner, count)
            total = added(total, product, inner)
            count += 2
        total, count = with_products(unit, total, rows, registers, manner, count)
        if differ:
            total = shifted(total, leaving, outer, count)
            count += 1
        results[unit] = activated(activation[unit], total, one)
    return count


@compiled
def evaluate_columns(
    rows: Rows, by_columns: Columns, registers: Array, first_unit: int, manner: Manner, one: int
) -> None:
    """As :func:`evaluate`, into registers and over those that are not 0; random numbers would be others."""
    bias, activation, _, _, _, _, _, _, _ = rows
    layers, ends, targets, weights = by_columns
    inner, outer, first, _, entering, leaving, differ = manner
    results = registers[first_unit:]
    begin = 0
    column = 0
    for layer in range(len(layers)):
        end = begin + layers[layer, 0]
        available = layers[layer, 1]
        for unit in range(begin, end):
            results[unit] = shifted(bias[unit], entering, inner, 0) if differ else bias[unit]
        for register in range(available):
            value = registers[register]
            if value != 0:
                for term in range(ends[column + register], ends[column + register + 1]):
                    product = shifted(weights[term] * value, first, inner, 0)
                    results[targets[term]] = added(results[targets[term]], product, inner)
        for unit in range(begin, end):
            total, _ = with_products(unit, results[unit], rows, registers, manner, 0)
            if differ:
                total = shifted(total, leaving, outer, 0)
            results[unit] = activated(activation[unit], total, one)
        begin = end
        column += available


@compiled
def advance(
    units: Rows, by_columns: Columns, sorted_columns: bool, next_state: Array, readout: Rows, registers: Array,
    first_unit: int, outputs: Array, manner: Manner, one: int, threshold: int, until_decided: bool, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Step until `outputs` is full or an output passes the threshold; the state stays in `registers`.

    Return the steps taken, and the number of the next operation.
    """
    size = len(next_state)
    following = np.empty(size, dtype=np.int64)
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
        if until_decided and abs(outputs[step, 0]) > threshold:
            return step + 1, count
    return len(outputs), count
