"""What stacks of vectors share: the vectors and amounts that a step is given, and sums of vectors."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from exactnn.arithmetic import Calculation, ExactNumber, Number, exact, short_text
from exactnn.errors import OptionError, shown
from exactnn.matrices import exact_vector, is_sequence

__all__ = ["MOST_VALUES", "Values", "amount", "given_vector", "number_text", "plus_scaled"]

MOST_VALUES = 10_000

Values = tuple[Number, ...]
"""Numbers of an arithmetic."""


def given_vector(value: ExactNumber | Sequence[ExactNumber] | None, size: int, calculate: Calculation) -> Values:
    """Return a vector of so many numbers, each rounded once; one number stands for a vector of one, None for zeros."""
    entries: Any = [0] * size if value is None else value if is_sequence(value) else [value]
    return tuple(calculate.number(x) for x in exact_vector(entries, "value", size=size))


def amount(name: str, value: ExactNumber, calculate: Calculation) -> Number:
    """Return a number that is not negative, rounded once."""
    number = exact(value)
    if number < 0:
        raise OptionError(f"{name}={shown(value)}: give a number of at least 0")
    return calculate.number(number)


def plus_scaled(total: Values, factor: Number, vector: Values, calculate: Calculation) -> Values:
    """Return total + factor * vector: every product is rounded, then every sum."""
    return tuple(map(calculate.add, total, map(calculate.multiply, repeat(factor), vector)))


def number_text(number: Number) -> str:
    """Return a number of an arithmetic for people.

    >>> from gmpy2 import mpq
    >>> number_text(mpq(1, 3)), number_text(float("inf"))
    ('1/3', 'inf')
    """
    return str(number) if isinstance(number, float) else short_text(number)
