"""Saturated networks: how many states they can have, and two words that no QRNN of a window tells apart."""

import doctest
import random
from pathlib import Path

import pytest
from saturated_cells import CELLS

import exactnn as xn
from exactnn.equivalence import state_growth

DOCS = Path(xn.__file__).parent.parent / "docs" / "counting.md"
UNITS = 2


def weights(rng, height, width):
    return [[rng.choice((-1, 0, 1)) for _ in range(width)] for _ in range(height)]


def parameters(rng, gates, *, window=1, recurrent=True):
    parts = {"W": {gate: weights(rng, UNITS, 2 * window) for gate in gates}}
    parts["b"] = {gate: weights(rng, 1, UNITS)[0] for gate in gates}
    if recurrent:
        parts["V"] = {gate: weights(rng, UNITS, UNITS) for gate in gates}
    return parts | {"readout_weight": [1] * UNITS, "alphabet": "ab"}


def srn(rng):
    return xn.SimpleRNN(
        V=weights(rng, UNITS, UNITS), W=weights(rng, UNITS, 2), b=weights(rng, 1, UNITS)[0], s=[0] * UNITS,
        readout_weight=[1] * UNITS, activation="heaviside", alphabet="ab",
    )  # fmt: skip


def gru(rng):
    return xn.GRU(**parameters(rng, "rzn"), gate="step", candidate="sign")


def lstm(rng):
    return xn.LSTM(**parameters(rng, "ifgo"), gate="step", candidate="sign", output="sign")


def qrnn(rng, window=1):
    parts = parameters(rng, "zfoi", window=window, recurrent=False)
    return xn.QRNN(**parts, window=window, pooling="ifo", gate="step", candidate="sign")


def doubling_lstm(rng):
    return xn.DoublingLSTM(**parameters(rng, ("i", "f1", "f2", "g", "o")), gate="step", candidate="sign", output="sign")


BOUNDS = {
    "SRN": (srn, lambda t: 2**UNITS),
    "GRU": (gru, lambda t: 3**UNITS),
    "LSTM": (lstm, lambda t: (2 * (2 * t + 1)) ** UNITS),
    "QRNN": (qrnn, lambda t: (2 * (2 * t + 1)) ** UNITS),
    "doubling LSTM": (doubling_lstm, lambda t: (2 * (2 ** (t + 1) - 1)) ** UNITS),
}
"""A cell, and a bound on its states after t symbols: values of units, counts from -t to t, numbers below 2^t."""


@pytest.mark.parametrize("name", BOUNDS)
def test_random_saturated_cells_keep_the_bounds(name):
    cell, bound = BOUNDS[name]
    most = 0
    for seed in range(12):
        growth = state_growth(cell(random.Random(seed)), [xn.RATIONAL], max_length=6).of(xn.RATIONAL)
        assert all(row.states <= bound(row.length) for row in growth.rows)
        most = max(most, growth.rows[-1].states_up_to)
        if name in ("SRN", "GRU"):
            assert growth.rows[-1].states_up_to <= bound(0) + 1
    assert most >= 3


def table():
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0] in CELLS and len(row) == 7]


def test_the_table_of_the_docs_is_what_is_counted():
    assert [row[0] for row in table()] == list(CELLS)
    for name, *cells, law in table():
        growth = state_growth(CELLS[name](), [xn.EXACT], max_length=6).of(xn.EXACT)
        assert [row.states_up_to for row in growth.rows if row.length in (0, 2, 3, 4, 6)] == [int(n) for n in cells]
        assert law


@pytest.mark.parametrize("name", ["SRN", "GRU"])
def test_finitely_many_states(name):
    assert state_growth(CELLS[name](), [xn.EXACT], max_length=8).of(xn.EXACT).saturated_from in (3, 4)


def test_counters_have_polynomially_many_states_and_stacks_exponentially_many():
    lstm_rows = state_growth(CELLS["LSTM"](), [xn.EXACT], max_length=12).of(xn.EXACT).rows
    assert [row.states_up_to for row in lstm_rows[1:]] == [n * n + n + 1 for n in range(1, 13)]
    qrnn_rows = state_growth(CELLS["QRNN"](), [xn.EXACT], max_length=12).of(xn.EXACT).rows
    assert [row.states_up_to for row in qrnn_rows[3:]] == [8 * n - 11 for n in range(3, 13)]
    stack_rows = state_growth(CELLS["doubling LSTM"](), [xn.EXACT], max_length=6).of(xn.EXACT).rows
    assert all(2**row.length <= row.states <= 3**row.length for row in stack_rows)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_two_words_that_no_saturated_qrnn_of_that_window_tells_apart(k):
    """The first begins with a^k b^k, the second with no a^n b^n: a QRNN cannot accept {a^n b^n w}, an LSTM can."""
    first = "a" * k + "b" * k + "a" * (k + 2) + "b" * (k + 1)
    second = "a" * (k + 2) + "b" * (k + 1) + "a" * k + "b" * k
    suffix = first[: 4 * k + 3]
    recognised = [bool(xn.run(xn.lstm_anbn_then_any(), word + suffix).verdict) for word in (first, second)]
    assert recognised == [True, False]
    for seed in range(40):
        net = qrnn(random.Random(seed), window=k)
        states = [xn.run(net, word + suffix).final_state for word in (first, second)]
        assert states[0] == states[1]


def test_the_examples_of_the_docs_are_true():
    found = doctest.testfile(str(DOCS), module_relative=False)
    assert found.failed == 0
    assert found.attempted >= 8
