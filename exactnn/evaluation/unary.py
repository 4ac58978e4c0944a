"""One symbol again and again: from when on the state comes round, and what bounds its period."""

from dataclasses import dataclass
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from typing import assert_never

from gmpy2 import mpq

from exactnn.arithmetic import AnyArithmetic, Arithmetic, FixedPoint, FloatFormat, arithmetic_of, count_text
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.markup import Table, Tabular
from exactnn.networks import Input, Network, Unit
from exactnn.options import whole_number
from exactnn.simulation import AnyNetwork, network_of
from exactnn.simulation.cycle import Cycle, Recurring
from exactnn.simulation.executor import State
from exactnn.simulation.executors import executor_for
from exactnn.simulation.stepping import Watch

__all__ = ["UnaryPeriod", "unary_period"]

SLICE = 1 << 16
"""How many steps are taken at a time: outputs are not kept longer."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UnaryPeriod(Tabular):
    """What :func:`unary_period` found: the states after i and after i + `period` symbols are equal from i = `index` on.

    Parameters
    ----------
    network, symbol : str
        The name of the network, and what it reads again and again.
    arithmetic : Arithmetic
    index, period : int or None
        The least that there are; None if no state came again within `steps`.
    steps : int
        How many steps were taken to see a state again; or all that were asked for.
    bound : int or None
        What divides every period, by the theorem, from every start state and in every format whose rounding is
        monotone; None if it says nothing of this network, or of this format.
    remark : str
        Why there is no bound; empty if there is one.
    """

    network: str
    symbol: str
    arithmetic: Arithmetic
    index: int | None
    period: int | None
    steps: int
    bound: int | None
    remark: str

    def __repr__(self) -> str:
        return f"<UnaryPeriod of {self.network} on {self.symbol} in {self.arithmetic}: {self._found()}>"

    def _found(self) -> str:
        divides = "" if self.bound is None else f"; the period divides {count_text(self.bound)}"
        if self.index is None or self.period is None:
            return f"no state twice in {count_text(self.steps)} steps{divides}"
        return f"period {count_text(self.period)} from {count_text(self.index)} on{divides}"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        return Table.of_fields(
            "",
            {
                "network": self.network,
                "symbol": self.symbol,
                "arithmetic": str(self.arithmetic),
                "index": self.index,
                "period": self.period,
                "the period divides": self.remark if self.bound is None else count_text(self.bound),
            },
        )


def unary_period(
    network: AnyNetwork, symbol: object, arithmetic: AnyArithmetic, *, max_steps: int = 10_000_000
) -> UnaryPeriod:
    """Return from when on the state of a network that reads one symbol again and again comes round, in a format.

    A format has finitely many numbers, so it always does. If the numbers of the state stand in layers, then there is a
    bound. Let each number depend on itself and on those of lower layers only, and let it be monotone in itself, which
    means that it is multiplied by a gate, positive or not, that lower layers and the symbol decide. Rounding is
    monotone, and so is every activation. While the lower layers come round with period P, a layer is moved by one
    monotone function every P steps. If that ascends, an orbit of it ascends or descends to a fixed point; if it
    descends, its square ascends. So the period is P, or 2 P if some gate may be negative. With L layers whose gates may
    be negative the period divides 2^L, and it is 1 if all gates are 0 or more: from some n on, nothing can tell the
    word of n symbols from that of n + 1, whatever reads the state. No real diagonal network counts modulo 3, then, of
    any depth, in any such format.

    Parameters
    ----------
    network : Network, Construction, machine or name of a machine
    symbol : str, or vector of numbers
        What is read at each step: one symbol, or one vector for networks that read vectors.
    arithmetic : Arithmetic
        A format. In exact arithmetic a state need not come again.
    max_steps : int
        How many steps are taken to see a state again. It is seen within three times the index and the period together.

    Raises
    ------
    UnsupportedArithmeticError
        If the arithmetic is no format, or rounds at random: such rounding is not monotone, and no state has one next.
    WordError
        If the network does not read the symbol.
    OptionError
        If `max_steps` is no whole number of at least 1.

    Notes
    -----
    The bound holds as long as no number is a NaN. There is none where numbers of the state depend on each other, as the
    two numbers of a complex pole do, where a number is not monotone in itself, and in fixed point that wraps.

    References
    ----------
    For finite precision in words: R. Grazzi et al., "Unlocking state-tracking in linear RNNs through negative
    eigenvalues", 2024, arXiv:2411.12537; Y. Sarrof, Y. Veitsman and M. Hahn, "The expressive capacity of state space
    models: a formal language perspective", 2024, arXiv:2405.17394. Monotone rounding as the reason is ours.

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16, FLOAT16
    >>> from exactnn.constructions import parity_unit, word_problem
    >>> from exactnn.networks import DiagonalSSM
    >>> decay = DiagonalSSM(a=["9/10"], B=[[1]], readout_weight=[1], alphabet="1")
    >>> unary_period(decay, "1", BFLOAT16)
    <UnaryPeriod of diagonal SSM on 1 in bfloat16: period 1 from 32 on; the period divides 1>
    >>> unary_period(parity_unit(), "1", BFLOAT16)
    <UnaryPeriod of parity_unit on 1 in bfloat16: period 2 from 0 on; the period divides 2>
    >>> unary_period(word_problem("Z5", "rotation"), "a", FLOAT16).remark
    'h[0] and h[1] depend on each other'
    """
    core, chosen = network_of(network), arithmetic_of(arithmetic)
    whole_number("max_steps", max_steps, 1)
    if not isinstance(chosen, FloatFormat | FixedPoint):
        raise UnsupportedArithmeticError(
            f"arithmetic={shown(arithmetic)}: its numbers need not come round; give a format, such as bfloat16"
        )
    if chosen.rounds_at_random:
        raise UnsupportedArithmeticError(
            f"{chosen} rounds at random, which is not monotone, and a state has no one next state; give a format with "
            "another rounding"
        )
    (given,) = core.inputs([symbol])
    executor = executor_for(core, chosen)
    assert isinstance(executor, Recurring)
    found, steps = _cycle(executor, given, max_steps)
    bound, remark = _bound(core, given, chosen)
    return UnaryPeriod(
        network=core.name,
        symbol=symbol if isinstance(symbol, str) else shown(symbol),
        arithmetic=chosen,
        index=None if found is None else found.preperiod,
        period=None if found is None else found.period,
        steps=steps,
        bound=bound,
        remark=remark,
    )


def _cycle(executor: Recurring, given: Input, limit: int) -> tuple[Cycle | None, int]:
    """Return the cycle that the start state runs into, if it is seen within so many steps, and how many there were."""

    def later(state: State, count: int) -> State:
        while count:
            segment = executor.advance(state, given, min(count, SLICE), until_decided=False)
            state, count = segment.state, count - segment.steps
        return state

    state, steps = executor.start(), 0
    watch = Watch(start=state, anchor=state)
    while steps < limit:
        size = min(SLICE, watch.until_renewal(steps), limit - steps)
        segment = executor.advance(state, given, size, until_decided=False, anchor=watch.anchor)
        state, steps = segment.state, steps + segment.steps
        if executor.alike(state, watch.anchor):
            return watch.cycle(steps, executor.alike, later), steps
        watch = watch.renewed(steps, state)
    return None, steps


# --- The theorem: which numbers of the state depend on which, and how.


class _Way(Enum):
    """How a number depends on one number of the state, the others held: what every unit keeps or turns round."""

    ASCENDS = "ascends"
    DESCENDS = "descends"
    EITHER = "ascends or descends, as other numbers decide"
    NEITHER = "is not known to be monotone"

    def times(self, sign: "_Sign") -> "_Way | None":
        """Return the way of a product with a factor of that sign, which does not depend on the number."""
        match sign:
            case _Sign.ZERO:
                return None
            case _Sign.POSITIVE:
                return self
            case _Sign.NEGATIVE:
                return {_Way.ASCENDS: _Way.DESCENDS, _Way.DESCENDS: _Way.ASCENDS}.get(self, self)
            case _Sign.ANY:
                return _Way.NEITHER if self is _Way.NEITHER else _Way.EITHER
            case _:
                assert_never(sign)


class _Sign(Enum):
    """What is known of the sign of a number: that it is at least 0, at most 0, both, or nothing."""

    ZERO = (False, False)
    POSITIVE = (False, True)
    NEGATIVE = (True, False)
    ANY = (True, True)

    @classmethod
    def of(cls, number: mpq) -> "_Sign":
        return cls((number < 0, number > 0))

    def times(self, other: "_Sign") -> "_Sign":
        (below, above), (low, high) = self.value, other.value
        return _Sign(((below and high) or (above and low), (below and low) or (above and high)))

    def plus(self, other: "_Sign") -> "_Sign":
        return _Sign((self.value[0] or other.value[0], self.value[1] or other.value[1]))


@dataclass(frozen=True, slots=True)
class _Register:
    """A register of a step: its sign, and in which way it depends on which numbers of the state."""

    sign: _Sign
    ways: dict[int, _Way]


def _registers(core: Network, given: Input) -> list[_Register]:
    """Return the registers of a step on an input, after the first step.

    Of numbers that depend on no state only the signs are used: a sum of rounded terms has the sign of the terms if all
    have one, and else any.
    """
    circuit = core.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    first_unit = circuit.state_size + circuit.input_size
    registers = []
    for i, source in enumerate(circuit.next_state):
        low, high = _bounds(units[source - first_unit]) if source >= first_unit else (True, True)
        registers.append(_Register(_Sign((low, high)), {i: _Way.ASCENDS}))
    vector = given if isinstance(given, tuple) else [mpq(i == given) for i in range(circuit.input_size)]
    registers += [_Register(_Sign.of(entry), {}) for entry in vector]
    for layer in circuit.layers:
        registers += [_register(unit, registers) for unit in layer]
    return registers


def _bounds(unit: Unit) -> tuple[bool, bool]:
    """Return whether a unit may be below 0, and above 0, by its activation alone."""
    low, high = unit.activation.low, unit.activation.high
    return low is None or low < 0, high is None or high > 0


def _register(unit: Unit, registers: list[_Register]) -> _Register:
    """Return what is known of a unit; its activation, whichever it is, never descends."""
    sign, ways = _Sign.of(unit.bias), dict[int, _Way]()
    for register, weight in unit.linear:
        sign = sign.plus(_Sign.of(weight).times(registers[register].sign))
        _add(ways, registers[register].ways, _Sign.of(weight))
    for first, second, weight in unit.bilinear:
        left, right = registers[first], registers[second]
        sign = sign.plus(_Sign.of(weight).times(left.sign).times(right.sign))
        for one, other in ((left, right), (right, left)):
            alone = {i: _Way.NEITHER if i in other.ways else way for i, way in one.ways.items()}
            _add(ways, alone, _Sign.of(weight).times(other.sign))
    below, above = _bounds(unit)
    if unit.activation.keeps_zero:
        below, above = below and sign.value[0], above and sign.value[1]
    return _Register(_Sign((below, above)), ways)


def _add(ways: dict[int, _Way], more: dict[int, _Way], factor: _Sign) -> None:
    """Add a term to a sum: with two that go different ways nothing is known."""
    for i, way in more.items():
        turned = way.times(factor)
        if turned is not None:
            together = turned is not _Way.EITHER and ways.get(i) is turned
            ways[i] = turned if i not in ways or together else _Way.NEITHER


def _bound(core: Network, given: Input, format: FloatFormat | FixedPoint) -> tuple[int | None, str]:
    """Return what divides every period, or None and why the theorem does not say it."""
    inner: FloatFormat | FixedPoint | None = format
    while inner is not None:
        if isinstance(inner, FixedPoint) and inner.overflow == "wrap":
            return None, f"{inner} wraps round, which is not monotone"
        inner = inner.accumulator
    names = core.circuit.state_names
    registers = _registers(core, given)
    ways = [registers[source].ways for source in core.circuit.next_state]
    try:
        order = TopologicalSorter({i: each.keys() - {i} for i, each in enumerate(ways)}).static_order()
        exponents: dict[int, int] = {}
        for i in order:
            own = ways[i].get(i)
            if own is _Way.NEITHER:
                return None, f"{names[i]} is not known to be monotone in itself"
            below = max((exponents[j] for j in ways[i] if j != i), default=0)
            exponents[i] = below + (own in (_Way.DESCENDS, _Way.EITHER))
    except CycleError as error:
        together = sorted(set(error.args[1]))
        return None, f"{' and '.join(names[i] for i in together[:3])} depend on each other"
    return 2 ** max(exponents.values(), default=0), ""
