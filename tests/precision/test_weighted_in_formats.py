"""Linear networks in floating point: when counting and binary values fail, and decays that stick."""

from dataclasses import replace

import pytest
from gmpy2 import mpq

import exactnn as xn

COUNTING = xn.compile(xn.load("counting"))
BINARY = xn.compile(xn.load("binary-value"))
SIGN = xn.compile(xn.load("sign-of-parity"))
ROUNDINGS = ["nearest even", "nearest away", "toward zero", "up", "down"]


def decay(weight):
    """h <- weight h + x, where a is 1 and b is 0."""
    return xn.SecondOrderRNN(A=[[[weight, weight]]], V=[[1, 0]], s=[0], readout_weight=[1], alphabet="ab")


def format(precision, rounding):
    return xn.FloatFormat(precision=precision, exponent_bits=8, rounding=rounding)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("precision", [2, 3, 4, 5])
def test_counting_fails_at_the_first_number_that_is_none_of_the_format(precision, rounding):
    for letters in ("a", "ab"):
        word = letters * 70
        exact, rounded = (xn.run(COUNTING, word, arithmetic=a) for a in (xn.RATIONAL, format(precision, rounding)))
        wrong = next(t for t, (x, y) in enumerate(zip(exact.outputs, rounded.outputs, strict=True)) if x != y)
        assert word[: wrong + 1].count("a") == 2**precision + 1
    if rounding in ("nearest even", "toward zero", "down"):
        assert xn.run(COUNTING, "a" * 70, arithmetic=format(precision, rounding)).outputs[-1] == 2**precision


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_first_failures_of_counting_and_of_the_binary_value(rounding):
    def failures(network, word, lengths):
        options = {"lengths": lengths, "rounding": rounding, "criterion": "value"}
        return xn.first_failures(network, lambda n: [word * n], [2, 3, 4], **options).some

    assert failures(COUNTING, "a", range(1, 40)) == {2: 5, 3: 9, 4: 17}
    assert failures(BINARY, "1", range(1, 12)) == {2: 3, 3: 4, 4: 5}
    assert failures(SIGN, "1", range(1, 12)) == {2: None, 3: None, 4: None}


@pytest.mark.parametrize("precision", [2, 5, 11, 24, 53])
def test_a_binary_value_is_right_while_it_fits(precision):
    arithmetic = replace(format(precision, "nearest even"), exponent_bits=11)
    assert xn.run(BINARY, "1" * precision, arithmetic=arithmetic).outputs[-1] == 2**precision - 1
    assert xn.run(BINARY, "1" * (precision + 1), arithmetic=arithmetic).outputs[-1] == 2 ** (precision + 1)
    assert xn.run(BINARY, "1" + "0" * 99, arithmetic=arithmetic).outputs[-1] == 2**99


@pytest.mark.parametrize(
    ("arithmetic", "weight", "multiple", "step"),
    [
        (xn.FLOAT16, "9/10", 4, 143),
        (xn.BFLOAT16, "9/10", 4, 850),
        (xn.FLOAT32, "9/10", 4, 965),
        (xn.FLOAT64, "9/10", 5, 7051),
        (xn.FLOAT16, "99/100", 51, 1284),
        pytest.param(xn.FLOAT32, "99/100", 50, 9877, marks=pytest.mark.slow),
        (xn.FLOAT16, "1/2", 0, 26),
        (xn.FLOAT32, "1/2", 0, 151),
    ],
)
def test_a_decay_sticks_above_0(arithmetic, weight, multiple, step):
    """The step counts the one that reads the a."""
    result = xn.run(decay(weight), "a" + "b" * (step + 40), arithmetic=arithmetic)
    last = result.outputs[-1]
    assert last == multiple * float(arithmetic.smallest)
    assert list(result.outputs).index(last) + 1 == step
    following = xn.run(decay(weight), "a" + "b" * (step + 40))
    assert following.outputs[-1] != 0


@pytest.mark.parametrize(("arithmetic", "states"), [(xn.FLOAT8_E4M3, 56), (xn.FLOAT8_E5M2, 66)])
def test_the_decay_is_an_automaton(arithmetic, states):
    """Every state goes on b's to one that stays, and from all but 0 that is not 0."""
    found = xn.extract_state_machine(decay("9/10"), arithmetic)
    assert (found.complete, found.states) == (True, states)
    machine = found.automaton
    for state in machine.states:
        for _ in machine.states:
            state = machine.transitions[state]["b"]
        assert machine.transitions[state]["b"] == state
    assert mpq(machine.outputs[state]) == 4 * arithmetic.smallest


def test_weights_that_are_1_in_bfloat16():
    def after(weight, arithmetic):
        network = xn.SecondOrderRNN(A=[[[weight]]], s=[1], readout_weight=[1], alphabet="a")
        return float(xn.run(network, "a" * 4096, arithmetic=arithmetic).outputs[-1])

    assert after("0.9985", xn.BFLOAT16) == 1
    assert after("0.9985", xn.RATIONAL) == pytest.approx(0.0021, rel=0.02)
    assert xn.BFLOAT16.nearest(mpq(998, 1000)) == 0.99609375
    assert after("0.998", xn.BFLOAT16) == pytest.approx(2.3e-10, rel=0.02)
    assert after("0.998", xn.RATIONAL) == pytest.approx(2.8e-4, rel=0.03)
