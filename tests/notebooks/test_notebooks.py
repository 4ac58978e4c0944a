"""Every notebook runs from a clean kernel, and gives what is stored in it.

A cell with the tag `varies` (times, pictures of matplotlib) has to run without an error; of every other cell what it
prints, its texts and the SVG and HTML of our own have to be those that are stored.
"""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from exactnn.notices import COMPILING

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from hosted import address, address_of_builder, badge, install_cell, with_beginning  # noqa: E402

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
COMPARED = ("text/plain", "text/html", "image/svg+xml")
LARGEST_FILE = 500_000


def read(path):
    return nbformat.read(path, as_version=4)


def executed(path, target):
    """Return the notebook with what it gives now, from a kernel of this interpreter."""
    command = [sys.executable, str(Path(__file__).with_name("execute_notebook.py")), str(path), str(target)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return read(target)


def is_compared(cell):
    return cell.cell_type == "code" and "varies" not in cell.metadata.get("tags", [])


def shown(cell):
    """Return what a cell printed on each stream, and what it showed."""
    printed, displayed = {}, []
    for output in cell.outputs:
        if output.output_type == "stream":
            text = output.text.replace(f"{COMPILING}\n", "")  # a slow machine says so
            if text:
                printed[output.name] = printed.get(output.name, "") + text
        else:
            displayed.append({kind: output.data[kind] for kind in COMPARED if kind in output.data})
    return printed, displayed


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_is_stored_in_it(path, tmp_path):
    was, now = read(path), executed(path, tmp_path / path.name)
    for old, new in zip(was.cells, now.cells, strict=True):
        if is_compared(old):
            assert shown(new) == shown(old), old.source


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_it_should_be(path):
    notebook, text = read(path), path.read_text(encoding="utf-8")
    nbformat.validate(notebook)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert len(text) < LARGEST_FILE
    assert notebook.cells[0].cell_type == "markdown"
    assert notebook.cells[0].source.startswith("# ")
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"}, "metadata of an editor or a time"
        assert cell.source.strip()
        if cell.cell_type == "code":
            assert cell.execution_count, "a cell was not run"
    assert [c.execution_count for c in notebook.cells if c.cell_type == "code"] == list(
        range(1, 1 + sum(c.cell_type == "code" for c in notebook.cells))
    ), "not run once from top to bottom"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_outputs_name_no_place_and_no_error(path):
    for cell in read(path).cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", "a warning or a note"
            text = json.dumps(output.get("data", output.get("text", "")))
            assert not any(place in text for place in ("/home/", "/tmp/", "/Users/", "C:\\\\", " at 0x")), cell.source


def test_what_differs_is_found():
    """A stored output that is not what the cell gives must not pass."""
    cell = nbformat.v4.new_code_cell("print(1)", outputs=[nbformat.v4.new_output("stream", name="stdout", text="1\n")])
    other = nbformat.v4.new_code_cell("print(1)", outputs=[nbformat.v4.new_output("stream", name="stdout", text="2\n")])
    assert is_compared(cell)
    assert shown(cell) != shown(other)
    assert shown(cell) == ({"stdout": "1\n"}, [])


def test_the_axes_of_a_trace_are_said_as_they_are_drawn():
    """`Trace` draws steps downwards and neurons across."""
    said = [
        before.source
        for path in NOTEBOOKS
        for before, cell in pairwise(read(path).cells)
        if "a row for each" in before.source and 'aria-label=\\"trace\\"' in json.dumps(cell.get("outputs", ""))
    ]
    assert said
    assert all("a row for each step, a column for each neuron" in text for text in said)


def sentence_asked(notebook):
    """Return the heading of a notebook, or the sentence below it, whichever asks."""
    heading, *rest = [part for part in notebook.cells[0].source.split("\n\n") if not part.startswith("[![")]
    asked = [part.strip("#* \n") for part in (heading, rest[0])]
    return next((text for text in asked if "?" in text.partition(". ")[0]), None)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_opens_with_the_question_that_it_answers(path):
    assert sentence_asked(read(path))


def test_a_notebook_without_a_question_is_found():
    cell = nbformat.v4.new_markdown_cell
    assert sentence_asked(nbformat.v4.new_notebook(cells=[cell("# Counting\n\nAn LSTM can count. Can it?")])) is None
    assert sentence_asked(nbformat.v4.new_notebook(cells=[cell("# Counting\n\n[![a](b)](c)\n\n**Who counts?**\n\nX.")]))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_first_that_a_notebook_shows_is_a_picture(path):
    shown_first = next(cell.outputs for cell in read(path).cells if cell.get("outputs"))
    assert any(kind.startswith("image/") for output in shown_first for kind in output.get("data", {}))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_begins_as_on_a_hosted_service(path):
    notebook = read(path)
    before = [cell.source for cell in notebook.cells]
    assert [cell.source for cell in with_beginning(notebook, path.name, address()).cells] == before
    assert not notebook.cells[1].outputs, "nothing happens where exactnn is installed"


def test_badges_are_there_where_the_address_is_one_that_colab_opens():
    repository = "https://github.com/someone/exactnn"
    opened = "(https://colab.research.google.com/github/someone/exactnn/blob/main/notebooks/a.ipynb)"
    assert badge(repository, "a.ipynb").endswith(opened)
    assert badge(f"{repository}/", "a.ipynb").endswith(opened)
    assert badge(None, "a.ipynb") is badge("https://example.org/exactnn", "a.ipynb") is None
    assert '"exactnn[plots] @ git+https://github.com/someone/exactnn"' in install_cell(repository)
    assert '"exactnn[plots]"' in install_cell(None)


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"READTHEDOCS_GIT_CLONE_URL": "https://github.com/someone/exactnn.git"}, "https://github.com/someone/exactnn"),
        ({"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "a/b"}, "https://github.com/a/b"),
        ({"GITHUB_REPOSITORY": "a/b"}, None),
        ({}, None),
    ],
)
def test_a_builder_of_the_site_says_where_its_sources_come_from(environment, found):
    assert address_of_builder(environment) == found


