"""Sweep files of earlier versions become rows of a store."""

import json

import pytest

from exactnn.arithmetic import FLOAT16, FLOAT32
from exactnn.campaigns import Ledger
from exactnn.constructions import siegelmann_sontag
from exactnn.errors import CheckpointError
from exactnn.machine_files import load
from exactnn.precision import verdict_sweep
from exactnn.precision.judge import digest_of
from exactnn.precision.sweep_file import import_sweep_file

PALINDROME = siegelmann_sontag(load("palindrome"))
FORMATS = [FLOAT16, FLOAT32]


def old_file(path, found, words=1000, **header):
    """Write what version 0.1 wrote."""
    first = {
        "format": "exactnn verdict sweep", "version": 1, "network": digest_of(PALINDROME.network),
        "formats": [repr(format) for format in FORMATS], "words": words, "seed": 0, "max_steps": None,
    }  # fmt: skip
    lines = [first | header]
    for entry in found.lengths:
        names = ("length", "words", "every", "steps", "undecided", "wrong", "examples")
        lines.append({name: getattr(entry, name) for name in names})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_lengths_are_those_of_a_sweep_today(tmp_path):
    whole = verdict_sweep(PALINDROME, [0, 3, 11], FORMATS, store=tmp_path / "computed")
    old_file(tmp_path / "old", whole)
    assert import_sweep_file(tmp_path / "old", PALINDROME, tmp_path / "imported") == (3, 0)
    with Ledger(tmp_path / "computed") as one, Ledger(tmp_path / "imported") as other:
        assert [(u.key, u.identity, u.row) for u in one.all()] == [(u.key, u.identity, u.row) for u in other.all()]
    assert verdict_sweep(PALINDROME, [0, 3, 11], FORMATS, store=tmp_path / "imported") == whole
    with open(tmp_path / "old", "ab") as file:
        file.write(b'{"length":')  # whoever wrote it was killed
    assert import_sweep_file(tmp_path / "old", PALINDROME, tmp_path / "imported") == (3, 0)


def test_lengths_of_many_words_are_drawn_otherwise_today(tmp_path):
    old_file(tmp_path / "old", verdict_sweep(PALINDROME, [3, 11], FORMATS, words=2048), words=2048)
    assert import_sweep_file(tmp_path / "old", PALINDROME, tmp_path / "imported") == (1, 1)


def test_a_store_does_not_take_an_old_file(tmp_path):
    found = verdict_sweep(PALINDROME, [1], FORMATS)
    path = tmp_path / "old"
    path.write_text('{"format":"exactnn verdict sweep","version":1}\n')
    with pytest.raises(CheckpointError, match=r"'exactnn campaign import old NEW\.db' makes a ledger of it"):
        verdict_sweep(PALINDROME, [1], FORMATS, store=path)
    old_file(path, found, network="0")
    with pytest.raises(CheckpointError, match="of another network"):
        import_sweep_file(path, PALINDROME, tmp_path / "new")


@pytest.mark.parametrize(
    "text", ["", "notes\n", "{}\n", "[]\n", '{"format": "exactnn verdict sweep", "version": 1}\n', "[" * 100_000 + "\n"]
)
def test_what_is_no_sweep_file(tmp_path, text):
    (tmp_path / "old").write_text(text)
    with pytest.raises(CheckpointError, match="is no sweep file"):
        import_sweep_file(tmp_path / "old", PALINDROME, tmp_path / "new")
    with pytest.raises(CheckpointError, match="cannot be read"):
        import_sweep_file(tmp_path / "missing", PALINDROME, tmp_path / "new")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("length", "1"), ("words", True), ("steps", -1), ("every", 1), ("wrong", [3, 3]), ("undecided", None),
        ("examples", [["a"], None]), ("wrong", [1]),
    ],
)  # fmt: skip
def test_damaged_lines(tmp_path, field, value):
    old_file(tmp_path / "old", verdict_sweep(PALINDROME, [1], FORMATS))
    header, line = (tmp_path / "old").read_text().splitlines()
    (tmp_path / "old").write_text(f"{header}\n{json.dumps({**json.loads(line), field: value})}\n")
    with pytest.raises(CheckpointError, match="damaged"):
        import_sweep_file(tmp_path / "old", PALINDROME, tmp_path / "new")


def test_symbols_that_the_network_has_not(tmp_path):
    found = verdict_sweep(PALINDROME, [5], FORMATS)
    old_file(tmp_path / "old", found)
    (tmp_path / "old").write_text((tmp_path / "old").read_text().replace('"a"', '"x"'))
    with pytest.raises(CheckpointError, match="no symbols of"):
        import_sweep_file(tmp_path / "old", PALINDROME, tmp_path / "new")
