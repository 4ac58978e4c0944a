"""The nondeterministic stack: the weights of all runs of a weighted pushdown automaton at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as with_changes
from functools import partial, reduce
from math import inf
from typing import Any, Literal, NamedTuple

import gmpy2
from gmpy2 import mpq, mpz

from exactnn.arithmetic import (
    EXACT,
    Arithmetic,
    ExactCalculation,
    ExactNumber,
    Number,
    arithmetic_of,
    calculation_in,
    counted,
    exact,
    value_text,
)
from exactnn.automata.log_numbers import log_of, log_of_sum
from exactnn.automata.validation import collected
from exactnn.errors import NumberError, OptionError, shown
from exactnn.markup import Table, Tabular
from exactnn.options import choice, entries, mapped, whole_number

__all__ = ["MOST_PAIRS", "SEMIRINGS", "NondeterministicStack", "Semiring", "StackWeights", "names_of"]

ZERO = mpq(0)

MOST_PAIRS = 400
"""Of states and symbols together."""

SEMIRINGS = ("probability", "count", "log")

Semiring = Literal["probability", "count", "log"]

StackWeights = Mapping[tuple[Any, ...], ExactNumber]
"""Weights of actions: ``(state, top, next state, symbol)`` of a push or a replacement, without a symbol of a pop."""

Row = dict[int, Any]
"""Weights that are not 0, by the number of a state, or of a pair: state times symbols, plus symbol."""

Matrix = dict[int, Row]


class _Sums(NamedTuple):
    """How weights of runs are added and multiplied, and made from the weight of an action."""

    add: Callable[[Any, Any], Any]
    multiply: Callable[[Any, Any], Any]
    number: Callable[[mpq], Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NondeterministicStack(Tabular):
    """All runs of a weighted pushdown automaton, by what is on top of the stack (DuSell and Chiang 2020, 2023).

    In each step the automaton, in a state q with the symbol x on top, pushes a symbol y on x, replaces x by y, or pops
    x, and goes to a state r. Each of these has a weight, which may differ from step to step. The weight of a run is the
    product of the weights of its actions. The stack begins with its bottom symbol alone, the first of `symbols`, in the
    first of `states`; the bottom may be replaced by any symbol, and it is never popped.

    Parameters
    ----------
    states, symbols : int or sequence of names
    semiring : "probability", "count" or "log"
        Weights are numbers from 0 on; whole numbers, so that those of runs count them; or they are kept as natural
        logarithms, each product one sum, which a format alone can do.
    arithmetic : EXACT, RATIONAL or FloatFormat
        In a format each operation is rounded: sums go over the time at which what is below the top was written, from
        early to late, and of one time over the pairs of a state and a symbol, in their order.

    Raises
    ------
    OptionError
        If there are no states or symbols, two of one name, more than 400 pairs of them; or of logarithms in exact
        arithmetic, since they are no rational numbers.

    Notes
    -----
    Let g[i, t](q, x; r, y) be the weight of all runs from time i, in q with x on top, to time t, in r with y on top
    right above that x, which was on top at no time between. The last action pushed y on x at time i = t - 1, or
    replaced something by y, or popped what had been above y since a time k; so g is a sum over k of products of g
    (Lang 1974, on parsing). All of it costs t^3 products, and t^2 numbers are kept.

    References
    ----------
    B. DuSell and D. Chiang, "Learning context-free languages with nondeterministic stack RNNs", CoNLL 2020; "The
    surprising computational power of nondeterministic stack RNNs", ICLR 2023.

    Examples
    --------
    >>> stack = NondeterministicStack(states=1, symbols=["bottom", "a"])
    >>> actions = {
    ...     "push": {(0, "bottom", 0, "a"): "1/2", (0, "a", 0, "a"): "1/2"},
    ...     "replace": {(0, "bottom", 0, "bottom"): "1/4", (0, "a", 0, "a"): "1/4"},
    ...     "pop": {(0, "a", 0): "1/4"},
    ... }
    >>> for _ in range(2):
    ...     stack = stack.step(**actions)
    >>> {pair: str(share) for pair, share in stack.reading.items()}
    {(0, 'bottom'): '3/11', (0, 'a'): '8/11'}
    """

    states: tuple[Any, ...] = (0,)
    symbols: tuple[Any, ...] = (0,)
    semiring: Semiring = "probability"
    arithmetic: Arithmetic = EXACT
    _columns: tuple[tuple[Matrix, ...], ...] = field(default=((),), hash=False)
    """For each time t and each time i before, the weights g[i, t]: by the pair at time i, and the pair at time t."""
    _bases: tuple[Row, ...] = field(default=(), hash=False)
    """For each time, the weights of the runs that have nothing but the bottom."""
    _tops: tuple[Row, ...] = field(default=(), hash=False)
    """For each time, the weights of all runs, by the pair of state and top."""
    _scale: int | mpz = 1
    """What exact weights are multiplied by, so that they are whole numbers: the denominators of all steps."""

    def __post_init__(self) -> None:
        fill = object.__setattr__
        choice("semiring", self.semiring, SEMIRINGS)
        for name in ("states", "symbols"):
            fill(self, name, names_of(name, getattr(self, name)))
        if len(self.states) * len(self.symbols) > MOST_PAIRS:
            raise OptionError(
                f"{len(self.states)} states and {len(self.symbols)} symbols: give at most {MOST_PAIRS} pairs of them"
            )
        fill(self, "arithmetic", arithmetic_of(self.arithmetic, error=OptionError))
        if isinstance(calculation_in(self.arithmetic), ExactCalculation) and self.semiring == "log":
            raise OptionError("semiring='log': logarithms are no rational numbers; give a FloatFormat or 'probability'")
        if not self._tops:
            start: Row = {0: self._sums(1).number(mpq(1))}
            fill(self, "_bases", (start,))
            fill(self, "_tops", (start,))

    def _sums(self, denominator: int | mpz) -> _Sums:
        """Return how to compute with weights; exact ones are multiplied by this in each step."""
        calculate = calculation_in(self.arithmetic)
        if isinstance(calculate, ExactCalculation):
            return _Sums(operator.add, operator.mul, lambda weight: (weight * denominator).numerator)
        if self.semiring == "log":
            add, logarithm = (partial(function, format=calculate.format) for function in (log_of_sum, log_of))
            return _Sums(add, calculate.add, logarithm)
        return _Sums(calculate.add, calculate.multiply, calculate.number)

    def step(
        self, *, push: StackWeights | None = None, replace: StackWeights | None = None, pop: StackWeights | None = None
    ) -> NondeterministicStack:
        """Return the stack after a step in which the actions have these weights; others have none.

        Parameters
        ----------
        push, replace : mapping of (state, top, next state, symbol) to a weight
        pop : mapping of (state, top, next state) to a weight

        Raises
        ------
        OptionError, NumberError
            If there is no such state or symbol, a weight is negative, or no whole number where runs are counted.
        """
        given = [self._weights(*one) for one in (("push", push, 4), ("replace", replace, 4), ("pop", pop, 3))]
        denominator = reduce(gmpy2.lcm, (weight.denominator for action in given for _, _, weight in action), mpz(1))
        sums = self._sums(denominator)
        pushed, replaced, popped = (_as_matrix(action, sums) for action in given)
        columns, bases, tops, symbols = self._columns, self._bases, self._tops, len(self.symbols)
        now = len(columns)
        last = columns[-1]
        pops = [_times(matrix, popped, sums) for matrix in last]  # those of the times k: what y became, by the pair y
        column = []
        for i in range(now):
            if i == now - 1:
                column.append({pair: row for pair, row in pushed.items() if pair in tops[i]})
                continue
            matrix = _times(last[i], replaced, sums)
            for k in range(i + 1, now - 1):
                _add_exposed(matrix, columns[k][i], pops[k], symbols, sums)
            column.append(matrix)
        base = {0: bases[-1]}
        alone = _times(base, replaced, sums)
        for k in range(now - 1):
            _add_exposed(alone, {0: bases[k]}, pops[k], symbols, sums)
        top = dict(alone.get(0, {}))
        for i, matrix in enumerate(column):
            _add_product(top, tops[i], matrix, sums)
        return with_changes(
            self,
            _columns=(*columns, tuple(column)),
            _bases=(*bases, alone.get(0, {})),
            _tops=(*tops, top),
            _scale=self._scale * denominator,
        )

    def _weights(self, name: str, given: object, length: int) -> list[tuple[int, int, mpq]]:
        """Return the weights of an action that are not 0, by pair and pair, or pair and state."""
        states = {state: number for number, state in enumerate(self.states)}
        tops = {symbol: number for number, symbol in enumerate(self.symbols)}
        found = []
        key: Any
        value: Any
        for key, value in mapped(name, given or {}).items():  # type: ignore[arg-type]
            if not isinstance(key, tuple) or len(key) != length:
                parts = "(state, top, next state" + (", symbol)" if length == 4 else ")")
                raise OptionError(f"{name} has the key {shown(key)}: give {parts}")
            for part, known in zip(key, (states, tops, states, tops), strict=False):
                if part not in known:
                    raise OptionError(f"{name} has the key {shown(key)}: {shown(part)} is none of {shown([*known])}")
            weight = exact(value)
            if weight < 0 or (self.semiring == "count" and weight.denominator != 1):
                least = "a whole number" if self.semiring == "count" else "a number"
                raise OptionError(f"{name}[{shown(key)}] is {shown(value)}: give {least} of at least 0")
            if weight:
                target = states[key[2]] * len(tops) + tops[key[3]] if length == 4 else states[key[2]]
                found.append((states[key[0]] * len(tops) + tops[key[1]], target, weight))
        return found

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self._columns) - 1

    @property
    def weights(self) -> dict[tuple[Any, Any], Number]:
        """The weight of all runs by state and top; pairs that no run ends in are left out."""
        none = -inf if self.semiring == "log" else 0  # a logarithm may be 0
        return {
            self._named(pair): self._plain(weight) for pair, weight in sorted(self._tops[-1].items()) if weight != none
        }

    def _named(self, pair: int) -> tuple[Any, Any]:
        state, top = divmod(pair, len(self.symbols))
        return self.states[state], self.symbols[top]

    def _plain(self, weight: Any) -> Number:
        return mpq(weight, self._scale) if isinstance(calculation_in(self.arithmetic), ExactCalculation) else weight

    @property
    def total(self) -> Number:
        """The weight of all runs, summed in the order of :attr:`weights`; if there is none, 0, or the log of it."""
        row = self._tops[-1]
        if not row:
            return float("-inf") if self.semiring == "log" else ZERO
        return self._plain(reduce(self._sums(1).add, (row[pair] for pair in sorted(row))))

    @property
    def reading(self) -> dict[tuple[Any, Any], Number]:
        """The share of each state and top in the weight of all runs; of logarithms the logarithm of the share.

        Raises
        ------
        NumberError
            If no run is left, exactly; in a format 0 / 0 is NaN.
        """
        total, calculate = self.total, calculation_in(self.arithmetic)
        if isinstance(calculate, ExactCalculation) and not total:
            raise NumberError(f"after {counted(self.steps, 'step')} no run is left: there is nothing to read")
        share = calculate.subtract if self.semiring == "log" else calculate.divide
        return {pair: share(weight, total) for pair, weight in self.weights.items()}

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.states), 'state')}, {counted(len(self.symbols), 'symbol')}"
        return f"<NondeterministicStack of {sizes} after {counted(self.steps, 'step')}, {self.arithmetic}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: states and tops with their weights and shares."""
        shares = self.reading if self._tops[-1] else {}
        rows = tuple(
            (str(state), str(top), value_text(weight), value_text(shares[state, top]))
            for (state, top), weight in self.weights.items()
        )
        return Table(title=repr(self)[1:-1], heading=("state", "top", "weight", "share"), rows=rows)


