"""What people come to do first: each task by names and plain Python values, in ten lines at most."""

import numpy as np
import pytest
from hypothesis import given, settings

import exactnn as xn
from exactnn.plots import plot_check_format, plot_collapse
from exactnn.strategies import dfas, words


def test_an_automaton_of_ones_own():
    even = xn.DFA(
        states=["even", "odd"],
        input_symbols="01",
        transitions={"even": {"1": "odd", "0": "even"}, "odd": {"1": "even", "0": "odd"}},
        initial_state="even",
        final_states=["even"],
    )
    assert (xn.run(even, "110").accepted, even.accepts("10")) == (True, False)
    assert xn.equivalent(even, "parity").witness == ()


def test_a_turing_machine_of_ones_own():
    zeros = xn.TuringMachine(
        states={"scan", "yes"},
        input_symbols={"0", "1"},
        tape_symbols={"0", "1", "_"},
        transitions={"scan": {"0": ("scan", "0", "R"), "_": ("yes", "_", "N")}},
        initial_state="scan",
        blank_symbol="_",
        final_states={"yes"},
        undefined="reject",
    )
    assert (xn.run(zeros, "000").accepted, xn.run(zeros, "010").accepted) == (True, False)
    assert xn.first_divergence(zeros, "0" * 40, "float16").neuron


def test_a_machine_of_two_stacks_of_ones_own():
    pop, keep, push = ("pop",), ("keep",), ("push", "a")
    table = {
        "q": {("a", ""): ("q", (pop, push)), ("a", "a"): ("q", (pop, push)), ("b", "a"): ("p", (pop, pop))},
        "p": {("b", "a"): ("p", (pop, pop)), ("", ""): ("yes", (keep, keep))},
    }
    names = {"states": ["q", "p", "yes"], "input_symbols": "ab", "stack_symbols": "ab"}
    anbn = xn.StackMachine(
        **names, stacks=2, transitions=table, initial_state="q", accept_state="yes", undefined="reject"
    )
    assert (xn.run(anbn, "aabb").accepted, xn.run(anbn, "aab").accepted) == (True, False)
    assert xn.collapse(anbn, ["a" * n + "b" * n for n in range(1, 20)], "float16").first_failure("float16") is not None


def test_a_network_of_numpy_arrays():
    rng = np.random.default_rng(0)
    recurrent, inputs, out = rng.normal(size=(4, 4)), rng.normal(size=(4, 2)), rng.normal(size=(3, 4))
    net = xn.SimpleRNN(V=recurrent, W=inputs, b=[0] * 4, s=np.zeros(4), readout_weight=out, activation="tanh")
    report = xn.check_format(net, rng.normal(size=(5, 6, 2)), ["float16", np.float32])
    assert len(report) == 2


@pytest.mark.needs_torch
def test_a_state_dictionary_of_torch():
    import torch

    torch.manual_seed(0)
    model = torch.nn.ModuleDict({"cells": torch.nn.LSTM(3, 4), "out": torch.nn.Linear(4, 2)})
    net = xn.from_torch(model.state_dict(), readout="out")
    word = torch.randn(5, 3)
    report = xn.check_format(net, [word.tolist()], [torch.float16, torch.bfloat16])
    assert [row["format"] for row in report] == ["float16", "bfloat16"]


def test_an_lstm_in_bfloat16():
    rng = np.random.default_rng(0)
    V, W, b = ({gate: rng.normal(size=shape) for gate in "ifgo"} for shape in ((4, 4), (4, 2), 4))
    net = xn.LSTM(V=V, W=W, b=b, readout_weight=rng.normal(size=(3, 4)))
    words = rng.normal(size=(4, 6, 2))
    report = xn.check_format(net, words, "bfloat16")
    assert report.worst("bfloat16").absolute < 0.2
    assert xn.run(net, words[0], "bfloat16").outputs


def test_the_shortest_word_that_a_format_gets_wrong():
    assert xn.collapse_witness("palindrome", "float16").witness == ("a", "a", "a", "a")


def test_the_automaton_of_a_format_is_drawn():
    assert "<svg" in xn.extract_state_machine("palindrome", "float8_e4m3").automaton._repr_svg_()


def test_the_unitary_twin_of_a_contractive_network():
    net = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    twin = xn.unitary(net, input_bound=1)
    ones = [[1]] * 4
    assert xn.run(twin, ones).outputs == xn.run(net, ones).outputs


@settings(max_examples=10)
@given(dfas().flatmap(lambda dfa: words(dfa).map(lambda word: (dfa, word))))
def test_a_test_of_ones_own(pair):
    dfa, word = pair
    assert xn.run(dfa, word).accepted == dfa.accepts(word)


