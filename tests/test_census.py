"""The census of small machines: the published numbers, each machine as a network, and all of its parts as units."""

import json
import random

import pytest

import exactnn as xn
from exactnn import census as census_module
from exactnn.automata.halting import halting_of
from exactnn.campaigns import Processes
from exactnn.census import _table_of_text, _text
from exactnn.errors import CheckpointError, OptionError
from tests.campaigns.pieces import forge

halting_census = xn.halting_census


@pytest.mark.parametrize(
    ("states", "symbols", "machines", "halting", "longest", "all_halting"),
    [
        (1, 2, 3, 1, 1, 32),
        (2, 2, 61, 19, 6, 9784),
        pytest.param(3, 2, 5417, 1772, 21, 7_571_840, marks=pytest.mark.by_hand),
        pytest.param(2, 3, 3013, 909, 38, 16_525_080, marks=pytest.mark.by_hand),
    ],
)
def test_published_numbers(states, symbols, machines, halting, longest, all_halting):
    """S(2) = 6, S(3) = 21, S(2,3) = 38; trees and counts are those of the proofs of the bbchallenge collaboration.

    Of (2,3) they enumerate 6,019 machines, 1,816 of which halt, since they do not order symbols: what names one has a
    twin there. The count of all halting machines that is published for (2,3), 20,453,040, counts these twice: it is
    12,597,120 + 2 · 3,927,960; see `test_a_sample_of_all_machines`.
    """
    found = halting_census(states, symbols, max_steps=200)
    assert (found.machines, found.counts["halts"], found.longest) == (machines, halting, longest)
    assert (found.all_halting, found.counts["open"], found.complete) == (all_halting, 0, True)


@pytest.mark.parametrize(("states", "symbols", "all_halting"), [(2, 2, 9784), (2, 3, 16_525_080), (3, 2, 7_571_840)])
def test_a_sample_of_all_machines(states, symbols, all_halting):
    """Machines with all rules, drawn at random: the share that halts is that of the count, to four deviations."""
    rng, draws, halting = random.Random(5), 4000, 0
    for _ in range(draws):
        rules = [
            (rng.randrange(symbols), rng.choice((1, -1)), rng.randrange(states + 1)) for _ in range(states * symbols)
        ]
        table = tuple(None if rule[2] == states else rule for rule in rules)
        found = halting_of(table, symbols, 200)
        assert found.halts is not None
        halting += found.halts
    share = all_halting / (2 * (states + 1) * symbols) ** (states * symbols)
    assert abs(halting / draws - share) < 4 * (share * (1 - share) / draws) ** 0.5


def test_a_census_goes_on_in_its_store_and_runs_on_processes(tmp_path):
    told = []
    whole = halting_census(2, max_steps=50, store=tmp_path / "store", progress=lambda *given: told.append(given))
    assert told[-1] == (whole.all_units, whole.all_units)
    with Processes(2) as executor:
        assert halting_census(2, max_steps=50, executor=executor) == whole
    assert halting_census(2, max_steps=50, store=tmp_path / "store") == whole


def test_a_sample_of_the_tree():
    part = halting_census(3, max_steps=30, sample=40, seed=1)
    assert (part.units, part.complete) == (40, False)
    assert part == halting_census(3, max_steps=30, sample=40, seed=1)
    assert part != halting_census(3, max_steps=30, sample=40, seed=2)
    assert f"40 of {part.all_units:,} subtrees" in repr(part)
    assert f"40 of {part.all_units:,} subtrees" in part.as_table().note


def test_too_few_steps_leave_machines_open():
    found = halting_census(2, max_steps=4)
    assert found.longest == 4
    assert found.counts["open"] == len(found.open_machines) > 0
    assert all(set(text) <= set("01LRAB-_") for text in found.open_machines)


def test_a_network_that_does_something_else_is_told(monkeypatch):
    decide = census_module.halting_of

    def wrong(table, *given):
        return decide((None,) * 4 if table[0] == (1, 1, 1) else table, *given)

    monkeypatch.setattr(census_module, "halting_of", wrong)
    found = halting_census(2)
    assert found.failed
    assert not found.complete
    assert all("ShadowError: " in text and "the machine has Halting" in text for text in found.failed)


@pytest.mark.parametrize("text", ["1RB1LB_1LA---", "---2LA0RB_1RA2LB---"])
def test_text_and_table(text):
    symbols = len(text.split("_")[0]) // 3
    assert _text(_table_of_text(text, 2, symbols), symbols) == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"states": 0}, "states=0"),
        ({"states": 7}, "at most 12 rules"),
        ({"states": 2, "symbols": 1}, "symbols=1"),
        ({"states": 2, "max_steps": 0}, "max_steps=0"),
        ({"states": 2, "sample": 0}, "sample=0"),
        ({"states": 2, "sample": 1, "seed": 0.5}, "seed=0.5"),
        ({"states": 2, "progress": 1}, "progress=1"),
        ({"states": 2, "executor": 1}, "executor=1"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(OptionError, match=message):
        halting_census(**options)


@pytest.mark.parametrize(
    "change", [{"longest": -1}, {"counts": {}}, {"all_halting": "x"}, {"open": [1]}, {"champion": 3}]
)
def test_damaged_rows(tmp_path, change):
    halting_census(1, store=tmp_path / "store")
    counts = dict.fromkeys(census_module.KINDS, 1)
    row = json.dumps({"counts": counts, "longest": 1, "champion": "", "all_halting": "1", "open": []} | change)
    forge(tmp_path / "store", "UPDATE units SET line=?", row)
    with pytest.raises(CheckpointError, match="damaged"):
        halting_census(1, store=tmp_path / "store")


def test_the_command(invoke_exactnn):
    done = invoke_exactnn("campaign", "census", "--states", "2", "--jobs", "2")
    assert done.exit_code == 0
    assert "9,784 halt" in done.stdout
    record = json.loads(invoke_exactnn("campaign", "census", "--states", "2", "--json", "--max-steps", "4").stdout)
    assert record["counts"]["open"] == len(record["open_machines"])


@pytest.fixture
def invoke_exactnn():
    from click.testing import CliRunner

    from exactnn.cli import main

    return lambda *arguments: CliRunner().invoke(main, arguments)
