"""The growth of states as data: one object for JSON, or flat rows for tables. No number in it is a float."""

from typing import Any

import gmpy2

from exactnn.equivalence.state_growth import ArithmeticGrowth, LengthStates, StateGrowth
from exactnn.version import __version__

__all__ = ["state_growth_record", "state_growth_rows"]


def state_growth_record(found: StateGrowth) -> dict[str, Any]:
    """Return all of it as data for JSON.

    Examples
    --------
    >>> import exactnn as xn
    >>> found = xn.state_growth(xn.compile(xn.load("parity")), [xn.EXACT], max_length=3)
    >>> state_growth_record(found)["arithmetics"]["exact"]["saturated_from"]
    2
    """
    return {
        "network": found.name,
        "max_length": found.max_length,
        "continuations": found.continuations,
        "arithmetics": {str(growth.arithmetic): _growth_record(growth) for growth in found.arithmetics},
        "exactnn": __version__,
    }


def state_growth_rows(found: StateGrowth) -> list[dict[str, Any]]:
    """Return a flat row for each arithmetic and length, all with the same keys; what there is not is None.

    The number of words is text, as it is soon larger than the whole numbers of a table may be.

    Examples
    --------
    >>> import exactnn as xn
    >>> found = xn.state_growth(xn.compile(xn.load("parity")), [xn.EXACT], max_length=3)
    >>> list(state_growth_rows(found)[3].values())
    ['exact', 3, '8', 4, 2, 5, 3, None, None, True]
    """
    return [
        {"arithmetic": str(growth.arithmetic)} | _row_record(row) | {"saturated": _is_saturated(growth, row)}
        for growth in found.arithmetics
        for row in growth.rows
    ]


def _growth_record(growth: ArithmeticGrowth) -> dict[str, Any]:
    return {
        "complete": growth.complete,
        "reason": growth.reason,
        "saturated_from": growth.saturated_from,
        "rows": [_row_record(row) for row in growth.rows],
    }


def _row_record(row: LengthStates) -> dict[str, Any]:
    return {
        "length": row.length,
        "words": gmpy2.mpz(row.words).digits(),  # str of an int refuses beyond some thousand digits
        "states": row.states,
        "bits": row.bits,
        "states_up_to": row.states_up_to,
        "bits_up_to": row.bits_up_to,
        "classes": row.classes,
        "classes_up_to": row.classes_up_to,
    }


def _is_saturated(growth: ArithmeticGrowth, row: LengthStates) -> bool:
    """Return whether words of this length are known to lead to no new state, nor any longer ones."""
    return growth.saturated_from is not None and row.length >= growth.saturated_from
