"""Which automaton a network is, and whether two systems say the same: extraction, decisions, shortest witnesses."""

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
from exactnn.equivalence.closure_check import CheckedAutomaton, check_extraction
from exactnn.equivalence.collapse_witness import collapse_witness
from exactnn.equivalence.distinguishing import DistinguishingWord, distinguish
from exactnn.equivalence.equivalent import Equivalence, Subject, equivalent
from exactnn.equivalence.extraction import Extraction, extract_state_machine
from exactnn.equivalence.learned_automaton import LearnedAutomaton
from exactnn.equivalence.learning import ORACLES, learn_automaton
from exactnn.equivalence.learning_end import LearningEnd
from exactnn.equivalence.minimisation import minimal_table, state_classes
from exactnn.equivalence.state_bound import state_bound
from exactnn.equivalence.state_growth import ArithmeticGrowth, LengthStates, StateGrowth, state_growth
from exactnn.equivalence.state_growth_records import state_growth_record, state_growth_rows
from exactnn.equivalence.table_conversion import dfa_of, moore_machine_of, table_of

__all__ = [
    "ORACLES",
    "ArithmeticGrowth",
    "AutomatonTable",
    "CheckedAutomaton",
    "DistinguishingWord",
    "Equivalence",
    "Extraction",
    "LearnedAutomaton",
    "LearningEnd",
    "LengthStates",
    "StateGrowth",
    "Subject",
    "check_extraction",
    "collapse_witness",
    "complement",
    "dfa_of",
    "difference",
    "distinguish",
    "distinguishing_word",
    "equivalent",
    "extract_state_machine",
    "intersection",
    "is_empty",
    "learn_automaton",
    "minimal",
    "minimal_table",
    "moore_machine_of",
    "product",
    "shortest_accepted_word",
    "state_bound",
    "state_classes",
    "state_growth",
    "state_growth_record",
    "state_growth_rows",
    "symmetric_difference",
    "table_of",
    "union",
]
