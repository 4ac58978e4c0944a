"""Every block of code in the README, CONTRIBUTING.md and docs/ runs, and prints what the block after it says.

The blocks of a page run in their order, in one empty folder: commands find the files that the Python before them wrote.
What a command needs, and that it takes long, is said beside it, where readers see it: "(needs [plots], 3 min)". A
command runs with nothing installed but what is said to be needed, and one that is said to take long is not run.
"""

import contextlib
import doctest
import io
import os
import re
import sys
import time

import click
import pytest
from click.testing import CliRunner
from given_files import GIVEN
from page_blocks import LANGUAGES, PAGES, ROOT, blocks, code_spans, command_lines, commands, mark, prose
from public_names import extras

from exactnn.cli import main

LIBRARIES = {
    "automata": ["automata"],
    "cluster": ["distributed"],
    "flint": ["flint"],
    "learning": ["aalpy"],
    "onnx": ["onnx"],
    "plots": ["matplotlib"],
    "safetensors": ["safetensors"],
    "smt": ["z3"],
    "tables": ["polars"],
    "testing": ["exactnn.testing", "exactnn.strategies", "exactnn.cli.fuzz"],  # these need Hypothesis
    "torch": ["torch"],
}
"""What an extra is asked for by: modules that a run without it does not have."""
LONG = 60
"""Seconds of a processor; a command that takes as long, the first compilation included, has to say so."""
EXIT_CODES = {
    "exactnn plot space-time bb5 --max-steps 3000 --format float64 --format float32 -o space_time.svg": 3,  # a limit
}
NOT_OURS = {
    "pip": "changes what is installed",
    "python": "takes minutes or the network",
    "dot": "is Graphviz",
    "dask": "starts a cluster",
    "srun": "needs Slurm",
}
"""Programs that are not run; `test_commands_in_pages.py` looks at what is said to the first two."""
SPAN = re.compile(r"(?<!`)`(exactnn [^`]+)`(?!`)([^`]{0,40})")
PLACEHOLDER = re.compile(r"(?:^|[@./])[A-Z]+(?:[@./]|$)|\bmine:")
VARIABLES = {"FIRST": "1", "LAST": "2"}
"""What a job on a cluster has."""


def same(wanted, got):
    """Compare text line by line, but for blanks at the ends of lines; dots stand for anything."""
    wanted, got = ("".join(f"{line.rstrip()}\n" for line in text.splitlines()) for text in (wanted, got))
    return doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)


def run_dialogue(page, text, names):
    """Run a block that is written with the interpreter's prompts, in `names`."""
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
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
    printed, (extra, long) = "", mark(line)
    for before, words in commands(line):
        if before == ">":
            with open(words[0], "w", encoding="utf-8") as file:
                file.write(printed)
            printed = ""
        elif words[0] == "exactnn":
            arguments = [os.path.expandvars(word) for word in words[1:]]
            if long:
                context_of(arguments)
                continue
            if extra:
                assert run_command(arguments, None).exit_code not in (0, 3), f"{line} does not need [{extra}]"
            result = run_command(arguments, extra)
            assert result.exit_code == EXIT_CODES.get(without_comment(line), 0), f"{line}: {result.stderr}"
            printed += result.stdout
        else:
            assert words[0] in NOT_OURS, line
    return printed


def run_command(arguments, extra):
    """Run a command with the libraries of one extra, or of none."""
    with pytest.MonkeyPatch.context() as patch:
        for library in (name for other, names in LIBRARIES.items() if other != extra for name in names):
            for module in {library, *(name for name in sys.modules if name.startswith(f"{library}."))}:
                patch.setitem(sys.modules, module, None)
        begun = time.process_time()
        result = CliRunner().invoke(main, arguments)
    assert time.process_time() - begun < LONG, f"{arguments} takes long: say how long behind it, as in (2 min)"
    if result.exception is not None and not isinstance(result.exception, SystemExit | ImportError):
        raise result.exception
    return result


