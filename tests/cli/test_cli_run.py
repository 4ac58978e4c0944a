import json

import pytest

from exactnn import compile as compile_machine
from exactnn import load, run, save_network
from exactnn.networks import SimpleRNN

KEYS = {
    *("machine", "word", "construction", "arithmetic", "engine", "outcome", "verdict", "steps", "eos_steps"),
    *("machine_steps", "neurons", "weights", "nonblank", "seconds", "sentence", "exactnn", "configuration"),
}


def test_a_busy_beaver_from_bbchallenge_text(program):
    done = program("run", "1RB1LB_1LA0LC_1RZ1LD_1RD0RA", "--json")
    report = json.loads(done.stdout)
    assert report.keys() >= KEYS
    assert (report["outcome"], report["machine_steps"], report["nonblank"]) == ("halted", 107, 13)
    assert report["verdict"] is None
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("word", "verdict"), [("aabb", "accept"), ("aab", "reject"), ("", "accept")])
def test_verdicts_are_no_errors(invoke, word, verdict):
    result = invoke("run", "anbn", word, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["verdict"] == verdict


def test_both_constructions_agree(invoke):
    reports = [
        json.loads(invoke("run", "anbn", "aabb", "--json", "--construction", name).stdout)
        for name in ("siegelmann_sontag", "siegelmann_sontag_book")
    ]
    assert reports[0]["machine_steps"] == reports[1]["machine_steps"] == 15
    assert reports[0]["configuration"] == reports[1]["configuration"]


def test_a_dfa_has_no_tape(invoke):
    report = json.loads(invoke("run", "parity", "1011", "--json").stdout)
    assert (report["verdict"], report["nonblank"], report["configuration"]) == ("accept", None, "odd")


@pytest.mark.parametrize("limit", ["0", "5"])
def test_a_step_limit_is_code_3(program, limit):
    done = program("run", "anbn", "aabb", "--max-steps", limit, "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["outcome"], report["steps"]) == (3, "step limit", int(limit))
    assert done.stderr == ""


def test_a_limit_that_is_not_reached(invoke):
    assert invoke("run", "anbn", "aabb", "--max-steps", "25").exit_code == 0
    assert invoke("run", "anbn", "aabb", "--max-steps", "24").exit_code == 3


def test_the_text_names_what_matters(invoke):
    text = invoke("run", "anbn", "aabb").stdout
    for part in ("accepted", "T = 21", "15 moves", "43 neurons", "rational"):
        assert part in text


def test_a_lost_cell_leaves_the_count_open(invoke):
    result = invoke("run", "anbn", "a" * 8 + "b" * 8, "--arithmetic", "float32", "--max-steps", "8", "--json")
    report = json.loads(result.stdout)
    assert "?" in report["configuration"]
    assert report["nonblank"] is None


def test_a_trace_shows_every_configuration(invoke):
    lines = invoke("run", "anbn", "ab", "--trace").stdout.splitlines()
    assert "(load): [_]" in lines[0]
    assert lines[1].split()[:2] == ["1", "a"]
    assert "left push: " in lines[1]
    assert lines[12].startswith("      12  EOS   accept:")
    assert lines[13] == ""


def test_a_trace_of_every_kth_step_keeps_the_last(invoke):
    report = json.loads(invoke("run", "anbn", "aabb", "--trace", "--every", "10", "--json").stdout)
    assert [row["step"] for row in report["trace"]] == [0, 10, 20, 25]
    assert report["trace"][-1]["configuration"] == report["configuration"]


@pytest.mark.parametrize("arithmetic", ["rational", "float64", "float32"])
def test_a_trace_shows_the_states_of_the_run(invoke, arithmetic):
    arguments = ("run", "anbn", "aaabbb", "--trace", "--every", "3", "--json", "--arithmetic", arithmetic)
    shown = json.loads(invoke(*arguments).stdout)["trace"]
    net = compile_machine(load("anbn"))
    states = run(net, "aaabbb", record="every-3").trace
    for row, step, values in zip(shown, states.steps, states.states, strict=False):
        nonzero = [name for name, value in zip(states.names, values, strict=True) if value]
        assert (row["step"], list(row["values"])) == (step, nonzero)


def test_a_network_file_runs(invoke, tmp_path):
    path = str(tmp_path / "parity.json")
    save_network(compile_machine(load("parity")).network, path)
    report = json.loads(invoke("run", path, "10", "--json").stdout)
    assert (report["verdict"], report["construction"], report["machine_steps"]) == ("accept", None, None)


def test_a_network_without_alphabet_reads_vectors(invoke, tmp_path):
    path = str(tmp_path / "sums.json")
    sums = SimpleRNN(V=[[1]], W=[[1, 2]], b=[0], s=[0], readout_weight=[1])
    save_network(sums, path)
    report = json.loads(invoke("run", path, "1,0 1/2,3", "--json").stdout)
    assert (report["outcome"], report["output"], report["steps"]) == ("completed", "15/2", 2)
    assert invoke("run", path, "1,0 1/2,3", "--trace").exit_code == 0


def test_numbers_of_any_size_are_printed(invoke, tmp_path):
    path = str(tmp_path / "power.json")
    save_network(SimpleRNN(V=[[10**30]], W=[[1]], b=[0], s=[0], readout_weight=[1]), path)
    word = " ".join(["1"] * 400)
    assert "bits" in invoke("run", path, word).stdout
    result = invoke("run", path, word, "--trace", "--json")
    assert "bits" in json.loads(result.stdout)["trace"][-1]["values"]["h[0]"]
