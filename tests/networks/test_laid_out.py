"""What is laid out of a network is kept with it, and changes nothing but the time."""

import copy
import pickle
from dataclasses import replace
from itertools import permutations

import pytest

import exactnn as xn
from exactnn.networks.network import LaidOut
from tests.every_executor import FIXED, ROUNDED


def network():
    return xn.SimpleRNN(
        V=[["1/3", "-2"], ["1/7", "1/2"]], W=[[1, "1/5"], [0, 1]], b=["1/10", 0], s=[0, "1/3"],
        readout_weight=[1, "-1/3"], alphabet="ab",
    )  # fmt: skip


def test_only_the_last_key_of_an_owner_is_kept():
    made = []
    laid_out = LaidOut()
    for key in (1, 1, 2, 1):
        laid_out.of("owner", key, lambda key=key: made.append(key))
    assert made == [1, 2, 1]
    assert list(laid_out) == ["owner"]


def test_runs_in_turn_are_those_of_a_network_that_is_new():
    """Every format after every other: nothing of one is left for the next."""
    used = network()
    formats = [xn.FLOAT64, xn.FLOAT32, *ROUNDED, *FIXED, xn.EXACT, xn.RATIONAL]
    fresh = [xn.run(network(), "abba", arithmetic=arithmetic, record="all") for arithmetic in formats]
    for pair in permutations(range(len(formats)), 2):
        for i in pair:
            once = xn.run(used, "abba", arithmetic=formats[i], record="all")
            assert once.outputs == fresh[i].outputs
            assert once.trace == fresh[i].trace


@pytest.mark.parametrize("bits", [40, 200, 2000])
def test_a_smaller_limit_is_kept_to(bits):
    used = network()
    assert xn.run(used, "ab" * 20).outcome is xn.run(network(), "ab" * 20).outcome
    once, fresh = (xn.run(net, "ab" * 20, max_bits=bits) for net in (used, network()))
    assert (once.outcome, once.steps) == (fresh.outcome, fresh.steps)
    assert (once.steps < 40) == (bits < 2000)


def test_it_is_no_part_of_the_value():
    used, fresh = network(), network()
    xn.run(used, "ab", arithmetic=xn.FLOAT32)
    assert used.laid_out
    assert not fresh.laid_out
    assert used == fresh
    assert hash(used) == hash(fresh)
    assert pickle.dumps(used) == pickle.dumps(fresh)
    assert not pickle.loads(pickle.dumps(used)).laid_out
    assert not copy.deepcopy(used).laid_out
    assert not replace(used, name="other").laid_out
    assert "laid_out" not in repr(used)


def test_a_changed_network_is_laid_out_anew():
    used = network()
    xn.run(used, "ab", arithmetic=xn.FLOAT32)
    (unit,) = used.readout
    doubled = replace(used, readout=(replace(unit, linear=tuple((r, 2 * w) for r, w in unit.linear)),))
    was, now = (xn.run(net, "ab", arithmetic=xn.FLOAT32).outputs for net in (used, doubled))
    assert [2 * y for y in was] == list(now)
