"""The operations of units in a floating-point format, where some of what they depend on is known to be 0 or 1."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from exactnn.simulation.carriers.carrier import above
from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Rows
from exactnn.simulation.rounding_kernels import Format, product, total
from exactnn.simulation.smooth_kernels import JUMP
from exactnn.simulation.wide_kernels import wide_product, wide_total

__all__ = [
    "Array",
    "Tables",
    "activated",
    "as_number",
    "at_least",
    "at_most",
    "is_finite",
    "operate",
    "resolve",
    "status_of",
    "write",
]

Array = NDArray[Any]


class Tables(NamedTuple):
    """What was found out so far."""

    codes: Array
    operands: Array
    """Two for each operation."""
    weights: Array
    nodes: Array
    """Where the operations of a node begin and end, and its place."""
    node_statuses: Array
    """The statuses of all registers in a node."""
    places: Array
    """Where the moves of a place begin, where those end and the readout begins, where that ends, whether it is fixed;
    then the node for each symbol."""
    place_statuses: Array
    """The statuses of the state in a place."""
    found: Array
    """The numbers of places by a hash of their statuses."""
    transitions: Array
    """By a hash: a node, and the place after it."""
    used: Array
    """How much of each is used."""
    outcomes: Array
    """The outcomes of the transitions."""


ZERO, ONE, LIVE = 0, 1, 2
# What an operation does with the sum: begin it, add a number, a product, one by a power of two, a product of three; end
# it as a register's value. A check looks at the only operand of the unit that follows: up to one number the unit is 0,
# from another on 1; CHECK_DOWN takes the operand's negative. A move gives a component of the state a register's value.
BEGIN, ADD, MULTIPLY, SCALE, MULTIPLY_BOTH, END, CHECK, CHECK_DOWN, MOVE = range(9)
IDENTITY, RELU, SLU, HEAVISIDE = range(4)
HIGHEST = 0x7FEFFFFFFFFFFFFF
"""The position of the largest float64."""
# What is counted.
N_OPERATIONS, N_NODES, N_PLACES, N_TRANSITIONS = range(4)
NO_ROOM = -1


def as_number(value: Any, like: Any) -> Any:
    """Return a float64 as a number of the kind of `like`: a float, or a complex that stands for one of more bits."""
    return complex(value, 0.0) if isinstance(like, complex) else float(value)


@overload(as_number)
def _as_number(value: Any, like: Any) -> Any:
    def pair(value: Any, like: Any) -> Any:
        return complex(value, 0.0)

    def single(value: Any, like: Any) -> Any:
        return np.float64(value)

    return pair if isinstance(like, types.Complex) else single


def product_of(x: Any, y: Any, nearest: Any, format: Any) -> Any:
    """Return x * y in the format; only compiled."""
    raise NotImplementedError


@overload(product_of)
def _product_of(x: Any, y: Any, nearest: Any, format: Any) -> Any:
    def pair(x: Any, y: Any, nearest: Any, format: Any) -> Any:
        return wide_product(x, y, format)

    def single(x: Any, y: Any, nearest: Any, format: Any) -> Any:
        return product(x, y, format.beyond, nearest, format)

    return pair if isinstance(x, types.Complex) else single


def total_of(x: Any, y: Any, nearest: Any, format: Any) -> Any:
    """Return x + y in the format; only compiled."""
    raise NotImplementedError


@overload(total_of)
def _total_of(x: Any, y: Any, nearest: Any, format: Any) -> Any:
    def pair(x: Any, y: Any, nearest: Any, format: Any) -> Any:
        return wide_total(x, y, format)

    def single(x: Any, y: Any, nearest: Any, format: Any) -> Any:
        return total(x, y, format.beyond, nearest, format)

    return pair if isinstance(x, types.Complex) else single


@register_jitable
def at_least(value: Any, bound: Any) -> Any:
    """Return whether a number is at least a float64."""
    return value.real > bound or (value.real == bound and value.imag >= 0.0)


@register_jitable
def at_most(value: Any, bound: Any) -> Any:
    """Return whether a number is at most a float64."""
    return value.real < bound or (value.real == bound and value.imag <= 0.0)


@register_jitable
def is_finite(value: Any) -> Any:
    """Return whether a number is neither infinite nor NaN."""
    return abs(value.real) < np.inf


@register_jitable
def status_of(value: Any) -> Any:
    """Return whether a value is 0 (and not -0), 1 or another."""
    if value.real == 1.0 and value.imag == 0.0:
        return ONE
    return ZERO if np.float64(value.real).view(np.int64) == 0 else LIVE


@register_jitable
def code_of(kind: Any, low: Any, high: Any) -> Any:
    """Return which of the four activations it is that these loops know; :func:`can_batch` refuses all others."""
    if kind == JUMP:
        return HEAVISIDE
    if low.real == -np.inf:
        return IDENTITY
    return RELU if high.real == np.inf else SLU


@register_jitable
def activated(value: Any, code: Any) -> Any:
    """Apply the activation with this code; NaN goes through all but Heaviside."""
    if code == HEAVISIDE:
        return as_number(1.0 if value.real > 0.0 else 0.0, value)
    if code != IDENTITY:
        value = as_number(0.0, value) if value.real <= 0.0 else value
        value = as_number(1.0, value) if code == SLU and at_least(value, 1.0) else value
    return value


@register_jitable
def operate(code: Any, value: Any, weight: Any, x: Any, y: Any, nearest: Any, format: Any) -> Any:
    """Return the sum after an operation on it; `x` and `y` are the registers that are its operands."""
    term = weight
    if code == BEGIN:
        return term
    if code == SCALE:
        term = weight * x
        if not format.smallest <= abs(term.real) < format.largest:
            code = MULTIPLY
    if code == MULTIPLY:
        term = product_of(weight, x, nearest, format)
    elif code == MULTIPLY_BOTH:
        term = product_of(product_of(weight, x, nearest, format), y, nearest, format)
    return total_of(value, term, nearest, format)


@register_jitable
def write(tables: Any, code: Any, first: Any, second: Any, weight: Any) -> None:
    """Append an operation; there must be room."""
    used = tables.used
    at = used[N_OPERATIONS]
    tables.codes[at] = code
    tables.operands[at, 0] = first
    tables.operands[at, 1] = second
    tables.weights[at] = weight
    used[N_OPERATIONS] = at + 1


@register_jitable
def begin(tables: Any, activation: Any, value: Any) -> None:
    """Begin a sum, after room for a check unless the activation leaves 0 and 1 no intervals."""
    if activation != IDENTITY:
        write(tables, CHECK, 0, 0, -np.inf)
        write(tables, CHECK, 0, 0, np.inf)
    write(tables, BEGIN, 0, 0, value)


@register_jitable
def is_power_of_two(weight: Any) -> Any:
    """Return whether plus or minus a weight is a power of two, and a normal number."""
    high = weight.real
    return (
        2.0**-1022 <= abs(high) < np.inf and high == weight and np.float64(high).view(np.int64) & ((1 << 52) - 1) == 0
    )


@register_jitable
def number(position: Any) -> Any:
    """Return the float64 at a position when all are counted in order, from 0.0 on."""
    magnitude = np.int64(abs(position)).view(np.float64)
    return magnitude if position >= 0 else -magnitude


@register_jitable
def last_below(tables: Tables, first: Any, last: Any, sign: float, one: bool, format: Format) -> float:
    """Return the largest number for which a unit of one operand is 0, or is not yet 1; -infinity if there is none.

    The operand is that number times `sign`. Every operation is monotone in it, and so is the unit.
    """
    codes, operands, weights = tables.codes, tables.operands, tables.weights
    nearest = format.nearest
    low, high = -HIGHEST - 1, HIGHEST
    while low < high:
        middle = (low | high) - ((low ^ high) >> 1)  # their mean, without an overflow
        x = as_number(sign * number(middle), weights[first])
        value = as_number(0.0, x)
        for at in range(first, last):
            value = operate(codes[at], value, weights[at], x, x, nearest, format)
        value = activated(value, operands[last, 1])
        if above(-value, -1.0) if one else at_most(value, 0.0):
            low = middle
        else:
            high = middle - 1
    return -np.inf if low < -HIGHEST else number(low)


@compiled
def write_checks(tables: Tables, first: Any, format: Format) -> None:
    """Make the two operations at `first` a check of the unit that follows, if it has one operand and is monotone."""
    codes, operands, weights = tables.codes, tables.operands, tables.weights
    end = tables.used[N_OPERATIONS] - 1
    found = -1
    for at in range(first + 2, end):
        if codes[at] == MULTIPLY or codes[at] == SCALE:
            if found >= 0:
                return
            found = at
        elif codes[at] == MULTIPLY_BOTH or not is_finite(weights[at]):
            return
    if found < 0 or np.isnan(format.above) or np.isnan(format.below):  # what is too large becomes NaN
        return
    sign = 1.0 if weights[found].real > 0.0 else -1.0
    codes[first] = CHECK if sign > 0.0 else CHECK_DOWN
    operands[first, 0], operands[first, 1] = operands[found, 0], end - first - 1
    weights[first] = last_below(tables, first + 2, end, sign, False, format)
    if operands[end, 1] != RELU:
        before = last_below(tables, first + 2, end, sign, True, format)
        weights[first + 1] = -np.inf if before == -np.inf else np.nextafter(before, np.inf)


@compiled
def resolve(tables: Tables, rows: Rows, statuses: Array, into: int, zero: int, every: bool, format: Format) -> int:
    """Write the operations of units that the statuses do not fix, or of all; return how many such units there are.

    Units are registers from `into` on; their statuses are entered. Registers `zero` and `zero` + 1 are 0 and 1. NO_ROOM
    if the table of operations is full.
    """
    bias, kind, low, high, ends, columns, weights, second_ends, lefts, rights, second_weights = rows
    nearest = format.nearest
    live = 0
    for unit in range(len(bias)):
        terms = ends[unit + 1] - ends[unit] + second_ends[unit + 1] - second_ends[unit]
        activation = code_of(kind[unit], low[unit], high[unit])
        first = tables.used[N_OPERATIONS]
        if first + terms + 5 > len(tables.codes):
            return NO_ROOM
        value, fixed = bias[unit], True
        for term in range(ends[unit], ends[unit + 1]):
            status = statuses[columns[term]]
            weight = weights[term]
            if status == ZERO:  # changes no sum: see `Roundings.skips_zeros`
                continue
            if status == ONE and fixed:
                value = total_of(value, weight, nearest, format)
                continue
            if fixed:
                begin(tables, activation, value)
                fixed = False
            code = ADD
            if status != ONE:
                code = SCALE if is_power_of_two(weight) else MULTIPLY
            write(tables, code, columns[term], 0, weight)
        for term in range(second_ends[unit], second_ends[unit + 1]):
            left, right = statuses[lefts[term]], statuses[rights[term]]
            constant = left != LIVE and right != LIVE
            weight = second_weights[term]
            if constant:
                weight = product_of(weight, as_number(left, weight), nearest, format)
                weight = product_of(weight, as_number(right, weight), nearest, format)
                if fixed:
                    value = total_of(value, weight, nearest, format)
                    continue
            if fixed:
                begin(tables, activation, value)
                fixed = False
            if constant:
                write(tables, ADD, 0, 0, weight)
            else:
                left_register = lefts[term] if left == LIVE else zero + left
                right_register = rights[term] if right == LIVE else zero + right
                write(tables, MULTIPLY_BOTH, left_register, right_register, weight)
        status = LIVE
        if fixed:
            value, activation = activated(value, activation), IDENTITY
            status = status_of(value)
            if status == LIVE or every:
                write(tables, BEGIN, 0, 0, value)
                fixed = False
        if not fixed:
            write(tables, END, into + unit, activation, 0.0)
            live += 1
            if tables.codes[first] == CHECK:
                write_checks(tables, first, format)
        statuses[into + unit] = status
    return live
