"""Runs of words in an order of evaluation: plain for short words, in compiled loops for long ones."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from exactnn.arithmetic import EXACT, AnyArithmetic, Arithmetic, arithmetic_of
from exactnn.evaluation.compiled_order import CompiledWords, can_compile
from exactnn.evaluation.order import STEP, EvaluationOrder, order_of
from exactnn.evaluation.ordered import Recurrence, check_ordered, distinct_steps, states_in_order
from exactnn.networks import AnyNetwork, Input, Network, network_of
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, Output, Run, Segment, Trace, Values
from exactnn.simulation.executor import Later
from exactnn.simulation.executors import executor_for
from exactnn.simulation.result import GrowingRunLengths
from exactnn.simulation.walk import outcome_after

__all__ = ["WordInOrder", "executors_in_order", "run_in_order"]

PLAIN = 200
"""Letters of a word that takes less time in plain Python than it takes to load a compiled loop."""


class WordInOrder:
    """The executor of one word in an order of evaluation: all states are there, and a state is how many steps it took.

    Examples
    --------
    >>> from gmpy2 import mpq
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


def run_in_order(
    network: AnyNetwork,
    word: str | Sequence[object],
    order: EvaluationOrder | str,
    arithmetic: AnyArithmetic = EXACT,
    *,
    record: bool = False,
    outputs: bool = True,
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
    outputs : bool
        Keep the outputs of all steps, not of the last one alone.

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
    given = [states.output(t) for t in (range(length + 1) if outputs else sorted({0, length}))]
    kept_outputs: GrowingRunLengths[Any] = GrowingRunLengths()
    kept_outputs.extend([(output, 1) for output in given[1:]])
    outcome = outcome_after(core, length, length, given[-1])
    kept = range(length + 1 if record else 0)
    return Run(
        network=core,
        word=core.written(inputs),
        arithmetic=chosen,
        outcome=outcome or Outcome.COMPLETED,
        steps=length,
        eos_steps=0,
        _machine_steps=None,
        initial_output=given[0],
        outputs=kept_outputs.finished(),
        trace=Trace(
            names=core.circuit.state_names,
            steps=tuple(kept),
            states=tuple(map(states.values, kept)),
        ),
        _final_state=Later.known(states.values(length)),
        engine=states.engine,
        _certificate=None,
        seconds=time.perf_counter() - began,
    )
