"""No QRNN with saturated gates tells the two words apart; one with a gate of 1/4 tells all words apart."""

from dataclasses import replace
from itertools import product

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import matrices, rationals

from exactnn.arithmetic import FLOAT8_E4M3
from exactnn.constructions import twin_words, window_twins
from exactnn.errors import ConstructionError, UnsupportedArithmeticError
from exactnn.networks import LSTMLayer, QRNNLayer, StackedRNN
from exactnn.simulation import run


@st.composite
def saturated(draw):
    """QRNN layers with gates 0 and 1, and any candidate."""
    n, d, k = draw(st.integers(1, 2)), draw(st.integers(2, 3)), draw(st.integers(1, 3))
    pooling = draw(st.sampled_from(["f", "fo", "ifo"]))
    vector = st.lists(rationals(), min_size=n, max_size=n)
    return QRNNLayer(
        W={gate: draw(matrices(n, k * d, rationals())) for gate in "z" + pooling},
        b={gate: draw(vector) for gate in "z" + pooling},
        window=k,
        pooling=pooling,
        h=draw(vector),
        c=None if pooling == "f" else draw(vector),
        gate="step",
        candidate=draw(st.sampled_from(["slu", "hard_sigmoid", "hard_tanh", "sign", "relu", "identity"])),
    )


def begins_with_as_many(word):
    """Whether the word is a^n b^n w with n > 0."""
    return any(word.startswith("a" * n + "b" * n) for n in range(1, len(word) // 2 + 1))


@given(saturated())
def test_saturated_gates_cannot_tell_them_apart(layer):
    twins = window_twins(layer, alphabet="abc"[: layer.input_size])
    first, second = (run(twins.network, word, record="all").trace for word in twins.words)
    assert tuple(first)[-1] == tuple(second)[-1]
    assert len(twins.tails) == layer.hidden_size
    assert [begins_with_as_many("".join(word)) for word in twins.words] == [True, False]


@given(saturated())
def test_the_cells_are_the_sums_of_their_tails(layer):
    """What a tail adds up, window by window from a cell of 0, is the cell."""
    alphabet = "abc"[: layer.input_size]
    twins = window_twins(layer, alphabet=alphabet)
    first = 0 if layer.pooling == "f" else layer.hidden_size
    final = run(twins.network, twins.words[0]).final_state
    for j, tail in enumerate(twins.tails):
        total = 0 if tail.has_reset else layer.start[first + j]
        for window, times in tail.windows.items():
            total += times * added(layer, alphabet, window)[first + j]
        assert final[first + j] == total


def added(layer, alphabet, window):
    """Return the state after a window, from cells of 0 before its last symbol."""
    network = StackedRNN([layer], readout_weight=[1] * layer.hidden_size)
    one_hot = {a: [int(a == b) for b in alphabet] for a in alphabet} | {None: [0] * len(alphabet)}
    *earlier, last = [one_hot[symbol] for symbol in reversed(window)]
    state = run(network, earlier).final_state
    cells = layer.hidden_size * (1 if layer.pooling == "f" else 2)
    return run(replace(network, initial_state=(*[mpq(0)] * cells, *state[cells:])), [last]).final_state


def quarter():
    """The cell reads its word as digits 1 and 2 of a fraction in base 4."""
    return QRNNLayer(
        W={"z": [["1/3", "2/3"]], "f": [[0, 0]]},
        b={"z": [0], "f": ["1/4"]},
        pooling="f",
        gate="slu",
        candidate="identity",
    )


def test_a_gate_of_a_quarter_tells_all_short_words_apart():
    network = StackedRNN([quarter()], readout_weight=[1], alphabet="ab")
    words = [word for n in range(11) for word in product("ab", repeat=n)]
    assert len({run(network, word).final_state for word in words}) == len(words) == 2047
    first, second = (run(network, word).final_state for word in twin_words(1))
    assert first != second


def test_rounded_sums_can_tell_them_apart():
    layer = QRNNLayer(
        W={"z": [[-32, -8]], "f": [[0, 0]], "i": [[0, 0]], "o": [[0, 0]]},
        b={"z": [0], "f": [1], "i": [1], "o": [1]},
        pooling="ifo",
        gate="step",
        candidate="identity",
    )
    twins = window_twins(layer)
    assert [run(twins.network, word).outputs[-1] for word in twins.words] == [-32 * 8 - 8 * 6] * 2
    assert [run(twins.network, word, arithmetic=FLOAT8_E4M3).outputs[-1] for word in twins.words] == [-256, -288]


def test_what_is_no_saturated_qrnn():
    with pytest.raises(ConstructionError, match=r"gate of cell 0 is 1/4 in the window \('a',\)"):
        window_twins(quarter())
    smooth = QRNNLayer(W={g: [[1, 0]] for g in "zfo"}, b={g: [0] for g in "zfo"})
    with pytest.raises(UnsupportedArithmeticError):
        window_twins(smooth)
    with pytest.raises(ConstructionError, match="alphabet 'abc' has 3 symbols, the layer reads 2 numbers"):
        window_twins(smooth, alphabet="abc")
    for wrong, message in ((None, "None is no sequence"), (5, "5 is no sequence"), (["a", "EOS"], "'EOS' is reserved")):
        with pytest.raises(ConstructionError, match=message):
            window_twins(smooth, alphabet=wrong)
    gates = {g: [[1]] for g in "ifgo"}
    with pytest.raises(ConstructionError, match="is no layer of a QRNN"):
        window_twins(LSTMLayer(V=gates, W=gates, b={g: [0] for g in "ifgo"}))
