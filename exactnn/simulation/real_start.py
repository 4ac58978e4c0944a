"""Which executor runs a network with a real start state: reals stay real in exact arithmetic, else are rounded."""

from dataclasses import replace
from math import isfinite

from gmpy2 import mpq

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, FixedPoint, Format, LazyReal, is_arithmetic
from exactnn.errors import OptionError, UnsupportedArithmeticError
from exactnn.networks import Network, RealNetwork
from exactnn.simulation.executor import Executor
from exactnn.simulation.executors import executor_for
from exactnn.simulation.lazily_refined import LazilyRefinedExecutor
from exactnn.size_limit import SizeLimit

__all__ = ["real_executor_for", "rounded_start"]

MOST_ROUNDED = 20_000
"""Most digits that are read to round a real: below the smallest number of the widest formats there are not so many."""


def real_executor_for(
    network: RealNetwork,
    arithmetic: Arithmetic | EnclosingArithmetic,
    most: int | None = None,
    size: SizeLimit | None = None,
) -> Executor:
    """Return the executor of a network with a real start state.

    `EXACT` and `RATIONAL` are the same here: rationals, and digits as they are needed. Any other arithmetic runs the
    network with the reals rounded to its parameters.

    Raises
    ------
    UnsupportedArithmeticError
        If no executor computes in this arithmetic, or a real cannot be rounded to it.
    OptionError
        If there is a limit of digits for an arithmetic that rounds.
    """
    if not is_arithmetic(arithmetic):
        return executor_for(network.template, arithmetic)  # it says what there is
    if arithmetic.is_exact:
        return LazilyRefinedExecutor(network, most, size)
    if most is not None:
        raise OptionError(f"max_digits={most} with {arithmetic}: the reals are rounded to it first, and not refined")
    return executor_for(rounded_start(network, arithmetic), arithmetic)


def rounded_start(network: RealNetwork, format: Format) -> Network:
    """Return the network whose start state is that of `network`, rounded correctly to a format.

    Raises
    ------
    UnsupportedArithmeticError
        If a real is the middle between two numbers of the format, so that no digits tell, or is beyond its range.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16, lazy_real
    >>> from exactnn.networks import SimpleRNN
    >>> keeps = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1])
    >>> thirds = RealNetwork(template=keeps, reals=((0, lazy_real(lambda position: 3)),))
    >>> rounded_start(thirds, FLOAT16).initial_state
    (mpq(1365,4096),)
    """
    state = list(network.template.initial_state)
    for place, real in network.reals:
        state[place] = _rounded(state[place], real, format)
    return replace(network.template, initial_state=tuple(state), name=f"{network.name}, in {format}")


def _rounded(constant: mpq, real: LazyReal, format: Format) -> mpq:
    digits = 0
    while digits <= MOST_ROUNDED:
        low, high = (_nearest(constant + bound, format) for bound in real.enclosure(digits))
        if low == high and isfinite(low):
            return mpq(low)
        digits += 1 + digits // 8
    raise UnsupportedArithmeticError(
        f"{real.stream.name} is not rounded to {format}: {digits} digits do not tell which number of it is nearest"
    )


def _nearest(value: mpq, format: Format) -> mpq | float:
    parameters = format.parameters
    if isinstance(parameters, FixedPoint):  # one that is beyond the range is for the executor to refuse
        return parameters.number(parameters.unbounded_word(value))
    return parameters.rounded(value)
