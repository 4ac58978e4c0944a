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
}


def shown(fields, monkeypatch, capsys, columns):
    monkeypatch.setattr(printing, "get_terminal_size", lambda: os.terminal_size((columns, 24)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: columns > 0)
    printing.emit_fields(fields)
    return click.unstyle(capsys.readouterr().out).splitlines()


def test_a_file_gets_a_line_for_each_value(monkeypatch, capsys):
    lines = shown(FIELDS, monkeypatch, capsys, 0)
    assert [line.split(maxsplit=1) for line in lines] == [[name, value] for name, value in FIELDS.items() if value]
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.parametrize("columns", [9, 12, 20, 30, 80])
def test_a_terminal_gets_no_line_that_is_too_long_and_every_symbol(monkeypatch, capsys, columns):
    lines = shown(FIELDS, monkeypatch, capsys, columns)
    widest = max(columns, len("machine  ") + 2)  # a symbol takes up to two cells
    assert all(cell_len(line) <= widest for line in lines)
    told = "".join(line[len("machine  ") :] for line in lines).replace(" ", "")
    assert told == "".join(FIELDS.values()).replace(" ", "")
    assert [line.split()[0] for line in lines if line[0] != " "] == [name for name, value in FIELDS.items() if value]


def test_words_stay_whole_where_they_fit(monkeypatch, capsys):
    lines = shown(FIELDS, monkeypatch, capsys, 30)
    assert [line[9:] for line in lines[1:5]] == [
        "halted: the machine",
        "halted; it is not one",
        "that accepts or",
        "rejects",
    ]


def test_nothing_to_show(capsys):
    printing.emit_fields({"cycle": ""})
    assert capsys.readouterr().out == ""
