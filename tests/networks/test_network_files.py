"""Networks as files: what is written comes back, of any shape and any length of number."""

import json
import os

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import extreme_rationals, long_rationals, networks, rationals

from exactnn.arithmetic import exact
from exactnn.errors import NetworkFileError
from exactnn.networks import Activation, Circuit, Network, SimpleRNN, Unit, load_network, save_network

WEIGHTS = st.one_of(rationals(), extreme_rationals(), long_rationals())


@given(networks(weights=WEIGHTS, names=st.text()))
def test_the_round_trip_is_the_identity(tmp_path_factory, network):
    path = tmp_path_factory.mktemp("networks") / "a network.json"
    save_network(network, path)
    again = load_network(path)
    assert again == network
    assert [type(x) for x in again.initial_state] == [type(x) for x in network.initial_state]
    save_network(again, str(path))  # replaces the file
    assert load_network(str(path)) == network
    assert os.listdir(path.parent) == [path.name]


def test_numbers_beyond_the_digit_limit_of_python_survive(tmp_path):
    long = mpq(-(7**15000), 10**9000 + 1)
    u = Unit(name="u", bias=long, linear=((0, long),), bilinear=((0, 0, 1 / long),), activation=Activation.SLU)
    network = Network(
        circuit=Circuit(state_size=1, input_size=0, layers=((u,),), next_state=(1,)),
        initial_state=(long,),
        readout=(u,),
    )
    save_network(network, tmp_path / "n")
    assert load_network(tmp_path / "n") == network


def test_the_file_is_json_with_numbers_as_text(tmp_path):
    network = SimpleRNN(V=[["1/3"]], W=[[2]], b=["-0.5"], s=[0], readout_weight=[1], name="half")
    save_network(network, tmp_path / "n")
    data = json.loads((tmp_path / "n").read_text(encoding="utf-8"))
    assert (data["format"], data["version"], data["name"]) == ("exactnn network", 1, "half")
    (unit,) = data["layers"][0]
    assert [(r, exact(w)) for r, w in unit["linear"]] == [(0, mpq(1, 3)), (1, mpq(2))]
    assert exact(unit["bias"]) == mpq(-1, 2)


def tiny(name="n"):
    return SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], name=name)


def test_a_name_that_is_no_valid_unicode_is_kept_or_refused(tmp_path):
    try:
        save_network(tiny("\ud800"), tmp_path / "n")
    except NetworkFileError:
        assert os.listdir(tmp_path) == []
        return
    assert load_network(tmp_path / "n").name == "\ud800"


@pytest.mark.parametrize("text", ["kind: dfa", "", '"a'])
def test_a_file_of_another_kind_is_told_what_is_read(tmp_path, text):
    (tmp_path / "n").write_text(text)
    with pytest.raises(NetworkFileError, match=r"is not a network file: .* give a file that `exactnn"):
        load_network(tmp_path / "n")


@pytest.mark.parametrize("place", ["missing/n", "file/n", "."])
def test_a_place_that_cannot_be_written_is_named_and_nothing_is_left(tmp_path, place):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(NetworkFileError, match="cannot write"):
        save_network(tiny(), tmp_path / place)
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "kept"


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "n"
    save_network(tiny("old"), path)

    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(json, "dump", interrupted)
    monkeypatch.setattr(json, "dumps", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_network(tiny("new"), path)
    assert os.listdir(tmp_path) == ["n"]
    assert load_network(path).name == "old"


def test_a_new_file_has_the_permissions_that_other_new_files_have(tmp_path):
    save_network(tiny(), tmp_path / "n")
    (tmp_path / "other").touch()
    assert (tmp_path / "n").stat().st_mode == (tmp_path / "other").stat().st_mode
