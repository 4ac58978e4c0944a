"""The constructions that tests go by: those of `CONSTRUCTIONS`, and a machine of each kind that they compile."""

import pytest

from exactnn import constructions
from exactnn.automata import (
    DFA,
    EMPTY,
    POP,
    CounterMachine,
    MealyMachine,
    MooreMachine,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
)
from exactnn.constructions import CONSTRUCTIONS

PARITY = DFA(
    states=["even", "odd"],
    input_symbols="01",
    transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    initial_state="even",
    final_states=["odd"],
)

A_STAR = TuringMachine(
    states="pA",
    input_symbols="a",
    tape_symbols="a_",
    transitions={"p": {"a": ("p", "a", "R"), "_": ("A", "_", "L")}},
    initial_state="p",
    blank_symbol="_",
    accept_state="A",
    name="a*",
)

A_STAR_ON_A_STACK = StackMachine(
    states="pA",
    input_symbols="a",
    stack_symbols="a",
    stacks=1,
    transitions={"p": {("a",): ("p", (POP,)), (EMPTY,): ("A", (POP,))}},
    initial_state="p",
    accept_state="A",
    name="a* on a stack",
)

SOME_A = CounterMachine(
    states="p",
    input_symbols="a",
    counters=1,
    transitions={"p": {"a": {(0,): ("p", (1,)), (1,): ("p", (1,))}}},
    initial_state="p",
    acceptance=[("p", (1,))],
    name="some a",
)

COUNT_A = WeightedAutomaton(
    input_symbols="a", initial=[1, 0], transitions={"a": [[1, 1], [0, 1]]}, final=[0, 1], name="number of a"
)

REMAINDER = MooreMachine(
    states="012",
    input_symbols="01",
    transitions={"0": {"0": "0", "1": "1"}, "1": {"0": "2", "1": "0"}, "2": {"0": "1", "1": "2"}},
    initial_state="0",
    outputs={"0": "none", "1": "one", "2": "two"},
)

EDGES = MealyMachine(
    states=["low", "high"],
    input_symbols="01",
    transitions={q: {"0": "low", "1": "high"} for q in ("low", "high")},
    initial_state="low",
    outputs={"low": {"0": "same", "1": "up"}, "high": {"0": "down", "1": "same"}},
)

EXAMPLES = {
    DFA: PARITY,
    MooreMachine: REMAINDER,
    MealyMachine: EDGES,
    TuringMachine: A_STAR,
    StackMachine: A_STAR_ON_A_STACK,
    CounterMachine: SOME_A,
    WeightedAutomaton: COUNT_A,
}
"""A machine of each kind; a construction of a new kind needs one here."""


def of_kind(kind):
    """Return the functions of the constructions that compile a kind of machine."""
    return [getattr(constructions, name) for name, compiled in CONSTRUCTIONS.items() if compiled is kind]


def every(functions):
    """Return the mark that gives a test each of `functions` as its argument `compiled`."""
    return pytest.mark.parametrize("compiled", functions)


OF_DFAS = of_kind(DFA)
OF_TURING_MACHINES = of_kind(TuringMachine)
OF_STACK_MACHINES = of_kind(StackMachine)
OF_COUNTER_MACHINES = of_kind(CounterMachine)


def weight_field_of(network):
    """Return "Z" if all weights of a network are whole numbers, else "Q"."""
    units = [*(unit for layer in network.circuit.layers for unit in layer), *network.readout]
    numbers = [w for unit in units for w in (unit.bias, *(term[-1] for term in (*unit.linear, *unit.bilinear)))]
    return "Z" if all(w.denominator == 1 for w in numbers) else "Q"
