"""Every block of code in the README, CONTRIBUTING.md and docs/ runs, and prints what the block after it says.

The blocks of a page run in their order, in one empty folder: commands find the files that the Python before them wrote.
"""

import contextlib
import doctest
import importlib.util
import io
import os

import pytest
from click.testing import CliRunner
from given_files import GIVEN
from page_blocks import LANGUAGES, PAGES, ROOT, blocks, command_lines, commands

from exactnn.cli import main

ONLY_READ = {
    "exactnn threshold palindrome --lengths 1:200 --file sweep.jsonl --plot map.png": "takes minutes",
    "exactnn threshold palindrome --lengths 1:200 --precision 2:64 --file sweep.jsonl": "takes minutes",
}
"""Commands that are not run, and why: that their options exist is all that is tested."""
EXIT_CODES = {
    "exactnn plot space-time bb5 --max-steps 3000 --format float64 --format float32 -o space_time.svg": 3,  # a limit
}
NOT_OURS = {"pip": "changes what is installed", "python": "takes minutes or the network", "dot": "is Graphviz"}
"""Programs that are not run; `test_commands_in_pages.py` looks at what is said to the first two."""
VARIABLES = {"FIRST": "1", "LAST": "2"}
"""What a job on a cluster has."""


def same(wanted, got):
    """Compare text line by line, but for blanks at the ends of lines; dots stand for anything."""
    wanted, got = ("".join(f"{line.rstrip()}\n" for line in text.splitlines()) for text in (wanted, got))
    return doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)


def run_dialogue(page, text, names):
    """Run a block that is written with the interpreter's prompts, in `names`."""
    runner = doctest.DocTestRunner(verbose=False)
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    report = []
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert runner.tries
    assert not runner.failures, "".join(report)


def run_script(page, text, names):
    """Run a block of Python in `names`, and return what it printed."""
    code = compile(text, str(page), "exec")
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(code, names)
    return stream.getvalue()


def run_line(line):
    """Run the commands of a line that are ours, and return what they printed and did not write to a file."""
    printed = ""
    for before, words in commands(line):
        if before == ">":
            with open(words[0], "w", encoding="utf-8") as file:
                file.write(printed)
            printed = ""
        elif words[0] == "exactnn":
            arguments = [os.path.expandvars(word) for word in words[1:]]
            if line.split("  #")[0].strip() in ONLY_READ:
                main.get_command(None, arguments[0]).make_context(arguments[0], arguments[1:])
                continue
            result = CliRunner().invoke(main, arguments)
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            assert result.exit_code == EXIT_CODES.get(line, 0), f"{line}: {result.stderr}"
            printed += result.stdout
        else:
            assert words[0] in NOT_OURS, line
    return printed


def said_after_prompt(text):
    """Return what a dialogue shows of the output of its one command."""
    return text.split("\n", 1)[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page.name}: {block.text[:60]}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in ({"COLUMNS": "100"} | VARIABLES).items():
        monkeypatch.setenv(name, value)
    for folder in ("benchmarks", "machines", "docs"):  # pages are read beside them
        (tmp_path / folder).symlink_to(ROOT / folder)
    GIVEN.get(page.name, lambda: None)()
    names, printed = {"__name__": "__main__"}, ""
    for block in blocks(page):
        if block.needs and importlib.util.find_spec(block.needs) is None:
            compile(block.text, str(page), "exec")
        elif block.language == "python":
            printed = run_script(page, block.text, names)
        elif block.language == "pycon":
            run_dialogue(page, block.text, names)
        elif block.language in ("sh", "console"):
            printed = "".join(run_line(line) for line in command_lines(block))
            if block.language == "console":
                assert same(said_after_prompt(block.text), printed), f"{page.name} says otherwise: {printed}"
        elif block.printed:
            assert same(block.text, printed), f"{page.name} says otherwise: {printed}"


def test_what_is_only_read_is_there():
    lines = {line.split("  #")[0].strip() for page in PAGES for block in blocks(page) for line in command_lines(block)}
    assert set(ONLY_READ) | set(EXIT_CODES) <= lines
    assert set(GIVEN) <= {page.name for page in PAGES}
