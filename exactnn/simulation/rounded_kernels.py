"""Steps of a network in a floating-point format that the processor lacks: many runs side by side, in numba.

Registers are `registers[register, lane]`, and every lane is a run of its own.
"""

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Rows
from exactnn.simulation.recurrence_kernels import alike, first_difference
from exactnn.simulation.rounding_kernels import Format, product, rounded, threshold_of, total
from exactnn.simulation.smooth_kernels import SMOOTH, smooth_rounded

__all__ = ["Array", "Manner", "advance_lanes", "evaluate"]

Array = NDArray[Any]

Manner = tuple[Format, Format, bool, int, bool]
"""The format of sums and that of results, whether they differ, the order of a sum, and whether terms that are 0 in all
lanes may be left out."""

BIAS_FIRST, BIAS_LAST, PAIRWISE, FUSED = range(4)

# Loops over lanes are vectorised only if nothing is decided in them: rounding to nearest has loops of its own.


@compiled
def multiply(factor: Any, values: Array, results: Array, format: Format, count: Any) -> None:
    """Multiply by one number in every lane."""
    beyond = threshold_of(format, count)
    exact, nearest = format[3], format[5]
    if exact and nearest:
        for lane in range(len(values)):
            results[lane] = rounded(factor * values[lane], 0.0, beyond, True, format)
    elif exact:
        for lane in range(len(values)):
            results[lane] = rounded(factor * values[lane], 0.0, beyond, False, format)
    elif nearest:
        for lane in range(len(values)):
            results[lane] = product(factor, values[lane], beyond, True, format)
    else:
        for lane in range(len(values)):
            results[lane] = product(factor, values[lane], beyond, False, format)


@compiled
def multiply_all(values: Array, results: Array, format: Format, count: Any) -> None:
    """Multiply `results` by `values`, lane by lane."""
    beyond = threshold_of(format, count)
    if format[5]:
        for lane in range(len(values)):
            results[lane] = product(results[lane], values[lane], beyond, True, format)
    else:
        for lane in range(len(values)):
            results[lane] = product(results[lane], values[lane], beyond, False, format)


@compiled
def add(values: Array, results: Array, format: Format, count: Any) -> None:
    """Add `values` to `results`, lane by lane."""
    beyond = threshold_of(format, count)
    if format[4]:
        for lane in range(len(values)):
            results[lane] = rounded(results[lane] + values[lane], 0.0, beyond, True, format)
    elif format[5]:
        for lane in range(len(values)):
            results[lane] = total(results[lane], values[lane], beyond, True, format)
    else:
        for lane in range(len(values)):
            results[lane] = total(results[lane], values[lane], beyond, False, format)


@compiled
def fuse(first: Array, second: Array, results: Array, format: Format, count: Any) -> None:
    """Add products to `results` with one rounding, lane by lane; the products must be exact in float64."""
    beyond = threshold_of(format, count)
    if format[5]:
        for lane in range(len(results)):
            results[lane] = total(results[lane], first[lane] * second[lane], beyond, True, format)
    else:
        for lane in range(len(results)):
            results[lane] = total(results[lane], first[lane] * second[lane], beyond, False, format)


@compiled
def convert(results: Array, format: Format, count: Any) -> None:
    """Round numbers of another format into this one."""
    beyond = threshold_of(format, count)
    if format[5]:
        for lane in range(len(results)):
            results[lane] = rounded(results[lane], 0.0, beyond, True, format)
    else:
        for lane in range(len(results)):
            results[lane] = rounded(results[lane], 0.0, beyond, False, format)


@compiled
def activate(code: Any, results: Array, format: Format, count: Any) -> None:
    """Apply the activation with this code; NaN goes through all but Heaviside. Smooth ones are operations."""
    if code >= SMOOTH:
        beyond = threshold_of(format, count)
        for lane in range(len(results)):
            results[lane] = smooth_rounded(code, results[lane], beyond, format)
        return
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
        activate(activation[unit], result, outer, count)
        count += activation[unit] >= SMOOTH
        if skip and first >= 0:
            active[first + unit] = any_number(result)
    return count


@compiled
def advance_lanes(
    units: Rows, readout: Rows, next_state: Array, registers: Array, active: Array, terms: Array, first_unit: int,
    outputs: Array, manner: Manner, threshold: float, until_decided: bool, count: int,
    anchors: Array | None = None,
) -> tuple[int, int]:  # fmt: skip
    """Step on one input until `outputs` (step, output, lane) is full; the state stays in `registers`.

    With `until_decided`, stop where the output of lane 0 is a verdict; with a row in `anchors`, where that is the state
    of lane 0. Return the steps taken, and the number of the next operation.
    """
    size = len(next_state)
    following = np.empty((size, registers.shape[1]))
    at = 0
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
        if anchors is not None and len(anchors) and (at == size or alike(registers[at, 0], anchors[0, at])):
            at = first_difference(registers[:, 0], anchors[0])  # where they mostly differ after the next step too
            if at == size:
                return step + 1, count
    return len(outputs), count
