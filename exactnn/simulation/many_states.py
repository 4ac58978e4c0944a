"""Many states of a network in a finite arithmetic, and one step from each of them: nothing is kept of a run.

A state is a row of numbers, in the smallest type of numpy that has all numbers of the format and is fast. Two states
are the same if their rows have the same bits: -0 is not 0, and there is one NaN.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import Arithmetic, FixedPoint, FloatFormat
from exactnn.networks import Network
from exactnn.simulation.compiled_steps import CompiledSteps, compiled_steps
from exactnn.simulation.executor import Values
from exactnn.simulation.fixed import can_compile, fixed_parameters, numbers_of
from exactnn.simulation.floats import NATIVE, native_parameters
from exactnn.simulation.rounded import can_round, rounded_parameters
from exactnn.simulation.smooth_units import has_smooth_units, has_unbounded_smooth_units

__all__ = ["ManyStates", "many_states", "word_states"]

Array = NDArray[Any]


def many_states(network: Network, arithmetic: Arithmetic) -> "ManyStates | None":
    """Return steps from many states in the compiled loop; None where it lacks the arithmetic, or that is random.

    Raises UnsupportedArithmeticError if the network has a number beyond the range of a fixed-point format.
    """
    match arithmetic:
        case FloatFormat() if arithmetic in NATIVE:
            found = ManyStates(network, compiled_steps(network, arithmetic, native_parameters), NATIVE[arithmetic])
        case FloatFormat() if can_round(arithmetic):
            found = ManyStates(
                network, compiled_steps(network, arithmetic, rounded_parameters), smallest_float(arithmetic)
            )
        case FixedPoint() if can_compile(
            arithmetic, smooth=has_smooth_units(network), unbounded=has_unbounded_smooth_units(network)
        ):
            found = word_states(network, arithmetic)
        case _:
            return None
    return None if found.stochastic else found


def word_states(network: Network, format: FixedPoint) -> "ManyStates":
    """Return steps from many states in fixed point; rows are words."""
    numbers = partial(numbers_of, format)
    return ManyStates(network, compiled_steps(network, format, fixed_parameters), smallest_integer(format), numbers)


def floats_of(row: Array) -> Values:
    """Return the numbers of a row of floats."""
    return tuple(row.tolist())


class ManyStates:
    """Steps of one network in one arithmetic, for rows of numbers."""

    def __init__(
        self,
        network: Network,
        steps: CompiledSteps,
        dtype: type[np.number[Any]],
        numbers: Callable[[Array], Values] = floats_of,
    ) -> None:
        self._steps = steps
        self.stochastic = steps.parameters.stochastic
        self.start: Array = steps.parameters.maker.floats(network.initial_state).astype(dtype).reshape(1, -1)
        self.numbers = numbers
        self._dtype = dtype

    def step(self, states: Array, symbol: int) -> Array:
        """Return the states after a step from each row of `states` on a symbol, given by its number."""
        return one_nan(self._steps.following(states, symbol, self._dtype))

    def outputs(self, states: Array) -> Array:
        """Return the readout of each row."""
        return one_nan(self._steps.outputs(states, self._dtype))


def one_nan(numbers: Array) -> Array:
    """Give every NaN the same bits; which ones it has is the processor's affair."""
    if numbers.dtype.kind == "f":
        numbers[numbers != numbers] = np.nan
    return numbers


def smallest_float(format: FloatFormat) -> type[np.floating[Any]]:
    """Return float32 if it has all numbers of a format, else float64; numpy converts no smaller one at speed.

    >>> from exactnn.arithmetic import BFLOAT16
    >>> smallest_float(BFLOAT16).__name__, smallest_float(FloatFormat(precision=25, exponent_bits=8)).__name__
    ('float32', 'float64')
    """
    info = np.finfo(np.float32)
    fits = format.largest <= mpq(float(info.max)) and format.smallest >= mpq(float(info.smallest_subnormal))
    return np.float32 if fits and format.precision <= info.nmant + 1 else np.float64


def smallest_integer(format: FixedPoint) -> type[np.signedinteger[Any]]:
    """Return the smallest type of numpy that has all words of a format.

    >>> smallest_integer(FixedPoint(integer_bits=4, fraction_bits=4)).__name__
    'int8'
    """
    return next(
        dtype for dtype in (np.int8, np.int16, np.int32, np.int64) if format.magnitude_bits < np.iinfo(dtype).bits
    )
