"""Checks that every kind of machine shares; each returns the faults it finds as sentences."""

from collections.abc import Iterable

from exactnn.automata.transitions import State
from exactnn.errors import shown

__all__ = ["symbol_faults", "unlike_names"]


def symbol_faults(symbols: Iterable[object], what: str) -> list[str]:
    """Return a fault for each symbol that is not a non-empty string.

    >>> symbol_faults(["a", "", 3], "input symbol")
    ["input symbol '' is empty: a symbol is a non-empty string", 'input symbol 3 is not a string: write it as text']
    """
    faults = []
    for symbol in symbols:
        if not isinstance(symbol, str):
            faults.append(f"{what} {shown(symbol)} is not a string: write it as text")
        elif not symbol:
            faults.append(f"{what} '' is empty: a symbol is a non-empty string")
    return faults


def unlike_names(states: Iterable[State]) -> list[str]:
    """Return a fault for every two states that print alike, since units and reports are named after states.

    >>> unlike_names([1, "1"])
    ["states 1 and '1' have the same name: rename one"]
    """
    faults = []
    names: dict[str, State] = {}
    for state in states:
        other = names.setdefault(str(state), state)
        if other != state:
            faults.append(f"states {shown(other)} and {shown(state)} have the same name: rename one")
    if not names:
        faults.append("there are no states: a machine has at least its initial state")
    return faults
