"""Networks and automata that do the same: learning an automaton by queries."""

from exactnn.equivalence.learned_automaton import LearnedAutomaton
from exactnn.equivalence.learning import ORACLES, learn_automaton
from exactnn.equivalence.learning_end import LearningEnd

__all__ = ["ORACLES", "LearnedAutomaton", "LearningEnd", "learn_automaton"]
