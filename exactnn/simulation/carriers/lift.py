"""From one number to a row of lanes: operations on a sum that is a number in one run, and a row of an array in many.

In one run `registers[register]` is a number, and a sum is the number `s`, which stays in the processor: each operation
gets it and returns what it becomes. With many runs side by side, `registers[register, lane]`, the sum is the row
``sums[row]``, one number for each lane, which each operation changes in place; then `s` means nothing. The type of
`sums` says which it is, when the loop is compiled.

Two things make loops over lanes fast. They get an array and the number of a row, never the row as an array of its own:
making one counts references, which takes longer than a product and a sum. And each rounds once: a loop that rounds
twice takes half as long again as two loops.
"""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

from exactnn.simulation.carriers.carrier import (
    add,
    by_type,
    convert,
    enter,
    fuse,
    multiply,
    multiply_again,
    smooth,
)

__all__ = ["borrowed", "clamped", "converted", "copied", "entered", "given", "item", "jumped", "load",
           "operand", "plus", "plus_product", "smoothed", "store", "term", "times", "times_exactly"]  # fmt: skip

Body = Callable[..., Any]


null_of: Any = cgutils.get_null_value


@intrinsic
def without_owner(typing_context: Any, array: Any) -> Any:
    """Return the same array without an owner."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        struct = context.make_array(array)(context, builder, arguments[0])
        struct.meminfo = null_of(struct.meminfo.type)
        struct.parent = null_of(struct.parent.type)
        return struct._getvalue()

    return array(array), generate


borrowed: Any = without_owner
"""No references are counted to arrays without an owner: that takes longer than a product. The caller keeps it alive."""


@by_type
def item(numbers: Any, index: Any, lane: Any) -> Body:
    """Return a number of one run or of a lane; of something that is no array, itself."""
    if not isinstance(numbers, types.Array):
        return lambda numbers, index, lane: numbers
    if numbers.ndim == 1:
        return lambda numbers, index, lane: numbers[index]
    return lambda numbers, index, lane: numbers[index, lane]


@by_type
def load(sums: Any, row: Any) -> Body:
    """Return the sum in a row of one run; for lanes, which stay where they are, anything."""
    return (lambda sums, row: sums[row]) if sums.ndim == 1 else (lambda sums, row: 0)


@by_type
def store(sums: Any, row: Any, s: Any) -> Body:
    """Write a sum of one run into its row, where lanes are already."""

    def number(sums: Any, row: Any, s: Any) -> None:
        sums[row] = s

    def lanes(sums: Any, row: Any, s: Any) -> None:
        pass

    return number if sums.ndim == 1 else lanes


@by_type
def operand(s: Any, sums: Any) -> Body:
    """Return a sum as the argument `xs` of the next operation."""
    return (lambda s, sums: s) if sums.ndim == 1 else (lambda s, sums: sums)


def lifted(one: Body) -> Any:
    """Return an operation on a sum, from what it makes of one number s, a number w and the number x = xs[i]."""
    one = register_jitable(forceinline=True)(one)

    def number(s: Any, sums: Any, row: Any, w: Any, xs: Any, i: Any, carrier: Any, count: Any) -> Any:
        return one(s, w, item(xs, i, 0), carrier, count)

    def lanes(s: Any, sums: Any, row: Any, w: Any, xs: Any, i: Any, carrier: Any, count: Any) -> Any:
        for lane in range(sums.shape[1]):
            sums[row, lane] = one(sums[row, lane], w, item(xs, i, lane), carrier, count)
        return s

    return by_type(lambda s, sums, row, w, xs, i, carrier, count: number if sums.ndim == 1 else lanes)


given = lifted(lambda s, w, x, carrier, count: w)
copied = lifted(lambda s, w, x, carrier, count: x)
term = lifted(lambda s, w, x, carrier, count: multiply(w, x, carrier, count))
times = lifted(lambda s, w, x, carrier, count: multiply_again(s, x, carrier, count))
times_exactly = lifted(lambda s, w, x, carrier, count: s * x)
plus = lifted(lambda s, w, x, carrier, count: add(s, x, carrier, count))
plus_product = lifted(lambda s, w, x, carrier, count: fuse(s, w * x, carrier, count))
entered = lifted(lambda s, w, x, carrier, count: enter(s, x, carrier, count))
converted = lifted(lambda s, w, x, carrier, count: convert(s, x, carrier, count))
smoothed = lifted(lambda s, w, x, carrier, count: smooth(s, x, carrier, count))


@lifted
def clamped(s: Any, low: Any, high: Any, carrier: Any, count: Any) -> Any:
    """NaN goes through; and -0 becomes the bound 0, as everything does that is not above a bound."""
    if s <= low:
        return low
    if s > high:
        return high
    return s


jumped = lifted(lambda s, w, x, carrier, count: x if s > 0 else w)
