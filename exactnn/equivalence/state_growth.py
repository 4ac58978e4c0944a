"""How many states of a network words of each length lead to, and how many of them can be told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gmpy2

from exactnn.arithmetic import AnyArithmetic, Arithmetic, arithmetic_of, arithmetics_of, count_text
from exactnn.equivalence.limits import INTERRUPTED, LimitReached, Limits
from exactnn.equivalence.moore_machines import ExactMoore, NetworkMoore, network_moore
from exactnn.equivalence.spaces.choice import state_space
from exactnn.equivalence.state_levels import StateLevels, level_classes
from exactnn.errors import OptionError, shown
from exactnn.files import DataTable, data_rows
from exactnn.markup import Entry, Table, named
from exactnn.networks import AnyNetwork, network_of
from exactnn.options import callback, whole_number
from exactnn.version import __version__

__all__ = [
    "ArithmeticGrowth",
    "LengthStates",
    "StateGrowth",
    "state_growth",
    "state_growth_record",
    "state_growth_rows",
]

MOST_LENGTH = 10**6
"""There is a row for each."""

MOST_STATES = 1_000_000
MOST_BYTES = 8 << 30
MOST_IN_REPR = 4
"""Arithmetics that a repr tells of."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthStates:
    """The states that the words of one length lead to.

    Parameters
    ----------
    length : int
    symbols : int
        The size of the alphabet, without EOS.
    states : int
        Distinct states that words of exactly this length lead to.
    states_up_to : int
        Distinct states that words of at most this length lead to.
    classes, classes_up_to : int or None
        How many of these can be told apart by continuations of up to so many symbols as the growth says; None if it was
        not asked for, or is not known within the limits. It depends on what is said of words only, not on the states.
    """

    length: int
    symbols: int
    states: int
    states_up_to: int
    classes: int | None
    classes_up_to: int | None

    @property
    def words(self) -> int:
        """How many words there are of this length."""
        return int(self.symbols**self.length)

    @property
    def bits(self) -> int:
        """The least number of bits that can tell `states` apart."""
        return max(0, self.states - 1).bit_length()

    @property
    def bits_up_to(self) -> int:
        """The least number of bits that can tell `states_up_to` apart."""
        return max(0, self.states_up_to - 1).bit_length()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticGrowth:
    """The states of the network in one arithmetic, length by length.

    Parameters
    ----------
    arithmetic : Arithmetic
    rows : tuple of LengthStates
        Of the lengths from 0 on; each of them is exact, none is a part of a level.
    reason : str
        Why lengths, or classes, are missing; "" if none are.
    saturated_from : int or None
        The least length n such that longer words lead to no new state. Then no word ever does: the network in this
        arithmetic is a finite automaton with so many states as words of at most n symbols lead to. None if the words
        that were read do not show that; then there may be more.
    """

    arithmetic: Arithmetic
    rows: tuple[LengthStates, ...]
    reason: str
    saturated_from: int | None

    @property
    def complete(self) -> bool:
        """Whether all lengths that were asked for are there, with their classes if these were."""
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class StateGrowth(DataTable):
    """What :func:`state_growth` found: an entry for each arithmetic.

    `continuations` is the length of those that `classes` are told apart by; None if there are no classes.
    """

    name: str
    max_length: int
    continuations: int | None
    arithmetics: tuple[ArithmeticGrowth, ...]

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each arithmetic and length."""
        growths = ((str(growth.arithmetic), data_rows(growth.rows)) for growth in self.arithmetics)
        return [{"arithmetic": arithmetic, **row} for arithmetic, rows in growths for row in rows]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the states that words of each length lead to."""
        columns = ["states"] if self.continuations is None else ["states", "classes"]
        heads = [f"{growth.arithmetic}\n{column}" for growth in self.arithmetics for column in columns]
        length = max((len(growth.rows) for growth in self.arithmetics), default=0)
        rows = tuple(self._shown_row(n, len(columns)) for n in range(length))
        return Table(title=self.name, heading=("length", "words", *heads), rows=rows, note=self._remarks())

    def _shown_row(self, length: int, columns: int) -> tuple[object, ...]:
        entries: list[object] = []
        words = 0
        for growth in self.arithmetics:
            if length >= len(growth.rows):
                entries += ["-"] * columns
                continue
            row, words = growth.rows[length], growth.rows[length].words
            entries.append(Entry(row.states, told=f"{row.states_up_to:,} after words of up to {length:,} symbols"))
            if columns > 1:
                entries.append("-" if row.classes is None else row.classes)
        return length, count_text(words, limit=12), *entries

    def _remarks(self) -> str:
        """Return what ended the growth in each arithmetic."""
        remarks = []
        for growth in self.arithmetics:
            if growth.saturated_from is not None:
                remarks.append(f"{growth.arithmetic}: no new state after words of {growth.saturated_from:,} symbols")
            if growth.reason:
                remarks.append(f"{growth.arithmetic}: not complete, {growth.reason}")
        return "\n".join(remarks)

    def __repr__(self) -> str:
        parts = [
            f"{growth.arithmetic} {growth.rows[-1].states_up_to if growth.rows else 0:,} states"
            for growth in self.arithmetics[:MOST_IN_REPR]
        ]
        if len(self.arithmetics) > MOST_IN_REPR:
            parts.append(f"{len(self.arithmetics) - MOST_IN_REPR} more arithmetics")
        return f"<StateGrowth of {named(self.name)}, words up to {self.max_length:,}: {'; '.join(parts)}>"

    def of(self, arithmetic: AnyArithmetic) -> ArithmeticGrowth:
        """Return the growth in an arithmetic; raises OptionError if it is not one of these."""
        wanted = arithmetic_of(arithmetic)
        found = next((growth for growth in self.arithmetics if growth.arithmetic == wanted), None)
        if found is not None:
            return found
        names = ", ".join(str(growth.arithmetic) for growth in self.arithmetics)
        raise OptionError(f"arithmetic {shown(arithmetic)} is not in this growth of states: there are {names}")


