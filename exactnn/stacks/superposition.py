"""The superposition of stacks: each cell is a weighted sum of what it would be after a push, a pop and neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from gmpy2 import mpq

from exactnn.arithmetic import (
    EXACT,
    Arithmetic,
    ExactCalculation,
    ExactNumber,
    arithmetic_of,
    calculation_in,
    counted,
    exact,
)
from exactnn.errors import OptionError, shown
from exactnn.markup import MOST_ROWS, Table, Tabular
from exactnn.options import whole_number
from exactnn.stacks.vectors import MOST_VALUES, Values, amount, given_vector, held_vectors, number_text, plus_scaled

__all__ = ["SuperpositionStack"]

ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SuperpositionStack(Tabular):
    """A stack of vectors that is pushed, popped and kept in parts (Joulin and Mikolov 2015).

    With the weights a, b, c of a push, a pop and neither, whose sum is 1, the cells c_0, c_1, ... from the top become

        c_0 <- a v + b c_1 + c c_0,    c_i <- a c_(i-1) + b c_(i+1) + c c_i,

    with 0 beyond the last one. Cell i is the expectation of what is at depth i, over all sequences of actions that are
    drawn with these weights: 3^t of them after t steps, with up to 2^t contents. One action of weight 1 makes it a
    stack.

    Parameters
    ----------
    values : int
        The length of the vectors.
    arithmetic : EXACT, RATIONAL or FloatFormat
        In a format every product is rounded, then every sum, in the order of the formula.
    cells : tuple of vectors
        What is on the stack, from the top; empty unless given.

    Raises
    ------
    OptionError, NumberError
        If there are no values.

    References
    ----------
    A. Joulin and T. Mikolov, "Inferring algorithmic patterns with stack-augmented recurrent nets", NIPS 2015.

    Examples
    --------
    >>> stack = SuperpositionStack().step(3, push="1/2", pop="1/4").step(5, push="1/2", pop="1/4")
    >>> [str(cell[0]) for cell in stack.cells]
    ['23/8', '3/4']
    """

    values: int = 1
    arithmetic: Arithmetic = EXACT
    cells: tuple[Values, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", whole_number("values", self.values, least=1, most=MOST_VALUES))
        object.__setattr__(self, "arithmetic", arithmetic_of(self.arithmetic, error=OptionError))
        calculate = calculation_in(self.arithmetic)
        object.__setattr__(self, "cells", held_vectors("cells", self.cells, self.values, calculate))

    def step(
        self,
        value: ExactNumber | Sequence[ExactNumber] | None = None,
        *,
        push: ExactNumber = 0,
        pop: ExactNumber = 0,
        keep: ExactNumber | None = None,
    ) -> SuperpositionStack:
        """Return the stack after a step with these weights; `keep` is what they leave of 1, unless it is given.

        Raises
        ------
        OptionError, NetworkError, NumberError
            If a weight is negative, in exact arithmetic if their sum is not 1, or if the vector has another length.
        """
        rest = 1 - exact(push) - exact(pop) if keep is None else exact(keep)
        if keep is None and rest < 0:
            raise OptionError(f"push={shown(push)} and pop={shown(pop)} are more than 1: give weights that are not")
        calculate = calculation_in(self.arithmetic)
        if isinstance(calculate, ExactCalculation) and exact(push) + exact(pop) + rest != 1:
            raise OptionError(f"push={push}, pop={pop} and keep={keep} have not the sum 1: give weights that have")
        pushed, popped, kept = (
            amount(name, weight, calculate) for name, weight in (("push", push), ("pop", pop), ("keep", rest))
        )
        nothing: Values = (calculate.number(ZERO),) * self.values
        vector = given_vector(value, self.values, calculate)
        around = [vector, *self.cells, nothing, nothing]
        cells = []
        for i in range(len(self.cells) + 1):
            cell: Values = tuple(map(calculate.multiply, repeat(pushed), around[i]))
            cell = plus_scaled(cell, popped, around[i + 2], calculate)
            cells.append(plus_scaled(cell, kept, around[i + 1], calculate))
        while cells and not any(cells[-1]):
            cells.pop()
        return replace(self, cells=tuple(cells))

    @property
    def contents(self) -> tuple[Values, ...]:
        """The vectors on the stack."""
        return self.cells

    @property
    def reading(self) -> Values:
        """The top cell; zeros of an empty stack."""
        return self.cells[0] if self.cells else (calculation_in(self.arithmetic).number(ZERO),) * self.values

    def __repr__(self) -> str:
        return f"<SuperpositionStack of {counted(len(self.cells), 'cell')}, {self.arithmetic}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the cells from the top."""
        rows = tuple((depth, ", ".join(map(number_text, cell))) for depth, cell in enumerate(self.cells))
        more = max(0, len(rows) - MOST_ROWS)
        return Table(title=repr(self)[1:-1], heading=("depth", "cell"), rows=rows[:MOST_ROWS], more=more)
