"""Machines and their direct interpreters. This folder knows nothing of numbers or networks."""

from exactnn.automata.alphabet import Symbol, Word, as_word
from exactnn.automata.configuration import LOST, TapeConfiguration, tape_configuration
from exactnn.automata.dfa import DFA
from exactnn.automata.interpreter import MachineRun, configurations, interpret
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.turing_machine import Rule, TapeKind, TuringMachine

__all__ = [
    "DFA",
    "LOST",
    "MachineRun",
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
    "tape_configuration",
]
