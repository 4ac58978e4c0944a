"""Gated cells mean their textbook equations, evaluated in `textbook_cells` without circuits."""

from fractions import Fraction

from every_executor import check_every_executor
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook_cells import EXACT_SQUASHINGS, gru, lstm, qrnn

from exactnn.networks import GRU, LSTM, QRNN, DoublingLSTM
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


@st.composite
def grus(draw, *, names=NAMES, n=None, entries=None):
    """Parameters of a GRU."""
    n, d = n or draw(st.integers(1, 2)), draw(st.integers(1, 2))
    layer = {
        "V": draw(per_gate("rzn", matrices(n, n))),
        "W": draw(per_gate("rzn", matrices(n, d))),
        "b": draw(per_gate("rzn", vectors(n))),
        "h": draw(vectors(n)),
        "reset": draw(st.sampled_from(["after", "before"])),
        "gate": draw(names),
        "candidate": draw(names),
    }
    if layer["reset"] == "after" and draw(st.booleans()):
        layer["recurrent_bias"] = draw(vectors(n))
    return layer


@given(st.data(), grus())
def test_a_gru_is_its_equations(data, layer):
    network = GRU(**layer, readout_weight=[1] * len(layer["h"]))
    check_states(network, gru, layer, (layer["h"],), data.draw(words(width(layer))))


@settings(max_examples=12)
@given(st.data(), grus(n=1))
def test_every_executor_runs_a_gru(data, layer):
    check_every_executor(GRU(**layer, readout_weight=[1]), data.draw(words(width(layer), most=2)))


BOUNDED = {"gate": ["slu", "hard_sigmoid", "step", "limit_sigmoid"], "candidate": ["hard_tanh", "sign", "slu"]}


@given(st.data(), grus())
def test_the_states_of_a_gru_stay_between_minus_one_and_one(data, layer):
    layer |= {kind: data.draw(st.sampled_from(names)) for kind, names in BOUNDED.items()}
    layer["h"] = [max(Fraction(-1), min(Fraction(1), x)) for x in layer["h"]]
    network = GRU(**layer, readout_weight=[1] * len(layer["h"]))
    trace = run(network, data.draw(words(width(layer), most=5)), record="all").trace
    assert all(-1 <= x <= 1 for state in trace for x in state)


@st.composite
def qrnns(draw, *, n=None):
    """Parameters of a QRNN."""
    n, d, k = n or draw(st.integers(1, 2)), draw(st.integers(1, 2)), draw(st.integers(1, 3))
    pooling = draw(st.sampled_from(["f", "fo", "ifo"]))
    return {
        "W": draw(per_gate("z" + pooling, matrices(n, k * d))),
        "b": draw(per_gate("z" + pooling, vectors(n))),
        "window": k,
        "pooling": pooling,
        "h": draw(vectors(n)),
        **({} if pooling == "f" else {"c": draw(vectors(n))}),
        "gate": draw(NAMES),
        "candidate": draw(NAMES),
    }


def start_of_qrnn(layer):
    d = width(layer) // layer["window"]
    return (*(layer[kind] for kind in "hc" if kind in layer), *([[Fraction(0)] * d] * (layer["window"] - 1)))


@given(st.data(), qrnns())
def test_a_qrnn_is_its_equations(data, layer):
    network = QRNN(**layer, readout_weight=[1] * len(layer["h"]))
    word = data.draw(words(width(layer) // layer["window"], most=5))
    check_states(network, qrnn, layer, start_of_qrnn(layer), word)


@settings(max_examples=12)
@given(st.data(), qrnns(n=1))
def test_every_executor_runs_a_qrnn(data, layer):
    word = data.draw(words(width(layer) // layer["window"]))
    check_every_executor(QRNN(**layer, readout_weight=[1]), word)


DOUBLING = ("i", "f1", "f2", "g", "o")


@given(st.data(), lstms(gates=DOUBLING, peepholes=False))
def test_a_doubling_lstm_is_its_equations(data, layer):
    network = DoublingLSTM(**layer, readout_weight=[1] * len(layer["h"]))
    check_states(network, lstm, layer, (layer["h"], layer["c"]), data.draw(words(width(layer))))


@settings(max_examples=12)
@given(st.data(), lstms(gates=DOUBLING, peepholes=False, n=1))
def test_every_executor_runs_a_doubling_lstm(data, layer):
    network = DoublingLSTM(**layer, readout_weight=[1])
    check_every_executor(network, data.draw(words(width(layer), most=2)))


def test_start_states_are_zero_if_they_are_not_given():
    one = {key: dict.fromkeys("ifgo", value) for key, value in (("V", [[1]]), ("W", [[1]]), ("b", [1]))}
    assert LSTM(**one, readout_weight=[1]) == LSTM(**one, h=[0], c=[0], readout_weight=[1])
