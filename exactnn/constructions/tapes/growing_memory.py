"""Turing machine to RNN of bounded precision: the tape lies in many neurons of a few cells each, as many as it takes.

Networks of rational numbers keep a tape in one number, whose precision grows with it. Here a number holds at most p
cells, the others lie in memory neurons of p cells, and what grows with the tape is how many there are. Of neurons that
are there from the beginning a network has a fixed number, so this is a family: with m memory neurons on each side it is
right on tapes of m p cells on each side of the head, and says so when they do not suffice. `run_growing` adds neurons
while it runs. `growing_memory_plan` has the equations.

A neuron that is added is 0 and changes nothing: the state goes on in the network with more of them. They are added
before they are needed, so that nothing is ever lost: the last neuron on a side is filled at most once in p steps.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Any, NamedTuple

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, AnyArithmetic, Arithmetic, Numeral, arithmetic_of, count_text, exact, is_finite
from exactnn.automata import LOST, State, Symbol, TapeConfiguration, TuringMachine, as_word, tape_configuration
from exactnn.constructions.affine import total, var
from exactnn.constructions.construction import (
    Codec,
    Configuration,
    Construction,
    Phase,
    require_machine,
)
from exactnn.constructions.halting import halting_construction, halting_protocol
from exactnn.constructions.layered_network import layered_network
from exactnn.constructions.stack_numbers import HALF, as_state, readable
from exactnn.constructions.tapes.growing_memory_plan import (
    FULL,
    LOADING,
    STACKS,
    GrowingMemoryPlan,
    height,
    memory,
    pair,
    top,
)
from exactnn.constructions.tapes.two_stacks import require_tape
from exactnn.errors import ConstructionError, SizeLimitError
from exactnn.networks import Activation, Input
from exactnn.options import step_limit, whole_number
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, Output, Segment, Values, Walk, executor_for
from exactnn.simulation.executor import State as ExecutorState

__all__ = ["GrowingRun", "bits_needed", "growing_memory", "run_growing"]

MOST_PRECISION, MOST_MODULES = 100_000, 100_000
"""Cells in one number, and numbers of a stack: more units and digits are not made."""


class GrowingMemoryCodec(Codec):
    """Reads and writes the states of the network that a plan describes."""

    def __init__(self, plan: GrowingMemoryPlan) -> None:
        self._plan = plan
        self._units = list(plan.state())

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        values = readable(self._units, state_values)
        state, scanned = self._control(values)
        left, right = self._cells("left", values)[:cells], self._cells("right", values)[:cells]
        return tape_configuration(self._plan.machine, state, left, scanned, right)

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        configuration = self.decode(state_values)
        assert isinstance(configuration, TapeConfiguration)
        return len(configuration.left), len(configuration.right)

    def nonblank(self, state_values: Values) -> int | None:
        """Return how many cells are not blank; None where one is lost."""
        configuration = self.decode(state_values)
        assert isinstance(configuration, TapeConfiguration)
        tape = configuration.tape
        return None if LOST in tape else sum(a != self._plan.machine.blank_symbol for a in tape)

    def encode(self, configuration: Configuration) -> Values:
        """Return a state that stands for `configuration`, with as many cells in memory as fill its neurons."""
        plan = self._plan
        states = [q for q in plan.states if not isinstance(q, Phase)]
        configuration = require_tape(plan.machine, configuration, states=states, symbols=plan.symbols)
        scanned = plan.symbols.index(configuration.scanned)
        values: dict[Hashable, mpq] = {pair(configuration.state, scanned): mpq(1)}
        for stack, symbols in (("left", configuration.left), ("right", configuration.right)):
            digits = [plan.symbols.index(a) for a in symbols]
            values |= self._stack(stack, digits + [plan.bottom] * (plan.bounded and stack == "left"))
        return as_state(self._units, values)

    def _stack(self, stack: str, digits: Sequence[int]) -> dict[Hashable, mpq]:
        plan = self._plan
        cells = (len(digits) - 1) % plan.precision + 1 if digits else 1
        stored = [digits[i : i + plan.precision] for i in range(cells, len(digits), plan.precision)]
        if len(stored) > plan.modules:
            raise ConstructionError(
                f"{len(digits)} cells on the {stack} take {len(stored)} memory neurons of {plan.precision} cells, and "
                f"the network of {plan.machine.name} has {plan.modules}: give modules={len(stored)}"
            )
        chunks: dict[Hashable, Sequence[int]] = {
            top(stack): digits[:cells],
            **{memory(stack, i): chunk for i, chunk in enumerate(stored)},
        }
        return {key: _fraction(chunk, plan.base) for key, chunk in chunks.items()} | {height(stack): cells * plan.unit}

    def _control(self, values: Mapping[Hashable, Any]) -> tuple[State, Symbol]:
        """Return the state and the scanned symbol."""
        plan = self._plan
        pairs = [(q, a) for q in plan.states for a in range(plan.bottom) if values.get(pair(q, a), 0) > HALF]
        phases = [phase for phase, key in ((Phase.FULL, FULL), (Phase.LOAD, LOADING)) if values.get(key, 0) > HALF]
        if len(pairs) + len(phases) != 1:
            return LOST, LOST
        if phases:
            return phases[0], plan.machine.blank_symbol if phases[0] is Phase.LOAD else LOST
        return pairs[0][0], plan.symbols[pairs[0][1]]

    def _cells(self, stack: str, values: Mapping[Hashable, Any]) -> list[Symbol]:
        plan = self._plan
        cells = floor(_rational(values.get(height(stack), mpq(0))) / plan.unit + HALF)
        if not 1 <= cells <= plan.precision:
            return [LOST]
        digits = self._digits(values.get(top(stack), mpq(0)))[:cells]
        for i in range(plan.modules):
            digits += self._digits(values.get(memory(stack, i), mpq(0)))
        while digits and not digits[-1]:
            digits.pop()
        if plan.bounded and stack == "left":
            digits = digits[: digits.index(plan.bottom)] if plan.bottom in digits else [*digits, None]
        return [LOST if digit is None or digit >= plan.bottom else plan.symbols[digit] for digit in digits]

    def _digits(self, value: Any) -> list[int | None]:
        """Return the p digits of the multiple of B^-p that is nearest to a number."""
        plan = self._plan
        number = floor(_rational(value) * mpq(plan.base) ** plan.precision + HALF)
        if not 0 <= number < plan.base**plan.precision:
            return [None] * plan.precision
        return [number // plan.base**i % plan.base for i in reversed(range(plan.precision))]


def _rational(value: Any) -> mpq:
    return value.rational() if isinstance(value, Numeral) else mpq(value)


def _fraction(digits: Sequence[int], base: int) -> mpq:
    value = mpq(0)
    for digit in reversed(digits):
        value = (digit + value) / base
    return value


def growing_memory(machine: TuringMachine | str, *, precision: int, modules: int) -> Construction:
    """Return the network of `machine` whose neurons hold at most `precision` cells of the tape each.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output and the configuration. If a cell that is not blank would have to be stored and the memory has no neuron
    for it, it stands still: it outputs 0 for ever, and decodes to the state ``(memory full)``. That this network does
    not halt then, as a run may prove, says nothing of the machine. The end of a semi-infinite tape is a cell like that.

    Its state has (Q + h) m + 2 modules + 5 numbers for Q states that do not halt and h that do (those that can be
    reached) and m tape symbols, and m + 1 more if it reads words, for its phases. A move is one step of four layers,
    all of saturated linear units. T(w) = |w| + k + 2 for k moves, |w| + k + 1 on a semi-infinite tape; without input
    symbols T = k.

    Parameters
    ----------
    machine : TuringMachine, or what :func:`exactnn.load` makes one of
    precision : int
        How many cells p a number holds, at least 1.
    modules : int
        How many memory neurons there are on each side of the head, of p cells each; 0 or more.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, or EOS is among the input symbols.
    OptionError
        If `precision` or `modules` is out of range.

    Notes
    -----
    Every number is exact in a binary format with :func:`bits_needed` bits, whatever the word and however long the run:
    p log2 B and 2 more, B being the least power of two that symbols (and the left end) fit in.

    The paper's memory module is a stack of neurons, which a push neuron and a pop neuron of the network act upon, and
    which recruits neurons: in its network for a universal machine of 6 states and 4 symbols, 54 neurons take three
    steps for a move. Tape neurons of at most p symbols, guards that count them, and p symbols moved at a time are that
    network's; the equations, the layers of one step and the fixed row of memory neurons are exactnn's own.

    References
    ----------
    S. Chung and H. Siegelmann, "Turing completeness of bounded-precision recurrent neural networks", NeurIPS 2021.

    Examples
    --------
    Three cells to a number: after 107 moves 12 cells on the right are written, which one memory neuron cannot hold.

    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> for modules in (1, 4):
    ...     net = growing_memory(load("bb4"), precision=3, modules=modules)
    ...     result = run(net, max_steps=200)
    ...     print(net.network.neurons, result.outcome.value, net.decode(result.final_state).state)
    17 proven non-halting (memory full)
    23 halted Z
    """
    machine = require_machine(machine, TuringMachine, "growing_memory")
    precision = whole_number("precision", precision, 1, MOST_PRECISION)
    modules = whole_number("modules", modules, 0, MOST_MODULES)
    plan = GrowingMemoryPlan(machine, precision, modules)
    network = layered_network(
        layers=plan.layers(),
        state=plan.state(),
        start=plan.start(),
        activation=Activation.SLU,
        **halting_protocol("growing_memory", machine, lambda q: total(var(pair(q, a)) for a in range(plan.bottom))),
    )
    return halting_construction(
        "growing_memory",
        machine,
        network,
        codec=GrowingMemoryCodec(plan),
        set_up=(2, 1 if plan.bounded else 2),
        room=f", and has neither a cell that is not blank nor the end of the tape farther than {modules * precision} "
        "cells from the head on the way",
        citation="after S. Chung and H. Siegelmann, Turing completeness of bounded-precision recurrent neural "
        "networks, NeurIPS 2021; equations of exactnn's own",
    )


def bits_needed(machine: TuringMachine | str, *, precision: int) -> int:
    """Return the bits of a binary format in which :func:`growing_memory` is exact: p log2 B + 2.

    They are enough in whatever order a sum is taken, with exponents from -p log2 B to p log2 B + 1. Sums that begin
    with the bias, as those of `FloatFormat` do, need one bit less.

    >>> from exactnn.machine_files import load
    >>> bits_needed(load("bb4"), precision=9), bits_needed(load("palindrome"), precision=4)
    (11, 10)
    """
    machine = require_machine(machine, TuringMachine, "growing_memory")
    precision = whole_number("precision", precision, 1, MOST_PRECISION)
    return precision * (GrowingMemoryPlan(machine, precision, 0).base.bit_length() - 1) + 2


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
    arithmetic: AnyArithmetic = RATIONAL,
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
    arithmetic = arithmetic_of(arithmetic)
    limit = step_limit(max_steps)
    growing = _Growing(machine, precision, arithmetic)
    symbols = as_word(word, machine.input_symbols)
    walk = Walk(growing, growing.network.inputs(symbols), limit=limit)
    grown: _Grown = walk.position.state
    try:
        for stretch in walk:
            grown = stretch.position.state
        outcome = walk.outcome
    except SizeLimitError:
        outcome = Outcome.SIZE_LIMIT
    assert outcome is not None
    steps, net = walk.position.steps, grown.net
    return GrowingRun(
        outcome=outcome,
        steps=steps,
        machine_steps=net.machine_steps(steps, len(symbols)),
        neurons=net.network.neurons,
        modules=grown.modules,
        configuration=net.decode(grown.executor.values(grown.state)),
    )


class _Grown(NamedTuple):
    """A network of the family, and its state."""

    modules: int
    units: list[Hashable]
    net: Construction
    executor: Executor
    state: ExecutorState


class _Growing:
    """All networks of a family, which step as one: each goes on from the numbers of the one before."""

    paces_itself = True

    def __init__(self, machine: TuringMachine, precision: int, arithmetic: Arithmetic) -> None:
        self._machine = machine
        self._precision = precision
        self._arithmetic = arithmetic
        self._least = self._grown(1, None)
        self.network = self._least.net.network

    def _grown(self, modules: int, numbers: Mapping[Hashable, Any] | None) -> _Grown:
        """Return the network with so many modules, at these numbers, those that are missing being 0."""
        net = growing_memory(self._machine, precision=self._precision, modules=modules)
        units: list[Hashable] = list(GrowingMemoryPlan(self._machine, self._precision, modules).state())
        network = net.network
        if numbers is not None:
            start = tuple(exact(numbers.get(unit, 0)) for unit in units)
            network = replace(network, initial_state=start)
        executor = executor_for(network, self._arithmetic)
        return _Grown(modules, units, net, executor, executor.start())

    def start(self) -> _Grown:
        """Return the least network at its start."""
        return self._least

    def output(self, state: _Grown) -> Output:
        """Return the readout of a state."""
        return state.executor.output(state.state)

    def advance(self, state: _Grown, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Make up to `count` steps, one in the word and at most p after it, with one more module if the last is in use.

        A state that is not finite, of a format too small for p cells, is lost: it stays in the network that it is in.
        """
        values: Sequence[Any] = state.executor.values(state.state)
        numbers = dict(zip(state.units, values, strict=True))
        if all(map(is_finite, values)) and any(numbers[memory(stack, state.modules - 1)] for stack in STACKS):
            state = self._grown(state.modules + 1, numbers)
        count = min(count, self._precision if until_decided else 1)
        segment = state.executor.advance(state.state, symbol, count, until_decided=until_decided)
        return segment.leading_to(state._replace(state=segment.state))
