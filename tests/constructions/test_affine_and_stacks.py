"""The algebra that constructions are written in, and stacks as numbers."""

from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import rationals

from exactnn.automata import LOST
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.stack_numbers import (
    pop_vector,
    push_vector,
    read_scalar,
    read_vector,
    write_scalar,
    write_vector,
)

NAMES = "xyz"
FORMS = st.builds(Affine, st.dictionaries(st.sampled_from(NAMES), rationals()), rationals())
VALUES = st.fixed_dictionaries({name: rationals() for name in NAMES})


@given(FORMS, FORMS, rationals(), VALUES)
def test_forms_calculate_as_their_values_do(first, second, number, values):
    f, g = first.at(values), second.at(values)
    for form, value in (
        (first + second, f + g),
        (first - second, f - g),
        (first + number, f + number),
        (number - first, number - f),
        (-first, -f),
        (first * number, f * number),
        (number * first, f * number),
        (total([first, second, number]), f + g + number),
        (total([]), 0),
    ):
        assert form.at(values) == value
        assert all(form.terms.values())
    if number:
        assert (first / number).at(values) == f / number


@given(FORMS, st.dictionaries(st.sampled_from(NAMES), FORMS), VALUES)
def test_substitution_is_composition(form, forms, values):
    inner = {name: forms[name].at(values) if name in forms else values[name] for name in NAMES}
    assert form.substitute(forms).at(values) == form.at(inner)


@given(FORMS, st.lists(st.sampled_from([0, 1]), min_size=3, max_size=3))
def test_the_upper_bound_is_attained_at_a_corner(form, corner):
    corners = [dict(zip(NAMES, (mpq(i), mpq(j), mpq(k)), strict=True)) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    assert form.upper_bound() == max(form.at(values) for values in corners)


def test_names_without_a_value_count_as_zero():
    assert (2 * var("x") + var("y") + 1).at({"y": mpq(3)}) == 4


DIGITS = st.lists(st.integers(0, 3), max_size=12)


@given(DIGITS, st.sampled_from([7, 8, 10]))
def test_a_scalar_stack_is_a_sum_of_digits_and_is_read_back(digits, base):
    value = write_scalar(digits, base)
    assert Fraction(value) == sum(Fraction(2 * digit, base ** (i + 1)) for i, digit in enumerate(digits))
    stripped = list(digits)
    while stripped and stripped[-1] == 0:
        stripped.pop()
    assert read_scalar(value, base, 3, None) == stripped
    for cells in range(len(digits)):
        short = stripped[:cells]
        while short and short[-1] == 0:
            short.pop()
        assert read_scalar(value, base, 3, cells) == short


@pytest.mark.parametrize("value", [mpq(1, 3), mpq(9, 10), mpq(-1, 5), mpq(7), mpq(2, 5) + mpq(1, 5**9)])
def test_a_number_that_is_no_scalar_stack_ends_in_none(value):
    assert read_scalar(value, 5, 2, None)[-1] is None


@given(st.lists(st.sampled_from("ab"), max_size=12), st.sampled_from([4, 5, 10]))
def test_a_vector_stack_is_read_back(symbols, base):
    stack = write_vector([*symbols, "$"], "ab$", base)
    assert read_vector(stack, base, "$", None) == symbols
    for cells in range(len(symbols) + 2):
        assert read_vector(stack, base, "$", cells) == symbols[:cells]
    for i, name in enumerate("ab$"):
        places = [j for j, symbol in enumerate([*symbols, "$"]) if symbol == name]
        assert Fraction(stack[name]) == sum(Fraction(base - 1, base ** (j + 1)) for j in places), i


@given(st.lists(st.sampled_from("ab"), max_size=8), st.sampled_from("ab"))
def test_pop_undoes_push(symbols, pushed):
    stack = write_vector([*symbols, "$"], "ab$", 4)
    assert pop_vector(pushed, push_vector(pushed, stack, 4), 4) == stack
    assert push_vector(pushed, stack, 4) == write_vector([pushed, *symbols, "$"], "ab$", 4)


@pytest.mark.parametrize(
    "stack",
    [
        {"a": mpq(0), "b": mpq(0), "$": mpq(0)},
        {"a": mpq(3, 4), "b": mpq(3, 4), "$": mpq(0)},
        {"a": mpq(-1), "b": mpq(3, 4), "$": mpq(0)},
        {"a": mpq(9), "b": mpq(0), "$": mpq(0)},
    ],
)
def test_a_vector_that_is_no_stack_is_lost(stack):
    assert read_vector(stack, 4, "$", None) == [LOST]
