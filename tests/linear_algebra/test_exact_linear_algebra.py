"""The exact linear algebra against python-flint, brute force and definitions."""

import random

import flint
import pytest
from gmpy2 import mpq
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import contractive_matrices, long_rationals, rationals

from exactnn.errors import OptionError
from exactnn.linear_algebra import (
    completed_isometry,
    defect,
    fewest_squares,
    identity,
    is_isometry,
    ldl,
    product,
    rational_square_root,
    rounded_up,
    square_root_above,
    sum_of_squares,
    transposed,
)
from exactnn.linear_algebra.sums_of_squares import squares_of_form

positive = st.one_of(rationals(largest=40), long_rationals()).map(lambda q: abs(q) + mpq(1, 40))


def symmetric(size):
    entries = st.lists(rationals(largest=3), min_size=size * size, max_size=size * size)
    return entries.map(
        lambda x: tuple(tuple(x[size * min(i, j) + max(i, j)] for j in range(size)) for i in range(size))
    )


def as_flint(matrix):
    entries = [flint.fmpq(int(x.numerator), int(x.denominator)) for row in matrix for x in row]
    return flint.fmpq_mat(len(matrix), len(matrix[0]), entries)


@given(st.integers(1, 4).flatmap(symmetric))
def test_definite_exactly_if_all_leading_minors_are_positive(matrix):
    minors = [as_flint([row[:k] for row in matrix[:k]]).det() for k in range(1, len(matrix) + 1)]
    found = ldl(matrix)
    assert found.definite == all(minor > 0 for minor in minors)
    if found.definite:
        diagonal = tuple(tuple(p if i == j else mpq(0) for j in range(len(matrix))) for i, p in enumerate(found.pivots))
        assert product(product(found.lower, diagonal), transposed(found.lower)) == matrix
        assert found.failing is None


@given(st.integers(1, 4).flatmap(symmetric))
def test_semidefinite_exactly_if_no_principal_minor_is_negative(matrix):
    size = len(matrix)
    subsets = [[i for i in range(size) if mask >> i & 1] for mask in range(1, 1 << size)]
    minors = [as_flint([[matrix[i][j] for j in kept] for i in kept]).det() for kept in subsets]
    assert ldl(matrix).semidefinite == all(minor >= 0 for minor in minors)


@given(st.integers(1, 4).flatmap(lambda n: contractive_matrices(size=n)), st.data())
def test_isometries_of_any_diagonal_form(matrix, data):
    """W over Lᵀ, with the pivots as the form, is what the unitary twin completes."""
    factors = ldl(defect(tuple(map(tuple, matrix))))
    columns = [
        (*column, *row) for column, row in zip(transposed(tuple(map(tuple, matrix))), factors.lower, strict=True)
    ]
    extra = data.draw(st.lists(positive.filter(lambda q: q < 50), max_size=2))
    form = (*[mpq(1)] * len(matrix), *factors.pivots, *extra)
    columns = [(*column, *[mpq(0)] * len(extra)) for column in columns]
    whole = completed_isometry(columns, form)
    assert is_isometry(whole, form)
    assert transposed(whole)[: len(columns)] == tuple(columns)


def test_what_is_no_isometry():
    assert not is_isometry(((mpq(3, 5), mpq(4, 5)), (mpq(4, 5), mpq(-4, 5))), (mpq(1), mpq(1)))
    assert not is_isometry(((mpq(0), mpq(1)), (mpq(1), mpq(0))), (mpq(1), mpq(2)))


@given(positive)
def test_square_roots_from_above(value):
    assume(value < 10**9)
    for bits in (8, 32):
        bound = square_root_above(value, bits)
        assert value <= bound**2 <= value * (1 + mpq(1, 2 ** (bits - 4)))
        up = rounded_up(value, bits)
        assert value <= up <= value * (1 + mpq(1, 2 ** (bits - 1)))
        assert up.numerator.bit_length() <= bits or up.denominator == 1
    assert rational_square_root(value**2) == value
    assert rational_square_root(value**2 * 2) is None


def fewest_by_search(limit):
    fewest = [0] + [limit] * limit
    for n in range(1, limit + 1):
        fewest[n] = min(1 + fewest[n - k * k] for k in range(1, int(n**0.5) + 1))
    return fewest


def test_fewest_squares_of_small_numbers():
    """Of an integer, no fewer rational squares are enough than integer ones (Davenport and Cassels)."""
    for n, fewest in enumerate(fewest_by_search(3000)):
        if n:
            roots = sum_of_squares(mpq(n))
            assert (fewest_squares(mpq(n)), len(roots)) == (fewest, fewest)
            assert sum(root**2 for root in roots) == n


@given(positive)
def test_four_squares_are_always_enough(value):
    assume(value.numerator.bit_length() < 600)
    roots = sum_of_squares(value)
    assert sum(root**2 for root in roots) == value
    assert all(root > 0 for root in roots)
    fewest = fewest_squares(value)
    assert len(roots) == fewest or (fewest is None and len(roots) == 3)


@given(st.integers(1, 5).flatmap(lambda n: contractive_matrices(size=n)))
def test_a_form_is_a_sum_of_squares_of_linear_forms(matrix):
    form = defect(tuple(map(tuple, matrix)))
    rows = squares_of_form(form)
    assert len(rows) == len(matrix) + 3
    assert product(transposed(rows), rows) == form


@pytest.mark.mostly_slow(quick=2, slow=2)
@pytest.mark.parametrize("size", [8, 10, 12])
@pytest.mark.parametrize("w", [mpq(0), mpq(1, 2), mpq(3, 5), mpq(1, 7)])
def test_forms_with_the_same_divisor_everywhere(size, w):
    """(1 - w²) I: from rank 8 on the lattices have roots, and w = 1/2 has three in every direction."""
    form = tuple(tuple((1 - w**2) * entry for entry in row) for row in identity(size))
    rows = squares_of_form(form)
    assert len(rows) == size + 3
    assert product(transposed(rows), rows) == form


@pytest.mark.mostly_slow(quick=4, slow=2)
@pytest.mark.parametrize("bits", [1, 20, 60])
@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_forms_with_long_numbers(size, bits):
    """Long determinants are seldom prime: the search goes on longer for them."""
    rng = random.Random(bits)
    matrix = tuple(
        tuple(mpq(rng.randint(-(1 << bits), 1 << bits), size << bits) for _ in range(size)) for _ in range(size)
    )
    form = defect(tuple(tuple(entry * mpq(99, 100) for entry in row) for row in matrix))
    rows = squares_of_form(form)
    assert len(rows) == size + 3
    assert product(transposed(rows), rows) == form


def test_a_long_common_denominator_is_not_factored():
    q = (10**40 + 121) * (7 * 10**40 + 1)
    form = defect(tuple(tuple(mpq(entry, 5 * q) for entry in row) for row in ((1, q, 3), (q, 2, 7), (5, -q, q + 1))))
    rows = squares_of_form(form)
    assert product(transposed(rows), rows) == form


def test_a_divisor_that_is_too_hard_to_factor_is_refused():
    hard = (10**60 + 7) * (10**60 + 9)
    form = tuple(tuple(hard * entry for entry in row) for row in identity(3))
    with pytest.raises(OptionError, match=r"too hard to factor: take four squares.*form='5n'"):
        squares_of_form(form)
