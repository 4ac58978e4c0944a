"""Divergence, collapse and thresholds in fixed point."""

from dataclasses import replace
from functools import cache

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.errors import OptionError
from exactnn.precision.divergence import Lockstep

THIRDS = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])


def q(integer_bits, fraction_bits, **options):
    return xn.FixedPoint(integer_bits=integer_bits, fraction_bits=fraction_bits, **options)


@cache
def palindrome():
    return xn.compile(xn.load("palindrome"))


@pytest.mark.parametrize(("format", "kind"), [(q(4, 8), float), (q(4, 60), mpq)], ids=str)
def test_the_first_wrong_value_and_its_error_in_units_of_the_last_place(format, kind):
    found = xn.first_divergence(THIRDS, [1, 0, 0], format)
    third = format.rounded(mpq(1, 3))
    assert (found.step, found.neuron, found.exact_value, found.computed_value) == (2, "h[0]", mpq(1, 3), third)
    assert type(found.computed_value) is kind
    assert found.value.ulps == abs(third - mpq(1, 3)) * 2**format.fraction_bits == mpq(1, 3)
    assert found.value.bits is None


def test_an_error_of_many_units_where_a_value_saturates():
    found = xn.first_divergence(THIRDS, [7, 7], q(4, 2))
    assert (found.step, found.exact_value, found.computed_value) == (2, mpq(28, 3), 7.75)
    assert found.value.ulps == (mpq(28, 3) - mpq(31, 4)) * 4
    wrapped = xn.first_divergence(THIRDS, [7, 7], q(4, 2, overflow="wrap"))
    assert wrapped.computed_value == 0.0  # ReLU of 9.25 - 16


@pytest.mark.parametrize("fraction_bits", range(4, 26, 3))
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
def test_what_a_run_says_is_what_is_reported(fraction_bits, overflow):
    net, format = palindrome(), q(9, fraction_bits, overflow=overflow)
    lockstep = Lockstep(net, [format])
    for word in ("", "a", "abba", "abab", "aabbaa", "aaaaaaa"):
        found = lockstep.compare(word)[0]
        run = xn.run(net, word, arithmetic=format, max_steps=found.steps, record="all")
        exact = xn.run(net, word, record="all")
        wrong = [t for t in range(run.steps + 1) if list(run.trace[t]) != list(exact.trace[t])]
        assert found.step == (wrong[0] if wrong else None)
        assert (found.verdict is None) == (run.outcome is exact.outcome and run.steps == exact.steps)
        decoded = [t for t in wrong if net.decode(run.trace[t]) != net.decode(exact.trace[t])]
        assert (found.configuration.step if found.configuration else None) == (decoded[0] if decoded else None)


def test_a_collapse_table_of_floats_and_fixed_point_side_by_side():
    formats = (xn.FLOAT16, q(8, 8), q(8, 24), q(8, 60))
    words = ["a" * n for n in range(1, 11)]
    table = xn.collapse(palindrome(), words, formats)
    lengths = [len(found.word) if found else None for found in map(table.first_failure, formats)]
    assert lengths[1] == 3  # a symbol takes two bits and more: 8 bits hold no three of them
    assert lengths[1] < lengths[2] < (lengths[3] or 99)
    for format in formats:
        alone = xn.collapse(palindrome(), words[:4], [format])
        assert [row.divergences for row in alone.rows] == [
            (row.divergences[formats.index(format)],) for row in table.rows[:4]
        ]
    with pytest.raises(OptionError, match=r"q8\.8.*is not in this table"):
        table.first_failure(replace(q(8, 8), overflow="wrap", name=""))


@pytest.mark.parametrize("format", [q(4, 8), q(4, 80)], ids=str)
def test_required_bits_are_those_of_exact_runs(format):
    run = xn.run(THIRDS, [1, 0], arithmetic=format, record="all")
    with pytest.raises(OptionError, match="exact run"):
        xn.required_bits(run)


def test_a_run_as_text():
    run = xn.run(THIRDS, [1, 0], arithmetic=q(4, 8))
    assert "in q4.8: completed after 2 steps" in repr(run)
    assert "q4.8" in run._repr_html_()
