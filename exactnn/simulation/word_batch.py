"""Many words through a network in one floating-point format, compiled."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import FLOAT64, FloatFormat
from exactnn.networks import Network
from exactnn.simulation import pattern_kernels as kernels
from exactnn.simulation.executor import is_basic
from exactnn.simulation.operation_kernels import Tables
from exactnn.simulation.rounded import Roundings, can_pair, can_round, number_of
from exactnn.simulation.state_kernels import NO_STATE, UNREAD, States

__all__ = ["WordBatch", "Words", "can_batch"]

SMALLEST = 1 << 8
"""Nodes that there is room for at first."""
LARGEST = 1 << 16
"""Nodes beyond which patterns are taken not to recur."""
MOST_BYTES = 1 << 28
"""Of all tables together."""
MOST_STATES, MOST_STATE_BYTES = 1 << 16, 1 << 24
"""How many states, of how many bytes together, are known by a number."""


def can_batch(network: Network, format: FloatFormat) -> bool:
    """Return whether words of a network can be run in a format by patterns: most values must be 0 or 1, or may be."""
    if not is_basic(network):
        return False
    if network.alphabet is None or not network.scalar_output or not network.circuit.state_size:
        return False
    if not (format == FLOAT64 or can_round(format) or can_pair(format)):
        return False
    roundings = Roundings(network, format)
    products = any(unit.bilinear for layer in network.circuit.layers for unit in layer)
    return roundings.skips_zeros and not (products and can_pair(format))


class Words:
    """Words, given as numbers of symbols, one after the other in an array, and where they end."""

    def __init__(self, words: Sequence[Sequence[int]]) -> None:
        self.symbols = np.fromiter(chain.from_iterable(words), dtype=np.int64)
        self.ends = np.cumsum([len(word) for word in words], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.ends)


class WordBatch:
    """A network in a floating-point format, for many words; see :func:`can_batch`.

    The patterns that words go through are kept from one call to the next. A call ends with KeyboardInterrupt soon after
    another thread has set `stop`, an array of one number.
    """

    def __init__(self, network: Network, format: FloatFormat, stop: Any = None) -> None:
        self.stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
        roundings = Roundings(network, format)
        circuit = network.circuit
        self.network = network
        self._format = roundings.outer
        self._threshold = roundings.threshold
        self._start = roundings.floats(network.initial_state)
        first_unit = circuit.state_size + circuit.input_size
        zero = first_unit + circuit.units
        next_state = np.array(circuit.next_state, dtype=np.int64)
        self._plan = kernels.Plan(roundings.units, roundings.readout, next_state, first_unit, zero)
        self._eos = 0 if network.eos is None else network.eos
        self._nodes = SMALLEST
        self._tables, self._states = self._new_tables(), self._new_states()

    def run(self, words: Words, limits: Sequence[int]) -> tuple[list[int], list[mpq | float]]:
        """Run words, and after each up to so many EOS symbols, until there is a verdict.

        Return the steps taken, -1 where the patterns of a word do not recur, and the last outputs: floats, or rationals
        where the format has numbers that no float is.
        """
        steps, outputs = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=self._start.dtype)
        most = np.array(limits, dtype=np.int64)
        size, begin = self._plan.zero + 2 + len(self.network.readout), 0
        registers, held, kept = (np.zeros(size, dtype=self._start.dtype) for _ in range(3))
        statuses = (np.zeros(size, dtype=np.uint8) for _ in range(2))
        room = kernels.Room(registers, held, held.view(np.uint64), kept, *statuses)
        while begin < len(words):
            code, begin = kernels.run_words(
                self._tables, self._states, self._plan, self._format, room, self._start, words.symbols, words.ends,
                self._eos, most, self._threshold, begin, steps, outputs, self.stop,
            )  # fmt: skip
            if code == kernels.STOPPED:
                raise KeyboardInterrupt
            if code == kernels.FULL and not self._grow():
                steps[begin] = -1
                begin += 1
        return steps.tolist(), [
            output if isinstance(output, float) else number_of(output) for output in outputs.tolist()
        ]

    def _grow(self) -> bool:
        """Begin anew with larger tables: to compute what they held takes less time than it took to fill them."""
        larger = 4 * self._nodes <= LARGEST and 4 * sum(table.nbytes for table in self._tables) <= MOST_BYTES
        self._nodes *= 4 if larger else 1
        self._tables, self._states = self._new_tables(), self._new_states()
        return larger

    def _new_states(self) -> States:
        circuit, words = self.network.circuit, self._start.itemsize // 8
        each = 8 * words * (circuit.state_size + 1) + 4 * circuit.input_size + 25  # all but the numbers: 25 at most
        most = min(MOST_STATES, MOST_STATE_BYTES // each)
        return States(
            np.zeros((most, words * circuit.state_size), dtype=np.uint64),
            np.zeros(most, dtype=np.int64),
            np.full((most, circuit.input_size), NO_STATE, dtype=np.int32),
            np.full(most, UNREAD, dtype=np.uint8),
            np.zeros(most, dtype=self._start.dtype),
            np.full(1 << (2 * most - 1).bit_length(), NO_STATE, dtype=np.int32),
            np.zeros(1, dtype=np.int64),
        )

    def _new_tables(self) -> Tables:
        nodes, circuit = self._nodes, self.network.circuit
        operations = nodes * (32 + 5 * circuit.units) + 4 * circuit.weights
        registers = self._plan.zero + 2 + len(self.network.readout)
        return Tables(
            np.zeros(operations, dtype=np.uint8),
            np.zeros((operations, 2), dtype=np.uint32),
            np.zeros(operations, dtype=self._start.dtype),
            np.zeros((nodes, 3), dtype=np.int64),
            np.zeros((nodes, registers), dtype=np.uint8),
            np.zeros((nodes, kernels.P_NODES + circuit.input_size), dtype=np.int64),
            np.zeros((nodes, circuit.state_size), dtype=np.uint8),
            np.full((2 * nodes, 1), kernels.NONE, dtype=np.int64),
            np.full((8 * nodes, 2), kernels.NONE, dtype=np.int64),
            np.zeros(4, dtype=np.int64),
            np.zeros(8 * nodes, dtype=np.uint64),
        )
