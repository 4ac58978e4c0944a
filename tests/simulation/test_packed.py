"""Numbers and states as JSON text, and back: the same bit for bit, or a CheckpointError."""

import json
import struct

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import ARITHMETICS, FLOAT32, FLOAT64, RATIONAL
from exactnn.errors import CheckpointError
from exactnn.networks import SimpleRNN
from exactnn.simulation import advance_by, executor_for, packed
from exactnn.simulation.packed import pack_number, pack_numbers, unpack_floats, unpack_integer, unpack_rationals
from tests.strategies import extreme_rationals, long_rationals, networks_and_words, rationals

SPECIAL = (float("nan"), -float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 5e-324, 1.7976931348623157e308)


def bits(values):
    return [struct.pack("<d", value) for value in values]


@given(st.lists(st.floats() | st.sampled_from(SPECIAL)))
def test_floats_come_back_bit_for_bit(values):
    texts = json.loads(json.dumps(pack_numbers(tuple(values))))
    back = unpack_floats(texts, len(values))
    quiet = [value if value == value else SPECIAL[struct.pack("<d", value)[7] >> 7] for value in values]
    assert bits(back) == bits(quiet)  # of a NaN the sign is kept; no operation here gives one with a payload


@given(st.lists(rationals() | long_rationals() | extreme_rationals()))
def test_rationals_come_back(values):
    texts = json.loads(json.dumps(pack_numbers(tuple(values))))
    back = unpack_rationals(texts, len(values))
    assert back == tuple(values)
    assert {type(value) for value in back} <= {type(mpq())}


@given(st.integers(0, 2**200) | st.integers(0, 99).map(lambda n: 10**5000 + n))
def test_whole_numbers_come_back(value):
    assert unpack_integer(json.loads(json.dumps(pack_number(value)))) == value


NO_NUMBERS = (
    *(None, True, 1, 0.5, [], ["0x1"], ""),
    *("1", " 0x1", "0x1 ", "0X1", "0xA", "0x01", "+0x1", "--0x1", "0x", "0x_1"),
)
NO_RATIONALS = (
    *NO_NUMBERS,
    *("0x1/0x0", "0x2/0x4", "0x1/-0x2", "0x1/0x1", "-0x0", "0x1.8p+0", "nan", "1/2", "1e9", "0.5"),
)
NO_FLOATS = (
    *NO_NUMBERS,
    *("0x1", "0x1p+0", "0x1.8p+0", "0x1.8000000000000P+0", "0x1.8000000000000p+9999", "0x0.8000000000000p+0"),
    *("infinity", "NaN", "+inf", "1.5", "0x1.00000000000001p+0"),
)


@pytest.mark.parametrize("data", [*NO_NUMBERS, "-0x1", "0x1/0x2"], ids=repr)
def test_what_is_no_whole_number_is_refused(data):
    with pytest.raises(CheckpointError, match=r"is not a whole number|is less than 0"):
        unpack_integer(data)


@pytest.mark.parametrize("data", NO_RATIONALS, ids=repr)
def test_what_is_no_rational_is_refused(data):
    with pytest.raises(CheckpointError, match="is not a rational"):
        unpack_rationals([data], 1)


@pytest.mark.parametrize("data", NO_FLOATS, ids=repr)
def test_what_is_no_float_is_refused(data):
    with pytest.raises(CheckpointError, match="is not a float"):
        unpack_floats([data], 1)


@pytest.mark.parametrize("unpack", [unpack_floats, unpack_rationals])
@pytest.mark.parametrize("data", [None, "0x1", {}, [], ["inf"], ["inf"] * 3], ids=repr)
def test_what_is_no_list_of_that_length_is_refused(unpack, data):
    with pytest.raises(CheckpointError, match="is not a list of 2 numbers"):
        unpack(data, 2)


def test_numbers_have_a_largest_size(monkeypatch):
    monkeypatch.setattr(packed, "LONGEST_NUMBER", 20)
    assert unpack_integer(pack_number(16**17)) == 16**17
    with pytest.raises(CheckpointError, match="21 digits"):
        pack_number(16**18)
    with pytest.raises(CheckpointError, match="is not a whole number"):
        unpack_integer("0x1" + "0" * 18)


@pytest.mark.mostly_slow(quick=4)
@pytest.mark.parametrize("name", [name for name in ARITHMETICS if name != "certified"])
@given(networks_and_words(weights=extreme_rationals()) | networks_and_words(), st.integers(0, 4))
def test_a_state_that_was_packed_runs_on_alike(name, pair, count):
    network, word = pair
    executor = executor_for(network, ARITHMETICS[name])
    state = executor.start()
    for symbol in network.inputs(word)[:2]:
        state = advance_by(executor, state, symbol, count).state
    back = executor.unpack(json.loads(json.dumps(executor.pack(state))))
    assert pack_numbers(executor.values(back)) == pack_numbers(executor.values(state))
    for symbol in network.inputs(word)[2:3]:
        here, there = (advance_by(executor, s, symbol, 3) for s in (state, back))
        outputs = [[repr(output) for output, n in end.outputs for _ in range(n)] for end in (here, there)]
        assert outputs[0] == outputs[1]
        assert pack_numbers(executor.values(here.state)) == pack_numbers(executor.values(there.state))


def test_states_of_the_floats_keep_nan_inf_and_negative_zero():
    size = len(SPECIAL)
    identity = [[int(i == j) for j in range(size)] for i in range(size)]
    network = SimpleRNN(V=identity, W=[[0]] * size, b=[0] * size, s=[0] * size, readout_weight=[0] * size)
    executor = executor_for(network, FLOAT64)
    state = executor.start()
    state[:] = SPECIAL
    assert executor.unpack(executor.pack(state)).tobytes() == state.tobytes()
    single = executor_for(network, FLOAT32)
    state = single.start()
    state[:6] = SPECIAL[:6]
    assert single.unpack(single.pack(state)).tobytes() == state.tobytes()


@pytest.mark.parametrize("text", ["0x1.0000000000001p+0", "0x1.0000000000000p+200", "0x1.0000000000000p-200"])
def test_a_double_is_no_state_of_float32(text):
    network = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1])
    assert executor_for(network, FLOAT64).unpack([text]).tolist() == [float.fromhex(text)]
    with pytest.raises(CheckpointError, match="no number of float32"):
        executor_for(network, FLOAT32).unpack([text])


@pytest.mark.parametrize("arithmetic", [RATIONAL, FLOAT64, FLOAT32], ids=str)
@pytest.mark.parametrize("data", [None, {}, [], ["0x0", "0x0"], ["x"], [[]], [1]], ids=repr)
def test_data_that_is_no_state_is_refused(arithmetic, data):
    network = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(CheckpointError):
        executor_for(network, arithmetic).unpack(data)
