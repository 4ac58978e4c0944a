"""Of the conditions of cases at most one is 1: the interpreter checks it, wherever the sum would not show it."""

import pytest

from exactnn.constructions.folding import fold_network
from exactnn.constructions.steps import (
    Step,
    bit,
    case_registers,
    cases,
    choice,
    either,
    not_,
    number,
    pop,
    push,
    read,
    stack,
    step_network,
    step_outputs,
    top,
)
from exactnn.errors import ConstructionError
from exactnn.networks import MultiLayerRNN

LEVEL = number("level", low=0, high=1)
FIRST, SECOND = bit("first"), bit("second")
KEPT = {FIRST: read("a"), SECOND: not_(read("c"))}


def refused(message):
    return pytest.raises(ConstructionError, match=message)


def test_two_conditions_at_once_are_found_though_the_sum_lies_where_it_has_to():
    """1/4 + 1/2 is in [0, 1]: only the conditions tell. After "b" one is 1, after "a" both are."""
    step = Step(symbols="abc", next={LEVEL: cases((FIRST, "1/4"), (SECOND, "1/2")), **KEPT}, output=LEVEL)
    assert [str(y) for y in step_outputs(step, "bb")] == ["0", "0", "1/2"]
    with refused("2 of its conditions are 1 at once, 'first \\+ second'"):
        step_outputs(step, "ab")


def test_conditions_of_branches_that_are_0():
    step = Step(symbols="abc", next={LEVEL: cases((FIRST, 0), (SECOND, 1)), **KEPT}, output=LEVEL)
    assert step_outputs(step, "bb")[-1] == 1
    with refused("2 of its conditions"):
        step_outputs(step, "ab")


def test_conditions_of_stacks_and_of_either():
    cells = stack("cells", "xy")
    moved = cases((FIRST, push(cells, "x")), (SECOND, cells))
    step = Step(symbols="abc", next={cells: moved, **KEPT}, output=cells["x"])
    step_outputs(step, "bb")
    with refused("2 of its conditions"):
        step_outputs(step, "ab")
    step = Step(symbols="abc", next={LEVEL: either(FIRST, SECOND), **KEPT}, output=LEVEL)
    with refused("is 2, which is not in"):
        step_outputs(step, "ab")


def test_conditions_of_what_is_pushed_and_of_a_choice():
    cells, phase = stack("cells", "xy"), choice("phase", "pq", start="p")
    for kept in ({cells: push(cells, {"x": FIRST, "y": SECOND})}, {phase: {"p": FIRST, "q": SECOND}}):
        step = Step(symbols="abc", next={**kept, **KEPT}, output=FIRST)
        step_outputs(step, "bb")
        with refused("2 of its conditions"):
            step_outputs(step, "ab")


def test_conditions_cost_no_units():
    """The network is the same as without the check: a sum of the branches."""
    step = Step(symbols="abc", next={LEVEL: cases((FIRST, "1/4"), (SECOND, "1/2")), **KEPT}, output=LEVEL)
    assert step_network(step).circuit.units == 3


def test_conditions_are_registers_of_the_step():
    with refused("reads register 'second', but `next` does not say"):
        Step(symbols="abc", next={LEVEL: cases((FIRST, 1), (SECOND, 0)), FIRST: read("a")}, output=LEVEL)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: push(FIRST, "a"), "push: first is no stack"),
        (lambda: pop(FIRST), "pop: first is no stack: give one made by stack"),
        (lambda: top(FIRST), "top: first is no stack"),
        (lambda: cases(FIRST), r"cases: first is no alternative: give pairs \(condition, branch\)"),
        (lambda: cases((FIRST, 1, 2)), "is no alternative"),
        (lambda: case_registers(FIRST), "case_registers: first is no alternative"),
        (lambda: case_registers((FIRST, 1)), "case_registers: 1 is no mapping"),
        (lambda: bit([]), r"register \[\]: its name is not hashable"),
        (lambda: stack([], "ab"), "not hashable"),
        (lambda: Step(symbols=5, next={}, output=0), "symbols=5: give a collection of strings"),
        (lambda: Step(symbols=["a", 3], next={}, output=0), "give a collection of strings"),
    ],
)
def test_what_is_none(wrong, message):
    with refused(message):
        wrong()


def test_states_of_folded_networks_have_their_size():
    two = MultiLayerRNN(V=[[[1]], [[1]]], W=[[[1]], [[1]]], b=[[0], [0]], s=[[0], [0]], readout_weight=[1])
    folded = fold_network(two)
    neurons = folded.network.neurons
    for wrong in ((), (0,) * (neurons + 1)):
        with refused(f"has {len(wrong)} numbers: a state of .* has {neurons}"):
            folded.original_state(wrong)
    with refused("5 is no state of"):
        folded.original_state(5)
