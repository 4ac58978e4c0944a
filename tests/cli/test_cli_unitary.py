import json

import pytest

from exactnn import RATIONAL, SimpleRNN, load_network, run, save_network
from exactnn.contraction import elman
from exactnn.linear_algebra import is_isometry


@pytest.fixture
def spiral(tmp_path):
    path = tmp_path / "spiral.json"
    network = SimpleRNN(
        V=[["1/2", "1/4"], ["-1/3", "1/2"]],
        W=[[1, 0], ["1/2", 1]],
        b=["1/10", 0],
        s=[0, 0],
        readout_weight=[1, -1],
        name="spiral",
    )
    save_network(network, path)
    return str(path)


@pytest.mark.parametrize(("form", "most"), [("2n", 4), ("5n", 10), ("2n+3", 7)])
def test_the_twin_is_saved_and_runs(invoke, spiral, tmp_path, form, most):
    target = str(tmp_path / "twin.json")
    found = invoke("unitary", spiral, "--input-bound", "3,1/2", "--form", form, "-o", target, "--json")
    assert found.exit_code == 0
    record = json.loads(found.stdout)
    assert (record["form"], record["original_neurons"], record["file"]) == (form, 2, target)
    assert 2 < record["neurons"] <= most
    twin = load_network(target)
    word = [(3, "1/2"), (-3, 0), ("1/7", "-1/2")]
    assert run(twin, word, arithmetic=RATIONAL).outputs[:] == run(load_network(spiral), word).outputs[:]
    if form != "2n":
        assert record["weight_field"] == "Q"
        assert is_isometry(elman(twin).V, (1,) * twin.neurons)
    inside = invoke("run", target, "3,1/2 0,0", "--json")
    assert json.loads(inside.stdout)["outcome"] == "completed"
    beyond = invoke("run", target, "3,1/2 0,1 0,0", "--json")
    assert beyond.exit_code == 0
    assert (json.loads(beyond.stdout)["outcome"], json.loads(beyond.stdout)["outside_at"]) == ("out of domain", 2)
    assert "at step 2" in invoke("run", target, "3,1/2 0,1 0,0").stdout


def test_for_people(invoke, spiral):
    text = invoke("unitary", spiral, "--input-bound", "3").stdout
    assert "4, for 2" in text
    assert "between 0.620518 and 0.620519" in text
    assert "up to 3, 3" in text


def test_what_is_refused(invoke, spiral, tmp_path):
    def message(*arguments):
        found = invoke("unitary", *arguments)
        assert (found.exit_code, found.stdout) == (2, "")
        return found.stderr

    assert "input_bound is missing" in message(spiral)
    assert "'x' is not a number" in message(spiral, "--input-bound", "x")
    assert "give one number, or 2" in message(spiral, "--input-bound", "1,2,3")
    assert "not contractive" in message("parity")
    assert "activation slu" in message("anbn")
    target = tmp_path / "there.json"
    target.write_text("kept")
    assert "exists already" in message(spiral, "--input-bound", "1", "-o", str(target))
    assert target.read_text() == "kept"
    assert invoke("unitary", spiral, "--input-bound", "1", "-o", str(target), "--force").exit_code == 0
