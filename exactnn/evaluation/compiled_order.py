"""Words in an order of evaluation under numba: many at once, in float64 and in formats whose numbers are float64."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from exactnn.arithmetic import FLOAT64, Arithmetic, FloatFormat
from exactnn.evaluation.order import EvaluationOrder
from exactnn.evaluation.ordered import Step
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Network
from exactnn.simulation.executor import Output, Values
from exactnn.simulation.with_numba import has_numba

__all__ = ["CompiledWords", "can_compile"]

MOST_PAIRS = 4_000_000
"""Pairs of entries of two matrices that are multiplied: some 150 numbers of state, if all depend on all."""


def can_compile(arithmetic: Arithmetic, steps: Sequence[Step]) -> TypeGuard[FloatFormat]:
    """Return whether :class:`CompiledWords` takes steps in an arithmetic."""
    match arithmetic:
        case FloatFormat() if has_numba():
            with Uninterrupted("loading numba"):
                from exactnn.simulation.rounded import can_round
            compiles = arithmetic == FLOAT64 or can_round(arithmetic)
            return compiles and _pairs_of(_entries(steps)) <= MOST_PAIRS
        case _:
            return False


class CompiledWords:
    """Steps in a float format, and words of them, as the loop of :mod:`exactnn.evaluation.order_kernels` takes them.

    Parameters
    ----------
    network : Network
        A linear one, for its start state and its readout.
    format : FloatFormat
        One that :func:`can_compile`.
    steps : sequence of (rows of A without zeros, B)
        What the symbols of words are, exactly.
    """

    def __init__(self, network: Network, format: FloatFormat, steps: Sequence[Step]) -> None:
        with Uninterrupted("loading numba"):
            from exactnn.evaluation.order_kernels import states_of_words
            from exactnn.simulation.floats import FloatExecutor, native_parameters
            from exactnn.simulation.rounded import RoundedExecutor, RoundedState, rounded_parameters
        self._kernel = states_of_words
        self._executor: Any
        self._state: Callable[[NDArray[np.float64]], Any]
        if format == FLOAT64:
            self._executor, self._state = FloatExecutor(network, format), np.asarray
            self._carrier, self._start = native_parameters(network, format).inner, self._executor.start()
        else:
            self._executor, self._state = RoundedExecutor(network, format), partial(RoundedState, count=0)
            self._carrier, self._start = rounded_parameters(network, format).inner, self._executor.start().numbers
        entries = _entries(steps)
        self._structure = _structure(entries, len(self._start))
        self._steps = self._room(len(steps))
        matrix, present, vector = self._steps
        for symbol, (rows, bias) in enumerate(steps):
            for e, (i, j) in enumerate(entries):
                if j in rows[i]:
                    matrix[symbol, e], present[symbol, e] = format.nearest(rows[i][j]), True
            vector[symbol] = [format.nearest(x) for x in bias]

    def _room(self, composites: int) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
        """Return room for so many composites: matrices, which of their entries are there, and vectors."""
        entries = len(self._structure[1])
        return (
            np.zeros((composites, entries)),
            np.zeros((composites, entries), dtype=np.bool_),
            np.zeros((composites, len(self._start))),
        )

    def states(self, words: NDArray[np.int64], order: EvaluationOrder) -> NDArray[np.float64]:
        """Return the states of words (words, length) of indices of steps: (words, length + 1, n), the start first."""
        schedule = order.schedule(words.shape[1])
        widest = max(map(len, schedule.rounds), default=0)
        combinations = np.array([c for round_ in schedule.rounds for c in round_], dtype=np.int64).reshape(-1, 3)
        outputs = [[place for _, place in applied] for applied in schedule.outputs]
        laid_out = (
            _ends(map(len, schedule.rounds)),
            *(np.ascontiguousarray(column) for column in combinations.T),
            _ends(map(len, outputs)),
            np.array([applied[0][0] for applied in schedule.outputs], dtype=np.int64),
            np.array([place for places in outputs for place in places], dtype=np.int64),
        )
        size = len(self._start)
        found = np.zeros((words.shape[0] * (words.shape[1] + 1), size))
        self._kernel(
            np.ascontiguousarray(words), self._start, self._steps, self._room(schedule.places),
            np.zeros(schedule.places, dtype=np.bool_), self._room(widest), np.zeros(widest, dtype=np.bool_),
            self._structure, laid_out, np.zeros((1, size)), self._carrier, found,
        )  # fmt: skip
        return found.reshape(words.shape[0], words.shape[1] + 1, size)

    def output(self, state: NDArray[np.float64]) -> Output:
        """Return the readout of a state."""
        found: Output = self._executor.output(self._state(np.ascontiguousarray(state)))
        return found

    def values(self, state: NDArray[np.float64]) -> Values:
        """Return a state as a tuple."""
        found: Values = self._executor.values(self._state(state))
        return found


def _ends(lengths: Any) -> NDArray[np.int64]:
    return np.array([0, *accumulate(lengths)], dtype=np.int64)


def _entries(steps: Sequence[Step]) -> list[tuple[int, int]]:
    """Return the entries that a product of any of the matrices can have, row by row and from left to right."""
    size = len(steps[0][1]) if steps else 0
    reaches = np.zeros((size, size), dtype=np.bool_)
    for rows, _ in steps:
        for i, row in enumerate(rows):
            reaches[i, list(row)] = True
    while (further := reaches | (reaches @ reaches)).sum() > reaches.sum():
        reaches = further
    return [(int(i), int(j)) for i, j in np.argwhere(reaches)]


def _pairs_of(entries: Sequence[tuple[int, int]]) -> int:
    """Return how many pairs of entries (i, k) and (k, j) there are; 1 at least, since a matrix may be 0."""
    left, right = (np.bincount([entry[side] for entry in entries], minlength=1) for side in (1, 0))
    size = min(len(left), len(right))
    return max(1, int(left[:size] @ right[:size]))


def _structure(entries: Sequence[tuple[int, int]], size: int) -> tuple[NDArray[np.int64], ...]:
    """Return rows, columns, and for each entry the pairs of entries that its products are made of, k ascending."""
    place = {entry: e for e, entry in enumerate(entries)}
    columns: list[list[int]] = [[] for _ in range(size)]
    for i, j in entries:
        columns[i].append(j)
    pairs = [[(place[i, k], place[k, j]) for k in columns[i] if (k, j) in place] for i, j in entries]
    flat = np.array([pair for each in pairs for pair in each], dtype=np.int64).reshape(-1, 2)
    return (
        _ends(map(len, columns)),
        np.array([j for _, j in entries], dtype=np.int64),
        _ends(map(len, pairs)),
        np.ascontiguousarray(flat[:, 0]),
        np.ascontiguousarray(flat[:, 1]),
    )
