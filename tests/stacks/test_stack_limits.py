"""How long stacks hold in formats: beside plain loops, and running sums of numpy."""

from math import inf, isfinite

import numpy as np
import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.arithmetic import FloatOperations
from exactnn.automata.log_numbers import log_of
from exactnn.errors import OptionError
from exactnn.stacks import StratifiedStack, stack_limits
from exactnn.stacks.stack_limits import _sums

FORMATS = [xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E4M3, xn.FLOAT8_E5M2]


def test_the_table():
    found = [(one.parts, one.rest, one.halvings, one.logarithms) for one in stack_limits(FORMATS)]
    assert found == [
        (9, mpq(3, 2**54), 1074, 12076900592988700),
        (3, mpq(1, 2**24), 149, 22494980),
        (5, mpq(1, 2**12), 24, 2746),
        (3, mpq(1, 2**8), 133, 343),
        (3, mpq(1, 16), 9, 22),
        (5, mpq(1, 16), 16, 9),
    ]
    assert "first k with a rest" in str(stack_limits(FORMATS).as_table())


@pytest.mark.parametrize("form", ["streaming", "closed"])
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_the_first_rest_is_the_first(format, form):
    (limit,) = stack_limits(format, form=form, most=60)
    for k in range(2, 60):
        stack = StratifiedStack(arithmetic=format, form=form)
        for _ in range(k):
            stack = stack.step(push=mpq(1, k))
        rest = sum(map(mpq, stack.step(pop=1).strengths))
        if k == limit.parts or rest:
            assert (k, rest) == (limit.parts, limit.rest)
            break
    else:
        assert limit.parts is None


@pytest.mark.parametrize("precision", range(3, 15))
def test_three_thirds(precision):
    """The formula: with an even precision twice 3 w - 1, where w is 1/3 rounded; with an odd one nothing."""
    format = xn.FloatFormat(precision=precision, exponent_bits=6)
    (limit,) = stack_limits(format, most=3)
    third = mpq(format.rounded(mpq(1, 3)))
    assert limit.rest == (2 * (3 * third - 1) if precision % 2 == 0 else None)


def test_logarithms_in_float32_beside_numpy():
    """Running sums of numpy, one after the other: the first that equals the one before."""
    terms = np.full(22_500_000, np.float32(log_of(mpq(1, 2), xn.FLOAT32)))
    sums = np.add.accumulate(terms, dtype=np.float32)
    assert int(np.argmax(sums[1:] == sums[:-1])) + 1 == 22_494_980


@pytest.mark.parametrize("rounding", ["nearest even", "nearest away", "up", "down", "toward zero"])
@pytest.mark.parametrize("precision", range(2, 9))
def test_sums_are_counted_as_one_by_one(precision, rounding):
    for overflow in ("infinity", "saturate"):
        format = xn.FloatFormat(precision=precision, exponent_bits=4, rounding=rounding, overflow=overflow)
        add = FloatOperations(format).add
        for term in (format.rounded(mpq(1, 3)), format.rounded(mpq(-5, 7)), format.smallest, -format.smallest):
            total, steps = add(0.0, term), 1
            while isfinite(total) and add(total, term) != total:
                total, steps = add(total, term), steps + 1
            assert _sums(term, format) == steps


def test_numbers_that_are_rounded_up_never_vanish():
    up = xn.FloatFormat(precision=4, exponent_bits=4, rounding="up")
    assert stack_limits(up, most=20)[0].halvings is None
    assert _sums(mpq(1), xn.FloatFormat(precision=4, exponent_bits=4, rounding="up")) < inf


def test_wrong_formats_are_refused():
    with pytest.raises(OptionError, match="formats"):
        stack_limits([])
    with pytest.raises(OptionError, match="form="):
        stack_limits(xn.FLOAT16, form="open")
    with pytest.raises(OptionError, match="most=1"):
        stack_limits(xn.FLOAT16, most=1)


@pytest.mark.parametrize(
    "format",
    [
        xn.FloatFormat(precision=4, exponent_bits=2, rounding="toward zero", specials="nan", overflow="saturate"),
        xn.FloatFormat(precision=6, exponent_bits=3, rounding="toward zero", specials="nan", overflow="saturate"),
        xn.FloatFormat(precision=3, exponent_bits=2, subnormals=False),
    ],
    ids=str,
)
def test_sums_up_to_the_largest_number_and_terms_that_are_0(format):
    add, term = FloatOperations(format).add, log_of(mpq(1, 2), format)
    total, steps = 0.0, 0
    while isfinite(total) and add(total, term) != total:
        total, steps = add(total, term), steps + 1
    assert _sums(term, format) == stack_limits(format, most=3)[0].logarithms == steps
