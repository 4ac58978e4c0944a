"""Strict inequalities: what is found is inside, and where nothing is found z3 finds nothing either."""

from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.linear_algebra import dot, interior_point

z3 = pytest.importorskip("z3")

ENTRIES = st.builds(mpq, st.integers(-3, 3), st.integers(1, 3))


@st.composite
def systems(draw):
    dimension = draw(st.integers(0, 3))
    row = st.tuples(st.tuples(*[ENTRIES] * dimension), ENTRIES)
    return draw(st.lists(row, max_size=6)), dimension


def solvable(inequalities, dimension):
    """Whether z3 finds a point."""
    x = [z3.Real(f"x{i}") for i in range(dimension)]
    solver = z3.Solver()
    for a, b in inequalities:
        terms = [z3.RealVal(str(Fraction(int(w.numerator), int(w.denominator)))) * x[i] for i, w in enumerate(a)]
        solver.add(z3.Sum([*terms, z3.RealVal(str(b))]) > 0)
    return solver.check() == z3.sat


@given(systems())
def test_a_point_is_found_exactly_if_there_is_one(system):
    inequalities, dimension = system
    point = interior_point(inequalities, dimension)
    assert (point is not None) == solvable(inequalities, dimension)
    if point is not None:
        assert len(point) == dimension
        assert all(dot(a, point) + b > 0 for a, b in inequalities)
