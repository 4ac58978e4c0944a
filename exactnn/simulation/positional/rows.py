"""From a pattern to the few units whose value it does not fix: the rows that a step really has to compute."""

from collections.abc import Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.networks import Activation, Input, Unit
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.status import OUTCOMES, Interval, Status, activated

__all__ = ["Inputs", "Layer", "Row"]

ONE, ZERO = mpq(1), mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A unit that has to be computed: constant + sum of number * base**shift * register.

    `status` is its outcome where the pattern fixes that too. `outside` says why the row cannot be computed with
    positional numerals at all, or is None.
    """

    unit: int
    activation: Activation
    constant: tuple[int, int]
    operands: tuple[tuple[int, int, int], ...]
    status: Status | None
    outside: str | None = None


class Layer:
    """The units of one layer, or a readout, with their terms sorted by the register that they read."""

    def __init__(self, units: Sequence[Unit], radix: Radix) -> None:
        self.units = tuple(units)
        self._radix = radix
        self._columns: dict[int, list[tuple[int, mpq]]] = {}
        for index, unit in enumerate(self.units):
            for register, weight in unit.linear:
                if weight:
                    self._columns.setdefault(register, []).append((index, weight))
        self._products = [(i, *term) for i, unit in enumerate(self.units) for term in unit.bilinear if term[2]]
        self._terms: dict[mpq, tuple[int, int]] = {}

    def resolve(self, statuses: Sequence[Status], inputs: "Inputs") -> tuple[list[Status | None], list[Row]]:
        """Return each unit's status where the pattern fixes it, and a row for each unit whose value it does not fix.

        `statuses` are those of all registers before this layer; `inputs` gives the numbers of the input registers.
        """
        constants, live, outside = self._collect(statuses, inputs)
        fixed: list[Status | None] = []
        rows: list[Row] = []
        for index, unit in enumerate(self.units):
            operands = {register: weight for register, weight in live[index].items() if weight}
            status, known = _outcome(unit.activation, constants[index], operands, statuses)
            if index in outside:
                rows.append(self._outside(index, outside[index]))
                status = None
            elif not known:
                rows.append(self._row(index, constants[index], operands, status))
            fixed.append(status)
        return fixed, rows

    def numbers(self, statuses: Sequence[Status], inputs: "Inputs") -> list[mpq] | None:
        """Return the values of all units if the pattern fixes them, else None."""
        constants, live, outside = self._collect(statuses, inputs)
        if outside or any(operands for terms in live for operands in terms.values()):
            return None
        return [activated(unit.activation, total) for unit, total in zip(self.units, constants, strict=True)]

    def _collect(
        self, statuses: Sequence[Status], inputs: "Inputs"
    ) -> tuple[list[mpq], list[dict[int, mpq]], dict[int, str]]:
        """Return each unit's constant part, its weights of registers that are not fixed, and why some are outside."""
        constants = [unit.bias for unit in self.units]
        live: list[dict[int, mpq]] = [{} for _ in self.units]
        outside: dict[int, str] = {}
        for register, column in self._columns.items():
            number = inputs.number(register, statuses)
            if number is None:
                for index, weight in column:
                    live[index][register] = live[index].get(register, ZERO) + weight
            elif number:
                for index, weight in column:
                    constants[index] += weight * number
        for index, first, second, weight in self._products:
            one, other = inputs.number(first, statuses), inputs.number(second, statuses)
            if one is not None and other is not None:
                constants[index] += weight * one * other
            elif one is not None:
                live[index][second] = live[index].get(second, ZERO) + weight * one
            elif other is not None:
                live[index][first] = live[index].get(first, ZERO) + weight * other
            else:
                outside[index] = "two long numbers are multiplied"
        return constants, live, outside

    def _row(self, index: int, constant: mpq, operands: dict[int, mpq], status: Status | None) -> Row:
        places = self._radix.places(constant)
        if places is None or any(self._radix.places(weight) is None for weight in operands.values()):
            return self._outside(index, "an input is no finite number in the base of the weights")
        return Row(
            unit=index,
            activation=self.units[index].activation,
            constant=(int(constant * self._radix.base**places), places),
            operands=tuple((register, *self._term(weight)) for register, weight in operands.items()),
            status=status,
        )

    def _outside(self, index: int, reason: str) -> Row:
        return Row(
            unit=index,
            activation=self.units[index].activation,
            constant=(0, 0),
            operands=(),
            status=None,
            outside=reason,
        )

    def _term(self, weight: mpq) -> tuple[int, int]:
        if weight not in self._terms:
            self._terms[weight] = self._radix.term(weight)
        return self._terms[weight]


def _outcome(
    activation: Activation, constant: mpq, operands: dict[int, mpq], statuses: Sequence[Status]
) -> tuple[Status | None, bool]:
    """Return a unit's status where the pattern fixes it, and whether that fixes its value (0 or 1) too."""
    if not operands:
        status: Status | None = OUTCOMES[activation][Status.of(constant)]
    else:
        interval = Interval(constant)
        for register, weight in operands.items():
            interval.add(weight, statuses[register])
        if activation is Activation.HEAVISIDE and interval.positive:
            return Status.ONE, True
        inside = interval.status
        status = None if inside is None else OUTCOMES[activation][inside]
    return status, status in (Status.ZERO, Status.ONE)


class Inputs:
    """The registers of a step as far as a pattern gives their numbers: 0, 1 and the inputs.

    `given` is the symbol's number, or the vector of inputs.
    """

    def __init__(self, given: Input, first: int, size: int) -> None:
        vector = given if isinstance(given, tuple) else tuple(mpq(i == given) for i in range(size))
        self._numbers = dict(enumerate(vector, start=first))
        self.statuses = tuple(map(Status.of, vector))

    def number(self, register: int, statuses: Sequence[Status]) -> mpq | None:
        """Return the number in a register, or None if the pattern does not fix it."""
        if register in self._numbers:
            return self._numbers[register]
        status = statuses[register]
        if status is Status.ZERO:
            return ZERO
        return ONE if status is Status.ONE else None
