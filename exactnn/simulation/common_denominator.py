"""Exact runs in whole numbers over one denominator."""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import repeat
from operator import eq, mul
from typing import Any, NamedTuple

from gmpy2 import gcd, mpq, mpz

from exactnn.networks import Input, Network
from exactnn.simulation.executor import Output
from exactnn.simulation.foresight import Foresight
from exactnn.simulation.integer_layers import IntegerCircuit, IntegerLayer
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.stepping import OneByOne
from exactnn.size_limit import SizeLimit, common_denominator

__all__ = ["CommonDenominatorExecutor", "Numerators", "quotient", "reduced"]


# --- Exact steps in integers: a state is numerators over one common denominator, and no operation needs a gcd.
#
# What the network does to its denominators decides how often they are reduced: at once where every number is 0 or 1,
# else when the denominator has grown by a quarter since the last time, so that all the gcds of a run cost little.

ZERO, ONE = mpz(0), mpz(1)

SLACK_BITS = 256
"""Growth that is never reduced: the gcds would take longer than the longer products."""


class Numerators(NamedTuple):
    """A state: numerators over one denominator, which is reduced when it has more than `limit` bits."""

    numerators: Sequence[mpz]
    denominator: mpz
    limit: int


def reduced(numerators: Sequence[mpz], denominator: mpz) -> Numerators:
    """Return a state in lowest terms.

    >>> state = reduced([mpz(6), mpz(0)], mpz(15))
    >>> state.numerators, state.denominator
    ([mpz(2), mpz(0)], mpz(5))
    """
    common = denominator
    for numerator in numerators:
        if common == 1:
            break
        common = gcd(common, numerator)
    if common != 1:
        denominator //= common
        numerators = [numerator // common for numerator in numerators]
    bits = denominator.bit_length()
    return Numerators(numerators, denominator, bits + bits // 4 + SLACK_BITS)


class CommonDenominatorExecutor(OneByOne[Numerators]):
    """A network in exact rational arithmetic, in integers over a common denominator.

    A state or a step whose numbers `limit` has no room for raises SizeLimitError, and so does every state of a network
    whose weights are such numbers.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    >>> executor = CommonDenominatorExecutor(network)
    >>> executor.advance(executor.start(), (mpq(0),), 3, until_decided=False).outputs
    [(mpq(1,2), 1), (mpq(1,4), 1), (mpq(1,8), 1)]
    """

    engine = "common denominator"

    def __init__(self, network: Network, limit: SizeLimit | None = None) -> None:
        self.network = network
        self._limit = limit or SizeLimit()
        self.foresight = Foresight(network, self._limit, common=True)

    @cached_property
    def circuit(self) -> IntegerCircuit:
        """The network in integers, laid out for the first state: many runs never get to one."""
        return IntegerCircuit(self.network, self._limit)

    def start(self) -> Numerators:
        """Return the initial state."""
        self.foresight.look_at_output(self.network.initial_state)
        return self.state_of(self.network.initial_state)

    def state_of(self, values: Sequence[mpq]) -> Numerators:
        """Return the state with these values."""
        denominator = common_denominator(values, self._limit, 2 * len(values))
        self._learn_primes(denominator)
        numerators = [x.numerator * (denominator // x.denominator) if x else ZERO for x in values]
        bits = denominator.bit_length()
        return Numerators(numerators, denominator, bits + bits // 4 + SLACK_BITS)

    def _learn_primes(self, denominator: mpz) -> None:
        self.circuit.primes *= _without(self.circuit.primes, denominator)

    def values(self, state: Numerators) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        return tuple(quotient(x, state.denominator, self.circuit.primes) for x in state.numerators)

    def output(self, state: Numerators) -> Output:
        """Return the readout of `state`."""
        numerators, denominator = self.circuit.readout.evaluate(state.numerators, state.denominator)
        return self.output_of(numerators, denominator)

    def output_of(self, numerators: Sequence[mpz], denominator: mpz) -> Output:
        """Return numbers of the readout as the network reports them."""
        primes = self.circuit.primes
        if self.network.scalar_output:
            return quotient(numerators[0], denominator, primes)
        return tuple(quotient(numerator, denominator, primes) for numerator in numerators)

    def _step(self, state: Numerators, layers: list[IntegerLayer]) -> Numerators:
        numerators, denominator, limit = state
        for layer in layers:
            numerators, denominator = layer.evaluate(numerators, denominator)
            if layer.weights.bilinear and denominator.bit_length() > limit:  # products square it, layer by layer
                numerators, denominator, limit = reduced(numerators, denominator)
        if self.circuit.order is not None:
            numerators = [numerators[index] for index in self.circuit.order]
        for numerator in numerators:
            if numerator and numerator != denominator:
                break
        else:
            return reduced([ONE if numerator else ZERO for numerator in numerators], ONE)
        if denominator.bit_length() > limit:
            return reduced(numerators, denominator)
        return Numerators(numerators, denominator, limit)

    def alike(self, first: Numerators, second: Numerators) -> bool:
        """Whether two states are the same, over whatever denominators."""
        over = map(mul, first.numerators, repeat(second.denominator))
        return all(map(eq, over, map(mul, second.numerators, repeat(first.denominator))))

    def step_on(self, symbol: Input) -> Callable[[Numerators], tuple[Numerators, Output]]:
        """Return what a step on this input does to a state, which also gives the output."""
        layers: list[IntegerLayer] = []
        foresight = self.foresight

        def step(before: Numerators) -> tuple[Numerators, Output]:
            nonlocal layers
            if not foresight.is_free(before.numerators, symbol):
                foresight.look_at_numerators(before.numerators, before.denominator, symbol)
            layers = layers or self.circuit.layers(symbol)
            after = self._step(before, layers)
            foresight.ahead = after.numerators
            return after, self.output(after)

        return step

    def pack(self, state: Numerators) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(self.values(state))

    def unpack(self, data: object) -> Numerators:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return self.state_of(unpack_rationals(data, self.network.circuit.state_size))


# --- Long fractions in lowest terms without a long gcd, where the primes of the denominator are known.

LONG = 3000
"""Bits from which on this is faster than the gcd of :class:`gmpy2.mpq`; measured."""


class Fraction(NamedTuple):
    """What gmpy2 takes for a fraction in lowest terms, by the name of its class.

    That of the standard library would be asked for its parts by a method of Python, where Ctrl-C becomes a SystemError.
    """

    numerator: int
    denominator: int


def quotient(numerator: mpz, denominator: mpz, primes: mpz) -> mpq:
    """Return numerator / denominator in lowest terms; every prime of the denominator divides `primes`.

    The gcd of two long numbers takes time quadratic in their length; with a short number or a power of two it is
    linear. And gmpy2 looks for the gcd whatever it is given, except for a :class:`Fraction`.

    >>> quotient(mpz(10) ** 1000, mpz(6) ** 1500, mpz(6)) == mpq(5) ** 1000 / (mpz(2) ** 500 * mpz(3) ** 1500)
    True
    """
    if not numerator:
        return mpq(0)
    if denominator.bit_length() < max(LONG, 8 * primes.bit_length()) or not primes & (primes - 1):
        return mpq(numerator, denominator)
    rest = _without(primes, numerator)
    if rest != numerator:
        common = gcd(numerator // rest, denominator)
        numerator, denominator = numerator // common, denominator // common
    reduced: Any = Fraction(int(numerator), int(denominator))
    return mpq(reduced)


def _without(primes: mpz, number: mpz) -> mpz:
    """Return a number without the primes of another one.

    What a division leaves of them is within the factor that it took: so its square goes next, and a high power of a
    prime takes few divisions.
    """
    power = primes
    while (factor := gcd(number, power)) != 1:
        number //= factor
        power = factor * factor
    return number
