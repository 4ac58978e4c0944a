"""The states of a run as exact numbers, one after the other, and how far apart two of them are."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from gmpy2 import lcm, mpq

from exactnn.arithmetic import Arithmetic, ExactNumber, exact
from exactnn.errors import NumberError, OptionError, WordError, shown
from exactnn.linear_algebra import Vector
from exactnn.networks import Input, Network
from exactnn.options import entries
from exactnn.simulation import executor_for, values_along

__all__ = ["ExactState", "exact_vector", "inputs_within_bounds", "squared_distance", "squared_norm", "states_on"]

ZERO = mpq(0)

ExactState = tuple[mpq | float, ...]
"""A state of finite numbers as rationals; infinite ones and NaN stay the floats that they are."""


def states_on(network: Network, inputs: Sequence[Input], arithmetic: Arithmetic) -> Iterator[ExactState]:
    """Yield the start state and the state after each input.

    Raises
    ------
    UnsupportedArithmeticError
        If the arithmetic cannot run this network.

    Examples
    --------
    >>> from exactnn.arithmetic import FloatFormat
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> list(states_on(halves, halves.inputs([1, 0]), FloatFormat(precision=2, exponent_bits=3)))
    [(mpq(0,1),), (mpq(1,1),), (mpq(1,2),)]
    """
    for values in values_along(executor_for(network, arithmetic, every_state=True), inputs, len(inputs)):
        yield tuple(map(_exact, values))


def _exact(value: Any) -> mpq | float:
    return value if isinstance(value, float) and not isfinite(value) else mpq(value)


def squared_norm(state: ExactState, form: Vector | None = None) -> mpq | None:
    """Return Σ dᵢ hᵢ², with ones for dᵢ if there is no form; None if a number is infinite or NaN.

    >>> squared_norm((mpq(3), mpq(4))), squared_norm((mpq(3), mpq(4)), (mpq(1), mpq(1, 2)))
    (mpq(25,1), mpq(17,1))
    """
    numbers = _finite(state)
    if numbers is None:
        return None
    one = lcm(1, *(number.denominator for number in numbers))  # over one denominator a sum takes no gcds
    squares = [(number.numerator * (one // number.denominator)) ** 2 for number in numbers]
    weighted = map(mpq, squares) if form is None else (w * x for w, x in zip(form, squares, strict=True))
    return sum(weighted, ZERO) / one**2


def _finite(state: ExactState) -> list[mpq] | None:
    """Return the numbers of a state; None if one is infinite or NaN."""
    numbers = [number for number in state if not isinstance(number, float)]
    return numbers if len(numbers) == len(state) else None


def squared_distance(first: ExactState, second: ExactState) -> mpq | None:
    """Return ‖h - h'‖²; None if a number is infinite or NaN.

    >>> squared_distance((mpq(3), mpq(4)), (mpq(0), mpq(0)))
    mpq(25,1)
    """
    one, other = _finite(first), _finite(second)
    if one is None or other is None:
        return None
    return squared_norm(tuple(x - y for x, y in zip(one, other, strict=True)))


def inputs_within_bounds(network: Network, word: str | Sequence[object]) -> list[Input]:
    """Return the inputs of a word.

    Raises
    ------
    WordError
        If it does not fit the network, or has an input beyond its input bounds.
    """
    inputs = network.inputs(word)
    inside = network.inside(inputs)
    if inside < len(inputs):
        raise WordError(
            f"input {shown(network.written(inputs[inside : inside + 1])[0])} at position {inside} is beyond the input "
            f"bounds of network {shown(network.name)}: it is right for inputs within them only"
        )
    return inputs


def exact_vector(what: str, values: Sequence[ExactNumber], size: int) -> Vector:
    """Return numbers of the user as a vector; `what` is the option that they were given as.

    Raises
    ------
    OptionError
        If there are not as many as `size`, or one is no exact number.
    """
    given = entries(what, values) if isinstance(values, Sequence) and not isinstance(values, str) else None
    if given is None or len(given) != size:
        raise OptionError(f"{what}={shown(values)}: give a sequence of {size} numbers, one for each state")
    try:
        return tuple(map(exact, given))
    except NumberError as error:
        raise OptionError(f"{what}: {error}") from None
