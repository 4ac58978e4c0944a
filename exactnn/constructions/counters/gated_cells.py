"""What LSTMs that count share: gates written unit by unit as affine forms, and whole numbers read from their cells."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.automata import LOST, CounterConfiguration, CounterMachine, State
from exactnn.constructions.affine import Affine, Scalar, symbol
from exactnn.constructions.construction import Codec, Configuration
from exactnn.constructions.stack_numbers import HALF
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["FlagCodec", "Gates", "gate_parameters", "require_configuration", "whole"]

Gates = Mapping[str, Affine | Scalar]
"""The gates of a unit by name: forms over the hidden state, by names of units, and symbols."""


def gate_parameters(
    units: Mapping[Hashable, Gates], alphabet: Sequence[str], defaults: Gates
) -> tuple[dict[str, list[list[mpq]]], dict[str, list[list[mpq]]], dict[str, list[mpq]]]:
    """Return V, W and b of a cell whose hidden state is `units`, in their order.

    Parameters
    ----------
    units : mapping name -> gates
    alphabet : sequence of str
        The symbols of the one-hot input, in their order.
    defaults : gates
        What a gate is that a unit does not have; it says which gates there are.

    Raises
    ------
    ConstructionError
        If a unit has a gate that is not among the defaults, or a form reads what is neither a unit nor a symbol.

    Examples
    --------
    A counter that is kept from going below zero:

    >>> from exactnn.constructions.affine import var
    >>> a, b = symbol("a"), symbol("b")
    >>> V, W, bias = gate_parameters({"n": {"i": a + var("n"), "g": a - b}}, "ab", {"i": 1, "f": 1, "g": 0, "o": 1})
    >>> V["i"], W["g"], bias["f"]
    ([[mpq(1,1)]], [[mpq(1,1), mpq(-1,1)]], [mpq(1,1)])
    """
    state = {name: i for i, name in enumerate(units)}
    inputs = {key: i for i, a in enumerate(alphabet) for key in symbol(a).terms}
    V: dict[str, list[list[mpq]]] = {gate: [] for gate in defaults}
    W: dict[str, list[list[mpq]]] = {gate: [] for gate in defaults}
    b: dict[str, list[mpq]] = {gate: [] for gate in defaults}
    for name, gates in units.items():
        if unknown := [gate for gate in gates if gate not in defaults]:
            raise ConstructionError(f"unit {shown(name)} has the gate {shown(unknown[0])}: use {', '.join(defaults)}")
        for gate, default in defaults.items():
            form = Affine({}) + gates.get(gate, default)
            if missing := [key for key in form.terms if key not in state and key not in inputs]:
                fault = f"gate {gate!r} of unit {shown(name)} reads {shown(missing[0])}"
                raise ConstructionError(f"{fault}, which is neither a unit nor a symbol")
            V[gate].append([form.terms.get(key, mpq(0)) for key in state])
            W[gate].append([form.terms.get(key, mpq(0)) for key in inputs])
            b[gate].append(form.constant)
    return V, W, b


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
