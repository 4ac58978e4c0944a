"""Between configurations of a counter machine and states of gated cells: hidden state first, then cell state."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.automata import LOST, CounterConfiguration, CounterMachine, State
from exactnn.constructions.construction import Codec, Configuration
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["FlagCodec", "require_configuration", "whole"]

HALF = mpq(1, 2)


def whole(value: object) -> int | str:
    """Return the integer that a number of a state is, or LOST.

    >>> whole(mpq(3)), whole(2.5), whole(float("nan")), whole(1e300) == 10**300
    (3, '?', '?', False)
    """
    try:
        found = int(value)  # type: ignore[call-overload]
    except (ValueError, OverflowError):
        return LOST
    return int(found) if found == value else LOST


def require_configuration(machine: CounterMachine, configuration: object) -> CounterConfiguration:
    """Raise ConstructionError unless this is a configuration of `machine` with whole numbers."""
    if not isinstance(configuration, CounterConfiguration) or len(configuration.counters) != machine.counters:
        raise ConstructionError(f"{shown(configuration)} is no configuration of {machine.name}")
    if configuration.state not in machine.states:
        raise ConstructionError(f"{shown(configuration.state)} is not a state of {machine.name}")
    for value in configuration.counters:
        if type(value) is not int:
            raise ConstructionError(f"a counter of {shown(configuration)} is {shown(value)}: give a whole number")
    return configuration


class FlagCodec(Codec):
    """Of a network that counts in cells with names and keeps the state in flags, which are 0 or 1.

    Parameters
    ----------
    machine : CounterMachine
        Its counters never go below zero.
    units : sequence
        Names of the cells in their order.
    counters : sequence
        Those that count.
    signs : mapping state -> sequence
        The first of these states of which one flag is set is decoded; the last state has none.
    flags : mapping state -> sequence
        The flags that are set in each state.
    """

    def __init__(
        self,
        machine: CounterMachine,
        units: Sequence[Hashable],
        counters: Sequence[Hashable],
        *,
        signs: Mapping[State, Sequence[Hashable]],
        flags: Mapping[State, Sequence[Hashable]],
    ) -> None:
        self._machine = machine
        self._units = tuple(units)
        self._counters = tuple(counters)
        self._signs, self._flags = signs, flags

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the state that the flags say, and the numbers of the counting cells."""
        hidden: dict[Hashable, Any] = dict(zip(self._units, state, strict=False))
        cell = dict(zip(self._units, state[len(self._units) :], strict=True))
        found = next(q for q, signs in self._signs.items() if not signs or any(hidden[flag] > HALF for flag in signs))
        return CounterConfiguration(state=found, counters=tuple(whole(cell[unit]) for unit in self._counters))

    def encode(self, configuration: Configuration) -> Values:
        """Return the flags of the state and the counters; ConstructionError for one below zero."""
        given = require_configuration(self._machine, configuration)
        cells = dict(zip(self._counters, given.counters, strict=True))
        flags = self._flags[given.state]
        values = [mpq(unit in flags) if unit not in cells else mpq(cells[unit]) for unit in self._units]
        if min(values) < 0:
            raise ConstructionError(f"{shown(configuration)} has a counter below zero, which this network never has")
        return (*(min(value, mpq(1)) for value in values), *values)
