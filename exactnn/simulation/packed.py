"""Numbers as JSON text, exactly and of any length: "0x1f/0x20" for a rational, "0x1.8p+0" or "-inf" for a float.

An enclosure is its bounds: "0x1/0x4..0x1/0x2".

Each number has one text, and no other is read. What is read may come from a stranger: it is checked, never evaluated.
"""

import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import copysign, isfinite
from typing import TypeVar, cast

from gmpy2 import mpq, mpz

from exactnn.arithmetic import (
    Enclosure,
    FloatFormat,
    LazyNumber,
    LongNumber,
    Numeral,
    Tower,
    exact_text,
    has_number,
    tower_from_json,
    tower_to_json,
)
from exactnn.errors import CheckpointError, NumberError, shown
from exactnn.networks import Input
from exactnn.simulation.executor import Values

__all__ = [
    "LONGEST_NUMBER",
    "pack_input",
    "pack_number",
    "pack_numbers",
    "pack_numerals",
    "unpack_enclosures",
    "unpack_floats",
    "unpack_input",
    "unpack_integer",
    "unpack_numbers",
    "unpack_numbers_of",
    "unpack_numerals",
    "unpack_rationals",
]

LONGEST_NUMBER = 2**28
"""Most characters of a number that are written or read: two parts of 500 million bits."""

WORD = 64
"""Most bits of a numeral's head, and most digits."""

_RATIONAL = re.compile(r"(-?0x[0-9a-f]+)(?:/(0x[0-9a-f]+))?")
_FLOAT = re.compile(r"-?(?:inf|nan|0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4})")

N = TypeVar("N", bound=int | float | mpq | Enclosure)


def pack_number(value: mpq | Numeral | LazyNumber | Enclosure | Tower | float) -> str:
    """Return a number as the text that stands for it; ints, rationals, and floats with infinities, NaN and -0.

    Raises
    ------
    CheckpointError
        If the text would be too long to be read again.

    Examples
    --------
    >>> pack_number(mpq(-1, 3)), pack_number(0.75), pack_number(float("-inf")), pack_number(12)
    ('-0x1/0x3', '0x1.8000000000000p-1', '-inf', '0xc')
    """
    if isinstance(value, Numeral):
        if value.digits * value.base.bit_length() > 4 * LONGEST_NUMBER:
            raise CheckpointError(f"a number of {value.digits} digits is too long: up to {LONGEST_NUMBER} are written")
        value = mpq(value)
    if isinstance(value, LazyNumber):
        raise CheckpointError(f"{shown(value)} has no text: its digits are those that a program gives")
    if isinstance(value, Enclosure):
        return f"{pack_number(value.low)}..{pack_number(value.high)}"
    if isinstance(value, Tower):
        text = json.dumps(tower_to_json(value))
    elif isinstance(value, int):
        text = hex(value)
    elif not isinstance(value, float):
        text = exact_text(value)
    elif value != value:
        text = "-nan" if copysign(1, value) < 0 else "nan"  # float.hex drops this sign
    else:
        text = value.hex()
    if len(text) > LONGEST_NUMBER:
        raise CheckpointError(f"a number of {len(text)} digits is too long: up to {LONGEST_NUMBER} are written")
    return text


def pack_numbers(values: Values) -> list[str]:
    """Return the texts of several numbers.

    >>> pack_numbers((mpq(0), mpq(5, 2)))
    ['0x0', '0x5/0x2']
    """
    return [pack_number(value) for value in values]


def unpack_integer(data: object) -> int:
    """Return the whole number, of at least 0, that :func:`pack_number` wrote as `data`.

    Raises
    ------
    CheckpointError
        If `data` is no such text.

    Examples
    --------
    >>> unpack_integer("0xc")
    12
    """
    value = _unpacked(data, _whole_number, 'a whole number such as "0x1f"')
    if value < 0:
        raise CheckpointError(f"{shown(data)} is less than 0")
    return value


def unpack_rationals(data: object, count: int) -> tuple[mpq, ...]:
    """Return the `count` rationals that :func:`pack_numbers` wrote as `data`.

    Raises
    ------
    CheckpointError
        If `data` is no such list.

    Examples
    --------
    >>> unpack_rationals(["0x1/0x3", "0x2"], 2)
    (mpq(1,3), mpq(2,1))
    """
    return tuple(_unpacked(text, _rational, 'a rational such as "0x3/0x4"') for text in _entries(data, count))


