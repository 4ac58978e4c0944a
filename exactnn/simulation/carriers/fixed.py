"""Fixed point, with words of up to 64 bits as int64; products of long words have 128 bits."""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from exactnn.simulation.carriers.carrier import define
from exactnn.simulation.compiled import compiled
from exactnn.simulation.mpfr_kernels import hard_word
from exactnn.simulation.smooth_kernels import BEYOND_WORDS, SMOOTH, TANH, odd_fraction

__all__ = ["Fixed", "Shift", "Word", "smooth_word"]


class Word(NamedTuple):
    """The words of a format."""

    low: int
    high: int
    """The lowest and the largest."""
    mask: int
    """A mask of all their bits."""
    saturates: bool
    stochastic: bool
    """Whether rounding is stochastic."""
    seed: np.uint64
    """The seed of its random numbers."""


class Shift(NamedTuple):
    """How words with more or fewer bits after the point become words of a format.

    A word grows to the next one if a carry comes of what falls off and, added to it, the amounts below.
    """

    left: int
    right: int
    """By so many bits to the left, and then to the right."""
    amount: int
    for_negative: int
    for_odd: int
    """What is added for every word, for negative words, and for odd results."""


class Fixed(NamedTuple):
    """A format, and how numbers with their point at another place become numbers of it."""

    word: Word
    first: Shift
    """How the product of two numbers becomes a term."""
    second: Shift
    """How the product of a term and a number becomes a term."""
    entering: Shift
    """How a bias becomes a sum."""
    leaving: Shift
    """How a sum becomes a result."""
    smooth: Shift
    """How a smooth value with 62 bits more becomes a result."""
    digits: int
    """Bits of results after the point."""
    long: bool | None
    """True if there are products longer than int64, else None: loops for that type are thrice as fast."""


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
    if word.saturates and (x ^ total) & (y ^ total) < 0:
        return word.low if x < 0 else word.high
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
    if long is None and not word.stochastic:
        value = (x * y) << left
        # Of such products the magnitude is 2**62 at most, and less is added. value >> 63 is -1 for negative ones.
        grown = value + amount + ((value >> 63) & for_negative) + ((value >> bits) & for_odd)
        return in_word(grown >> bits, word)
    return any_product(x, y, shift, word, long, count)


@register_jitable
def any_product(x: Any, y: Any, shift: Any, word: Any, long: Any, count: Any) -> Any:
    """Return the same, also for products of 63 bits, as sums are that become results."""
    left, bits, amount, for_negative, for_odd = shift
    if long is not None:
        negative = x != 0 and y != 0 and (x < 0) != (y < 0)
        parts: Any = long_product(x, y, left, bits)  # type: ignore[call-arg]
        whole, rest, fits = parts
        bits = min(bits, 62)
        if word.saturates and (fits == 0 or whole == _LARGEST):
            return word.low if negative else word.high
    else:
        value = (x * y) << left
        negative = value < 0
        whole = value >> bits
        rest = value - (whole << bits)
    if word.stochastic:
        carry = np.int64(grows_at_random(negative, rest, bits, random_bits(np.uint64(word.seed), count)))
    else:
        carry = (rest + amount + negative * for_negative + (whole & 1) * for_odd) >> bits
    return in_word(whole + carry, word)


@register_jitable
def grown(whole: Any, rest: Any, negative: Any, shift: Any, word: Any, draw: Any) -> Any:
    """Return the integer that one with 62 more bits is rounded to."""
    _, bits, amount, for_negative, for_odd = shift
    if word.stochastic:
        return whole + np.int64(grows_at_random(negative, rest, bits, draw))
    return whole + ((rest + amount + negative * for_negative + (whole & 1) * for_odd) >> bits)


@compiled
def smooth_word(code: int, total: int, carrier: Fixed, count: int) -> int:
    """Return the value of a smooth activation at a word, rounded."""
    word, shift, digits = carrier.word, carrier.smooth, carrier.digits
    negative = code == TANH and total < 0
    draw = random_bits(np.uint64(word.seed), count) if word.stochastic else np.int64(0)
    for attempt in range(2):
        below, below_rest, above, above_rest = odd_fraction(code, total, digits, attempt == 0)
        if below == BEYOND_WORDS and not word.saturates:
            break
        found = grown(below, below_rest, negative, shift, word, draw)
        if found == grown(above, above_rest, negative, shift, word, draw):
            return int(in_word(found, word))
    below, below_rest = hard_word(code - SMOOTH, total, digits)
    return int(in_word(grown(below, below_rest, negative, shift, word, draw), word))


define(
    Fixed,
    multiply=lambda x, y, carrier, count: product(x, y, carrier.first, carrier.word, carrier.long, count),
    multiply_again=lambda x, y, carrier, count: product(x, y, carrier.second, carrier.word, carrier.long, count),
    add=lambda x, y, carrier, count: added(x, y, carrier.word),
    enter=lambda x, y, carrier, count: product(x, 1, carrier.entering, carrier.word, carrier.long, count),
    convert=lambda x, y, carrier, count: any_product(x, 1, carrier.leaving, carrier.word, carrier.long, count),
    smooth=lambda x, y, carrier, count: smooth_word(y, x, carrier, count),
)
