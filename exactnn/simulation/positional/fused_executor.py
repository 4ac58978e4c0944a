"""Exact runs of a network in a smaller form, and its full states where somebody asks for them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from exactnn.arithmetic import LongNumber
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.executor import Executor, Output, Segment
from exactnn.simulation.packed import pack_input, pack_number, unpack_input, unpack_integer
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.positional.fusion import Fusion, fused
from exactnn.simulation.positional.long_step import long_step

__all__ = ["FusedExecutor", "exact_executor"]


def exact_executor(network: Network, **options: Any) -> Executor:
    """Return the executor of exact runs of a network; `options` are those of :class:`ExactExecutor`.

    >>> from exactnn.networks import SimpleRNN
    >>> exact_executor(SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])).engine
    'exact: no steps'
    """
    fusion = fused(network)
    return ExactExecutor(network, **options) if fusion is None else FusedExecutor(network, fusion, **options)


@dataclass(frozen=True, slots=True)
class _Last:
    """The steps that led to a state: so many on one input, from a state that the executor within has made."""

    origin: Any
    symbol: Input
    steps: int
    until_decided: bool


@dataclass(frozen=True, slots=True)
class _State:
    """A state of the fused network, and what led there: None at the start."""

    form: Any
    last: _Last | None


class FusedExecutor:
    """A network in exact arithmetic, run as the network in which its pairs of ReLU units are fused.

    The full state follows from the fused state one step before. That one is not kept, but reached again from where
    the last steps began.

    Parameters
    ----------
    network : Network
    fusion : Fusion
        What :func:`fused` found in it.
    options
        Those of :class:`ExactExecutor`.
    """

    paces_itself = True

    def __init__(self, network: Network, fusion: Fusion, **options: Any) -> None:
        self.network = network
        self._fusion = fusion
        self._within = ExactExecutor(fusion.network, **options)

    @property
    def engine(self) -> str:
        """How the steps so far were taken, and why some were taken in plain rationals."""
        return self._within.engine

    def start(self) -> _State:
        """Return the initial state."""
        return _State(self._within.start(), None)

    def values(self, state: _State) -> tuple[LongNumber, ...]:
        """Return the numbers of `state`; numbers of enormous length are Numerals."""
        if state.last is None:
            return self.network.initial_state
        values = self._within.values(state.form)
        if self._fusion.is_full(values):
            return self._fusion.embed(values)
        last = state.last
        before = self._within.again(last.origin, last.symbol, last.steps - 1, until_decided=last.until_decided)
        return long_step(self.network, self._fusion.embed(self._within.values(before)), last.symbol)

    def output(self, state: _State) -> Output:
        """Return the readout of `state`."""
        return self._within.output(state.form)

    def advance(self, state: _State, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
        segment = self._within.advance(state.form, symbol, count, until_decided=until_decided)
        last = _Last(state.form, symbol, segment.steps, until_decided)
        return replace(segment, state=_State(segment.state, last) if segment.steps else state)

    def read(self, state: _State, symbols: Sequence[int]) -> _State:
        """Return the state after a step for each symbol: what :meth:`advance` gives, but faster."""
        if not symbols:
            return state
        before = _State(self._within.read(state.form, symbols[:-1]), state.last)
        return self.advance(before, symbols[-1], 1, until_decided=False).state  # type: ignore[no-any-return]

    def pack(self, state: _State) -> object:
        """Return `state` as JSON data."""
        last = state.last
        if last is None:
            return {"start": self._within.pack(state.form)}
        return {
            "fused": self._within.pack(state.form),
            "origin": self._within.pack(last.origin),
            "input": pack_input(last.symbol),
            "steps": pack_number(last.steps),
            "until_decided": last.until_decided,
        }

    def unpack(self, data: object) -> _State:
        """Return the state that :meth:`pack` wrote."""
        if isinstance(data, dict) and set(data) == {"start"}:
            form = self._within.unpack(data["start"])
            if self._within.values(form) == self._fusion.network.initial_state:
                return _State(form, None)
        elif isinstance(data, dict) and set(data) == {"fused", "origin", "input", "steps", "until_decided"}:
            steps = unpack_integer(data["steps"])
            if steps and isinstance(data["until_decided"], bool):
                origin = self._within.unpack(data["origin"])
                given = unpack_input(data["input"], self.network.circuit.input_size)
                last = _Last(origin, given, steps, data["until_decided"])
                return _State(self._within.unpack(data["fused"]), last)
        raise CheckpointError(f"{shown(data)} is no state of an exact run")
