"""Required bits: those of the numbers themselves, and what a format with so many bits does."""

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.precision import significand_bits
from tests.strategies import rationals


@given(st.integers(-(2**70), 2**70), st.integers(-80, 80))
def test_the_bits_of_a_dyadic_number_are_the_least_precision_that_has_it(number, exponent):
    value = mpq(number) * mpq(2) ** exponent
    bits = significand_bits(value)
    assert bits is not None
    for precision in {max(2, bits), max(2, bits - 1), max(2, bits + 1)}:
        wide = xn.FloatFormat(precision=precision, exponent_bits=20)
        assert (wide.rounded(value) == value) == (precision >= bits)


@given(rationals().filter(lambda x: x.denominator & (x.denominator - 1)))
def test_no_precision_has_a_number_that_is_not_dyadic(value):
    assert significand_bits(value) is None


def test_the_bits_of_a_run_are_those_of_its_longest_numbers_step_by_step():
    net = xn.compile(xn.load("palindrome"))
    run = xn.run(net, "abba", record="all")
    found = xn.required_bits(run)
    assert found.steps == run.trace.steps == tuple(range(run.steps + 1))
    for state, rational, significand in zip(run.trace, found.rational, found.significand, strict=True):
        assert rational == max(max(x.numerator.bit_length(), x.denominator.bit_length()) for x in state)
        assert significand == max(significand_bits(x) for x in state)
    assert found.most == max(found.significand)


def test_a_base_that_is_not_dyadic_needs_more_bits_than_there_are():
    run = xn.run(xn.siegelmann_sontag(xn.load("palindrome"), base=7), "ab", record="all")
    found = xn.required_bits(run)
    assert None in found.significand
    assert found.most is None


def test_runs_that_cannot_tell():
    net = xn.compile(xn.load("parity"))
    with pytest.raises(xn.ExactnnError, match="float32"):
        xn.required_bits(xn.run(net, "01", arithmetic=xn.FLOAT32, record="all"))
    for record in ("outputs", 2):
        with pytest.raises(xn.ExactnnError, match="record='all'"):
            xn.required_bits(xn.run(net, "01", record=record))


def test_a_network_and_a_word_are_run():
    net = xn.compile(xn.load("palindrome"))
    assert xn.required_bits(net, "abba") == xn.required_bits(xn.run(net, "abba", record="all"))
    assert xn.required_bits(net.network) == xn.required_bits(net, "")
    assert xn.required_bits(net, "abba", max_steps=5).steps == tuple(range(6))
    with pytest.raises(xn.ExactnnError, match="give it alone"):
        xn.required_bits(xn.run(net, "abba", record="all"), "abba")
