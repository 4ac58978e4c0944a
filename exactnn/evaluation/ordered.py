"""A word in an order of evaluation: composites of affine steps, every product and sum in the arithmetic."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import (
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
from exactnn.evaluation.order import NOTHING, EvaluationOrder, Schedule
from exactnn.networks import AnyNetwork, Input, Network, network_of
from exactnn.networks.linear_network import affine_step
from exactnn.networks.network import input_vector
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedFixedExecutor, EmulatedState
from exactnn.simulation.executors import executor_for

__all__ = [
    "Recurrence",
    "Step",
    "affine_steps",
    "check_ordered",
    "composites_by_rounds",
    "distinct_steps",
    "states_in_order",
    "states_of_composites",
]

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
            vector = input_vector(given, size)
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
    >>> from exactnn.arithmetic import EXACT
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


def _at(places: list[Step | None], place: int) -> Step | None:
    return None if place == NOTHING else places[place]