def state_growth(
    network: AnyNetwork,
    arithmetics: AnyArithmetic,
    *,
    max_length: int,
    continuations: int | None = None,
    max_states: int = MOST_STATES,
    max_bytes: int = MOST_BYTES,
    max_seconds: float | None = None,
    max_steps: int = 100_000,
    progress: Progress | None = None,
) -> StateGrowth:
    """Count the distinct states that words lead to, length by length, in each of several arithmetics.

    States are compared bit for bit, after the word and before any EOS symbol. A level of states is followed as a whole,
    so that the work is that of the states, not of the words.

    Parameters
    ----------
    network : Network or Construction
        It must take symbols.
    arithmetics : sequence of Arithmetic
    max_length : int
        Longest words.
    continuations : int, optional
        Count also how many states can be told apart by what is said after up to so many more symbols: verdicts, ways to
        end, or outputs. For this, words of so many more symbols are read.
    max_states : int
        How many states may be found in each arithmetic; with EOS, those on the way to a verdict included.
    max_bytes : int
        Memory that they may take.
    max_seconds : float, optional
        Time for each arithmetic.
    max_steps : int
        EOS steps on one word in exact arithmetic; beyond, what is said of it is not known.
    progress : callable, optional
        Called now and then with the length of words that is read and the number of states found.

    Returns
    -------
    StateGrowth
        At a limit, the lengths until then. Ctrl-C gives that too, without the arithmetics that were not begun.

    Raises
    ------
    OptionError
        If the network takes vectors, there is no arithmetic, or a number is out of range.
    UnsupportedArithmeticError
        If rounding is stochastic, or an arithmetic cannot run this network.

    Notes
    -----
    The number of states after words of exactly n symbols is what Merrill calls the state complexity of a network, there
    of saturated ones. The classes are a lower bound: whatever says the same of all words has at least as many states
    after words of n symbols, since one state would say the same after equal continuations (Myhill and Nerode). They are
    the distinct rows of the Hankel matrix, words of n symbols by continuations; longer continuations may tell more
    apart. Counts up to some length prove no law of growth, but for saturation.

    References
    ----------
    .. [1] W. Merrill, "Sequential neural networks as automata", *Deep Learning and Formal Languages*, ACL 2019.
    .. [2] A. Nerode, "Linear automaton transformations", *Proc. AMS* 9, 1958.

    Examples
    --------
    >>> import exactnn as xn
    >>> found = state_growth(xn.gated_counter(), [xn.EXACT, xn.FLOAT8_E4M3], max_length=40, continuations=4)
    >>> [row.states for row in found.of(xn.EXACT).rows[:7]], found.of(xn.EXACT).saturated_from
    ([1, 2, 4, 5, 7, 8, 10], None)
    >>> found.of(xn.FLOAT8_E4M3).saturated_from, found.of(xn.FLOAT8_E4M3).rows[-1].states_up_to
    (18, 66)
    """
    core = network_of(network)
    asked = arithmetics_of(arithmetics)
    max_length, max_steps = whole_number("max_length", max_length, 0, MOST_LENGTH), whole_number("max_steps", max_steps)
    if continuations is not None:
        continuations = whole_number("continuations", continuations, otherwise="None")
    callback("progress", progress)
    limits = Limits(states=max_states, bytes=max_bytes, seconds=max_seconds)
    moores: list[ExactMoore | NetworkMoore] = []
    for arithmetic in asked:  # all of them first, so that one that is refused costs no time
        if continuations is None:
            moores.append(NetworkMoore(state_space(core, arithmetic, max_states)))
        else:
            moores.append(network_moore(core, arithmetic, max_states, max_steps))
    found: list[ArithmeticGrowth] = []
    for arithmetic in asked:
        levels = StateLevels(moores.pop(0), keep=continuations is not None)
        found.append(_growth(levels, arithmetic, max_length, continuations, limits, progress))
        if found[-1].reason == INTERRUPTED:
            break
    return StateGrowth(name=core.name, max_length=max_length, continuations=continuations, arithmetics=tuple(found))


