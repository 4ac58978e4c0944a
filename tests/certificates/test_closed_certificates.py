"""Certificates of runs that never end by a closed set: both checkers prove them, and nothing else by such a claim."""

import copy

import pytest
from gmpy2 import mpq
from second_checker import second
from shuttle import NUMBER, certificate, edge, unit

import exactnn as xn
from exactnn.errors import CertificateError
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol
from exactnn.networks.network_file import network_to_json

COUNTER = "0LB0LC_1RC1LB_0LB0RC_1LA0RA"
"""A machine that writes all numbers in binary, one after the other."""
CLAIM = {"path": [["closed"]], "end": {"eos_steps": 0, "outcome": "proven non-halting"}}


@pytest.fixture(scope="module")
def certified():
    return xn.run(xn.load(COUNTER), certify=True).certificate


def refused(data, match):
    with pytest.raises(CertificateError, match=match):
        xn.check_certificate(data)
    assert second(data) is None


def test_both_checkers_prove_it(certified):
    assert certified["path"] == [["closed"]]
    assert xn.check_certificate(certified, network=xn.load(COUNTER)).outcome is xn.Outcome.NON_HALTING
    assert second(certified) == ("proven non-halting", 0)


def test_every_edge_of_the_set_is_needed(certified):
    edges = certified["edges"]
    for i in range(0, len(edges), 7):
        refused(certified | {"edges": edges[:i] + edges[i + 1 :]}, "there is no edge")


def test_no_edge_is_taken_on_trust(certified):
    data = copy.deepcopy(certified)
    data["edges"][5]["steps"] += 1
    refused(data, "edge 5")


@pytest.mark.parametrize("source", ["turned at y", "over", "back"])
def test_from_each_outline_an_edge_is_asked_for(source):
    other = certificate(4) | CLAIM | {"rules": []}
    other["edges"] = [found for found in other["edges"] if found["state"] != NUMBER[source]]
    refused(other, "the set is not closed")


def test_a_run_that_halts_is_in_no_closed_set():
    """The edge that gives the verdict is in the file, or it is not."""
    data = certificate(12) | CLAIM | {"rules": []}
    refused(data, "an edge from state [0-9]+ gives a verdict")
    refused(data | {"edges": data["edges"][:-2]}, "there is no edge")
    data = xn.run("bb3", certify=True).certificate
    refused(data | CLAIM, "the set is not closed")


def test_edges_that_take_no_step_prove_nothing():
    """They pop a limb and push it again, for ever, while the network goes on to its verdict."""
    still = [edge("turned at y", last, "turned at y", [[0, 1]]) | {"steps": 0, "outputs": []} for last in (False, True)]
    data = certificate(12)
    assert xn.check_certificate(data | {"edges": [*still, *data["edges"]]}).outcome is xn.Outcome.HALTED
    refused(data | CLAIM | {"rules": [], "edges": [*data["edges"], *still]}, "takes no step, and pops no limb")


def reset():
    """A network that replaces x by 1/4, in one step, and halts where it sees that next: after two EOS steps."""
    slu, quarter = Activation.SLU, mpq(1, 4)
    x, c, h, big, stop = 0, 1, 2, 5, 8
    layers = (
        (unit("big", Activation.HEAVISIDE, -quarter, (x, 1)),),
        (
            unit("one", Activation.IDENTITY, quarter),
            unit("kept", slu, -1, (x, 1), (c, 1)),
            unit("stop", slu, 0, (c, 1), (big, -1)),
        ),
        (
            unit("x", slu, quarter, (c, -quarter), (7, 1)),
            unit("c", Activation.IDENTITY, 1),
            unit("h", slu, 0, (stop, 1), (h, 1)),
        ),
    )
    return Network(
        circuit=Circuit(state_size=3, input_size=2, layers=layers, next_state=(9, 10, 11)),
        initial_state=(mpq(3, 8), 0, 0),
        readout=(unit("halted", Activation.HEAVISIDE, 0, (h, 1)),),
        alphabet=("a", EOS),
        decision=Decision(protocol=Protocol.EOS_HALT, threshold=mpq(1, 2)),
        name="reset",
    )


def test_a_stack_may_vanish_of_which_a_limb_was_popped():
    """The limb that is pushed then lies on nothing, and not on what was under the popped one."""
    network = reset()
    assert xn.run(network, "", xn.RATIONAL).eos_steps == 2
    on_x, keys = ["0x0", 0, 1, 0], {"limb": 1, "last": False, "steps": 1, "target": 1, "pushes": [[0, 1]]}
    data = {
        "format": "exactnn certificate", "version": 3, "network": network_to_json(network), "word": [], "base": 4,
        "limb": 1, "rules": [], "begin": {"eos_steps": 0, "state": 0, "stacks": [[[2, 1], [1, 1]]]},
        "states": [{"values": [on_x, "0", "0"], "wanted": 0}, {"values": [on_x, "1", "0"], "wanted": 0}],
        "edges": [
            {**keys, "state": 0, "clears": [0], "outputs": [["0x0", 1]]},
            {**keys, "state": 1, "clears": [], "outputs": [["0x0", 1]]},
        ],
    }  # fmt: skip
    refused(data | CLAIM, "no edge from state 1 with the limb 1, the only one of its stack")


def test_a_closed_set_ends_a_path_and_is_no_move_of_a_rule(certified):
    refused(certified | {"path": [["closed"], ["edges", 1]]}, "it goes on after the verdict")
    refused(certified | {"path": [["closed"], ["closed"]]}, "it goes on after the verdict")
    refused(certified | {"path": [["closed", 2]]}, 'write ."edges"')
    data = certificate(12)
    rules = [data["rules"][0] | {"moves": [["closed"]]}]
    refused(data | {"rules": rules}, "move 0")


def test_after_edges_and_rules(certified):
    """Where rules and edges lead first, the claim counts their steps; another count is refused."""
    steps = [found["steps"] for found in certified["edges"][:1]]
    end = {"eos_steps": steps[0], "outcome": "proven non-halting"}
    data = certified | {"path": [["edges", 1], ["closed"]], "end": end}
    assert xn.check_certificate(data).eos_steps == steps[0]
    assert second(data) == ("proven non-halting", steps[0])
    refused(data | {"end": end | {"eos_steps": steps[0] + 1}}, "the verdict comes after")
