"""The assertions fail where they should, and say what is needed to see it again."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis.stateful import run_state_machine_as_test

import exactnn as xn
from exactnn.constructions import CONSTRUCTIONS, minsky
from exactnn.constructions.construction import Codec
from exactnn.constructions.literal_book import literal_book
from exactnn.errors import OptionError
from exactnn.networks import Protocol
from exactnn.strategies import networks
from exactnn.testing import LockstepMachine, assert_equivalent, assert_same_run

ROOT = Path(xn.__file__).parents[1]
SHORT = settings(max_examples=8, stateful_step_count=8, deadline=None, database=None)
HALVES = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])


def replayed(message, tmp_path):
    """Run the command at the end of a message, as a shell does."""
    command = message.partition("replay with:\n")[2]
    if command.startswith("python -"):
        command = command.replace("python", sys.executable, 1)
    else:
        command = command.replace("exactnn fuzz", f"{sys.executable} -m exactnn fuzz", 1)
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/bin:/usr/bin"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_equivalence_of_what_is_equivalent():
    assert_equivalent("minsky", xn.load("parity"), seconds=0.3)
    assert_equivalent(minsky, seconds=0.3)
    assert_equivalent(xn.compile(xn.load("parity")), seconds=0.3)
    assert_equivalent(xn.compile(xn.load("parity")).network, xn.load("parity"), seconds=0.3)


def with_another_last_symbol(machine: xn.TuringMachine) -> object:
    """A compiler that changes the machine before it is compiled: what the halting move writes."""
    transitions = {
        state: {
            read: (following, "1" if following == machine.halt_state and written == "0" else written, move)
            for read, (following, written, move) in row.items()
        }
        for state, row in machine.transitions.items()
    }
    return xn.siegelmann_sontag(replace_transitions(machine, transitions))


def replace_transitions(machine, transitions):
    return xn.TuringMachine(
        states=machine.states,
        input_symbols=machine.input_symbols,
        tape_symbols=machine.tape_symbols,
        transitions=transitions,
        initial_state=machine.initial_state,
        blank_symbol=machine.blank_symbol,
        halt_state=machine.halt_state,
    )


def test_configurations_are_those_of_the_machine_that_was_given():
    beaver = xn.load("bb2")
    ends = replace_transitions(
        beaver,
        {
            state: {read: (q, "0" if q == beaver.halt_state else a, move) for read, (q, a, move) in row.items()}
            for state, row in beaver.transitions.items()
        },
    )
    assert_equivalent(with_another_last_symbol, ends, by="outcome", seconds=0.5)
    with pytest.raises(AssertionError, match=r"first difference after move 4:\n  machine  Z: 0 \[1\]\n  network  Z: 1"):
        assert_equivalent(with_another_last_symbol, ends, by="configuration", seconds=5)


def test_machines_by_their_names():
    assert_equivalent("minsky", "parity", seconds=0.3)
    assert_same_run("parity", "0110", xn.EXACT, xn.FLOAT16)
    with pytest.raises(AssertionError, match=r"exact and float16 differ"):
        assert_same_run("palindrome", "a" * 20, "exact", "float16")
    with pytest.raises(AssertionError, match=r"exact and float16 differ"):
        assert_same_run(xn.load("palindrome"), "a" * 20, "exact", "float16")


def test_equivalence_with_the_wrong_machine():
    parity = xn.load("parity")
    opposite = xn.DFA(
        states=parity.states,
        input_symbols=parity.input_symbols,
        transitions=parity.transitions,
        initial_state=parity.initial_state,
        final_states=[q for q in parity.states if q not in parity.final_states],
    )
    with pytest.raises(
        AssertionError, match=r"word      \(empty\), length 0\nexpected  rejected, 0 moves\nfound     accepted"
    ):
        assert_equivalent(xn.compile(opposite).network, parity)


def test_the_command_of_a_failed_equivalence_shows_it_again(tmp_path):
    with pytest.raises(AssertionError) as caught:
        assert_equivalent("siegelmann_sontag", xn.load("anbn"), arithmetic=xn.FLOAT8_E4M3)
    message = str(caught.value)
    for part in ("first difference after move", "  machine  ", "  network  ", "kind: turing_machine"):
        assert part in message
    done = replayed(message, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "they disagree" in done.stdout
    assert re.search(r"differs after +move", done.stdout)


def test_equivalence_needs_a_machine_and_something_to_test():
    with pytest.raises(OptionError, match="is compiled already"):
        assert_equivalent(HALVES)
    with pytest.raises(OptionError, match="compiles nothing"):
        assert_equivalent(7)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_our_constructions_go_in_lockstep(name):
    steps = type("Steps", (LockstepMachine,), {"construction": name})
    run_state_machine_as_test(steps, settings=SHORT)


@pytest.mark.parametrize(("name", "machine"), [("minsky", "parity"), ("siegelmann_sontag", "anbn")])
def test_a_given_machine_goes_in_lockstep(name, machine):
    steps = type("Steps", (LockstepMachine,), {"construction": name, "machine": xn.load(machine)})
    run_state_machine_as_test(steps, settings=SHORT)


def test_a_narrow_format_falls_out_of_step():
    options = {"construction": "siegelmann_sontag", "machine": xn.load("anbn"), "arithmetic": xn.FLOAT8_E4M3}
    with pytest.raises(AssertionError, match="siegelmann_sontag in float8_e4m3 disagrees with its machine") as caught:
        run_state_machine_as_test(type("Steps", (LockstepMachine,), options), settings=settings(SHORT, max_examples=50))
    assert "first difference after move" in str(caught.value)


def off_by_one(dfa: xn.DFA) -> xn.Construction:
    """A construction whose network is that of another machine."""
    start = dfa.transitions[dfa.initial_state][dfa.input_symbols[0]]
    other = xn.DFA(
        states=dfa.states,
        input_symbols=dfa.input_symbols,
        transitions=dfa.transitions,
        initial_state=start,
        final_states=dfa.final_states,
    )
    return minsky(other)


def test_a_wrong_construction_falls_out_of_step():
    with pytest.raises(AssertionError, match="off_by_one in exact disagrees"):
        run_state_machine_as_test(
            type("Steps", (LockstepMachine,), {"construction": staticmethod(off_by_one)}),
            settings=settings(SHORT, max_examples=100, phases=[Phase.generate]),
        )


def test_lockstep_needs_a_construction():
    for options in ({}, {"construction": literal_book, "machine": xn.load("anbn")}):
        with pytest.raises(OptionError, match=r"compiles nothing|can be decoded step by step"):
            run_state_machine_as_test(type("Steps", (LockstepMachine,), options), settings=SHORT)


def test_same_run(tmp_path):
    assert_same_run(HALVES, [1, 1, 1], xn.EXACT, xn.FLOAT8_E4M3)
    with pytest.raises(AssertionError) as caught:
        assert_same_run(HALVES, [1] * 9, xn.EXACT, xn.FLOAT8_E4M3)
    message = str(caught.value)
    assert message.splitlines()[:3] == [
        "simple RNN: exact and float8_e4m3 differ",
        "word      1 1 1 1 1, length 5",
        "step      5, neuron 0",
    ]
    done = replayed(message, tmp_path)
    assert done.returncode == 1
    assert "simple RNN: exact and float8_e4m3 differ" in done.stderr


def test_same_run_of_a_construction_shows_configurations():
    with pytest.raises(AssertionError, match=r"decoded   .*\ndecoded   ") as caught:
        assert_same_run(xn.compile(xn.load("anbn")), "aaaabbbb", xn.RATIONAL, xn.FLOAT16)
    assert "length 4" in str(caught.value)


@given(network=networks(protocols=[Protocol.END_OF_WORD], max_layers=2))
def test_both_exact_arithmetics_are_the_same(network):
    word = [(1,) * network.circuit.input_size] * 2 if network.alphabet is None else network.alphabet[:2]
    assert_same_run(network, word, xn.EXACT, xn.RATIONAL)


def wrong_on_nothing(dfa: xn.DFA) -> xn.Construction:
    """A construction that is wrong on the empty word alone: its network begins in a state of its own."""
    other = xn.DFA(
        states=[*dfa.states, "begin"],
        input_symbols=dfa.input_symbols,
        transitions={**dfa.transitions, "begin": dfa.transitions[dfa.initial_state]},
        initial_state="begin",
        final_states=[*dfa.final_states, *(["begin"] if dfa.initial_state not in dfa.final_states else [])],
    )
    made = minsky(other)

    class AsBefore(Codec):
        def encode(self, configuration):
            return made.codec.encode(configuration)

        def decode(self, state, cells=None):
            found = made.codec.decode(state, cells)
            return dfa.initial_state if found == "begin" else found

    return replace(made, machine=dfa, codec=AsBefore())


def test_lockstep_begins_with_the_empty_word():
    with pytest.raises(AssertionError, match=r"word      \(empty\), length 0"):
        run_state_machine_as_test(
            type("Steps", (LockstepMachine,), {"construction": staticmethod(wrong_on_nothing)}),
            settings=settings(SHORT, phases=[Phase.generate]),
        )


def test_same_run_compares_outputs():
    third = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=["1/3"])
    with pytest.raises(AssertionError, match=r"step      1, output\nexact     1/3\nfloat16   0\.333251953125"):
        assert_same_run(third, [1, 1], xn.EXACT, xn.FLOAT16)


def test_the_command_of_a_failed_same_run_keeps_the_steps(tmp_path):
    """The difference comes after the steps that are the default."""
    thirds = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(AssertionError, match="step      2049, neuron 0") as caught:
        assert_same_run(thirds, [1] * 2049, xn.EXACT, xn.FLOAT16, max_steps=3000)
    done = replayed(str(caught.value), tmp_path)
    assert "step      2049, neuron 0" in done.stderr


@pytest.mark.parametrize("construction", [lambda dfa: wrong_on_nothing(dfa), partial(wrong_on_nothing)])
def test_no_command_is_printed_that_would_show_something_else(construction):
    with pytest.raises(AssertionError, match="no command shows it again") as caught:
        assert_equivalent(construction, xn.load("parity"))
    assert "replay with" not in str(caught.value)


def test_no_command_for_a_network_that_its_name_does_not_make():
    parity = xn.load("parity")
    wrong = replace(xn.compile(parity), network=wrong_on_nothing(parity).network)
    with pytest.raises(AssertionError, match="no command shows it again: 'the network minsky'"):
        assert_equivalent(wrong)
