"""The checker of one file, which imports nothing of exactnn, proves the same certificates, and nothing false."""

import ast
import contextlib
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from second_checker import PATH, checker, second
from shuttle import MANY, certificate, rule, towers
from test_wrong_certificates import JSON, changed, mutants_of, never, places

import exactnn as xn
from exactnn.errors import CertificateError, ExactnnError
from exactnn.networks.network_file import network_from_json
from tests.promptness import promptly

MOST_LINES = 400
RUNS = [
    ("bb3", ""), ("bb4", ""), ("bb5", ""), ("1RB2LA1LC_0LA2RB1LB_1RZ1RA1RC", ""),
    ("palindrome", "abba" * 6), ("palindrome", "aab"), ("anbn", "a" * 20 + "b" * 20), ("anbn", "aab"),
    ("binary-increment", "1111"),
]  # fmt: skip


TRUE = certificate(10)
MUTANTS = mutants_of(TRUE)


def told(checked):
    return str(checked.outcome), checked.eos_steps


def is_true(data, found):
    """Whether the network in a certificate does on its word what was found."""
    try:
        network = network_from_json(data["network"])
    except ExactnnError:  # it reads what is written somewhat otherwise, such as whole numbers as text
        return True
    if found[0] == "proven non-halting":
        return never(network, data["word"])
    run = xn.run(network, data["word"], arithmetic=xn.RATIONAL, max_steps=len(data["word"]) + found[1])
    return (str(run.outcome), run.eos_steps) == found


def test_it_is_short_and_imports_the_standard_library_alone():
    text = PATH.read_text()
    assert len(text.splitlines()) <= MOST_LINES
    imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name.name for node in imported if isinstance(node, ast.Import) for name in node.names}
    assert names | {node.module for node in imported if isinstance(node, ast.ImportFrom)} <= sys.stdlib_module_names


@pytest.mark.mostly_slow(quick=3, slow=3)
@pytest.mark.parametrize(("machine", "word"), RUNS)
def test_it_proves_what_the_engine_certifies(machine, word):
    data = xn.run(xn.compile(machine), word, certify=True).certificate
    assert second(data, work=10**7) == told(xn.check_certificate(data))


TOWERS = {"1RB0LA_1LC1LF_0LD0LC_0LE0LB_1RE0RA_1RZ1LD": 5, "1RB0LD_1RC0RF_1LC1LA_0LE1RZ_1LF0RB_0RC0RE": 15}
"""Machines that take more than 10↑↑n steps."""


FIRST, *LARGER = TOWERS


@pytest.fixture(scope="module", params=[FIRST, *(pytest.param(text, marks=pytest.mark.slow) for text in LARGER)])
def tower_run(request):
    return xn.run(xn.compile(xn.load(request.param)), certify=True)


def test_it_proves_numbers_of_steps_that_cannot_be_written_out(tower_run):
    outcome, steps = second(tower_run.certificate, work=10**7)
    assert outcome == "halted"
    assert [steps.residue(p) for p in (7, 1009, 65_521)] == [tower_run.eos_steps % p for p in (7, 1009, 65_521)]


@pytest.mark.by_hand
def test_it_proves_a_run_of_thousands_of_powers():
    """28,693 legs, 10^^2048 steps: its sums of powers are 2,048 deep."""
    certified = xn.run("1RB0LB1RZ3LA_0LC3RB3RC1LB_2RB2LA3RA1LC", certify=True)
    outcome, steps = second(certified.certificate, work=10**10)
    assert outcome == "halted"
    assert [steps.residue(p) for p in (7, 65_521)] == [certified.eos_steps % p for p in (7, 65_521)]


