"""How the sum of a unit is made, for one run or many; see :mod:`exactnn.simulation.loops`.

A sum is a number `s`, or the row of the unit in `sums` (`carriers/lift.py`). The plain one begins with the bias; each
term is rounded and added at once. If `special` is given, its flags say at run time what is different; if it is None,
none of that code is compiled.

Terms that are not added at once are gathered in the rows of `terms` from 1 on; row 0 is for the bias. `at` is the row
for the next term, and always 0 if they are added at once.
"""

from typing import Any

from numba import types

from exactnn.simulation.carriers.carrier import by_type, has
from exactnn.simulation.carriers.lift import (
    copied,
    entered,
    load,
    operand,
    plus,
    plus_product,
    store,
    term,
    times,
    times_exactly,
)
from exactnn.simulation.carriers.native import Native

__all__ = ["add_columns", "add_products", "add_row", "summed_up"]


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
