"""Machines and their direct interpreters. This folder knows nothing of numbers or networks."""

from exactnn.automata.alphabet import Symbol, Word, as_word
from exactnn.automata.configuration import LOST, TapeConfiguration, tape_configuration
from exactnn.automata.dfa import DFA
from exactnn.automata.interpreter import Machine, MachineRun, configurations, interpret
from exactnn.automata.list_machine import ListConfiguration, ListRun, ListState, list_configurations, look_up
from exactnn.automata.listed_language import LanguageSource, ListedLanguage
from exactnn.automata.moore_machine import MooreMachine, Output, output_word
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.turing_machine import Rule, TapeKind, TuringMachine
from exactnn.automata.word_family import is_word_family, word_of_family

__all__ = [
    "DFA",
    "LOST",
    "LanguageSource",
    "ListConfiguration",
    "ListRun",
    "ListState",
    "ListedLanguage",
    "Machine",
    "MachineRun",
    "MooreMachine",
    "Output",
    "Rule",
    "State",
    "Symbol",
    "TapeConfiguration",
    "TapeKind",
    "Transitions",
    "TuringMachine",
    "Word",
    "as_word",
    "configurations",
    "interpret",
    "is_word_family",
    "list_configurations",
    "look_up",
    "output_word",
    "tape_configuration",
    "word_of_family",
]