def test_the_notebooks_of_a_site_have_the_badge_of_its_sources(monkeypatch):
    from generated_pages import notebooks

    monkeypatch.setattr("generated_pages.address", lambda: None)
    monkeypatch.delenv("READTHEDOCS_GIT_CLONE_URL", raising=False)
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    without = notebooks()
    monkeypatch.setenv("READTHEDOCS_GIT_CLONE_URL", "https://github.com/someone/exactnn.git")
    for name, text in notebooks().items():
        first = nbformat.reads(text, as_version=4).cells[0].source
        assert badge("https://github.com/someone/exactnn", name) in first
        assert "colab-badge" not in without[name]


def test_an_address_that_comes_later_changes_the_beginning_only():
    cells = [nbformat.v4.new_markdown_cell("# A\n\nWhy?"), nbformat.v4.new_code_cell("1")]
    notebook = with_beginning(nbformat.v4.new_notebook(cells=cells), "a.ipynb", None)
    assert [cell.source for cell in notebook.cells] == ["# A\n\nWhy?", install_cell(None), "1"]
    repository = "https://github.com/someone/exactnn"
    for _ in range(2):
        notebook = with_beginning(notebook, "a.ipynb", repository)
        first, install, rest = [cell.source for cell in notebook.cells]
        assert first.split("\n\n") == ["# A", badge(repository, "a.ipynb"), "Why?"]
        assert (install, rest) == (install_cell(repository), "1")


@pytest.mark.slow
def test_the_cell_installs_where_exactnn_is_missing():
    pytest.importorskip("IPython")
    source = install_cell(None).replace("exactnn", "no_such_package_at_all")
    code = (
        "import sys; from IPython.core.interactiveshell import InteractiveShell as S; s = S();"
        "s.run_line_magic = lambda name, line, **_: print('ASKED', name, line); s.run_cell(sys.argv[1])"
    )
    asked = [
        subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True).stdout
        for text in (source, install_cell(None))
    ]
    assert "ASKED pip install --quiet" in asked[0]
    assert asked[1] == ""
