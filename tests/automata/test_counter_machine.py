"""Counter machines: every fault is told, and runs agree with an interpreter that shares no code."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import counter_machines, words

from exactnn.automata import RESET, CounterConfiguration, CounterMachine, configurations, interpret, kind_of, masks
from exactnn.errors import MachineError, OptionError, WordError
from exactnn.machine_files import load
from exactnn.outcome import Outcome

RULE = ("p", (1, RESET))
CELLS = dict.fromkeys(masks(2), RULE)


def definition(**changes):
    return {
        "states": ["p", "q"],
        "input_symbols": ["a"],
        "counters": 2,
        "transitions": {"p": {"a": CELLS}, "q": {"a": CELLS}},
        "initial_state": "p",
        "acceptance": [("p", (0, 0))],
        "name": "m",
        **changes,
    }


def first(rule):
    return {"transitions": {"p": {"a": CELLS | {(0, 0): rule}}, "q": {"a": CELLS}}}


FAULTS = {
    "no states": ({"states": []}, "there are no states"),
    "states no collection": ({"states": 3}, "states is 3: give a collection"),
    "states alike": ({"states": ["p", "q", 1, "1"]}, "states 1 and '1' have the same name"),
    "symbol not text": ({"input_symbols": ["a", 3]}, "input symbol 3 is not a string"),
    "no counters": ({"counters": 0}, "counters is 0: give a whole number from 1 to 12"),
    "counters as truth": ({"counters": True}, "counters is True"),
    "far too many": ({"counters": 10**9}, "counters is 1000000000"),
    "initial unknown": ({"initial_state": "z"}, "initial state 'z' is not one of the states"),
    "row unknown": ({"transitions": {"z": {"a": CELLS}}}, "transitions of 'z', which is not one of the states"),
    "no row": ({"transitions": {"p": {"a": CELLS}}}, "no transition from state 'q' on 'a': add one for every mask"),
    "symbol unknown": ({"transitions": {"p": {"b": CELLS}}}, "from 'p' on 'b', which is not an input symbol"),
    "row no mapping": ({"transitions": {"p": 3}}, "transitions of 'p' are 3"),
    "cells no mapping": ({"transitions": {"p": {"a": "q"}}}, "on 'a' is 'q': give a mapping from masks"),
    "mask missing": ({"transitions": {"p": {"a": {(0, 0): RULE}}}}, "has no rule for mask (0, 1), (1, 0), (1, 1)"),
    "mask too short": ({"transitions": {"p": {"a": CELLS | {(0,): RULE}}}}, "with mask (0,) is of no mask"),
    "rule is text": (first("p"), "with mask (0, 0) is 'p': write (next state, updates)"),
    "rule is none": (first(None), "with mask (0, 0) is None"),
    "goes to unknown": (first(("z", (1, 1))), "goes to 'z', which is not one of the states"),
    "goes to a list": (first((["z"], (1, 1))), "is (['z'], (1, 1)): write"),
    "one update": (first(("p", (1,))), "has 1 updates: there are 2 counters"),
    "update unknown": (first(("p", (1, 2))), "does 2: write -1, 0, 1 or 'reset'"),
    "update as truth": (first(("p", (1, True))), "does True: write"),
    "update a list": (first(("p", (1, []))), "does []: write"),
    "acceptance no pair": ({"acceptance": ["p"]}, "acceptance has 'p': write (state, mask)"),
    "acceptance of no state": ({"acceptance": [("z", (0, 0))]}, "acceptance has 'z', which is not one of the states"),
    "acceptance of no mask": ({"acceptance": [("p", (0, 2))]}, "acceptance has (0, 2), which is no mask"),
    "name no text": ({"name": 3}, "name is 3: give text"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_told(fault):
    changes, told = FAULTS[fault]
    with pytest.raises(MachineError) as caught:
        CounterMachine(**definition(**changes))
    assert any(told in text for text in caught.value.faults), caught.value.faults


def test_all_faults_are_told_at_once():
    with pytest.raises(MachineError) as caught:
        CounterMachine(**definition(initial_state="z", acceptance=["p"], transitions={}))
    assert len(caught.value.faults) == 4


def test_a_machine_does_not_follow_its_tables():
    table = {"p": {"a": dict(CELLS)}, "q": {"a": dict(CELLS)}}
    machine = CounterMachine(**definition(transitions=table))
    table["p"]["a"][0, 0] = ("q", [0, 0])
    assert machine == CounterMachine(**definition())
    assert kind_of(machine) == "counter_machine"


def second_interpreter(machine, word):
    """Return whether a word is accepted, with the counters in a list and the rules in a flat dictionary."""
    flat = {
        (q, a, mask): rule
        for q, row in machine.transitions.items()
        for a, cells in row.items()
        for mask, rule in cells.items()
    }
    state, values = machine.initial_state, [0] * machine.counters
    for a in word:
        state, updates = flat[state, a, tuple(1 if v else 0 for v in values)]
        for i, update in enumerate(updates):
            values[i] = values[i] + update if update != "reset" else 0
    return state, tuple(values), (state, tuple(1 if v else 0 for v in values)) in set(machine.acceptance)


@given(counter_machines(), st.data())
def test_runs_agree_with_a_second_interpreter(machine, data):
    word = data.draw(words(machine.input_symbols))
    state, values, accepted = second_interpreter(machine, word)
    run = interpret(machine, word)
    assert run.configuration == CounterConfiguration(state=state, counters=values)
    assert run.outcome is (Outcome.ACCEPTED if accepted else Outcome.REJECTED)
    assert run.steps == len(word)
    assert list(configurations(machine, word))[-1] == run.configuration


def test_counters_go_below_zero_and_are_reset():
    down = dict.fromkeys(masks(2), ("p", (-1, 1)))
    clear = dict.fromkeys(masks(2), ("q", (RESET, 0)))
    row = {"a": down, "b": clear}
    machine = CounterMachine(
        states="pq", input_symbols="ab", counters=2, transitions={"p": row, "q": row}, initial_state="p", acceptance=[]
    )
    path = [c.counters for c in configurations(machine, "aab")]
    assert path == [(0, 0), (-1, 1), (-2, 2), (0, 2)]
    assert str(interpret(machine, "aa").configuration) == "p: -2, 2"


def test_a_step_limit_and_a_foreign_symbol():
    machine = CounterMachine(**definition())
    assert interpret(machine, "aaa", max_steps=2).outcome is Outcome.STEP_LIMIT
    with pytest.raises(WordError):
        interpret(machine, "b")
    with pytest.raises(OptionError):
        interpret(machine, "a", max_steps=-1)


def test_the_machines_of_the_zoo_that_are_simplified():
    """Updates of a simplified machine depend on the symbol only; b does not count after the prefix a^n b^n."""
    names = ["anbn-counter", "anbn-then-any", "anbncn-counters", "two-brackets-shuffled"]
    assert not any(load(name).is_simplified for name in names)  # of words with a wrong order nothing is counted
    equal = CounterMachine(
        states="q", input_symbols="ab", counters=1, initial_state="q", acceptance=[("q", (0,))],
        transitions={"q": {a: dict.fromkeys(masks(1), ("q", (step,))) for a, step in (("a", 1), ("b", -1))}},
    )  # fmt: skip
    assert equal.is_simplified
    for word in map("".join, product("ab", repeat=6)):
        assert bool(interpret(equal, word).verdict) == (word.count("a") == word.count("b"))
