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

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")

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
            printed[output.name] = printed.get(output.name, "") + output.text
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
