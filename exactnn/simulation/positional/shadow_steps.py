"""The steps of a network in residues, written from its original weights for the patterns that come up, and followed.

A transition of the engine's program says which pattern led to which. Its *entry* has the units of one layer that have
to be computed, with the network's own weights, and the registers that the next state copies. :func:`replay` follows the
entries of the transitions that the engine took.

Where a number of the state is cut off, so that nothing of it is left in the next state, no later comparison sees
whether it was right. It was if the shadow finds it used up, some unit that reads it alone being exactly 0 or 1 and not
beyond. Other such steps are counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.networks import Activation, Input, Network, Unit
from exactnn.simulation.compiled import compiled
from exactnn.simulation.positional.program import Pattern
from exactnn.simulation.positional.rows import LIVE, Status, activated
from exactnn.simulation.positional.table_kernels import GrowingArray

__all__ = [
    "BEGINNING", "CUTS", "FLOW", "MODULUS", "STEPS", "WRONG_PATTERN", "WRONG_VALUE", "ShadowSteps", "product",
    "replay", "residue",
]  # fmt: skip

Array = NDArray[np.int64]
Residues = NDArray[np.uint64]

MODULUS = (1 << 61) - 1

# Why a replay stopped early: results below 0.
WRONG_PATTERN, WRONG_VALUE = -1, -2
# Places of the replay's variables: the pattern now, that of the last state, steps taken, those that cut numbers off.
NOW, BEGINNING, STEPS, CUTS = range(4)
FLOW = 4
# An entry: the pattern that it begins in and that it leads to, whether it ends a step, how many units and copies, and
# of how many numbers nothing is left.
FROM, TO, ENDS, UNITS, COPIES, LOST = range(6)
ENTRY = 6
# A unit: its register, the value that it must have (-1: any, it is written; USED_UP - 2i - v: the i-th number that is
# lost was used up if the unit is v), a constant, and how many terms.
USED_UP = -2
REGISTER, EXPECTED, BIAS, LINEAR, BILINEAR = range(5)
UNIT = 5

P = np.uint64(MODULUS)
BITS, HALF, MORE, SINGLE = np.uint64(61), np.uint64(31), np.uint64(30), np.uint64(1)
LOW_HALF, LOW_MORE = np.uint64((1 << 31) - 1), np.uint64((1 << 30) - 1)
TWO, THREE = np.uint64(2), np.uint64(3)


@compiled
def product(a: Any, b: Any) -> Any:
    """Return a * b modulo 2**61 - 1, or as much more, for unsigned words below 2**61 + 7.

    With halves of 31 bits the product is high * 2**62 + middle * 2**31 + low. Modulo 2**61 - 1, 2**62 is 2, and of the
    middle the bits from number 30 on count from 2**61, which is 1. The sum of all that is below 2**64.
    """
    high, low = a >> HALF, a & LOW_HALF
    other_high, other_low = b >> HALF, b & LOW_HALF
    middle = high * other_low + low * other_high
    total = ((high * other_high) << SINGLE) + (middle >> MORE) + ((middle & LOW_MORE) << HALF) + low * other_low
    return (total & P) + (total >> BITS)


@compiled
def unit_value(at: Any, steps: Array, registers: Residues) -> Any:
    """Return the unit whose words begin at `at`, as a word like those of :func:`product`."""
    total = np.uint64(steps[at + np.uint64(BIAS)])
    term = at + np.uint64(UNIT)
    for _ in range(steps[at + np.uint64(LINEAR)]):
        total += product(np.uint64(steps[term + SINGLE]), registers[np.uint64(steps[term])])
        total = (total & P) + (total >> BITS)
        term += TWO
    for _ in range(steps[at + np.uint64(BILINEAR)]):
        both = product(registers[np.uint64(steps[term])], registers[np.uint64(steps[term + SINGLE])])
        total += product(np.uint64(steps[term + TWO]), both)
        total = (total & P) + (total >> BITS)
        term += THREE
    return total


@compiled
def replay(
    trace: Array,
    position: Any,
    taken: Any,
    entries: Array,
    steps: Array,
    registers: Residues,
    scratch: Residues,
    flow: Array,
) -> Any:
    """Follow the transitions in the trace; return the place of the first without an entry, `taken`, or a fault.

    `entries` has the address of each transition's entry in `steps`, 0 for none, -1 for one within a layer. `registers`
    are the residues, one for each register of the network; `scratch` holds the next state while it is copied.
    """
    now, beginning, done, cuts = flow[NOW], flow[BEGINNING], flow[STEPS], flow[CUTS]
    while position < taken:
        transition = np.uint64(trace[position])
        if transition >= np.uint64(entries.shape[0]) or entries[transition] == 0:
            break
        position += 1
        if entries[transition] < 0:
            continue  # in the middle of a layer
        at = np.uint64(entries[transition])
        if steps[at + np.uint64(FROM)] != now:
            return WRONG_PATTERN
        now = steps[at + np.uint64(TO)]
        ends, units = steps[at + np.uint64(ENDS)], steps[at + np.uint64(UNITS)]
        copies = np.uint64(steps[at + np.uint64(COPIES)])
        lost = steps[at + np.uint64(LOST)]
        used_up = 0
        # The units of the layer: those that are live are written, those that came out 0 or 1 are compared, and those
        # that read a number alone that is lost say whether it was used up.
        at += np.uint64(ENTRY)
        for _ in range(units):
            value = unit_value(at, steps, registers)
            expected = steps[at + np.uint64(EXPECTED)]
            if expected <= USED_UP:
                if value % P == np.uint64((USED_UP - expected) & 1):
                    used_up |= 1 << ((USED_UP - expected) >> 1)
            elif expected < 0:
                registers[np.uint64(steps[at + np.uint64(REGISTER)])] = value
            elif value % P != np.uint64(expected):
                return WRONG_VALUE
            terms = TWO * np.uint64(steps[at + np.uint64(LINEAR)]) + THREE * np.uint64(steps[at + np.uint64(BILINEAR)])
            at += np.uint64(UNIT) + terms
        # At the end of a step, the registers that are the next state, through `scratch`, since they may change places.
        for i in range(copies):
            scratch[i] = registers[np.uint64(steps[at + TWO * i])]
        for i in range(copies):
            registers[np.uint64(steps[at + TWO * i + SINGLE])] = scratch[i]
        if ends:
            beginning = now
            done += 1
            cuts += used_up + 1 != 1 << lost
    flow[NOW], flow[BEGINNING], flow[STEPS], flow[CUTS] = now, beginning, done, cuts
    return position


MOST_LOST = 60
"""So many numbers that are lost in one step are told apart."""

_Key = tuple[Input, int, tuple[Status, ...]]


def residue(value: mpq) -> int:
    """Return a rational modulo 2**61 - 1.

    >>> residue(mpq(1, 2)), residue(mpq(-3))
    (1152921504606846976, 2305843009213693948)
    """
    inverse = pow(int(value.denominator % MODULUS), -1, MODULUS)
    return int(value.numerator * inverse % MODULUS)


@dataclass(frozen=True, slots=True)
class _Form:
    """What a pattern leaves of a unit: a constant, and weights of registers that are neither 0 nor 1."""

    constant: mpq
    linear: dict[int, mpq]
    bilinear: tuple[tuple[int, int, mpq], ...]


class ShadowSteps:
    """Entries for :func:`replay`."""

    def __init__(self, network: Network) -> None:
        circuit = network.circuit
        self.circuit = circuit
        self.layers: tuple[tuple[Unit, ...], ...] = circuit.layers or ((),)
        self._units = [unit for layer in self.layers for unit in layer]
        self.words = GrowingArray()
        self.words.append([0])
        self._numbers: dict[_Key, int] = {}

    def number(self, given: Input, layer: int, statuses: tuple[Status, ...]) -> int:
        """Return the number of a pattern; which bank is read makes no difference here."""
        return self._numbers.setdefault((given, layer, statuses), len(self._numbers))

    def entry(self, pattern: Pattern, outcome: tuple[Status, ...]) -> int | None:
        """Write what a layer does if its units come out like this; None if some cannot."""
        units: list[int] = []
        count = 0
        for unit, status, register in zip(
            self.layers[pattern.layer], outcome, range(self._first(pattern), 1 << 62), strict=False
        ):
            form = self._form(unit, pattern)
            if not form.linear and not form.bilinear and Status.of(activated(unit.activation, form.constant)) != status:
                return None
            words = self._unit(form, unit.activation, status, register)
            units += words
            count += bool(words)
        statuses = pattern.statuses + outcome
        ends = pattern.layer + 1 == len(self.layers)
        copies = self._copies(pattern, statuses) if ends else []
        following = self._following(pattern, statuses) if ends else (pattern.given, pattern.layer + 1, statuses)
        lost = self._lost(pattern, statuses) if ends else []
        for i, component in enumerate(lost):
            more = self._used_up(i, component, pattern, statuses)
            count += len(more)
            units += [word for words in more for word in words]
        begins = self.number(pattern.given, pattern.layer, pattern.statuses)
        header = [begins, self.number(*following), int(ends), count, len(copies) // 2, len(lost)]
        return self.words.append([*header, *units, *copies])

    def _unit(self, form: _Form, activation: Activation, status: Status, register: int) -> list[int]:
        """Return the words of a unit: if it is live, or comes out 0 or 1 without having been cut off."""
        exact = activation == Activation.IDENTITY or (activation == Activation.RELU and status is Status.ONE)
        if status < LIVE and not exact:
            return []
        expected = int(status) if status < LIVE else -1
        return self._words(form, register, expected)

    def _words(self, form: _Form, register: int, expected: int) -> list[int]:
        words = [register, expected, residue(form.constant), len(form.linear), len(form.bilinear)]
        for source, weight in form.linear.items():
            words += [source, residue(weight)]
        for first, second, weight in form.bilinear:
            words += [first, second, residue(weight)]
        return words

    def _forms(self, pattern: Pattern, statuses: tuple[Status, ...]) -> Iterator[tuple[int, Status, _Form]]:
        """Yield register, status and form of the units of a step that ends in this pattern's layer."""
        known = self.circuit.state_size
        for number, layer in enumerate(self.layers):
            before = pattern._replace(layer=number, statuses=statuses[:known])
            for i, unit in enumerate(layer):
                yield self.circuit.input_size + known + i, statuses[known + i], self._form(unit, before)
            known += len(layer)

    def _lost(self, pattern: Pattern, statuses: tuple[Status, ...]) -> list[int]:
        """Return the numbers of the state of which nothing is left in the next one, at most as a word has bits."""
        size = self.circuit.state_size
        held = {i: {i} for i in range(size) if statuses[i] >= LIVE}
        live = set(held)
        for register, status, form in self._forms(pattern, statuses):
            if status >= LIVE:
                read = [*form.linear, *(source for first, second, _ in form.bilinear for source in (first, second))]
                held[register] = set().union(*(held[source] for source in read))
        left = [held[register] for register in self.circuit.next_state if register in held]
        return sorted(live.difference(*left))[:MOST_LOST]

    def _used_up(self, number: int, component: int, pattern: Pattern, statuses: tuple[Status, ...]) -> list[list[int]]:
        """Return the words of the units that read this component alone and may have come out exactly 0 or 1."""
        alone = [
            (register, status, form)
            for register, status, form in self._forms(pattern, statuses)
            if list(form.linear) == [component] and not form.bilinear
        ]
        found = []
        for register, status, form in alone:
            value = (status - form.constant) / form.linear[component]
            if (
                status < LIVE
                and Status.of(value) is statuses[component]
                and all(
                    self._activated(other, form.constant + form.linear[component] * value) is expected
                    for other, expected, form in alone
                )
            ):
                found.append(self._words(form, register, USED_UP - 2 * number - int(status)))
        return found

    def _activated(self, register: int, value: mpq) -> Status:
        """Return the status of a unit with this sum."""
        unit = self._units[register - self.circuit.state_size - self.circuit.input_size]
        return Status.of(activated(unit.activation, value))

    def _form(self, unit: Unit, pattern: Pattern) -> _Form:
        constant = unit.bias
        linear: dict[int, mpq] = {}
        bilinear = []
        terms = [(weight, [register]) for register, weight in unit.linear]
        terms += [(weight, [first, second]) for first, second, weight in unit.bilinear]
        for weight, registers in terms:
            numbers = [self._number_in(register, pattern) for register in registers]
            left = [register for register, number in zip(registers, numbers, strict=True) if number is None]
            for number in numbers:
                weight = weight if number is None else weight * number
            if not left:
                constant += weight
            elif len(left) == 1:
                linear[left[0]] = linear.get(left[0], mpq(0)) + weight
            elif weight:
                bilinear.append((*left, weight))
        return _Form(constant, {r: w for r, w in linear.items() if w}, tuple(bilinear))  # type: ignore[arg-type]

    def _number_in(self, register: int, pattern: Pattern) -> mpq | None:
        """Return the number in a register where the pattern says it."""
        size, inputs = self.circuit.state_size, self.circuit.input_size
        if size <= register < size + inputs:
            given = pattern.given
            return given[register - size] if isinstance(given, tuple) else mpq(register - size == given)
        status = pattern.statuses[register if register < size else register - inputs]
        return mpq(status) if status < LIVE else None

    def _status_in(self, register: int, pattern: Pattern, statuses: Sequence[Status]) -> Status:
        size, inputs = self.circuit.state_size, self.circuit.input_size
        if size <= register < size + inputs:
            number = self._number_in(register, pattern)
            assert number is not None
            return Status.of(number)
        return statuses[register if register < size else register - inputs]

    def _following(self, pattern: Pattern, statuses: Sequence[Status]) -> _Key:
        following = tuple(self._status_in(register, pattern, statuses) for register in self.circuit.next_state)
        return pattern.given, 0, following

    def _copies(self, pattern: Pattern, statuses: Sequence[Status]) -> list[int]:
        """Return (register, component) for the components of the next state that are neither 0 nor 1."""
        return [
            word
            for component, register in enumerate(self.circuit.next_state)
            if self._status_in(register, pattern, statuses) >= LIVE
            for word in (register, component)
        ]

    def _first(self, pattern: Pattern) -> int:
        """Return the first register of the units of a layer."""
        return self.circuit.input_size + len(pattern.statuses)
