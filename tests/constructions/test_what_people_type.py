"""Machines and names in place of networks, and objects that answer what they are asked."""

import json
import pickle

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import ConstructionError, MachineFileError, NetworkError, WordError


def test_a_machine_or_its_name_is_compiled_first():
    machine = xn.load("palindrome")
    net = xn.compile(machine)
    expected = xn.run(net, "abba")
    for subject in (machine, "palindrome", net):
        found = xn.run(subject, "abba", "exact")
        assert (found.outcome, found.steps, found.machine_steps) == (
            expected.outcome,
            expected.steps,
            expected.machine_steps,
        )
        assert xn.first_divergence(subject, "aaaaaaaaa", "float32") == xn.first_divergence(net, "aaaaaaaaa", "float32")
        assert xn.collapse(subject, ["ab", "aaaa"], "float8_e4m3") == xn.collapse(net, ["ab", "aaaa"], "float8_e4m3")
        assert xn.space_time(subject, "ab", "float16").steps == 10
        assert xn.check_format(subject, ["ab"]) == xn.check_format(net, ["ab"])
        assert xn.precision_threshold(subject, ["ab"], precisions=range(2, 4), criterion="configuration")
    assert xn.compile("palindrome", "carmantini").name == "carmantini"
    assert xn.compile(xn.load("parity"), "state_grid").name == "state_grid"


def test_what_is_no_machine_is_told():
    with pytest.raises(MachineFileError, match="did you mean palindrome"):
        xn.run("palindrom", "ab")
    with pytest.raises(MachineFileError, match="bb2 or bb3 or bb4 or bb5"):
        xn.compile("busybeaver")
    with pytest.raises(NetworkError, match="3 is no network"):
        xn.run(3)
    with pytest.raises(ConstructionError, match="did you mean minsky"):
        xn.compile("parity", "minski")
    with pytest.raises(ConstructionError, match="does not compile"):
        xn.compile("parity", "carmantini")


def test_a_run_says_whether_the_word_is_accepted():
    assert xn.run("palindrome", "abba").accepted is True
    assert xn.run("palindrome", "ab").accepted is False
    assert xn.run("palindrome", "abba", max_steps=3).accepted is None


@given(st.text("01", max_size=12))
def test_a_dfa_accepts_what_its_network_accepts(word):
    parity = xn.load("parity")
    assert parity.accepts(word) is xn.run(parity, word).accepted


def test_a_dfa_refuses_other_symbols():
    with pytest.raises(WordError, match="'2'"):
        xn.load("parity").accepts("012")


def test_a_construction_is_saved_as_its_network(tmp_path):
    net = xn.compile("parity")
    xn.save_network(net, tmp_path / "parity.json")
    assert xn.load_network(tmp_path / "parity.json") == net.network


@pytest.mark.parametrize("net", [xn.compile("parity").network, xn.compile("bb3").network, xn.lstm_anbn().network])
def test_weights_are_those_of_the_step(net):
    """A step by the arrays is a step of the network."""
    arrays, floats = net.weights(), net.weights(exact=False)
    assert arrays.keys() == floats.keys()
    assert all(np.array_equal(floats[name], array.astype(float)) for name, array in arrays.items())
    state = list(arrays["initial_state"])
    given_input = [mpq(int(n == 0)) for n in range(net.circuit.input_size)]
    registers = state + given_input
    for k, layer in enumerate(net.circuit.layers):
        columns = [arrays[f"layer{k}.{name}"] for name in ("state", "input", "units") if f"layer{k}.{name}" in arrays]
        sums = np.concatenate(columns, axis=1) @ np.array(registers, dtype=object) + arrays[f"layer{k}.bias"]
        for unit, first, second, weight in arrays.get(f"layer{k}.products", ()):
            sums[unit] += weight * registers[first] * registers[second]
        registers += [_activated(unit.activation, total) for unit, total in zip(layer, sums, strict=True)]
    following = [registers[register] for register in net.circuit.next_state]
    executor = xn.run(net, [net.alphabet[0]] if net.input_symbols else [], "rational", max_steps=1, record="all")
    assert following == list(executor.trace.states[1])


def _activated(activation, total):
    if str(activation) == "heaviside":
        return mpq(int(total > 0))
    low, high = activation.low, activation.high
    if activation.kind == "jump":
        return high if total > 0 else low
    total = total if low is None else max(low, total)
    return total if high is None else min(high, total)


def test_weights_are_plain_arrays():
    arrays = xn.compile("parity").network.weights()
    for exact in (True, False):
        mine, theirs = xn.compile("parity").weights(exact=exact), xn.compile("parity").network.weights(exact=exact)
        assert all(np.array_equal(mine[name], array) for name, array in theirs.items())
    assert pickle.loads(pickle.dumps(arrays)).keys() == arrays.keys()


HALVES = xn.networks.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
PALINDROME = xn.compile("palindrome")
TABLES = [
    xn.collapse(HALVES, [[0], [1, 0]], "float32"),
    xn.check_format(HALVES, [[1, 0]], "float32"),
    xn.error_growth(HALVES, [1, 0, 0], "float32"),
    xn.trajectory(HALVES, [1, 0, 0], "exact"),
    xn.precision_threshold(HALVES, [[1, 0]], precisions=range(2, 5), criterion="value"),
    xn.required_bits(HALVES, [1, 0, 0]),
    xn.first_failures(PALINDROME, lambda n: "a" * n, range(2, 5), lengths=[1, 2]),
    xn.verdict_sweep(PALINDROME, lengths=range(4), formats="float8_e4m3"),
    xn.state_growth(PALINDROME, "float8_e4m3", max_length=2),
    xn.halting_census(2),
    xn.jacobian(HALVES, [1, 0]),
    xn.depth_parameters(4),
    xn.stack_limits("float16"),
    xn.gradient_growth(HALVES, [1, 0, 1], "float16"),
    xn.gradient_limits("1/2", "float16"),
    xn.construction_table("parity"),
    xn.zoo(),
    xn.space_time(PALINDROME, "abba", "float8_e4m3"),
    xn.perturbation_decay(HALVES, [1, 0], perturbation=["1/2"]),
    xn.run(PALINDROME, "ab", record="all").trace,
    xn.run(HALVES, [1, 0], "float32", record="all").trace,
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_a_result_that_is_a_table(table, tmp_path):
    polars = pytest.importorskip("polars")
    rows = [dict(row) for row in table.as_rows()]
    assert rows
    assert table
    assert len({tuple(row) for row in rows}) == 1
    assert all(type(cell) in (str, int, float, bool, type(None)) for row in rows for cell in row.values())
    frame = table.to_polars()
    assert polars.DataFrame(table).equals(frame) if isinstance(table, xn.files.DataRows) else len(frame) == len(rows)
    assert frame.to_dicts() == rows
    for ending in ("csv", "json", "parquet"):
        table.save(tmp_path / f"table.{ending}")
    assert json.loads((tmp_path / "table.json").read_text()) == rows
    assert polars.read_parquet(tmp_path / "table.parquet").equals(frame)
    if isinstance(table, xn.files.DataRows):
        assert list(table) == rows
        assert len(table) == len(rows)
    pandas = pytest.importorskip("pandas")
    assert isinstance(table.to_pandas(), pandas.DataFrame)
    assert len(table.to_pandas()) == len(rows)
