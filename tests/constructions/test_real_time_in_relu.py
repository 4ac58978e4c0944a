"""The real-time network in ReLU: it is the saturated one, and only the units that the plan names ever exceed 1."""

import pytest
from seeded_machines import batch, in_relu, random_configuration, random_words, reachable

from exactnn.arithmetic import RATIONAL
from exactnn.constructions import siegelmann_sontag
from exactnn.constructions.affine import unit_name
from exactnn.constructions.tapes.siegelmann_sontag_plan import RealTimePlan, excess
from exactnn.errors import ConstructionError, OptionError
from exactnn.machine_files import load
from exactnn.networks import EOS, Activation
from exactnn.simulation import executor_for

STEPS = 40


def states(network, state, inputs):
    """Yield the states of a run in plain rationals, the one that it begins in left out."""
    executor = executor_for(network, RATIONAL)
    for symbol in inputs:
        state = executor.advance(state, symbol, 1, until_decided=False).state
        yield executor.values(state)


def starts(rng, machine, construction):
    """Yield (state, inputs): words read from the start, and configurations of any tape."""
    network = construction.network
    eos = network.alphabet.index(EOS)
    for word in random_words(rng, machine):
        yield network.initial_state, [*network.inputs(word), *[eos] * STEPS]
    working = [q for q in reachable(machine) if q in machine.transitions]
    for _ in range(5):
        try:
            state = construction.encode(random_configuration(rng, machine, working))
        except ConstructionError:  # the network knows no units for a state that is never entered
            continue
        yield state, [eos] * STEPS


def exceeded(rng, machine):
    """Return the units that exceed 1, after a comparison of all states with those of the saturated network."""
    relu, slu = in_relu(machine), siegelmann_sontag(machine)
    plan = RealTimePlan(machine, relu=True)
    units = {unit: i for i, unit in enumerate(plan.units())}
    halves = {units[unit]: units[excess(unit)] for unit in plan.exceeding}
    kept = [i for i in range(len(units)) if i not in halves.values()]
    found = set()
    for state, inputs in starts(rng, machine, relu):
        saturated = states(slu.network, tuple(state[i] for i in kept), inputs)
        for values, expected in zip(states(relu.network, state, inputs), saturated, strict=True):
            assert tuple(values[i] - values[halves[i]] if i in halves else values[i] for i in kept) == expected
            found |= {unit for unit, i in units.items() if values[i] > 1 and i in kept}
    return found


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("batches", [2, 6])
def test_the_units_that_exceed_one_are_those_of_the_plan(batches):
    exceeding, found = set(), set()
    for number in range(batches):
        for rng, machine in batch(400 + number):
            allowed = {(machine.tape, len(machine.tape_symbols), u) for u in RealTimePlan(machine).exceeding}
            seen = {(machine.tape, len(machine.tape_symbols), u) for u in exceeded(rng, machine)}
            assert seen <= allowed
            exceeding, found = exceeding | allowed, found | seen
    assert found == exceeding  # every one of them does in some run


def test_names_of_the_pairs():
    names = [unit.name for unit in in_relu(load("bb5")).network.circuit.layers[0]]
    excesses = [name for name in names if name.startswith("excess")]
    assert excesses == ["excess left >=1", "excess right >=1"]
    assert [names[names.index(name) - 1] for name in excesses] == ["left >=1", "right >=1"]
    plan = RealTimePlan(load("bb5"), relu=True)
    assert list(map(unit_name, plan.units())) == names


def test_the_saturated_form_is_the_default():
    machine = load("palindrome")
    assert siegelmann_sontag(machine).network == siegelmann_sontag(machine, activation="slu").network
    assert in_relu(machine).network == siegelmann_sontag(machine, activation=Activation.RELU).network


@pytest.mark.parametrize("activation", ["identity", Activation.HEAVISIDE, "tanh", "RELU", "", None, 1, ["relu"]])
def test_other_activations(activation):
    with pytest.raises(OptionError, match=r"activation.*(slu|relu)"):
        siegelmann_sontag(load("bb2"), activation=activation)


def test_weights_are_still_exact_in_binary():
    for name in ("bb2x4", "palindrome"):
        for unit in in_relu(load(name)).network.circuit.layers[0]:
            assert all(number.denominator.bit_count() == 1 for number in (unit.bias, *(w for _, w in unit.linear)))
