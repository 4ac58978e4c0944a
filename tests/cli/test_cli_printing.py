"""Names and values in two columns, for terminals and for files."""

import os
import sys

import click
import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from exactnn.cli import printing
from exactnn.cli.program import main

FIELDS = {
    "machine": "parity",
    "cycle": "",
    "outcome": "halted: the machine halted; it is not one that accepts or rejects",
    "digits": "1234567890" * 5,
    "word": "漢字" * 20,
    "blanks": " " * 40,
    "file": "my  file   with  spaces inside  and.json",
    "漢字": "wide",
}
INDENT = len("machine  ")


def shown(fields, monkeypatch, capsys, columns):
    monkeypatch.setattr(printing, "get_terminal_size", lambda: os.terminal_size((columns, 24)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: columns > 0)
    printing.emit_fields(fields)
    return click.unstyle(capsys.readouterr().out).splitlines()


def padded(name):
    return name + " " * (INDENT - cell_len(name))


def test_a_file_gets_a_line_for_each_value(monkeypatch, capsys):
    lines = shown(FIELDS, monkeypatch, capsys, 0)
    assert lines == [padded(name) + value for name, value in FIELDS.items() if value]


@pytest.mark.parametrize("columns", [9, 12, 20, 30, 80])
def test_a_terminal_gets_no_line_that_is_too_long_and_every_symbol(monkeypatch, capsys, columns):
    for name, value in list(FIELDS.items())[2:]:
        lines = shown({"machine": "m", name: value}, monkeypatch, capsys, columns)[1:]
        heads = [padded(name), *[" " * INDENT] * (len(lines) - 1)]
        assert all(line.startswith(head) for line, head in zip(lines, heads, strict=True))
        assert all(cell_len(line) <= max(columns, INDENT + 2) for line in lines)  # a symbol takes up to two cells
        assert "".join(line[len(head) :] for line, head in zip(lines, heads, strict=True)) == value


def test_words_stay_whole_where_they_fit(monkeypatch, capsys):
    lines = shown(FIELDS, monkeypatch, capsys, 30)
    words = ["halted: the machine", "halted; it is not one", "that accepts or", "rejects"]
    assert [line[INDENT:].strip() for line in lines[1:5]] == words


def test_nothing_to_show(capsys):
    printing.emit_fields({"cycle": ""})
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("run palindrome abba", "steps"),
        ("compare parity parity@e4m3", "pairs of states"),
        ("extract gated_counter --format e4m3", "found, "),
        ("collapse lstm_anbn ab aabb --format e4m3", "1 of 2 words"),
        ("fuzz parity --seconds 1", "compared"),
    ],
)
def test_logs_get_a_line_after_a_minute(monkeypatch, command, line):
    quiet = CliRunner().invoke(main, command.split())
    assert "after" not in quiet.stderr
    monkeypatch.setattr(printing, "FIRST_LINE", 0)
    done = CliRunner().invoke(main, command.split())
    assert done.exit_code == quiet.exit_code
    assert "after 0 s" not in done.stdout
    assert any(said.startswith("exactnn: after ") and line in said for said in done.stderr.splitlines())


def test_a_log_that_nobody_can_write_costs_no_result(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(printing, "FIRST_LINE", 0)
    monkeypatch.setattr(printing.click, "echo", full)
    printing.Log()(lambda: "words")


def test_lines_come_ever_more_rarely(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(printing.time, "monotonic", lambda: now[0])
    log = printing.Log()
    for second in range(1000):
        now[0] = float(second)
        log(lambda: "words")
    assert capsys.readouterr().err.splitlines() == [f"exactnn: after {n} s: words" for n in (60, 120, 240, 480, 960)]
