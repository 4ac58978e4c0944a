"""Steps of one network in a number system that the compiled loop has: arrays of numbers in, arrays of numbers out."""

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactnn.arithmetic import FixedPoint, FloatFormat, Format, Number
from exactnn.networks import Input, Network, Unit
from exactnn.notices import Patience
from exactnn.simulation.compiled import NotCompiledError, without_compiling
from exactnn.simulation.diagonal import Diagonal, diagonal_of
from exactnn.simulation.emulated import definition_of
from exactnn.simulation.executor import Output
from exactnn.simulation.first_steps import FirstSteps
from exactnn.simulation.float_rows import Columns, FloatRows, Rows, longest_row, sorted_columns
from exactnn.simulation.layout import Carrier, Layout, Manner, Room, Special, Stop
from exactnn.simulation.loops import advance

__all__ = ["CompiledSteps", "Parameters", "compiled_steps", "runs_of", "units_of"]

Array = NDArray[Any]
F = TypeVar("F", FloatFormat, FixedPoint)
T = TypeVar("T")

MOST_OUTPUTS = 1 << 16
"""Outputs of one call of the loop, which are kept until it returns."""

LONG_ROW = 8
"""Rows of this mean length or more are summed by columns; measured by benchmarks/step_speed.py."""

LONG_WORD = 1 << 14
"""From so many letters on a network is looked at for a faster way, whose kernel has to be loaded."""

BY_THE_LOOP = 1024
"""Letters that the loop reads where the faster way finds numbers that are too large for it."""

LANES = 512
"""Runs that are computed side by side: what they compute with stays in the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """A network's parameters in a number system, and how the loop computes with them."""

    maker: FloatRows
    """What makes numbers of exact ones."""
    rows: Rows
    """The units of all layers, then those of the readout."""
    inner: Carrier
    """The carrier of sums."""
    special: Special | None
    """How a sum is made that is not the plain one."""
    smooth: bool | None
    """True if there are smooth units, else None."""
    skips_zeros: bool
    """Whether terms of registers that are 0 may be left out."""
    stochastic: bool
    """Whether rounding is random, by the number of the operation."""
    one: complex
    """The input that stands for a symbol."""
    threshold: Any
    """Outputs beyond it, or below its negative, are verdicts."""
    number: Callable[[Any], Number] = float
    """The number that an entry of an array stands for."""
    entry: Callable[[Any], Any] = float
    """The entry for a number."""


def units_of(network: Network) -> list[Unit]:
    """Return the units of all layers, then those of the readout."""
    return [unit for layer in (*network.circuit.layers, network.readout) for unit in layer]


def _layers(network: Network) -> list[tuple[int, int]]:
    """Return of each layer its first unit and the one after its last; the last of two or more is the readout."""
    ends = accumulate(map(len, (*(network.circuit.layers or [()]), network.readout)), initial=0)
    return list(pairwise(ends))


def runs_of(outputs: Array, as_output: Callable[[Array], Output]) -> list[tuple[Output, int]]:
    """Return rows as (output, repetitions): equal bit for bit, so that 0 and -0 are told apart.

    >>> runs_of(np.array([[0.0], [0.0], [-0.0]]), lambda row: float(row[0]))
    [(0.0, 2), (-0.0, 1)]
    """
    if len(outputs) < 2:
        return [(as_output(row), 1) for row in outputs]
    bits = outputs.view(f"u{min(outputs.itemsize, 8)}")
    changes = np.flatnonzero((bits[1:] != bits[:-1]).any(axis=1)) + 1
    starts = np.concatenate(([0], changes))
    lengths = np.diff(np.concatenate((starts, [len(outputs)])))
    return [(as_output(outputs[start]), int(length)) for start, length in zip(starts, lengths, strict=True)]


def compiled_steps(network: Network, format: F, parameters: Callable[[Network, F], Parameters]) -> "CompiledSteps":
    """Return a network laid out for the loop in a format, of which `parameters` gives its numbers."""
    return network.laid_out.of(
        CompiledSteps, format, lambda: CompiledSteps(network, parameters(network, format), format)
    )


_patience = Patience()


def _type_of(carrier: Carrier) -> Hashable:
    """Return what chooses the code of a carrier: its class, and which of its fields are None."""
    return type(carrier), tuple(field is None for field in carrier)