def test_a_data_frame_of_a_collapse():
    table = xn.collapse("anbn", ["a" * n + "b" * n for n in range(1, 6)])
    assert table.to_polars().height == len(table) == len(table.to_pandas())


def test_a_picture(tmp_path):
    plot_collapse(xn.collapse("anbn", ["a" * n + "b" * n for n in range(1, 6)]), path=tmp_path / "collapse.png")
    plot_check_format(xn.check_format("anbn", ["ab", "aabb"], "float16"), path=tmp_path / "check.svg")
    assert (tmp_path / "collapse.png").stat().st_size > 1000 < (tmp_path / "check.svg").stat().st_size


def test_answers_are_true_or_false_where_they_are_decided():
    assert xn.equivalent("parity", "parity")
    assert not xn.equivalent("tomita-1", "tomita-2")
    assert xn.run("palindrome", "abba")
    assert not xn.run("palindrome", "ab")
    assert xn.first_divergence("palindrome", "ab" * 10, "float16")
    assert not xn.first_divergence("parity", "0110", "float16")


@pytest.mark.parametrize("undecided", [
    lambda: xn.run("bb4"),
    lambda: xn.run("palindrome", "abba", max_steps=2),
    lambda: xn.equivalent("palindrome", "palindrome", max_length=2),
])  # fmt: skip
def test_what_is_not_decided_is_neither_true_nor_false(undecided):
    found = undecided()
    with pytest.raises(xn.ExactnnError, match="neither true nor false"):
        bool(found)


def test_words_are_text_numbers_or_arrays():
    for word in ("101", ["1", "0", "1"], [1, 0, 1], np.array([1, 0, 1]), np.array(list("101"))):
        assert xn.run("parity", word).word == ("1", "0", "1")


def test_certified_numbers_become_floats():
    network = xn.SimpleRNN(V=[["1/2"]], W=[[1, -1]], b=[0], readout_weight=[1], activation="Tanh", alphabet="ab")
    run = xn.run(network, "ab", "certified", record="all")
    expected = np.tanh(0.5 * np.tanh(1.0) - 1.0)
    assert float(run.outputs[-1]) == pytest.approx(expected, abs=1e-12)
    assert np.array(run.trace.states, dtype=float).shape == (3, 1)
    assert np.array(run.outputs, dtype=float)[-1] == float(run.outputs[-1])


def test_the_state_after_a_step_that_is_not_there():
    trace = xn.run("parity", "0110", record=2).trace
    assert trace.steps == (0, 2, 4)
    with pytest.raises(IndexError, match="index 3 of a trace of 3 states, the last after step 4"):
        trace[3]


def test_machines_by_their_tag():
    assert "parity" in [entry.name for entry in xn.zoo(tag="regular")]
    with pytest.raises(xn.ExactnnError, match="no machine has the tag"):
        xn.zoo("nonsense")


@pytest.mark.parametrize("name", ["check", "compare", "extract", "threshold"])
def test_names_of_commands_lead_to_functions(name):
    with pytest.raises(
        AttributeError, match=rf"no attribute '{name}': exactnn\.(\w+) is what that command calls"
    ) as told:
        getattr(xn, name)
    assert callable(getattr(xn, str(told.value).split("exactnn.")[1].split()[0]))


def test_only_what_is_public_is_listed():
    assert {"run", "plots", "networks", "__version__"} <= set(dir(xn))
    assert not {"options", "work", "interrupts", "size_limit"} & set(dir(xn))


@pytest.mark.parametrize(("function", "name"), [
    (xn.interpret, "parity"), (xn.minsky, "parity"), (xn.siegelmann_sontag, "bb3"), (xn.chung_siegelmann, "palindrome"),
    (xn.layered_stacks, "mirror-stacks"), (xn.lstm_counter, "anbn-counter"), (xn.own_unit, "parity"),
    (xn.decide_halting, "1RB1LA_1LB0RB"), (xn.from_turing_machine, "bb3"), (xn.generalized_shift, "bb3"),
])  # fmt: skip
def test_a_name_is_a_machine(function, name):
    assert repr(function(name)) == repr(function(xn.load(name)))
    with pytest.raises(xn.ExactnnError, match="there is no such machine"):
        function("no-such-machine")


def test_the_configuration_at_the_end_of_a_run():
    run = xn.run("palindrome", "abba", max_steps=10)
    net = xn.compile("palindrome")
    assert run.configuration == net.decode(run.final_state)
    assert xn.run("parity", "11").configuration == "even"
    with pytest.raises(xn.ExactnnError, match="give its construction, or the machine"):
        xn.run(net.network, "ab").configuration  # noqa: B018
