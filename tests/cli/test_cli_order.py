"""``exactnn run --order``: the order in which a linear recurrence is evaluated."""

import json

import pytest

import exactnn as xn

WORD = "a" * 257 + "b" * 256


@pytest.fixture
def more_a(tmp_path):
    """Return the file of a network that counts a and b against each other."""
    path = tmp_path / "more-a.json"
    xn.save_network(xn.DiagonalSSM(a=[1], B=[[1, -1]], readout_weight=[1], alphabet="ab"), path)
    return str(path)


@pytest.mark.parametrize(
    ("order", "verdict"), [("step", "reject"), ("blelloch", "accept"), ("chunkwise(64)", "accept")]
)
def test_orders_give_other_verdicts_in_bfloat16(invoke, more_a, order, verdict):
    done = invoke("run", more_a, WORD, "--arithmetic", "bfloat16", "--order", order, "--json")
    record = json.loads(done.stdout)
    assert record["verdict"] == verdict
    assert json.loads(invoke("run", more_a, WORD, "--order", order, "--json").stdout)["verdict"] == "accept"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--order", "sideways"), "give exactnn.STEP, KOGGE_STONE, BLELLOCH or chunkwise"),
        (("--order", "blelloch", "--seconds", "3"), "not with order='blelloch', which reads the word at once"),
        (("--order", "blelloch", "--max-steps", "3"), "not with order='blelloch'"),
    ],
)
def test_refused(invoke, more_a, arguments, said):
    done = invoke("run", more_a, "ab", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_network_that_is_not_linear_is_refused_by_its_unit(invoke):
    done = invoke("run", "parity", "01", "--order", "blelloch")
    assert done.exit_code == 2
    assert "has the activation relu" in done.stderr
