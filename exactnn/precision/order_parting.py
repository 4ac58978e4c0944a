"""Where two orders of evaluation part in a format: the first number, and the first decision, that differ on a word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from exactnn.errors import OptionError, shown
from exactnn.evaluation import STEP, EvaluationOrder, affine_steps, order_of
from exactnn.networks import Input, Network
from exactnn.precision.lockstep import Follower
from exactnn.precision.measured import Said, said_of, verdict_text, written_number
from exactnn.simulation import Executor, outcome_after

__all__ = ["Orders", "Parting", "orders_of", "parted"]

Word = tuple[object, ...]
Orders = tuple[EvaluationOrder | None, EvaluationOrder]
"""The order of training, if another run is compared, and that of inference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """Where the orders of training and of inference part on a word, in a format.

    Parameters
    ----------
    number : int
        Of the word among those that were run, from 0 on.
    word : tuple
    step : int
        After how many steps they differ for the first time.
    neuron : str or None
        The first number of the state that differs there; None where these are decisions.
    training, inference : float, int or str
        What the two orders give there: the numbers, as the nearest float64; or the decisions, as in `Flip`.
    """

    number: int
    word: Word = field(repr=False)
    step: int
    neuron: str | None
    training: Said | float
    inference: Said | float


def orders_of(network: Network, words: Iterable[Sequence[Input]], training: object, inference: object) -> Orders:
    """Return two orders of evaluation, as given or by their names; without an order of inference it is STEP.

    Raises
    ------
    OptionError
        If there is no such order.
    NetworkError
        If one is not STEP, and a unit of the network is not linear in the state: the message names it.
    """
    found: list[EvaluationOrder | None] = []
    for name, given in (("training_order", training), ("inference_order", inference)):
        try:
            found.append(None if given is None else order_of(given))
        except OptionError as error:
            raise OptionError(f"{name}={shown(given)}: {str(error).partition(': ')[2]}") from None
    first, second = found[0], found[1] or STEP
    if first not in (None, STEP) or second != STEP:
        symbols = dict.fromkeys(symbol for word in words for symbol in word)
        affine_steps(network, network.written(list(symbols)))
    return first, second


def parted(
    network: Network,
    decision: str | None,
    inputs: Sequence[Input],
    steps: int,
    training: Executor,
    inference: Executor,
) -> tuple[list[Any] | None, list[Any] | None]:
    """Return the first step with numbers that differ, as (step, place, both), and that with decisions, as JSON data.

    Compared are the first `steps` steps of the word.
    """
    runs = [Follower(training), Follower(inference)]
    numbers = decisions = None
    for step in range(steps + 1):
        if step:
            for run in runs:
                run.advance(inputs[step - 1], 1, until_decided=False)
        if numbers is None:
            both = zip(*(run.executor.values(run.state) for run in runs), strict=True)
            numbers = next(
                (
                    [step, place, written_number(first), written_number(second)]
                    for place, (first, second) in enumerate(both)
                    if first != second and (first == first or second == second)
                ),
                None,
            )
        said: list[Said] | None = None
        if decision in ("argmax", "threshold") and step:
            said = [said_of(decision, run.output) for run in runs]
        elif decision == "protocol" and step == len(inputs):
            said = [verdict_text(outcome_after(network, step, step, run.output)) for run in runs]
        if said and said[0] != said[1] and decisions is None:
            decisions = [step, *said]
        if numbers and (decisions or decision is None):
            break
    return numbers, decisions
