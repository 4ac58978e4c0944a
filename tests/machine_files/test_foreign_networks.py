"""Machines from files of other programs in every construction that compiles them, beside the direct interpreter.

The interpreter agrees with a second one of each format in the tests beside this one.
"""

from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest

import exactnn as xn
from exactnn.automata import MultiTapeTuringMachine, Transducer, interpret
from exactnn.constructions import constructions_for
from exactnn.machine_files import load
from tests.public_calls import stack_machine

FILES = sorted((Path(__file__).parent / "foreign").iterdir())
MOST_MOVES = 60
LARGE = {"real_time_stacks", "siegelmann_sontag_book"}
"""Constructions of thousands of units."""

TOO_LARGE = {("count-as.yaml", "layered_stacks"), ("marked-reversal-pushdown.jff", "real_time_stacks")}
"""Networks with a unit for each of thousands of rules: smaller machines of two tapes, and of stacks, are built."""


@cache
def machine_of(path):
    """Return the machine of a file; of one with several tapes the stack machine that does the same."""
    machine = load(path)
    return xn.from_turing_machine(machine).machine if isinstance(machine, MultiTapeTuringMachine) else machine


def cases():
    for path in FILES:
        machine = load(path)
        of_tapes = isinstance(machine, MultiTapeTuringMachine)  # a stack machine like any other, and long to build
        many_rules = of_tapes and len(machine.tape_symbols) > 4
        for name in constructions_for(stack_machine() if of_tapes else machine):
            if (path.name, name) in TOO_LARGE:
                continue
            marks = (
                pytest.mark.by_hand if name in LARGE or many_rules or (of_tapes and name == "layered_stacks") else ()
            )
            yield pytest.param(path, name, id=f"{path.name}-{name}", marks=marks)


@pytest.mark.parametrize(("path", "name"), list(cases()))
def test_every_construction(path, name):
    machine = machine_of(path)
    if name == "real_time_stacks" and machine.stacks > 2:
        with pytest.raises(xn.ExactnnError, match="the most that"):
            xn.compile(machine, name)
        return
    net = xn.compile(machine, name)
    words = [word for n in range(4) for word in product(machine.input_symbols, repeat=n)]
    for word in islice(words, 2 if name in LARGE or name == "layered_stacks" else 12):
        direct = interpret(machine, word, max_steps=MOST_MOVES)
        if direct.outcome is xn.Outcome.STEP_LIMIT:
            continue
        found = xn.run(net, word)
        assert found.outcome is direct.outcome, word
        if isinstance(machine, Transducer):
            assert not word or net.said(found.outputs[-1]) == direct.output, word
        else:
            assert found.machine_steps == direct.steps, word
