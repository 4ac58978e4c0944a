"""A word in an order of evaluation: composites of affine steps, every product and sum in the arithmetic."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import (
    EXACT,
    RATIONAL,
    AnyArithmetic,
    Arithmetic,
    FixedOperations,
    FixedPoint,
    FloatFormat,
    FloatOperations,
    MpfrOperations,
    arithmetic_of,
    can_mpfr,
)
from exactnn.errors import NetworkError, UnsupportedArithmeticError
from exactnn.evaluation.compiled_order import CompiledWords, can_compile
from exactnn.evaluation.order import NOTHING, STEP, EvaluationOrder, Schedule, order_of
from exactnn.networks import Input, Network
from exactnn.networks.linear_network import affine_step
from exactnn.outcome import Outcome
from exactnn.simulation import AnyNetwork, Executor, Output, Run, Segment, Trace, Values, network_of
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedFixedExecutor, EmulatedState
from exactnn.simulation.executors import executor_for
from exactnn.simulation.result import GrowingRunLengths
from exactnn.simulation.walk import outcome_after

__all__ = [
    "Recurrence",
    "Step",
    "WordInOrder",
    "affine_steps",
    "check_ordered",
    "composites_by_rounds",
    "distinct_steps",
    "executors_in_order",
    "run_in_order",
    "states_in_order",
    "states_of_composites",
]

PLAIN = 200
"""Letters of a word that takes less time in plain Python than it takes to load a compiled loop."""

ONLY = "only networks that are linear in their state have an order of evaluation"

Step = tuple[tuple[dict[int, Any], ...], tuple[Any, ...]]
"""A composite h -> A h + B: the rows of A without their zeros, and B."""


def affine_steps(network: AnyNetwork, word: str | Sequence[object]) -> list[Step]:
    """Return the steps of a network on a word as pairs (A, B) for h -> A h + B, exactly.

    Raises
    ------
    NetworkError
        If a unit is not linear in the state: the message names it. If the network reads EOS symbols after the word.
    WordError
        If the word does not fit the network.

    Examples
    --------
    >>> from exactnn.networks import DiagonalSSM
    >>> affine_steps(DiagonalSSM(a=["1/2"], B=[[1]], readout_weight=[1]), [3])
    [(({0: mpq(1,2)},), (mpq(3,1),))]
    """
    core = network_of(network)
    steps, word_of = distinct_steps(core, core.inputs(word))
    return [steps[i] for i in word_of]


def distinct_steps(network: Network, inputs: Sequence[Input]) -> tuple[list[Step], list[int]]:
    """Return the steps of the inputs that there are, exactly, and which of them each input is.

    Raises
    ------
    NetworkError
        As :func:`affine_steps` does.
    """
    if network.decision.protocol.reads_eos:
        raise NetworkError(f"{network.name} reads EOS symbols until it decides: {ONLY}, and words of a known length")
    known: dict[Input, int] = {}
    found: list[Step] = []
    size = network.circuit.input_size
    for given in inputs:
        if given not in known:
            known[given] = len(found)
            vector = given if isinstance(given, tuple) else [mpq(i == given) for i in range(size)]
            forms = affine_step(network, vector, ONLY)
            rows = tuple({j: x for j, x in enumerate(form[:-1]) if x} for form in forms)
            found.append((rows, tuple(form[-1] for form in forms)))
    return found, [known[given] for given in inputs]


class _Exactly:
    """Operations on rationals."""

    multiply = staticmethod(mpq.__mul__)
    add = staticmethod(mpq.__add__)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A linear network in an arithmetic: its operations, how numbers enter it, and how outputs are read.

    The readout is that of the executor of the arithmetic, in the circuit's own order.
    """

    network: Network
    operations: Any
    number: Callable[[mpq], Any]
    zero: Any
    output: Callable[[tuple[Any, ...]], Any]
    values: Callable[[tuple[Any, ...]], Any]

    @classmethod
    def of(cls, network: AnyNetwork, arithmetic: AnyArithmetic) -> "Recurrence":
        """Return a network in an arithmetic.

        Raises
        ------
        UnsupportedArithmeticError
            If the format is fused, has an accumulator or another order of sums, or rounds at random: an order here
            rounds each product and each sum once.
        """
        core, chosen = network_of(network), arithmetic_of(arithmetic)
        check_ordered(chosen)
        if chosen.is_exact:
            exactly = executor_for(core, RATIONAL)
            return cls(core, _Exactly, mpq, mpq(0), exactly.output, exactly.values)
        assert isinstance(chosen, FloatFormat | FixedPoint)
        if isinstance(chosen, FixedPoint):
            executor: Any = EmulatedFixedExecutor(core, chosen)
            operations: Any = FixedOperations(chosen)
        else:
            kind: Any = MpfrOperations if can_mpfr(chosen) else FloatOperations
            executor, operations = EmulatedExecutor(core, chosen, kind), kind(chosen)

        def number(value: mpq) -> Any:
            return operations.number(chosen.parameters.rounded(value))

        return cls(
            core,
            operations,
            number,
            operations.number(0.0),
            lambda state: executor.output(EmulatedState(state, 0)),
            lambda state: executor.values(EmulatedState(state, 0)),
        )

    def rounded(self, step: Step) -> Step:
        """Return a step with each number rounded once."""
        rows, vector = step
        return (
            tuple({j: self.number(x) for j, x in row.items()} for row in rows),
            tuple(map(self.number, vector)),
        )

    def steps(self, word: str | Sequence[object]) -> list[Step]:
        """Return the steps of a word, each number rounded once."""
        found, word_of = distinct_steps(self.network, self.network.inputs(word))
        rounded = list(map(self.rounded, found))
        return [rounded[i] for i in word_of]

    def start(self) -> tuple[Any, ...]:
        """Return the start state."""
        return tuple(map(self.number, self.network.initial_state))

    def applied(self, step: Step, state: Sequence[Any]) -> tuple[Any, ...]:
        """Return A h + B: for each row B first, then its products from the first column to the last."""
        return tuple(self._sum(bias, row, state) for row, bias in zip(*step, strict=True))

    def _sum(self, total: Any, row: dict[int, Any], state: Sequence[Any]) -> Any:
        for j, weight in row.items():
            total = self.operations.add(total, self.operations.multiply(weight, state[j]))
        return total

    def combined(self, late: Step | None, early: Step | None) -> Step | None:
        """Return the composite (A2 A1, A2 B1 + B2); None is (1, 0), with which nothing is composed."""
        if late is None or early is None:
            return late or early
        rows, vector = early
        product = []
        for row in late[0]:
            entries: dict[int, Any] = {}
            for k, weight in row.items():
                for j, other in rows[k].items():
                    term = self.operations.multiply(weight, other)
                    entries[j] = self.operations.add(entries[j], term) if j in entries else term
            product.append(dict(sorted(entries.items())))
        return tuple(product), self.applied(late, vector)


