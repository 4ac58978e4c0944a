"""How many states a network can have at most in an arithmetic, before any is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isfinite, prod
from typing import assert_never

from gmpy2 import mpq

from exactnn.arithmetic import (
    AnyArithmetic,
    Arithmetic,
    ExactArithmetic,
    FixedPoint,
    FloatFormat,
    RationalArithmetic,
    arithmetic_of,
    is_arithmetic,
)
from exactnn.equivalence.spaces.choice import is_clipped_integer
from exactnn.networks import Activation, Kind, Network, network_of
from exactnn.simulation.executors import unsupported
from exactnn.simulation.fixed_parameters import bounding_word

__all__ = ["state_bound"]


def state_bound(network: Network, arithmetic: AnyArithmetic) -> int | None:
    """Return a bound on the number of reachable states, the initial one included; None if there is none.

    Every number of a state is the result of a unit, and an activation gives so many numbers of the format; the
    product of these is a bound for all states but the initial one, which is one more where it has a number that no
    unit gives there. In exact arithmetic there is a bound for networks on symbols with integer parameters and bounded
    units. With SLU and Heaviside units these are 2^d' states of zeros and ones, and one more for an initial state that
    is none of them.

    Notes
    -----
    Theorem 4.5 of the chapter on recurrent networks as automata says 2^d; the exponent is the size d' of the state, and
    an integer initial state need not consist of zeros and ones: one neuron with V = 1, b = -1, s = 2 goes through the
    three states 2, 1, 0.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT8_E4M3, RATIONAL
    >>> from exactnn.networks import SimpleRNN
    >>> falls = SimpleRNN(V=[[1]], W=[[0]], b=[-1], s=[2], readout_weight=[1], activation="slu", alphabet="a")
    >>> state_bound(falls, RATIONAL), state_bound(falls, FLOAT8_E4M3)
    (3, 59)
    """
    arithmetic = arithmetic_of(arithmetic)
    network = network_of(network)
    if not is_arithmetic(arithmetic):
        raise unsupported(arithmetic)
    sources = list(_sources(network))
    different = Counter(sources)
    if arithmetic.is_exact and not is_clipped_integer(network):
        return None
    counts = {source: _numbers(arithmetic, source) for source in different if source is not None}
    bound: int = prod((2 if source is None else counts[source]) ** number for source, number in different.items())
    pairs = set(zip(network.initial_state, sources, strict=True))
    return bound + any(not _is_given(value, source) for value, source in pairs)


def _is_given(value: mpq, source: Activation | None) -> bool:
    """Return whether a number of the initial state is among those that are counted for its source."""
    if source is None:
        return value in (0, 1)
    low, high = source.low, source.high
    if source.kind is Kind.JUMP:
        return value in (low, high)
    return (low is None or low <= value) and (high is None or value <= high)


def _sources(network: Network) -> Iterator[Activation | None]:
    """Yield for each number of the state the activation it comes from; None for a symbol, which is 0 or 1."""
    circuit = network.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    first_unit = circuit.state_size + circuit.input_size
    for register in circuit.next_state:
        if register >= first_unit:
            yield units[register - first_unit].activation
        else:
            is_symbol = register >= circuit.state_size and network.alphabet is not None
            yield None if is_symbol else Activation.IDENTITY


def _numbers(arithmetic: Arithmetic, activation: Activation) -> int:
    """Return how many numbers an activation gives; in exact arithmetic of a network of clipped integers."""
    match arithmetic:
        case FloatFormat():
            return _floats(arithmetic, activation)
        case FixedPoint():
            return _words(arithmetic, activation)
        case ExactArithmetic() | RationalArithmetic():
            return _integers(activation)
        case _:
            assert_never(arithmetic)


def _integers(activation: Activation) -> int:
    """Return how many integers an activation with integers as bounds gives."""
    assert activation.low is not None
    assert activation.high is not None
    return 2 if activation.kind is Kind.JUMP else int(activation.high - activation.low) + 1


def _floats(format: FloatFormat, activation: Activation) -> int:
    """Return how many numbers of a format an activation gives, NaN among them where there is one."""
    if activation.kind is Kind.JUMP:
        return 2
    low, high = (None if bound is None else _rounded(format, bound) for bound in (activation.low, activation.high))
    zeros = 0 if high is not None and high < 0 else 2 if low is None or low < 0 else int(low == 0)
    above = _positive(format, high) - (0 if low is None or low <= 0 else _positive(format, low) - 1)
    below = _positive(format, None if low is None else -low)
    below -= 0 if high is None or high >= 0 else _positive(format, -high) - 1
    return above + below + zeros + (format.specials != "none")


def _rounded(format: FloatFormat, bound: mpq) -> mpq | None:
    """Return a bound as the format has it, None if that is infinite; 1 and 0 are there in every format."""
    value = bound if bound in (0, 1) else format.parameters.rounded(bound)
    return mpq(value) if isfinite(value) else None


def _positive(format: FloatFormat, most: mpq | None) -> int:
    """Return how many positive numbers of a format are at most `most`; all, and infinity, for None."""
    binade = 1 << (format.precision - 1)
    tiny = binade - 1 if format.subnormals else 0
    binades = format.largest_exponent - format.smallest_exponent + 1
    if most is None:
        return tiny + binades * binade - (format.specials == "nan") + (format.specials == "ieee")
    if most >= format.largest:
        return tiny + binades * binade - (format.specials == "nan")
    least = mpq(2) ** format.smallest_exponent
    if most < least:
        return int(most * binade / least) if format.subnormals and most > 0 else 0
    exponent = format.smallest_exponent
    while mpq(2) ** (exponent + 1) <= most:
        exponent += 1
    in_binade = int((most / mpq(2) ** exponent - 1) * binade) + 1
    return tiny + (exponent - format.smallest_exponent) * binade + in_binade


def _words(format: FixedPoint, activation: Activation) -> int:
    every = format.largest_word - format.lowest_word + 1
    low = format.lowest_word if activation.low is None else bounding_word(format, activation.low)
    high = format.largest_word if activation.high is None else bounding_word(format, activation.high)
    match activation.kind:
        case Kind.JUMP:
            return 2
        case Kind.CLAMP:
            return high - low + 1
        case Kind.SOFTPLUS | Kind.EXP:  # in a format that wraps, what is beyond the largest number may be any other
            return every if format.overflow == "wrap" else min(every, high - low + 1)
        case Kind.SIGMOID | Kind.TANH:
            if format.overflow == "wrap":  # beyond the largest number, a rounded value may be any other
                one = 1 << format.fraction_bits
                low, high = (0 if activation.low == 0 else -one), one
            return min(every, high - low + 1)
        case _:
            assert_never(activation.kind)
