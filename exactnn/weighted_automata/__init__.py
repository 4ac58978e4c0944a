"""Weighted automata over the rationals, whose values are products of matrices: all that can be asked is decidable.

``weighted_automaton``
    What one is: its value on a word, sums, products, reversal.
``decisions``
    Its least size, and whether two are equal, with a shortest word on which they differ.
"""

from exactnn.weighted_automata.decisions import WeightedComparison, compare_weighted, minimal_weighted
from exactnn.weighted_automata.weighted_automaton import MOST_ENTRIES, WeightedAutomaton

__all__ = ["MOST_ENTRIES", "WeightedAutomaton", "WeightedComparison", "compare_weighted", "minimal_weighted"]
