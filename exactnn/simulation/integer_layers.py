"""A step circuit as layers of integer weights, for states that are numerators over one common denominator.

The input of a step is a constant, so it is folded into biases (and second-order terms with it into linear ones).
A layer maps the registers that are still read to those that will be: its own units, and copies of older registers,
which are units themselves. All weights of a layer are scaled by their common denominator once.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from operator import mul
from typing import Any, NamedTuple, assert_never

from gmpy2 import gcd, lcm, mpq, mpz

from exactnn.networks import Input, Network, Unit
from exactnn.networks.circuit import weights_by_register
from exactnn.simulation.executor import Basic, basic, unlike
from exactnn.size_limit import SizeLimit, common_denominator

__all__ = ["IntegerCircuit", "IntegerLayer", "IntegerWeights"]

ZERO, ONE = mpz(0), mpz(1)

MOST_INPUTS = 1000
"""How many inputs are remembered with their biases; a word of vectors may have a new one in every step."""


Activations = Basic | tuple[tuple[Basic, tuple[int, ...]], ...]
"""The activation of all units of a layer; or each one, with the places of its units."""


def activations_of(units: Iterable[Unit]) -> Activations:
    """Return the activations of units."""
    given = [unit.activation for unit in units]
    kinds = {name: basic(activation) for name, activation in unlike(given).items()}
    if len(kinds) == 1:
        return kinds[id(given[0])]
    places: dict[Basic, list[int]] = {}
    for place, activation in enumerate(given):
        places.setdefault(kinds[id(activation)], []).append(place)
    return next(iter(places)) if len(places) == 1 else tuple((kind, tuple(of)) for kind, of in places.items())


def activated(activations: Activations, totals: list[Any], zero: Any, one: Any) -> list[Any]:
    """Return the activations of numbers of any kind, such as numerators over `one`.

    >>> activated(((Basic.RELU, (0,)), (Basic.SLU, (1, 2))), [3, 3, -1], 0, 2)
    [3, 2, 0]
    """
    match activations:
        case Basic.IDENTITY:
            return totals
        case Basic.RELU:
            return [total if total > zero else zero for total in totals]
        case Basic.SLU:
            return [zero if total <= zero else one if total > one else total for total in totals]
        case Basic.HEAVISIDE:
            return [one if total > zero else zero for total in totals]
        case tuple():
            found = totals[:]
            for kind, places in activations:
                if kind is Basic.IDENTITY:
                    continue
                for place, value in zip(places, activated(kind, [totals[i] for i in places], zero, one), strict=True):
                    found[place] = value
            return found
        case _:
            assert_never(activations)


@dataclass(frozen=True, slots=True)
class IntegerWeights:
    """The weights of a layer times `scale`; a column is a register and the units that read it with their weights."""

    registers: int
    scale: mpz
    columns: tuple[tuple[int, tuple[tuple[int, mpz], ...]], ...]
    bilinear: tuple[tuple[int, int, int, mpz], ...]

    def linear(self, totals: list[mpz], numerators: Sequence[mpz]) -> list[mpz]:
        """Return `totals`, to which the linear terms were added; a register that is zero is skipped."""
        for register, column in self.columns:
            if value := numerators[register]:
                for index, weight in column:
                    totals[index] += weight * value
        return totals


@dataclass(frozen=True, slots=True)
class IntegerLayer:
    """The weights with the biases of one input, `biases` over `bias_denominator`, and the activations."""

    weights: IntegerWeights
    biases: tuple[mpz, ...]
    bias_denominator: mpz
    activations: Activations

    def evaluate(self, numerators: Sequence[mpz], denominator: mpz) -> tuple[list[mpz], mpz]:
        """Return the registers after this layer, as numerators and their denominator.

        >>> halves = IntegerWeights(1, mpz(2), ((0, ((0, mpz(1)),)),), ())
        >>> IntegerLayer(halves, (mpz(1),), mpz(2), Basic.RELU).evaluate([mpz(2)], mpz(3))
        ([mpz(5)], mpz(6))
        """
        weights = self.weights
        if weights.bilinear or self.bias_denominator != weights.scale:
            totals, common = self._general(numerators, denominator)
        else:
            common = weights.scale * denominator
            totals = weights.linear(list(map(mul, self.biases, repeat(denominator))), numerators)
        return activated(self.activations, totals, ZERO, common), common

    def _general(self, numerators: Sequence[mpz], denominator: mpz) -> tuple[list[mpz], mpz]:
        """Return the sums of a layer with second-order terms, or with biases that need more than the weights' scale."""
        weights = self.weights
        missing, factor = ONE, denominator if weights.bilinear else ONE
        common = weights.scale * denominator * factor
        if common % self.bias_denominator:
            missing = self.bias_denominator // gcd(self.bias_denominator, common)
            common *= missing
        share, factor = common // self.bias_denominator, factor * missing
        totals = weights.linear([ZERO] * len(self.biases), numerators)
        totals = [total * factor + bias * share for total, bias in zip(totals, self.biases, strict=True)]
        for index, first, second, weight in weights.bilinear:
            totals[index] += weight * missing * numerators[first] * numerators[second]
        return totals, common


