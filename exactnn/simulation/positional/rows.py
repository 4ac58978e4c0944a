"""What a pattern says of the units of a layer: which are known, and which rows a step has to compute.

A pattern gives every register a status: it is 0, it is 1, or it lies in an open interval. Most units of a layer follow
from that alone. Each of the others is a row: a constant and weighted registers.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple, TypeVar

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber
from exactnn.networks import Activation, Input, Unit
from exactnn.networks.circuit import columns_of
from exactnn.networks.network import input_vector
from exactnn.simulation.executor import Basic, basic
from exactnn.simulation.positional.radix import WORD_BITS, Radix

__all__ = [
    "LIVE",
    "OUTCOMES",
    "RADICES",
    "AffineForm",
    "Inputs",
    "Layer",
    "Row",
    "Status",
    "activated",
    "status_between",
    "status_of",
]

N = TypeVar("N", bound=LongNumber)
ONE, ZERO = mpq(1), mpq(0)


class Status(IntEnum):
    """The value of a register, or the open interval that it lies in."""

    ZERO = 0
    ONE = 1
    LIVE = 2
    """Between 0 and 1."""
    BIG = 3
    """Above 1."""
    NEGATIVE = 4
    """Below 0."""

    @staticmethod
    def of(value: LongNumber) -> "Status":
        """Return the status of a number.

        >>> Status.of(mpq(1, 2)), Status.of(mpq(-3))
        (<Status.LIVE: 2>, <Status.NEGATIVE: 4>)
        """
        if not value:
            return IS_ZERO
        if value < 0:
            return NEGATIVE
        if value >= 1:
            return IS_ONE if value == 1 else BIG
        return LIVE


IS_ZERO, IS_ONE, LIVE, BIG, NEGATIVE = Status
status_of = Status.of
"""The same by names of their own: `Status.LIVE` takes longer to look up than all else that is done with it."""

OUTCOMES: dict[Basic, tuple[Status, ...]] = {
    Basic.IDENTITY: (IS_ZERO, IS_ONE, LIVE, BIG, NEGATIVE),
    Basic.RELU: (IS_ZERO, IS_ONE, LIVE, BIG, IS_ZERO),
    Basic.SLU: (IS_ZERO, IS_ONE, LIVE, IS_ONE, IS_ZERO),
    Basic.HEAVISIDE: (IS_ZERO, IS_ONE, IS_ONE, IS_ONE, IS_ZERO),
}
"""The status of activation(x) for each status of x; only identity on every kept status leaves x as it is."""

NO_OPERANDS: dict[int, mpq] = {}

LONGEST_LOOKUP = 1 << 14
"""Entries of a table by leading digits."""

RADICES: dict[Basic, int] = {activation: max(found) + 1 for activation, found in OUTCOMES.items()}
"""How many outcomes an activation has: they are numbered from 0."""


def activated(activation: Activation, x: N) -> N | mpq:
    """Return activation(x), for one of the four basic activations."""
    status = OUTCOMES[basic(activation)][Status.of(x)]
    return mpq(status) if status in (IS_ZERO, IS_ONE) else x


def status_between(low: mpq | None, high: mpq | None) -> Status | None:
    """Return the one status that all numbers of an open interval have, or None; an end that is None is unbounded.

    >>> status_between(mpq(1), None), status_between(mpq(-1), mpq(1))
    (<Status.BIG: 3>, None)
    """
    if high is not None and high <= 0:
        return NEGATIVE
    if low is not None and low >= 1:
        return BIG
    return LIVE if low is not None and high is not None and low >= 0 and high <= 1 else None


class Interval:
    """The open interval that a form lies in, or the number that it is: a constant and weighted registers."""

    __slots__ = ("high", "low")

    def __init__(self, constant: mpq) -> None:
        self.low: mpq | None = constant  # None: unbounded
        self.high: mpq | None = constant

    def add(self, weight: mpq, status: Status) -> None:
        """Add weight times a register of that status, which is neither 0 nor 1."""
        grows = (weight > 0) == (status is not NEGATIVE)
        if status is LIVE:
            if weight > 0:
                self.high = None if self.high is None else self.high + weight
            else:
                self.low = None if self.low is None else self.low + weight
            return
        if status is BIG:
            self.low = None if self.low is None else self.low + weight
            self.high = None if self.high is None else self.high + weight
        if grows:
            self.high = None
        else:
            self.low = None

    @property
    def status(self) -> Status | None:
        """The one status that everything inside has, or None."""
        return status_between(self.low, self.high)

    @property
    def positive(self) -> bool:
        """Whether everything inside is above 0."""
        return self.low is not None and self.low >= 0


class Row(NamedTuple):
    """A unit that has to be computed: constant + sum of number * base**shift * register.

    `status` is its outcome where the pattern fixes that too. `outside` says why the row cannot be computed with
    positional numerals at all, or is None. `is_single`: it is plus or minus a shifted register and a constant, which a
    table by leading digits tells where that register is in (0, 1).
    """

    unit: int
    activation: Basic
    constant: tuple[int, int]
    operands: tuple[tuple[int, int, int], ...]
    status: Status | None
    outside: str | None = None
    is_single: bool = False

    @property
    def digits_seen(self) -> int:
        """How many digits of its one operand it must see."""
        return max(0, self.operands[0][2] + self.constant[1])

    def fits_words(self, radix: Radix) -> bool:
        """Whether its constant and its factors fit machine words."""
        number, places = self.constant
        factors = [abs(factor) for _, factor, _ in self.operands]
        return places <= len(radix.powers) // 2 and not max([abs(number), *factors]) >> WORD_BITS

    def is_shift_within(self, radix: Radix) -> bool:
        """Whether it is plus or minus a register of (0, 1) that is shifted within what a head and a word hold."""
        if len(self.operands) != 1:
            return False
        ((_, factor, shift),) = self.operands
        return abs(factor) == 1 and self.digits_seen <= radix.least and radix.fits(*self.constant, shift)


class AffineForm(NamedTuple):
    """A constant and weighted registers of the state, none with weight 0."""

    constant: mpq
    terms: dict[int, mpq]


class Layer:
    """The units of one layer, or a readout, with their terms sorted by the register that they read."""

    def __init__(self, units: Sequence[Unit], radix: Radix) -> None:
        self.units = tuple(units)
        self.activations = [basic(unit.activation) for unit in self.units]
        self._outcomes = [OUTCOMES[activation] for activation in self.activations]
        self._radix = radix
        self._biases = [unit.bias for unit in self.units]
        self._columns = columns_of(self.units)
        self._others: tuple[range, list[int]] | None = None  # registers of columns that are none of these inputs
        self._products = [(i, *term) for i, unit in enumerate(self.units) for term in unit.bilinear if term[2]]
        self.registers = sorted({*self._columns, *(register for _, *both, _ in self._products for register in both)})
        """Those that are read."""
        self._terms: dict[mpq, tuple[int, int] | None] = {}
        self._constants: dict[mpq, tuple[int, int] | None] = {}
        self._rows: dict[tuple[object, ...], Row] = {}

    def resolve(self, statuses: Sequence[Status], inputs: "Inputs") -> tuple[list[Status | None], list[Row]]:
        """Return each unit's status where the pattern fixes it, and a row for each unit whose value it does not fix.

        `statuses` are those of all registers before this layer; `inputs` gives the numbers of the input registers.
        """
        constants, live, outside = self._collect(statuses, inputs)
        fixed: list[Status | None] = [
            outcomes[status_of(constant)] for outcomes, constant in zip(self._outcomes, constants, strict=True)
        ]
        for index, terms in live.items():
            if not all(terms.values()):  # some cancel
                terms = live[index] = {register: weight for register, weight in terms.items() if weight}
            if terms:
                fixed[index] = _outcome(self.activations[index], constants[index], terms, statuses)
        rows: list[Row] = []
        for index, status in enumerate(fixed):
            if index in outside:
                fixed[index] = None
                rows.append(self._outside(index, outside[index]))
            elif status is not IS_ZERO and status is not IS_ONE:
                rows.append(self._row(index, constants[index], live.get(index, NO_OPERANDS), status))
        return fixed, rows

    def numbers(self, statuses: Sequence[Status], inputs: "Inputs") -> list[mpq] | None:
        """Return the values of all units if the pattern fixes them, else None."""
        constants, live, outside = self._collect(statuses, inputs)
        if outside or any(any(terms.values()) for terms in live.values()):
            return None
        return [activated(unit.activation, total) for unit, total in zip(self.units, constants, strict=True)]

    def forms(self, values: Sequence[AffineForm]) -> list[AffineForm]:
        """Return the pre-activations of all units, which have no products, if registers before have these forms."""
        constants = [unit.bias for unit in self.units]
        terms: list[dict[int, mpq]] = [{} for _ in self.units]
        for register, column in self._columns.items():
            form = values[register]
            if not form.constant and not form.terms:
                continue
            for index, weight in column:
                constants[index] += weight * form.constant
                found = terms[index]
                for source, factor in form.terms.items():
                    found[source] = found.get(source, ZERO) + weight * factor
        cleared = ({register: weight for register, weight in found.items() if weight} for found in terms)
        return list(map(AffineForm, constants, cleared))

    def _collect(
        self, statuses: Sequence[Status], inputs: "Inputs"
    ) -> tuple[list[mpq], dict[int, dict[int, mpq]], dict[int, str]]:
        """Return each unit's constant part; weights of registers that are not fixed, for the units that have such; and
        why some are outside."""
        constants = self._biases[:]
        live: dict[int, dict[int, mpq]] = {}
        outside: dict[int, str] = {}
        for register in self._read(inputs):
            if statuses[register] is IS_ZERO:
                continue
            column, number = self._columns[register], inputs.number(register, statuses)
            if number is None:
                for index, weight in column:
                    _add(live, index, register, weight)
            elif number is ONE:
                for index, weight in column:
                    constants[index] += weight
            else:
                for index, weight in column:
                    constants[index] += weight * number
        for index, first, second, weight in self._products:
            one, other = inputs.number(first, statuses), inputs.number(second, statuses)
            if one is not None and other is not None:
                constants[index] += weight * one * other
            elif one is not None:
                _add(live, index, second, weight * one)
            elif other is not None:
                _add(live, index, first, weight * other)
            else:
                outside[index] = "two long numbers are multiplied"
        return constants, live, outside

    def _read(self, inputs: "Inputs") -> list[int]:
        """Return the registers that are read, without inputs that are 0."""
        if self._others is None or self._others[0] != inputs.registers:
            self._others = inputs.registers, [i for i in self._columns if i not in inputs.registers]
        return self._others[1] + [i for i in inputs.not_zero if i in self._columns]

    def _row(self, index: int, constant: mpq, operands: dict[int, mpq], status: Status | None) -> Row:
        """Return a row, which is made once: most come up in several patterns."""
        key = (index, status, constant, *operands.items())
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = self._new_row(index, constant, operands, status)
        return row

    def _new_row(self, index: int, constant: mpq, operands: dict[int, mpq], status: Status | None) -> Row:
        found, terms = self._constant(constant), []
        for register, weight in operands.items():
            term = self._term(weight)
            if term is None:
                found = None
            else:
                terms.append((register, *term))
        if found is None:
            return self._outside(index, "an input is no finite number in the base of the weights")
        row = Row(index, self.activations[index], found, tuple(terms), status)
        if not row.fits_words(self._radix):
            return self._outside(index, "a weight or an input does not fit a machine word")
        is_shift = row.is_shift_within(self._radix)
        return row._replace(is_single=is_shift and 2 * self._radix.base**row.digits_seen <= LONGEST_LOOKUP)

    def _outside(self, index: int, reason: str) -> Row:
        return Row(
            unit=index,
            activation=self.activations[index],
            constant=(0, 0),
            operands=(),
            status=None,
            outside=reason,
        )

    def _constant(self, constant: mpq) -> tuple[int, int] | None:
        """Return a number as n / base**places; None if it is no finite one in the base."""
        if constant not in self._constants:
            places = self._radix.places(constant)
            self._constants[constant] = None if places is None else (int(constant * self._radix.base**places), places)
        return self._constants[constant]

    def _term(self, weight: mpq) -> tuple[int, int] | None:
        """Return a weight as n * base**s; None if it is no finite number in the base."""
        if weight not in self._terms:
            self._terms[weight] = None if self._radix.places(weight) is None else self._radix.term(weight)
        return self._terms[weight]


def _add(live: dict[int, dict[int, mpq]], index: int, register: int, weight: mpq) -> None:
    """Add a weight of a register to those of a unit."""
    terms = live.get(index)
    if terms is None:
        live[index] = {register: weight}
    else:
        terms[register] = terms[register] + weight if register in terms else weight


def _outcome(activation: Basic, constant: mpq, operands: dict[int, mpq], statuses: Sequence[Status]) -> Status | None:
    """Return the status of a unit that reads long numbers, where the pattern fixes it."""
    interval = Interval(constant)
    for register, weight in operands.items():
        interval.add(weight, statuses[register])
    if activation is Basic.HEAVISIDE and interval.positive:
        return IS_ONE
    inside = interval.status
    return None if inside is None else OUTCOMES[activation][inside]


class Inputs:
    """The registers of a step as far as a pattern gives their numbers: 0, 1 and the inputs.

    `given` is the symbol's number, or the vector of inputs.
    """

    def __init__(self, given: Input, first: int, size: int) -> None:
        self.vector = input_vector(given, size)
        if isinstance(given, tuple):
            self.statuses = tuple(map(status_of, given))
            places: Iterable[int] = [place for place, number in enumerate(given) if number]
        else:  # there may be thousands of symbols
            self.statuses = (*(IS_ZERO,) * given, IS_ONE, *(IS_ZERO,) * (size - given - 1))
            places = (given,)
        self.registers = range(first, first + len(self.vector))
        self.not_zero = [first + place for place in places]

    def number(self, register: int, statuses: Sequence[Status]) -> mpq | None:
        """Return the number in a register, or None if the pattern does not fix it."""
        if register in self.registers:
            return self.vector[register - self.registers.start]
        status = statuses[register]
        if status is IS_ZERO:
            return ZERO
        return ONE if status is IS_ONE else None
