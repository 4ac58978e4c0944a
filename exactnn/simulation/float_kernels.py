"""The compiled loops of the float executors. They call each other, so they share one module and one disk cache.

A network comes as flat arrays: units as rows (bias, activation code, ends of the linear terms, their registers
and weights, ends of the second-order terms, their registers and weights), and the linear terms once more by
columns (units and registers of each layer, ends of the columns, units, weights).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["Array", "Columns", "Rows", "advance_columns", "advance_rows", "evaluate"]

Array = NDArray[Any]
Columns = tuple[Array, Array, Array, Array]
Rows = tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array]


@compiled
def activated(code: int, total: Any, zero: Any, one: Any) -> Any:
    """Return the activation with this code of `total`; NaN goes through all but Heaviside."""
    if code == 3:
        return one if total > zero else zero
    if code != 0:
        if total <= zero:
            return zero
        if code == 2 and total > one:
            return one
    return total


@compiled
def second_order(rows: Rows, unit: int, registers: Array, total: Any) -> Any:
    """Return `total` plus the second-order terms of a unit."""
    ends, lefts, rights, weights = rows[5], rows[6], rows[7], rows[8]
    for term in range(ends[unit], ends[unit + 1]):
        total += weights[term] * registers[lefts[term]] * registers[rights[term]]
    return total


@compiled
def evaluate(rows: Rows, registers: Array, first: int, results: Array) -> None:
    """Compute units in order into results[first:], reading registers; both may be the same array."""
    bias, activation, ends, columns, weights = rows[0], rows[1], rows[2], rows[3], rows[4]
    zero = bias.dtype.type(0)
    one = bias.dtype.type(1)
    for unit in range(len(bias)):
        total = bias[unit]
        for term in range(ends[unit], ends[unit + 1]):
            total += weights[term] * registers[columns[term]]
        total = second_order(rows, unit, registers, total)
        results[first + unit] = activated(activation[unit], total, zero, one)


@compiled
def evaluate_columns(rows: Rows, columns: Columns, registers: Array, first: int) -> None:
    """Compute the units of all layers into registers[first:], skipping registers that are 0."""
    bias, activation = rows[0], rows[1]
    layers, ends, targets, weights = columns
    zero = bias.dtype.type(0)
    one = bias.dtype.type(1)
    begin = 0
    column = 0
    for layer in range(len(layers)):
        units, available = layers[layer, 0], layers[layer, 1]
        for unit in range(begin, begin + units):
            registers[first + unit] = bias[unit]
        for register in range(available):
            value = registers[register]
            if value != zero:
                for term in range(ends[column + register], ends[column + register + 1]):
                    registers[first + targets[term]] += weights[term] * value
        for unit in range(begin, begin + units):
            total = second_order(rows, unit, registers, registers[first + unit])
            registers[first + unit] = activated(activation[unit], total, zero, one)
        begin += units
        column += available


@compiled
def finish_step(next_state: Array, readout: Rows, registers: Array, following: Array, outputs: Array) -> None:
    """Move the next state to the front of the registers and read it out."""
    size = len(next_state)
    for i in range(size):
        following[i] = registers[next_state[i]]
    registers[:size] = following
    evaluate(readout, registers, 0, outputs)


@compiled
def advance_rows(
    units: Rows,
    next_state: Array,
    readout: Rows,
    registers: Array,
    first_unit: int,
    outputs: Array,
    threshold: Any,
    until_decided: bool,
) -> int:
    """Step until `outputs` is full or an output passes the threshold; the state stays in `registers`."""
    following = np.empty(len(next_state), dtype=registers.dtype)
    for step in range(len(outputs)):
        evaluate(units, registers, first_unit, registers)
        finish_step(next_state, readout, registers, following, outputs[step])
        if until_decided and abs(outputs[step, 0]) > threshold:
            return step + 1
    return len(outputs)


@compiled
def advance_columns(
    units: Rows,
    columns: Columns,
    next_state: Array,
    readout: Rows,
    registers: Array,
    first_unit: int,
    outputs: Array,
    threshold: Any,
    until_decided: bool,
) -> int:
    """As :func:`advance_rows`, over the registers that are not 0."""
    following = np.empty(len(next_state), dtype=registers.dtype)
    for step in range(len(outputs)):
        evaluate_columns(units, columns, registers, first_unit)
        finish_step(next_state, readout, registers, following, outputs[step])
        if until_decided and abs(outputs[step, 0]) > threshold:
            return step + 1
    return len(outputs)
