"""What is said of automata, as text and as JSON data: labels, words, transitions, how many states there can be."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import counted
from exactnn.automata import (
    CounterMachine,
    Machine,
    Mask,
    MultiTapeTuringMachine,
    Output,
    PushdownAutomaton,
    Reading,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
    Word,
)
from exactnn.cli.printing import shortened

__all__ = [
    "bound_text",
    "label_data",
    "label_rows",
    "label_text",
    "labels_text",
    "number_texts",
    "states_text",
    "transition_rows",
    "word_text",
]

MOST_LABELS = 12
"""That are printed; a network that gives outputs may have as many labels as states."""

LARGEST_WRITTEN_OUT = 10**9


def label_data(label: Hashable) -> Any:
    """Return what a state says as JSON data.

    >>> from exactnn.outcome import Outcome
    >>> label_data(Outcome.ACCEPTED), label_data(("1/2", "0"))
    ('accepted', ['1/2', '0'])
    """
    return list(map(str, label)) if isinstance(label, tuple) else str(label)


def label_text(label: Output) -> str:
    """Return what a state says for people.

    >>> label_text(("1/2", "0"))
    '(1/2, 0)'
    """
    return shortened(f"({', '.join(map(str, label))})" if isinstance(label, tuple) else str(label), 60)


def label_rows(counts: Mapping[Any, int]) -> list[dict[str, Any]]:
    """Return labels and how many states have each as JSON data."""
    return [{"label": label_data(label), "states": count} for label, count in counts.items()]


def labels_text(counts: Mapping[Any, int]) -> str:
    """Return labels and how many states have each for people, not more than fit on a few lines.

    >>> labels_text({"accepted": 2000, "rejected": 1})
    'accepted in 2,000 states, rejected in 1 state'
    """
    parts = [f"{label_text(label)} in {counted(count, 'state')}" for label, count in counts.items()]
    more = f", and {len(parts) - MOST_LABELS:,} more" if len(parts) > MOST_LABELS else ""
    return ", ".join(parts[:MOST_LABELS]) + more


def states_text(states: int, eos_states: int) -> str:
    """Return how many states there are for people.

    >>> states_text(11, 24), states_text(5, 0)
    ('11 that words lead to, 24 more on EOS only', '5 that words lead to')
    """
    return f"{states:,} that words lead to" + (f", {eos_states:,} more on EOS only" if eos_states else "")


def word_text(word: Word, symbols: Iterable[str], limit: int = 40) -> str:
    """Return a word for people, cut where it is long.

    >>> word_text(("a", "b"), "ab"), word_text(("go", "left"), ["go", "left"]), word_text((), "ab")
    ('ab', 'go left', '(empty)')
    """
    join = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    return shortened(join.join(word), limit) if word else "(empty)"


def bound_text(bound: int | None) -> str:
    """Return how many states there can be for people: as a power of 2 where it is large.

    >>> bound_text(None), bound_text(59), bound_text(2**36), bound_text(3**40)
    ('none known beforehand', 'at most 59', 'at most 2^36', 'fewer than 2^64')
    """
    if bound is None:
        return "none known beforehand"
    if bound < LARGEST_WRITTEN_OUT:
        return f"at most {bound:,}"
    bits = bound.bit_length()
    return f"at most 2^{bits - 1}" if bound == 1 << (bits - 1) else f"fewer than 2^{bits}"


def transition_rows(machine: Machine) -> dict[str, dict[str, Any]]:
    """Return state -> symbol -> next state, or -> [next state, written symbol, move] of a tape machine.

    Of a pushdown automaton state -> symbol and top -> [next state, pushed symbols], "ε" for none. Of a stack machine
    state -> reading -> [next state, operations]; a reading is the tops joined by commas. Of a
    counter machine state -> symbol -> mask -> [next state, updates]. Of a weighted automaton state -> symbol -> row; of
    one with a stack state -> symbol -> rows [action, top, next state, new symbol unless it pops, weight].
    """
    if isinstance(machine, WeightedPushdownAutomaton):
        return _pushdown_rows(machine)
    if isinstance(machine, WeightedAutomaton):
        return {
            str(i): {a: number_texts(machine.transitions[a][i]) for a in machine.input_symbols} for i in machine.states
        }
    if isinstance(machine, CounterMachine):
        return {
            str(q): {
                a: {_mask(mask): [str(rule.next_state), list(rule.updates)] for mask, rule in cells.items()}
                for a, cells in row.items()
            }
            for q, row in machine.transitions.items()
        }
    if isinstance(machine, PushdownAutomaton):
        return {
            str(q): {_reading(r): [str(rule.next_state), list(rule.pushed)] for r, rule in row.items()}
            for q, row in machine.control.items()
        }
    if isinstance(machine, StackMachine):
        return {
            str(q): {
                _reading(r): [str(rule.next_state), list(map(" ".join, rule.operations))] for r, rule in row.items()
            }
            for q, row in machine.transitions.items()
        }
    if isinstance(machine, MultiTapeTuringMachine):
        return {
            str(q): {
                ",".join(r): [str(rule.next_state), list(rule.written), list(rule.moves)] for r, rule in row.items()
            }
            for q, row in machine.transitions.items()
        }
    if isinstance(machine, TuringMachine):
        return {
            str(q): {a: [str(rule.next_state), rule.written, rule.move] for a, rule in row.items()}
            for q, row in machine.transitions.items()
        }
    return {str(q): {a: str(target) for a, target in row.items()} for q, row in machine.transitions.items()}


def _pushdown_rows(machine: WeightedPushdownAutomaton) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {str(q): {} for q in machine.states}
    for symbol, action, (state, *key), weight in machine.actions():
        found[str(state)].setdefault(symbol, []).append([action, *map(str, key), str(weight)])
    return found


def number_texts(row: Iterable[mpq]) -> list[str]:
    """Return exact numbers as JSON data."""
    return list(map(str, row))


def _reading(reading: Reading) -> str:
    return ",".join(top or "ε" for top in reading)


def _mask(mask: Mask) -> str:
    return "".join(map(str, mask))
