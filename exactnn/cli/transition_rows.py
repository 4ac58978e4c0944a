"""A machine's transitions as JSON data."""

from typing import Any

from exactnn.automata import (
    DFA,
    CounterMachine,
    Machine,
    Mask,
    MooreMachine,
    Reading,
    StackMachine,
)

__all__ = ["transition_rows"]


def transition_rows(machine: Machine | MooreMachine) -> dict[str, dict[str, Any]]:
    """Return state -> symbol -> next state, or -> [next state, written symbol, move] of a tape machine.

    Of a stack machine state -> reading -> [next state, operations]; a reading is the tops joined by commas. Of a
    counter machine state -> symbol -> mask -> [next state, updates].
    """
    if isinstance(machine, CounterMachine):
        return {
            str(q): {
                a: {_mask(mask): [str(rule.next_state), list(rule.updates)] for mask, rule in cells.items()}
                for a, cells in row.items()
            }
            for q, row in machine.transitions.items()
        }
    if isinstance(machine, StackMachine):
        return {
            str(q): {
                _reading(r): [str(rule.next_state), list(map(" ".join, rule.operations))] for r, rule in row.items()
            }
            for q, row in machine.transitions.items()
        }
    return {
        str(q): {
            a: str(rule) if isinstance(machine, DFA | MooreMachine) else [str(rule[0]), rule[1], rule[2]]  # type: ignore[index]
            for a, rule in row.items()
        }
        for q, row in machine.transitions.items()
    }


def _reading(reading: Reading) -> str:
    return ",".join(top or "ε" for top in reading)


def _mask(mask: Mask) -> str:
    return "".join(map(str, mask))
