"""Names and values in two columns, for terminals and for files."""

import os
import sys

import click
import pytest
from rich.cells import cell_len

from exactnn.cli import printing

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
