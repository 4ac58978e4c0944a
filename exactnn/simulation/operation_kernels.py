"""The operations of units in a floating-point format, where some of what they depend on is known to be 0 or 1."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Rows
from exactnn.simulation.rounding_kernels import Format, product, total
from exactnn.simulation.wide_kernels import wide_product, wide_total

__all__ = [
    "Array",
    "Tables",
    "above",
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

Tables = tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array]
"""Of operations: codes, two operands, weights. Of nodes: where their operations begin and end and the place; statuses
of all registers. Of places: where their moves begin, where those end and the readout begins, where that ends, whether
it is fixed, then the node for each symbol; statuses of the state; their numbers by a hash of these. Of transitions, by
a hash: the node and the place. How much of each is used. Of transitions, again: the outcomes."""

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
        return product(x, y, format[6], nearest, format)

    return pair if isinstance(x, types.Complex) else single


def total_of(x: Any, y: Any, nearest: Any, format: Any) -> Any:
    """Return x + y in the format; only compiled."""
    raise NotImplementedError


@overload(total_of)
def _total_of(x: Any, y: Any, nearest: Any, format: Any) -> Any:
    def pair(x: Any, y: Any, nearest: Any, format: Any) -> Any:
        return wide_total(x, y, format)

    def single(x: Any, y: Any, nearest: Any, format: Any) -> Any:
        return total(x, y, format[6], nearest, format)

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
def above(value: Any, bound: Any) -> Any:
    """Return whether a number is more than a float64."""
    return value.real > bound or (value.real == bound and value.imag > 0.0)


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
        if not format[2] <= abs(term.real) < format[11]:
            code = MULTIPLY
    if code == MULTIPLY:
        term = product_of(weight, x, nearest, format)
    elif code == MULTIPLY_BOTH:
        term = product_of(product_of(weight, x, nearest, format), y, nearest, format)
    return total_of(value, term, nearest, format)


@register_jitable
def write(tables: Any, code: Any, first: Any, second: Any, weight: Any) -> None:
    """Append an operation; there must be room."""
    used = tables[9]
    at = used[N_OPERATIONS]
    tables[0][at] = code
    tables[1][at, 0] = first
    tables[1][at, 1] = second
    tables[2][at] = weight
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


@compiled
def last_below(tables: Tables, first: Any, last: Any, sign: float, one: bool, format: Format) -> float:
    """Return the largest number for which a unit of one operand is 0, or is not yet 1; -infinity if there is none.

    The operand is that number times `sign`. Every operation is monotone in it, and so is the unit.
    """
    codes, operands, weights = tables[0], tables[1], tables[2]
    nearest = format[5]
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
    codes, operands, weights = tables[0], tables[1], tables[2]
    end = tables[9][N_OPERATIONS] - 1
    found = -1
    for at in range(first + 2, end):
        if codes[at] == MULTIPLY or codes[at] == SCALE:
            if found >= 0:
                return
            found = at
        elif codes[at] == MULTIPLY_BOTH or not is_finite(weights[at]):
            return
    if found < 0 or np.isnan(format[12]) or np.isnan(format[13]):  # what is too large becomes NaN
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
    bias, activation, ends, columns, weights, second_ends, lefts, rights, second_weights = rows
    nearest = format[5]
    live = 0
    for unit in range(len(bias)):
        terms = ends[unit + 1] - ends[unit] + second_ends[unit + 1] - second_ends[unit]
        first = tables[9][N_OPERATIONS]
        if first + terms + 5 > len(tables[0]):
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
                begin(tables, activation[unit], value)
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
                begin(tables, activation[unit], value)
                fixed = False
            if constant:
                write(tables, ADD, 0, 0, weight)
            else:
                left_register = lefts[term] if left == LIVE else zero + left
                right_register = rights[term] if right == LIVE else zero + right
                write(tables, MULTIPLY_BOTH, left_register, right_register, weight)
        code = activation[unit]
        status = LIVE
        if fixed:
            value, code = activated(value, code), IDENTITY
            status = status_of(value)
            if status == LIVE or every:
                write(tables, BEGIN, 0, 0, value)
                fixed = False
        if not fixed:
            write(tables, END, into + unit, code, 0.0)
            live += 1
            if tables[0][first] == CHECK:
                write_checks(tables, first, format)
        statuses[into + unit] = status
    return live
