"""Machines with several tapes beside a plain interpreter, and Turing machines on stacks: one move for each move."""

from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import HALTING, LETTERS, stack_machines, turing_machines, words

from exactnn.automata import (
    MultiTapeTuringMachine,
    StackConfiguration,
    TapeConfiguration,
    TuringMachine,
    configurations,
    from_turing_machine,
    interpret,
)
from exactnn.constructions import layered_stacks, merged_stacks, real_time_stacks
from exactnn.errors import MachineError
from exactnn.machine_files import load
from exactnn.outcome import Outcome
from exactnn.simulation import run
from tests.promptness import promptly

MOVES = 25


@st.composite
def multi_tape_machines(draw, *, max_states=2, max_symbols=3, max_tapes=2):
    """Total machines with several tapes, of every kind."""
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = "_" + LETTERS[: draw(st.integers(1, max_symbols - 1))]
    tapes = draw(st.integers(1, max_tapes))
    halting = draw(st.sampled_from(HALTING))
    target = st.sampled_from([*states, *states, *halting.values()])
    written, moves = (st.tuples(*[st.sampled_from(choice)] * tapes) for choice in (symbols, "LRS"))
    rule = st.tuples(target, written, moves)
    return MultiTapeTuringMachine(
        states=[*states, *halting.values()],
        input_symbols=symbols[1 : draw(st.integers(1, len(symbols)))],
        tape_symbols=symbols,
        tapes=tapes,
        transitions={q: {r: draw(rule) for r in product(symbols, repeat=tapes)} for q in states},
        initial_state="q0",
        blank_symbol="_",
        tape=draw(st.sampled_from(["semi_infinite", "two_way_infinite"])),
        **halting,
    )


@st.composite
def machines_and_words(draw, machines):
    machine = draw(machines)
    return machine, draw(words(machine.input_symbols, max_size=5))


def plain_path(machine, word, moves):
    """Yield (state, heads, tapes) with dictionaries for the tapes: cells that are not blank only."""
    state, heads = machine.initial_state, [0] * machine.tapes
    tapes = [dict(enumerate(word)), *({} for _ in range(machine.tapes - 1))]
    for _ in range(moves + 1):
        yield state, tuple(heads), [{i: a for i, a in tape.items() if a != machine.blank_symbol} for tape in tapes]
        if state in machine.halting_states:
            return
        seen = tuple(tape.get(head, machine.blank_symbol) for tape, head in zip(tapes, heads, strict=True))
        state, written, directions = machine.transitions[state][seen]
        for i, (a, direction) in enumerate(zip(written, directions, strict=True)):
            tapes[i][heads[i]] = a
            heads[i] += {"L": -1, "R": 1, "S": 0}[direction]
            if machine.tape == "semi_infinite":
                heads[i] = max(0, heads[i])


@given(machines_and_words(multi_tape_machines()))
def test_runs_agree_with_a_plain_interpreter(pair):
    machine, word = pair
    plain = list(plain_path(machine, word, MOVES))
    path = list(islice(configurations(machine, word), MOVES + 1))
    assert [c.state for c in path] == [state for state, _, _ in plain]
    for configuration, (_, heads, tapes) in zip(path, plain, strict=True):
        for (left, scanned, right), head, tape in zip(configuration.tapes, heads, tapes, strict=True):
            cells = dict(enumerate([*reversed(left), scanned, *right], head - len(left)))
            assert {i: a for i, a in cells.items() if a != machine.blank_symbol} == tape
            assert machine.tape == "two_way_infinite" or len(left) == head
    done = interpret(machine, word, max_steps=MOVES)
    assert (done.steps, done.configuration) == (len(path) - 1, path[-1])


