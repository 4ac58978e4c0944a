"""One symbol again and again: from when on the state comes round, and what bounds its period."""

from __future__ import annotations

from dataclasses import dataclass

from exactnn.arithmetic import AnyArithmetic, Arithmetic, FixedPoint, FloatFormat, arithmetic_of, count_text
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.evaluation.period_bound import period_bound
from exactnn.markup import Table, Tabular
from exactnn.networks import AnyNetwork, Input, network_of
from exactnn.options import whole_number
from exactnn.simulation import Values
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

    They are equal as numbers: -0 is 0, and a NaN is any other.

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
        What divides the period, by the theorem, from this start state and from every other from which no number
        becomes a NaN; None if it says nothing of this network, this format, or this run.
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
    descends, its square ascends. So the period divides P, or 2 P if some gate may be negative. With L layers whose
    gates may be negative the period divides 2^L, and it is 1 if all gates are 0 or more: from some n on, nothing can
    tell the word of n symbols from that of n + 1, whatever reads the state. No real diagonal network counts modulo 3,
    then, of any depth, in any such format, while its numbers are no NaN.

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
    There is no bound where numbers of the state depend on each other, as the two numbers of a complex pole do, where a
    number is not monotone in itself, and in fixed point that wraps. A NaN is neither more nor less than a number, so
    there is none where one comes round in the state, and none where one could be hidden by a jump, which makes a number
    of it: where an argument of a jump might be infinite or a NaN, by the bounds of the activations below it. Whatever
    else reads a NaN gives one, so that no NaN is hidden elsewhere.

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
    found, steps, last = _cycle(executor, given, max_steps)
    bound, remark = period_bound(core, given, chosen)
    lost = next((name for name, x in zip(core.circuit.state_names, last, strict=True) if x != x), None)
    if bound is not None and lost is not None:
        bound, remark = None, f"{lost} is a NaN"
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


def _cycle(executor: Recurring, given: Input, limit: int) -> tuple[Cycle | None, int, Values]:
    """Return the cycle that the start state runs into, if it is seen, how many steps there were, and the last state.

    Executors see a state again bit for bit. As numbers, the states of such a cycle may come round sooner.
    """

    def later(state: State, count: int) -> State:
        while count:
            segment = executor.advance(state, given, min(count, SLICE), until_decided=False)
            state, count = segment.state, count - segment.steps
        return state

    def same(first: State, second: State) -> bool:
        pairs = zip(executor.values(first), executor.values(second), strict=True)
        return all(x == y or (x != x and y != y) for x, y in pairs)

    state, steps = executor.start(), 0
    watch = Watch(start=state, anchor=state)
    while steps < limit:
        size = min(SLICE, watch.until_renewal(steps), limit - steps)
        segment = executor.advance(state, given, size, until_decided=False, anchor=watch.anchor)
        state, steps = segment.state, steps + segment.steps
        if executor.alike(state, watch.anchor):
            return watch.cycle(steps, same, later), steps, executor.values(state)
        watch = watch.renewed(steps, state)
    return None, steps, executor.values(state)
