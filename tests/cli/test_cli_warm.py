"""What ``exactnn warm`` compiles is all that the commands of the README need."""

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from exactnn.notices import COMPILING, listening, tell

README = Path(__file__).parents[2] / "README.md"
RUNS = ("run bb5", "run anbn aabb --format q8.24", "run anbn aabb --format bfloat16")
MORE = ("errata E1", "threshold palindrome abba", *RUNS)
HEARD = """
import sys
from exactnn.cli.program import main
from exactnn.notices import listening

heard = []
for command in sys.argv[1:]:
    with listening(lambda what: heard.append((command, what))):
        try:
            main(command.split("|"))
        except SystemExit:
            pass
print(heard, file=sys.stderr)
"""


def commands():
    lines = [line.partition("#")[0].strip() for line in README.read_text().splitlines() if line.startswith("exactnn ")]
    return [shlex.split(line)[1:] for line in [*lines, *(f"exactnn {line}" for line in MORE)]]


@pytest.mark.parametrize("cache", ["used", pytest.param("new", marks=pytest.mark.by_hand)])
def test_after_it_no_command_of_the_readme_compiles(cache, tmp_path):
    """Where no kernel is compiled yet, as in the first tests of a new environment, the cache that is used is new."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": str(tmp_path)} if cache == "new" else {})

    def called(*arguments):
        return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True)

    warm = (sys.executable, "-m", "exactnn", "warm")
    assert "kernels were compiled" in called(*warm).stdout  # or "all kernels were compiled before"
    assert called(*warm).stdout == "all kernels were compiled before\n"
    assert len(commands()) > len(MORE) + 3
    heard = called(sys.executable, "-c", HEARD, *map("|".join, commands())).stderr
    assert heard.splitlines()[-1] == "[]"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class BelowACell(io.StringIO):
    __module__ = "ipykernel.iostream"


@pytest.mark.parametrize("stream", [Terminal, BelowACell])
def test_a_person_at_a_terminal_or_in_a_notebook_is_told_once(monkeypatch, stream):
    monkeypatch.setattr("exactnn.notices._said", [])
    monkeypatch.setattr(sys, "stderr", stream())
    with listening([].append):
        tell("one")
    assert sys.stderr.getvalue() == ""
    tell("two")
    tell("three")
    assert sys.stderr.getvalue() == f"{COMPILING}\n"


def test_what_is_no_terminal_is_told_nothing(monkeypatch):
    monkeypatch.setattr("exactnn.notices._said", [])
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        tell("one")
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    tell("two")
    assert stream.getvalue() == ""


def test_listeners_hear_what_begins_while_they_listen():
    first, second = [], []
    with listening(first.append):
        tell("one")
        with listening(second.append):
            tell("two")
    tell("three")
    assert (first, second) == (["one", "two"], ["two"])
