"""What a carrier is: the numbers of a loop, and how operations are chosen by their type."""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload, register_jitable

__all__ = [
    "above",
    "add",
    "at_most",
    "by_type",
    "clamped",
    "convert",
    "converted",
    "copied",
    "define",
    "enter",
    "entered",
    "fuse",
    "given",
    "has",
    "item",
    "jumped",
    "leading",
    "load",
    "multiply",
    "multiply_again",
    "operand",
    "plus",
    "plus_product",
    "smooth",
    "smoothed",
    "store",
    "term",
    "times",
    "times_exactly",
]


# --- What a carrier is: the operations that every number system of the compiled loop defines.
#
# A carrier is a NamedTuple of plain numbers, the form in which a format reaches compiled code. Its class chooses the
# code of the operations when the loop is compiled; its fields say the rest at run time. In all operations, `count` is
# the number of the operation within the run, which chooses its random number where rounding is stochastic.

Body = Callable[..., Any]

_BODIES: dict[str, dict[type, Body]] = {}


def by_type(choose: Callable[..., Body | None]) -> Any:
    """Return a function for compiled code: `choose` gets the types of its arguments, and returns its body."""

    def chosen() -> None:
        raise NotImplementedError("only compiled")

    chosen.__module__ = choose.__module__  # `compiled` asks where code comes from
    overload(chosen, jit_options={"forceinline": True}, strict=False)(choose)
    return chosen


def _by_carrier(name: str) -> Any:
    bodies = _BODIES[name] = {}
    return by_type(lambda x, y, carrier, count: bodies.get(carrier.instance_class))


multiply = _by_carrier("multiply")
"""x * y, rounded: a weight times a register."""
multiply_again = _by_carrier("multiply_again")
"""The same for a product x and a third factor: in fixed point the product has its point at another place."""
add = _by_carrier("add")
"""x + y, rounded."""
fuse = _by_carrier("fuse")
"""x + y for an exact product y, rounded; only where the format has such an operation, or the processor none."""
enter = _by_carrier("enter")
"""x as a number of the accumulator, whose carrier is given; there is no y in this and the next two."""
convert = _by_carrier("convert")
"""x, a number of the accumulator, as a result, whose carrier is given."""
smooth = _by_carrier("smooth")
"""The smooth activation of x that the number y of its kind says."""


def define(carrier: type, **bodies: Body) -> None:
    """Say what operations are in a carrier; one that it lacks is an error when a loop that needs it is compiled."""
    for name, body in bodies.items():
        _BODIES[name][carrier] = body


def has(carrier: Any, name: str) -> bool:
    """Return whether a carrier, given by its type in compiled code, has an operation."""
    return carrier.instance_class in _BODIES[name]


# --- From one number to a row of lanes: operations on a sum that is a number in one run, and a row of an array in many.
#
# In one run `registers[register]` is a number, and a sum is the number `s`, which stays in the processor: each
# operation gets it and returns what it becomes. With many runs side by side, `registers[register, lane]`, the sum is
# the row ``sums[row]``, one number for each lane, which each operation changes in place; then `s` means nothing. The
# type of `sums` says which it is, when the loop is compiled.
#
# A loop over lanes rounds once: one that rounds twice takes half as long again as two loops.


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


# --- Order: a complex number stands for the sum of its parts, of which the second is far below the first.


@by_type
def above(x: Any, y: Any) -> Body:
    """Return whether x > y, which may be a float if x is a pair; NaN is above nothing."""
    if isinstance(x, types.Complex):
        return lambda x, y: x.real > y.real or (x.real == y.real and x.imag > y.imag)
    return lambda x, y: x > y


@by_type
def at_most(x: Any, y: Any) -> Body:
    """Return whether x <= y; NaN is at most nothing."""
    if isinstance(x, types.Complex):
        return lambda x, y: x.real < y.real or (x.real == y.real and x.imag <= y.imag)
    return lambda x, y: x <= y


@by_type
def leading(x: Any) -> Body:
    """Return the part of a number that has its sign."""
    return (lambda x: x.real) if isinstance(x, types.Complex) else (lambda x: x)


@lifted
def clamped(s: Any, low: Any, high: Any, carrier: Any, count: Any) -> Any:
    """NaN goes through; and -0 becomes the bound 0, as everything does that is not above a bound."""
    if at_most(s, low):
        return low
    if above(s, high):
        return high
    return s


jumped = lifted(lambda s, w, x, carrier, count: x if leading(s) > 0 else w)
