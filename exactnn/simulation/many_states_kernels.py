"""One step of a network from each of many states, in the machine's own floats and in fixed point."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.fixed_kernels import Manner
from exactnn.simulation.fixed_kernels import evaluate as evaluate_words
from exactnn.simulation.float_kernels import evaluate as evaluate_floats
from exactnn.simulation.float_rows import Rows

__all__ = ["read_floats", "read_words", "step_floats", "step_words"]

Array = NDArray[Any]


@compiled
def step_floats(units: Rows, next_state: Array, first_unit: int, given: int, states: Array, following: Array) -> None:
    """Write the state after each of `states` when register `given` is 1 and the other inputs are 0."""
    size = len(next_state)
    registers = np.zeros(first_unit + len(units[0]), dtype=states.dtype)
    registers[given] = 1
    for row in range(len(states)):
        registers[:size] = states[row]
        evaluate_floats(units, registers, first_unit, registers)
        for i in range(size):
            following[row, i] = registers[next_state[i]]


@compiled
def read_floats(readout: Rows, states: Array, outputs: Array) -> None:
    """Write the readout of each of `states`."""
    for row in range(len(states)):
        evaluate_floats(readout, states[row], 0, outputs[row])


@compiled
def step_words(
    units: Rows,
    next_state: Array,
    first_unit: int,
    given: int,
    states: Array,
    following: Array,
    manner: Manner,
    one: int,
) -> None:
    """As :func:`step_floats`, in fixed point without random numbers."""
    size = len(next_state)
    registers = np.zeros(first_unit + len(units[0]), dtype=np.int64)
    registers[given] = one
    for row in range(len(states)):
        for i in range(size):
            registers[i] = states[row, i]
        evaluate_words(units, registers, registers[first_unit:], manner, one, 0)
        for i in range(size):
            following[row, i] = registers[next_state[i]]


@compiled
def read_words(readout: Rows, states: Array, outputs: Array, manner: Manner, one: int) -> None:
    """Write the readout of each of `states`, in fixed point."""
    registers = np.zeros(states.shape[1], dtype=np.int64)
    for row in range(len(states)):
        for i in range(len(registers)):
            registers[i] = states[row, i]
        evaluate_words(readout, registers, outputs[row], manner, one, 0)
