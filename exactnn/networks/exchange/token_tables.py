"""What a trained layer makes of each token before its recurrence: exact numbers as far as they are rational.

A number is an `mpq` as long as only sums, products and quotients made it. A smooth function makes it an `mpfr` of
`BITS` bits, and `entries` takes the nearest float64 of that, which is taken exactly. Nothing is rounded in between.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, assert_never

import gmpy2
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, NumberError, shown
from exactnn.networks.activation import Activation, Kind
from exactnn.networks.squashing import Squashing

__all__ = [
    "ACTIVATIONS", "Number", "Numbers", "entries", "exponential", "l2_norm", "many_bits", "plus", "power", "product",
    "rms_norm", "sigmoid", "silu", "softplus", "squashed", "sum_norm",
]  # fmt: skip

BITS = 400
"""Bits of the numbers of smooth functions: 53 for the float64, and many for what sums and exponentials may lose."""

Number = Any
"""An `mpq`, or an `mpfr`, which has no types."""

Numbers = list[Number]


@contextmanager
def many_bits() -> Iterator[None]:
    """Compute with `BITS` bits where numbers are not rational."""
    with gmpy2.context(precision=BITS):
        yield


def product(matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> Numbers:
    """Return a matrix times a vector.

    >>> product([[mpq(1, 2), mpq(3)]], [mpq(2), mpq(1)])
    [mpq(4,1)]
    """
    return [sum((x * y for x, y in zip(row, vector, strict=True) if x and y), mpq(0)) for row in matrix]


def plus(first: Sequence[Number], second: Sequence[Number]) -> Numbers:
    """Return a sum of vectors."""
    return [x + y for x, y in zip(first, second, strict=True)]


def exponential(x: Number) -> Number:
    """Return e to the x."""
    return gmpy2.exp(gmpy2.mpfr(x))


def sigmoid(x: Number) -> Number:
    """Return 1 / (1 + exp(-x)).

    >>> sigmoid(mpq(0))
    mpfr('0.5')
    """
    return 1 / (1 + exponential(-x))


def softplus(x: Number) -> Number:
    """Return log(1 + exp(x)), which is x and log(1 + exp(-x)); no large exponential is computed.

    >>> softplus(mpq(10**10))
    mpfr('10000000000.0')
    """
    return max(x, mpq(0)) + gmpy2.log1p(exponential(-abs(x)))


def silu(x: Number) -> Number:
    """Return x times its sigmoid; 0 is exactly 0."""
    return x * sigmoid(x) if x else mpq(0)


def power(x: Number, numerator: int, denominator: int) -> Number:
    """Return a power of a positive number with a rational exponent; rational where it is one.

    >>> power(mpq(16), -1, 2)
    mpq(1,4)
    """
    if type(x) is mpq and abs(numerator) == 1:
        roots = [gmpy2.iroot(part, denominator) for part in (x.numerator, x.denominator)]
        if all(whole for _, whole in roots):
            return mpq(roots[0][0], roots[1][0]) ** numerator
    return gmpy2.mpfr(x) ** (gmpy2.mpfr(numerator) / denominator)


ACTIVATIONS: dict[str, Callable[[Number], Number]] = {
    "silu": silu,
    "relu": lambda x: x if x > 0 else mpq(0),
    "elu": lambda x: x + 1 if x > 0 else exponential(x),
    "identity": lambda x: x,
}
"""The activations of keys and queries by the names that flash-linear-attention has for them; its elu is above 0."""


def squashed(function: Squashing, x: mpq) -> Number:
    """Return a squashing of a number.

    >>> squashed(Squashing.named("hard_tanh"), mpq(-1, 3)), squashed(Squashing.named("sigmoid"), mpq(0))
    (mpq(-1,3), mpfr('0.5'))
    """
    pieces = (piece.factor * _activated(piece.activation, piece.scale * x + piece.offset) for piece in function.pieces)
    return sum(pieces, function.offset)


def _activated(activation: Activation, x: mpq) -> Number:
    match activation.kind:
        case Kind.CLAMP:
            raised = x if activation.low is None else max(activation.low, x)
            return raised if activation.high is None else min(activation.high, raised)
        case Kind.JUMP:
            return activation.high if x > 0 else activation.low
        case Kind.SIGMOID:
            return sigmoid(x)
        case Kind.TANH:
            return 2 * sigmoid(2 * x) - 1
        case Kind.SOFTPLUS:
            return softplus(x)
        case Kind.EXP:
            return exponential(x)
        case _:
            assert_never(activation.kind)


def l2_norm(vector: Sequence[Number], eps: Number) -> Numbers:
    """Return a vector over the root of the sum of its squares and `eps`."""
    if not any(vector):
        return [mpq(0)] * len(vector)
    by = power(sum(x * x for x in vector) + eps, -1, 2)
    return [x * by for x in vector]


def rms_norm(vector: Sequence[Number], weight: Sequence[Number], eps: Number) -> Numbers:
    """Return a vector over the root of the mean of its squares and `eps`, times weights; NumberError if that is 0."""
    squares = sum((x * x for x in vector), mpq(0)) / len(vector) + eps
    if not squares:
        raise NumberError("the vector of a token is 0, and a norm with norm_eps=0 divides by its length")
    by = power(squares, -1, 2)
    return [x * by * w for x, w in zip(vector, weight, strict=True)]


def sum_norm(vector: Sequence[Number], what: str) -> Numbers:
    """Return a vector over the sum of its entries; raises NumberError if that is 0."""
    total = sum(vector)
    if not total:
        raise NumberError(f"{what} of a token have the sum 0, and qk_norm='sum' divides by it")
    return [x / total for x in vector]


def entries(columns: Sequence[Sequence[Number]], what: str) -> list[list[mpq]]:
    """Return the table with these columns: rationals as they are, others as the nearest float64.

    Raises
    ------
    NetworkFileError
        If one is beyond the largest float64.

    Examples
    --------
    >>> entries([[mpq(1, 3), gmpy2.mpfr("0.1")]], "keys")[1] == [mpq(0.1)]
    True
    """
    return [[_entry(column[row], what) for column in columns] for row in range(len(columns[0]))]


def _entry(number: Number, what: str) -> mpq:
    if type(number) is mpq:
        return number
    near = float(number)
    if not isfinite(near):
        raise NetworkFileError(f"{shown(what)} of a token are {near} as float64: a table has finite numbers")
    return mpq(near)
