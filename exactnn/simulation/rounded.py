"""Executor in floating-point formats of up to 53 bits and 10 bits of exponent: every operation rounded, in numba."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import FloatFormat, FloatOperations, Rounding, has_number
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation import rounded_kernels as kernels
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.float_rows import FloatRows, Rows
from exactnn.simulation.packed import pack_number, pack_numbers, unpack_floats, unpack_integer

__all__ = ["RoundedExecutor", "RoundedState", "can_round"]

MOST_OUTPUTS = 1 << 16
"""Outputs of one call of `advance`, which are kept until it returns."""

MOST_OPERATIONS = 1 << 62
"""Operations of a run that are counted."""

DOUBLE = 53
"""Bits of the significand of float64."""

_MOST = {Rounding.NEAREST_AWAY: DOUBLE - 1, Rounding.STOCHASTIC: 20}
"""Bits for which float64 has enough to say how to round; as many as its own otherwise."""

_ORDERS = {"bias first": kernels.BIAS_FIRST, "bias last": kernels.BIAS_LAST, "pairwise": kernels.PAIRWISE}


def can_round(format: FloatFormat) -> bool:
    """Return whether the compiled loops compute in a format."""
    inner = format.accumulator or format
    return (
        all(part.precision <= _MOST.get(part.rounding, DOUBLE) for part in (format, inner))
        and all(part.largest_exponent <= 511 for part in (format, inner))
        and (not format.fused or _products_are_exact(format, inner))
    )


def _products_are_exact(format: FloatFormat, inner: FloatFormat) -> bool:
    return format.precision + max(format.precision, inner.precision) <= DOUBLE


def _plain(format: FloatFormat, products_exact: bool) -> kernels.Format:
    """Return a format as the compiled loops take it."""
    mode = format.rounding
    to_nearest = mode in (Rounding.NEAREST_EVEN, Rounding.NEAREST_AWAY)
    smallest = float(mpq(2) ** format.smallest_exponent)
    precise = format.precision == DOUBLE
    huge = 2 * format.largest
    return (
        2.0 ** (DOUBLE - format.precision),
        2.0 ** (1 - format.precision),
        smallest if format.subnormals else smallest / 2,  # nothing is kept of the binades further down
        products_exact,
        mode is Rounding.NEAREST_EVEN and (precise or 2 * format.precision + 2 <= DOUBLE),
        mode is Rounding.NEAREST_EVEN,
        0.5 if to_nearest else (-1.0 if mode is Rounding.STOCHASTIC else 0.0),
        to_nearest or mode in (Rounding.UP, Rounding.STOCHASTIC),
        to_nearest or mode in (Rounding.DOWN, Rounding.STOCHASTIC),
        mode is Rounding.NEAREST_AWAY,
        0.0 if format.subnormals else smallest,
        float(format.largest),
        float(format.rounded(huge)),
        float(format.rounded(-huge)),
        float(FloatOperations(format).convert(float("inf"))),
        mode is Rounding.DOWN,
        np.uint64(format.seed),  # of one type, whatever its size
    )


@dataclass(frozen=True, slots=True)
class RoundedState:
    """The numbers of a state, and how many operations there were before, which chooses the random numbers."""

    numbers: NDArray[np.float64]
    count: int


class RoundedExecutor:
    """A network in a floating-point format; see :func:`can_round`."""

    paces_itself = False

    def __init__(self, network: Network, format: FloatFormat) -> None:
        self.network = network
        self.format = format
        self.engine = f"{format}, rounded (numba)"
        circuit = network.circuit
        self._maker = FloatRows(format.nearest, np.float64)
        self._units = self._maker.rows([unit for layer in circuit.layers for unit in layer])
        self._readout = self._maker.rows(network.readout)
        self._next_state = np.array(circuit.next_state, dtype=np.uint32)
        self._first_unit = circuit.state_size + circuit.input_size
        self._terms = 2 + max(_longest(self._units), _longest(self._readout))
        self._manner = self._manner_of(format)
        nearest = format.nearest(network.decision.threshold)
        over = nearest > network.decision.threshold  # x > threshold, exactly, for every number x of the format
        self._threshold = np.nextafter(nearest, -np.inf) if over else nearest
        self._stochastic = Rounding.STOCHASTIC in (format.rounding, (format.accumulator or format).rounding)

    def _manner_of(self, format: FloatFormat) -> kernels.Manner:
        inner = format.accumulator or format
        exact = _products_are_exact(format, inner)
        order = kernels.FUSED if format.fused else _ORDERS[format.summation]
        biases = np.concatenate([self._units[0], self._readout[0]])
        weights = np.concatenate([part[i] for part in (self._units, self._readout) for i in (4, 8)])
        # A linear term that is 0 changes no sum but one that is -0, or begins with it; and it takes a random number.
        skip = (
            format.accumulator is None
            and format.subnormals
            and format.rounding not in (Rounding.DOWN, Rounding.STOCHASTIC)
            and order in (kernels.BIAS_FIRST, kernels.FUSED)
            and not ((biases == 0) & np.signbit(biases)).any()
            and bool(np.isfinite(weights).all())
        )
        return (_plain(inner, exact), _plain(format, exact), format.accumulator is not None, order, skip)

    def start(self) -> RoundedState:
        """Return the initial state, rounded to nearest."""
        return RoundedState(self._maker.floats(self.network.initial_state), 0)

    def values(self, state: RoundedState) -> tuple[float, ...]:
        """Return the numbers of `state`."""
        return tuple(state.numbers.tolist())

    def output(self, state: RoundedState) -> Output:
        """Return the readout of `state`."""
        registers, active = self._registers(state)
        active[: len(state.numbers)] = state.numbers != 0
        results = np.empty((len(self.network.readout), 1))
        terms = np.empty((self._terms, 1))
        kernels.evaluate(self._readout, registers, active, results, terms, self._manner, -1, state.count)
        return self._as_output(results[:, 0])

    def _as_output(self, outputs: NDArray[np.float64]) -> Output:
        return float(outputs[0]) if self.network.scalar_output else tuple(outputs.tolist())

    def _registers(self, state: RoundedState) -> tuple[Any, Any]:
        registers = np.zeros((self._first_unit + self.network.circuit.units, 1))
        registers[: len(state.numbers), 0] = state.numbers
        return registers, np.zeros(len(registers), dtype=np.bool_)

    def advance(self, state: RoundedState, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times, or as often as there is room for the outputs."""
        circuit = self.network.circuit
        registers, active = self._registers(state)
        if isinstance(symbol, tuple):
            registers[circuit.state_size : self._first_unit, 0] = self._maker.floats(symbol)
        else:
            registers[circuit.state_size + symbol] = 1
        width = len(self.network.readout)
        outputs = np.empty((min(count, max(1, MOST_OUTPUTS // max(1, width))), width, 1))
        terms = np.empty((self._terms, 1))
        steps, operations = kernels.advance_lanes(
            self._units, self._readout, self._next_state, registers, active, terms, self._first_unit,
            outputs, self._manner, self._threshold, until_decided, state.count,
        )  # fmt: skip
        following = RoundedState(registers[: circuit.state_size, 0].copy(), operations if self._stochastic else 0)
        outcome = None
        if until_decided and steps:
            outcome = self.network.decision.outcome(float(outputs[steps - 1, 0, 0]))
        found = [(self._as_output(row), 1) for row in outputs[:steps, :, 0]]
        return Segment(steps=steps, outputs=found, state=following, outcome=outcome)

    def pack(self, state: RoundedState) -> object:
        """Return `state` as JSON data."""
        return {"numbers": pack_numbers(self.values(state)), "operations": pack_number(state.count)}

    def unpack(self, data: object) -> RoundedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        if not isinstance(data, dict) or data.keys() != {"numbers", "operations"}:
            raise CheckpointError(f"{shown(data)} is no state in {self.format}")
        values = unpack_floats(data["numbers"], self.network.circuit.state_size)
        for value in values:
            if not has_number(self.format, value):
                raise CheckpointError(f"{shown(value)} is no number of {self.format}")
        count = unpack_integer(data["operations"])
        if count > MOST_OPERATIONS:
            raise CheckpointError(f"{shown(count)} operations are more than there can have been")
        return RoundedState(np.array(values, dtype=np.float64), count)


def _longest(rows: Rows) -> int:
    """Return how many terms the longest unit has."""
    return int(np.max(np.diff(rows[2].astype(np.int64)) + np.diff(rows[5].astype(np.int64)), initial=0))
