import json

import gmpy2
import numpy as np
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
    wrong = invoke("run", path, "[[1,0],[0.5,3]]")
    assert wrong.exit_code == 2
    assert "'1,0 1/2,3'" in wrong.stderr


@pytest.mark.parametrize("array", [[[1, 0], [0.5, 3]], [[[1, 0], [0.5, 3]]]], ids=["a word", "words"])
def test_a_word_from_an_array(invoke, tmp_path, array):
    network, word = str(tmp_path / "sums.json"), str(tmp_path / "word.npy")
    save_network(SimpleRNN(V=[[1]], W=[[1, 2]], b=[0], s=[0], readout_weight=[1]), network)
    np.save(word, np.array(array, dtype=np.float32))
    report = json.loads(invoke("run", network, word, "--json").stdout)
    assert (report["word"], report["output"], report["steps"]) == (word, "15/2", 2)
    np.save(word, np.zeros((2, 1, 2)))
    assert "has 2 words, and one is run here" in invoke("run", network, word).stderr


def an_npz(path):
    np.savez(path.with_suffix(".npz"), np.zeros((1, 2)), np.zeros((1, 2)))
    path.with_suffix(".npz").rename(path)


def with_head(shape, end=b"\n"):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode() + end
    return lambda path: path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)


@pytest.mark.parametrize(
    "write",
    [
        an_npz, with_head("(10000000000000, 2)"), with_head(f"({10**30}, 2)"), with_head("(1, 2", b"\0"),
        lambda path: path.write_bytes(b""), lambda path: np.save(path, np.array([{}]), allow_pickle=True),
    ],
    ids=["several arrays", "too large", "beyond words", "a head that does not end", "empty", "objects"],
)  # fmt: skip
def test_arrays_of_strangers(invoke, tmp_path, write):
    network, word = str(tmp_path / "sums.json"), tmp_path / "word.npy"
    save_network(SimpleRNN(V=[[1]], W=[[1, 2]], b=[0], s=[0], readout_weight=[1]), network)
    write(word)
    result = invoke("run", network, str(word))
    assert result.exit_code == 2
    assert "word.npy' cannot be read: " in result.stderr


def test_a_word_from_a_file_of_text(invoke, tmp_path):
    (tmp_path / "word.txt").write_text("\ufeffaabb\n")  # some editors begin so
    (tmp_path / "words.txt").write_text("aabb\nab\n")
    assert json.loads(invoke("run", "anbn", str(tmp_path / "word.txt"), "--json").stdout)["verdict"] == "accept"
    assert "has 2 words" in invoke("run", "anbn", str(tmp_path / "words.txt")).stderr
    assert "none.txt' cannot be read: No such file or directory\n" in invoke("run", "anbn", "none.txt").stderr


def test_numbers_of_any_size_are_printed(invoke, tmp_path):
    path = str(tmp_path / "power.json")
    save_network(SimpleRNN(V=[[10**30]], W=[[1]], b=[0], s=[0], readout_weight=[1]), path)
    word = " ".join(["1"] * 400)
    assert "bits" in invoke("run", path, word).stdout
    result = invoke("run", path, word, "--trace", "--json")
    assert "bits" in json.loads(result.stdout)["trace"][-1]["values"]["h[0]"]


GROWING = "1RB1RB_1RA1RA"  # writes a 1 at every step and moves to the right, for ever


def test_counts_of_any_length_are_whole_numbers_in_json(program):
    done = program("run", GROWING, "--max-steps", "10^5000", "--json")
    assert (done.returncode, done.stderr) == (3, "")
    report = json.loads(done.stdout, parse_int=gmpy2.mpz)
    for key in ("steps", "eos_steps", "machine_steps", "max_steps", "nonblank"):
        assert report[key] == gmpy2.mpz(10) ** 5000
    assert report["configuration"] == "A: … " + "1 " * 1000 + "[0]"
    assert report["configuration_cut"] is True


def test_counts_of_any_length_are_short_for_people(program):
    done = program("run", GROWING, "--max-steps", "10^5000")
    assert (done.returncode, done.stderr) == (3, "")
    for part in ("about 1.000e5000 network steps", "(about 1.000e5000 cells not blank)", "A: … 1 1 1", "1 [0]"):
        assert part in " ".join(done.stdout.split())
    assert len(done.stdout) < 2000


def test_a_count_beyond_all_digits_is_a_sum_of_powers_in_json(program):
    report = json.loads(program("run", "1RB0LA_1LC1LF_0LD0LC_0LE0LB_1RE0RA_1RZ1LD", "--json").stdout)
    assert report["steps"] == report["eos_steps"] == report["machine_steps"]
    assert report["steps"]["about"] == report["nonblank"]["about"] == "more than 10↑↑5"
    for i, number in enumerate(report["steps"]["sums"]):
        assert number.keys() == {"constant", "powers"}
        for base, exponent, coefficient in number["powers"]:
            assert base == 2
            assert exponent in range(i) if isinstance(exponent, int) else int(exponent, 16) > 2**20
            assert int(coefficient.partition("/")[0], 16)


def test_short_tapes_are_whole(invoke):
    report = json.loads(invoke("run", "anbn", "aabb", "--json").stdout)
    assert report["configuration_cut"] is False
    assert "…" not in report["configuration"]
    report = json.loads(invoke("run", GROWING, "--max-steps", "1000", "--json").stdout)
    assert (report["configuration_cut"], report["nonblank"]) == (False, 1000)
    report = json.loads(invoke("run", GROWING, "--max-steps", "1001", "--json").stdout)
    assert (report["configuration_cut"], report["nonblank"]) == (True, 1001)
    assert report["configuration"].count("1") == 1000


@pytest.mark.parametrize("arithmetic", ["exact", "rational", "float64"])
def test_a_tape_is_cut_in_every_arithmetic(invoke, arithmetic):
    report = json.loads(
        invoke("run", "anbn", "a" * 1200, "--max-steps", "8", "--json", "--arithmetic", arithmetic).stdout
    )
    assert report["configuration_cut"] is False
    assert report["configuration"] == "(load): a a a a a a a a [_]"


def test_a_blank_end_of_what_is_shown_does_not_hide_what_comes_after(invoke):
    """1, 40 blanks, the head: the 1 is beyond what people are shown, and the dots say so."""
    machine = "1RB0RB_0RB0RB"
    text = " ".join(invoke("run", machine, "--max-steps", "41").stdout.split())
    assert "B: … 0 0" in text
    assert "(1 cell not blank)" in text


def test_no_limit(invoke):
    report = json.loads(invoke("run", "bb4", "--max-steps", "none", "--json").stdout)
    assert (report["outcome"], report["max_steps"]) == ("halted", None)


@pytest.mark.parametrize("limit", ["24", "2_4", "24^1", "2**4"])
def test_limits_as_people_write_them(invoke, limit):
    report = json.loads(invoke("run", "anbn", "aabb", "--max-steps", limit, "--json").stdout)
    assert report["steps"] == report["max_steps"] == (16 if limit == "2**4" else 24)


def test_a_trace_of_a_long_tape_is_cut_as_well(invoke):
    report = json.loads(invoke("run", GROWING, "--max-steps", "1500", "--trace", "--every", "500", "--json").stdout)
    assert [row["configuration_cut"] for row in report["trace"]] == [False, False, False, True]


def test_one_is_said_in_the_singular(invoke):
    lines = invoke("run", "parity", "1").stdout
    assert "1 network step; 1 move of the machine" in " ".join(lines.split())
