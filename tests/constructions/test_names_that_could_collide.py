"""A machine may call its states and symbols what it likes: no name means anything to a network."""

from collections.abc import Callable
from itertools import product

import pytest
from every_construction import OF_DFAS, OF_TURING_MACHINES, every

import exactnn as xn
from exactnn.automata import LOST, TapeConfiguration

NAMES = ["symbol", "start", "state", "left", "right", "(load)", "?", "EOS", "0", "a b", "$", "halted"]


@every(OF_DFAS)
@pytest.mark.parametrize("name", NAMES)
def test_states_of_automata(name: str, compiled: Callable[..., xn.Construction]) -> None:
    dfa = xn.DFA(
        states=["x", name], input_symbols="ab", initial_state="x", final_states=[name],
        transitions={"x": {"a": name, "b": "x"}, name: {"a": "x", "b": name}},
    )  # fmt: skip
    net = compiled(dfa)
    for length in range(5):
        for word in product("ab", repeat=length):
            run = xn.run(net, word)
            truth = xn.interpret(dfa, word)
            assert run.verdict is truth.verdict
            assert net.decode(run.final_state) == truth.configuration


@every(OF_TURING_MACHINES)
@pytest.mark.parametrize("name", NAMES)
def test_states_and_tape_symbols(name: str, compiled: Callable[..., xn.Construction]) -> None:
    machine = xn.TuringMachine(
        states=[name, "back", "yes"], input_symbols=["a"], tape_symbols=["_", "a", name],
        transitions={
            name: {"a": (name, name, "R"), "_": ("back", "a", "L"), name: ("yes", "a", "R")},
            "back": {"a": ("yes", name, "R"), "_": ("yes", name, "L"), name: ("back", "a", "L")},
        },
        initial_state=name, blank_symbol="_", accept_state="yes",
    )  # fmt: skip
    net = compiled(machine)
    for word in ("", "a", "aaa"):
        truth = xn.interpret(machine, word, max_steps=30)
        set_up = net.set_up_steps(len(word))
        pace = net.steps_per_move
        run = xn.run(net, word, max_steps=set_up + 30 * pace, record="all")
        assert (run.outcome, run.machine_steps) == (truth.outcome, truth.steps)
        path = zip(run.trace.states[set_up::pace], xn.configurations(machine, word), strict=False)
        assert all(net.decode(state) == configuration for state, configuration in path)


def test_a_lost_cell_is_not_the_symbol_that_prints_alike() -> None:
    lost = TapeConfiguration(state="q", left=(), scanned=LOST, right=())
    assert lost != TapeConfiguration(state="q", left=(), scanned="?", right=())
    assert lost == TapeConfiguration(state="q", left=(), scanned=LOST, right=())
    assert str(lost) == "q: [?]"
