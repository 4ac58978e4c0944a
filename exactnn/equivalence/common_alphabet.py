"""Two automata can be compared or combined if they read the same symbols; their order may differ."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.automata import Symbol
from exactnn.errors import OptionError, shown

__all__ = ["common_order"]


def common_order(symbols: tuple[Symbol, ...], others: tuple[Symbol, ...]) -> NDArray[np.signedinteger[Any]]:
    """Return where each of `symbols` is among `others`.

    Raises
    ------
    OptionError
        If they are not the same symbols.

    Examples
    --------
    >>> common_order(("a", "b", "c"), ("c", "a", "b")).tolist()
    [1, 2, 0]
    """
    place = {symbol: i for i, symbol in enumerate(others)}
    for symbol in symbols:
        if symbol not in place:
            raise OptionError(f"symbol {shown(symbol)} is of the first automaton only: give two with the same symbols")
    known = set(symbols)
    for symbol in others:
        if symbol not in known:
            raise OptionError(f"symbol {shown(symbol)} is of the second automaton only: give two with the same symbols")
    return np.array([place[symbol] for symbol in symbols], dtype=np.int64)
