"""The beginning of an exact run: its first steps in plain integers, since many runs are over by then.

Looking a large network over, loading compiled code and writing programs takes longer than a short run.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.common_denominator import CommonDenominatorExecutor, Numerators
from exactnn.simulation.executor import Executor, Output, Segment, Values
from exactnn.simulation.packed import unpack_integer

__all__ = ["WarmUpExecutor"]

WORK = 100_000
"""Weights that are applied in plain integers first."""
FEWEST_STEPS = 64
"""Steps that are always taken so."""


@dataclass(frozen=True, slots=True)
class _State:
    """A plain state with the steps that are left to take so, or a state of the executor that follows."""

    plain: Numerators | None
    left: int
    later: Any = None


class WarmUpExecutor:
    """Steps in integers over a common denominator, and from then on another executor.

    Parameters
    ----------
    network : Network
    following : function
        Makes the executor that goes on: called with a network that starts where the first steps ended, and how many
        they were.
    """

    paces_itself = True

    def __init__(self, network: Network, following: Callable[[Network, int], Executor]) -> None:
        self.network = network
        self._plain = CommonDenominatorExecutor(network)
        self._following = following
        self._steps = max(FEWEST_STEPS, WORK // max(1, network.circuit.weights))
        self._taken = 0

    @property
    def engine(self) -> str:
        """How the steps so far were taken."""
        if "_later" in self.__dict__:
            return self._later.engine
        return f"exact: {f'{self._taken:,} steps in rationals' if self._taken else 'no steps'}"

    def start(self) -> _State:
        """Return the initial state."""
        return _State(self._plain.start(), self._steps)

    def values(self, state: _State) -> Values:
        """Return the numbers of `state`."""
        return self._later.values(state.later) if state.plain is None else self._plain.values(state.plain)

    def output(self, state: _State) -> Output:
        """Return the readout of `state`."""
        return self._later.output(state.later) if state.plain is None else self._plain.output(state.plain)

    def pack(self, state: _State) -> object:
        """Return `state` as JSON data."""
        if state.plain is None:
            return {"later": self._later.pack(state.later)}
        return {"values": self._plain.pack(state.plain), "left": hex(state.left)}

    def unpack(self, data: object) -> _State:
        """Return the state that :meth:`pack` wrote."""
        if isinstance(data, dict) and set(data) == {"later"}:
            return _State(None, 0, self._later.unpack(data["later"]))
        if isinstance(data, dict) and set(data) == {"values", "left"}:
            return _State(self._plain.unpack(data["values"]), min(unpack_integer(data["left"]), self._steps))
        raise CheckpointError(f"{shown(data)} is no state of an exact run")

    def watches(self, state: _State) -> bool:
        """Whether states are compared: while the numbers are plain integers."""
        return state.plain is not None

    def alike(self, first: _State, second: _State) -> bool:
        """Whether two states are the same: those of the executor that follows are not compared."""
        return first.plain is not None and second.plain is not None and self._plain.alike(first.plain, second.plain)

    def advance(
        self, state: _State, symbol: Input, count: int, *, until_decided: bool, anchor: _State | None = None
    ) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict.

        With an `anchor`, which is plain, stop where that is the state, in plain integers.
        """
        if state.plain is None:
            segment = self._later.advance(state.later, symbol, count, until_decided=until_decided)
            return replace(segment, state=_State(None, 0, segment.state) if segment.steps else state)
        if state.left:
            most = min(count, state.left)
            plain = None if anchor is None else anchor.plain
            segment = self._plain.advance(state.plain, symbol, most, until_decided=until_decided, anchor=plain)
            left = state.left - segment.steps
            self._taken = max(self._taken, self._steps - left)
            return replace(segment, state=_State(segment.state, left))
        begun = self._following(replace(self.network, initial_state=self._plain.values(state.plain)), self._taken)
        self.__dict__["_later"] = begun
        segment = begun.advance(begun.start(), symbol, count, until_decided=until_decided)
        return replace(segment, state=_State(None, 0, segment.state) if segment.steps else state)

    @cached_property
    def _later(self) -> Executor:
        """The executor that goes on; after a checkpoint it is not begun but gets its states from there."""
        return self._following(self.network, self._taken)
