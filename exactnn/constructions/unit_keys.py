"""The keys of units and inputs in affine forms, and their printed names."""

from collections.abc import Hashable
from dataclasses import dataclass

from exactnn.constructions.affine import Affine, var

__all__ = ["symbol", "unit_name"]


def symbol(name: str) -> Affine:
    """Return the input component that is 1 if the symbol `name` is read."""
    return var(_SymbolKey(name))


@dataclass(frozen=True, slots=True)
class _SymbolKey:
    """The key of an input component: of a type of its own, so that no unit can have it."""

    name: str


def unit_name(unit: Hashable) -> str:
    """Return the printed name of a unit: parts of a tuple are joined by spaces, parts with spaces quoted.

    >>> unit_name(("scan", "q0", "R", "a b"))
    "scan q0 R 'a b'"
    """
    if isinstance(unit, tuple):
        return " ".join(map(unit_name, unit))
    text = str(unit)
    return text if text.isprintable() and text and " " not in text else repr(text)
