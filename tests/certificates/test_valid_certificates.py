"""Certificates that are true: written by hand for a network whose halting time is known by a formula."""

import copy
import dataclasses

import pytest
from gmpy2 import mpq
from shuttle import EDGES, NUMBER, certificate, shuttle, steps_of

import exactnn as xn
from exactnn.certificates.certificate_reader import certificate_from_json
from exactnn.certificates.edge_check import AffineStepper, prove_edge
from exactnn.certificates.forms import Scale
from exactnn.certificates.lengths import Length, length_of
from exactnn.certificates.rule_check import prove_rule
from exactnn.certificates.stacks import Known, Stacks
from exactnn.errors import CertificateError
from exactnn.networks import Activation, Decision, Protocol
from exactnn.networks.network_file import network_to_json
from exactnn.work import Work


@pytest.mark.parametrize("n", [4, 5, 6, 7, 12, 13, 101])
def test_a_true_certificate_says_what_the_run_does(n):
    checked = xn.check_certificate(certificate(n))
    run = xn.run(shuttle(), "a" * n, arithmetic=xn.RATIONAL)
    assert (checked.eos_steps, checked.steps, checked.outcome) == (run.eos_steps, run.steps, run.outcome)
    assert checked.eos_steps == steps_of(n)
    assert (checked.network, checked.word, checked.verdict) == (shuttle(), ("a",) * n, None)
    assert (checked.edges, checked.rules, checked.legs) == (len(EDGES), 1, 2)


