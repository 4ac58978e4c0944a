"""Which automaton a network is, and whether two systems say the same: extraction, decisions, shortest witnesses.

``extraction``
    All states of a network in an arithmetic, as an automaton; ``closure_certificate`` is the proof that none is
    missing, and ``closure_check`` checks it without the search.
``equivalent``
    Do two machines or networks say the same of every word? ``moore_machines`` and ``word_moore`` bring them into one
    form, that of ``lazy_moore``; ``values`` says what is compared by values, and decided where it is linear.
``hankel``, ``spectral``
    How few states a weighted automaton with the values of a function may have, and which one has them.
``state_growth``
    How many states words of each length lead to; ``state_levels`` finds them, length by length.
``limits``
    When a search ends although there is more to be found.
``spaces``
    The states of a network in an arithmetic, found as they are asked for.
``automata``
    Automata as tables: minimal ones, products, words that tell two apart.
``learning``
    Automata learned by asking a network for words.
"""

from exactnn.equivalence.automata.algebra import (
    DistinguishingWord,
    complement,
    difference,
    distinguish,
    distinguishing_word,
    intersection,
    is_empty,
    minimal,
    product,
    shortest_accepted_word,
    symmetric_difference,
    union,
)
from exactnn.equivalence.automata.minimisation import minimal_table, state_classes
from exactnn.equivalence.automata.table import AutomatonTable, dfa_of, moore_machine_of, table_of
from exactnn.equivalence.closure_check import CheckedAutomaton, check_extraction
from exactnn.equivalence.equivalent import Equivalence, Subject, collapse_witness, equivalent
from exactnn.equivalence.extraction import Extraction, extract_state_machine
from exactnn.equivalence.hankel import HankelRank, hankel_rank
from exactnn.equivalence.learning.learned_automaton import LearnedAutomaton, LearningEnd
from exactnn.equivalence.learning.learning import ORACLES, learn_automaton
from exactnn.equivalence.spaces.state_bound import state_bound
from exactnn.equivalence.spectral import spectral_learn
from exactnn.equivalence.state_growth import (
    ArithmeticGrowth,
    LengthStates,
    StateGrowth,
    state_growth,
    state_growth_record,
    state_growth_rows,
)

__all__ = [
    "ORACLES",
    "ArithmeticGrowth",
    "AutomatonTable",
    "CheckedAutomaton",
    "DistinguishingWord",
    "Equivalence",
    "Extraction",
    "HankelRank",
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
    "hankel_rank",
    "intersection",
    "is_empty",
    "learn_automaton",
    "minimal",
    "minimal_table",
    "moore_machine_of",
    "product",
    "shortest_accepted_word",
    "spectral_learn",
    "state_bound",
    "state_classes",
    "state_growth",
    "state_growth_record",
    "state_growth_rows",
    "symmetric_difference",
    "table_of",
    "union",
]
