"""What learning gave: an automaton, how it was found, and what is not certified about it."""

from dataclasses import dataclass

from exactnn.arithmetic import Arithmetic, counted
from exactnn.automata import DFA, State, Transitions, word_text
from exactnn.equivalence.learning_end import LearningEnd
from exactnn.markup import Entry, Table, Tabular
from exactnn.outcome import Outcome

__all__ = ["LearnedAutomaton"]


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
