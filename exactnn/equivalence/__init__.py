"""Deciding about automata: minimal ones, products, words that tell two apart; with arrays for millions of states."""

from exactnn.equivalence.automaton_algebra import (
    complement,
    difference,
    distinguishing_word,
    intersection,
    is_empty,
    minimal,
    product,
    shortest_accepted_word,
    symmetric_difference,
    union,
)
from exactnn.equivalence.automaton_table import AutomatonTable
from exactnn.equivalence.distinguishing import DistinguishingWord, distinguish
from exactnn.equivalence.minimisation import minimal_table, state_classes
from exactnn.equivalence.table_conversion import dfa_of, moore_machine_of, table_of

__all__ = [
    "AutomatonTable",
    "DistinguishingWord",
    "complement",
    "dfa_of",
    "difference",
    "distinguish",
    "distinguishing_word",
    "intersection",
    "is_empty",
    "minimal",
    "minimal_table",
    "moore_machine_of",
    "product",
    "shortest_accepted_word",
    "state_classes",
    "symmetric_difference",
    "table_of",
    "union",
]
