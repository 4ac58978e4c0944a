"""What start states of imported models are computed with: the same functions as the units."""

import gmpy2
import pytest
from gmpy2 import mpq

from exactnn.networks import SQUASHINGS
from exactnn.networks.exchange.token_tables import squashed
from tests.networks.cells import EXACT_SQUASHINGS, SMOOTH_SQUASHINGS

NUMBERS = [mpq(i, 8) for i in range(-64, 65)]


@pytest.mark.parametrize("name", sorted(EXACT_SQUASHINGS))
def test_piecewise_linear_squashings(name):
    assert [squashed(SQUASHINGS[name], x) for x in NUMBERS] == [EXACT_SQUASHINGS[name](x) for x in NUMBERS]


@pytest.mark.parametrize("name", sorted(SMOOTH_SQUASHINGS))
def test_smooth_squashings(name):
    """In 200 bits, of which the last few may differ."""
    for x in NUMBERS:
        with gmpy2.context(precision=200):
            found = squashed(SQUASHINGS[name], x)
        with gmpy2.context(precision=300):
            expected = SMOOTH_SQUASHINGS[name](gmpy2.mpfr(x))
            assert abs(found - expected) <= abs(expected) / gmpy2.mpfr(2) ** 180, x
