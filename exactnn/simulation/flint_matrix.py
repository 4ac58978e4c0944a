"""Exact steps of dense networks in the matrices of python-flint, where that package is installed.

A long row times a state is then one loop in C, which is up to four times as fast as the same products from Python;
measured by benchmarks/dense_networks.py. Nothing else needs the package, and every result is the same without it.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Any, NamedTuple

from gmpy2 import gcd, mpq, mpz

from exactnn.interrupts import loaded
from exactnn.networks import Input, Network
from exactnn.simulation.common_denominator import CommonDenominatorExecutor, Numerators, reduced
from exactnn.simulation.executor import Output
from exactnn.simulation.integer_layers import IntegerLayer, IntegerWeights, activated
from exactnn.simulation.stepping import OneByOne
from exactnn.size_limit import SizeLimit

__all__ = ["Column", "FlintMatrixExecutor", "can_flint"]

ONE = mpz(1)

MOST_INPUTS = 1000
"""How many inputs are remembered with their biases; a word of vectors may have a new one in every step."""


def _flint() -> ModuleType | None:
    try:
        return loaded("flint")
    except ImportError:
        return None


def can_flint(network: Network) -> bool:
    """Return whether python-flint is there and `network` is dense, with linear terms only."""
    return network.laid_out.of(can_flint, None, lambda: _can_flint(network))


def _can_flint(network: Network) -> bool:
    circuit = network.circuit
    if not 4 <= circuit.units <= 4096 or 4 * circuit.weights < circuit.units * circuit.state_size:
        return False
    layers = (*circuit.layers, network.readout)
    return not any(unit.bilinear for layer in layers for unit in layer) and _flint() is not None


class Column(NamedTuple):
    """A state: a column of numerators and their denominator, which is reduced when it has more than `limit` bits."""

    numerators: Any
    denominator: Any
    limit: int


class _Matrices(NamedTuple):
    """A layer in python-flint; `biases` is None if all are 0, `bias_denominator` if it is the weights' scale."""

    weights: Any
    biases: Any
    scale: int
    bias_denominator: int | None
    layer: IntegerLayer


class FlintMatrixExecutor(OneByOne[Column]):
    """A network with linear terms only in exact rational arithmetic, on integer matrices of python-flint.

    A state or a step whose numbers `limit` has no room for raises SizeLimitError, and so does every state of a network
    whose weights are such numbers.
    """

    engine = "common denominator in python-flint"

    def __init__(self, network: Network, limit: SizeLimit | None = None) -> None:
        module = _flint()
        assert module is not None
        self.network = network
        self.integers = CommonDenominatorExecutor(network, limit)
        self._number, self._matrix = module.fmpz, module.fmpz_mat
        self._zero = self._number(0)
        most = None if limit is None else limit.most
        self._weights_known: dict[int, tuple[IntegerWeights, Any]] = network.laid_out.of(
            FlintMatrixExecutor, most, dict
        )
        self._layers_given = lru_cache(MOST_INPUTS)(self._layers)

    @cached_property
    def _readout(self) -> _Matrices:
        return self._matrices(self.integers.circuit.readout)

    def _layers(self, symbol: Input) -> list[_Matrices]:
        return [self._matrices(layer) for layer in self.integers.circuit.layers(symbol)]

    def _matrices(self, layer: IntegerLayer) -> _Matrices:
        """Return a layer with its matrices; all inputs share the weights."""
        weights = layer.weights
        known = self._weights_known.get(id(weights))
        if known is None:
            known = self._weights_known[id(weights)] = weights, self._weights(weights, len(layer.biases))
        biases = self._column(layer.biases) if any(layer.biases) else None
        alike = layer.bias_denominator == weights.scale
        denominator = None if alike else int(layer.bias_denominator)
        return _Matrices(known[1], biases, int(weights.scale), denominator, layer)

    def _weights(self, weights: IntegerWeights, height: int) -> Any:
        rows = [[0] * weights.registers for _ in range(height)]
        for register, column in weights.columns:
            for index, weight in column:
                rows[index][register] = int(weight)
        return self._matrix(height, weights.registers, [weight for row in rows for weight in row])

    def _column(self, integers: Sequence[mpz]) -> Any:
        return self._matrix(len(integers), 1, list(map(int, integers)))

    def start(self) -> Column:
        """Return the initial state."""
        return self._from(self.integers.start())

    def state_of(self, values: Sequence[mpq]) -> Column:
        """Return the state with these values."""
        return self._from(self.integers.state_of(values))

    def _from(self, state: Numerators) -> Column:
        return Column(self._column(state.numerators), self._number(int(state.denominator)), state.limit)

    def _to(self, state: Column) -> Numerators:
        numerators = [mpz(int(entry)) for entry in state.numerators.entries()]
        return Numerators(numerators, mpz(int(state.denominator)), state.limit)

    def values(self, state: Column) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        return self.integers.values(self._to(state))

    def output(self, state: Column) -> Output:
        """Return the readout of `state`."""
        numerators, denominator = self._evaluate(self._readout, state.numerators, state.denominator)
        return self.integers.output_of([mpz(int(entry)) for entry in numerators], mpz(int(denominator)))

    def _evaluate(self, matrices: _Matrices, column: Any, denominator: Any) -> tuple[list[Any], Any]:
        """Return what :meth:`IntegerLayer.evaluate` does."""
        weights, biases, scale, bias_denominator, layer = matrices
        share, one = denominator, denominator * scale
        if bias_denominator is not None:
            share, rest = divmod(one, bias_denominator)
            if rest:
                missing = bias_denominator // int(gcd(bias_denominator, int(rest)))
                one, column = one * missing, column * missing
                share = one // bias_denominator
        sums = weights * column
        if biases is not None:
            sums += biases * share
        return activated(layer.activations, sums.entries(), self._zero, one), one

    def _step(self, state: Column, layers: list[_Matrices]) -> Column:
        column, denominator, limit = state
        entries = None
        for layer in layers:
            if entries is not None:
                column = self._matrix(len(entries), 1, entries)
            entries, denominator = self._evaluate(layer, column, denominator)
        assert entries is not None
        order = self.integers.circuit.order
        if order is not None:
            entries = [entries[index] for index in order]
        for entry in entries:
            if entry and entry != denominator:
                break
        else:
            return self._from(reduced([mpz(entry != 0) for entry in entries], ONE))
        following = Column(self._matrix(len(entries), 1, entries), denominator, limit)
        if denominator.bit_length() > limit:
            numerators = self._to(following)
            return self._from(reduced(numerators.numerators, numerators.denominator))
        return following

    def _look(self, state: Column, symbol: Input) -> None:
        """Look whether there is room for a step; raises SizeLimitError if there may be none."""
        foresight = self.integers.foresight
        if not foresight.is_free(state.numerators, symbol):
            bits = [int(entry.bit_length()) for entry in state.numerators.entries()]
            foresight.look_at_bits(bits, int(state.denominator.bit_length()), symbol)

    def alike(self, first: Column, second: Column) -> bool:
        """Whether two states are the same, over whatever denominators."""
        return bool(first.numerators * second.denominator == second.numerators * first.denominator)

    def step_on(self, symbol: Input) -> Callable[[Column], tuple[Column, Output]]:
        """Return what a step on this input does to a state, which also gives the output."""
        layers: list[_Matrices] = []

        def step(before: Column) -> tuple[Column, Output]:
            nonlocal layers
            self._look(before, symbol)
            layers = layers or self._layers_given(symbol)
            after = self._step(before, layers)
            self.integers.foresight.ahead = after.numerators
            return after, self.output(after)

        return step
