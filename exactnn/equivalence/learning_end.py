"""Why learning ended, in words."""

from enum import StrEnum

__all__ = ["LearningEnd", "LimitReached"]


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
    LearningEnd.INTERRUPTED: "The last hypothesis before learning was interrupted. It was not found equivalent.",
}


class LimitReached(Exception):  # noqa: N818  it ends the learner, and no user sees it
    """A limit was reached in the middle of a query."""

    def __init__(self, end: LearningEnd) -> None:
        super().__init__(end)
        self.end = end
