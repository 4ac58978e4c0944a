"""Stack machines: every fault is told, and runs agree with an interpreter in strings that shares no code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import stack_machines, words

from exactnn.automata import EMPTY, KEEP, POP, StackConfiguration, StackMachine, configurations, interpret, push
from exactnn.errors import MachineError, WordError
from exactnn.outcome import Outcome

RULE = ("p", (KEEP, POP))
TOPS = [(a, b) for a in ("a", EMPTY) for b in ("a", EMPTY)]
ROW = dict.fromkeys(TOPS, RULE)


def definition(**changes):
    return {
        "states": ["p", "A", "R"],
        "input_symbols": ["a"],
        "stack_symbols": ["a"],
        "stacks": 2,
        "transitions": {"p": ROW},
        "initial_state": "p",
        "accept_state": "A",
        "reject_state": "R",
        "name": "m",
        **changes,
    }


def first(rule):
    return {"transitions": {"p": ROW | {("a", "a"): rule}}}


FAULTS = {
    "no states": ({"states": []}, "there are no states"),
    "states no collection": ({"states": 3}, "states is 3: give a collection"),
    "states alike": ({"states": ["p", "A", "R", 1, "1"]}, "states 1 and '1' have the same name"),
    "symbol not text": ({"stack_symbols": ["a", 3]}, "stack symbol 3 is not a string"),
    "symbol empty": ({"stack_symbols": ["a", ""]}, "stack symbol '' is empty"),
    "no symbols": ({"stack_symbols": [], "input_symbols": []}, "there are no stack symbols"),
    "input unknown": ({"input_symbols": ["a", "b"]}, "input symbol 'b' is not a stack symbol"),
    "no stacks": ({"stacks": 0}, "stacks is 0: give a whole number from 1 to 64"),
    "stacks not a number": ({"stacks": "2"}, "stacks is '2'"),
    "one stack as truth": ({"stacks": True}, "stacks is True"),
    "far too many stacks": ({"stacks": 10**9}, "stacks is 1000000000"),
    "many stacks": ({"stacks": 64}, "undefined transition from state 'p' on"),
    "initial unknown": ({"initial_state": "z"}, "initial state 'z' is not one of the states"),
    "accept unknown": ({"accept_state": "z"}, "accept state 'z' is not one of the states"),
    "accept is reject": ({"reject_state": "A"}, "accept and reject state are both 'A'"),
    "halt and accept": ({"states": ["p", "A", "R", "H"], "halt_state": "H"}, "a machine with a halt state gives no"),
    "row unknown": ({"transitions": {"p": ROW, "z": ROW}}, "transitions of 'z', which is not one of the states"),
    "row of halting": ({"transitions": {"p": ROW, "A": ROW}}, "transitions of 'A', which is a halting state"),
    "rule is text": (first("p"), "transition from 'p' on ('a', 'a') is 'p': write (next state, operations)"),
    "rule is none": (first(None), "transition from 'p' on ('a', 'a') is None"),
    "operations are text": (first(("p", "pop")), "transition from 'p' on ('a', 'a') is ('p', 'pop')"),
    "one operation": (first(("p", (POP,))), "has operations for 1 stacks: there are 2"),
    "operation unknown": (first(("p", (POP, ("peek",)))), "does ('peek',): write ('keep',), ('pop',) or"),
    "pushes unknown": (first(("p", (POP, push("b")))), "does ('push', 'b')"),
    "goes to unknown": (first(("z", (POP, POP))), "goes to 'z', which is not one of the states"),
    "reads too little": ({"transitions": {"p": ROW | {("a",): RULE}}}, "on ('a',) is of no reading"),
    "reads text": ({"transitions": {"p": ROW | {"aa": RULE}}}, "on 'aa' is of no reading"),
    "undefined row": ({"transitions": {}}, "undefined transition from state 'p' on ('a', 'a'), ('a', ''), ('', 'a')"),
    "undefined rule": ({"transitions": {"p": {("a", "a"): RULE}}}, "undefined transition from state 'p' on ('a', '')"),
    "name no text": ({"name": 3}, "name is 3: give text"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_told(fault):
    changes, words = FAULTS[fault]
    with pytest.raises(MachineError) as caught:
        StackMachine(**definition(**changes))
    assert any(words in text for text in caught.value.faults), caught.value.faults


def test_all_faults_are_told_at_once():
    with pytest.raises(MachineError) as caught:
        StackMachine(**definition(initial_state="z", accept_state="y", input_symbols="ab", transitions={"p": {}}))
    assert len(caught.value.faults) == 5  # A is no halting state now, and has no rules


def test_lists_are_taken_for_tuples():
    listed = {r: ["p", [["keep"], ["pop"]]] for r in TOPS}
    assert StackMachine(**definition(transitions={"p": listed})) == StackMachine(**definition())


def plain_run(machine, word, moves):
    """Run with strings of one letter symbols, tops first."""
    state, stacks = machine.initial_state, ["".join(word)] + [""] * (machine.stacks - 1)
    path = [(state, *stacks)]
    while state not in machine.halting_states and len(path) <= moves:
        state, operations = machine.transitions[state][tuple(s[:1] for s in stacks)]
        for i, operation in enumerate(operations):
            stacks[i] = {"keep": stacks[i], "pop": stacks[i][1:], "push": operation[-1] + stacks[i]}[operation[0]]
        path.append((state, *stacks))
    return path


@st.composite
def machines_and_words(draw):
    machine = draw(stack_machines(max_stacks=3, max_symbols=3))
    return machine, draw(words(machine.input_symbols))


@given(machines_and_words(), st.integers(0, 30))
def test_runs_agree_with_a_plain_interpreter(pair, moves):
    machine, word = pair
    path = plain_run(machine, word, moves)
    run = interpret(machine, word, max_steps=moves)
    assert run.steps == len(path) - 1
    seen = [(c.state, *map("".join, c.stacks)) for c, _ in zip(configurations(machine, word), path, strict=False)]
    assert seen == path
    assert (run.configuration.state, *map("".join, run.configuration.stacks)) == path[-1]
    ends = {machine.accept_state: Outcome.ACCEPTED, machine.reject_state: Outcome.REJECTED}
    ends |= {machine.halt_state: Outcome.HALTED}
    ends.pop(None, None)
    assert run.outcome is ends.get(path[-1][0], Outcome.STEP_LIMIT)


def test_the_word_is_on_the_first_stack_with_its_first_symbol_on_top():
    machine = StackMachine(**definition(input_symbols="ab", stack_symbols="ab", transitions={"p": {
        (x, y): ("A", (KEEP, KEEP)) for x in ("a", "b", EMPTY) for y in ("a", "b", EMPTY)}}))  # fmt: skip
    path = list(configurations(machine, "ab"))
    assert path[0] == StackConfiguration(state="p", stacks=(("a", "b"), ()))
    assert str(path[1]) == "A: a b | (empty)"
    with pytest.raises(WordError, match="symbol 'c' at position 1"):
        interpret(machine, "ac")


def test_popping_an_empty_stack_leaves_it_empty():
    popping = {r: ("p" if r[0] else "A", (POP, POP)) for r in TOPS}
    run = interpret(StackMachine(**definition(transitions={"p": popping})), "aa")
    assert (run.steps, str(run.configuration)) == (3, "A: (empty) | (empty)")
