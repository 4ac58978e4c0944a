"""Smooth unitary networks remember: the identity of Cayley and Hamilton, and the count of dimensions along a run."""

import dataclasses
from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.contraction import first_order_memory, memory_along_run
from exactnn.errors import CertificateError, NetworkError, OptionError
from exactnn.linear_algebra import completed_isometry, identity

SMALL = st.builds(Fraction, st.integers(-3, 3), st.integers(1, 3))
SLOPES = st.builds(Fraction, st.integers(1, 6), st.integers(1, 6))


def vectors(size, entries=SMALL):
    return st.lists(entries, min_size=size, max_size=size)


def matrices(rows, columns):
    return st.lists(vectors(columns), min_size=rows, max_size=rows)


def times(first, second):
    return [
        [sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in zip(*second, strict=True)]
        for row in first
    ]


@st.composite
def orthogonal(draw, size):
    """One reflection after another, along rational vectors."""
    matrix = [[Fraction(i == j) for j in range(size)] for i in range(size)]
    for vector in draw(matrices(draw(st.integers(0, size)), size)):
        length = sum(x * x for x in vector)
        if length:
            mirror = [[(i == j) - 2 * x * y / length for j, y in enumerate(vector)] for i, x in enumerate(vector)]
            matrix = times(matrix, mirror)
    return matrix


@st.composite
def smooth(draw, steps):
    m, n = draw(st.integers(1, 6)), draw(st.integers(1, 2))
    U, F, C = draw(orthogonal(m)), draw(matrices(m, n)), draw(matrices(n, m))
    return U, F, C, draw(st.lists(vectors(m, SLOPES), min_size=steps(m, n), max_size=steps(m, n)))


@given(smooth(lambda m, n: 1))
def test_a_response_at_some_lag_up_to_m_is_not_zero_if_the_one_at_lag_0_is_not(network):
    U, F, C, (D,) = network
    found = first_order_memory(U=U, D=D, F=F, C=C)
    diagonal = [[x if i == j else Fraction(0) for j in range(len(D))] for i, x in enumerate(D)]
    moved = times(diagonal, F)  # (DU)^k D F, the other order of the factors
    for response in found.responses:
        assert [list(row) for row in response] == times(C, moved)
        moved = times(diagonal, times(U, moved))
    assert len(found.responses) == len(found.polynomial) == len(U) + 1
    assert found.polynomial[0] != 0
    assert found.polynomial[-1] == 1
    if any(map(any, found.responses[0])):
        assert 1 <= found.lag <= len(U)
        assert any(map(any, found.responses[found.lag]))
    else:
        assert (found.lag is None) == (not any(any(map(any, r)) for r in found.responses))
    for k in range(1, found.lag or 1):
        assert not any(map(any, found.responses[k]))


