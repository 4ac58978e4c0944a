"""Machines and their direct interpreters, weighted automata among them. This folder knows nothing of networks."""

from exactnn.automata.alphabet import Symbol, Word, as_word, is_word_family, word_of_family
from exactnn.automata.completed_table import fresh
from exactnn.automata.configuration import (
    LOST,
    NOT_CUT,
    CounterConfiguration,
    StackConfiguration,
    TapeConfiguration,
    configuration_text,
    tape_configuration,
    word_cell,
    word_text,
)
from exactnn.automata.counter_machine import (
    RESET,
    CounterMachine,
    CounterRule,
    CounterUpdate,
    Mask,
    counter_mask,
    masks,
)
from exactnn.automata.dfa import DFA, MooreMachine, Output, output_word
from exactnn.automata.drawn import Drawn, DrawnMachine
from exactnn.automata.generalized_shift import (
    LEFT_END,
    DottedSequence,
    GeneralizedShift,
    ShiftOfTape,
    ShiftRule,
    dotted_sequence,
    generalized_shift,
    shift_orbit,
    shifted,
)
from exactnn.automata.halting import Halting, decide_halting
from exactnn.automata.interpreter import Configuration, MachineRun, configurations, interpret
from exactnn.automata.listed_language import (
    LanguageSource,
    ListConfiguration,
    ListedLanguage,
    ListRun,
    ListState,
    list_configurations,
    look_up,
)
from exactnn.automata.machine import Machine, Transducer, ValuedMachine, kind_of, reachable_states
from exactnn.automata.mealy_machine import MealyMachine, moore_of_mealy, translation
from exactnn.automata.multi_tape_turing_machine import (
    MultiTapeConfiguration,
    MultiTapeRule,
    MultiTapeTuringMachine,
    Tape,
)
from exactnn.automata.nondeterministic import determinized
from exactnn.automata.nondeterministic_stack import MOST_PAIRS, NondeterministicStack, Semiring, StackWeights
from exactnn.automata.probability import (
    WordEntropy,
    is_deterministic,
    is_probabilistic,
    next_symbol_probabilities,
    normalized,
    total_weight,
    word_entropy,
)
from exactnn.automata.stack_machine import EMPTY, KEEP, POP, Operation, Reading, StackMachine, StackRule, push
from exactnn.automata.stacks_of_tapes import StacksOfTapes, from_turing_machine
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.turing_machine import Rule, TapeKind, TuringMachine
from exactnn.automata.weighted_automaton import MOST_ENTRIES, WeightedAutomaton
from exactnn.automata.weighted_decisions import WeightedComparison, compare_weighted, minimal_weighted
from exactnn.automata.weighted_pushdown_automaton import WeightedPushdownAutomaton, nondeterministic_reversal

__all__ = [
    "DFA",
    "EMPTY",
    "KEEP",
    "LEFT_END",
    "LOST",
    "MOST_ENTRIES",
    "MOST_PAIRS",
    "NOT_CUT",
    "POP",
    "RESET",
    "Configuration",
    "CounterConfiguration",
    "CounterMachine",
    "CounterRule",
    "CounterUpdate",
    "DottedSequence",
    "Drawn",
    "DrawnMachine",
    "GeneralizedShift",
    "Halting",
    "LanguageSource",
    "ListConfiguration",
    "ListRun",
    "ListState",
    "ListedLanguage",
    "Machine",
    "MachineRun",
    "Mask",
    "MealyMachine",
    "MooreMachine",
    "MultiTapeConfiguration",
    "MultiTapeRule",
    "MultiTapeTuringMachine",
    "NondeterministicStack",
    "Operation",
    "Output",
    "Reading",
    "Rule",
    "Semiring",
    "ShiftOfTape",
    "ShiftRule",
    "StackConfiguration",
    "StackMachine",
    "StackRule",
    "StackWeights",
    "StacksOfTapes",
    "State",
    "Symbol",
    "Tape",
    "TapeConfiguration",
    "TapeKind",
    "Transducer",
    "Transitions",
    "TuringMachine",
    "ValuedMachine",
    "WeightedAutomaton",
    "WeightedComparison",
    "WeightedPushdownAutomaton",
    "Word",
    "WordEntropy",
    "as_word",
    "compare_weighted",
    "configuration_text",
    "configurations",
    "counter_mask",
    "decide_halting",
    "determinized",
    "dotted_sequence",
    "fresh",
    "from_turing_machine",
    "generalized_shift",
    "interpret",
    "is_deterministic",
    "is_probabilistic",
    "is_word_family",
    "kind_of",
    "list_configurations",
    "look_up",
    "masks",
    "minimal_weighted",
    "moore_of_mealy",
    "next_symbol_probabilities",
    "nondeterministic_reversal",
    "normalized",
    "output_word",
    "push",
    "reachable_states",
    "shift_orbit",
    "shifted",
    "tape_configuration",
    "total_weight",
    "translation",
    "word_cell",
    "word_entropy",
    "word_of_family",
    "word_text",
]
