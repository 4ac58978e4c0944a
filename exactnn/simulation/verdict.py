"""How a run of a word ends, and when: nothing else of it is kept."""

from collections.abc import Callable, Sequence

from exactnn.errors import SizeLimitError
from exactnn.outcome import Outcome
from exactnn.simulation.executor import Executor
from exactnn.simulation.walk import Walk

__all__ = ["verdict_of"]

LONGEST = 1 << 62
"""Steps that are asked for at once where there is no limit."""


def verdict_of(
    executor: Executor, word: Sequence[int], limit: int | None, stopped: Callable[[], object] = bool
) -> tuple[Outcome, int]:
    """Run a word, given as numbers of symbols, for at most `limit` steps; return how it ends and the steps taken.

    KeyboardInterrupt is raised where `stopped` is found true, which is asked now and then. Where numbers get too long
    within the word, no steps are counted.
    """
    walk = Walk(executor, word, limit=limit, at_once=LONGEST)
    try:
        return walk.to_the_end(stopped), walk.position.steps
    except SizeLimitError:
        return Outcome.SIZE_LIMIT, walk.position.steps
