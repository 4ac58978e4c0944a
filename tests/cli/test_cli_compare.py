"""``exactnn compare``: decisions, shortest witnesses, and "not decided"."""

import json
from itertools import product
from pathlib import Path

import pytest

import exactnn as xn
from exactnn.cli.arguments import format_named

ROBIN = """\
kind: dfa
name: even
input symbols: ["0", "1"]
start state: s
final states: [s, u]
table:
  s: {"0": u, "1": t}
  t: {"0": t, "1": u}
  u: {"0": s, "1": t}
"""


def compared(invoke, *arguments, code=0):
    result = invoke("compare", *arguments, "--json")
    assert (result.exit_code, result.stderr) == (code, "")
    return json.loads(result.stdout)


@pytest.fixture
def even(tmp_path):
    """A DFA with a state too many: an even number of ones."""
    (tmp_path / "even.yaml").write_text(ROBIN)
    return str(tmp_path / "even.yaml")


def ends(runnable, word, arithmetic):
    """How a run ends that takes more steps than there are states."""
    outcome = xn.run(runnable, word, arithmetic=arithmetic, max_steps=400).outcome
    return str(outcome).replace("step limit", "proven non-halting")


@pytest.mark.parametrize("name", ["float8_e4m3", "float8_e5m2", "bfloat16", "float16"])
@pytest.mark.parametrize("first", ["palindrome", "palindrome@exact"])
def test_the_witness_is_a_shortest_one(invoke, name, first):
    record = compared(invoke, first, f"palindrome@{name}")
    assert record["equal"] is False
    witness = record["witness"]
    assert record["bound"] == len(witness) - 1
    net, format = xn.compile(xn.load("palindrome")), format_named(name)
    for length in range(len(witness)):
        for word in product("ab", repeat=length):
            assert str(xn.interpret(xn.load("palindrome"), word).outcome) == ends(net, word, format)
    expected = [str(xn.interpret(xn.load("palindrome"), witness).outcome), ends(net, witness, format)]
    assert record["labels"] == expected
    assert expected[0] != expected[1]


def test_equal_whatever_the_length(invoke, even):
    record = compared(invoke, "parity", "parity@float8_e4m3")
    assert (record["equal"], record["witness"], record["bound"], record["reason"]) == (True, None, None, "")
    nothing = dict.fromkeys(("construction", "arithmetic", "neurons"))
    assert record["a"] == {"given": "parity", "machine": "parity", "kind": "dfa"} | nothing
    assert [record["b"][key] for key in nothing] == ["minsky", "float8_e4m3", 5]
    assert compared(invoke, even, f"{even}@float4_e2m1")["equal"] is True
    text = invoke("compare", "parity", "parity@exact").stdout
    assert "yes: they say the same of every word" in text


def test_machines_by_themselves(invoke, even):
    record = compared(invoke, "parity", even)
    assert (record["equal"], record["witness"], record["labels"]) == (False, [], ["rejected", "accepted"])
    text = invoke("compare", "parity", even).stdout
    assert "(empty) (length 0), and no shorter word tells them apart" in text


def test_a_machine_without_input_symbols(invoke):
    assert compared(invoke, "bb2", "bb2@float16")["equal"] is True
    assert compared(invoke, "bb4", "bb4@float8_e4m3", "--by", "acceptance")["equal"] is True  # neither accepts
    assert compared(invoke, "bb4", "bb4@float8_e4m3")["equal"] is False


def test_by_acceptance_never_halting_is_rejecting(invoke):
    assert compared(invoke, "palindrome@bfloat16", "palindrome@float16")["witness"] == ["a"] * 3
    for word in ([], ["a"], ["a", "b"]):
        assert word != compared(invoke, "palindrome@float16", "palindrome", "--by", "acceptance")["witness"]
    by_outcome = compared(invoke, "palindrome@p4", "palindrome@p5")
    by_acceptance = compared(invoke, "palindrome@p4", "palindrome@p5", "--by", "acceptance")
    assert len(by_outcome["witness"]) <= len(by_acceptance["witness"])


def test_a_network_file(invoke, tmp_path, even):
    file = str(tmp_path / "n@t.json")
    assert invoke("compile", even, "-o", file).exit_code == 0
    record = compared(invoke, file, f"{file}@float16")
    assert record["equal"] is True
    assert [record[side]["arithmetic"] for side in "ab"] == ["exact", "float16"]
    assert compared(invoke, file, even)["equal"] is True
    assert compared(invoke, file, "parity")["equal"] is False


def test_not_decided_up_to_a_length(invoke):
    result = invoke("compare", "anbn", "anbn@exact", "--max-length", "5", "--json")
    record = json.loads(result.stdout)
    assert (result.exit_code, record["equal"], record["bound"], record["witness"]) == (3, None, 5, None)
    assert record["reason"] == "words of more than 5 symbols were not compared"
    text = invoke("compare", "anbn", "anbn@exact", "--max-length", "1")
    assert text.exit_code == 3
    assert "they say the same of all words of up to 1 symbol" in " ".join(text.stdout.split())


@pytest.mark.parametrize(
    "limit", [("--max-states", "50"), ("--max-seconds", "0"), ("--max-bytes", "9000"), ("--max-steps", "3")]
)
def test_limits_are_code_3(invoke, limit):
    length = ("--max-length", "6")
    record = compared(invoke, "anbn", "anbn@exact", *limit, *length, code=3)
    assert record["equal"] is None
    assert record["bound"] < 6


def test_a_witness_that_may_not_be_a_shortest_one(invoke):
    arguments = ("palindrome", "palindrome@float16", "--max-steps", "8")
    record = compared(invoke, *arguments)
    assert record["equal"] is False
    assert record["bound"] < len(record["witness"]) - 1
    assert "of some shorter word it is not known" in " ".join(invoke("compare", *arguments).stdout.split())


def test_the_construction_is_of_what_is_compiled(invoke):
    record = compared(
        invoke, "anbn", "anbn@float16", "--construction", "siegelmann_sontag_book", "--max-length", "2", code=3
    )
    assert record["b"]["construction"] == "siegelmann_sontag_book"


def test_a_file_with_an_at_sign(invoke, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("even@float16").write_text(ROBIN)
    record = compared(invoke, "even@float16", "even@float16@float16")
    assert (record["equal"], record["a"]["kind"], record["b"]["arithmetic"]) == (True, "dfa", "float16")


def test_a_trained_network_is_compared_by_certified_runs(invoke, tmp_path):
    network = xn.SimpleRNN(
        V=[["9/10"]], W=[["-1/4", "1/5"]], b=["1/20"], s=[0], readout_weight=[1], readout_bias="-13/20",
        activation="sigmoid", alphabet="ab",
    )  # fmt: skip
    xn.save_network(network, tmp_path / "net.json")
    file = str(tmp_path / "net.json")
    expected = xn.collapse_witness(network, format_named("p4e4"), max_length=6)
    options = ("--max-length", "6")
    code = 3 if expected.equal is None else 0
    found = compared(invoke, file, f"{file}@p4e4", *options, code=code)
    again = compared(invoke, f"{file}@certified", f"{file}@p4e4", *options, code=code)
    for report in (found, again):
        assert report["equal"] is expected.equal
        assert report["witness"] == (None if expected.witness is None else list(expected.witness))
    assert found["a"]["arithmetic"] == "certified"
    assert invoke("compare", file, f"{file}@exact").exit_code == 2
