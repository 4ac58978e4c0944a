"""Networks of long numbers: a unitary twin that nobody would wait for is refused."""

import pytest
from gmpy2 import mpq

from exactnn import SimpleRNN, unitary
from exactnn.errors import SizeLimitError, TimeLimitError
from exactnn.linear_algebra import sum_of_squares
from exactnn.linear_algebra.sums_of_squares import MOST_BITS

NINES = 10**400 - 1


def network(size: int = 5):
    V = [[f"1/{20 * NINES + 2 * (size * i + j)}" for j in range(size)] for i in range(size)]
    return SimpleRNN(V=V, W=[[1]] * size, b=[0] * size, s=[0] * size, readout_weight=[1] * size)


@pytest.mark.parametrize("form", ["5n", "2n+3"])
def test_long_numbers_are_refused(form):
    if form == "2n+3":
        pytest.importorskip("flint")
    with pytest.raises(SizeLimitError, match=f"{MOST_BITS:,} is the most.*form='2n'"):
        unitary(network(), input_bound=1, form=form)


def test_no_time():
    with pytest.raises(TimeLimitError, match="longer than 0 seconds"):
        unitary(network(2), input_bound=1, max_seconds=0)


def test_the_search_for_squares_is_watched():
    class EnoughError(Exception):
        pass

    def watch():
        raise EnoughError

    with pytest.raises(EnoughError):
        sum_of_squares(mpq(7 * (10**60 + 7)), watch=watch)


def test_many_input_bounds_are_named_once():
    wide = SimpleRNN(V=[["1/2"]], W=[[0] * 1000], b=[0], s=[0], readout_weight=[1])
    twin = unitary(wide, input_bound=1)
    assert len(twin.claim) < 1000
    assert "1,000 components" in twin.claim
