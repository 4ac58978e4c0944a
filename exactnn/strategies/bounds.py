"""Bounds of strategies, checked when a strategy is made and not when a value is drawn."""

from exactnn.errors import OptionError, shown

__all__ = ["check_bounds"]


def check_bounds(least: int, most: int | None = None, /, **bounds: object) -> None:
    """Raise OptionError unless every bound is a whole number from `least` to `most`.

    >>> check_bounds(1, 26, max_symbols=0)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: max_symbols=0: give a whole number from 1 to 26
    """
    for name, bound in bounds.items():
        whole = isinstance(bound, int) and not isinstance(bound, bool)
        if not whole or bound < least or (most is not None and bound > most):  # type: ignore[operator]
            size = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise OptionError(f"{name}={shown(bound)}: give a whole number {size}")