@given(machines_and_words(turing_machines()))
def test_one_tape_is_a_turing_machine(pair):
    machine, word = pair
    parts = {name: getattr(machine, name) for name in TuringMachine.__dataclass_fields__ if name != "transitions"}
    table = {q: {(a,): (r[0], (r[1],), (r[2],)) for a, r in row.items()} for q, row in machine.transitions.items()}
    several = MultiTapeTuringMachine(tapes=1, transitions=table, **parts)
    one, other = (interpret(m, word, max_steps=MOVES) for m in (machine, several))
    assert (one.outcome, one.steps) == (other.outcome, other.steps)
    (tape,) = other.configuration.tapes
    assert (one.configuration.left, one.configuration.scanned, one.configuration.right) == tape
    assert str(one.configuration) == str(other.configuration)


def check_stacks(machine, word, moves=MOVES):
    """Run a machine and its stacks on `word` side by side: one move each, one before and one after."""
    stacks = from_turing_machine(machine)
    path = list(islice(configurations(machine, word), moves + 1))
    halted = path[-1].state in machine.halting_states
    still = machine.initial_state in machine.halting_states
    onto = list(islice(configurations(stacks.machine, word), len(path) + (1 + halted if not still else 0)))
    assert stacks.decode(onto[0]) == path[0]
    if not still:
        assert [stacks.decode(c) for c in onto[1 : len(path) + 1]] == path
        assert [stacks.decode(stacks.encode(c)) for c in path] == path
    direct = interpret(machine, word, max_steps=moves)
    done = interpret(stacks.machine, word, max_steps=stacks.moves(moves))
    assert done.outcome is direct.outcome
    if halted:
        assert done.steps == stacks.moves(direct.steps)
        assert stacks.decode(done.configuration) == direct.configuration


@given(machines_and_words(turing_machines()))
def test_a_turing_machine_on_two_stacks(pair):
    assert from_turing_machine(pair[0]).machine.stacks == 2
    check_stacks(*pair)


@settings(max_examples=8)
@given(machines_and_words(multi_tape_machines()))
def test_several_tapes_on_twice_as_many_stacks(pair):
    assert from_turing_machine(pair[0]).machine.stacks == 2 * pair[0].tapes
    check_stacks(*pair)


@pytest.mark.parametrize("name", ["anbn", "palindrome", "binary-increment", "first-equals-last"])
def test_machines_of_the_zoo(name):
    machine = load(name)
    for length in range(5):
        for word in product(machine.input_symbols, repeat=length):
            check_stacks(machine, word, moves=60)


@pytest.mark.parametrize(("name", "steps"), [("bb2", 6), ("bb3", 21), ("bb4", 107), ("bb2x3", 38)])
def test_busy_beavers(name, steps):
    stacks = from_turing_machine(load(name))
    done = interpret(stacks.machine)
    assert (done.outcome, done.steps) == (Outcome.HALTED, steps + 2)
    assert stacks.decode(done.configuration) == interpret(load(name)).configuration


@pytest.mark.parametrize("compiled", [layered_stacks, merged_stacks, real_time_stacks])
def test_from_tape_over_stacks_to_a_network(compiled):
    stacks = from_turing_machine(load("bb2"))
    net = compiled(stacks.machine)
    done = run(net)
    assert (done.outcome, done.steps) == (Outcome.HALTED, stacks.moves(6))
    assert str(stacks.decode(net.decode(done.final_state))) == str(interpret(load("bb2")).configuration)


def test_a_tape_machine_in_the_layered_network():
    machine = load("anbn")
    stacks = from_turing_machine(machine)
    net = layered_stacks(stacks.machine)
    for word in ("", "a", "ab", "ba", "aabb", "aab"):
        done, direct = run(net, word), interpret(machine, word)
        assert (done.outcome, done.machine_steps) == (direct.outcome, stacks.moves(direct.steps))
        assert stacks.decode(net.decode(done.final_state)) == direct.configuration


def test_what_cannot_be_reached_cannot_be_encoded():
    stacks = from_turing_machine(load("bb2"))
    for state, scanned in (("Q", "0"), ("A", "x")):
        with pytest.raises(MachineError, match="no state stands for the configuration"):
            stacks.encode(TapeConfiguration(state=state, left=(), scanned=scanned, right=()))


@given(stack_machines())
def test_other_machines_have_no_tapes(machine):
    with pytest.raises(MachineError, match="it is a StackMachine: give a TuringMachine or a MultiTapeTuringMachine"):
        from_turing_machine(machine)


