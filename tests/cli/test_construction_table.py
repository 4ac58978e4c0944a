"""The table of constructions: true of the networks, and the page in the documentation is what it prints."""

import json
from pathlib import Path

import pytest

import exactnn
from exactnn import CONSTRUCTIONS, ConstructionRow, construction_table
from exactnn.errors import ExactnnError, OptionError
from exactnn.table_of_constructions import construction_page

DOCS = Path(exactnn.__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def rows():
    return {(row.machine, row.construction): row for row in construction_table()}


def test_every_construction_is_in_it(rows):
    assert CONSTRUCTIONS.keys() == {construction for _, construction in rows}, "EXAMPLES has no machine for it"


def test_units_are_those_of_the_formulas(rows):
    """With the numbers of each machine by hand: states, symbols, stacks, and what reading a word adds."""
    units = {key: row.units for key, row in rows.items()}
    assert units["parity", "minsky"] == 1 + 2 * 2
    assert units["divisible-by-3", "minsky"] == 1 + 3 * 2
    assert units["parity", "state_grid"] == min((2 + 1) * 1 + 2 - 2, (2 + 1) * 2 + 2 - 2)
    assert units["bb4", "chung_siegelmann"] == 2 * 2 + 2 + 4 * 2 + 5 + 1
    assert units["bb4", "carmantini"] == 2 + 4 * 2 + 2 + 2 * 4 * 2**2 + 4
    assert units["counting", "second_order_network"] == 2
    stacks, symbols, states, halting = 2, 2, 2, 2
    assert units["anbn-stacks", "real_time_stacks"] == (
        (states + halting) * (symbols + 1) ** (2 * stacks) + symbols * (symbols + 2) * stacks + 2 + 2
    )
    assert units["anbn-stacks", "layered_stacks"] == (
        stacks * symbols + states * (symbols + 1) ** stacks + stacks * (symbols + 2) + states + halting + stacks + 2 + 2
    )
    boxes = 3 + 2  # of "as" three readings, of "bs" two do something; on all others they reject
    assert units["anbn-stacks", "merged_stacks"] == (
        stacks * symbols + boxes + stacks * (symbols + 2) + states + halting + stacks + 2 + 2
    )


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
