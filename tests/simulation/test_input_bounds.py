"""Inputs beyond the bounds of a network end a run before they are read, in every arithmetic."""

from dataclasses import replace

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import rationals

from exactnn import (
    EXACT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    FixedPoint,
    Outcome,
    SimpleRNN,
    error_growth,
    first_divergence,
    load_network,
    run,
    save_network,
)
from exactnn.errors import NetworkError, NetworkFileError, NumberError

SUM = SimpleRNN(V=[["1/3"]], W=[[1, 1]], b=[0], s=[0], readout_weight=[1], name="sum")
BOUNDED = replace(SUM, input_bounds=(1, "1/2"))
ARITHMETICS = (RATIONAL, EXACT, FLOAT64, FLOAT32, FLOAT16, FixedPoint(integer_bits=8, fraction_bits=8))


@given(st.lists(st.tuples(rationals(largest=2), rationals(largest=2)), max_size=8), st.sampled_from(ARITHMETICS))
def test_a_run_is_that_of_what_comes_before(word, arithmetic):
    inside = next((t for t, (x, y) in enumerate(word) if abs(x) > 1 or abs(y) > mpq(1, 2)), None)
    found = run(BOUNDED, word, arithmetic=arithmetic, record="all")
    expected = run(SUM, word[:inside], arithmetic=arithmetic, record="all")
    assert found.outcome is (Outcome.COMPLETED if inside is None else Outcome.OUT_OF_DOMAIN)
    assert found.outside_at == (None if inside is None else inside + 1)
    assert found.outputs[:] == expected.outputs[:]
    assert found.trace == expected.trace
    assert found.word == tuple(word)
    assert found.verdict is None


def test_it_is_said_where():
    found = run(BOUNDED, [(1, 0), ("1", "-1/2"), (0, "51/100"), (0, 0)])
    assert repr(found) == "<Run of sum in exact: out of domain at step 3>"
    assert "at step 3" in found._repr_html_()
    assert "beyond" in found.outcome.sentence


def test_a_checkpoint_goes_on_to_the_same_end(tmp_path):
    word = [(1, 0)] * 6 + [(2, 0)] + [(1, 0)] * 3
    file = tmp_path / "run.json"
    first = run(BOUNDED, word, max_steps=4, checkpoint=file)
    assert first.outcome is Outcome.STEP_LIMIT
    for _ in range(2):
        again = run(BOUNDED, word, checkpoint=file)
        assert (again.outcome, again.steps) == (Outcome.OUT_OF_DOMAIN, 6)
        assert again.outputs[:] == run(BOUNDED, word).outputs[:]


def test_comparisons_end_there_too():
    word = [(1, 0)] * 5 + [(2, 0), (1, 0)]
    found = first_divergence(BOUNDED, word, FLOAT32)
    assert (found.outcome, found.steps, found.step) == (Outcome.OUT_OF_DOMAIN, 5, 2)
    grown = error_growth(BOUNDED, word, [FLOAT32])
    assert (grown.outcome, grown.steps) == (Outcome.OUT_OF_DOMAIN, 5)


def test_bounds_are_checked():
    with pytest.raises(NetworkError, match="3 numbers, the circuit's input 2"):
        replace(SUM, input_bounds=(1, 1, 1))
    with pytest.raises(NetworkError, match="-1/2: a bound is a number of at least 0"):
        replace(SUM, input_bounds=(1, "-1/2"))
    for wrong in (3, "12", {1, 2}, iter((1, 1))):
        with pytest.raises(NetworkError, match=r"input_bounds is .*: give a vector"):
            replace(SUM, input_bounds=wrong)
    with pytest.raises(NumberError, match=r"input_bounds\[1\]: 'x' is not a number"):
        replace(SUM, input_bounds=(1, "x"))
    reads = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a")
    with pytest.raises(NetworkError, match="has an alphabet"):
        replace(reads, input_bounds=(1,))


def test_bounds_are_in_the_file(tmp_path):
    path = tmp_path / "bounded.json"
    save_network(BOUNDED, path)
    assert load_network(path) == BOUNDED
    assert load_network(path).input_bounds == (1, mpq(1, 2))
    text = path.read_text()
    for wrong in ('["0x1"]', '["0x1", "-0x1"]', '["0x1", 1]', '"0x1"', "[[], []]"):
        path.write_text(text.replace('["0x1", "0x1/0x2"]', wrong))
        with pytest.raises(NetworkFileError):
            load_network(path)
