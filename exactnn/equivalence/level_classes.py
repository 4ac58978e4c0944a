"""How many of the states that words of each length lead to can be told apart by what follows."""

from collections.abc import Callable

import numpy as np

from exactnn.equivalence.continuation_classes import continuation_classes
from exactnn.equivalence.lazy_moore import UNSETTLED, Label
from exactnn.equivalence.limits import LimitReached
from exactnn.equivalence.state_levels import StateLevels
from exactnn.equivalence.state_space import Numbers

__all__ = ["INTERRUPTED", "level_classes"]

INTERRUPTED = "it was interrupted"
"""The reason why something is missing after Ctrl-C."""

BATCH = 1 << 8
"""States whose labels are asked for between two looks at the limits."""


def level_classes(
    levels: StateLevels, max_length: int, continuations: int, watch: Callable[[], object]
) -> tuple[list[tuple[int, int]], str]:
    """Return how many classes there are after words of exactly and of at most n symbols, and why some are missing.

    There is a pair for each n up to `max_length`. The levels of `continuations` more symbols are needed, unless the
    states are closed; they must have been kept. No more levels can be found after this, as labels may ask for states of
    their own. `watch` may raise LimitReached; in the time of the labels that only leaves less of them.

    Examples
    --------
    >>> from exactnn.arithmetic import EXACT
    >>> from exactnn.constructions import gated_counter
    >>> from exactnn.equivalence.subject import network_moore
    >>> levels = StateLevels(network_moore(gated_counter(), EXACT, most=1000, max_steps=0), keep=True)
    >>> for _ in range(8):
    ...     levels.deepen(watch=bool)
    >>> level_classes(levels, 4, 4, watch=bool)
    ([(1, 1), (2, 3), (3, 5), (3, 7), (4, 9)], '')
    """
    labels, reason = _labels(levels, watch)
    if len(labels) == levels.states_up_to[-1] and levels.closed_from is not None:
        last = min(max_length, levels.depth)
    else:
        known = sum(total <= len(labels) for total in levels.states_up_to) - 1
        last = min(max_length, known - continuations)
    if last < 0:
        return [], reason
    # Where all states are there, a round less than there are states splits the last class.
    rounds = min(continuations, levels.depth - last + levels.states_up_to[-1])
    sizes = [levels.states_up_to[min(last + more, levels.depth)] for more in range(rounds, -1, -1)]
    states = np.arange(sizes[1] if rounds else 0, dtype=np.int32)
    columns = [levels.moore.successors(states, symbol) for symbol in range(len(levels.moore.symbols))]
    transitions = np.stack(columns, axis=1) if columns else np.zeros((len(states), 0), dtype=np.int32)
    classes = continuation_classes(labels[: sizes[0]], transitions, sizes, watch)
    return [
        (len(np.unique(classes[level])), len(np.unique(classes[:total])))
        for level, total in zip(levels.levels[: last + 1], levels.states_up_to, strict=False)
    ], reason


def _labels(levels: StateLevels, watch: Callable[[], object]) -> tuple[Numbers, str]:
    """Return numbers of what the states say, up to the first of which it is not known, and why it is not."""
    parts = [np.zeros(0, dtype=np.int32)]
    reason = ""
    try:
        for begin in range(0, levels.states_up_to[-1], BATCH):
            watch()
            end = min(begin + BATCH, levels.states_up_to[-1])
            parts.append(levels.moore.labels(np.arange(begin, end, dtype=np.int32)))
    except LimitReached as reached:
        reason = str(reached)
    except KeyboardInterrupt:
        reason = INTERRUPTED
    numbers, where = np.unique(np.concatenate(parts), return_inverse=True)
    distinct: dict[Label, int] = {}
    meanings = [
        UNSETTLED if number == UNSETTLED else distinct.setdefault(levels.moore.label(number), len(distinct))
        for number in numbers.tolist()
    ]
    labels: Numbers = np.array(meanings, dtype=np.int32)[where]
    unknown = np.flatnonzero(labels == UNSETTLED)
    if len(unknown):
        return labels[: unknown[0]], reason or "what is said of some words is not known within the limits"
    return labels, reason