class IntegerCircuit:
    """The layers of a network for every input, and its readout; raises SizeLimitError if `limit` has no room for them.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> circuit = IntegerCircuit(SimpleRNN(V=[["1/2"]], W=[["1/3"]], b=[0], s=[0], readout_weight=[1]), SizeLimit())
    >>> (layer,) = circuit.layers((mpq(5),))
    >>> layer.weights.scale, layer.biases
    (mpz(6), (mpz(10),))
    """

    def __init__(self, network: Network, limit: SizeLimit) -> None:
        circuit = network.circuit
        self.primes = common_denominator(network.initial_state, limit)
        self._limit = limit
        *self._layers, readout = network.laid_out.of(_Layer, limit.most, lambda: _layers(network, limit))
        position = {register: index for index, register in enumerate(dict.fromkeys(circuit.next_state))}
        order = tuple(position[register] for register in circuit.next_state)
        self.order = None if order == tuple(range(len(position))) else order
        (self.readout,) = self._remember([readout.given((), limit)])
        self._known: dict[Input, list[IntegerLayer]] = {}
        self._of_symbols: dict[Input, list[IntegerLayer]] = network.laid_out.of(IntegerCircuit, limit.most, dict)

    def layers(self, symbol: Input) -> list[IntegerLayer]:
        """Return the layers of a step that reads `symbol`."""
        layers = self._known.get(symbol)
        if layers is None:
            if len(self._known) >= MOST_INPUTS:
                self._known.clear()
            layers = self._known[symbol] = self._remember(self._of_symbols.get(symbol) or self._given(symbol))
        return layers

    def _given(self, symbol: Input) -> list[IntegerLayer]:
        """Return the layers of a step that reads `symbol`, and keep those of a symbol with the network."""
        found = [layer.given(symbol, self._limit) for layer in self._layers]
        if not isinstance(symbol, tuple):
            self._of_symbols[symbol] = found
        return found

    def _remember(self, layers: list[IntegerLayer]) -> list[IntegerLayer]:
        """Keep the primes that can come into a denominator."""
        for layer in layers:
            self.primes = lcm(self.primes, layer.weights.scale, layer.bias_denominator)
        return layers


def _layers(network: Network, limit: SizeLimit) -> list["_Layer"]:
    """Return the layers before their input is known, and the readout."""
    circuit = network.circuit
    inputs = range(circuit.state_size, circuit.state_size + circuit.input_size)
    registers: Sequence[int] = range(circuit.state_size)
    layers = []
    for units, following in _files(network):
        rows = tuple(units.get(register) or _copy(register) for register in following)
        layers.append(_Layer(rows, registers, inputs, limit))
        registers = following
    return [*layers, _Layer(network.readout, range(circuit.state_size), inputs, limit)]


def _files(network: Network) -> Iterable[tuple[dict[int, Unit], tuple[int, ...]]]:
    """Yield for each layer its units by register, and the registers (inputs aside) that are read after it."""
    circuit = network.circuit
    first_unit = circuit.state_size + circuit.input_size
    wanted = tuple(dict.fromkeys(circuit.next_state))
    known = first_unit + circuit.units
    files: list[tuple[dict[int, Unit], tuple[int, ...]]] = []
    for units in reversed(circuit.layers or ((),)):
        known -= len(units)
        layer = dict(enumerate(units, known))
        files.append((layer, wanted))
        reads = {register for unit in units for register, _ in unit.linear}
        products = {register for unit in units for first, second, _ in unit.bilinear for register in (first, second)}
        older = reads | products | {register for register in wanted if register < known}
        wanted = tuple(sorted(r for r in older if r < circuit.state_size or r >= first_unit))
    return reversed(files)