def unpack_floats(data: object, count: int) -> tuple[float, ...]:
    """Return the `count` floats that :func:`pack_numbers` wrote as `data`, bit for bit.

    Raises
    ------
    CheckpointError
        If `data` is no such list.

    Examples
    --------
    >>> unpack_floats(["0x1.8000000000000p+0", "-0x0.0p+0", "inf"], 3)
    (1.5, -0.0, inf)
    """
    return tuple(_unpacked(text, _float, 'a float such as "0x1.8000000000000p+0"') for text in _entries(data, count))


def unpack_numbers(data: object, count: int) -> tuple[mpq | float, ...]:
    """Return the `count` rationals and floats that :func:`pack_numbers` wrote as `data`.

    Raises
    ------
    CheckpointError
        If `data` is no such list.

    Examples
    --------
    >>> unpack_numbers(["0x1/0x3", "-inf"], 2)
    (mpq(1,3), -inf)
    """
    what = 'a number such as "0x3/0x4", "-0x0.0p+0" or "inf"'
    return tuple(_unpacked(text, _number, what) for text in _entries(data, count))


def unpack_numbers_of(format: FloatFormat, data: object, count: int) -> tuple[mpq | float, ...]:
    """Return `count` numbers of a format: rationals, but 0, infinities and NaN are floats.

    Raises
    ------
    CheckpointError
        If `data` is no such list.
    """
    numbers = unpack_numbers(data, count)
    for number in numbers:
        special = not number or (isinstance(number, float) and not isfinite(number))
        if special != isinstance(number, float) or not has_number(format, number):
            raise CheckpointError(f"{shown(number)} is no number of {format}")
    return numbers


def unpack_enclosures(data: object, count: int) -> tuple[Enclosure, ...]:
    """Return the `count` enclosures that :func:`pack_numbers` wrote as `data`.

    Raises
    ------
    CheckpointError
        If `data` is no such list.

    Examples
    --------
    >>> unpack_enclosures(["0x1/0x4..0x1/0x2"], 1)
    (Enclosure(low=mpq(1,4), high=mpq(1,2)),)
    """
    what = 'an enclosure such as "0x1/0x4..0x1/0x2"'
    return tuple(_unpacked(text, _enclosure, what) for text in _entries(data, count))


def pack_numerals(values: Sequence[LongNumber]) -> object:
    """Return rationals, and numerals of one base and limb length, as JSON data.

    A numeral is its head, places, sign and the number of its tail, -1 for none: several may have the same.

    >>> third = Numeral(base=2, limb_digits=2, head=0, places=0, sign=1, runs=((1, 10**20),))
    >>> data = pack_numerals((mpq(1), third))
    >>> data["numbers"], data["tails"]
    (['0x1', [0, 0, 1, 0]], [[[1, '0x56bc75e2d63100000']]])
    """
    numerals = [value for value in values if isinstance(value, Numeral)]
    if not numerals:
        return [pack_number(value) for value in values]
    tails = {runs: i for i, runs in enumerate(dict.fromkeys(x.runs for x in numerals if x.runs))}
    return {
        "base": numerals[0].base,
        "limb": numerals[0].limb_digits,
        "numbers": [
            [int(value.head), value.places, value.sign, tails.get(value.runs, -1)]
            if isinstance(value, Numeral)
            else pack_number(value)
            for value in values
        ],
        "tails": [[[limb, pack_number(count)] for limb, count in runs] for runs in tails],
    }


def unpack_numerals(data: dict[str, object], count: int, base: int, limb: int) -> tuple[LongNumber, ...]:
    """Return the numbers that :func:`pack_numerals` wrote as `data`, in this base with limbs of at most so many digits.

    Raises
    ------
    CheckpointError
        If `data` is nothing of the kind.

    Examples
    --------
    >>> data = {"base": 2, "limb": 2, "numbers": ["0x1", [0, 0, 1, 0]], "tails": [[[1, "0x56bc75e2d63100000"]]]}
    >>> unpack_numerals(data, 2, 2, 8)
    (mpq(1,1), <0.333333 with 200,000,000,000,000,000,000 digits in base 2>)
    """
    if data.keys() != {"base", "limb", "numbers", "tails"} or data["base"] != base:
        raise CheckpointError(f"{shown(data)} has no numbers in base {base}")
    digits = _whole(data["limb"], 1, limb)
    tails = [_runs(runs, base**digits) for runs in _entries(data["tails"], None)]
    return tuple(
        _numeral(entry, base, digits, tails)
        if isinstance(entry, list)
        else _unpacked(entry, _rational, 'a rational such as "0x3/0x4"')
        for entry in _entries(data["numbers"], count)
    )