def context_of(arguments):
    """Return what click reads arguments as; raises an error of click for wrong ones."""
    command = main.get_command(None, arguments[0])
    return command.make_context(arguments[0], arguments[1:])


def without_comment(line):
    return line.split("  #")[0].strip()


def said_after_prompt(text):
    """Return what a dialogue shows of the output of its one command."""
    return text.split("\n", 1)[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page.name}: {block.text[:60]}"


NEEDED = {page: {block.needs for block in blocks(page) if block.needs} for page in PAGES if blocks(page)}
"""The libraries that blocks of a page need, and that are not among those of the tests."""


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("page", NEEDED, ids=lambda page: page.name)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    run_page(page, tmp_path, monkeypatch, libraries=())


@pytest.mark.needs_torch
@pytest.mark.parametrize(
    "page", [page for page, needed in NEEDED.items() if "torch" in needed], ids=lambda page: page.name
)
def test_the_code_that_needs_torch_runs(page, tmp_path, monkeypatch):
    run_page(page, tmp_path, monkeypatch, libraries=("torch",))


def run_page(page, tmp_path, monkeypatch, libraries):
    """Run the blocks of a page in their order; of those that need other libraries see that they can be compiled."""
    monkeypatch.chdir(tmp_path)
    for name, value in ({"COLUMNS": "100"} | VARIABLES).items():
        monkeypatch.setenv(name, value)
    for folder in ("benchmarks", "machines", "docs"):  # pages are read beside them
        (tmp_path / folder).symlink_to(ROOT / folder)
    GIVEN.get(page.name, lambda: None)()
    names, printed = {"__name__": "__main__"}, ""
    for block in blocks(page):
        if block.needs and block.needs not in libraries:
            said = doctest.DocTestParser().get_examples(block.text) if block.language == "pycon" else ()
            compile("".join(example.source for example in said) or block.text, str(page), "exec")
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


def test_the_lists_here_name_what_is_there():
    lines = {without_comment(line) for page in PAGES for block in blocks(page) for line in command_lines(block)}
    assert set(EXIT_CODES) <= lines
    assert set(GIVEN) <= {page.name for page in PAGES}
    assert set().union(*NEEDED.values()) == {"torch", "dask_jobqueue"}
    assert set(LIBRARIES) | {"notebooks", "experiments", "docs", "test"} == extras()


def commands_in_text():
    """Return the commands in the text of pages that can be run as they stand, with what is said behind them."""
    found = {}
    for page in [*PAGES, ROOT / "benchmarks" / "RESULTS.md"]:
        for span in SPAN.finditer(prose(page)):
            ((_, words), *_) = commands(code_spans(span.group())[0]) or [("", [])]
            if words[1:] not in ([], ["fuzz"]) and not any(map(PLACEHOLDER.search, words)):
                with contextlib.suppress(click.ClickException):  # a part of a command, as `exactnn verify`
                    context_of(words[1:])
                    found.setdefault(tuple(words[1:]), []).append((page.name, mark(span.group(2))))
    return found


IN_TEXT = commands_in_text()


@pytest.mark.parametrize("words", IN_TEXT, ids=" ".join)
def test_a_command_in_the_text_of_a_page_runs_or_says_what_it_takes(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages, marks = zip(*IN_TEXT[words], strict=True)
    if not any(long for _, long in marks):
        for extra in {extra for extra, _ in marks}:
            assert run_command(list(words), extra).exit_code in (0, 3), pages


def test_marks_are_read():
    assert mark("a  # b (needs [plots])") == ("plots", None)
    assert mark(" (needs `[torch]`, 20 s), or (a)") == ("torch", "20 s")
    assert mark("2 (here) and (3 min)") == (None, "3 min")
    assert mark("(1, 2) seconds, 3 s ()") == (None, None)


def test_there_are_commands_in_the_text_and_marks():
    lines = [line for page in PAGES for block in blocks(page) for line in command_lines(block)]
    assert sum(any(mark(line)) for line in lines) > 8
    assert len(IN_TEXT) > 4
