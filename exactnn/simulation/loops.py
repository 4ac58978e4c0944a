"""The one compiled loop over units: sums in all orders, for all carriers, one lane or many."""

from math import copysign
from typing import Any

from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.carriers.carrier import (
    above,
    by_type,
    clamped,
    converted,
    copied,
    entered,
    given,
    has,
    item,
    jumped,
    leading,
    load,
    operand,
    plus,
    plus_product,
    smoothed,
    store,
    term,
    times,
    times_exactly,
)
from exactnn.simulation.carriers.native import Native
from exactnn.simulation.compiled import compiled
from exactnn.simulation.layout import Layout, Manner, Room, Stop
from exactnn.simulation.smooth_kernels import JUMP, SMOOTH

__all__ = ["add_columns", "add_products", "add_row", "advance", "summed_up"]


# --- How the sum of a unit is made, for one run or many; see :mod:`exactnn.simulation.loops`.
#
# A sum is a number `s`, or the row of the unit in `sums` (`carriers/carrier.py`). The plain one begins with the bias;
# each term is rounded and added at once. If `special` is given, its flags say at run time what is different; if it is
# None, none of that code is compiled.
#
# Terms that are not added at once are gathered in the rows of `terms` from 1 on; row 0 is for the bias. `at` is the row
# for the next term, and always 0 if they are added at once.


@by_type
def is_zero(registers: Any, active: Any, register: Any) -> Any:
    """Return whether a register is 0 in all lanes."""
    if registers.ndim == 1:
        return lambda registers, active, register: registers[register] == 0
    return lambda registers, active, register: not active[register]


@by_type
def add_row(s: Any, sums: Any, unit: Any, at: Any, terms: Any, begin: Any, end: Any, reads: Any, weights: Any,
            registers: Any, active: Any, inner: Any, special: Any, skip: Any, count: Any) -> Any:  # fmt: skip
    """Add linear terms, from `begin` to `end`; return the sum, the row for the next term, and the next operation."""
    is_special = not isinstance(special, types.NoneType)
    can_fuse = is_special and has(inner, "fuse")
    # The processor rounds products and sums by itself, so that one loop over lanes may do both. And in one run it adds
    # a zero in less time than it takes to ask whether it is one.
    native = not is_special and inner.instance_class is Native
    asks = not native or sums.ndim == 2

    def body(s: Any, sums: Any, unit: Any, at: Any, terms: Any, begin: Any, end: Any, reads: Any, weights: Any,
             registers: Any, active: Any, inner: Any, special: Any, skip: Any, count: Any) -> Any:  # fmt: skip
        for t in range(begin, end):
            w, read = weights[t], reads[t]
            if asks and skip and is_zero(registers, active, read):
                continue
            if native:
                s = plus_product(s, sums, unit, w, registers, read, inner, count)
                continue
            if can_fuse and special.fused:
                s = plus_product(s, sums, unit, w, registers, read, inner, count)
                count += 1
                continue
            x = term(load(terms, at), terms, at, w, registers, read, inner, count)
            count += 1
            if is_special and special.gathers:
                store(terms, at, x)
                at += 1
                continue
            s = plus(s, sums, unit, 0, operand(x, terms), at, inner, count)
            count += 1
        return s, at, count

    return body


@by_type
def add_products(s: Any, sums: Any, unit: Any, at: Any, terms: Any, begin: Any, end: Any, lefts: Any, rights: Any,
                 weights: Any, registers: Any, inner: Any, special: Any, count: Any) -> Any:  # fmt: skip
    """Add second-order terms: a weight times a register, rounded, times another one, rounded unless it is fused."""
    is_special = not isinstance(special, types.NoneType)
    can_fuse = is_special and has(inner, "fuse")

    def body(s: Any, sums: Any, unit: Any, at: Any, terms: Any, begin: Any, end: Any, lefts: Any, rights: Any,
             weights: Any, registers: Any, inner: Any, special: Any, count: Any) -> Any:  # fmt: skip
        for t in range(begin, end):
            x = term(load(terms, at), terms, at, weights[t], registers, lefts[t], inner, count)
            count += 1
            if can_fuse and special.fused:
                x = times_exactly(x, terms, at, 0, registers, rights[t], inner, count)
                s = plus_product(s, sums, unit, 1, operand(x, terms), at, inner, count)
                count += 1
                continue
            x = times(x, terms, at, 0, registers, rights[t], inner, count)
            count += 1
            if is_special and special.gathers:
                store(terms, at, x)
                at += 1
                continue
            s = plus(s, sums, unit, 0, operand(x, terms), at, inner, count)
            count += 1
        return s, at, count

    return body