def test_both_refuse_other_numbers(tower_run):
    data = tower_run.certificate
    sums = data["end"]["eos_steps"]
    places = [(i, j, k) for i, number in enumerate(sums) for j in range(len(number["powers"])) for k in range(3)]
    for i, j, k in places[:: max(1, len(places) // 2)]:
        wrong = json.loads(json.dumps(sums))
        wrong[i]["powers"][j][k] = {0: 5, 1: "0xfffffffffffff", 2: "0x5/0x7"}[k]
        other = data | {"end": data["end"] | {"eos_steps": wrong}}
        assert second(other, work=10**7) is None
        with pytest.raises(CertificateError):
            xn.check_certificate(other)


def test_both_refuse_an_exponent_that_is_not_whole():
    data = certificate(12)
    sums = [{"constant": "0x3/0x2", "powers": []}, {"constant": "0x1", "powers": [[2, 0, "0x1"]]}]
    other = data | {"end": data["end"] | {"eos_steps": sums}}
    assert second(other) is None
    with pytest.raises(CertificateError, match="no whole number"):
        xn.check_certificate(other)


@pytest.mark.parametrize("n", [4, 7, 30])
def test_it_proves_a_certificate_that_is_written_by_hand(n):
    data = certificate(n)
    assert second(data) == told(xn.check_certificate(data))


@pytest.mark.parametrize(("copies", "uses"), [(2, 0), (3, 2), (2, 6), (5, 4)])
def test_it_proves_that_a_network_never_halts(copies, uses):
    """After rounds that are as many as there are tokens, so many times; and of another number of steps it does not."""
    data = towers(copies, uses)
    checked = xn.check_certificate(data)
    assert second(data)[0] == str(checked.outcome) == "proven non-halting"
    other = towers(copies, uses + 1)["end"]
    assert second(data | {"end": other}) is None
    with pytest.raises(CertificateError, match="the verdict comes after"):
        xn.check_certificate(data | {"end": other})


def test_it_proves_that_a_machine_never_halts():
    data = xn.run(xn.compile(xn.load("1RB1LA_1LA0RB")), certify=True).certificate
    assert second(data, work=10**7) == told(xn.check_certificate(data))


def agrees(data):
    """Whether it proves nothing false, and nothing else than the other checker where both prove something."""
    found = second(data)
    if found is None:
        return True
    with contextlib.suppress(CertificateError):
        assert told(xn.check_certificate(data)) == found
    return is_true(data, found)


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("part", range(4))
def test_no_mutant_that_is_false_is_proven(part):
    for path, value in MUTANTS[part::4]:
        assert agrees(changed(path, value, TRUE)), (path, value)


@given(st.lists(st.sampled_from(MUTANTS), min_size=2, max_size=3))
def test_several_changes_at_once(mutants):
    data = TRUE
    for path, value in mutants:
        with contextlib.suppress(LookupError, TypeError):
            data = changed(path, value, data)
    assert agrees(data)


@given(st.sampled_from([path for path in places(TRUE) if path]), JSON)
def test_any_value_anywhere(path, value):
    assert agrees(changed(path, value, TRUE))


@pytest.mark.parametrize("count", [[["0x1", [0]]], [["0x80000", []]]], ids=["the length", "2^19"])
@pytest.mark.parametrize("inner", [[1], [1, 36]], ids=["open", "known"])
def test_a_power_that_is_too_long_to_be_written_out_is_in_no_rule(count, inner):
    """A rule that makes x tokens x b^R in R rounds, used in another rule: with R an unknown of that, or enormous."""
    data = towers(3, 1)
    found = data["rules"][0] | {"counts": [count, data["rules"][0]["counts"][0], [["0x2000000", []]]]}
    for moves in ([["rule", 0, 0]], [["rule", 0, 2], ["rule", 0, 1]], [["rule", 0, 0], ["rule", 0, 0]]):
        outer = found | {"stacks": [[inner], []], "moves": moves, "counts": [[["0x1", []]]], "many": None}
        for steps in (data["end"]["eos_steps"], "0x271", "0x1"):
            other = data | {"rules": [found, outer], "path": [["rule", 1, 0], ["rule", 0, None]]}
            other |= {"end": {"eos_steps": steps, "outcome": "proven non-halting"}}
            assert second(other) is None
            with pytest.raises(CertificateError):
                xn.check_certificate(other)


def test_only_eos_gives_a_verdict():
    """With a threshold below 0 every output is a verdict, but not before the word was read."""
    readout = {"name": "r", "activation": "identity", "bias": "-0x5", "linear": []}
    network = {
        "format": "exactnn network", "version": 1, "name": "n", "alphabet": ["a", "EOS"], "protocol": "EOS halt",
        "threshold": "-0x1", "full": None, "scalar_output": True, "initial_state": ["0x0"], "input_size": 2,
        "layers": [], "next_state": [0], "readout": [readout],
    }  # fmt: skip
    begin = {"eos_steps": 0, "state": 0, "stacks": []}
    data = TRUE | {"network": network, "word": ["a"], "states": [{"values": ["0"], "wanted": -1}], "edges": []}
    data |= {"rules": [], "begin": begin, "path": [], "end": {"eos_steps": 0, "outcome": "halted"}}
    assert second(data) is None
    with pytest.raises(CertificateError):
        xn.check_certificate(data)


SMALL_AND_ENORMOUS = {
    "squares of squares": {"rules": [rule("turned at y", [[[1]], []], 8, many=MANY | {"first": 64})]},
    "a residue of a long number": {
        "end": {"eos_steps": [{"constant": f"0x1/0x{'f' * 20_000}", "powers": []}], "outcome": "halted"}
    },
    "a base of a million bits": {
        "rules": [rule("turned at y", [[[1]], []], 8, many=MANY | {"bases": ["0x" + "f" * 200_000]})]
    },
    "a begin of a million limbs": {
        "begin": {"eos_steps": 0, "state": 5, "stacks": [[[1, "0x100000"], [0, "0x100000"]] * 9]}
    },
}


@pytest.mark.parametrize("case", SMALL_AND_ENORMOUS)
def test_little_that_asks_for_much_is_refused_at_once(case):
    with promptly():
        assert second(TRUE | SMALL_AND_ENORMOUS[case]) is None


def test_a_rule_that_multiplies_is_used_once_within_a_rule():
    """Also where the outer rule has no unknown, and where the inner one would go on for ever."""
    keys = {"state": 5, "whole": [True, True], "counts": [[["0x1", []]]], "many": None}
    inner = {**keys, "stacks": [[[1]], []], "moves": [["edges", 8]]}
    known = {**keys, "stacks": [[[1, "0xa"]], []], "moves": [["rule", 0, 0]]}
    data = TRUE | {"rules": [inner, known]}
    with pytest.raises(CertificateError, match="a length that is not open"):
        xn.check_certificate(data)
    assert second(data) is None


@pytest.mark.parametrize("text", ["", "null", "[]", "{", "[" * 100_000, '{"a": 1, "a": 1}', "NaN", '{"format": "x"}'])
def test_no_certificate_at_all(text):
    with pytest.raises(checker.NotProvenError):
        checker.check(text)


def test_the_command(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(TRUE))
    bad.write_text(json.dumps(changed(("end", "outcome"), "accepted", TRUE)))

    def asked(*arguments):
        return subprocess.run([sys.executable, "-I", str(PATH), *map(str, arguments)], capture_output=True, text=True)

    found = asked(good)
    assert (found.returncode, found.stdout) == (0, "proven: halted after 66 EOS steps\n")
    for refused in (asked(bad), asked(tmp_path / "none.json"), asked(tmp_path)):
        assert refused.returncode == 1
        assert refused.stderr.startswith("not proven: ")
    assert "python certificate_checker.py CERTIFICATE.json" in asked().stderr