@given(smooth(lambda m, n: m // n + 1))
def test_some_output_depends_on_an_earlier_input_within_so_many_steps(network):
    U, F, C, slopes = network
    n = len(C)
    found = memory_along_run(U=U, slopes=slopes, F=F, C=C)
    m = len(U)
    own = [times(C, [[d * x for x in row] for d, row in zip(D, F, strict=True)]) for D in slopes]
    sees = all(det(response) for response in own)
    assert all(dimension <= m for dimension in found.dimensions)
    if sees:
        assert found.read is not None
        assert n * len(slopes) > m
        assert found.dimensions[: found.seen - 1] == tuple(n * t for t in range(1, found.seen))
    if found.read is not None:
        assert 1 <= found.read < found.seen <= len(slopes)
        change = [[d * x for x in row] for d, row in zip(slopes[found.read - 1], F, strict=True)]
        for D in slopes[found.read : found.seen]:
            change = [[d * x for x in row] for d, row in zip(D, times(U, change), strict=True)]
        assert [list(row) for row in found.response] == times(C, change)
        assert any(map(any, found.response))


def det(matrix):
    return matrix[0][0] if len(matrix) == 1 else matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]


def test_a_cycle_of_m_units_forgets_until_lag_m():
    """The bound m is attained: what one unit reads comes round after m steps."""
    for m in range(1, 8):
        cycle = [[int(i == (j + 1) % m) for j in range(m)] for i in range(m)]
        first = [[int(i == 0)] for i in range(m)]
        found = first_order_memory(U=cycle, D=range(1, m + 1), F=first, C=[[x for (x,) in first]])
        assert found.lag == m
        along = memory_along_run(U=cycle, slopes=[range(1, m + 1)] * (m + 1), F=first, C=[[x for (x,) in first]])
        assert (along.read, along.seen) == (1, m + 1)
        assert along.dimensions[:m] == tuple(range(1, m + 1))


def softsign(x):
    """A sigmoid with rational values, x/(1 + |x|), and its derivative, 1/(1 + |x|)², which is positive everywhere."""
    return x / (1 + abs(x)), 1 / (1 + abs(x)) ** 2


def test_the_derivatives_are_those_of_a_network_that_runs():
    """Dual numbers along a run of a network with a rational sigmoid, orthogonal and with 4 states."""
    half = mpq(1, 2)
    U = completed_isometry([(half, half, half, half), (half, -half, half, -half)], (mpq(1),) * 4)
    F, C, b = [[1], [0], [2], [0]], [[1, 1, 0, 3]], [Fraction(1, 3), Fraction(-1), Fraction(0), Fraction(2)]
    U = [[Fraction(int(x.numerator), int(x.denominator)) for x in row] for row in U]
    word = [Fraction(1), Fraction(-2), Fraction(1, 2), Fraction(3), Fraction(0)]

    def outputs(word, direction):
        state, change, slopes, found = [Fraction(1, 5)] * 4, [Fraction(0)] * 4, [], []
        for x, dx in zip(word, direction, strict=True):
            into = [
                sum(u * h for u, h in zip(r, state, strict=True)) + f * x + c
                for r, (f,), c in zip(U, F, b, strict=True)
            ]
            rate = [sum(u * h for u, h in zip(r, change, strict=True)) + f * dx for r, (f,) in zip(U, F, strict=True)]
            state, slope = zip(*map(softsign, into), strict=True)
            change = [s * r for s, r in zip(slope, rate, strict=True)]
            slopes.append(slope)
            found.append(sum(c * h for c, h in zip(C[0], change, strict=True)))
        return slopes, found

    slopes, derivatives = outputs(word, [1, 0, 0, 0, 0])
    found = memory_along_run(U=U, slopes=slopes, F=F, C=C)
    assert (found.read, found.seen) == (1, 2)
    assert found.response == ((derivatives[1],),)
    assert found.dimensions[-1] <= 4


def test_relu_escapes_since_its_derivative_may_be_zero():
    """The swap that holds its second unit at 0 has the derivatives D = diag(1, 0)."""
    with pytest.raises(OptionError, match="give 2 positive numbers"):
        first_order_memory(U=[[0, 1], [1, 0]], D=[1, 0], F=[[1], [0]], C=[[1, 0]])


def test_an_output_that_sees_no_input_is_no_certificate():
    found = first_order_memory(U=identity(2), D=[1, 1], F=[[1], [0]], C=[[0, 1]])
    assert found.lag is None
    assert str(found) == "the output does not depend on the inputs to first order"
    along = memory_along_run(U=identity(2), slopes=[[1, 1]] * 3, F=[[1], [0]], C=[[0, 1]])
    assert along.read is None
    assert "no output of these 3 steps" in str(along)


def test_a_wrong_identity_is_found():
    found = first_order_memory(U=[[0, 1], [1, 0]], D=[1, 2], F=[[1], [0]], C=[[1, 0]])
    for wrong in (
        dataclasses.replace(found, polynomial=(mpq(0), *found.polynomial[1:])),
        dataclasses.replace(found, polynomial=(mpq(1), *found.polynomial[1:])),
        dataclasses.replace(found, responses=(((mpq(7),),), *found.responses[1:])),
    ):
        with pytest.raises(CertificateError):
            wrong.check()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"U": [[1, 1], [1, 1]]}, "has no inverse"),
        ({"U": [[1, 0]]}, "U is 1 by 2"),
        ({"U": []}, "give at least one row"),
        ({"F": [[1], [1, 2]]}, "has 2 entries, not 1"),
        ({"F": [[1]]}, "F has 1 rows"),
        ({"C": [[1, 0, 0]]}, "C 3 columns"),
        ({"D": [1]}, "has 1 entries, not 2"),
        ({"D": [1, -1]}, "give 2 positive numbers"),
    ],
)
def test_wrong_matrices(changes, message):
    with pytest.raises((OptionError, NetworkError), match=message):
        first_order_memory(**{"U": [[0, 1], [1, 0]], "D": [1, 1], "F": [[1], [0]], "C": [[1, 0]], **changes})
