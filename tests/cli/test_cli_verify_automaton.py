"""``exactnn verify`` of certificates of automata: true ones, and all ways of changing one."""

import json

import pytest

import exactnn as xn


@pytest.fixture
def path(invoke, tmp_path):
    path = tmp_path / "automaton.json"
    arguments = ("extract", "palindrome", "--format", "float8_e5m2", "--certificate", str(path), "--json")
    assert json.loads(invoke(*arguments).stdout)["certificate"] == str(path)
    return path


def test_a_true_certificate(invoke, path):
    record = json.loads(invoke("verify", str(path), "--json").stdout)
    assert (record["verified"], record["certificate"], record["arithmetic"]) == (True, "automaton", "float8_e5m2")
    found = xn.extract_state_machine(xn.compile(xn.load("palindrome")), xn.FLOAT8_E5M2)
    assert (record["states"], record["eos_states"]) == (found.states, found.eos_states)
    counts = {row["label"]: row["states"] for row in record["labels"]}
    assert counts == {"accepted": 7, "proven non-halting": 3}
    text = invoke("verify", str(path))
    assert (text.exit_code, text.stderr) == (0, "")
    assert "no word leads anywhere else" in " ".join(text.stdout.split())


def test_of_an_exact_network_and_of_outputs(invoke, tmp_path):
    file = str(tmp_path / "exact.json")
    assert invoke("extract", "parity", "--arithmetic", "exact", "--certificate", file).exit_code == 0
    assert json.loads(invoke("verify", file, "--json").stdout)["arithmetic"] == "exact"
    net = xn.SimpleRNN(V=[[2]], W=[[1]], b=[0], s=[0], readout_weight=[["1/3"], [2]], readout_bias=[0, 0], alphabet="a")
    xn.save_network(net, tmp_path / "outputs.json")
    arguments = ("extract", str(tmp_path / "outputs.json"), "--format", "q4.2", "--certificate", file, "--force")
    assert invoke(*arguments).exit_code == 0
    assert json.loads(invoke("verify", file, "--json").stdout)["labels"][0] == {"label": ["0", "0"], "states": 1}
    assert "outputs" in invoke("verify", file).stdout


def changed(data, *keys):
    """Return the container that the keys but the last lead to."""
    for key in keys[:-1]:
        data = data[key]
    return data


CHANGES = {
    "another transition": (("transitions", 0, 1), 0, "state 0 goes on"),
    "a transition to nowhere": (("transitions", 0, 0), 10**6, "whole numbers from 0"),
    "another label": (("labels", 0), "rejected", "state 0 does not say rejected"),
    "no outcome": (("labels", 0), "refused", "is no outcome"),
    "another rank": (("ranks", 0), 1, "EOS symbols"),
    "another state after EOS": (("after_eos", 0), 0, "state 0 goes on"),
    "another format": (("arithmetic", "precision"), 4, "state"),
    "rounding at random": (("arithmetic", "rounding"), "stochastic", "at random"),
    "an unknown rounding": (("arithmetic", "rounding"), "odd", "'odd'"),
    "another weight": (("network", "layers", 0, 0, "bias"), "0x1", "state"),
    "another version": (("version",), 2, "version"),
    "another kind": (("format",), "exactnn certificate", "exactnn reads version 3"),
    "no certificate": (("format",), "certificate", "this is no certificate"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_tampered_certificate_is_one_line_and_code_2(invoke, path, name):
    keys, value, part = CHANGES[name]
    data = json.loads(path.read_text())
    container = changed(data, *keys)
    assert container[keys[-1]] != value
    container[keys[-1]] = value
    path.write_text(json.dumps(data))
    result = invoke("verify", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert part in result.stderr


@pytest.mark.parametrize("field", ["network", "arithmetic", "transitions", "labels", "after_eos", "ranks", "version"])
def test_a_certificate_without_a_field(invoke, path, field):
    data = json.loads(path.read_text())
    del data[field]
    path.write_text(json.dumps(data))
    result = invoke("verify", str(path))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_a_state_too_few(invoke, path):
    data = json.loads(path.read_text())
    data["transitions"] = [[min(target, len(data["transitions"]) - 2) for target in row] for row in data["transitions"]]
    path.write_text(json.dumps(data))
    assert invoke("verify", str(path)).exit_code == 2


def test_whose_network_it_is(invoke, path):
    record = json.loads(invoke("verify", str(path), "--json").stdout)
    assert record["machine_proven"] is False
    assert "nothing is proven" in record["network_note"]
    assert "nothing is proven about it" in " ".join(invoke("verify", str(path)).stdout.split())
    record = json.loads(invoke("verify", str(path), "--machine", "palindrome", "--json").stdout)
    assert (record["machine"], record["construction"], record["network_note"]) == (
        "palindrome", "siegelmann_sontag", "",
    )  # fmt: skip
    assert "that of palindrome by" in " ".join(invoke("verify", str(path), "--machine", "palindrome").stdout.split())
    for options, part in (
        (("--machine", "anbn"), "another network than"),
        (("--machine", "palindrome", "--construction", "chung_siegelmann"), "another network than"),
        (("--word", "ab"), "--word is for certificates of runs"),
        (("--budget", str(record["work"] - 1)), "units of work"),
    ):
        result = invoke("verify", str(path), *options)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert part in result.stderr
    assert invoke("verify", str(path), "--budget", str(record["work"])).exit_code == 0
