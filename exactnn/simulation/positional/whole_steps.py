"""A whole step by the leading digits of all numbers together, through layers whose units are never written.

The units of a layer are *forms*: a constant and weighted numbers of the state. Each of those lies in an interval, that
which its leading digits leave open, and the intervals tell in which of its pieces an activation is. There it gives a
constant, or the form as it is. So a sum of two long numbers, which no slot can hold, does no harm where it cancels in a
later layer. At the end of the step each number of the next state is a form in the numbers before it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.simulation.executor import Basic
from exactnn.simulation.positional.radix import WORD_BITS, Radix
from exactnn.simulation.positional.rows import LIVE, OUTCOMES, AffineForm, Layer, Status

__all__ = ["Look", "Start", "WholeStep", "entries", "whole_step"]

ONE, ZERO = mpq(1), mpq(0)
_ZERO, _ONE = AffineForm(ZERO, {}), AffineForm(ONE, {})


class Bounds(NamedTuple):
    """The open interval that a number lies in; or the number itself, twice."""

    low: mpq
    high: mpq

    @property
    def width(self) -> mpq:
        """How much is left open."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class WholeStep:
    """The next state: the statuses and the forms of its components."""

    statuses: tuple[Status, ...]
    forms: tuple[AffineForm, ...]


def entries(digits: int, radix: Radix) -> int:
    """Return how many entries so many leading digits have: 2q for the number q / base**digits, 2q + 1 beyond it.

    >>> entries(2, Radix(base=2, limb=1, least=2, most=4))
    8
    """
    return 2 * int(radix.base**digits)


