"""Forms, the numbers of a check: affine in some unknowns, and whole numbers over a power of one number.

All numbers of a check are sums and products of the network's parameters, of limbs, and of powers of the base. So if
`scale` is a common multiple of the base and of the denominators of the parameters, each of them is N / scale**places.
Such numbers are added and multiplied as whole numbers are. Fractions in lowest terms would need a greatest common
divisor for every sum, which takes nearly all of the time where numbers are long.

Every operation is counted as work before it is done, and there is a bound on the length of its numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from gmpy2 import lcm, mpq, mpz

from exactnn.errors import CertificateError
from exactnn.networks import Network
from exactnn.work import (
    MOST_BITS,
    Work,
    common_denominator,
    long_divisor,
    long_product,
    long_quotient,
    long_words,
    too_long,
)

__all__ = ["ONE", "ONE_FORM", "ZERO_FORM", "Form", "Room", "Scale", "is_number"]

ONE = -1
"""The key of the constant of a form; other keys are its unknowns."""

MOST_FACTOR_BITS = 1 << 30
"""Size of all parameters together, as whole numbers over the scale."""

LONG = 1 << 11
"""Bits of two numbers together from which on a product of them may be more than one unit of work."""

MOST_POWERS = 32
"""Powers of the scale that are kept."""


class Form(NamedTuple):
    """The number that is the sum of parts[s] * t_s, over scale**places; t_ONE is 1.

    It is written in one way only, without parts that are 0 and with as few places as there can be, so that forms are
    equal if they are the same for all values of the unknowns.
    """

    places: int
    parts: Mapping[int, mpz]


ZERO_FORM = Form(0, {})
ONE_FORM = Form(0, {ONE: mpz(1)})

Term = tuple[mpz, int, Form]
"""(factor, places, form): the form, times factor / scale**places."""


class Room:
    """The memory for the numbers of a step."""

    def __init__(self, scale: "Scale") -> None:
        self._scale = scale
        self._bits = MOST_BITS

    def keep(self, form: Form) -> Form:
        """Return `form`; raises CertificateError if there is no room left for it."""
        if form.parts and form is not ONE_FORM:
            self._bits -= sum([x.bit_length() for x in form.parts.values()]) + form.places * self._scale.bits
            if self._bits < 0:
                raise too_long()
        return form


class Scale:
    """A whole number of at least 2, and the arithmetic of forms over its powers.

    Parameters
    ----------
    scale : mpz
    base : int
        It divides `scale`.
    work : Work
        Counts the operations.
    """

    def __init__(self, scale: mpz, base: int, work: Work) -> None:
        self.scale = scale
        self.base = base
        self.work = work
        self.bits = scale.bit_length()
        self.power = lru_cache(MOST_POWERS)(self._power)
        self._factors: dict[mpq, tuple[mpz, int]] = {}
        self._room = MOST_FACTOR_BITS

    @classmethod
    def of(cls, network: Network, base: int, work: Work) -> "Scale":
        """Return the least common multiple of the base and the denominators of the parameters and the start state."""
        layers = (*network.circuit.layers, network.readout)
        units = [unit for layer in layers for unit in layer]
        bounds = [bound for unit in units for bound in (unit.activation.low, unit.activation.high) if bound is not None]
        numbers = [*network.initial_state, *(x for unit in units for x in unit.parameters), *bounds]
        scale = lcm(base, common_denominator(numbers, work))
        return cls(scale, base, work)

    def _power(self, places: int) -> mpz:
        """Return scale**places."""
        return self.raised(self.scale, places)

    def raised(self, number: mpz, exponent: int) -> mpz:
        """Return a power; raises CertificateError if it is too long."""
        bits = number.bit_length() * exponent
        if bits > MOST_BITS:
            raise too_long()
        self.work.take(1 + long_product(bits, bits))
        return mpz(number) ** exponent

    def product(self, one: mpz, other: mpz) -> mpz:
        """Return a product."""
        bits, more = one.bit_length(), other.bit_length()
        if bits + more >= LONG:
            if bits + more > 4 * MOST_BITS:
                raise too_long()
            self.work.take(long_product(bits, more))
        return one * other

    def factor(self, number: mpq) -> tuple[mpz, int]:
        """Return (factor, places) of a number whose denominator divides the scale: factor / scale**places."""
        if number.denominator == 1:
            return number.numerator, 0
        found = self._factors.get(number)
        if found is None:
            self.work.take(1 + long_quotient(self.bits, number.denominator.bit_length()))
            found = self._factors[number] = self.product(number.numerator, self.scale // number.denominator), 1
            self._room -= found[0].bit_length()
            if self._room < 0:
                raise CertificateError(f"the parameters have more than {MOST_FACTOR_BITS} bits over one denominator")
        return found

    def over_base(self, exponent: int) -> tuple[mpz, int]:
        """Return (factor, places) of 1/base**exponent."""
        if exponent < 0:
            return self.raised(mpz(self.base), -exponent), 0
        return self.raised(self.scale // self.base, exponent), exponent

    def constant(self, number: mpq) -> Form:
        """Return the form that is a number whose denominator divides the scale."""
        return self.sum([(*self.factor(number), ONE_FORM)])

    def sum(self, terms: Sequence[Term]) -> Form:
        """Return the sum of factor / scale**places * form for each term."""
        return self.reduced(self.raw_sum(terms))

    def raw_sum(self, terms: Sequence[Term]) -> Form:
        """Return the sum, perhaps with more places than it needs and with parts that are 0."""
        if not terms:
            return ZERO_FORM
        self.work.take(3 * len(terms))
        places = max([over + form.places for _, over, form in terms])
        total: dict[int, mpz] = {}
        longest = 0  # of the long products so far
        for factor, over, form in terms:
            lifted = places - over - form.places
            if lifted:
                factor = self.product(factor, self.power(lifted))
            bits = factor.bit_length()
            for key, part in form.parts.items():
                length = bits + part.bit_length()
                if longest or length >= LONG:
                    longest = max(longest, length)
                    self.work.take(long_words(longest))
                product = factor * part if length < LONG else self.product(factor, part)
                total[key] = total[key] + product if key in total else product
        return Form(places, total)

    def reduced(self, form: Form) -> Form:
        """Return a form in the one way it is written: without zeros, the highest power of the scale cancelled."""
        places, parts = form.places, {key: part for key, part in form.parts.items() if part}
        if not parts:
            return ZERO_FORM
        tried = 1  # doubled as long as scale**tried divides, halved when it does not
        while tried and places:
            if tried <= places and self._divides(tried, parts.values()):
                divisor = self.power(tried)
                parts = {key: part // divisor for key, part in parts.items()}
                places -= tried
                tried *= 2
            else:
                tried //= 2
        return Form(places, parts)

    def _divides(self, places: int, parts: Iterable[mpz]) -> bool:
        """Whether scale**places divides all these numbers; the work of dividing them then is counted too."""
        bits = self.bits * places
        for part in parts:
            if bits > part.bit_length() + places:
                return False
            self.work.take(1 + long_quotient(bits, part.bit_length()))
            if part % self.power(places):
                return False
        return True

    def number(self, form: Form) -> mpq:
        """Return the number that a form without unknowns is."""
        part, power = form.parts.get(ONE, mpz(0)), self.power(form.places)
        self.work.take(1 + long_divisor(max(part.bit_length(), power.bit_length())))
        return mpq(part, power)


def is_number(form: Form) -> bool:
    """Whether a form is a number, the same for all values of the unknowns."""
    return form.parts.keys() <= {ONE}