def _copy(register: int) -> Unit:
    return Unit(name="copy", bias=mpq(0), linear=((register, mpq(1)),))


class _Layer:
    """Units that read `registers`, before their input is known."""

    def __init__(self, units: tuple[Unit, ...], registers: Sequence[int], inputs: range, limit: SizeLimit) -> None:
        self.units = units
        self.inputs = inputs
        self.position = {register: index for index, register in enumerate(registers)}
        self.activations = activations_of(units)
        self.biases = [_Bias.of(unit, inputs) for unit in units]
        gated = any(first in inputs or second in inputs for unit in units for first, second, _ in unit.bilinear)
        self._weights = None if gated else self._weights_given({}, limit)

    def given(self, given: Input, limit: SizeLimit) -> IntegerLayer:
        """Return the layer for one input."""
        if isinstance(given, tuple):
            constants = dict(zip(self.inputs, given, strict=False))
        else:
            constants = {self.inputs[given]: mpq(1)}
        weights = self._weights or self._weights_given(constants, limit)
        biases = [bias.given(constants) for bias in self.biases]
        denominator = common_denominator(biases, limit, len(biases))
        if weights.scale % denominator == 0:
            denominator = weights.scale
        scaled = tuple(map(partial(_over, denominator), biases))
        return IntegerLayer(weights, scaled, denominator, self.activations)

    def _weights_given(self, constants: dict[int, mpq], limit: SizeLimit) -> IntegerWeights:
        terms = [self._terms(unit, constants) for unit in self.units]
        values = [weight for unit in self.units for _, weight in unit.linear]
        values += [unit.bias for unit in self.units]
        if any(unit.bilinear for unit in self.units):  # else the terms are sums of those
            values += [weight for linear, _ in terms for weight in linear.values()]
            values += [weight for _, bilinear in terms for *_, weight in bilinear]
        scale = common_denominator(values, limit, len(values))
        shares: dict[mpz, mpz] = {}  # of the scale, by denominators, of which there are few
        columns: defaultdict[int, list[tuple[int, mpz]]] = defaultdict(list)
        for index, (linear, _) in enumerate(terms):
            for register, weight in linear.items():
                denominator = weight.denominator
                share = shares.get(denominator)
                if share is None:
                    share = shares[denominator] = scale // denominator
                columns[register].append((index, weight.numerator * share))
        return IntegerWeights(
            len(self.position),
            scale,
            tuple([(register, tuple(column)) for register, column in columns.items()]),
            tuple((i, a, b, _over(scale, weight)) for i, (_, found) in enumerate(terms) for a, b, weight in found),
        )

    def _terms(self, unit: Unit, constants: dict[int, mpq]) -> tuple[dict[int, mpq], list[tuple[int, int, mpq]]]:
        """Return the terms of the unit without its input, over positions in the file of registers."""
        position, bilinear = self.position, []
        linear = [(position[register], weight) for register, weight in unit.linear if register in position]
        for first, second, weight in unit.bilinear:
            if first in self.inputs:
                first, second = second, first
            if first in self.inputs or not weight:
                continue
            if second in self.inputs:
                linear.append((position[first], weight * constants.get(second, 0)))
            else:
                bilinear.append((position[first], position[second], weight))
        return weights_by_register(linear), bilinear


class _Bias(NamedTuple):
    """The bias of a unit, and its terms that read nothing but the input."""

    alone: mpq
    linear: dict[int, mpq]
    bilinear: tuple[tuple[int, int, mpq], ...]

    @classmethod
    def of(cls, unit: Unit, inputs: range) -> "_Bias":
        """Return that of a unit."""
        first, end = inputs.start, inputs.stop  # to ask a range takes longer
        linear = weights_by_register([term for term in unit.linear if first <= term[0] < end])
        return cls(unit.bias, linear, tuple(term for term in unit.bilinear if term[0] in inputs and term[1] in inputs))

    def given(self, constants: dict[int, mpq]) -> mpq:
        """Return the bias of a step whose input is this."""
        bias = self.alone
        for register, number in constants.items():
            if number and register in self.linear:
                bias += self.linear[register] * number
        for first, second, weight in self.bilinear:
            if constants.get(first) and constants.get(second):
                bias += weight * constants[first] * constants[second]
        return bias


def _over(denominator: mpz, value: mpq) -> mpz:
    return value.numerator * (denominator // value.denominator)