class CompiledSteps:
    """A network laid out for the loop. It does not keep the network, which keeps it."""

    def __init__(self, network: Network, parameters: Parameters, format: Format) -> None:
        circuit = network.circuit
        self._circuit, self._reads_letters = circuit, network.alphabet is not None
        rows, layers = parameters.rows, _layers(network)
        self.parameters, self._format = parameters, format
        self._readout_units, self._decision = network.readout, network.decision
        self.dtype = parameters.maker.dtype
        found: tuple[Columns | None, Any] = (None, [0] * (len(layers) + 1))
        if parameters.skips_zeros and rows.ends[circuit.units] >= LONG_ROW * circuit.units > 0:
            found = sorted_columns(rows, layers) or found
        self.columns, first_columns = found
        places = np.column_stack([layers, first_columns[:-1], first_columns[1:]]).astype(np.uint32)
        self._size = circuit.state_size
        self._inputs = circuit.input_size
        self._width = len(network.readout)
        self._next_state = np.array(circuit.next_state, dtype=np.uint32)
        first = circuit.state_size + circuit.input_size
        self._layout = Layout(rows, self.columns, places, self._next_state, first)
        self._by_rows = self._layout._replace(columns=None)
        self._readout = len(layers) - 1
        self._manner = Manner(parameters.inner, parameters.special, parameters.smooth, parameters.skips_zeros)
        outer = parameters.special and _type_of(parameters.special.outer)
        self.calls: Counter[str] = Counter()
        self._kind = _type_of(parameters.inner), outer, parameters.smooth, self.dtype
        self._registers = first + len(rows.bias)
        self._terms = 2 + longest_row(rows)
        self._no_anchor = np.empty((0, self._size), dtype=self.dtype)
        self._no_symbols = np.empty(0, dtype=np.int64)
        self._no_inputs = np.empty((1, self._inputs), dtype=self.dtype)

    def advance(
        self, state: Array, symbol: Input, count: int, *, until_decided: bool, anchor: Array | None, operations: int
    ) -> tuple[Array, Array, int]:
        """Apply the same input up to `count` times, or as often as there is room for the outputs.

        With `until_decided` stop at the first verdict, with an `anchor` where that is the state. Return the outputs,
        a row for each step, the state, and the number of the next operation.
        """
        inputs = np.zeros((1, self._inputs), dtype=self.dtype)
        if isinstance(symbol, tuple):
            inputs[0] = self.parameters.maker.floats(symbol)
        else:
            inputs[0, symbol] = self.parameters.one
        outputs = np.empty((min(count, self._at_once), self._width), dtype=self.dtype)
        stop = Stop(
            0 if until_decided else len(outputs),
            self.parameters.threshold,
            self._no_anchor if anchor is None else anchor.reshape(1, -1),
        )
        return self._run(state, inputs, np.zeros(1, dtype=np.int64), outputs, stop, operations)

    def advance_word(self, state: Array, word: Sequence[Input], operations: int) -> tuple[Array, Array, int]:
        """Apply an input after the other, or as many as there is room for the outputs; return what `advance` does."""
        word = word[: self._at_once]
        vectors = [symbol for symbol in word if isinstance(symbol, tuple)]
        if vectors:
            inputs = np.array([self.parameters.maker.floats(vector) for vector in vectors], dtype=self.dtype)
            numbers = np.arange(len(word), dtype=np.int64)
        else:
            inputs = np.zeros((self._inputs, self._inputs), dtype=self.dtype)
            np.fill_diagonal(inputs, self.parameters.one)
            numbers = np.array(word, dtype=np.int64)
        outputs = np.empty((len(word), self._width), dtype=self.dtype)
        stop = Stop(len(word), self.parameters.threshold, self._no_anchor)
        return self._run(state, inputs, numbers, outputs, stop, operations)

    def read(self, state: Array, word: Sequence[int], operations: int) -> tuple[Array, Array, int]:
        """Take the steps of a word of symbols, given by their numbers; return what `advance` does.

        Of the outputs there is one row, the last, or none: where there is a faster way, they are not computed.
        """
        outputs = none = np.empty((0, self._width), dtype=self.dtype)
        diagonal, at = self._diagonal if len(word) >= LONG_WORD else None, 0
        letters = None if diagonal is None else diagonal.as_letters(word)
        while at < len(word):
            size = len(word)
            if diagonal is not None and letters is not None:
                state, taken = diagonal.read(state, letters[at:])
                at, size, outputs = at + taken, BY_THE_LOOP, none
            if at < len(word):
                outputs, state, operations = self.advance_word(state, word[at : at + size], operations)
                at += len(outputs)
        return outputs[-1:], state, operations

    @cached_property
    def _diagonal(self) -> Diagonal | None:
        parameters = self.parameters
        if not self._reads_letters or not parameters.skips_zeros or parameters.special is not None:
            return None
        return diagonal_of(self._circuit, parameters.rows, parameters.inner)

    def _run(
        self, state: Array, inputs: Array, symbols: Array, outputs: Array, stop: Stop, operations: int
    ) -> tuple[Array, Array, int]:
        following = state.astype(self.dtype)
        given = inputs, symbols, outputs, stop

        def first(seconds: float) -> tuple[int, int]:
            return self._first_steps.take(following, *given, operations, seconds)

        def loop() -> tuple[int, int]:
            registers = np.zeros(self._registers, dtype=self.dtype)
            registers[: self._size] = following
            taken = advance(
                self._layout, self._manner, registers, self._room(), *given, 0, self._readout + 1, operations
            )
            following[:] = registers[: self._size]
            return taken

        steps, operations = self._first_or_loop(self._layout, min(stop.undecided, len(outputs)), first, loop)
        return outputs[:steps], following, operations

    def _first_or_loop(
        self, layout: Layout, steps: int, first: Callable[[float], T | None], loop: Callable[[], T]
    ) -> T:
        """Return what the loop gives; where it would have to be compiled, what the first steps give, while they last.

        They get the seconds that they may take, and give None if that is too little; there are so many steps at least.
        Where rounding is random there are none: which number an operation takes would depend on other threads.
        """
        kind = *self._kind, layout is self._by_rows, layout.columns is None
        left = _patience.left(kind)
        if left is None:
            try:
                with without_compiling():
                    found = loop()
            except NotCompiledError:
                left = _patience.begin(kind)
            else:
                self.calls["loop"] += 1
                _patience.end(kind)
                return found
        if left > 0 and not self.parameters.stochastic and max(2, steps) * self._first_steps.seconds_of_a_step < left:
            began = time.perf_counter()
            taken = first(left)
            _patience.took(kind, time.perf_counter() - began)
            if taken is not None:
                self.calls["first"] += 1
                return taken
        _patience.end(kind)
        self.__dict__.pop("_first_steps", None)
        self.calls["loop"] += 1
        return loop()

    @property
    def order(self) -> str:
        """By what the terms of one run are added, "row" or "column"."""
        return "row" if self.columns is None else "column"

    def ways_since(self, calls: Counter[str]) -> str:
        """Return how steps of the network were taken, by whomever, since the counter of calls was as it was."""
        since, way = self.calls - calls, definition_of(self._format).way
        if not since["first"]:
            return "numba"
        return f"numba after first steps {way}" if since["loop"] else way

    @cached_property
    def _first_steps(self) -> FirstSteps:
        parameters = self.parameters
        return FirstSteps(
            self._circuit, self._readout_units, self._decision, definition_of(self._format), parameters.number,
            parameters.entry, parameters.skips_zeros,
        )  # fmt: skip

    @property
    def _at_once(self) -> int:
        """The most steps of one call."""
        return max(1, MOST_OUTPUTS // max(1, self._width))

    def output(self, state: Array, operations: int) -> Array:
        """Return the readout of a state."""
        registers = np.zeros(self._registers, dtype=self.dtype)
        registers[: self._size] = state
        self._compute(registers, self._readout, operations)
        return registers[self._registers - self._width :]

    def following(self, states: Array, symbol: int, dtype: type[np.number[Any]]) -> Array:
        """Return the states after a step on a symbol, given by its number, from each row of `states`."""
        results = np.empty((len(states), self._size), dtype=dtype)
        for begin in range(0, len(states), LANES):
            registers = self._lanes(states[begin : begin + LANES])
            registers[self._size + symbol] = self.parameters.one
            self._compute(registers, 0, 0)
            results[begin : begin + LANES] = registers[self._next_state].T
        return results

    def outputs(self, states: Array, dtype: type[np.number[Any]]) -> Array:
        """Return the readout of each row of `states`."""
        results = np.empty((len(states), self._width), dtype=dtype)
        for begin in range(0, len(states), LANES):
            registers = self._lanes(states[begin : begin + LANES])
            self._compute(registers, self._readout, 0)
            results[begin : begin + LANES] = registers[self._registers - self._width :].T
        return results

    def _lanes(self, states: Array) -> Array:
        """Return registers with a lane for each row of `states`."""
        registers = np.zeros((self._registers, len(states)), dtype=self.dtype)
        registers[: self._size] = states.T
        return registers

    def _compute(self, registers: Array, layer: int, operations: int) -> None:
        """Compute the readout, or all layers before it if `layer` is 0, once; the results are in the registers."""
        lanes = registers.shape[1:]
        layout = self._layout if registers.ndim == 1 else self._by_rows
        outputs = np.empty((1, self._width, *lanes), dtype=self.dtype)
        stop = Stop(1, self.parameters.threshold, self._no_anchor)
        end = self._readout + (layer == self._readout)

        def first(seconds: float) -> bool | None:
            return self._first_steps.compute(registers, layer == self._readout, operations, seconds)

        def loop() -> bool:
            advance(
                layout, self._manner, registers, self._room(lanes), self._no_inputs, self._no_symbols, outputs, stop,
                layer, end, operations,
            )  # fmt: skip
            return True

        self._first_or_loop(layout, math.prod(lanes), first, loop)

    def _room(self, lanes: tuple[int, ...] = ()) -> Room:
        return Room(
            np.empty((self._size, *lanes), dtype=self.dtype),
            np.empty((self._terms, *lanes), dtype=self.dtype),
            np.empty(self._registers, dtype=np.bool_),
        )