def check_ordered(arithmetic: Arithmetic) -> None:
    """Raise UnsupportedArithmeticError for a format whose operations are no products and sums, each rounded once."""
    match arithmetic:
        case FloatFormat() | FixedPoint() if (
            arithmetic.fused
            or arithmetic.accumulator is not None
            or arithmetic.summation != "bias first"
            or arithmetic.rounds_at_random
        ):
            raise UnsupportedArithmeticError(
                f"{arithmetic} fuses or reorders sums, has an accumulator, or rounds at random: an order of evaluation "
                "rounds every product and every sum to one format; give such a format"
            )


def states_in_order(recurrence: Recurrence, steps: Sequence[Step], order: EvaluationOrder) -> list[tuple[Any, ...]]:
    """Return the states after all steps of a word, the start state first, as an order says.

    Examples
    --------
    >>> from exactnn.evaluation.order import BLELLOCH
    >>> from exactnn.networks import DiagonalSSM
    >>> halves = Recurrence.of(DiagonalSSM(a=["1/2"], B=[[1]], readout_weight=[1]), EXACT)
    >>> states_in_order(halves, halves.steps([1, 0, 4]), BLELLOCH)[1:]
    [(mpq(1,1),), (mpq(1,2),), (mpq(17,4),)]
    """
    schedule = order.schedule(len(steps))
    *_, places = composites_by_rounds(recurrence, steps, schedule)
    return states_of_composites(recurrence, places, schedule)


def composites_by_rounds(
    recurrence: Recurrence, steps: Sequence[Step], schedule: Schedule
) -> Iterator[list[Step | None]]:
    """Yield the composites in all places before the first round and after each, one list that changes; None: (1, 0)."""
    places: list[Step | None] = [*steps, *[None] * (schedule.places - len(steps))]
    yield places
    for round_ in schedule.rounds:
        read = [(there, _at(places, late), _at(places, early)) for there, late, early in round_]
        for there, late, early in read:
            places[there] = recurrence.combined(late, early)
        yield places


def states_of_composites(
    recurrence: Recurrence, places: Sequence[Step | None], schedule: Schedule
) -> list[tuple[Any, ...]]:
    """Return the states after all steps, the start state first, from what is in the places after the last round."""
    states = [recurrence.start()]
    for applications in schedule.outputs:
        state = states[applications[0][0]]
        for _, place in applications:
            composite = places[place]
            if composite is not None:
                state = recurrence.applied(composite, state)
        states.append(state)
    return states


