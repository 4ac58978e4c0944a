"""A run for those who have no use for a part of it."""

from collections.abc import Sequence

from exactnn.arithmetic import EXACT, Arithmetic
from exactnn.errors import SizeLimitError, TimeLimitError
from exactnn.networks import Network
from exactnn.outcome import Outcome
from exactnn.simulation.result import Run
from exactnn.simulation.run import run
from exactnn.simulation.runnable import Runnable

__all__ = ["whole_run"]


def whole_run(
    network: Network | Runnable,
    word: str | Sequence[object] = "",
    *,
    arithmetic: Arithmetic = EXACT,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    record: str | int = "outputs",
) -> Run:
    """Return a run as :func:`run` does; where Ctrl-C ended it, KeyboardInterrupt is raised.

    Raises
    ------
    SizeLimitError
        If its numbers became too long.
    TimeLimitError
        If `max_seconds` were over before.
    WordError, OptionError, UnsupportedArithmeticError
        As :func:`run`.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> whole_run(halves, [1, 0, 0]).steps
    3
    """
    result = run(network, word, arithmetic=arithmetic, max_steps=max_steps, max_seconds=max_seconds, record=record)
    if result.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    if result.outcome is Outcome.TIME_LIMIT:
        raise TimeLimitError(f"{result!r}: the time was over before there was a result")
    if result.outcome is Outcome.SIZE_LIMIT:
        raise SizeLimitError(
            f"{result!r}: the next numbers would be longer than the memory allows: exactnn.run with max_bits takes more"
        )
    return result
