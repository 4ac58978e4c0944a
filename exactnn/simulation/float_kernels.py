"""The compiled loops of the float executors. They call each other, so they share one module and one disk cache.

A network comes as flat arrays: units as rows (bias, activation code, ends of the linear terms, their registers
and weights, ends of the second-order terms, their registers and weights), and the linear terms once more by
columns (units and registers of each layer, ends of the columns, units, weights).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Columns, Rows
from exactnn.simulation.recurrence_kernels import first_difference
from exactnn.simulation.smooth_kernels import SMOOTH, smooth_native

__all__ = ["Array", "advance_columns", "advance_rows", "evaluate"]

Array = NDArray[Any]


@compiled
def activated(code: int, total: Any, zero: Any, one: Any) -> Any:
    """Return the activation with this code of `total`; NaN goes through all but Heaviside."""
    if code >= SMOOTH:
        return smooth_native(code, total)
    if code == 3:
        return one if total > zero else zero
    if code != 0:
        if total <= zero:
            return zero
        if code == 2 and total > one:
            return one
    return total


@compiled
def evaluate(rows: Rows, registers: Array, first: int, results: Array) -> None:
    """Compute units in order into results[first:], reading registers; both may be the same array."""
    bias, activation, ends, columns, weights, second_ends, lefts, rights, second_weights = rows
    zero = bias.dtype.type(0)
    one = bias.dtype.type(1)
    for unit in range(len(bias)):
        total = bias[unit]
        for term in range(ends[unit], ends[unit + 1]):
            total += weights[term] * registers[columns[term]]
        for term in range(second_ends[unit], second_ends[unit + 1]):
            total += second_weights[term] * registers[lefts[term]] * registers[rights[term]]
        results[first + unit] = activated(activation[unit], total, zero, one)


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
    anchors: Array | None = None,
) -> int:
    """Step until `outputs` is full, an output passes the threshold, or the state is that in `anchors`, if it has a row.

    The state stays in `registers`. The loops stand here in full: handing the arrays to another function costs more than
    a short row.
    """
    bias, activation, ends, columns, weights, second_ends, lefts, rights, second_weights = units
    out_bias, out_activation, out_ends, out_columns, out_weights, out_second, out_left, out_right, out_product = readout
    zero = bias.dtype.type(0)
    one = bias.dtype.type(1)
    size = len(next_state)
    following = np.empty(size, dtype=registers.dtype)
    at = 0
    anchor = following
    watched = False
    if anchors is not None and len(anchors):
        anchor = anchors[0]
        watched = True
    for step in range(len(outputs)):
        for unit in range(len(bias)):
            total = bias[unit]
            for term in range(ends[unit], ends[unit + 1]):
                total += weights[term] * registers[columns[term]]
            for term in range(second_ends[unit], second_ends[unit + 1]):
                total += second_weights[term] * registers[lefts[term]] * registers[rights[term]]
            registers[first_unit + unit] = activated(activation[unit], total, zero, one)
        for i in range(size):
            following[i] = registers[next_state[i]]
        for i in range(size):
            registers[i] = following[i]
        for unit in range(len(out_bias)):
            total = out_bias[unit]
            for term in range(out_ends[unit], out_ends[unit + 1]):
                total += out_weights[term] * registers[out_columns[term]]
            for term in range(out_second[unit], out_second[unit + 1]):
                total += out_product[term] * registers[out_left[term]] * registers[out_right[term]]
            outputs[step, unit] = activated(out_activation[unit], total, zero, one)
        if until_decided and abs(outputs[step, 0]) > threshold:
            return step + 1
        if watched and (size == 0 or not (registers[at] < anchor[at] or registers[at] > anchor[at])):
            at = first_difference(registers, anchor)  # where they mostly differ after the next step too
            if at == size:
                return step + 1
    return len(outputs)


@compiled
def advance_columns(
    units: Rows,
    by_columns: Columns,
    next_state: Array,
    readout: Rows,
    registers: Array,
    first_unit: int,
    outputs: Array,
    threshold: Any,
    until_decided: bool,
    anchors: Array | None = None,
) -> int:
    """As :func:`advance_rows`, over the registers that are not 0."""
    bias, activation, _, _, _, second_ends, lefts, rights, second_weights = units
    out_bias, out_activation, out_ends, out_columns, out_weights, out_second, out_left, out_right, out_product = readout
    layers, ends, targets, weights = by_columns
    zero = bias.dtype.type(0)
    one = bias.dtype.type(1)
    size = len(next_state)
    following = np.empty(size, dtype=registers.dtype)
    at = 0
    anchor = following
    watched = False
    if anchors is not None and len(anchors):
        anchor = anchors[0]
        watched = True
    for step in range(len(outputs)):
        begin = 0
        column = 0
        for layer in range(len(layers)):
            end = begin + layers[layer, 0]
            available = layers[layer, 1]
            for unit in range(begin, end):
                registers[first_unit + unit] = bias[unit]
            for register in range(available):
                value = registers[register]
                if value != zero:
                    for term in range(ends[column + register], ends[column + register + 1]):
                        registers[first_unit + targets[term]] += weights[term] * value
            for unit in range(begin, end):
                total = registers[first_unit + unit]
                for term in range(second_ends[unit], second_ends[unit + 1]):
                    total += second_weights[term] * registers[lefts[term]] * registers[rights[term]]
                registers[first_unit + unit] = activated(activation[unit], total, zero, one)
            begin = end
            column += available
        for i in range(size):
            following[i] = registers[next_state[i]]
        for i in range(size):
            registers[i] = following[i]
        for unit in range(len(out_bias)):
            total = out_bias[unit]
            for term in range(out_ends[unit], out_ends[unit + 1]):
                total += out_weights[term] * registers[out_columns[term]]
            for term in range(out_second[unit], out_second[unit + 1]):
                total += out_product[term] * registers[out_left[term]] * registers[out_right[term]]
            outputs[step, unit] = activated(out_activation[unit], total, zero, one)
        if until_decided and abs(outputs[step, 0]) > threshold:
            return step + 1
        if watched and (size == 0 or not (registers[at] < anchor[at] or registers[at] > anchor[at])):
            at = first_difference(registers, anchor)  # where they mostly differ after the next step too
            if at == size:
                return step + 1
    return len(outputs)
