"""Towers as JSON data: a list of sums, each of which may use those before it as exponents. The last is the number."""

from collections.abc import Callable
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic.tower import Tower, Whole, power, residue, sum_of_apart
from exactnn.errors import NumberError, shown

__all__ = ["tower_from_json", "tower_to_json"]

MOST_SUMS, MOST_TERMS = 1 << 14, 1 << 14
"""Of a number in a file: its sums, and the terms of all of them."""


def tower_to_json(value: Tower) -> list[dict[str, Any]]:
    """Return a tower as JSON data.

    Each sum is ``{"constant": "n/d", "powers": [[base, exponent, coefficient], ...]}``; an exponent is hexadecimal
    text, or the index of a sum before. Numbers are hexadecimal.

    Examples
    --------
    >>> tower_to_json(power(2, power(2, 100)) // 3)
    [{'constant': '-0x1/0x3', 'powers': [[2, '0x10000000000000000000000000', '0x1/0x3']]}]
    """
    sums: list[dict[str, Any]] = []
    places: dict[tuple[int, mpq], int] = {}
    waiting = [value]
    while waiting:  # without recursion, which would be too deep
        number = waiting[-1]
        terms = sorted(number.terms, key=lambda term: (term.base, hash(term.exponent), term.coefficient))
        inner = [term.exponent for term in terms if isinstance(term.exponent, Tower)]
        open_ones = [exponent for exponent in inner if _key(exponent) not in places]
        if open_ones:
            waiting += open_ones
            continue
        waiting.pop()
        if _key(number) in places:
            continue
        places[_key(number)] = len(sums)
        powers = [
            [base, places[_key(exponent)] if isinstance(exponent, Tower) else hex(int(exponent)), _text(coefficient)]
            for base, exponent, coefficient in terms
        ]
        sums.append({"constant": _text(number.constant), "powers": powers})
    return sums


def _key(value: Tower) -> tuple[int, mpq]:
    return id(value.powers), value.constant


def _text(value: mpq) -> str:
    above, below = int(value.numerator), int(value.denominator)
    return hex(above) if below == 1 else f"{hex(above)}/{hex(below)}"


def tower_from_json(data: object, exact: Callable[[object], mpq], whole: Callable[[object], int]) -> Whole:
    """Return the number that :func:`tower_to_json` wrote; `exact` and `whole` read fractions and whole numbers.

    Raises
    ------
    NumberError
        If the data are not such a list, or too long.
    """
    if not isinstance(data, list) or not 0 < len(data) <= MOST_SUMS:
        raise NumberError(f"{shown(data)} is no list of one to {MOST_SUMS} sums of powers")
    found: list[Any] = []
    room = MOST_TERMS
    for entry in data:
        if not isinstance(entry, dict) or not isinstance(entry.get("powers"), list):
            raise NumberError(f'{shown(entry)} is no sum: write {{"constant": "0x1", "powers": [["base", ...]]}}')
        parts: list[Any] = [exact(entry.get("constant"))]
        room -= len(entry["powers"])
        if room < 0:
            raise NumberError(f"a number with more than {MOST_TERMS} powers")
        for term in entry["powers"]:
            if not isinstance(term, list) or len(term) != 3:
                raise NumberError(f"{shown(term)} is no power: write [base, exponent, coefficient]")
            base, exponent, coefficient = term
            if type(base) is not int or not 2 <= base < 1 << 64:
                raise NumberError(f"the base {shown(base)} is no whole number from 2 to 2**64")
            if type(exponent) is int and not 0 <= exponent < len(found):
                raise NumberError(f"the exponent {shown(exponent)} is no number of a sum before")
            raised = found[exponent] if type(exponent) is int else whole(exponent)
            parts.append(exact(coefficient) * power(base, raised))
        total: Any = sum_of_apart(parts)
        if residue(total, 1) if isinstance(total, Tower) else total.denominator > 1:
            raise NumberError("a sum of no powers that is no whole number")
        found.append(total)
    last = found[-1]
    return last if isinstance(last, Tower) else int(last)
