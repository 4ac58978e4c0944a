"""The errors are those of the two traces, number by number, and the marks those of first_divergence."""

import math

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.precision import error_growth

FORMATS = [xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16]


@pytest.mark.parametrize(("machine", "word"), [("palindrome", "abba"), ("anbn", "aaabb"), ("parity", "0110")])
def test_errors_are_the_distances_of_the_traces(machine, word):
    net = xn.compile(xn.load(machine))
    found = error_growth(net, word, FORMATS)
    exact = xn.run(net, word, arithmetic=xn.RATIONAL, record="all")
    assert (found.outcome, found.steps, found.complete) == (exact.outcome, exact.steps, True)
    for entry in found.formats:
        run = xn.run(net, word, arithmetic=entry.arithmetic, record="all", max_steps=exact.steps)
        assert len(entry.errors) == len(entry.neurons) == exact.steps + 1
        for step, (true, computed) in enumerate(zip(exact.trace, run.trace, strict=False)):
            distances = [abs(mpq(c) - t) for t, c in zip(true, computed, strict=True)]
            assert entry.errors[step] == max(distances)
            assert type(entry.errors[step]) is mpq
            neuron = exact.trace.names[distances.index(max(distances))] if max(distances) else None
            assert entry.neurons[step] == neuron


def test_the_marks_are_those_of_first_divergence():
    net = xn.compile(xn.load("palindrome"))
    for entry in error_growth(net, "a" * 9, FORMATS).formats:
        found = xn.first_divergence(net, "a" * 9, entry.arithmetic)
        assert entry.divergence == found
        first = next((step for step, error in enumerate(entry.errors) if error != 0), None)
        assert first == found.step


def test_infinite_values_and_errors_beyond_every_float():
    triples = xn.SimpleRNN(V=[[3]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    narrow = xn.FloatFormat(precision=4, exponent_bits=3)
    (entry,) = error_growth(triples, [1] + [0] * 6, [narrow]).formats
    assert entry.errors[:4] == (0, 0, 0, 0)
    assert None in entry.errors
    assert entry.neurons[entry.errors.index(None)] == "h[0]"
    shrinks = xn.SimpleRNN(V=[[mpq(1, 10**300)]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    (entry,) = error_growth(shrinks, [1] + [0] * 5, [xn.FLOAT64]).formats
    assert entry.errors[-1] == mpq(1, 10**1500)
    assert float(entry.errors[-1]) == 0.0
    assert all(not isinstance(error, float) for error in entry.errors)


def test_a_limit_and_bad_input():
    net = xn.compile(xn.load("palindrome"))
    found = error_growth(net, "abba", FORMATS, max_steps=3)
    assert (found.outcome, found.steps, len(found.formats[0].errors)) == (xn.Outcome.STEP_LIMIT, 3, 4)
    with pytest.raises(xn.ExactnnError, match="at least one format"):
        error_growth(net, "abba", [])
    with pytest.raises(xn.ExactnnError, match="'c'"):
        error_growth(net, "abc")


def test_an_interruption_keeps_the_steps_before(monkeypatch):
    net = xn.compile(xn.load("palindrome"))
    module = __import__("exactnn.precision.error_growth", fromlist=["x"])
    plain, left = module.values_along, [5]

    def stopping(*arguments):
        for values in plain(*arguments):
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt
            yield values

    monkeypatch.setattr(module, "values_along", stopping)
    found = error_growth(net, "abba", [xn.FLOAT32])
    assert not found.complete
    assert len(found.formats[0].errors) == found.steps + 1 == 2
    assert math.isclose(found.formats[0].errors[0], 0)
