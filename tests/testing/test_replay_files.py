"""Replay files keep what they are given, and every fault of one is named with its line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import arithmetic_to_json
from exactnn.errors import MachineFileError, OptionError
from exactnn.outcome import Outcome
from exactnn.strategies import dfas, float_formats, turing_machines, words
from exactnn.testing import Disagreement, Rules, load_replay, read_replay, replay_text, save_replay

MACHINES = st.one_of(dfas(), turing_machines())
RULES = st.builds(
    Rules,
    arithmetic=st.one_of(st.sampled_from([xn.EXACT, xn.RATIONAL, xn.FLOAT16]), float_formats()),
    by=st.sampled_from(["outcome", "configuration"]),
    max_moves=st.integers(1, 10**6),
    slowdown=st.integers(1, 100),
)


@given(machine=MACHINES, rules=RULES, data=st.data())
def test_what_is_written_is_read(machine, rules, data):
    found = Disagreement(
        machine=machine,
        word=data.draw(words(machine.input_symbols, max_size=5)),
        construction=data.draw(st.sampled_from(["minsky", "mine:net", "a: b # c"])),
        rules=rules,
        expected=data.draw(st.sampled_from(Outcome)),
        moves=1,
        found=data.draw(st.sampled_from(["accepted", "raised E: 'x\\n\"'"])),
        steps=2,
    )
    replay = read_replay(replay_text(found))
    assert (replay.machine, replay.word, replay.construction) == (machine, found.word, found.construction)
    assert (replay.rules, replay.expected, replay.found) == (rules, str(found.expected), found.found)


GOOD = """format: exactnn replay 1
construction: minsky
arithmetic: exact
word: [a]
machine: |
  kind: dfa
  start state: q
  final states: [q]
  table:
    q: {a: q}
"""


def test_the_least_that_a_file_has(tmp_path):
    path = tmp_path / "r.yaml"
    path.write_text(GOOD)
    assert load_replay(path).word == ("a",)
    assert load_replay(path).rules == Rules()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("exactnn replay 1", "exactnn replay 2", "line 1: it is no replay file"),
        ("construction: minsky\n", "", "line 1: 'construction:' is missing"),
        ("arithmetic: exact", "arithmetic: float15", "line 3: 'arithmetic:'"),
        ("arithmetic: exact", "arithmetic: '{\"kind\": 1}'", "line 3: 'arithmetic:' .* is no arithmetic"),
        ("arithmetic: exact", f"arithmetic: '{'[' * 10**5}'", "line 3: 'arithmetic:'"),
        ("word: [a]", "word: a", "line 4: 'word:' is a list"),
        ("word: [a]", "word: [b]", "line 4: 'word:' .*b"),
        ("word: [a]", "word: [a]\nby: luck", "line 5: 'by:' is 'luck'"),
        ("word: [a]", "word: [a]\nmax moves: 0", "max_moves=0"),
        ("word: [a]", "word: [a]\nslowdown: -1", "line 5: 'slowdown:' is '-1'"),
        ("word: [a]", "word: [a]\nwrod: [a]", "unknown key 'wrod'"),
        ("q: {a: q}", "q: {a: r}", "line 5: 'machine:' "),
        (GOOD, "", "there is no replay in it"),
        (GOOD, "[a]", "is a mapping"),
    ],
)
def test_faults(old, new, message):
    with pytest.raises(MachineFileError, match=message):
        read_replay(GOOD.replace(old, new))


def test_a_large_text_is_refused():
    with pytest.raises(MachineFileError, match="the limit is 1048576"):
        read_replay(GOOD + "#" * (1 << 20))


def test_a_file_that_cannot_be_written(tmp_path):
    replay = read_replay(GOOD)
    found = Disagreement(
        machine=replay.machine,
        word=(),
        construction="minsky",
        rules=replay.rules,
        expected=Outcome.ACCEPTED,
        moves=0,
        found="x",
        steps=0,
    )
    with pytest.raises(OptionError, match="cannot be written"):
        save_replay(found, tmp_path / "nowhere" / "r.yaml")
    with pytest.raises(OptionError, match="cannot be written"):
        save_replay(found, "a\0b")


def test_the_name_of_an_arithmetic_reaches_no_terminal():
    data = arithmetic_to_json(xn.FLOAT16) | {"name": "\x1b[2J"}
    with pytest.raises(MachineFileError, match=r"line 3: 'arithmetic:' name of an arithmetic is .*cannot be printed"):
        read_replay(GOOD.replace("arithmetic: exact", f"arithmetic: {json.dumps(json.dumps(data))}"))
