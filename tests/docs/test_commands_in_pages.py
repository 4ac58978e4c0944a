"""Commands that pages name in passing, or that are not run: they exist, with their options, scripts and extras."""

import ast
import re

import pytest
from page_blocks import PAGES, ROOT, blocks, code_spans, command_lines, commands, prose, text_of
from public_names import extras

from exactnn import plots
from exactnn.cli import main

READ = [*PAGES, ROOT / "benchmarks" / "RESULTS.md", ROOT / "machines" / "README.md"]
SCRIPT = re.compile(r"(?<!tests/)benchmarks/\w+\.py")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def said_commands(page):
    """Return all commands of a page, as lists of words."""
    lines = [line for block in blocks(page) if block.language in ("sh", "console") for line in command_lines(block)]
    lines += [span for span in code_spans(prose(page)) if re.match(r"(exactnn|python|pip) ", span)]
    return [words for line in lines for before, words in commands(line) if before != ">"]


def options_of_program(words):
    """Return the options of the command of `exactnn` that `words` begin with."""
    command = main.get_command(None, words[0])
    assert command is not None, words
    for word in words[1:]:
        if not hasattr(command, "commands"):
            break
        assert word in command.commands, words
        command = command.commands[word]
    return {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts} | {"--help"}


def options_of_script(path):
    """Return the options that a script of benchmarks/ declares, itself or with others, without running it."""
    text = path.read_text(encoding="utf-8")
    if "@work_options" in text:
        text += "\n" + path.with_name("long_work.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {option for word in words for option in word.split("/") if OPTION.fullmatch(option)} | {"--help"}


def test_the_page_of_the_command_line_names_every_command():
    page = text_of(ROOT / "docs" / "command_line.md")
    missing = [name for name in main.list_commands(None) if f"exactnn {name}" not in page]
    assert not missing, f"{missing}: say in docs/command_line.md what they do"


def test_the_pages_of_pictures_name_every_picture():
    """Pictures stand in the table for papers, and pages one plays with in that of pictures."""
    for page, ending in (("figures.md", r"plot_|.*_film$"), ("precision_pictures.md", r".*_page$|tape_player")):
        text = text_of(ROOT / "docs" / page)
        missing = [name for name in plots.__all__ if re.match(ending, name) and name not in text]
        assert not missing, f"{missing}: enter a row in docs/{page}"


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_commands_and_their_options_exist(page):
    for words in said_commands(page):
        if words[0] == "exactnn" and len(words) > 1 and not words[1].startswith("-"):
            given = {word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word)}
            assert given <= options_of_program(words[1:]), words


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_scripts_and_their_options_exist(page):
    for name in SCRIPT.findall(text_of(page)):
        assert (ROOT / name).is_file(), name
    scripts = [words for words in said_commands(page) if len(words) > 1 and SCRIPT.fullmatch(words[1])]
    scripts += [["python", *span.split()] for span in code_spans(prose(page)) if SCRIPT.match(span)]
    for words in scripts:
        given = {word for word in words if OPTION.fullmatch(word)}
        assert given <= options_of_script(ROOT / words[1]), words


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_extras_exist(page):
    named = re.findall(r"(?:exactnn|\.)\[([\w,]+)\]\"|needs `?\[(\w+)\]", text_of(page))
    assert {extra for names in named for extra in ",".join(filter(None, names)).split(",")} <= extras()


def test_there_is_something_to_look_at():
    words = [words for page in READ for words in said_commands(page)]
    assert sum(one[0] == "exactnn" for one in words) > 60
    assert sum(one[0] == "python" for one in words) > 20
