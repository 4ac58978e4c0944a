"""How long the numbers of a step may become, foreseen from how long they are: none is made for which there is no room.

A number n / d is described by the bits of d and an exponent e with abs(n / d) < 2**e. Products add both; a sum has at
most the exponent of its largest term, a little more, and a denominator that divides the product of those of its terms
as well as any common denominator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gmpy2 import mpq, mpz

from exactnn.errors import SizeLimitError
from exactnn.networks import Activation, Input, Kind, Network, Unit
from exactnn.networks.circuit import numbers_of
from exactnn.networks.network import input_vector
from exactnn.size_limit import SizeLimit, bits_of, common_denominator

__all__ = ["Foresight", "Size", "size_of"]

MOST_LOOKS = 20
"""Steps that are looked at one by one, before it is reckoned how many are surely within the room."""

MOST_DOUBLINGS = 62
"""Numbers of so many bits there are not."""

WITHOUT_DIGITS = mpq.__basicsize__
"""Bytes of the memory of a rational that hold none of its digits."""

Size = tuple[int, int] | None
"""Bits of the denominator, and the exponent; None for 0."""


class _Bounds(NamedTuple):
    """What is soon found out of a network, and bounds its steps well enough in nearly every run.

    `bits` bounds those of all weights, biases and bounds of activations together. `carries` are bits of their count:
    a sum of so many terms is longer than the longest term by no more. `units` and `factors` are by layer, the readout
    the last one: how many units there are, and how many factors a term has at most besides the weight.
    """

    bits: int
    carries: int
    units: list[int]
    factors: list[int]

    @classmethod
    def of(cls, layers: Sequence[tuple[Unit, ...]]) -> "_Bounds":
        """Return those of some layers."""
        numbers = numbers_of([unit for layer in layers for unit in layer])
        return cls(
            bits=_together(numbers),
            carries=len(numbers).bit_length(),
            units=list(map(len, layers)),
            factors=[2 if [1 for unit in layer if unit.bilinear] else 1 for layer in layers],
        )

    def at_most(self, bits: int, registers: int, *, common: bool) -> int:
        """Return a bound of the bits of a step from so many registers that together have so many.

        All registers before a layer have a common denominator: it has at most `bits` bits, and so have their numerators
        over it. Times the denominators in one unit, it is one of that unit's value; times those in all units of the
        layer, it is the next common one.
        """
        total = bits * registers
        for units, factors in zip(self.units, self.factors, strict=True):
            bits = bits * factors + self.carries
            total += 2 * (
                units * bits + self.bits
            )  # in lowest terms a unit has the denominators of its own weights only
            bits += self.bits
        return (registers + sum(self.units) + 1) * bits if common else total


@dataclass(frozen=True, slots=True)
class _Layer:
    """A layer's units, with what bounds them all.

    `terms` is the most of a unit, its bias counted; no weight, bias or bound has more bits than `longest`. `products`
    says whether there are any of two registers that are no inputs, `gates` whether there are any with an input.
    """

    units: tuple[Unit, ...]
    weights: list[mpq]
    terms: int
    longest: int
    products: bool
    gates: bool

    def denominator(self, limit: SizeLimit) -> int | None:
        """Return the bits of a common denominator of all weights, biases and bounds, None if it has no room."""
        try:
            unlike = dict(zip(map(id, self.weights), self.weights, strict=True))  # rationals are hashed slowly
            return common_denominator(unlike.values(), limit).bit_length()
        except SizeLimitError:
            return None


class Foresight:
    """Looks ahead of the steps of one network.

    While numbers are so short that no step could use up the room, that is a look at their lengths; after the first
    steps once for many: an executor says which state is `ahead`, the one that the last step led to.

    Parameters
    ----------
    network : Network
    limit : SizeLimit
    common : bool
        Whether all numbers of a state are over one denominator, which no sum makes shorter.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[[3]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    >>> Foresight(network, SizeLimit(1000)).look([mpq(2) ** 1000], (mpq(0),))
    Traceback (most recent call last):
        ...
    exactnn.errors.SizeLimitError: the next numbers may have 3,023 bits together, beyond 1,000 (max_bits of exactnn.run)
    """

    def __init__(self, network: Network, limit: SizeLimit, *, common: bool = False) -> None:
        circuit = network.circuit
        self._limit, self._common = limit, common
        self._inputs = range(circuit.state_size, circuit.state_size + circuit.input_size)
        self._bounds = network.laid_out.of(_Bounds, None, lambda: _Bounds.of((*circuit.layers, network.readout)))
        self._network = network
        self._next = circuit.next_state
        self._looks = self._room = self._free = self._reckoned = 0
        self._steps: list[int] = []
        self._given: Input | None = None
        self.ahead: object = None

    @property
    def _layers(self) -> list[_Layer]:
        """The layers with what bounds each of them, and the readout."""
        layers = (*self._network.circuit.layers, self._network.readout)
        return self._network.laid_out.of(_Layer, None, lambda: [self._layer(units) for units in layers])

    def _layer(self, units: tuple[Unit, ...]) -> _Layer:
        weights = numbers_of(units)
        gates = [first in self._inputs or second in self._inputs for u in units for first, second, _ in u.bilinear]
        return _Layer(
            units=units,
            weights=weights,
            terms=1 + max((len(unit.linear) + len(unit.bilinear) for unit in units), default=0),
            longest=8 * max(map(mpq.__sizeof__, weights), default=0),
            products=not all(gates),
            gates=any(gates),
        )

    def _reckon(self, room: int) -> None:
        """Reckon how many steps surely stay within so much room, from a state with less than 1, 2, 4, 8 ... bits.

        The room is taken for a power of 2, so that what was reckoned holds for other runs of the network.
        """
        room = self._reckoned = 1 << room.bit_length() >> 1
        key = self._limit.most, room
        self._steps = self._network.laid_out.of(Foresight._reckon, key, lambda: self._steps_within(room))

    def _steps_within(self, room: int) -> list[int]:
        """Return what :meth:`_reckon` reckons."""
        after: list[int] = []
        while len(after) < MOST_DOUBLINGS:
            total, bits = self._roughly(1 << len(after))
            if total > room:
                break
            after.append(bits)
        steps = [0] * (len(after) + 1)
        for doublings in reversed(range(len(after))):
            bits = after[doublings]
            steps[doublings] = max(steps[doublings], 1 + steps[min(bits.bit_length(), len(after))])
            if doublings:  # up to twice as many bits, none of the steps adds more than the last one
                half = 1 << doublings - 1
                steps[doublings - 1] = half // (bits - 2 * half) + steps[doublings]
        return steps

    def _denominators(self) -> list[int | None]:
        """Return the bits of a common denominator for each layer, None where it has no room."""
        return self._network.laid_out.of(
            Foresight, self._limit.most, lambda: [layer.denominator(self._limit) for layer in self._layers]
        )

    def _roughly(self, bits: int) -> tuple[int, int]:
        """Return bounds of the bits of a step, and of those of a common denominator and of an exponent after it.

        Before it, these have at most so many bits.
        """
        total = 3 * bits * self._inputs.stop
        for layer, denominator in zip(self._layers, self._denominators(), strict=True):
            if denominator is None:
                return self._limit.most + 1, 0
            bits = bits * (1 + layer.products + layer.gates) + denominator + layer.longest + layer.terms
            total += 3 * bits * len(layer.units)
        return total, bits

    def is_free(self, state: object, given: Input) -> bool:
        """Whether there surely is room for a step, as it was found some steps ago."""
        if self._free and state is self.ahead and (given is self._given or not isinstance(given, tuple)):
            self._free -= 1
            return True
        return False

    def _is_short(self, bits: int, given: Input) -> bool:
        """Whether there surely is room for a step, and how many, from a state and an input with so many bits."""
        if self._looks < MOST_LOOKS:  # it takes longer to reckon than many runs take
            if not self._looks:
                self._room = self._limit.room // 2
            self._looks += 1
            if self._at_most(bits) <= self._room:
                return True
            self._looks = MOST_LOOKS
        room = self._limit.room
        if not self._steps or room < self._reckoned:
            self._reckon(room // 2)
        doublings = bits.bit_length()
        steps = self._steps[doublings] if doublings < len(self._steps) else 0
        self._free, self._given = max(0, steps - 1), given
        return steps > 0

    def look(self, state: Sequence[mpq], given: Input) -> None:
        """Look whether there is room for a step.

        Raises
        ------
        SizeLimitError
            If there may be none.
        """
        if self.is_free(state, given):
            return
        values = (*state, *given) if isinstance(given, tuple) else state
        if not self._is_short(_together(values), given):
            registers = [*state, *self._vector(given)]
            self._look_closely(list(map(size_of, registers)), registers)

    def look_at_sizes(self, sizes: list[Size], given: Input) -> None:
        """As :meth:`look`, knowing only the sizes of the registers."""
        if not self._is_short(sum(map(_bits, sizes)), given):
            self._look_closely(sizes, None)

    def _look_closely(self, sizes: list[Size], registers: Sequence[mpq] | None) -> None:
        if self._at_most(sum(map(_bits, sizes))) <= self._limit.room:
            return
        bits = self._foreseen(sizes, None, 0)
        if bits > self._limit.room and registers is not None:  # a denominator that all share makes it less
            inputs = registers[self._inputs.start :]
            found = (common_denominator(values, self._limit).bit_length() for values in (registers, inputs))
            bits = self._foreseen(sizes, *found)
        self._limit.refuse(bits)

    def _at_most(self, bits: int) -> int:
        """Return a bound of the bits of a step from numbers that together have so many."""
        return self._bounds.at_most(bits, self._inputs.stop, common=self._common)

    def look_at_output(self, state: Sequence[mpq]) -> None:
        """Look whether there is room for the output of a state that no step led to.

        Raises
        ------
        SizeLimitError
            If there may be none.
        """
        if self._is_short(_together(state), 0):
            return
        sizes = list(map(size_of, state))
        found = [self._evaluated(unit, sizes, None) for unit in self._layers[-1].units]
        self._limit.refuse(sum(map(_bits, sizes + found)))

    def look_at_numerators(self, numerators: Sequence[mpz], denominator: mpz, given: Input) -> None:
        """Look whether there is room for a step from a state of numerators over one denominator.

        Raises
        ------
        SizeLimitError
            If there may be none.
        """
        longest = max(map(mpz.__sizeof__, numerators), default=0) + denominator.__sizeof__()
        if isinstance(given, tuple):
            longest += sum(map(mpq.__sizeof__, given))
        if not self._is_short(8 * longest, given):
            self.look_at_bits([x.bit_length() for x in numerators], denominator.bit_length(), given)

    def look_at_bits(self, numerators: Sequence[int], denominator: int, given: Input) -> None:
        """As :meth:`look_at_numerators`, knowing only their bits."""
        vector = self._vector(given)
        inputs = sum(map(bits_of, vector))
        if not self._is_short(denominator + max(numerators, default=0) + inputs, given):
            sizes: list[Size] = [(denominator, bits - denominator + 1) if bits else None for bits in numerators]
            self._limit.refuse(self._foreseen([*sizes, *map(size_of, vector)], denominator + inputs, inputs))

    def _vector(self, given: Input) -> tuple[mpq, ...]:
        return input_vector(given, len(self._inputs))

    def _foreseen(self, registers: Sequence[Size], common: int | None, inputs: int) -> int:
        """Return a bound of the bits of all registers of a step, and of its output.

        `common` bounds the bits of a common denominator of the registers, `inputs` of those of the input, if known.
        """
        sizes = list(registers)
        total = sum(map(_bits, sizes))
        denominators = self._denominators()
        for place, layer in enumerate(self._layers):
            denominator = denominators[place]
            if place == len(self._layers) - 1:
                sizes = [sizes[register] for register in self._next]
            if common is not None and denominator is not None:
                common = (1 + layer.products) * common + layer.gates * inputs + denominator
            else:
                common = None
            found = [self._evaluated(unit, sizes, common) for unit in layer.units]
            total += sum(map(_bits, found))
            sizes += found
        return total

    def _evaluated(self, unit: Unit, sizes: list[Size], common: int | None) -> Size:
        """Return the size of a unit's value."""
        terms = [size_of(unit.bias)]
        terms += [_product(size_of(weight), sizes[register]) for register, weight in unit.linear]
        terms += [_product(size_of(weight), sizes[first], sizes[second]) for first, second, weight in unit.bilinear]
        summands = [size for size in terms if size]
        if not summands:
            return None
        bits = sum(denominator for denominator, _ in summands)
        exponent = max(e for _, e in summands) + len(summands).bit_length()
        if common is not None:
            bits = common if self._common else min(bits, common)
        jumps = unit.activation.kind is Kind.JUMP and not self._common
        return _activated(unit.activation, 0 if jumps else bits, exponent)


def _together(values: Sequence[mpq]) -> int:
    """Return a bound of the bits of some numbers together."""
    return 8 * (sum(map(mpq.__sizeof__, values)) - WITHOUT_DIGITS * len(values))


def _activated(activation: Activation, bits: int, exponent: int) -> Size:
    """Return the size of an activation of a number of that size: it is that number or a bound."""
    bounds = [bound for bound in (activation.low, activation.high) if bound is not None]
    sizes = [size for size in map(size_of, bounds) if size]
    bits = max([bits, *(denominator for denominator, _ in sizes)])
    most = max((bound for _, bound in sizes), default=exponent)
    if activation.kind is Kind.JUMP or (bounds and not min(bounds) <= 0 <= max(bounds)):
        exponent = max(exponent, most)  # it may be farther from 0 than the number
    return bits, min(exponent, most) if len(bounds) == 2 else exponent


def size_of(value: mpq) -> Size:
    """Return the size of a number.

    >>> size_of(mpq(5, 8)), size_of(mpq(0))
    ((4, 0), None)
    """
    if not value:
        return None
    denominator = value.denominator.bit_length()
    return denominator, value.numerator.bit_length() - denominator + 1


def _product(*factors: Size) -> Size:
    known = [size for size in factors if size]
    if len(known) < len(factors):
        return None
    return sum(denominator for denominator, _ in known), sum(exponent for _, exponent in known)


def _bits(size: Size) -> int:
    return 0 if size is None else size[0] + max(1, sum(size))