@pytest.mark.parametrize(("tapes", "symbols"), [(32, "_"), (8, "_a"), (3, "_abcdefgh")])
def test_too_many_rules_are_refused_at_once(tapes, symbols):
    machine = MultiTapeTuringMachine(
        states="qH",
        input_symbols=(),
        tape_symbols=symbols,
        tapes=tapes,
        transitions={"q": {read: ("H", read, "S" * tapes) for read in product(symbols, repeat=tapes)}},
        initial_state="q",
        blank_symbol="_",
        halt_state="H",
    )
    with promptly(), pytest.raises(MachineError, match="500000 are the most: give it fewer tapes or tape symbols"):
        from_turing_machine(machine)


def test_odd_names_of_states():
    """States that are tuples, or look like those that the stack machine adds."""
    for name in [("p",), ("A",), ("p", "a"), 1, None]:
        machine = TuringMachine(
            states=[name, "p", "A"], input_symbols="a", tape_symbols="a_",
            transitions={name: {"a": ("p", "a", "R"), "_": ("A", "a", "R")}, "p": {"a": (name, "_", "R"),
                         "_": ("A", "_", "L")}},
            initial_state=name, blank_symbol="_", accept_state="A",
        )  # fmt: skip
        for word in ("", "a", "aa"):
            check_stacks(machine, word)


RULE = ("p", ("a", "_"), ("S", "L"))
ROW = dict.fromkeys(product("a_", repeat=2), RULE)


def definition(**changes):
    return {
        "states": ["p", "A"], "input_symbols": ["a"], "tape_symbols": ["a", "_"], "tapes": 2, "transitions": {"p": ROW},
        "initial_state": "p", "blank_symbol": "_", "accept_state": "A", **changes,
    }  # fmt: skip


def first(rule):
    return {"transitions": {"p": ROW | {("a", "a"): rule}}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tapes": 0}, "tapes is 0: give a whole number from 1 to 32"),
        ({"tapes": "2"}, "tapes is '2'"),
        ({"tapes": 10**9}, "tapes is 1000000000"),
        ({"blank_symbol": "#"}, "blank symbol '#' is not one of the tape symbols"),
        ({"input_symbols": ["_"]}, "cannot be an input symbol"),
        ({"input_symbols": ["b"]}, "input symbol 'b' is not a tape symbol"),
        ({"tape": "round"}, "tape 'round' is unknown"),
        ({"transitions": {}}, "undefined transition from state 'p' on"),
        ({"transitions": {"p": ROW, "A": ROW}}, "transitions of 'A', which is a halting state"),
        ({"transitions": {"p": ROW, "z": ROW}}, "transitions of 'z', which is not one of the states"),
        ({"transitions": {"p": ROW | {("a",): RULE}}}, "reads something else than a tuple of 2 tape symbols"),
        (first(("z", ("a", "a"), "LR")), "goes to 'z'"),
        (first(("p", ("a",), "LR")), "give 2 tape symbols"),
        (first(("p", ("a", "x"), "LR")), "give 2 tape symbols"),
        (first(("p", ("a", "a"), "L")), "give 2 of 'L', 'R' and 'S'"),
        (first(("p", ("a", "a"), "LX")), "give 2 of 'L', 'R' and 'S'"),
        (first("p"), "is 'p': write (next state, written symbols, moves)"),
    ],
)
def test_faults_are_told(changes, message):
    with pytest.raises(MachineError) as caught:
        MultiTapeTuringMachine(**definition(**changes))
    assert any(message in fault for fault in caught.value.faults), caught.value.faults


def test_moves_may_be_a_text():
    assert MultiTapeTuringMachine(**definition(**first(("p", "aa", "LR")))).transitions["p"]["a", "a"].moves == (
        "L",
        "R",
    )


def test_a_configuration_of_a_stack_machine_is_no_tape():
    assert str(StackConfiguration(state="q", stacks=(("a",), ("b", "c")))) == "q: a | b c"
