"""How a run of a word ends, and when: nothing else of it is kept."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from exactnn.networks import EOS
from exactnn.outcome import Outcome
from exactnn.simulation.executor import Executor, State

__all__ = ["verdict_of"]


@runtime_checkable
class Reading(Protocol):
    """An executor that reads many symbols faster than one by one."""

    def read(self, state: State, symbols: Sequence[int]) -> State:
        """Return the state after a step for each symbol."""


LONGEST = 1 << 62
"""Steps that are asked for at once where there is no limit."""


def verdict_of(
    executor: Executor, word: Sequence[int], limit: int | None, stopped: Callable[[], object] = bool
) -> tuple[Outcome, int]:
    """Run a word, given as numbers of symbols, for at most `limit` steps; return how it ends and the steps taken.

    KeyboardInterrupt is raised where `stopped` is found true, which is asked now and then.
    """
    network = executor.network
    state = executor.start()
    read = word[:limit]
    if isinstance(executor, Reading):
        state = executor.read(state, read)
    else:
        for symbol in read:
            state = executor.advance(state, symbol, 1, until_decided=False).state
    steps = len(read)
    if steps < len(word):
        return Outcome.STEP_LIMIT, steps
    if not network.decision.protocol.reads_eos:
        output = executor.output(state)
        decided = None if isinstance(output, tuple) else network.decision.outcome(output)
        return decided or Outcome.COMPLETED, steps
    assert network.alphabet is not None
    eos = network.alphabet.index(EOS)
    while limit is None or steps < limit:
        most = LONGEST if limit is None else limit - steps
        if stopped():
            raise KeyboardInterrupt
        segment = executor.advance(state, eos, most, until_decided=True)
        state, steps = segment.state, steps + segment.steps
        if segment.outcome is not None:
            return segment.outcome, steps
    return Outcome.STEP_LIMIT, steps
