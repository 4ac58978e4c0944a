"""Runs of a network that recruits memory neurons while it runs, and so holds any tape with numbers of bounded length.

A neuron that is added is 0 and changes nothing: the state goes on in the network with more of them. They are added
before they are needed, so that nothing is ever lost: the last neuron on a side is filled at most once in p steps.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from exactnn.arithmetic import RATIONAL, Arithmetic, count_text, exact
from exactnn.automata import Symbol, TuringMachine, as_word
from exactnn.constructions.construction import Configuration
from exactnn.constructions.growing_memory import growing_memory
from exactnn.constructions.growing_memory_plan import STACKS, GrowingMemoryPlan, memory
from exactnn.errors import step_limit
from exactnn.networks import EOS
from exactnn.outcome import Outcome
from exactnn.simulation import Segment, Values, executor_for

__all__ = ["GrowingRun", "run_growing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowingRun:
    """What a run with growing memory gave.

    Parameters
    ----------
    outcome : Outcome
    steps, machine_steps : int
        Of the network, and of the machine.
    neurons : int
        Numbers of the state in the end.
    modules : int
        Memory neurons on each side in the end; neurons are never released.
    configuration : Configuration
        The last one.
    """

    outcome: Outcome
    steps: int
    machine_steps: int
    neurons: int
    modules: int
    configuration: Configuration

    def __repr__(self) -> str:
        return f"<GrowingRun: {self.outcome} after {count_text(self.steps)} steps, {self.neurons:,} neurons in the end>"


def run_growing(
    machine: TuringMachine,
    word: str | Sequence[Symbol] = "",
    *,
    precision: int,
    arithmetic: Arithmetic = RATIONAL,
    max_steps: int | None = None,
) -> GrowingRun:
    """Run the network :func:`growing_memory` of a machine on a word, with memory neurons added when they are needed.

    Parameters
    ----------
    precision : int
        How many cells a number holds.
    arithmetic : Arithmetic
        In a binary format with :func:`bits_needed` bits every number is exact, at any length.
    max_steps : int, optional
        Stop after so many network steps; without it, a machine that does not halt runs for ever.

    Raises
    ------
    ConstructionError
        If it is no Turing machine.
    OptionError
        If `precision` or `max_steps` is out of range.
    WordError
        If a symbol is not in the input alphabet.

    Notes
    -----
    The number of neurons grows with the space n that is used, by 2 n / p at most and a constant.

    Examples
    --------
    The busy beaver with four states, in numbers of 8 bits of which 4 are significant:

    >>> from exactnn.arithmetic import FLOAT8_E4M3
    >>> from exactnn.machine_files import load
    >>> found = run_growing(load("bb4"), precision=2, arithmetic=FLOAT8_E4M3)
    >>> found.outcome.value, found.steps, found.modules, str(found.configuration)
    ('halted', 107, 7, 'Z: 1 [0] 1 1 1 1 1 1 1 1 1 1 1 1')
    """
    limit = step_limit(max_steps)
    growing = _Growing(machine, precision, arithmetic)
    symbols = as_word(word, machine.input_symbols)
    steps, outcome = 0, None
    while outcome is None and (limit is None or steps < limit):
        reading = steps < len(symbols)
        count = 1 if reading else min(precision, precision if limit is None else limit - steps)
        segment = growing.advance(symbols[steps] if reading else EOS, count, until_decided=not reading)
        steps += segment.steps
        outcome = segment.outcome
    return GrowingRun(
        outcome=outcome or Outcome.STEP_LIMIT,
        steps=steps,
        machine_steps=growing.net.machine_steps(steps, len(symbols)),
        neurons=growing.net.network.neurons,
        modules=growing.modules,
        configuration=growing.net.decode(growing.values),
    )


class _Growing:
    """A network of a family with its state, and the larger one that goes on from there."""

    def __init__(self, machine: TuringMachine, precision: int, arithmetic: Arithmetic) -> None:
        self._machine = machine
        self._precision = precision
        self._arithmetic = arithmetic
        self.modules = 1
        self._begin(None)

    def _begin(self, numbers: Mapping[Hashable, Any] | None) -> None:
        """Take the network with so many modules, and go on from these numbers, those that are missing being 0."""
        self.net = growing_memory(self._machine, precision=self._precision, modules=self.modules)
        self._units = list(GrowingMemoryPlan(self._machine, self._precision, self.modules).state())
        network = self.net.network
        if numbers is not None:
            network = replace(network, initial_state=tuple(exact(numbers.get(unit, 0)) for unit in self._units))
        self._executor = executor_for(network, self._arithmetic)
        self._state = self._executor.start()

    @property
    def values(self) -> Values:
        """The numbers of the state."""
        return self._executor.values(self._state)

    def advance(self, symbol: Symbol, count: int, *, until_decided: bool) -> Segment:
        """Make up to `count` steps, at most p, with one more module if the last one of a side is in use.

        A state that is not finite, of a format too small for p cells, is lost: it stays in the network that it is in.
        """
        numbers = dict(zip(self._units, self.values, strict=True))
        if all(map(_is_finite, numbers.values())) and any(numbers[memory(stack, self.modules - 1)] for stack in STACKS):
            self.modules += 1
            self._begin(numbers)
        alphabet = self.net.network.alphabet
        assert alphabet is not None
        segment = self._executor.advance(self._state, alphabet.index(symbol), count, until_decided=until_decided)
        self._state = segment.state
        return segment


def _is_finite(value: object) -> bool:
    return not isinstance(value, float) or isfinite(value)
