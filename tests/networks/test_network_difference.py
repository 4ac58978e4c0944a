"""Two networks are the same if all their parts are, but for names; otherwise the first part that differs is named."""

import dataclasses
from itertools import islice

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import CertificateError, NetworkError
from exactnn.networks import ACTIVATIONS, EOS
from exactnn.networks.difference import first_difference_of_networks, require_network
from exactnn.networks.network_file import network_from_json, network_to_json
from tests.strategies import networks


def renamed(network):
    """The same network with other names, through a file."""
    data = network_to_json(network) | {"name": "another name"}
    for layer in (*data["layers"], data["readout"]):
        for i, unit in enumerate(layer):
            unit["name"] = f"unit number {i}"
    return network_from_json(data)


@given(networks())
def test_names_play_no_part(network):
    other = renamed(network)
    assert other != network
    assert first_difference_of_networks(other, network) == ""


def changed_units(units):
    """Yield the units of a layer with one thing changed."""
    for i, unit in enumerate(units):
        others = [a for a in ACTIVATIONS.values() if a != unit.activation]
        fields = [{"bias": unit.bias + mpq(1, 10**30)}, {"activation": others[0]}]
        fields += [{"linear": ((*unit.linear, (0, mpq(0))))}, {"bilinear": (*unit.bilinear, (0, 0, mpq(1)))}]
        if unit.linear:
            ((register, weight), *rest) = unit.linear
            fields += [{"linear": ((register, weight + 1), *rest)}, {"linear": tuple(rest)}]
        if unit.bilinear:
            ((one, other, weight), *rest) = unit.bilinear
            fields += [{"bilinear": ((one, other, weight + 1), *rest)}]
        if unit.linear != unit.linear[::-1]:
            fields += [{"linear": unit.linear[::-1]}]
        yield from ((*units[:i], dataclasses.replace(unit, **field), *units[i + 1 :]) for field in fields)


def changed(network):
    """Yield networks that differ in one place."""
    circuit = network.circuit
    for number, layer in enumerate(circuit.layers):
        for units in changed_units(layer):
            layers = (*circuit.layers[:number], units, *circuit.layers[number + 1 :])
            yield dataclasses.replace(network, circuit=dataclasses.replace(circuit, layers=layers))
    for units in changed_units(network.readout):
        yield dataclasses.replace(network, readout=units)
    for i, number in enumerate(network.initial_state):
        start = (*network.initial_state[:i], number + 1, *network.initial_state[i + 1 :])
        yield dataclasses.replace(network, initial_state=start)
    decision = dataclasses.replace(network.decision, threshold=network.decision.threshold + 1)
    yield dataclasses.replace(network, decision=decision)
    if network.alphabet is not None:
        alphabet = tuple(f"another {symbol}" if symbol != EOS else symbol for symbol in network.alphabet)
        yield dataclasses.replace(network, alphabet=alphabet)
    for i, register in enumerate(circuit.next_state):
        if register:
            moved = (*circuit.next_state[:i], 0, *circuit.next_state[i + 1 :])
            yield dataclasses.replace(network, circuit=dataclasses.replace(circuit, next_state=moved))


NETWORKS = {
    "parity": xn.compile(xn.load("parity")).network,
    "anbn": xn.compile(xn.load("anbn")).network,
    "anbn-counter": xn.compile(xn.load("anbn-counter")).network,
}


@pytest.mark.mostly_slow(quick=3)
@pytest.mark.parametrize(("name", "every"), [("parity", 1), ("anbn", 1), ("anbn-counter", 25), ("anbn-counter", 1)])
def test_every_change_is_found(name, every):
    network = NETWORKS[name]
    found = [first_difference_of_networks(other, network) for other in islice(changed(network), 0, None, every)]
    assert len(found) > 20
    assert all(found)
    assert all(len(text) < 500 for text in found)
    with pytest.raises(CertificateError, match="of another network than"):
        require_network(network, next(changed(network)))


@given(networks(), st.data())
def test_two_networks_are_the_same_in_both_directions(network, data):
    other = data.draw(networks())
    one, two = first_difference_of_networks(network, other), first_difference_of_networks(other, network)
    assert bool(one) == bool(two)
    assert bool(one) == (renamed(network) != renamed(other))


@pytest.mark.parametrize("given", ["parity", xn.load("parity"), NETWORKS["parity"]])
def test_whatever_means_a_network(given):
    require_network(NETWORKS["parity"], given)
    with pytest.raises(CertificateError, match="of another network"):
        require_network(NETWORKS["parity"], "anbn")


@pytest.mark.parametrize("given", [None, 1, []])
def test_what_is_no_network(given):
    with pytest.raises(NetworkError, match="give a Network or a Construction"):
        require_network(NETWORKS["parity"], given)
