"""Which states of a machine can be reached at all."""

from exactnn.automata.stack_machine import StackMachine
from exactnn.automata.transitions import State
from exactnn.automata.turing_machine import TuringMachine

__all__ = ["reachable_states"]


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
