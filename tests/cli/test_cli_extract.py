"""``exactnn extract``: what it prints is what runs say, and what it writes can be read again."""

import json
import os
import pty
import subprocess
import sys
from itertools import product

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.cli.arguments import format_named
from exactnn.equivalence import distinguishing_word, minimal
from exactnn.errors import OptionError
from exactnn.machine_files import load_file, write_dot

INFINITE = ("extract", "palindrome", "--arithmetic", "exact")


def extracted(invoke, *arguments, code=0):
    result = invoke("extract", *arguments, "--json")
    assert (result.exit_code, result.stderr) == (code, "")
    return json.loads(result.stdout)


def said(record, word):
    """Walk through the minimal automaton of a record."""
    state = record["minimal"]["initial_state"]
    for symbol in word:
        state = record["minimal"]["transitions"][state][symbol]
    return record["minimal"]["outputs"][state]


@pytest.fixture
def outputs_file(tmp_path):
    """A network that gives two outputs, not verdicts."""
    net = xn.SimpleRNN(
        V=[[2]], W=[[1, -1]], b=[0], s=[0], readout_weight=[["1/3"], [2]], readout_bias=[0, 0], alphabet="ab"
    )
    xn.save_network(net, tmp_path / "outputs.json")
    return str(tmp_path / "outputs.json")


@pytest.mark.parametrize("name", ["float8_e4m3", "float8_e5m2", "bfloat16", "p5", "q10.6"])
def test_the_automaton_says_of_words_what_runs_say(invoke, name):
    record = extracted(invoke, "palindrome", "--format", name)
    assert (record["machine"], record["arithmetic"], record["complete"], record["reason"]) == (
        "palindrome", name, True, "",
    )  # fmt: skip
    assert record["states"] == record["expanded"] == sum(row["states"] for row in record["labels"])
    assert record["states"] >= record["minimal"]["states"] == len(record["minimal"]["transitions"])
    net = xn.compile(xn.load("palindrome"))
    enough = record["states"] + record["eos_states"]
    for length in range(6):
        for word in product("ab", repeat=length):
            run = xn.run(net, word, arithmetic=format_named(name), max_steps=length + enough)
            outcome = str(run.outcome).replace("step limit", "proven non-halting")  # more steps than there are states
            assert said(record, word) == outcome


def test_by_acceptance_all_else_is_rejected(invoke):
    by_outcome = extracted(invoke, "palindrome", "--format", "float16")
    record = extracted(invoke, "palindrome", "--format", "float16", "--by", "acceptance")
    assert (by_outcome["minimal"]["kind"], record["minimal"]["kind"]) == ("moore_machine", "dfa")
    assert record["minimal"]["states"] < by_outcome["minimal"]["states"]
    assert record["states"] == by_outcome["states"]
    for length in range(8):
        for word in product("ab", repeat=length):
            assert (said(record, word) == "accepted") == (said(by_outcome, word) == "accepted")


def test_rounding_is_an_option(invoke):
    nearest = extracted(invoke, "palindrome", "--format", "float8_e5m2")
    down = extracted(invoke, "palindrome", "--format", "float8_e5m2", "--rounding", "down")
    assert (nearest["arithmetic"], down["arithmetic"]) == ("float8_e5m2", "float(p=3, e=5, down)")
    assert nearest["minimal"] != down["minimal"]


@pytest.mark.parametrize("name", ["parity", "divisible-by-3", "tomita-4"])
def test_a_dfa_comes_back_as_a_machine_file(invoke, tmp_path, name):
    file, graph = tmp_path / "dfa.yaml", tmp_path / "dfa.dot"
    record = extracted(invoke, name, "--arithmetic", "exact", "-o", str(file), "--dot", str(graph))
    assert (record["output"], record["dot"], record["certificate"]) == (str(file), str(graph), None)
    machine = load_file(str(file)).machine
    assert distinguishing_word(machine, xn.load(name)) is None
    assert len(machine.states) == len(minimal(xn.load(name)).states) == record["minimal"]["states"]
    assert graph.read_text() == write_dot(machine)
    assert invoke("run", str(file), machine.input_symbols[-1]).exit_code == 0


