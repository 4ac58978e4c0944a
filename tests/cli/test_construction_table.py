"""The table of constructions: true of the networks, and the page in the documentation is what it prints."""

import json
import re
from pathlib import Path

import pytest

import exactnn
from exactnn import CONSTRUCTIONS, ConstructionRow, construction_table
from exactnn.constructions.compile import REGISTERED
from exactnn.errors import ExactnnError, OptionError
from exactnn.table_of_constructions import construction_page

DOCS = Path(exactnn.__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def rows():
    return {(row.machine, row.construction): row for row in construction_table()}


def test_every_construction_is_in_it(rows):
    assert CONSTRUCTIONS.keys() == {construction for _, construction in rows}, "EXAMPLES has no machine for it"


STACKS = {"Q": 2, "h": 2, "m": 2, "p": 2}
SIZES = {
    "minsky": ("divisible-by-3", {"Q": 3, "m": 2}, 0),
    "minsky_moore": ("cycle-navigation", {"Q": 5, "m": 3}, 0),
    "minsky_mealy": ("edges", {"Q": 2, "m": 2}, 0),
    "state_grid": ("divisible-by-3", {"m": 2, "C": 1, "R": 3}, 0),
    "siegelmann_sontag": ("bb4", {"Q": 4, "m": 2, "P": 7, "H": 1, "h": 1}, 0),
    "chung_siegelmann": ("bb4", {"Q": 4, "m": 2, "h": 1}, 0),
    "carmantini": ("bb4", {"Q": 4, "m": 2, "h": 1}, 0),
    "real_time_stacks": ("anbn-stacks", STACKS, 2 + 2),
    "layered_stacks": ("anbn-stacks", STACKS, 2 + 2),
    "merged_stacks": ("anbn-stacks", STACKS | {"R": 3 + 2}, 2 + 2),  # boxes: three readings of "as", two of "bs"
    "second_order_network": ("counting", {"Q": 2}, 0),
}
"""By construction a machine, what the letters of its formula are there, by hand, and what reading a word adds."""

OTHERWISE = {"siegelmann_sontag_book", "lstm_counter"}
"""Their sizes are compared below and in `test_network_sizes.py`; the text of these two formulas nothing reads."""


def value(formula, letters):
    """Return a formula of the page, up to its first comma: factors stand side by side."""
    text = formula.removeprefix("least ").split(" over ")[0].split(",")[0]
    text = text.replace("ceil(log2 Q)", str((letters.get("Q", 1) - 1).bit_length()))
    text = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", text).replace("^", "**")
    assert re.fullmatch(r"[\w\s()+*-]+", text), text
    return eval(text, {"__builtins__": {}}, letters)


@pytest.mark.parametrize("name", sorted(REGISTERED.keys() - OTHERWISE))
def test_units_are_those_of_the_formulas(rows, name):
    assert name in SIZES, f"{name}: enter a machine and the letters of its formula in SIZES"
    machine, letters, reading = SIZES[name]
    assert rows[machine, name].units == value(REGISTERED[name].units, letters) + reading


def test_cells_of_counter_machines(rows):
    """a^n b^n: the pairs (as, 0), (as, +1), (bs, -1), (reject, 0), each with the masks 0 and 1."""
    assert rows["anbn-counter", "lstm_counter"].neurons == 2 * (1 + 4 * 1 + (2 + 1) * 4 * 2)


def test_steps_are_those_of_the_halting_times(rows):
    word = "a" * 10 + "b" * 10
    real_time, small = (rows["anbn", name] for name in ("siegelmann_sontag", "chung_siegelmann"))
    moves = real_time.steps - 2 * len(word) - 2
    assert (real_time.word, small.word) == (word, word)
    assert small.steps == len(word) + 3 * moves + 2
    assert rows["bb4", "siegelmann_sontag"].steps == 107
    assert rows["bb4", "chung_siegelmann"].steps == 3 * 107
    assert rows["bb4", "carmantini"].steps == 107
    assert rows["anbn", "carmantini"].steps == len(word) + moves + 1


def test_the_page_is_what_it_prints(rows):
    same = (DOCS / "constructions.md").read_text(encoding="utf-8") == construction_page(rows.values())
    assert same, "write the page anew: exactnn constructions --markdown > docs/constructions.md"


def test_on_the_command_line(invoke, rows):
    found = json.loads(invoke("constructions", "parity", "--json").stdout)["constructions"]
    assert [ConstructionRow(**row) for row in found] == [row for key, row in rows.items() if key[0] == "parity"]
    assert "minsky" in invoke("constructions", "parity").stdout
    assert "(empty)" in invoke("constructions", "bb2").stdout
    assert invoke("constructions", "no-such-machine").exit_code == 2
    assert invoke("constructions", "--json", "--markdown").exit_code == 2


def test_it_is_saved(invoke, rows, tmp_path):
    file = tmp_path / "table.json"
    assert invoke("constructions", "parity", "-o", str(file)).exit_code == 0
    assert [row["neurons"] for row in json.loads(file.read_text(encoding="utf-8"))] == [
        row.neurons for key, row in rows.items() if key[0] == "parity"
    ]


def test_what_is_no_machine():
    with pytest.raises(ExactnnError, match="no such machine"):
        construction_table("no-such-machine")
    with pytest.raises(OptionError, match="names of machines"):
        construction_table(5)
