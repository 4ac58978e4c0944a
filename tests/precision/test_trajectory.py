import pytest
from gmpy2 import mpq

import exactnn as xn


def counter():
    """Return an LSTM with saturated gates whose cell state is the number of a's less that of b's."""
    return xn.LSTM(
        V={gate: [[0]] for gate in "ifgo"},
        W={"i": [[0, 0]], "f": [[0, 0]], "g": [[1, -1]], "o": [[0, 0]]},
        b={"i": [1], "f": [1], "g": [0], "o": [1]},
        readout_weight=[1], gate="step", candidate="sign", output="identity", alphabet="ab",
    )  # fmt: skip


def test_components_by_the_beginning_of_their_names():
    word = "aaabbbb"
    heights = [sum(1 if symbol == "a" else -1 for symbol in word[:t]) for t in range(len(word) + 1)]
    found = xn.trajectory(counter(), word, components="c")
    assert found.components == ("c[0]",)
    assert found.values == tuple((mpq(height),) for height in heights)
    assert (found.steps, found.word, found.arithmetic) == (7, word, xn.EXACT)
    everything = xn.trajectory(counter(), word)
    assert everything.components == ("h[0]", "c[0]")
    assert [values[1] for values in everything.values] == heights
    assert xn.trajectory(counter(), word, components=["c[0]"]) == found


def test_floats_are_those_of_the_format():
    tiny = xn.FloatFormat(precision=3, exponent_bits=4)
    values = [value for (value,) in xn.trajectory(counter(), "a" * 20, tiny, components="c").values]
    assert values[:9] == list(range(9))
    assert values[-1] == 8  # 9 is between 8 and 10, and the even significand is that of 8


def test_at_most_so_many_steps():
    assert xn.trajectory(counter(), "a" * 20, max_steps=5).steps == 5


@pytest.mark.parametrize("components", ["q", ["c[0]", "c[7]"], []])
def test_unknown_components(components):
    with pytest.raises(xn.ExactnnError, match="the network has h"):
        xn.trajectory(counter(), "ab", components=components)