def names_of(what: str, given: object) -> tuple[Any, ...]:
    """Return different names, or so many numbers from 0 on.

    Raises
    ------
    OptionError
        If there is none, two are the same, or one is not hashable.
    """
    if isinstance(given, int) and not isinstance(given, bool):
        return tuple(range(whole_number(what, given, least=1, most=MOST_PAIRS)))
    faults: list[str] = []
    if isinstance(given, Iterable) and not isinstance(given, (set, frozenset)):
        given = entries(what, given)  # once: it may be an iterator
    found = collected(what, given, faults)
    if faults or not found or len(found) != len(given):  # type: ignore[arg-type]  # a collection
        raise OptionError("; ".join(faults) or f"{what}={shown(given)}: give different names, one at least")
    return found


def _as_matrix(action: Sequence[tuple[int, int, mpq]], sums: _Sums) -> Matrix:
    found: Matrix = {}
    for source, target, weight in action:
        found.setdefault(source, {})[target] = sums.number(weight)
    return found


def _add_to(row: Row, place: int, weight: Any, sums: _Sums) -> None:
    row[place] = sums.add(row[place], weight) if place in row else weight


def _add_product(out: Row, row: Row, matrix: Matrix, sums: _Sums) -> None:
    """Add a row times a matrix, one product after the other, in the order of the numbers between."""
    for middle, weight in sorted(row.items()):
        for target, other in matrix.get(middle, {}).items():
            _add_to(out, target, sums.multiply(weight, other), sums)


def _times(first: Matrix, second: Matrix, sums: _Sums) -> Matrix:
    """Return the product of two matrices of weights."""
    found: Matrix = {}
    for source, row in first.items():
        out: Row = {}
        _add_product(out, row, second, sums)
        if out:
            found[source] = out
    return found


def _add_exposed(matrix: Matrix, first: Matrix, pops: Matrix, symbols: int, sums: _Sums) -> None:
    """Add the weights of runs to a pair (u, y) that is then covered, and exposed again in the state r: to (r, y)."""
    for source, row in first.items():
        out = matrix.setdefault(source, {})
        for middle, weight in sorted(row.items()):
            for state, other in pops.get(middle, {}).items():
                _add_to(out, state * symbols + middle % symbols, sums.multiply(weight, other), sums)