@by_type
def summed_up(sums: Any, row: Any, terms: Any, used: Any, special: Any, carrier: Any, count: Any) -> Any:
    """Add up the bias, which is in `sums`, and the terms from 1 on; return the sum and the number of the operation."""

    def body(sums: Any, row: Any, terms: Any, used: Any, special: Any, carrier: Any, count: Any) -> Any:
        s = copied(load(sums, row), terms, 0, 0, sums, row, carrier, count)
        store(terms, 0, s)
        while special.pairwise and used > 1:
            for p in range(used // 2):
                s = copied(load(terms, p), terms, p, 0, terms, 2 * p, carrier, count)
                store(terms, p, plus(s, terms, p, 0, terms, 2 * p + 1, carrier, count))
                count += 1
            if used % 2:
                store(terms, used // 2, copied(load(terms, 0), terms, used // 2, 0, terms, used - 1, carrier, count))
            used = (used + 1) // 2
        for t in range(2, used + 1):  # terms 2, 3, ... to the first, and at last the bias
            to, by = (1, t) if t < used else (0, 1)
            store(terms, to, plus(load(terms, to), terms, to, 0, terms, by, carrier, count))
            count += 1
        s = copied(load(sums, row), sums, row, 0, terms, 0, carrier, count)
        return s, count

    return body


@by_type
def add_columns(registers: Any, sums: Any, bias: Any, columns: Any, layer: Any, inner: Any, special: Any) -> Any:
    """Let each unit of a layer begin with its bias and its linear terms, register by register.

    Every unit still gets its terms in the order of its row. But whether a register is 0 is asked once, not for every
    term, and most are.
    """
    is_special = not isinstance(special, types.NoneType)

    def nothing(registers: Any, sums: Any, bias: Any, columns: Any, layer: Any, inner: Any, special: Any) -> None:
        pass

    def body(registers: Any, sums: Any, bias: Any, columns: Any, layer: Any, inner: Any, special: Any) -> None:
        begin, end, column, last_column = layer
        reads, ends, targets, weights = columns
        for unit in range(begin, end):
            s = bias[unit]
            if is_special and special.converts:
                s = entered(s, sums, unit, 0, 0, 0, inner, 0)
            sums[unit] = s
        for c in range(column, last_column):
            x = registers[reads[c]]
            if x != 0:
                for t in range(ends[c], ends[c + 1]):
                    unit = targets[t]
                    product = term(0, sums, unit, weights[t], x, 0, inner, 0)
                    sums[unit] = plus(sums[unit], sums, unit, 0, product, 0, inner, 0)

    return nothing if isinstance(columns, types.NoneType) else body


# --- The one compiled loop: steps of a network in any number system, of one run or of many side by side.
#
# It is written once, and compiled for the types of its arguments when they first come up. Types choose
#
# * the carrier, which is what a number is (:mod:`exactnn.simulation.carriers`);
# * one run or many: `registers[register]` is a number, or `registers[register, lane]` a row of them (see `carrier.py`);
# * whether a sum is the plain one (`Manner.special` is None), and whether there are smooth units;
# * for one run, whether linear terms are added row by row or column by column.
#
# All else is data: parameters, activations, modes of rounding, orders of summation.

Array = NDArray[Any]


@by_type
def any_number(registers: Any, register: Any) -> Any:
    """Return whether a register is not 0 in some lane; NaN is not 0."""
    if registers.ndim == 1:
        return lambda registers, register: registers[register] != 0

    def lanes(registers: Any, register: Any) -> Any:
        lane = 0
        while lane < registers.shape[1] and registers[register, lane] == 0:
            lane += 1
        return lane < registers.shape[1]

    return lanes


@by_type
def note(registers: Any, active: Any, begin: Any, end: Any) -> Any:
    """Find out which registers are 0 in all lanes; in one run one looks at the register itself."""

    def number(registers: Any, active: Any, begin: Any, end: Any) -> None:
        pass

    def lanes(registers: Any, active: Any, begin: Any, end: Any) -> None:
        for register in range(begin, end):
            active[register] = any_number(registers, register)

    return number if registers.ndim == 1 else lanes


@by_type
def activated(s: Any, sums: Any, row: Any, low: Any, high: Any, kind: Any, carrier: Any, smooth: Any,
              count: Any) -> Any:  # fmt: skip
    """Apply an activation to a sum; return it and the number of the next operation."""
    has_smooth = not isinstance(smooth, types.NoneType)

    def body(s: Any, sums: Any, row: Any, low: Any, high: Any, kind: Any, carrier: Any, smooth: Any, count: Any) -> Any:
        if has_smooth and kind >= SMOOTH:
            return smoothed(s, sums, row, 0, kind, 0, carrier, count), count + 1
        if kind == JUMP:
            return jumped(s, sums, row, low, high, 0, carrier, count), count
        return clamped(s, sums, row, low, high, 0, carrier, count), count

    return body


@by_type
def evaluate(rows: Any, columns: Any, registers: Any, sums: Any, begin: Any, end: Any, terms: Any, active: Any,
             active_sums: Any, manner: Any, count: Any) -> Any:  # fmt: skip
    """Compute units from `begin` to `end` in order, into `sums`; return the number of the next operation."""
    by_rows = isinstance(columns, types.NoneType)
    is_special = not isinstance(manner[manner.fields.index("special")], types.NoneType)
    many = sums.ndim == 2

    def body(rows: Any, columns: Any, registers: Any, sums: Any, begin: Any, end: Any, terms: Any, active: Any,
             active_sums: Any, manner: Any, count: Any) -> Any:  # fmt: skip
        bias, kinds, lows, highs, ends, reads, weights, second_ends, lefts, rights, second_weights = rows
        inner, special, smooth, skip = manner
        outer = special.outer if is_special else inner
        # Numbers of units are unsigned: a signed index would be asked whether it counts from the end.
        begins, ends, second_begins, second_ends = ends[:-1], ends[1:], second_ends[:-1], second_ends[1:]
        for unit in range(begin, end):
            at = 1 if is_special and special.gathers else 0
            # The sum begins with the bias, as a number of the accumulator, then come the terms of the row. By columns
            # it is there already, but for the second-order terms.
            s = load(sums, unit)
            if by_rows:
                s = given(s, sums, unit, bias[unit], 0, 0, inner, count)
                if is_special and special.converts:
                    s = entered(s, sums, unit, 0, 0, 0, inner, count)
                    count += 1
                s, at, count = add_row(s, sums, unit, at, terms, begins[unit], ends[unit], reads, weights, registers,
                                       active, inner, special, skip, count)  # fmt: skip
            s, at, count = add_products(s, sums, unit, at, terms, second_begins[unit], second_ends[unit], lefts, rights,
                                        second_weights, registers, inner, special, count)  # fmt: skip
            if is_special and special.gathers:
                store(sums, unit, s)
                s, count = summed_up(sums, unit, terms, at, special, inner, count)
            # The sum becomes a result, and its activation the register that later units read.
            if is_special and special.converts:
                s = converted(s, sums, unit, 0, 0, 0, outer, count)
                count += 1
            s, count = activated(s, sums, unit, lows[unit], highs[unit], kinds[unit], outer, smooth, count)
            store(sums, unit, s)
            if many and skip:
                active_sums[unit] = any_number(sums, unit)
        return count

    return body


@register_jitable
def alike(x: Any, y: Any) -> Any:
    """Return whether two numbers are the same: 0 is not -0, a NaN is any other."""
    if x == y:
        return x != 0 or copysign(1.0, leading(x)) == copysign(1.0, leading(y))
    return x != x and y != y


@register_jitable
def first_difference(registers: Any, anchor: Any, at: Any) -> Any:
    """Return where the state of lane 0 differs from that of an anchor, looking at `at` first; its length if nowhere.

    Where they differ, they mostly do after the next step too.
    """
    size = len(anchor)
    if at < size and not alike(item(registers, at, 0), anchor[at]):
        return at
    for i in range(size):
        if not alike(item(registers, i, 0), anchor[i]):
            return i
    return size


@by_type
def put(rows: Any, row: Any, numbers: Any, index: Any) -> Any:
    """Copy a number, or a row of them lane by lane: numba compiles ``a[i] = b[j]`` of rows for a second and a half."""

    def number(rows: Any, row: Any, numbers: Any, index: Any) -> None:
        rows[row] = numbers[index]

    def lanes(rows: Any, row: Any, numbers: Any, index: Any) -> None:
        for lane in range(rows.shape[1]):
            rows[row, lane] = numbers[index, lane]

    return number if rows.ndim == 1 else lanes


@register_jitable(forceinline=True)
def move(registers: Any, next_state: Any, following: Any) -> None:
    """Let registers become the state; all are read before one is written."""
    for i in range(len(next_state)):
        put(following, i, registers, next_state[i])
    for i in range(len(next_state)):
        put(registers, i, following, i)


@register_jitable(forceinline=True)
def is_verdict(outputs: Any, threshold: Any) -> Any:
    """Return whether the first output of lane 0 is a verdict; NaN is none."""
    output = item(outputs, 0, 0)
    return above(output, threshold) or above(-threshold, output)  # -output may be no word


@compiled
def advance(
    layout: Layout, manner: Manner, registers: Array, room: Room, inputs: Array, symbols: Array, outputs: Array,
    stop: Stop, begin: int, end: int, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Compute the layers from `begin` to `end`, once for each row of `outputs` or until it is to stop.

    All layers are a step, after which the state and the readout, the last layer, are in the registers. Without the
    readout, the state remains what it was; the readout alone is that of the state there is.

    In step i the input is row `symbols[i]` of `inputs`; after the last symbol it remains what it is. Outputs are
    `outputs[step, output]`, or `outputs[step, output, lane]`. Return the steps taken, and the number of the next
    operation.
    """
    rows, columns, layers, next_state, first = layout
    following, terms, active = room
    anchors, sums, active_sums = stop.anchors, registers[first:], active[first:]
    size, readout, at = len(next_state), len(layers) - 1, 0
    for step in range(len(outputs)):
        if step < len(symbols):
            for i in range(inputs.shape[1]):
                registers[size + i] = inputs[symbols[step], i]
        if manner.skip:
            note(registers, active, 0, first)
        for layer in range(begin, end):
            if layer == readout and begin < readout:
                move(registers, next_state, following)
                if manner.skip:
                    note(registers, active, 0, size)
            units = (layers[layer, 0], layers[layer, 1], layers[layer, 2], layers[layer, 3])
            add_columns(registers, sums, rows[0], columns, units, manner.inner, manner.special)
            count = evaluate(rows, columns, registers, sums, units[0], units[1], terms, active, active_sums, manner,
                             count)  # fmt: skip
        if end > readout:
            for i in range(outputs.shape[1]):
                put(outputs[step], i, sums, layers[readout, 0] + i)
            if step >= stop.undecided and is_verdict(outputs[step], stop.threshold):
                return step + 1, count
            if len(anchors):
                at = first_difference(registers, anchors[0], at)
                if at == size:
                    return step + 1, count
    return len(outputs), count