class WordInOrder:
    """The executor of one word in an order of evaluation: all states are there, and a state is how many steps it took.

    Examples
    --------
    >>> from exactnn.evaluation.order import KOGGE_STONE
    >>> from exactnn.networks import DiagonalSSM
    >>> halves = DiagonalSSM(a=["1/2"], B=[[1]], readout_weight=[1])
    >>> word = WordInOrder(halves, EXACT, halves.inputs([1, 0, 4]), KOGGE_STONE)
    >>> word.advance(word.start(), (mpq(1),), 1, until_decided=False).outputs, word.values(3)
    ([(mpq(1,1), 1)], (mpq(17,4),))
    """

    paces_itself = False

    def __init__(
        self, network: Network, arithmetic: Arithmetic, inputs: Sequence[Input], order: EvaluationOrder
    ) -> None:
        check_ordered(arithmetic)
        self.network = network
        self.engine = f"{arithmetic} in the order {order!r}"
        steps, word = distinct_steps(network, inputs)
        self._states: Sequence[Any]
        self._recurrence: CompiledWords | Recurrence
        if len(word) > PLAIN and can_compile(arithmetic, steps):
            compiled = CompiledWords(network, arithmetic, steps)
            self._recurrence, self._states = compiled, compiled.states(np.array([word]), order)[0]
        else:
            recurrence = Recurrence.of(network, arithmetic)
            rounded = list(map(recurrence.rounded, steps))
            states = states_in_order(recurrence, [rounded[i] for i in word], order)
            self._recurrence, self._states = recurrence, states

    def start(self) -> int:
        """Return the state before the word."""
        return 0

    def output(self, state: int) -> Output:
        """Return the readout after so many steps."""
        return self._recurrence.output(self._states[state])

    def values(self, state: int) -> Values:
        """Return the numbers of the state after so many steps."""
        return self._recurrence.values(self._states[state])

    def advance(self, state: int, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Go on by `count` steps of the word, whose symbols they read; nothing is decided before its end."""
        outputs = [(self.output(state + 1 + t), 1) for t in range(count)]
        return Segment(steps=count, outputs=outputs, state=state + count, outcome=None)

    def pack(self, state: int) -> object:
        """Return the state as JSON data."""
        return state

    def unpack(self, data: Any) -> int:
        """Return the state that :meth:`pack` wrote."""
        return int(data)


def executors_in_order(
    network: Network, arithmetic: AnyArithmetic, order: EvaluationOrder
) -> Callable[[Sequence[Input]], Executor]:
    """Return what makes an executor for the inputs of a word in an order; step by step it is the network's own.

    Raises
    ------
    UnsupportedArithmeticError
        If the order is not STEP, and the format fuses or reorders sums, or rounds at random.
    """
    chosen = arithmetic_of(arithmetic)
    if order == STEP:
        executor = executor_for(network, chosen)
        return lambda inputs: executor
    check_ordered(chosen)
    return lambda inputs: WordInOrder(network, chosen, inputs, order)


def _at(places: list[Step | None], place: int) -> Step | None:
    return None if place == NOTHING else places[place]


def run_in_order(
    network: AnyNetwork,
    word: str | Sequence[object],
    order: EvaluationOrder | str,
    arithmetic: AnyArithmetic = EXACT,
    *,
    record: bool = False,
) -> Run:
    """Run a linear recurrence on a word in an order of evaluation; :func:`exactnn.run` with `order` calls it.

    A step of the network is a matrix A and a vector B for each symbol, exactly; their numbers are rounded once, and
    then every product and every sum.

    Parameters
    ----------
    network : Network, Construction, machine or name of a machine
    word : str or sequence
    order : EvaluationOrder or str
    arithmetic : Arithmetic
    record : bool
        Keep all states.

    Raises
    ------
    NetworkError
        If a unit is not linear in the state: the message names it.
    UnsupportedArithmeticError
        If the format fuses or reorders sums, or rounds at random.

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16
    >>> from exactnn.evaluation.order import KOGGE_STONE, STEP
    >>> from exactnn.networks import DiagonalSSM
    >>> net = DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
    >>> [run_in_order(net, "---+++-", order, BFLOAT16).verdict.value for order in (STEP, KOGGE_STONE)]
    ['reject', 'accept']
    """
    began, chosen, scheme = time.perf_counter(), arithmetic_of(arithmetic), order_of(order)
    core = network_of(network)
    inputs = core.inputs(word)
    states = WordInOrder(core, chosen, inputs, scheme)
    length = len(inputs)
    given = [states.output(t) for t in range(length + 1)]
    outputs: GrowingRunLengths[Any] = GrowingRunLengths()
    outputs.extend([(output, 1) for output in given[1:]])
    outcome = outcome_after(core, length, length, given[-1])
    kept = range(length + 1 if record else 0)
    return Run(
        network=core,
        word=core.written(inputs),
        arithmetic=chosen,
        outcome=outcome or Outcome.COMPLETED,
        steps=length,
        eos_steps=0,
        machine_steps=None,
        initial_output=given[0],
        outputs=outputs.finished(),
        trace=Trace(
            names=core.circuit.state_names,
            steps=tuple(kept),
            states=tuple(map(states.values, kept)),
        ),
        final_state=states.values(length),
        engine=states.engine,
        _certificate=None,
        seconds=time.perf_counter() - began,
    )
