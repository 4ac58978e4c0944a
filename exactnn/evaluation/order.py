"""Orders in which a linear recurrence is evaluated, as data: which steps are composed with which, and when."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from exactnn.errors import OptionError, shown
from exactnn.options import choice, whole_number

__all__ = ["BLELLOCH", "KOGGE_STONE", "STEP", "EvaluationOrder", "Schedule", "chunkwise", "order_of"]

NOTHING = -1
"""In place of a composite: the one that changes nothing, (1, 0), with which nothing has to be composed."""

Combination = tuple[int, int, int]
"""Destination, late, early: the place where the composite of two others is put."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How the states of a recurrence of some length are computed.

    A place holds a composite (A, B), that is h -> A h + B; place i < n begins as step i. In each round all combinations
    read what was there before it. Then state t is computed by `outputs`, in their order: a pair (before, place) means
    A h + B with the composite at that place, where h is the state after so many steps; h(0) is the start state.

    Parameters
    ----------
    places : int
        How many there are; those from n on begin as (1, 0).
    rounds : tuple of rounds, each a tuple of (destination, late, early)
        The composite of `early` and then `late`; -1 for (1, 0).
    outputs : tuple of tuples of (before, place)
        For each state what is applied one after the other, to the state after `before` steps; only the first `before`
        is read.
    """

    places: int
    rounds: tuple[tuple[Combination, ...], ...]
    outputs: tuple[tuple[tuple[int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class EvaluationOrder:
    """An order of evaluation; over the rationals all of them give the same, and in a format each gives its own.

    Parameters
    ----------
    name : str
        "STEP", "KOGGE_STONE", "BLELLOCH" or "chunkwise".
    chunk : int
        The length of a chunk; 0 for orders without chunks.

    Raises
    ------
    OptionError
        If there is no such order, or none with chunks of that length.

    Examples
    --------
    >>> STEP, chunkwise(16), KOGGE_STONE.schedule(3).rounds
    (STEP, chunkwise(16), (((1, 1, 0), (2, 2, 1)), ((2, 2, 0),)))
    """

    name: str
    chunk: int = 0

    def __post_init__(self) -> None:
        choice("name", self.name, tuple(_SCHEDULES))
        if self.name == "chunkwise":
            object.__setattr__(self, "chunk", whole_number("chunk", self.chunk, 1))
        elif self.chunk != 0:
            raise OptionError(f"{self.name} with chunk={shown(self.chunk)}: only 'chunkwise' has chunks; leave it out")

    def schedule(self, length: int) -> Schedule:
        """Return what is computed for a word of that length."""
        return _SCHEDULES[self.name](whole_number("length", length), self.chunk)

    def __repr__(self) -> str:
        return f"chunkwise({self.chunk})" if self.chunk else self.name


def _step(length: int, chunk: int) -> Schedule:
    return Schedule(places=length, rounds=(), outputs=tuple(((t, t),) for t in range(length)))


def _kogge_stone(length: int, chunk: int) -> Schedule:
    rounds, distance = [], 1
    while distance < length:
        rounds.append(tuple((i, i, i - distance) for i in range(distance, length)))
        distance *= 2
    return Schedule(places=length, rounds=tuple(rounds), outputs=tuple(((0, t),) for t in range(length)))


def _blelloch(length: int, chunk: int) -> Schedule:
    """Return the exclusive scan: up to the whole, down to what is before each step; then the step itself.

    The steps themselves stay in the first places, and the tree stands behind them.
    """
    size = 1
    while size < length:
        size *= 2
    tree = [length + i for i in range(size)]
    rounds: list[tuple[Combination, ...]] = []
    rounds.append(tuple((tree[i], i, NOTHING) for i in range(length)))
    distance = 1
    while distance < size:
        rounds.append(
            tuple((tree[i], tree[i], tree[i - distance]) for i in range(2 * distance - 1, size, 2 * distance))
        )
        distance *= 2
    rounds.append(((tree[-1], NOTHING, NOTHING),))
    distance //= 2
    while distance:
        moves: list[Combination] = []
        for i in range(2 * distance - 1, size, 2 * distance):
            moves += [(tree[i - distance], tree[i], NOTHING), (tree[i], tree[i - distance], tree[i])]
        rounds.append(tuple(moves))
        distance //= 2
    outputs = tuple(((0, tree[t]), (t, t)) for t in range(length))
    return Schedule(places=length + size, rounds=tuple(rounds), outputs=outputs)


def _chunkwise(length: int, chunk: int) -> Schedule:
    starts = [*range(0, length, chunk), length]
    rounds = [((i, i, i - 1),) for first, end in pairwise(starts) for i in range(first + 1, end)]
    return Schedule(
        places=length,
        rounds=tuple(rounds),
        outputs=tuple(((t - t % chunk, t),) for t in range(length)),
    )


_SCHEDULES: dict[str, Callable[[int, int], Schedule]] = {
    "STEP": _step,
    "KOGGE_STONE": _kogge_stone,
    "BLELLOCH": _blelloch,
    "chunkwise": _chunkwise,
}

STEP = EvaluationOrder("STEP")
"""One step after the other: h = A h + B."""

KOGGE_STONE = EvaluationOrder("KOGGE_STONE")
"""The scan of Kogge and Stone, and of Hillis and Steele: each composite with the one 1, 2, 4, ... places before it."""

BLELLOCH = EvaluationOrder("BLELLOCH")
"""The exclusive scan of Blelloch: up a tree and down again, then one step from what is before each."""


def chunkwise(length: int) -> EvaluationOrder:
    """Return the order by chunks: steps of a chunk are composed one after the other, and applied to what is before it.

    Raises
    ------
    OptionError
        If the length is not a whole number of at least 1.

    Examples
    --------
    >>> chunkwise(2).schedule(4).outputs
    (((0, 0),), ((0, 1),), ((2, 2),), ((2, 3),))
    """
    return EvaluationOrder("chunkwise", whole_number("length", length, 1))


def order_of(order: object) -> EvaluationOrder:
    """Return an order, given as one or by its name, such as "step", "kogge-stone", "blelloch" or "chunkwise(16)".

    Raises
    ------
    OptionError
        If there is no such order.

    Examples
    --------
    >>> order_of("kogge-stone"), order_of("chunkwise(4)")
    (KOGGE_STONE, chunkwise(4))
    """
    if isinstance(order, EvaluationOrder):
        return order
    if isinstance(order, str):
        text = order.strip().lower().replace("-", "_")
        known = {"step": STEP, "kogge_stone": KOGGE_STONE, "blelloch": BLELLOCH}
        if text in known:
            return known[text]
        chunk = re.fullmatch(r"chunkwise\((0*[1-9][0-9]{0,8})\)", text)
        if chunk:
            return chunkwise(int(chunk[1]))
    raise OptionError(
        f"order={shown(order)}: give exactnn.STEP, KOGGE_STONE, BLELLOCH or chunkwise(16), or a name, as 'blelloch'"
    )
