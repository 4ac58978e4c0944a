"""Calculations: exact ones, and those of formats beside numpy's, with zeros, infinities and NaN."""

from itertools import product
from math import copysign, inf, nan

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import ExactCalculation, FloatCalculation, calculation_in
from exactnn.errors import NumberError, OptionError

DTYPES = {xn.FLOAT16: np.float16, xn.FLOAT32: np.float32, xn.FLOAT64: np.float64}
SPECIAL = [0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 3.0, 65504.0, 2.0**-24]


def same(found, expected):
    """Whether a number is that float: NaN, and zeros of the same sign."""
    found, expected = float(found), float(expected)
    return (found == expected and copysign(1, found) == copysign(1, expected)) or (
        found != found and expected != expected
    )


def number(x):
    return x if not x or x != x or x in (inf, -inf) else mpq(x)


OPERATIONS = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("format", DTYPES, ids=str)
def test_operations_are_those_of_numpy_on_all_pairs_of_odd_numbers(format, operation):
    calculate, dtype = FloatCalculation(format), DTYPES[format]
    with np.errstate(all="ignore"):
        for x, y in product(SPECIAL, repeat=2):
            expected = OPERATIONS[operation](dtype(x), dtype(y))
            assert same(getattr(calculate, operation)(number(x), number(y)), expected), (x, y)


@pytest.mark.parametrize("operation", OPERATIONS)
@given(st.floats(width=16), st.floats(width=16))
def test_operations_are_those_of_numpy(operation, x, y):
    with np.errstate(all="ignore"):
        for format, dtype in DTYPES.items():
            expected = OPERATIONS[operation](dtype(x), dtype(y))
            assert same(getattr(FloatCalculation(format), operation)(number(x), number(y)), expected)


@given(st.fractions(), st.fractions())
def test_exact_operations(x, y):
    calculate, (a, b) = ExactCalculation(), (mpq(z.numerator, z.denominator) for z in (x, y))
    assert calculate.number(x) == x
    for name, operation in OPERATIONS.items():
        if y or name != "divide":
            assert getattr(calculate, name)(a, b) == operation(x, y)
    assert (calculate.least(a, b), calculate.positive(a)) == (min(x, y), max(x, 0))
    with pytest.raises(NumberError, match="/ 0"):
        calculate.divide(a, mpq(0))


def test_least_and_positive_pass_on_nan():
    calculate = FloatCalculation(xn.FLOAT16)
    assert same(calculate.least(nan, mpq(1)), nan)
    assert same(calculate.least(mpq(1), nan), nan)
    assert calculate.least(mpq(2), inf) == 2
    assert same(calculate.positive(nan), nan)
    assert same(calculate.positive(-inf), 0.0)
    assert same(calculate.positive(-0.0), 0.0)
    assert calculate.positive(inf) == inf


def test_which_arithmetics_there_are():
    assert isinstance(calculation_in(xn.RATIONAL), ExactCalculation)
    for arithmetic in ("float16", None, xn.Interval(bits=10), xn.CERTIFIED):
        with pytest.raises(OptionError, match="FloatFormat"):
            calculation_in(arithmetic)
    fewer = xn.FloatFormat(precision=3, exponent_bits=3, specials="none")
    assert FloatCalculation(fewer).divide(mpq(1), 0.0) == fewer.largest
