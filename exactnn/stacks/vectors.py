"""What stacks of vectors share: the vectors and amounts that a step is given, and sums of vectors."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Calculation, ExactNumber, FloatCalculation, Number, exact, short_text
from exactnn.errors import OptionError, shown
from exactnn.matrices import exact_vector, is_sequence

__all__ = [
    "MOST_VALUES",
    "Values",
    "amount",
    "given_vector",
    "held_numbers",
    "held_vectors",
    "number_text",
    "plus_scaled",
]

MOST_VALUES = 10_000

MPQ = type(mpq())

Values = tuple[Number, ...]
"""Numbers of an arithmetic."""


def given_vector(value: ExactNumber | Sequence[ExactNumber] | None, size: int, calculate: Calculation) -> Values:
    """Return a vector of so many numbers, each rounded once; one number stands for a vector of one, None for zeros."""
    entries: Any = [0] * size if value is None else value if is_sequence(value) else [value]
    return tuple(calculate.number(x) for x in exact_vector(entries, "value", size=size))


def held_numbers(name: str, numbers: object, calculate: Calculation) -> Values:
    """Return numbers that a stack holds, as its arithmetic has them; those that its own steps have made stay.

    Raises
    ------
    OptionError, NumberError
        If they are no sequence, or one is no number.
    """
    if not is_sequence(numbers):
        raise OptionError(f"{name}={shown(numbers)}: give a sequence of numbers")
    made = (MPQ, float) if isinstance(calculate, FloatCalculation) else (MPQ,)
    given: Any = numbers
    return tuple(x if type(x) in made else calculate.number(exact(x)) for x in given)


def amount(name: str, value: ExactNumber, calculate: Calculation) -> Number:
    """Return a number that is not negative, rounded once."""
    number = exact(value)
    if number < 0:
        raise OptionError(f"{name}={shown(value)}: give a number of at least 0")
    return calculate.number(number)


def held_vectors(name: str, vectors: object, size: int, calculate: Calculation) -> tuple[Values, ...]:
    """Return the vectors that a stack holds; raises OptionError if one has another length."""
    if not is_sequence(vectors):
        raise OptionError(f"{name}={shown(vectors)}: give a sequence of vectors")
    given: Any = vectors
    found = tuple(held_numbers(name, vector, calculate) for vector in given)
    if wrong := [vector for vector in found if len(vector) != size]:
        raise OptionError(f"{name} has a vector of {len(wrong[0])} numbers: values={size} says how many")
    return found


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
