"""The loop of steps in machine words: all numbers are integers over one denominator that stays the same, in numba.

In most steps few registers change. So the sums of all units are kept, and a register that changes changes those of the
units that read it. Only these are looked at again, and of these only the ones whose value may be another one. What a
step takes depends on what changes in it, not on the size of the network.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled, register_jitable

__all__ = ["ANEW", "CHANGED", "CONTROL", "INEXACT", "KINDS", "LIMIT", "W_SYMBOL", "Array", "take"]

Array = NDArray[np.int64]

# Why the loop stopped: all steps are taken; the output is another one, or there is no room for more of them; the state
# is that of the anchor; a number is no integer over the denominator, or is too large.
LIMIT, CHANGED, RECURS, INEXACT, BEYOND = range(5)
# Words of `control`, which the loop leaves behind: steps taken, changes of the output that are written, and the symbol
# whose input register is 1; ANEW where the registers are those of no state; and how many units were looked at.
W_STEPS, W_CHANGES, W_SYMBOL, W_LOOKS = range(4)
CONTROL = 4
ANEW = -1
KINDS = IDENTITY, RELU, SLU, HEAVISIDE = range(4)
LARGE = 4.0e18


@register_jitable(forceinline=True)
def put(register: Any, number: Any, readings: Any, room: Any) -> None:
    """Write a register, and add what that changes to the sums of the units that read it, which are to be looked at.

    A unit whose value is 0 keeps it if its sum is not above its floor.
    """
    terms_of, readers, weights, floors, layers, firsts = readings
    numbers, sums, marked, queue, waiting = room
    delta = number - numbers[register]
    numbers[register] = number
    for term in range(np.uint64(terms_of[register]), np.uint64(terms_of[register + 1])):
        unit = np.uint64(readers[term])  # a signed index would be asked whether it counts from the end
        total = sums[unit] + weights[term] * delta
        sums[unit] = total
        if ((total > floors[unit]) | (numbers[unit] != 0)) and not marked[unit]:
            marked[unit] = 1
            layer = np.uint64(layers[unit])
            place = waiting[layer]
            queue[np.uint64(firsts[layer] + place)] = unit
            waiting[layer] = place + 1


@register_jitable(forceinline=True)
def value_of(
    unit: Any, one: Any, scale: Any, most: Any, kinds: Array, products_of: Array, products: Array, numbers: Array,
    sums: Array,
) -> Any:  # fmt: skip
    """Return (code, value) of a unit; the code is LIMIT if there is no reason to stop."""
    total, kind = sums[unit], kinds[unit]
    for product in range(products_of[unit], products_of[unit + 1]):
        value, factor = numbers[products[product, 0]], numbers[products[product, 1]]
        if value == one:
            value, factor = factor, value
        if factor != one:
            if abs(float(value) * float(factor)) > LARGE:
                return BEYOND, 0
            value *= factor
            if value % one != 0:
                return INEXACT, 0
            value //= one
            if abs(value) > most:
                return BEYOND, 0
        total += products[product, 2] * value
    if total <= 0 and kind != IDENTITY:
        return LIMIT, 0
    if kind == HEAVISIDE or (kind == SLU and total >= one * scale):
        return LIMIT, one
    value = total // scale
    if value * scale != total:
        return INEXACT, 0
    return (BEYOND if abs(value) > most else LIMIT), value


@compiled
def take(
    kinds: Array, layers: Array, products_of: Array, products: Array, terms_of: Array, readers: Array, weights: Array,
    floors: Array, firsts: Array, following: Array, biases: Array, one: Any, scale: Any, most: Any, waiting: Array,
    numbers: Array, sums: Array, marked: Array, queue: Array, state: Array, moved: Array, inputs: Array, symbols: Array,
    count: Any, anchor: Array, changes: Array, until_changed: Any, control: Array,
) -> Any:  # fmt: skip
    """Take up to `count` steps from `state`, which is overwritten; return why it stopped.

    A number x is x * `one`, an integer of at most `most`; weights and biases are integers too, times `scale` and times
    `scale` * `one`. So a sum of a unit is over `scale` * `one`, and is its value only where `scale` divides it; sums
    below 0 or above 1 need not be divided where the activation makes them 0 or 1. No sum leaves the machine word, since
    `most` is that small. The registers are state, inputs, units, and the readout as a last layer, which reads the state
    after a step. The state counts as layer 0: an entry of it is to be looked at where the register has changed that
    becomes the next one, as `following` says; `moved` has room for what these become. `firsts` has the first register
    of each layer, and at last how many there are.

    Of a register `terms_of` says where the terms begin that read it, by the units `readers` with `weights`; a factor of
    a product is one with weight 0, and so is what becomes an entry of the state. Of a unit `kinds` has the activation,
    `layers` the layer, `floors` the sum up to which it is 0 for sure, and `products_of` says where its `products`
    begin: (register, register, weight). Of every register there is room for its number, the sum of a unit, whether that
    is to be looked at, and in `queue`, from a layer's first register on, for the units of the layer that are; `waiting`
    says how many these are.

    `symbols` are those of the steps, or one for all; without any, `inputs` are the numbers of all steps. A state that
    is `anchor`, if that is no empty array, ends the steps. `changes` gets the step and the readout where that is
    another one than before; the first row is the one before the first step. With `until_changed` that ends the steps.
    Where `control` has a symbol the registers are those of the state: the loop goes on where it was.
    """
    size, last = state.shape[0], firsts.shape[0] - 2
    registers = firsts[last + 1]
    readings, room = (terms_of, readers, weights, floors, layers, firsts), (numbers, sums, marked, queue, waiting)
    # At first all registers are 0, all sums biases, and all units to be looked at. Then state and inputs are put there.
    before = control[W_SYMBOL]
    if before == ANEW:
        for register in range(registers):
            numbers[register] = 0
            sums[register] = biases[register]
            marked[register] = 1
            queue[register] = register
        for layer in range(last + 1):
            waiting[layer] = firsts[layer + 1] - firsts[layer] if layer else size
        for i in range(size):
            if state[i] != 0:
                put(i, state[i], readings, room)
        for i in range(inputs.shape[0]):
            put(size + i, inputs[i], readings, room)
    changed, step, code, moves, differs, looks = 0, 0, LIMIT, 0, 0, 0
    while step < count:
        if symbols.shape[0]:
            symbol = symbols[step if symbols.shape[0] > 1 else 0]
            if symbol != before:
                if before >= 0:
                    put(size + before, 0, readings, room)
                put(size + symbol, one, readings, room)
                before = symbol
        # Units of a layer are looked at when all registers before it are those of this step; before the last layer, the
        # readout, the next state takes the place of the old one.
        for layer in range(1, last + 1):
            if layer == last:  # all numbers are read before one is written
                moves, waiting[0] = waiting[0], 0
                for place in range(moves):
                    i = queue[place]
                    marked[i] = 0
                    moved[place, 0], moved[place, 1] = i, numbers[following[i]]
                for place in range(moves):
                    i, number = moved[place, 0], moved[place, 1]
                    if number != numbers[i]:
                        put(i, number, readings, room)
            first = firsts[layer]
            looks += waiting[layer]
            for place in range(first, first + waiting[layer]):
                unit = np.uint64(queue[np.uint64(place)])
                marked[unit] = 0
                code, value = value_of(unit, one, scale, most, kinds, products_of, products, numbers, sums)
                if code != LIMIT:
                    break
                if value != numbers[unit]:
                    put(unit, value, readings, room)
            waiting[layer] = 0
            if code != LIMIT:
                break
        if code != LIMIT:
            break
        # The step is done.
        step += 1
        for place in range(moves):
            state[moved[place, 0]] = moved[place, 1]
        recurs = anchor.shape[0] > 0 and state[differs] == anchor[differs]
        if recurs:  # where they differ, they mostly do after the next step too
            differs = 0
            while differs < size - 1 and state[differs] == anchor[differs]:
                differs += 1
            recurs = state[differs] == anchor[differs]
        first = firsts[last]
        other = False
        for register in range(first, registers):
            other = other or numbers[register] != changes[changed, 1 + register - first]
        if other:
            changed += 1
            changes[changed, 0] = step
            for register in range(first, registers):
                changes[changed, 1 + register - first] = numbers[register]
        if recurs:
            code = RECURS
            break
        if (other and until_changed) or changed + 1 == changes.shape[0]:
            code = CHANGED
            break
    control[W_STEPS], control[W_CHANGES] = step, changed
    control[W_LOOKS] = looks
    control[W_SYMBOL] = before if code in (LIMIT, CHANGED, RECURS) else ANEW  # a step was broken off
    return code
