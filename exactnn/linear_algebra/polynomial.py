"""Polynomials in one variable over the rationals: coefficients from that of 1 on, and none at the end that is 0."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.linear_algebra.matrix import Vector

__all__ = [
    "polynomial",
    "polynomial_gcd",
    "polynomial_product",
    "polynomial_quotient",
    "polynomial_sum",
    "polynomial_text",
]

ZERO, ONE = mpq(0), mpq(1)


def polynomial(coefficients: Sequence[mpq]) -> Vector:
    """Return coefficients without zeros at the end; the polynomial 0 has none.

    >>> polynomial((mpq(1), mpq(2), mpq(0))), polynomial((mpq(0),))
    ((mpq(1,1), mpq(2,1)), ())
    """
    size = max((k + 1 for k, coefficient in enumerate(coefficients) if coefficient), default=0)
    return tuple(coefficients[:size])


def polynomial_sum(first: Vector, second: Vector, weight: mpq = ONE) -> Vector:
    """Return the first polynomial plus a multiple of the second.

    >>> polynomial_sum((mpq(1), mpq(2)), (mpq(0), mpq(1)), mpq(-2))
    (mpq(1,1),)
    """
    size = max(len(first), len(second))
    total = [*first, *[ZERO] * (size - len(first))]
    for k, coefficient in enumerate(second):
        total[k] += weight * coefficient
    return polynomial(total)


def polynomial_product(first: Vector, second: Vector) -> Vector:
    """Return the product.

    >>> polynomial_product((mpq(1), mpq(1)), (mpq(-1), mpq(1)))
    (mpq(-1,1), mpq(0,1), mpq(1,1))
    """
    found = [ZERO] * max(0, len(first) + len(second) - 1)
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            found[i + j] += x * y
    return polynomial(found)


def polynomial_quotient(dividend: Vector, divisor: Vector) -> tuple[Vector, Vector]:
    """Return quotient and remainder; the divisor is not 0.

    >>> polynomial_quotient((mpq(3), mpq(0), mpq(1)), (mpq(-1), mpq(1)))
    ((mpq(1,1), mpq(1,1)), (mpq(4,1),))
    """
    rest, quotient = list(dividend), [ZERO] * max(0, len(dividend) - len(divisor) + 1)
    for shift in reversed(range(len(quotient))):
        factor = quotient[shift] = rest[shift + len(divisor) - 1] / divisor[-1]
        for k, coefficient in enumerate(divisor):
            rest[shift + k] -= factor * coefficient
    return polynomial(quotient), polynomial(rest)


def polynomial_gcd(first: Vector, second: Vector) -> Vector:
    """Return a greatest common divisor, by Euclid's algorithm; it is unique but for a factor.

    >>> polynomial_gcd((mpq(-1), mpq(0), mpq(1)), (mpq(1), mpq(2), mpq(1)))
    (mpq(-2,1), mpq(-2,1))
    """
    while second:
        first, second = second, polynomial_quotient(first, second)[1]
    return first


def polynomial_text(coefficients: Vector, letter: str = "z") -> str:
    """Return a polynomial for people.

    >>> polynomial_text((mpq(1), mpq(-1, 2), mpq(0), mpq(3))), polynomial_text(())
    ('1 - 1/2 z + 3 z^3', '0')
    """
    text = ""
    for power, coefficient in enumerate(coefficients):
        if coefficient:
            size, name = abs(coefficient), "" if not power else letter if power == 1 else f"{letter}^{power}"
            term = name if size == 1 and name else f"{size} {name}".strip()
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} {term}" if text else term if sign == "+" else f"-{term}"
    return text or "0"