def _growth(
    levels: StateLevels,
    arithmetic: Arithmetic,
    max_length: int,
    continuations: int | None,
    limits: Limits,
    progress: Progress | None,
) -> ArithmeticGrowth:
    look = limits.watch(lambda: levels.nbytes)

    def watch() -> None:
        look()
        if progress is not None:
            progress(levels.depth, levels.states_up_to[-1])

    reason = _read(levels, max_length, continuations or 0, watch)
    classes: list[tuple[int, int]] = []
    if continuations is not None and reason != INTERRUPTED:
        if isinstance(levels.moore, NetworkMoore):
            levels.moore.watch = watch
        try:
            classes, missing = level_classes(levels, max_length, continuations, watch)
        except LimitReached as reached:
            missing = str(reached)
        except KeyboardInterrupt:
            missing = INTERRUPTED
        reason = reason or missing
    return ArithmeticGrowth(
        arithmetic=arithmetic,
        rows=tuple(_row(levels, length, classes) for length in range(min(max_length, levels.depth) + 1)),
        reason=reason,
        saturated_from=levels.closed_from,
    )


def _read(levels: StateLevels, max_length: int, further: int, watch: Callable[[], object]) -> str:
    """Find the levels, those of `further` more symbols too if there are new states; return the limit that ended it."""
    try:
        while levels.depth < max_length or (levels.depth < max_length + further and levels.closed_from is None):
            levels.deepen(watch)
    except LimitReached as reached:
        return str(reached)
    except KeyboardInterrupt:
        return INTERRUPTED
    return ""


def _row(levels: StateLevels, length: int, classes: Sequence[tuple[int, int]]) -> LengthStates:
    exactly, up_to = classes[length] if length < len(classes) else (None, None)
    return LengthStates(
        length=length,
        symbols=len(levels.moore.symbols),
        states=levels.states[length],
        states_up_to=levels.states_up_to[length],
        classes=exactly,
        classes_up_to=up_to,
    )


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
