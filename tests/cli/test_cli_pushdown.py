"""Weighted pushdown automata on the command line: what they are, the weight of a word, and comparisons by value."""

import json

import pytest

import exactnn as xn
from exactnn.machine_files import load_file

ZOO = ("unmarked-reversal", "equal-neighbours", "random-brackets", "rna-pairs")


@pytest.mark.parametrize("name", ZOO)
def test_show(invoke, name):
    shown = invoke("show", name)
    assert shown.exit_code == 0
    assert "weighted pushdown automaton" in shown.stdout
    assert "nondeterministic_stack_rnn makes one" in shown.stdout
    record = json.loads(invoke("show", name, "--json").stdout)
    machine = xn.load(name)
    assert (record["kind"], record["constructions"]) == ("weighted_pushdown_automaton", [])
    assert record["stack_symbols"] == list(machine.stack_symbols)
    assert record["final"] == [[q, top, str(weight)] for (q, top), weight in machine.final.items()]
    rows = [row for by_symbol in record["transitions"].values() for rows in by_symbol.values() for row in rows]
    assert len(rows) == len(list(machine.actions()))
    assert invoke("show", name, "--check").stdout == f"{len(load_file(name).expectations)} runs, all as expected\n"
    assert invoke("show", name, "--yaml").stdout.startswith("kind: weighted_pushdown_automaton\n")
    assert invoke("show", name, "--dot").stdout.startswith(f'digraph "{name}"')


def test_check_says_what_is_otherwise(invoke, tmp_path):
    text = invoke("show", "random-brackets", "--yaml").stdout.replace("value: 4/27", "value: 4/28")
    (tmp_path / "wrong.yaml").write_text(text)
    checked = invoke("show", str(tmp_path / "wrong.yaml"), "--check").stdout
    assert checked.splitlines() == ["'( )': value is 4/27, expected 1/7", "9 runs, 1 not as expected"]


@pytest.mark.parametrize("name", ZOO)
def test_the_weight_of_a_word(invoke, name):
    file = load_file(name)
    word = "".join(file.sample_input)
    stack = file.machine.read(word)
    result = invoke("run", name, word, "--json")
    record = json.loads(result.stdout)
    assert result.exit_code == 0
    assert record["weight"] == str(file.machine.weight(word))
    assert (record["outcome"], record["steps"], record["arithmetic"]) == ("completed", len(word), "exact")
    assert record["weights"] == [[q, top, str(weight)] for (q, top), weight in stack.weights.items()]
    printed = invoke("run", name, word).stdout
    assert f"weight      {file.machine.weight(word)}\n" in printed
    assert str(stack.total) in printed or len(stack.weights) > 1


def test_the_weight_in_a_format(invoke):
    word = "GCGGAUUUAGCUCAGUUGGGAGAGCGCC"
    record = json.loads(invoke("run", "rna-pairs", word, "--arithmetic", "float16", "--json").stdout)
    assert record["weight"] == "inf"
    record = json.loads(invoke("run", "rna-pairs", word, "--arithmetic", "bfloat16", "--json").stdout)
    assert record["weight"] == str(xn.load("rna-pairs").weight(word, arithmetic=xn.BFLOAT16)) != "3727897"


def test_a_run_stops_in_time(invoke):
    result = invoke("run", "rna-pairs", "GCAU" * 500, "--seconds", "0.2")
    assert result.exit_code == 3
    assert "time limit" in result.stdout
    assert not any(line.startswith("weight") for line in result.stdout.splitlines())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "rna-pairs", "GCAT"], "'T'"),
        (["run", "rna-pairs", "GC", "--trace"], "--trace: rna-pairs is run by its definition"),
        (["run", "rna-pairs", "GC", "--max-steps", "3"], "--max-steps: rna-pairs is run by its definition"),
        (["run", "rna-pairs", "GC", "--construction", "minsky"], "--construction: rna-pairs is run by its definition"),
        (["run", "rna-pairs", "GC", "--certificate", "c.json"], "--certificate: rna-pairs is run by its definition"),
        (["run", "rna-pairs", "GC", "--arithmetic", "interval128"], "weights are not summed in interval128"),
        (["run", "rna-pairs", "GC", "--arithmetic", "q8.8"], "weights are not summed in q8.8"),
        (["compile", "rna-pairs", "-o", "net.json"], "no construction compiles <WeightedPushdownAutomaton rna-pairs"),
        (["compare", "rna-pairs", "parity"], "'A'"),
        (["compare", "palindrome", "unmarked-reversal"], "gives words no values"),
        (["compare", "rna-pairs", "rna-pairs", "--by", "acceptance"], "gives words values"),
    ],
)
def test_refusals(invoke, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_compare(invoke, tmp_path):
    text = invoke("show", "unmarked-reversal", "--yaml").stdout
    (tmp_path / "other.yaml").write_text(text.replace("- [pop, bottom]", "- [pop, bottom]\n  - [push, bottom]"))
    (tmp_path / "third.yaml").write_text(text.replace("- [pop, bottom]", "- [pop, bottom]\n  - [pop, b]"))
    for name, witness, values in (("other", [], ["1", "0"]), ("third", ["b", "a", "a"], ["1", "0"])):
        found = json.loads(invoke("compare", str(tmp_path / f"{name}.yaml"), "unmarked-reversal", "--json").stdout)
        assert (found["equal"], found["by"], found["witness"], found["labels"]) == (False, "value", witness, values)
    same = invoke("compare", "unmarked-reversal", "unmarked-reversal", "--max-length", "6", "--json")
    found = json.loads(same.stdout)
    assert same.exit_code == 3
    assert (found["equal"], found["bound"], found["witness"]) == (None, 6, None)
    assert found["a"]["kind"] == "weighted_pushdown_automaton"


def test_the_zoo_lists_them(invoke):
    listed = json.loads(invoke("zoo", "--json").stdout)["machines"]
    assert {entry["name"] for entry in listed if entry["kind"] == "weighted_pushdown_automaton"} == set(ZOO)
