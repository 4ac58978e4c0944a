"""A learner's hypothesis: a minimal automaton whose states are numbers and have an outcome each.

It tells outcomes apart, not just yes from no: a word without a verdict is not a rejected one. What users get of it is
a :class:`DFA`.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from exactnn.automata import DFA
from exactnn.outcome import Outcome

__all__ = ["ACCEPTING", "Hypothesis", "Word", "automaton_of", "minimal"]

Word = tuple[int, ...]
"""A word as numbers of symbols."""

ACCEPTING = (Outcome.ACCEPTED, Outcome.HALTED)
"""The outcomes of words of the language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """A complete automaton with an outcome for each state, state 0 the initial one; see :func:`minimal`.

    Parameters
    ----------
    transitions : tuple of tuple of int
        The next state, by state and number of the symbol.
    outcomes : tuple of Outcome
        What a run ends with after a word that leads to the state.
    """

    transitions: tuple[tuple[int, ...], ...]
    outcomes: tuple[Outcome, ...]

    def __len__(self) -> int:
        return len(self.outcomes)

    def state(self, word: Sequence[int], start: int = 0) -> int:
        """Return the state that `word` leads to."""
        for symbol in word:
            start = self.transitions[start][symbol]
        return start

    def outcome(self, word: Sequence[int], start: int = 0) -> Outcome:
        """Return the outcome of `word`."""
        return self.outcomes[self.state(word, start)]

    def distinguishing_suffix(self, first: int, second: int) -> Word:
        """Return a shortest word after which two different states have different outcomes."""
        reached: dict[tuple[int, int], Word] = {(first, second): ()}
        pairs = deque(reached)
        while pairs:
            pair = pairs.popleft()
            p, q = pair
            if self.outcomes[p] is not self.outcomes[q]:
                return reached[pair]
            for symbol, following in enumerate(zip(self.transitions[p], self.transitions[q], strict=True)):
                if following not in reached:
                    reached[following] = (*reached[pair], symbol)
                    pairs.append(following)
        raise AssertionError(f"states {first} and {second} are equivalent: the hypothesis is not minimal")


def minimal(transitions: Sequence[Sequence[int]], outcomes: Sequence[Outcome], start: int) -> Hypothesis:
    """Return the minimal hypothesis that is equivalent to an automaton, with states numbered in order of discovery.

    Notes
    -----
    Moore's refinement: states begin in one class for each outcome, and are parted while successors are in different
    classes. The hypotheses of Rivest and Schapire's L* need not be minimal [1]_.

    References
    ----------
    .. [1] B. Steffen, F. Howar and M. Merten, "Introduction to active automata learning from a practical perspective",
       SFM 2011.

    Examples
    --------
    >>> yes, no = Outcome.ACCEPTED, Outcome.REJECTED
    >>> minimal([[1], [2], [0]], [yes, no, yes], 0).transitions
    ((1,), (2,), (0,))
    >>> minimal([[1], [2], [1]], [yes, yes, yes], 0)
    Hypothesis(transitions=((0,),), outcomes=(<Outcome.ACCEPTED: 'accepted'>,))
    """
    classes = _numbered(outcomes)
    while True:
        finer = _numbered([(classes[q], *(classes[p] for p in row)) for q, row in enumerate(transitions)])
        if max(finer) == max(classes):
            break
        classes = finer
    found = {classes[start]: start}
    queue = deque([start])
    while queue:
        for state in transitions[queue.popleft()]:
            if classes[state] not in found:
                found[classes[state]] = state
                queue.append(state)
    number = {name: n for n, name in enumerate(found)}
    return Hypothesis(
        transitions=tuple(tuple(number[classes[p]] for p in transitions[state]) for state in found.values()),
        outcomes=tuple(outcomes[state] for state in found.values()),
    )


def _numbered(names: Sequence[object]) -> list[int]:
    """Return a number for each name, equal ones for equal names."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]


def automaton_of(hypothesis: Hypothesis, symbols: Sequence[str], name: str) -> DFA:
    """Return a hypothesis as a DFA with states q0, q1, ...; final are those whose outcome is accepted or halted.

    Examples
    --------
    >>> even = minimal([[1], [0]], [Outcome.HALTED, Outcome.STEP_LIMIT], 0)
    >>> automaton_of(even, "a", "even").final_states
    ('q0',)
    """
    names = [f"q{state}" for state in range(len(hypothesis))]
    return DFA(
        states=names,
        input_symbols=symbols,
        transitions={
            names[state]: {symbol: names[following] for symbol, following in zip(symbols, row, strict=True)}
            for state, row in enumerate(hypothesis.transitions)
        },
        initial_state=names[0],
        final_states=[q for q, outcome in zip(names, hypothesis.outcomes, strict=True) if outcome in ACCEPTING],
        name=name,
    )
