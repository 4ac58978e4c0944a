"""Stack machines on the command line: shown, run, compared, collapsed; long stacks are cut."""

import json

from exactnn.automata import StackConfiguration, configuration_text
from exactnn.machine_files import load_file


def test_show_says_what_is_done_on_which_tops(invoke):
    text = invoke("show", "anbn-stacks").stdout
    for part in (
        "stack machine",
        "2, symbols a b",
        "→ as",
        "accept (accepts)",
        "pop, pop → bs",
        "ε, ε",
        "layered_stacks",
    ):
        assert part in text
    record = json.loads(invoke("show", "anbn-stacks", "--json").stdout)
    assert (record["kind"], record["stacks"], record["stack_symbols"]) == ("stack_machine", 2, ["a", "b"])
    assert record["transitions"]["as"]["b,a"] == ["bs", ["pop", "pop"]]
    assert (record["accept_state"], record["halt_state"]) == ("accept", None)
    assert [c["construction"] for c in record["constructions"]] == [
        "layered_stacks",
        "merged_stacks",
        "real_time_stacks",
    ]


def test_run_keeps_the_promises_of_the_file(invoke):
    for promise in load_file("binary-increment-stacks").expectations:
        word = "".join(promise.word)
        for construction in ("layered_stacks", "merged_stacks", "real_time_stacks"):
            done = invoke("run", "binary-increment-stacks", word, "--construction", construction, "--json")
            record = json.loads(done.stdout)
            assert (record["outcome"], record["machine_steps"]) == ("halted", promise.steps)
            assert record["configuration"] == "done: " + " ".join(promise.stack) + " | (empty)"


def test_run_in_floats_tells_where_it_goes_wrong(invoke):
    assert invoke("run", "mirror-stacks", "a#a", "--arithmetic", "float64").exit_code == 0
    assert invoke("collapse", "mirror-stacks", "ab#ba", "--json").exit_code == 0


def test_compare_a_machine_with_its_network(invoke):
    text = invoke("compare", "anbn-stacks", "anbn-stacks@exact", "--max-length", "4").stdout
    assert "a stack machine, run by its definition" in text
    record = json.loads(invoke("compare", "anbn-stacks", "anbn", "--max-length", "5", "--json").stdout)
    assert record["witness"] is None
    assert [record[side]["kind"] for side in ("a", "b")] == ["stack_machine", "turing_machine"]


def test_dot(invoke):
    assert "ε, ε / keep, keep" in invoke("show", "anbn-stacks", "--dot").stdout


def test_long_stacks_are_cut():
    configuration = StackConfiguration(state="q", stacks=(("a", "b", "c"), ("a", "b"), ()))
    assert configuration_text(configuration) == "q: a b c | a b | (empty)"
    assert configuration_text(configuration, reach=2) == "q: a b … | a b | (empty)"
    assert configuration_text(configuration, cut=(True, False)) == "q: a b c … | a b | (empty)"


def test_a_machine_that_grows_for_ever(invoke, tmp_path):
    path = tmp_path / "grow.yaml"
    path.write_text("kind: stack_machine\nstacks: 1\ninput symbols: []\nstart state: q\nhalt state: H\ntable:\n"
                    "  q: {.: {do: push a}}\n  H:\n")  # fmt: skip
    done = invoke("run", str(path), "--max-steps", "5000", "--json")
    record = json.loads(done.stdout)
    assert (record["outcome"], record["machine_steps"]) == ("step limit", 5000)
    assert record["configuration"].startswith("q: a a a")
    assert record["configuration"].endswith("a …")
