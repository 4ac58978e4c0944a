"""What learning gives: hypotheses on the way, why it ended, and the automaton with what is not certified about it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from exactnn.arithmetic import Arithmetic, counted
from exactnn.automata import DFA, State, Transitions, word_text
from exactnn.markup import Entry, Table, Tabular
from exactnn.outcome import Outcome

__all__ = ["Hypothesis", "LearnedAutomaton", "LearningEnd", "LimitReached", "Word", "automaton_of", "minimal"]

Word = tuple[int, ...]
"""A word as numbers of symbols."""

ACCEPTING = (Outcome.ACCEPTED, Outcome.HALTED)
"""The outcomes of words of the language."""


class LearningEnd(StrEnum):
    """Why a learner stopped. Only ``PROVEN`` says that the automaton is right.

    >>> LearningEnd.SAMPLED.sentence
    'No word of the last sample is a counterexample. Nothing is certified about words that were not asked.'
    """

    PROVEN = "proven"
    EXPLORED = "abstraction explored"
    SAMPLED = "sample passed"
    INSEPARABLE = "inseparable states"
    QUERY_LIMIT = "query limit"
    TIME_LIMIT = "time limit"
    STATE_LIMIT = "state limit"
    SIZE_LIMIT = "size limit"
    INTERRUPTED = "interrupted"

    @property
    def sentence(self) -> str:
        """What this end proves, and what not."""
        return _SENTENCES[self]


_SENTENCES = {
    LearningEnd.PROVEN: "Every state that the network can reach was compared with the state of the automaton: the "
    "outcomes of all words are the same.",
    LearningEnd.EXPLORED: "The abstraction was explored to its end without a counterexample. It took different states "
    "of the network for one. Nothing is certified about words that were not asked.",
    LearningEnd.SAMPLED: "No word of the last sample is a counterexample. Nothing is certified about words that were "
    "not asked.",
    LearningEnd.INSEPARABLE: "Two states of the network with the same numbers go different ways, as with stochastic "
    "rounding: no abstraction tells them apart. Nothing is certified about words that were not asked.",
    LearningEnd.QUERY_LIMIT: "The last hypothesis before max_queries was reached. It was not found equivalent.",
    LearningEnd.TIME_LIMIT: "The last hypothesis before max_seconds was reached. It was not found equivalent.",
    LearningEnd.STATE_LIMIT: "The first hypothesis with more than max_states states. It was not compared.",
    LearningEnd.SIZE_LIMIT: "The last hypothesis before a word was asked whose numbers are too long for the memory. It "
    "was not found equivalent.",
    LearningEnd.INTERRUPTED: "The last hypothesis before learning was interrupted. It was not found equivalent.",
}


class LimitReached(Exception):  # noqa: N818  it ends the learner, and no user sees it
    """A limit was reached in the middle of a query."""

    def __init__(self, end: LearningEnd) -> None:
        super().__init__(end)
        self.end = end


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedAutomaton(Tabular):
    """The last hypothesis of a learner, and why it is the last one.

    Parameters
    ----------
    automaton : DFA or None
        The hypothesis, with final states for the outcomes accepted and halted. None if learning ended before there was
        one.
    outcomes : mapping from state to Outcome
        How the network's runs end on the words of each state, as far as the hypothesis is right. States are told apart
        by outcome: one that does not accept may be "rejected", "step limit" (no verdict after so many EOS steps) or
        "undecided" (NaN).
    end : LearningEnd
        Why learning ended.
    refuted : bool
        Whether a counterexample to this very automaton is known: it is wrong, and learning had no time to mend it.
    algorithm, oracle : str
    arithmetic : Arithmetic
    membership_queries : int
        Different words whose outcome was computed, for the learner, the oracle and the examples.
    hypotheses : tuple of int
        The number of states of each hypothesis: one equivalence query for each.
    counterexamples : tuple of words
        What the equivalence queries were answered with, except the last one if it was not.
    clusters : int or None
        Clusters of states in the last exploration; None for random words.
    steps : int
        Network steps that were taken.
    engine : str
    seconds : float
    """

    automaton: DFA | None
    outcomes: Transitions[State, Outcome]
    end: LearningEnd
    refuted: bool
    algorithm: str
    oracle: str
    arithmetic: Arithmetic
    membership_queries: int
    hypotheses: tuple[int, ...]
    counterexamples: tuple[tuple[str, ...], ...]
    clusters: int | None
    steps: int
    engine: str
    seconds: float

    @property
    def certified(self) -> bool:
        """Whether the automaton is proven to be the network's, for all words."""
        return self.end is LearningEnd.PROVEN

    @property
    def not_certified(self) -> str:
        """What is not certified, in words; empty if everything is."""
        if self.certified:
            return ""
        return self.end.sentence + (" A counterexample to it is known: it is wrong." if self.refuted else "")

    @property
    def equivalence_queries(self) -> int:
        """How many hypotheses were compared with the network."""
        return len(self.hypotheses)

    rounds = equivalence_queries

    def __repr__(self) -> str:
        states = "no automaton" if self.automaton is None else counted(len(self.automaton.states), "state")
        proven = "proven" if self.certified else f"not certified ({self.end}{', refuted' if self.refuted else ''})"
        return f"<learned by {self.algorithm}: {states}, {proven}, {self.membership_queries} membership queries>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        automaton = "none" if self.automaton is None else counted(len(self.automaton.states), "state")
        fields = {
            "automaton": automaton,
            "arithmetic": str(self.arithmetic),
            "proven": Entry("yes", mark="right") if self.certified else Entry(f"no: {self.end}", mark="unsure"),
            "that is": self.end.sentence,
            "refuted": Entry("a counterexample is known", mark="wrong") if self.refuted else None,
            "learner and oracle": f"{self.algorithm}, {self.oracle}",
            "membership queries": self.membership_queries,
            "states of hypotheses": ", ".join(map(str, self.hypotheses)),
            "counterexamples": ", ".join(map(word_text, self.counterexamples)),
        }
        return Table.of_fields("", fields)