class Look:
    """Leading digits of the numbers of a state: so many of each, and more where an outcome depends on them.

    Parameters
    ----------
    digits : dict
        How many are looked at, by register; it grows.
    entry : callable
        The entry of the first digits of the number in a register, from (register, digits).
    radix : Radix
    """

    def __init__(self, digits: dict[int, int], entry: Callable[[int, int], int], radix: Radix) -> None:
        self.digits = dict(digits)
        self._entry = entry
        self._radix = radix
        self._bounds = {register: self._known(register) for register in digits}

    def regions(self, form: AffineForm) -> set[Status]:
        """Return the statuses that a form has for some numbers with these digits, but not 0 and 1 beside others.

        >>> look = Look({0: 1}, lambda register, digits: 1, Radix(base=2, limb=1, least=2, most=4))
        >>> sorted(look.regions(AffineForm(mpq(0), {0: mpq(4)})))  # 4x for x between 0 and 1/2
        [<Status.LIVE: 2>, <Status.BIG: 3>]
        """
        return _regions(form, self._bounds)

    def closer(self, form: AffineForm) -> bool:
        """Look at one more digit of the number on which a form depends most, of those with more; False if none has."""
        shares = {register: abs(weight) * self._bounds[register].width for register, weight in form.terms.items()}
        by_share = sorted((register for register in shares if shares[register]), key=lambda register: -shares[register])
        return any(self._look_at(register, self.digits[register] + 1) for register in by_share)

    def is_shift(self, form: AffineForm) -> bool:
        """Return whether a form is plus or minus one number, shifted, and a constant; or a constant alone."""
        return not form.terms or (len(form.terms) == 1 and self._is_power(*form.terms.values()))

    def _is_power(self, weight: mpq) -> bool:
        return self._radix.places(weight) is not None and abs(self._radix.term(weight)[0]) == 1

    def without_short_numbers(self, form: AffineForm) -> AffineForm:
        """Return a form in long numbers only: those that few digits write out are part of its constant.

        >>> look = Look({0: 0, 1: 0}, lambda _, digits: 2**digits, Radix(base=2, limb=1, least=2, most=4))
        >>> look.without_short_numbers(AffineForm(mpq(1), {0: mpq(1), 1: mpq(2)}))  # both are 1/2
        AffineForm(constant=mpq(5,2), terms={})
        """
        constant, terms = form.constant, {}
        for register, weight in form.terms.items():
            if self._is_short(register):
                constant += weight * self._bounds[register].low
            else:
                terms[register] = weight
        return AffineForm(constant, terms)

    def _is_short(self, register: int) -> bool:
        """Return whether a number is written out by as many digits as may be looked at; then so many are."""
        for digits in range(self.digits[register], self._radix.least + 1):
            if self._entry(register, digits) % 2 == 0:
                return digits == self.digits[register] or self._look_at(register, digits)
        return False

    def _look_at(self, register: int, digits: int) -> bool:
        """Look at so many digits of a number; return whether that is possible."""
        more = self.digits | {register: digits}
        if digits > self._radix.least or prod(entries(n, self._radix) for n in more.values()) >> WORD_BITS:
            return False
        self.digits = more
        self._bounds[register] = self._known(register)
        return True

    def _known(self, register: int) -> Bounds:
        digits = self.digits[register]
        entry, unit = self._entry(register, digits), self._radix.base**digits
        low = mpq(entry // 2, unit)
        return Bounds(low, low + mpq(entry % 2, unit))


class Start:
    """What a pattern tells of a step before any digit is looked at.

    Parameters
    ----------
    layer : Layer
        The first one.
    statuses : sequence of Status
        Of the registers of the state; none is above 1 or below -1.
    inputs : sequence of mpq
    """

    def __init__(self, layer: Layer, statuses: Sequence[Status], inputs: Sequence[mpq]) -> None:
        live = {i: _WINDOWS[status] for i, status in enumerate(statuses) if status in _WINDOWS}
        values = [
            AffineForm(ZERO, {i: ONE}) if i in live else AffineForm(mpq(status), {})
            for i, status in enumerate(statuses)
        ]
        values += [AffineForm(number, {}) for number in inputs]
        self.open: list[tuple[int, Basic, AffineForm]] = []
        """Units of the layer that depend on digits: register, activation, pre-activation."""
        for activation, form in zip(layer.activations, layer.forms(values), strict=True):
            value = _value(activation, form, _regions(form, live)) if form.terms else _constant(activation, form)
            if value is None:
                self.open.append((len(values), activation, form))
            values.append(value or form)
        self.values = values
        """All registers up to the layer, those of open units left as they are before their activation."""


_WINDOWS = {LIVE: Bounds(ZERO, ONE), Status.NEGATIVE: Bounds(-2 * ONE, ZERO)}
"""Open intervals with all numbers of a status, if none is below -1."""


def whole_step(layers: Sequence[Layer], next_state: Sequence[int], start: Start, look: Look) -> WholeStep | None:
    """Return what a step comes to for all numbers with some leading digits, more of which are looked at as needed.

    No unit has products. None if there are too few digits.
    """
    values = start.values.copy()
    for register, activation, form in start.open:
        value = _activated(activation, form, look)
        if value is None:
            return None
        values[register] = value
    for layer in layers[1:]:
        for activation, form in zip(layer.activations, layer.forms(values), strict=True):
            value = _activated(activation, form, look) if form.terms else _constant(activation, form)
            if value is None:
                return None
            values.append(value)
    statuses = []
    following = []
    for register in next_state:
        form = values[register]
        if not look.is_shift(form):
            form = look.without_short_numbers(form)
        status = _status(form, look)
        if status is None:
            return None
        statuses.append(status)
        following.append(form)
    return WholeStep(tuple(statuses), tuple(following))


def _regions(form: AffineForm, bounds: dict[int, Bounds]) -> set[Status]:
    """Return the statuses that a form has for some numbers within bounds, but not 0 and 1 beside others."""
    low = high = form.constant
    for register, weight in form.terms.items():
        first, second = bounds[register]
        low += weight * (first if weight > 0 else second)
        high += weight * (second if weight > 0 else first)
    if low == high:
        return {Status.of(low)}
    found = (Status.NEGATIVE, low < 0), (LIVE, low < 1 and high > 0), (Status.BIG, high > 1)
    return {status for status, there in found if there}


def _value(activation: Basic, form: AffineForm, regions: set[Status]) -> AffineForm | None:
    """Return what an activation makes of a form that has one of these statuses; None if it depends on which."""
    pieces = {min(OUTCOMES[activation][region], LIVE) for region in regions}
    if len(pieces) > 1:
        return None
    (piece,) = pieces
    return form if piece is LIVE else _ZERO if piece is Status.ZERO else _ONE


def _constant(activation: Basic, form: AffineForm) -> AffineForm:
    """Return what an activation makes of a constant."""
    status = OUTCOMES[activation][Status.of(form.constant)]
    return form if status >= LIVE else _ZERO if status is Status.ZERO else _ONE


def _activated(activation: Basic, form: AffineForm, look: Look) -> AffineForm | None:
    """Return what an activation makes of a form; None if there are too few digits to tell."""
    if activation is Basic.IDENTITY:
        return form
    while True:
        value = _value(activation, form, look.regions(form))
        if value is not None or not look.closer(form):
            return value


def _status(form: AffineForm, look: Look) -> Status | None:
    """Return the status of a form; None if there are too few digits to tell."""
    while True:
        found = look.regions(form)
        if len(found) == 1:
            return found.pop()
        if not look.closer(form):
            return None
