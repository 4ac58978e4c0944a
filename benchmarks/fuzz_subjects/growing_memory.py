"""Networks whose neurons hold a few cells each, beside their machine: on any tape, and while neurons are added.

A network with memory enough begins with a long tape, which it stores and fetches from the first move on. `run_growing`
reads a word, and is stopped anywhere. In a format with the bits needed both have to be right as in exact arithmetic.
"""

from dataclasses import replace
from itertools import islice

from hypothesis import strategies as st
from strategies import tape_configurations

import exactnn as xn
from exactnn.arithmetic import Arithmetic
from exactnn.automata import TapeConfiguration, configurations
from exactnn.constructions import bits_needed, growing_memory, run_growing
from exactnn.strategies import turing_machines, words
from fuzz_subjects.subject import Subject
from tests.constructions.seeded_machines import next_configuration, reachable

__all__ = ["GROWING_MEMORY"]

BITS_NEEDED = "bits needed"
EXACT = {"exact": xn.EXACT, "rational": xn.RATIONAL}
CELLS, MOVES = 12, 12

Case = tuple[xn.TuringMachine, int, TapeConfiguration, tuple[str, ...], int]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A machine, the cells of a number, a configuration to begin with; a word, and the moves after it."""
    machine = draw(turing_machines(max_states=4, max_symbols=4, shuffled=True))
    precision = draw(st.integers(1, 4))
    working = [q for q in reachable(machine) if q in machine.transitions]
    begun = draw(tape_configurations(machine, states=working, max_size=CELLS))
    word = draw(words(machine.input_symbols, max_size=8))
    return machine, precision, begun, word, draw(st.integers(0, 2 * MOVES))


def arithmetic_of(name: str, machine: xn.TuringMachine, precision: int) -> Arithmetic:
    if name != BITS_NEEDED:
        return EXACT[name]
    return xn.FloatFormat(precision=bits_needed(machine, precision=precision), exponent_bits=8)


def check(arithmetic: str, case: Case) -> None:
    machine, precision, begun, word, moves = case
    numbers = arithmetic_of(arithmetic, machine, precision)
    told = f"{machine!r}, {precision} cells to a number in {arithmetic}"
    path = [begun]
    while len(path) <= MOVES and path[-1].state in machine.transitions:
        path.append(next_configuration(machine, path[-1]))
    check_path(machine, precision, path, numbers, f"{told}, from {begun}")
    check_growing(machine, precision, word, moves, numbers, f"{told}, {moves} moves on {word}")


def ending(machine: xn.TuringMachine, last: TapeConfiguration) -> xn.Outcome:
    """Return the outcome of a run that ends with this configuration, or is stopped there."""
    outcomes = {
        machine.accept_state: xn.Outcome.ACCEPTED,
        machine.reject_state: xn.Outcome.REJECTED,
        machine.halt_state: xn.Outcome.HALTED,
    }
    return outcomes.get(last.state, xn.Outcome.STEP_LIMIT)


def check_path(
    machine: xn.TuringMachine, precision: int, path: list[TapeConfiguration], numbers: Arithmetic, told: str
) -> None:
    """Compare every configuration from a tape on, and when the network says that the machine halts."""
    net = growing_memory(machine, precision=precision, modules=(CELLS + MOVES) // precision + 1)
    network = replace(net.network, initial_state=net.encode(path[0]))
    run = xn.run(network, [], arithmetic=numbers, max_steps=len(path) - 1, record="all")
    outcome = xn.Outcome.NON_HALTING if run.cycle else ending(machine, path[-1])
    for step, (expected, values) in enumerate(zip(path, run.trace, strict=run.cycle is None)):
        found = net.decode(values)
        assert found == expected, f"{told}: {found} after {step} moves, not {expected}"
    assert run.outcome is outcome, f"{told}: {run!r}, and the machine is at {path[-1]}"
    assert run.cycle is None or path[-1].state in machine.transitions, f"{told}: {run!r}, and the machine halts"


def check_growing(
    machine: xn.TuringMachine, precision: int, word: tuple[str, ...], moves: int, numbers: Arithmetic, told: str
) -> None:
    """Compare the end of a run that recruits neurons: outcome, steps and configuration."""
    path = list(islice(configurations(machine, word), moves + 1))
    set_up = growing_memory(machine, precision=1, modules=0).set_up_steps(len(word))
    run = run_growing(machine, word, precision=precision, arithmetic=numbers, max_steps=set_up + moves)
    assert run.configuration == path[-1], f"{told}: {run.configuration}, not {path[-1]}"
    expected = (ending(machine, path[-1]), set_up + len(path) - 1, len(path) - 1)
    found = (run.outcome, run.steps, run.machine_steps)
    assert found == expected, f"{told}: {found}, not {expected}"
    space = max(max(len(at.left), len(at.right)) for at in path)
    assert run.modules <= 3 + space // precision, f"{told}: {run.modules} memory neurons for {space} cells"


GROWING_MEMORY = Subject(cases=cases, check=check, arithmetics=(*EXACT, BITS_NEEDED))
