"""Runs in interval arithmetic, and certified verdicts by more and more bits."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, assert_never

import gmpy2
from gmpy2 import mpq, mpz

from exactnn.arithmetic import Bounds, Certified, DirectedRounding, Enclosure, Interval, exact_dyadic
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Activation, Input, Kind, Network, Protocol, Unit
from exactnn.outcome import Outcome
from exactnn.simulation.executor import Output
from exactnn.simulation.interval_rows import rows_of
from exactnn.simulation.packed import pack_numbers, unpack_enclosures
from exactnn.simulation.result import Run
from exactnn.simulation.stepping import OneByOne
from exactnn.size_limit import SizeLimit

__all__ = ["IntervalExecutor", "IntervalState", "certified_run"]


# --- The executor of interval arithmetic: states of enclosures, in which the exact run lies at every step.
#
# A unit's sum is enclosed with a few bits more than its value keeps: there is one rounding for each unit that matters.
# What an enclosure forgets is that two numbers depend on each other: x - x encloses more than 0, and an unstable
# network widens its enclosures step by step. More bits help as long as the widths come from roundings.

ONE, ZERO = gmpy2.mpfr(1), gmpy2.mpfr(0)

LEAST_ADAPTED = 256
"""Bits from which on a step takes no more of them than the enclosures before it are worth."""

SPARE = 64
"""Bits that it takes besides: so many it may gain."""

MOST_SYMBOLS = 1000
"""How many symbols are remembered with their biases."""


class IntervalState(NamedTuple):
    """The bounds of a state, as mpfrs."""

    lows: tuple[Any, ...]
    highs: tuple[Any, ...]


class _Rest(NamedTuple):
    """What a unit has besides its weights of registers, all multiplied by `denominator` so that it is dyadic."""

    bias: mpq
    symbols: Mapping[int, mpq]
    products: tuple[tuple[int, int, mpq], ...]
    denominator: Any
    activation: Activation


class _Layer:
    """A layer's units. Its inputs are one symbol, whose weights join the biases, or a vector of enclosures.

    `symbols` are the registers of a symbol, which are not summed.
    """

    def __init__(self, units: Sequence[Unit], symbols: range) -> None:
        scales = [_odd_denominator(unit) for unit in units]
        rows = [_scaled_terms(unit, scale) for unit, scale in zip(units, scales, strict=True)]
        self._inner = rows_of([[term for term in row if term[0] not in symbols] for row in rows])
        self.library = self._inner.library
        self._rests = [
            _Rest(
                bias=scale * unit.bias,
                symbols={r - symbols.start: w for r, w in row if r in symbols},
                products=tuple((first, second, exact_dyadic(scale * w)) for first, second, w in unit.bilinear),
                denominator=None if scale == 1 else exact_dyadic(mpq(scale)),
                activation=unit.activation,
            )
            for unit, scale, row in zip(units, scales, rows, strict=True)
        ]
        self._biases = lru_cache(MOST_SYMBOLS)(self._new_biases)

    def _new_biases(self, symbol: int | None) -> list[Any]:
        nothing = mpq(0)
        return [
            exact_dyadic(rest.bias + (nothing if symbol is None else rest.symbols.get(symbol, nothing)))
            for rest in self._rests
        ]

    def evaluate(
        self, lows: list[Any], highs: list[Any], symbol: Input | None, rounding: DirectedRounding
    ) -> tuple[list[Any], list[Any]]:
        """Return bounds of the values of the units, from those of the registers before them."""
        down, up = rounding.down.add, rounding.up.add
        biases = self._biases(None if isinstance(symbol, tuple) else symbol)
        sums = self._inner.sums(lows, highs, rounding)
        totals = [(down(a, bias), up(b, bias)) for (a, b), bias in zip(sums, biases, strict=True)]
        units = zip(self._rests, totals, strict=True)
        found = [_value(rest, total, lows, highs, rounding) for rest, total in units]
        return [low for low, _ in found], [high for _, high in found]


def _value(rest: _Rest, total: Bounds, lows: list[Any], highs: list[Any], rounding: DirectedRounding) -> Bounds:
    """Return bounds of a unit, whose linear terms and bias sum to `total`."""
    low, high = total
    for first, second, weight in rest.products:
        one = lows[first], highs[first]
        least, most = rounding.square(one) if first == second else rounding.product(one, (lows[second], highs[second]))
        if weight < 0:
            least, most = most, least
        low, high = rounding.down.fma(weight, least, low), rounding.up.fma(weight, most, high)
    if rest.denominator is not None:
        low, high = rounding.down.div(low, rest.denominator), rounding.up.div(high, rest.denominator)
    return rounding.kept(_activated(rest.activation, rounding.finite((low, high)), rounding))


def _odd_denominator(unit: Unit) -> mpz:
    """Return the least number that makes the bias and the weights of a unit dyadic."""
    weights = [unit.bias, *(weight for _, weight in unit.linear), *(weight for *_, weight in unit.bilinear)]
    common = mpz(1)
    for weight in weights:
        denominator = weight.denominator
        if denominator & (denominator - 1):
            common = gmpy2.lcm(common, gmpy2.remove(denominator, 2)[0])
    return common


def _scaled_terms(unit: Unit, scale: mpz) -> list[tuple[int, mpq]]:
    """Return the linear terms of a unit times `scale`, one for each register that it reads."""
    weights: dict[int, mpq] = {}
    for register, weight in unit.linear:
        weights[register] = weights.get(register, mpq(0)) + scale * weight
    return list(weights.items())


def _activated(activation: Activation, total: Bounds, rounding: DirectedRounding) -> Bounds:
    """Return bounds of an activation: all of them increase, so that each bound goes its own way."""
    match activation.kind:
        case Kind.CLAMP:
            return _clamped(activation, total, rounding)
        case Kind.JUMP:
            assert activation.low is not None
            assert activation.high is not None
            below, above = rounding.enclosed(activation.low), rounding.enclosed(activation.high)
            return (above if total[0] > 0 else below)[0], (above if total[1] > 0 else below)[1]
        case Kind.SIGMOID:
            return rounding.sigmoid(total)
        case Kind.TANH:
            return rounding.tanh(total)
        case Kind.SOFTPLUS:
            return rounding.softplus(total)
        case Kind.EXP:
            return rounding.exp(total)
        case _:
            assert_never(activation.kind)


def _clamped(activation: Activation, total: Bounds, rounding: DirectedRounding) -> Bounds:
    low, high = total
    if activation.low is not None:
        least = rounding.enclosed(activation.low)
        low, high = max(low, least[0]), max(high, least[1])
    if activation.high is not None:
        most = rounding.enclosed(activation.high)
        low, high = min(low, most[0]), min(high, most[1])
    return low, high


class IntervalExecutor(OneByOne[IntervalState]):
    """A network in interval arithmetic; raises SizeLimitError if `limit` has no room for so many bits of all numbers.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> smooth = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh")
    >>> executor = IntervalExecutor(smooth, Interval(bits=10))
    >>> print(executor.advance(executor.start(), (mpq(1),), 1, until_decided=False).outputs[0][0])
    [0.76074, 0.76172]
    """

    def __init__(self, network: Network, arithmetic: Interval, limit: SizeLimit | None = None) -> None:
        self.network = network
        self.arithmetic = arithmetic
        self._rounding = DirectedRounding(arithmetic.bits)
        self._roundings = {arithmetic.bits: self._rounding}
        circuit = network.circuit
        registers = circuit.state_size + circuit.input_size + circuit.units + len(network.readout)
        (limit or SizeLimit()).refuse(2 * self._rounding.working_bits * registers)
        symbols = range(circuit.state_size, circuit.state_size + (circuit.input_size if network.alphabet else 0))
        with self._rounding.wide():
            self._layers = [_Layer(units, symbols) for units in circuit.layers]
            self._readout = _Layer(network.readout, range(0))
            self._start = self._state(map(self._rounding.enclosed, network.initial_state))
        libraries = {"MPFR", *(layer.library for layer in (*self._layers, self._readout))}
        self.engine = f"{arithmetic}, by {' and '.join(sorted(libraries))}"
        self._given = lru_cache(MOST_SYMBOLS)(self._new_given)

    @staticmethod
    def _state(bounds: Any) -> IntervalState:
        pairs = tuple(bounds)
        return IntervalState(tuple(low for low, _ in pairs), tuple(high for _, high in pairs))

    def start(self) -> IntervalState:
        """Return the initial state, each number between the closest bounds."""
        return self._start

    def values(self, state: IntervalState) -> tuple[Enclosure, ...]:
        """Return the enclosures of `state`."""
        with self._rounding.wide():
            return tuple(map(self._rounding.enclosure, zip(*state, strict=True)))

    def output(self, state: IntervalState) -> Output:
        """Return the readout of `state`."""
        with self._rounding.wide():
            found = self._readout.evaluate(list(state.lows), list(state.highs), None, self._rounding)
            outputs = tuple(map(self._rounding.enclosure, zip(*found, strict=True)))
        return outputs[0] if self.network.scalar_output else outputs

    def step(self, state: IntervalState, symbol: Input) -> IntervalState:
        """Return the state after one step."""
        rounding = self._rounding_after(state)
        with rounding.wide():
            given = self._given(symbol)
            lows, highs = [*state.lows, *given.lows], [*state.highs, *given.highs]
            for layer in self._layers:
                found = layer.evaluate(lows, highs, symbol, rounding)
                lows += found[0]
                highs += found[1]
        order = self.network.circuit.next_state
        return IntervalState(tuple(lows[r] for r in order), tuple(highs[r] for r in order))

    def _rounding_after(self, state: IntervalState) -> DirectedRounding:
        """Return how to round in the step after a state: what a wide enclosure has lost needs no more bits."""
        bits = self.arithmetic.bits
        if bits < LEAST_ADAPTED:
            return self._rounding
        exponent, width = gmpy2.get_exp, self._rounding.up.sub
        known = [
            max(exponent(bound) for bound in bounds if bound) - exponent(width(bounds[1], bounds[0]))
            for bounds in zip(*state, strict=True)
            if bounds[0] != bounds[1]
        ]
        if known:
            bits = min(bits, -(-max(SPARE, max(known) + SPARE) // SPARE) * SPARE)
        if bits not in self._roundings:
            self._roundings[bits] = DirectedRounding(bits)
        return self._roundings[bits]

    def _new_given(self, symbol: Input) -> IntervalState:
        """Return the input registers."""
        if isinstance(symbol, tuple):
            return self._state(map(self._rounding.enclosed, symbol))
        size = self.network.circuit.input_size
        ones = tuple(ONE if index == symbol else ZERO for index in range(size))
        return IntervalState(ones, ones)

    def watches(self, state: IntervalState, eos_steps: int) -> bool:
        """Whether states are compared: only where all numbers are known, since two runs may share an enclosure."""
        return state.lows == state.highs

    def alike(self, first: IntervalState, second: IntervalState) -> bool:
        """Whether two states are the same, and known."""
        return self.watches(first, 0) and first == second

    def step_on(self, symbol: Input) -> Callable[[IntervalState], tuple[IntervalState, Output]]:
        """Return what a step on this input does to a state, which also gives the output.

        An enclosure that does not tell whether there is a verdict ends the steps, with the outcome "undecided at these
        bits". Bounds beyond what exponents may be raise BitLimitError.
        """

        def step(before: IntervalState) -> tuple[IntervalState, Output]:
            after = self.step(before, symbol)
            return after, self.output(after)

        return step

    def pack(self, state: IntervalState) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(self.values(state))

    def unpack(self, data: object) -> IntervalState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        enclosures = unpack_enclosures(data, self.network.circuit.state_size)
        with self._rounding.wide():
            enclosed = self._rounding.enclosed
            state = self._state((enclosed(low)[0], enclosed(high)[1]) for low, high in enclosures)
        if self.values(state) != enclosures:
            raise CheckpointError(f"{shown(data)} has bounds that are no numbers of {self.arithmetic}")
        return state


# --- Runs in interval arithmetic with twice the bits again and again, until what they say is certain.


def certified_run(run_in: Callable[[Interval, float], Run], arithmetic: Certified, seconds: float) -> Run:
    """Return the first run that is decided; where none is, the last one, whose outcome says so.

    Parameters
    ----------
    run_in : callable
        The run in an interval arithmetic, for so many seconds.
    arithmetic : Certified
    seconds : float
        Time for all runs together; no other is begun after it.
    """
    began = time.perf_counter()
    left = seconds
    for interval in arithmetic.intervals:
        result = run_in(interval, left)
        outcome = _outcome(result, arithmetic)
        left = seconds - (time.perf_counter() - began)
        if outcome is not Outcome.BIT_LIMIT:
            break
        if left <= 0 and result.bits != arithmetic.most_bits:
            outcome = Outcome.TIME_LIMIT
            break
    return replace(
        result,
        arithmetic=arithmetic,
        outcome=outcome,
        engine=f"{arithmetic}: {result.engine}",
        seconds=time.perf_counter() - began,
    )


def _outcome(result: Run, arithmetic: Certified) -> Outcome:
    """Return how a run ended; of one that gives outputs only, undecided unless all of them are narrow."""
    gives_outputs = result.network.decision.protocol is Protocol.OUTPUTS
    if result.outcome is Outcome.COMPLETED or (gives_outputs and result.outcome is Outcome.STEP_LIMIT):
        for output, _ in [(result.initial_output, 1), *result.outputs.runs]:
            if not all(map(arithmetic.tells, _enclosures(output))):
                return Outcome.BIT_LIMIT
    return result.outcome


def _enclosures(output: Output) -> list[Enclosure]:
    entries = output if isinstance(output, tuple) else (output,)
    return [entry for entry in entries if isinstance(entry, Enclosure)]
