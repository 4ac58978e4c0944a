"""Gated cells mean their textbook equations, evaluated in `textbook_cells` without circuits."""

from fractions import Fraction

from every_executor import check_every_executor
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook_cells import EXACT_SQUASHINGS, lstm

from exactnn.networks import LSTM
from exactnn.simulation import run

FRACTIONS = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 4))
NAMES = st.sampled_from(sorted(EXACT_SQUASHINGS))


def vectors(size):
    return st.lists(FRACTIONS, min_size=size, max_size=size)


def matrices(height, width):
    return st.lists(vectors(width), min_size=height, max_size=height)


def per_gate(gates, values):
    return st.fixed_dictionaries(dict.fromkeys(gates, values))


@st.composite
def lstms(draw, *, gates="ifgo", n=None, d=None, peepholes=None):
    """Parameters of an LSTM."""
    n, d = n or draw(st.integers(1, 2)), d or draw(st.integers(1, 2))
    layer = {
        "V": draw(per_gate(gates, matrices(n, n))),
        "W": draw(per_gate(gates, matrices(n, d))),
        "b": draw(per_gate(gates, vectors(n))),
        "h": draw(vectors(n)),
        "c": draw(vectors(n)),
        "gate": draw(NAMES),
        "candidate": draw(NAMES),
        "output": draw(NAMES),
    }
    if draw(st.booleans()) if peepholes is None else peepholes:
        layer["p"] = draw(per_gate([gate for gate in gates if gate != "g"], vectors(n)))
    return layer


def words(d, most=3):
    return st.lists(vectors(d), max_size=most)


def width(layer):
    return len(next(iter(layer["W"].values()))[0])


def check_states(network, equations, layer, start, word):
    """Compare every state of a run with the equations, exactly."""
    state, expected = start, [[x for vector in start for x in vector]]
    for x in word:
        state = equations(layer, state, x, EXACT_SQUASHINGS)
        expected.append([entry for vector in state for entry in vector])
    assert [list(seen) for seen in run(network, word, record="all").trace] == expected


@given(st.data(), lstms())
def test_an_lstm_is_its_equations(data, layer):
    word = data.draw(words(width(layer)))
    network = LSTM(**layer, readout_weight=[1] * len(layer["h"]))
    check_states(network, lstm, layer, (layer["h"], layer["c"]), word)


@settings(max_examples=12)
@given(st.data(), lstms(n=1))
def test_every_executor_runs_an_lstm(data, layer):
    network = LSTM(**layer, readout_weight=[1])
    check_every_executor(network, data.draw(words(width(layer), most=2)))


def test_start_states_are_zero_if_they_are_not_given():
    one = {key: {gate: value for gate in "ifgo"} for key, value in (("V", [[1]]), ("W", [[1]]), ("b", [1]))}
    assert LSTM(**one, readout_weight=[1]) == LSTM(**one, h=[0], c=[0], readout_weight=[1])