def test_a_moore_machine_is_drawn_but_is_no_machine_file(invoke, tmp_path):
    file, graph = tmp_path / "m.yaml", tmp_path / "m.dot"
    arguments = ("palindrome", "--format", "float8_e4m3", "-o", str(file), "--dot", str(graph), "--json")
    result = invoke("extract", *arguments)
    assert result.exit_code == 2
    assert "--by acceptance" in result.stderr
    record = json.loads(result.stdout)
    assert (record["output"], record["dot"]) == (None, str(graph))
    assert "proven non-halting" in graph.read_text()
    assert not file.exists()
    by_acceptance = invoke("extract", *arguments, "--by", "acceptance", "--force")
    assert by_acceptance.exit_code == 0
    assert load_file(str(file)).machine.final_states


def test_people_get_a_table(invoke):
    text = invoke("extract", "palindrome", "--format", "float8_e4m3").stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "states 11 that words lead to, 24 more on EOS only" in lines
    assert "bound fewer than 2^288" in lines
    assert "words end accepted in 9 states, proven non-halting in 2 states" in lines
    assert "minimal 5 states, a Moore machine" in lines
    assert "→ 0 (accepted)" in text
    assert "3 (proven non-halting)" in text
    assert "not followed" not in text


def test_a_large_automaton_has_no_table(invoke):
    text = invoke("extract", "palindrome", "--format", "p20e8").stdout
    assert "complete" in text
    assert "┃" not in text


def test_a_network_without_verdicts_gives_its_outputs(invoke, outputs_file):
    record = extracted(invoke, outputs_file, "--format", "q4.2")
    assert record["construction"] is None
    assert record["minimal"]["outputs"]["0"] == ["0", "0"]
    net = xn.load_network(outputs_file)
    for word in product("ab", repeat=5):
        run = xn.run(net, word, arithmetic=xn.FixedPoint(integer_bits=4, fraction_bits=2))
        assert said(record, word) == [str(mpq(value)) for value in run.outputs[-1]]
    assert "outputs" in invoke("extract", outputs_file, "--format", "q4.2").stdout


def test_a_machine_without_input_symbols(invoke):
    record = extracted(invoke, "bb2", "--format", "float16")
    assert (record["states"], record["minimal"]["outputs"]) == (1, {"0": "halted"})


def test_a_limit_is_code_3_with_what_was_found(invoke, tmp_path):
    file = tmp_path / "no.json"
    result = invoke(
        *INFINITE, "--max-states", "100", "--certificate", str(file), "-o", str(tmp_path / "no.yaml"), "--json"
    )
    assert result.exit_code == 3
    assert "the search is not complete" in result.stderr
    record = json.loads(result.stdout)
    assert (record["complete"], record["states"], record["minimal"], record["labels"]) == (False, 100, None, None)
    assert record["reason"] == "the limit of 100 states was reached"
    assert record["certificate"] is record["output"] is None
    assert list(tmp_path.iterdir()) == []
    assert 0 < len(record["frontier"]) <= 5
    lengths = [len(word) for word in record["frontier"]]
    assert lengths == sorted(lengths)
    assert 2 ** (lengths[0]) <= 100 < 2 ** (lengths[0] + 2)
    text = invoke(*INFINITE, "--max-states", "100")
    assert (text.exit_code, text.stderr) == (3, "")
    assert "no: the limit of 100 states was reached" in text.stdout
    assert "not followed" in text.stdout


def test_a_limit_on_eos_only(invoke):
    result = invoke("extract", "palindrome", "--format", "float8_e4m3", "--max-states", "12")
    assert result.exit_code == 3
    assert "not how each of them ends" in " ".join(result.stdout.split())


@pytest.mark.parametrize("limit", [("--max-seconds", "0"), ("--max-bytes", "1K")])
def test_limits_of_time_and_memory(invoke, limit):
    record = extracted(invoke, "palindrome", "--arithmetic", "exact", *limit, code=3)
    assert record["complete"] is False
    assert record["reason"].startswith("the limit of ")


def test_progress_is_for_terminals(tmp_path):
    master, slave = pty.openpty()
    code = "from exactnn.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *INFINITE, "--max-states", "3000", "--json"],
        stdout=subprocess.PIPE, stderr=slave, timeout=300, check=False,
    )  # fmt: skip
    os.close(slave)
    assert done.returncode == 3
    assert json.loads(done.stdout)["states"] == 3000
    assert b"states found" in os.read(master, 1 << 20)
    os.close(master)