def by_edges(n):
    """The certificate of a^n without a rule."""
    found = certificate(n)
    edges = found["path"][1][1] + 8 * (n // 2 - 1)
    return {**found, "rules": [], "path": [["edges", edges]]}


@pytest.mark.parametrize("n", [4, 9, 40])
def test_a_rule_gives_what_its_edges_give(n):
    assert xn.check_certificate(by_edges(n)).eos_steps == steps_of(n)


def test_several_uses_of_a_rule():
    found = certificate(40)
    found["rules"][0]["counts"] = [[["0x5", []]], [["0x7", []]], [["0x1/0x2", [0]], ["-0x1", []]]]
    found["path"] = [["rule", 0, 0], ["edges", 8], ["rule", 0, 1], ["rule", 0, "0x2"], ["edges", 6]]
    assert xn.check_certificate(found).eos_steps == steps_of(40)


def test_a_run_that_begins_in_the_middle():
    n, steps = 8, 3
    found = certificate(n)
    found["begin"] = {"eos_steps": steps, "state": 0, "stacks": [[[1, n - steps]], [[1, "0x3"]]]}
    found["path"] = [["edges", 6 + 8 * (n // 2 - 1) - 1]]
    assert xn.check_certificate(found).eos_steps == steps_of(n)


def test_a_run_that_ends_before_there_are_edges():
    found = certificate(4)
    halted = found["states"].index({"values": ["0", "0", "1", "1"], "wanted": -1})
    found |= {"edges": [], "rules": [], "path": [], "begin": {"eos_steps": steps_of(4), "state": halted, "stacks": []}}
    assert xn.check_certificate(found).eos_steps == steps_of(4)
    found["begin"] = certificate(4)["begin"]
    with pytest.raises(CertificateError, match="no verdict"):
        xn.check_certificate(found)


@pytest.mark.parametrize(("sign", "verdict"), [(1, "accept"), (-1, "reject")])
def test_accepting_and_rejecting(sign, verdict):
    network = shuttle()
    (readout,) = network.readout
    readout = dataclasses.replace(readout, linear=((3, sign),), activation=Activation.IDENTITY)
    network = dataclasses.replace(
        network, readout=(readout,), decision=Decision(protocol=Protocol.EOS_VERDICT, threshold="1/2")
    )
    found = certificate(6) | {"network": network_to_json(network)}
    for edge in found["edges"]:
        if edge["outputs"] == [["0x1", 1]]:
            edge["outputs"] = [[hex(sign), 1]]
    for outcome in ("accepted", "rejected", "halted"):
        found["end"]["outcome"] = outcome
        if outcome == f"{verdict}ed":
            checked = xn.check_certificate(found)
            assert (checked.verdict, checked.eos_steps) == (verdict, steps_of(6))
        else:
            with pytest.raises(CertificateError, match="ends with the verdict"):
                xn.check_certificate(found)


def longer_limbs(n):
    """The certificate in limbs of two digits: a limb is two tokens, and a single token stays in the head."""
    network = shuttle()
    edge = {"state": 0, "limb": 3, "last": True, "steps": 1, "target": 1, "pushes": [], "clears": []}
    zero, x, y = ["0x0", 0, 1, 0], ["0x1", 1, 1, -1], ["0x1", 1, 1, -1]
    assert n == 2
    return {
        "format": "exactnn certificate", "version": 3, "network": network_to_json(network), "word": ["a"] * n,
        "base": 2, "limb": 2,
        "states": [{"values": [zero, "0", "0", "0"], "wanted": 0}, {"values": [x, y, "0", "0"], "wanted": -1},
                   {"values": ["0", "0", "1", "1"], "wanted": -1}],
        "edges": [{**edge, "outputs": [["0x0", 1]]},
                  {**edge, "state": 1, "limb": 0, "last": False, "steps": 5, "target": 2,
                   "outputs": [["0x0", 4], ["0x1", 1]]}],
        "rules": [], "begin": {"eos_steps": 0, "state": 0, "stacks": [[[3, 1]]]},
        "path": [["edges", 2]], "end": {"eos_steps": 6, "outcome": "halted"},
    }  # fmt: skip


def test_heads_without_a_tail_and_edges_of_several_steps():
    assert xn.check_certificate(longer_limbs(2)).eos_steps == steps_of(2)


def test_a_file_comes_back_as_it_was(tmp_path):
    found = certificate(12)
    path = tmp_path / "shuttle.json"
    xn.save_certificate(found, path)
    xn.save_certificate(found, path)
    assert xn.load_certificate(path) == found
    assert list(tmp_path.iterdir()) == [path]


def test_progress_is_told():
    told = []
    xn.check_certificate(by_edges(12), progress=told.append)
    assert told[0].startswith("first steps")
    assert f"edge {len(EDGES)} of {len(EDGES)}" in told
    assert told[-1].startswith("path")


def test_the_certificate_is_left_as_it_is():
    found = certificate(12)
    before = copy.deepcopy(found)
    xn.check_certificate(found)
    assert found == before


def test_an_edge_that_is_never_taken_must_be_true_too():
    found = certificate(5)
    false = copy.deepcopy(found["edges"][NUMBER["over"]])
    found["states"].append({"values": [["0x0", 0, 1, 0], "1", "1", "0"], "wanted": 0})
    false |= {"state": len(found["states"]) - 1}
    found["edges"].append(false)
    with pytest.raises(CertificateError, match=f"edge {len(EDGES)}:"):
        xn.check_certificate(found)


def proven():
    data = certificate_from_json(certificate(12))
    stepper = AffineStepper(data.network, Scale.of(data.network, data.base, Work()))
    return data, {(e.state, e.limb, e.last): prove_edge(data, e, stepper) for e in data.edges}


def test_stacks_do_not_fill_the_memory():
    _, edges = proven()
    for below, length in ((0, 1 << (1 << 21)), (10**4, 1 << 10**4), (10**5, 5)):
        target = [((i + 1) % 2, Length(1)) for i in range(below)]
        stacks = Stacks([[(1, Length(length + 1))], target, *[[]] * 14], Known(Work()), Work())
        with pytest.raises(CertificateError, match="grows too large"):
            stacks.take(edges[NUMBER["over"], 1, False])


def test_run_lengths_of_any_size():
    """Half a googol of rounds, with a proven rule and known stacks: no word is that long."""
    data, edges = proven()
    n = 10**100
    for less, holds in ((1, True), (0, False)):
        counts = (length_of(-less, {(0,): mpq(1, 2)}),)
        rule = prove_rule(dataclasses.replace(data.rules[0], counts=counts), data.states, edges, Work())
        stacks = Stacks([[(1, Length(n))], *[[]] * 15], Known(Work()), Work())
        if holds:
            assert rule.use(NUMBER["turned at y"], stacks, 0).constant == steps_of(n) - steps_of(2)
            assert stacks.runs[0] == [(1, Length(2))]
        else:
            with pytest.raises(CertificateError, match="not possible"):
                rule.use(NUMBER["turned at y"], stacks, 0)


def test_the_network_and_the_word_that_it_has_to_be_of():
    found, network = certificate(12), shuttle()
    renamed = dataclasses.replace(network, name="another name")
    assert xn.check_certificate(found, network=renamed, word="a" * 12).network.name == "shuttle"
    other = dataclasses.replace(network, initial_state=(0, 0, "1/8", 0))
    with pytest.raises(CertificateError, match="component 2 of the initial state is 0, not 1/8"):
        xn.check_certificate(found, network=other)
    with pytest.raises(CertificateError, match="of another network than 'minsky"):
        xn.check_certificate(found, network=xn.compile(xn.load("parity")))
    with pytest.raises(CertificateError, match="of the word"):
        xn.check_certificate(found, word="a" * 11)
