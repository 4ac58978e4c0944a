"""How many states a network can have at most in an arithmetic, before any is looked at."""

from collections import Counter
from collections.abc import Iterator
from math import prod

from exactnn.arithmetic import Arithmetic, FixedPoint, FloatFormat
from exactnn.equivalence.integer_networks import is_clipped_integer
from exactnn.networks import Activation, Network
from exactnn.simulation import network_of

__all__ = ["state_bound"]


def state_bound(network: Network, arithmetic: Arithmetic) -> int | None:
    """Return a bound on the number of reachable states, the initial one included; None if there is none.

    Every number of a state is the result of a unit, and an activation gives so many numbers of the format; the
    product of these is a bound for all states but the initial one. In exact arithmetic there is a bound for networks
    with integer parameters and clipped units (SLU, Heaviside): 2^d' states of zeros and ones, and one more for an
    initial state that is none of them.

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
    network = network_of(network)
    if isinstance(arithmetic, FloatFormat):
        counts = {activation: _floats(arithmetic, activation) for activation in Activation}
    elif isinstance(arithmetic, FixedPoint):
        counts = {activation: _words(arithmetic, activation) for activation in Activation}
    elif is_clipped_integer(network):
        counts = dict.fromkeys((Activation.SLU, Activation.HEAVISIDE), 2)
    else:
        return None
    sources = list(_sources(network))
    bound: int = prod(
        (2 if source is None else counts[source]) ** number for source, number in Counter(sources).items()
    )
    # The initial state may have a number that no unit gives.
    pairs = set(zip(network.initial_state, sources, strict=True))
    return bound + any(source is not Activation.IDENTITY and value not in (0, 1) for value, source in pairs)


def _sources(network: Network) -> Iterator[Activation | None]:
    """Yield for each number of the state the activation it comes from; None for an input."""
    circuit = network.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    first_unit = circuit.state_size + circuit.input_size
    for register in circuit.next_state:
        if register >= first_unit:
            yield units[register - first_unit].activation
        else:
            yield Activation.IDENTITY if register < circuit.state_size else None


def _floats(format: FloatFormat, activation: Activation) -> int:
    """Return how many numbers of a format an activation gives, NaN among them where there is one."""
    if activation is Activation.HEAVISIDE:
        return 2
    binade = 1 << (format.precision - 1)
    tiny = binade - 1 if format.subnormals else 0
    nan = format.specials != "none"
    to_one = 1 + tiny - format.smallest_exponent * binade + (format.largest >= 1)
    if activation is Activation.SLU or activation is Activation.SIGMOID:
        return to_one + nan
    if activation is Activation.TANH:
        return 2 * to_one + nan
    infinity = format.specials == "ieee"
    positive = tiny + (format.largest_exponent - format.smallest_exponent + 1) * binade - (format.specials == "nan")
    if activation is Activation.RELU:
        return 1 + positive + infinity + nan
    return 2 * (1 + positive + infinity) + nan


def _words(format: FixedPoint, activation: Activation) -> int:
    every = format.largest_word - format.lowest_word + 1
    one = min(1 << format.fraction_bits, format.largest_word)
    # Rounded beyond the largest number, a smooth value may be wrapped around to any other.
    wraps = format.overflow == "wrap"
    smooth = 1 << format.fraction_bits if wraps else one
    below = smooth if wraps else min(smooth, -format.lowest_word)
    return {
        Activation.IDENTITY: every,
        Activation.RELU: format.largest_word + 1,
        Activation.SLU: one + 1,
        Activation.HEAVISIDE: 2,
        Activation.SIGMOID: min(every, smooth + 1),
        Activation.TANH: min(every, below + smooth + 1),
    }[activation]
