"""Exact steps in rationals in lowest terms, a layer at a time.

For networks whose numbers are short, or have denominators that have nothing to do with each other. The reference says
the same in other words; none of its code is here, so that comparing the two means something.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import EXACT, is_dyadic
from exactnn.automata import entries_at
from exactnn.errors import UnsupportedArithmeticError
from exactnn.networks import Activation, Input, Kind, Network, Unit
from exactnn.networks.activation import PIECEWISE_LINEAR
from exactnn.networks.circuit import columns_of
from exactnn.networks.network import input_vector
from exactnn.simulation.executor import Output, State, unlike
from exactnn.simulation.foresight import Foresight
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.smooth_units import refuse_smooth_units
from exactnn.simulation.stepping import OneByOne
from exactnn.size_limit import SizeLimit

__all__ = ["Begun", "Layer", "LowestTermsExecutor", "layers_of", "seems_dyadic"]

ZERO, ONE = mpq(0), mpq(1)

FIRST_WEIGHTS = 8
"""So many are asked, which takes no part of a step."""

FEW_TERMS, FEW_USES, WORTH_GROUPING = 8, 4, 0.75
"""Terms of a column that are not grouped, and uses before others are: that takes as long as some uses. And which part
of the products is left at most where it is worth while."""

MOST_SYMBOLS = 1000
"""How many symbols are remembered with their biases."""


Group = tuple[mpq | None, list[int]]
"""A weight, None for 1, and the places of the terms with that one."""


class Layer:
    """Units with the terms of each register that they read; those of a register that is 0 are left out.

    `inputs` are the registers of the input, whose linear terms are not among the `columns`: see :meth:`given`. A column
    has a register, and its terms as places and weights. `functions` are those of activations, by their `id`: others are
    added.

    In a compiled network a register is read with few different weights, so that few products do. But most columns are
    hardly used: it is counted how often a long one is, and after some uses there are groups of equal weights instead,
    or none where they are no gain.
    """

    __slots__ = ("_groups", "_inputs", "activated", "biases", "columns", "products")

    def __init__(self, units: Sequence[Unit], inputs: range, functions: "dict[int, Function]") -> None:
        columns = self.columns = columns_of(units)
        self.biases = [unit.bias for unit in units]
        self._inputs: dict[int, list[tuple[int, mpq]]] = {}
        for register in inputs if len(inputs) < len(columns) else list(columns):
            if register in columns and register in inputs:
                self._inputs[register - inputs.start] = columns.pop(register)
        self.products = [(place, term) for place, unit in enumerate(units) for term in unit.bilinear]
        self.activated = _activated([unit.activation for unit in units], functions)
        """From the sums of the units, rationals or other numbers that are compared with them, to their values."""
        self._groups: dict[int, int | list[Group]] = {}

    def given(self, given: Input) -> list[mpq]:
        """Return a list of the biases, with the linear terms of the input."""
        biases = self.biases[:]
        if not isinstance(given, tuple):
            for place, weight in self._inputs.get(given, ()):
                biases[place] += weight
            return biases
        for register, terms in self._inputs.items():
            if number := given[register]:
                for place, weight in terms:
                    biases[place] += weight * number
        return biases

    def values(self, numbers: Sequence[mpq], sums: list[mpq]) -> list[mpq]:
        """Return the values of the units; the sums are the biases of their input, and changed."""
        known = self._groups
        for register, terms in self.columns.items():
            if number := numbers[register]:
                if len(terms) > FEW_TERMS:
                    groups = known.get(register, 0)
                    if isinstance(groups, int):
                        known[register] = groups + 1 if groups < FEW_USES else _grouped(terms)
                    elif groups:
                        for factor, places in groups:
                            product = number if factor is None else factor * number
                            for place in places:
                                sums[place] += product
                        continue
                for place, weight in terms:
                    sums[place] += weight * number
        for place, (first, second, weight) in self.products:
            if numbers[first] and numbers[second]:
                sums[place] += weight * numbers[first] * numbers[second]
        return self.activated(sums)


Function = Callable[[list[Any]], list[Any]]
"""An activation of many numbers."""


def _activated(activations: Sequence[Activation], functions: dict[int, Function]) -> Function:
    """Return what the units of a layer do to their sums, which it may change.

    >>> _activated([Activation.RELU, Activation.named("relu6")], {})([mpq(-1), mpq(9)])
    [mpq(0,1), mpq(6,1)]
    """
    first = activations[0] if activations else Activation.IDENTITY
    for it in activations:  # nearly all are the same object, and to compare or to hash them takes longer
        if it is not first:
            break
    else:
        return functions.get(id(first)) or functions.setdefault(id(first), _function(first))
    kinds = unlike(activations)
    functions |= {name: _function(it) for name, it in kinds.items() if name not in functions}
    places: dict[object, list[int]] = {}
    of = {name: places.setdefault(name if name in _NAMED else it, []) for name, it in kinds.items()}
    for place, it in enumerate(activations):
        of[id(it)].append(place)
    identity = id(Activation.IDENTITY)
    parts = [(functions[name], where) for where in places.values() if (name := id(activations[where[0]])) != identity]

    def each(sums: list[Any]) -> list[Any]:
        for function, where in parts:
            for place, value in zip(where, function([sums[i] for i in where]), strict=True):
                sums[place] = value
        return sums

    return each


def _function(activation: Activation) -> Function:
    """Return an activation."""
    low, high = activation.low, activation.high
    match activation.kind:
        case Kind.CLAMP:
            if high is None:
                return (lambda sums: sums) if low is None else lambda sums: [x if x > low else low for x in sums]
            if low is None:
                return lambda sums: [x if x < high else high for x in sums]
            return lambda sums: [low if x <= low else high if x > high else x for x in sums]
        case Kind.JUMP:
            return lambda sums: [high if x > ZERO else low for x in sums]
        case Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS | Kind.EXP:
            raise UnsupportedArithmeticError(f"{activation} of a rational is no rational number")
        case _:
            assert_never(activation.kind)


_NAMED = {id(activation): _function(activation) for activation in PIECEWISE_LINEAR}
"""Those with a name, which are the same objects nearly everywhere."""


def _grouped(terms: Sequence[tuple[int, mpq]]) -> list[Group]:
    """Return terms by weights; none if that does not save many products.

    >>> _grouped([(0, mpq(2)), (1, mpq(1)), (2, mpq(2)), (3, mpq(3)), (4, mpq(1))])
    [(mpq(2,1), [0, 2]), (None, [1, 4]), (mpq(3,1), [3])]
    """
    weights = {weight for _, weight in terms[:FEW_TERMS]}
    if len(weights) == len(terms[:FEW_TERMS]) and ONE not in weights:
        return []
    groups: dict[mpq, list[int]] = {}
    for place, weight in terms:
        groups.setdefault(weight, []).append(place)
    if len(groups) - (ONE in groups) > WORTH_GROUPING * len(terms):
        return []
    return [(None if weight == 1 else weight, places) for weight, places in groups.items()]


def _values(units: Sequence[Unit], numbers: Sequence[mpq]) -> list[mpq]:
    """Return the values of units that are not laid out: for a single step, laying them out takes longer than that."""
    sums = []
    for unit in units:
        total = unit.bias
        for register, weight in unit.linear:
            if number := numbers[register]:
                total += weight * number
        for first, second, weight in unit.bilinear:
            if numbers[first] and numbers[second]:
                total += weight * numbers[first] * numbers[second]
        sums.append(total)
    return _activated([unit.activation for unit in units], _NAMED.copy())(sums)


OfInput = tuple[tuple[mpq, ...], list[tuple[Layer, list[mpq]]] | None]
"""An input as numbers, and the layers with their biases where it is read; None where they are not laid out."""


class LaidOutLayers(NamedTuple):
    """The layers of a network, its readout, and what is known of symbols that were read."""

    layers: list[Layer]
    readout: Layer
    of_symbols: dict[int, OfInput]


def layers_of(network: Network) -> LaidOutLayers:
    """Return the layers of a network; they are laid out once.

    Raises UnsupportedArithmeticError if it has a smooth unit.
    """
    circuit = network.circuit
    inputs = range(circuit.state_size, circuit.state_size + circuit.input_size)

    def lay_out() -> LaidOutLayers:
        functions = _NAMED.copy()
        layers = [Layer(units, inputs, functions) for units in circuit.layers]
        return LaidOutLayers(layers, Layer(network.readout, range(0), functions), {})

    try:
        return network.laid_out.of(Layer, None, lay_out)
    except UnsupportedArithmeticError:
        refuse_smooth_units(network, EXACT)
        raise


def seems_dyadic(network: Network) -> bool:
    """Whether the first weights of a network are over powers of two, as floats are: then no gcd should take long."""
    return network.laid_out.of(seems_dyadic, None, lambda: _seems_dyadic(network))


def _seems_dyadic(network: Network) -> bool:
    weights = (weight for layer in network.circuit.layers for unit in layer for _, weight in unit.linear)
    return all(map(is_dyadic, islice(weights, FIRST_WEIGHTS)))


class LowestTermsExecutor(OneByOne[tuple[mpq, ...]]):
    """A network in exact rational arithmetic, with every number in lowest terms.

    For a run of one step, `once`, no layers are laid out. A step whose numbers `limit` has no room for raises
    SizeLimitError.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    >>> executor = LowestTermsExecutor(network)
    >>> executor.advance(executor.start(), (mpq(0),), 3, until_decided=False).outputs
    [(mpq(1,2), 1), (mpq(1,4), 1), (mpq(1,8), 1)]
    """

    engine = "lowest terms"

    def __init__(self, network: Network, limit: SizeLimit | None = None, *, once: bool = False) -> None:
        self.network = network
        self._laid_out = None if once else layers_of(network)
        if once:
            refuse_smooth_units(network, EXACT)
        self._next_state = entries_at(network.circuit.next_state)
        self._foresight = Foresight(network, limit or SizeLimit())

    def start(self) -> tuple[mpq, ...]:
        """Return the initial state."""
        self._foresight.look_at_output(self.network.initial_state)
        return self.network.initial_state

    def state_of(self, values: Sequence[mpq]) -> tuple[mpq, ...]:
        """Return the state with these numbers."""
        return tuple(values)

    def values(self, state: tuple[mpq, ...]) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        return state

    def output(self, state: tuple[mpq, ...]) -> Output:
        """Return the readout of `state`."""
        if self._laid_out is None:
            outputs = _values(self.network.readout, state)
        else:
            readout = self._laid_out.readout
            outputs = readout.values(state, readout.biases[:])
        return outputs[0] if self.network.scalar_output else tuple(outputs)

    def step_on(self, symbol: Input) -> Callable[[tuple[mpq, ...]], tuple[tuple[mpq, ...], Output]]:
        """Return what a step on this input does to a state, which also gives the output."""
        pick, foresight, output, layers = self._next_state, self._foresight, self.output, self.network.circuit.layers
        inputs, biases = self._of(symbol)

        def step(before: tuple[mpq, ...]) -> tuple[tuple[mpq, ...], Output]:
            foresight.look(before, symbol)
            numbers = [*before, *inputs]
            if biases is None:
                for units in layers:
                    numbers += _values(units, numbers)
            else:
                for layer, given in biases:
                    numbers += layer.values(numbers, given[:])
            after = foresight.ahead = pick(numbers)
            return after, output(after)

        return step

    def _of(self, symbol: Input) -> OfInput:
        """Return an input as numbers, and the layers that are laid out with their biases; both are kept of symbols."""
        size = self.network.circuit.input_size
        if self._laid_out is None:
            return symbol if isinstance(symbol, tuple) else input_vector(symbol, size), None
        layers, _, known = self._laid_out
        if isinstance(symbol, tuple):
            return symbol, [(layer, layer.given(symbol)) for layer in layers]
        found = known.get(symbol)
        if found is None:
            if len(known) >= MOST_SYMBOLS:
                known.clear()
            found = known[symbol] = input_vector(symbol, size), [(layer, layer.given(symbol)) for layer in layers]
        return found

    def pack(self, state: tuple[mpq, ...]) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(state)

    def unpack(self, data: object) -> tuple[mpq, ...]:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return unpack_rationals(data, self.network.circuit.state_size)


class Begun(NamedTuple):
    """What first steps in lowest terms leave: who took them, those on each symbol and some vector, how many there were,
    and the seconds of one, if they are known."""

    executor: LowestTermsExecutor
    steps: dict[int | None, Callable[[State], tuple[State, Output]]]
    taken: int
    seconds: float | None