@pytest.mark.parametrize(
    ("name", "options", "states", "least"),
    [
        ("counting", ["--arithmetic", "exact"], 2, 2),
        ("counting", ["--format", "float8_e4m3"], 17, 17),
        ("parity", ["--arithmetic", "exact"], 5, 2),
        ("tomita-3", ["--format", "float16"], 11, 4),
    ],
)
def test_the_least_weighted_automaton(invoke, tmp_path, name, options, states, least):
    """It has the outputs of runs as values, and what is written can be read again."""
    record = extracted(invoke, name, *options, "--weighted", "-o", str(tmp_path / "least.yaml"))
    assert (record["states"], record["least_states"]) == (states, least)
    automaton = xn.load(str(tmp_path / "least.yaml"))
    assert isinstance(automaton, xn.WeightedAutomaton)
    network = xn.compile(xn.load(name))
    arithmetic = xn.EXACT if "exact" in options else format_named(options[1])
    for length in range(5):
        for word in product(automaton.input_symbols, repeat=length):
            run = xn.run(network, word, arithmetic=arithmetic)
            assert automaton.value(word) == (run.outputs[-1] if word else run.initial_output)
    shown = invoke("extract", name, *options, "--weighted", "--dot", str(tmp_path / "least.dot"))
    assert f"least       {least} states: the rank" in shown.stdout
    assert (tmp_path / "least.dot").read_text().startswith("digraph")


def test_a_machine_that_reads_eos_gives_1_and_0(invoke):
    result = invoke("extract", "palindrome", "--format", "float8_e4m3", "--weighted", "-o", "-")
    assert result.exit_code == 0
    automaton = xn.load(result.stdout)
    table = xn.extract_state_machine(xn.compile(xn.load("palindrome")), xn.FLOAT8_E4M3)
    for length in range(6):
        for word in product("ab", repeat=length):
            accepted = xn.run(xn.compile(xn.load("palindrome")), word, arithmetic=xn.FLOAT8_E4M3).verdict
            assert automaton.value(word) == (accepted is xn.Verdict.ACCEPT), word
    assert automaton.size <= table.states


def test_weighted_is_exact_unless_a_format_is_given(invoke):
    assert "arithmetic  exact" in invoke("extract", "counting", "--weighted").stdout
    result = invoke("extract", "binary-value", "--weighted", "--format", "float8_e5m2")
    assert result.exit_code == 2
    assert "becomes" in result.stderr


def test_show_of_any_weighted_automaton(invoke, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "kind: weighted_automaton\ninitial: [1]\nfinal: [1]\ntransitions: {a: [[-2]]}\nexpect: [{word: a, value: 7}]\n"
    )
    assert "1 state, the least" in invoke("show", str(tmp_path / "m.yaml")).stdout
    checked = invoke("show", str(tmp_path / "m.yaml"), "--check").stdout
    assert "value is -2, expected 7" in checked
    assert "sum          1, of all values" in invoke("show", "drops").stdout
    (tmp_path / "n.yaml").write_text(
        "kind: weighted_automaton\ninitial: [1]\nfinal: [1]\ntransitions: {a: [[1]]}\n"
        "expect: [{word: a, value: 1, steps: 1}]\n"
    )
    assert "remove it" in invoke("show", str(tmp_path / "n.yaml")).stderr


def test_weighted_ends_at_a_limit_without_an_automaton(invoke, tmp_path):
    result = invoke("extract", "palindrome", "--weighted", "--max-states", "50", "-o", str(tmp_path / "none.yaml"))
    assert (result.exit_code, result.stdout) == (3, "")
    assert "not all states are known" in result.stderr
    assert not (tmp_path / "none.yaml").exists()


def test_weighted_reports_what_it_could_not_write(invoke, tmp_path, monkeypatch):
    """The result is worth keeping: the report comes first."""

    def full(*arguments, **options):
        raise OptionError("the disk is full")

    monkeypatch.setattr("exactnn.cli.weighted.save_text", full)
    result = invoke("extract", "counting", "--weighted", "-o", str(tmp_path / "new.yaml"))
    assert result.exit_code == 2
    assert "least       2 states" in result.stdout
    assert "disk is full" in result.stderr
