"""Machines and their direct interpreters. This folder knows nothing of numbers or networks."""

from exactnn.automata.alphabet import Symbol, Word, as_word
from exactnn.automata.configuration import LOST, TapeConfiguration, tape_configuration
from exactnn.automata.counter_configuration import CounterConfiguration
from exactnn.automata.counter_machine import (
    RESET,
    CounterMachine,
    CounterRule,
    CounterUpdate,
    Mask,
    counter_mask,
    masks,
)
from exactnn.automata.dfa import DFA
from exactnn.automata.drawn import DrawnMachine
from exactnn.automata.generalized_shift import (
    DottedSequence,
    GeneralizedShift,
    ShiftRule,
    dotted_sequence,
    shift_orbit,
    shifted,
)
from exactnn.automata.interpreter import Machine, MachineRun, configurations, interpret
from exactnn.automata.list_machine import ListConfiguration, ListRun, ListState, list_configurations, look_up
from exactnn.automata.listed_language import LanguageSource, ListedLanguage
from exactnn.automata.machine_kind import kind_of
from exactnn.automata.moore_machine import MooreMachine, Output, output_word
from exactnn.automata.multi_tape_turing_machine import (
    MultiTapeConfiguration,
    MultiTapeRule,
    MultiTapeTuringMachine,
    Tape,
)
from exactnn.automata.reachable_states import reachable_states
from exactnn.automata.shift_of_tape import LEFT_END, ShiftOfTape, generalized_shift
from exactnn.automata.shown_configuration import NOT_CUT, configuration_text, word_text
from exactnn.automata.stack_configuration import StackConfiguration
from exactnn.automata.stack_machine import EMPTY, KEEP, POP, Operation, Reading, StackMachine, StackRule, push
from exactnn.automata.stacks_of_tapes import StacksOfTapes, from_turing_machine
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.turing_machine import Rule, TapeKind, TuringMachine
from exactnn.automata.word_family import is_word_family, word_of_family

__all__ = [
    "DFA",
    "EMPTY",
    "KEEP",
    "LEFT_END",
    "LOST",
    "NOT_CUT",
    "POP",
    "RESET",
    "CounterConfiguration",
    "CounterMachine",
    "CounterRule",
    "CounterUpdate",
    "DottedSequence",
    "DrawnMachine",
    "GeneralizedShift",
    "LanguageSource",
    "ListConfiguration",
    "ListRun",
    "ListState",
    "ListedLanguage",
    "Machine",
    "MachineRun",
    "Mask",
    "MooreMachine",
    "MultiTapeConfiguration",
    "MultiTapeRule",
    "MultiTapeTuringMachine",
    "Operation",
    "Output",
    "Reading",
    "Rule",
    "ShiftOfTape",
    "ShiftRule",
    "StackConfiguration",
    "StackMachine",
    "StackRule",
    "StacksOfTapes",
    "State",
    "Symbol",
    "Tape",
    "TapeConfiguration",
    "TapeKind",
    "Transitions",
    "TuringMachine",
    "Word",
    "as_word",
    "configuration_text",
    "configurations",
    "counter_mask",
    "dotted_sequence",
    "from_turing_machine",
    "generalized_shift",
    "interpret",
    "is_word_family",
    "kind_of",
    "list_configurations",
    "look_up",
    "masks",
    "output_word",
    "push",
    "reachable_states",
    "shift_orbit",
    "shifted",
    "tape_configuration",
    "word_of_family",
    "word_text",
]
