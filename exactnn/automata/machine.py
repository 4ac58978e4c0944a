"""Which kinds of machines there are, what each is called, and which of its states can be reached."""

import os
from typing import Any, assert_never

from exactnn.automata.counter_machine import CounterMachine
from exactnn.automata.dfa import DFA, MooreMachine
from exactnn.automata.mealy_machine import MealyMachine
from exactnn.automata.multi_tape_turing_machine import MultiTapeTuringMachine
from exactnn.automata.pushdown_automaton import PushdownAutomaton
from exactnn.automata.stack_machine import StackMachine
from exactnn.automata.transitions import State
from exactnn.automata.turing_machine import TuringMachine
from exactnn.automata.weighted_automaton import WeightedAutomaton
from exactnn.automata.weighted_pushdown_automaton import WeightedPushdownAutomaton
from exactnn.interrupts import loaded

__all__ = ["Machine", "Transducer", "ValuedMachine", "kind_of", "machine_of", "names_machine", "reachable_states"]

ValuedMachine = WeightedAutomaton | WeightedPushdownAutomaton
"""Any machine that gives words numbers, and no verdicts."""

Transducer = MooreMachine | MealyMachine
"""Any finite automaton that gives outputs, and no verdicts."""

Machine = (
    DFA
    | Transducer
    | TuringMachine
    | MultiTapeTuringMachine
    | StackMachine
    | CounterMachine
    | WeightedAutomaton
    | WeightedPushdownAutomaton
)
"""Any machine that files know, each of which has an interpreter here; `compile` takes most."""


def reachable_states(machine: TuringMachine | StackMachine) -> tuple[State, ...]:
    """Return the states that the initial one leads to by any symbols, in the machine's order."""
    found = {machine.initial_state}
    waiting = [machine.initial_state]
    while waiting:
        for rule in machine.transitions.get(waiting.pop(), {}).values():
            if rule.next_state not in found:
                found.add(rule.next_state)
                waiting.append(rule.next_state)
    return tuple(q for q in machine.states if q in found)


def kind_of(machine: Machine) -> str:
    """Return what `kind:` says in files: "dfa", "turing_machine", "stack_machine", "counter_machine" and so on.

    >>> kind_of(DFA(states="q", input_symbols=(), transitions={}, initial_state="q", final_states=()))
    'dfa'
    """
    match machine:
        case DFA():
            return "dfa"
        case MooreMachine():
            return "moore_machine"
        case MealyMachine():
            return "mealy_machine"
        case TuringMachine():
            return "turing_machine"
        case MultiTapeTuringMachine():
            return "multi_tape_turing_machine"
        case PushdownAutomaton():
            return "pushdown_automaton"
        case StackMachine():
            return "stack_machine"
        case CounterMachine():
            return "counter_machine"
        case WeightedAutomaton():
            return "weighted_automaton"
        case WeightedPushdownAutomaton():
            return "weighted_pushdown_automaton"
        case _:
            assert_never(machine)


def names_machine(value: object) -> bool:
    """Whether a value is no machine, but :func:`exactnn.load` may make one of it.

    That is text or a path, or an object of the library automata-lib, which need not be installed.

    >>> names_machine("parity"), names_machine(5)
    (True, False)
    """
    return isinstance(value, str | os.PathLike) or str(type(value).__module__).startswith("automata.")


def machine_of(value: Any) -> Any:
    """Return the machine that :func:`exactnn.load` makes of a name or the like, and anything else as it is.

    >>> machine_of("parity").states, machine_of(5)
    (('even', 'odd'), 5)
    """
    return loaded("exactnn.machine_files").load(value) if names_machine(value) else value
