"""Choosing a construction by name, and what every construction says about itself."""

import pytest
from test_minsky import PARITY

from exactnn.automata import TuringMachine
from exactnn.constructions import (
    CONSTRUCTIONS,
    Construction,
    compile,
    constructions_for,
    minsky,
    siegelmann_sontag,
    siegelmann_sontag_book,
)
from exactnn.errors import ConstructionError

MACHINE = TuringMachine(
    states="pA",
    input_symbols="a",
    tape_symbols="a_",
    transitions={"p": {"a": ("p", "a", "R"), "_": ("A", "_", "L")}},
    initial_state="p",
    blank_symbol="_",
    accept_state="A",
    name="a*",
)

ALL = [minsky(PARITY), siegelmann_sontag(MACHINE), siegelmann_sontag_book(MACHINE)]


def test_the_default_is_the_first_that_fits():
    assert constructions_for(PARITY) == ("minsky",)
    assert constructions_for(MACHINE) == ("siegelmann_sontag", "siegelmann_sontag_book")
    assert compile(PARITY).network == minsky(PARITY).network
    assert compile(MACHINE).network == siegelmann_sontag(MACHINE).network


@pytest.mark.parametrize("construction", ALL, ids=lambda c: c.name)
def test_each_can_be_asked_for_by_its_name(construction):
    again = compile(construction.machine, construction=construction.name)
    assert (again.name, again.network) == (construction.name, construction.network)
    assert construction.name in CONSTRUCTIONS


def test_the_names_are_those_of_the_functions():
    assert set(CONSTRUCTIONS) >= {construction.name for construction in ALL}
    for name, (kind, function) in CONSTRUCTIONS.items():
        assert function.__name__ == name
        assert isinstance(kind, type)


def test_a_construction_that_does_not_fit_is_refused_with_the_choice():
    with pytest.raises(ConstructionError, match=r"'minsky' does not compile a TuringMachine: choose one of siegelmann"):
        compile(MACHINE, construction="minsky")
    with pytest.raises(ConstructionError, match=r"'siegelmann_sontag' does not compile a DFA: choose one of minsky"):
        compile(PARITY, construction="siegelmann_sontag")
    with pytest.raises(ConstructionError, match=r"'magic' is unknown: choose one of minsky"):
        compile(PARITY, construction="magic")
    for machine in (None, "parity", 3):
        with pytest.raises(ConstructionError, match=r"no construction compiles"):
            compile(machine)


@pytest.mark.parametrize("construction", ALL, ids=lambda c: c.name)
def test_every_construction_says_what_it_claims_and_where_it_comes_from(construction):
    """The names of the contract: network, encode, decode, steps_per_move, claim, citation."""
    assert isinstance(construction, Construction)
    assert construction.steps_per_move == 1
    for text in (construction.claim, construction.citation):
        assert isinstance(text, str)
        assert len(text) > 20
    assert callable(construction.encode)
    assert callable(construction.decode)


@pytest.mark.parametrize("construction", ALL, ids=lambda c: c.name)
def test_the_weight_field_is_true(construction):
    network = construction.network
    numbers = {w for layer in network.circuit.layers for u in layer for w in (u.bias, *(x for _, x in u.linear))}
    integral = all(w.denominator == 1 for w in numbers)
    assert construction.weight_field == ("Z" if integral else "Q")


def test_machine_steps_count_from_the_end_of_the_set_up():
    real_time = siegelmann_sontag(MACHINE)
    assert [real_time.machine_steps(n, 2) for n in range(9)] == [0, 0, 0, 0, 0, 0, 0, 1, 2]
    assert [minsky(PARITY).machine_steps(n, 2) for n in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("construction", ALL, ids=lambda c: c.name)
def test_a_construction_is_named_after_its_machine(construction):
    neurons = construction.network.neurons
    assert repr(construction) == f"<{construction.name} of {construction.machine.name}: {neurons} neurons>"
    assert construction.network.name == f"{construction.name}({construction.machine.name})"
    with pytest.raises(AttributeError):
        construction.name = "other"


@pytest.mark.parametrize("construction", ALL, ids=lambda c: c.name)
def test_units_are_named_apart(construction):
    names = [unit.name for unit in construction.network.circuit.layers[0]]
    assert len(set(names)) == len(names)
    assert construction.network.circuit.state_names == tuple(names)
