"""The shortest word on which two automata differ, or the proof that there is none."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.automata import Output, Word
from exactnn.equivalence.automaton_table import INT32_STATES, AutomatonTable
from exactnn.equivalence.common_alphabet import common_order

__all__ = ["DistinguishingWord", "distinguish"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinguishingWord:
    """A shortest word after which two automata have unlike labels, and these labels."""

    word: Word
    labels: tuple[Output, Output]


def distinguish(first: AutomatonTable, second: AutomatonTable) -> DistinguishingWord | None:
    """Return a shortest word on which two tables differ, or None: then they are equivalent.

    Parameters
    ----------
    first, second : AutomatonTable
        Over the same symbols, in whatever order. Labels are the same if their names are equal.

    Raises
    ------
    OptionError
        If the symbols differ.

    Notes
    -----
    The algorithm of Hopcroft and Karp, breadth first: pairs of states that one word leads to are followed unless their
    members are in one class already, the classes being the closure of the pairs followed so far. It takes near linear
    time in the states of both automata, times the symbols, and some 16 bytes of memory for each of these states.

    *The word is a shortest one.* If w = uv is a shortest distinguishing word and the pair that u leads to is not
    followed, its members are linked by pairs that were, each reached by a word no longer than u, and v tells the
    members of one link apart, since otherwise it would not tell the ends of the chain apart: the word to that link,
    with v, is a shortest distinguishing word too, and the link is followed. So, by induction over the length of v, a
    pair with unlike labels is met after as many symbols as w has, and none is met before, since w is shortest.

    References
    ----------
    J. Hopcroft and R. Karp, *A linear algorithm for testing equivalence of finite automata*, Cornell University,
    technical report 71-114, 1971.

    Examples
    --------
    >>> thirds = AutomatonTable(transitions=[[1], [2], [0]], labels=[1, 0, 0], symbols="a", label_names=["no", "yes"])
    >>> halves = AutomatonTable(transitions=[[1], [0]], labels=[1, 0], symbols="a", label_names=["no", "yes"])
    >>> distinguish(thirds, halves)
    DistinguishingWord(word=('a', 'a'), labels=('no', 'yes'))
    >>> distinguish(thirds, thirds) is None
    True
    """
    from exactnn.equivalence import distinguishing_kernels as kernels

    columns = common_order(first.symbols, second.symbols)
    names, other_names = _common_names(first, second)
    states = first.states + second.states
    kind = np.int32 if states <= INT32_STATES else np.int64
    parent = np.full(states, -1, dtype=kind)
    left, right, before = (np.empty(states, dtype=kind) for _ in range(3))
    left[0], right[0] = first.initial_state, second.initial_state
    tables = first.transitions, second.transitions, columns
    labels = first.labels, second.labels, names, other_names
    place = kernels.first_difference(*tables, *labels, parent, left, right, before)
    if place < 0:
        return None
    path = parent  # it is not needed any more, and the word has fewer symbols than there are states
    begin = kernels.path_to(place, *tables, left, right, before, path)
    return DistinguishingWord(
        word=tuple(first.symbols[column] for column in path[begin:].tolist()),
        labels=(
            first.label_names[first.labels[left[place]]],
            second.label_names[second.labels[right[place]]],
        ),
    )


def _common_names(first: AutomatonTable, second: AutomatonTable) -> list[NDArray[np.signedinteger[Any]]]:
    """Return a number for each label of both tables, equal for equal names."""
    number: dict[Output, int] = {}
    return [
        np.array([number.setdefault(name, len(number)) for name in table.label_names], dtype=np.int64)
        for table in (first, second)
    ]
