"""The stack of strengths: vectors that are pushed and popped in part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gmpy2 import mpq

from exactnn.arithmetic import (
    EXACT,
    Arithmetic,
    Calculation,
    ExactNumber,
    Number,
    arithmetic_of,
    calculation_in,
    counted,
    exact,
)
from exactnn.errors import OptionError, shown
from exactnn.markup import MOST_ROWS, Table, Tabular
from exactnn.options import choice, whole_number
from exactnn.stacks.vectors import (
    MOST_VALUES,
    Values,
    amount,
    given_vector,
    held_numbers,
    held_vectors,
    number_text,
    plus_scaled,
)

__all__ = ["StratifiedStack"]

ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StratifiedStack(Tabular):
    """A stack of vectors of strengths from 0 on (Grefenstette et al. 2015): the neural stack.

    A step pops an amount u, from the top downward: each vector loses of its strength what those above it have not
    given. Then it pushes a vector with the strength d. The reading is the sum of the vectors down to the depth 1 in
    strengths, each times the strength by which it is read. With d and u in {0, 1} it is a stack.

    With the strengths s_1, ..., s_(t-1) from the bottom, a step makes

        s_i <- max(0, s_i - max(0, u - (s_(t-1) + ... + s_(i+1)))),  s_t = d,

    and the reading is ``r = sum of min(s_i, max(0, 1 - (s_t + ... + s_(i+1)))) v_i``. It is not divided by the total
    strength where that is below 1.

    Parameters
    ----------
    values : int
        The length of the vectors.
    read : exact number
        The depth to which is read, 1 unless given.
    form : "streaming" or "closed"
        How what reaches a vector is computed, which is the same number in exact arithmetic. Streaming: what is left of
        the amount, less each strength from the top downward. Closed: the amount less their sum, as in the formulas.
    arithmetic : EXACT, RATIONAL or FloatFormat
        In a format all sums go from the top of the stack downward, and every operation is rounded.
    strengths, vectors : tuples
        What is on the stack, from the bottom; empty unless given.

    Raises
    ------
    OptionError, NumberError
        If there are no values, or an amount is negative.

    References
    ----------
    E. Grefenstette, K. M. Hermann, M. Suleyman and P. Blunsom, "Learning to transduce with unbounded memory", NIPS
    2015.

    Examples
    --------
    >>> stack = StratifiedStack().step(3, push="4/5").step(5, push="1/2", pop="1/10")
    >>> [str(s) for s in stack.strengths], str(stack.reading[0])
    (['7/10', '1/2'], '4')
    """

    values: int = 1
    read: mpq = mpq(1)
    form: Literal["streaming", "closed"] = "streaming"
    arithmetic: Arithmetic = EXACT
    strengths: tuple[Number, ...] = ()
    vectors: tuple[Values, ...] = field(default=())

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "values", whole_number("values", self.values, least=1, most=MOST_VALUES))
        fill(self, "read", exact(self.read))
        if self.read < 0:
            raise OptionError(f"read={shown(self.read)}: give a depth of at least 0")
        choice("form", self.form, ("streaming", "closed"))
        fill(self, "arithmetic", arithmetic_of(self.arithmetic, error=OptionError))
        calculate = calculation_in(self.arithmetic)
        fill(self, "strengths", held_numbers("strengths", self.strengths, calculate))
        fill(self, "vectors", held_vectors("vectors", self.vectors, self.values, calculate))
        if negative := [strength for strength in self.strengths if strength < 0]:
            raise OptionError(f"strengths has {number_text(negative[0])}: give numbers of at least 0")
        if len(self.strengths) != len(self.vectors):
            raise OptionError(f"{len(self.strengths)} strengths for {counted(len(self.vectors), 'vector')}: as many")

    def step(
        self, value: ExactNumber | Sequence[ExactNumber] | None = None, *, push: ExactNumber = 0, pop: ExactNumber = 0
    ) -> StratifiedStack:
        """Return the stack after popping the amount `pop`, and then pushing a vector with the strength `push`.

        Raises
        ------
        OptionError, NetworkError, NumberError
            If an amount is negative, or the vector has another length.
        """
        calculate = calculation_in(self.arithmetic)
        strength, popped = amount("push", push, calculate), amount("pop", pop, calculate)
        reaching = zip(reversed(self.strengths), self._reaching(popped, calculate), strict=True)
        left = [calculate.positive(calculate.subtract(own, lost)) for own, lost in reaching]
        vector = given_vector(value, self.values, calculate)
        return replace(self, strengths=(*reversed(left), strength), vectors=(*self.vectors, vector))

    @property
    def contents(self) -> tuple[Values, ...]:
        """The vectors on the stack."""
        return self.vectors

    @property
    def read_strengths(self) -> tuple[Number, ...]:
        """By how much each vector is read, from the bottom."""
        calculate = calculation_in(self.arithmetic)
        depths = self._reaching(calculate.number(self.read), calculate)
        found = [calculate.least(own, depth) for own, depth in zip(reversed(self.strengths), depths, strict=True)]
        return tuple(reversed(found))

    def _reaching(self, whole: Number, calculate: Calculation) -> Iterator[Number]:
        """Yield for each vector, from the top, what of an amount those above it leave: max(0, amount - their sum)."""
        left, above = whole, calculate.number(ZERO)
        for own in reversed(self.strengths):
            yield left if self.form == "streaming" else calculate.positive(calculate.subtract(whole, above))
            left = calculate.positive(calculate.subtract(left, own))
            above = calculate.add(above, own)

    @property
    def reading(self) -> Values:
        """The sum of the vectors, each times the strength by which it is read: from the top downward."""
        calculate = calculation_in(self.arithmetic)
        total: Values = (calculate.number(ZERO),) * self.values
        for strength, vector in zip(reversed(self.read_strengths), reversed(self.vectors), strict=True):
            if strength:
                total = plus_scaled(total, strength, vector, calculate)
        return total

    def __repr__(self) -> str:
        return f"<StratifiedStack of {counted(len(self.vectors), 'vector')}, {self.arithmetic}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the vectors from the top."""
        entries = list(zip(self.strengths, self.read_strengths, self.vectors, strict=True))
        rows = tuple(
            (number_text(strength), number_text(read), ", ".join(map(number_text, vector)))
            for strength, read, vector in reversed(entries)
        )
        heading = ("strength", "read", "vector")
        return Table(title=repr(self)[1:-1], heading=heading, rows=rows[:MOST_ROWS], more=max(0, len(rows) - MOST_ROWS))
