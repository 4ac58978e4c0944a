"""Bounds of strategies, checked when a strategy is made and not when a value is drawn."""

from collections.abc import Collection, Mapping

from hypothesis import strategies as st

from exactnn.errors import OptionError, shown
from exactnn.options import whole_number

__all__ = ["check_bounds", "check_choices", "check_halting", "check_strategies", "check_symbols"]


def check_bounds(least: int, most: int | None = None, /, **bounds: object) -> None:
    """Raise OptionError unless every bound is a whole number from `least` to `most`.

    >>> check_bounds(1, 26, max_symbols=0)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: max_symbols=0: give a whole number from 1 to 26
    """
    for name, bound in bounds.items():
        whole_number(name, bound, least, most)


def check_choices(known: Collection[object], /, **choices: object) -> None:
    """Raise OptionError unless every choice is a collection of one or more of the `known` values.

    >>> check_choices(("left", "right"), sides=["up"])
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: sides=['up']: give one or more of left, right
    """
    for name, values in choices.items():
        listed = isinstance(values, Collection) and not isinstance(values, str)
        if not listed or not values or any(value not in known for value in values):  # type: ignore[attr-defined]
            raise OptionError(f"{name}={shown(values)}: give one or more of {', '.join(map(str, known))}")


def check_symbols(**collections: object) -> None:
    """Raise OptionError unless every collection is one of different symbols.

    >>> check_symbols(alphabet=5)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: alphabet=5: give different symbols, such as ('a', 'b')
    """
    for name, symbols in collections.items():
        try:
            different = isinstance(symbols, Collection) and len(set(symbols)) == len(symbols)
        except TypeError:  # symbols are compared by their hashes, and one has none
            different = False
        if not different:
            raise OptionError(f"{name}={shown(symbols)}: give different symbols, such as ('a', 'b')")


def check_halting(halting: object) -> None:
    """Raise OptionError unless it is a collection of mappings that say which states halt.

    >>> check_halting([{"halt": "H"}])
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: halting=[{'halt': 'H'}]: give mappings of halt_state, accept_state or reject_state
    """
    fields = {"halt_state", "accept_state", "reject_state"}
    listed = isinstance(halting, Collection) and not isinstance(halting, str | Mapping)
    if not listed or not halting or not all(isinstance(one, Mapping) and one.keys() <= fields for one in halting):  # type: ignore[attr-defined]
        raise OptionError(f"halting={shown(halting)}: give mappings of halt_state, accept_state or reject_state")


def check_strategies(**strategies: object) -> None:
    """Raise OptionError unless each is a strategy or None.

    >>> check_strategies(weights=[1, 2])
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: weights=[1, 2]: give a strategy, such as exactnn.strategies.rationals()
    """
    for name, strategy in strategies.items():
        if strategy is not None and not isinstance(strategy, st.SearchStrategy):
            raise OptionError(f"{name}={shown(strategy)}: give a strategy, such as exactnn.strategies.rationals()")