def _numeral(data: list[object], base: int, limb: int, tails: list[tuple[tuple[int, int], ...]]) -> Numeral:
    head, places, sign, tail = _entries(data, 4)
    if sign not in (1, -1):
        raise CheckpointError(f"{shown(data)} is no number with a tail")
    bound = 1 << WORD
    number = _whole(tail, -1, len(tails) - 1)
    return Numeral(
        base=base,
        limb_digits=limb,
        head=_whole(head, -bound, bound),
        places=_whole(places, 0, WORD),
        sign=_whole(sign, -1, 1),
        runs=() if number < 0 else tails[number],
    )


def _runs(data: object, unit: int) -> tuple[tuple[int, int], ...]:
    """Return the runs of a tail: neighbours differ, and the last limb is not 0."""
    runs: list[tuple[int, int]] = []
    for entry in _entries(data, None):
        limb, count = _entries(entry, 2)
        runs.append((_whole(limb, 0, unit - 1), unpack_integer(count)))
    alike = any(first == second for (first, _), (second, _) in pairwise(runs))
    if not runs or alike or runs[-1][0] == 0 or not all(count for _, count in runs):
        raise CheckpointError(f"{shown(data)} is no tail of a number")
    return tuple(runs)


def _whole(data: object, low: int, high: int) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or not low <= data <= high:
        raise CheckpointError(f"{shown(data)} is no whole number from {low} to {high}")
    return data


def pack_input(given: Input) -> object:
    """Return the input of a step as JSON data: the index of a symbol, or the texts of a vector.

    >>> pack_input(2), pack_input((mpq(1, 2),))
    (2, ['0x1/0x2'])
    """
    return pack_numbers(given) if isinstance(given, tuple) else given


def unpack_input(data: object, size: int) -> Input:
    """Return the input that :func:`pack_input` wrote as `data`, for a network with `size` input components.

    Raises
    ------
    CheckpointError
        If `data` is no such input.

    Examples
    --------
    >>> unpack_input(2, 3), unpack_input(["0x1/0x2"], 1)
    (2, (mpq(1,2),))
    """
    if isinstance(data, int) and not isinstance(data, bool) and 0 <= data < size:
        return data
    return unpack_rationals(data, size)


def _entries(data: object, count: int | None) -> list[object]:
    """Return a list of so many numbers, of any length if that is None."""
    if not isinstance(data, list) or (count is not None and len(data) != count):
        raise CheckpointError(f"{shown(data)} is not a list of {'' if count is None else f'{count} '}numbers")
    return data


def _unpacked(data: object, read: Callable[[str], N], what: str) -> N:
    """Return what `read` makes of a text, if it is the one text of that number."""
    if isinstance(data, str) and len(data) <= LONGEST_NUMBER:
        try:
            value = read(data)
        except (ValueError, ZeroDivisionError, OverflowError, NumberError):
            pass
        else:
            if pack_number(value) == data:
                return value
    raise CheckpointError(f"{shown(data)} is not {what}")


def _whole_number(text: str) -> int:
    """Return a whole number, or a tower of powers, which the type checker takes for one."""
    if text.startswith("["):
        found = tower_from_json(json.loads(text), lambda part: _rational(str(part)), lambda part: int(str(part), 16))
        return cast(int, found)
    return int(text, 16)


def _number(text: str) -> mpq | float:
    return _float(text) if _FLOAT.fullmatch(text) else _rational(text)


def _rational(text: str) -> mpq:
    match = _RATIONAL.fullmatch(text)
    if match is None:
        raise ValueError
    return mpq(mpz(match[1], 0), mpz(match[2] or "1", 0))


def _enclosure(text: str) -> Enclosure:
    low, separator, high = text.partition("..")
    if not separator:
        raise ValueError
    return Enclosure(low=_rational(low), high=_rational(high))


def _float(text: str) -> float:
    if not _FLOAT.fullmatch(text):
        raise ValueError
    return float.fromhex(text)
