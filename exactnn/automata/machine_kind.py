"""What a machine is called in files and records."""

from exactnn.automata.counter_machine import CounterMachine
from exactnn.automata.dfa import DFA
from exactnn.automata.interpreter import Machine
from exactnn.automata.turing_machine import TuringMachine

__all__ = ["kind_of"]


def kind_of(machine: Machine) -> str:
    """Return "dfa", "turing_machine", "stack_machine" or "counter_machine".

    >>> kind_of(DFA(states="q", input_symbols=(), transitions={}, initial_state="q", final_states=()))
    'dfa'
    """
    if isinstance(machine, DFA):
        return "dfa"
    if isinstance(machine, CounterMachine):
        return "counter_machine"
    return "turing_machine" if isinstance(machine, TuringMachine) else "stack_machine"
