"""From a machine to a construction by name: which there are, and how large the networks are."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from exactnn.automata import (
    DFA,
    CounterMachine,
    Machine,
    MealyMachine,
    MooreMachine,
    MultiTapeTuringMachine,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
    machine_of,
)
from exactnn.constructions.construction import Construction
from exactnn.errors import ConstructionError, shown
from exactnn.interrupts import loaded

__all__ = ["CONSTRUCTIONS", "REGISTERED", "compile", "constructions_for"]


class Registered(NamedTuple):
    """The kind of machine that a construction compiles, and how large its networks are.

    `units`, `growth` of the exact numbers, and `base` are formulas in the letters of `docs/constructions.md`.
    """

    machine: type[Machine]
    units: str
    growth: str
    base: str


REGISTERED = {
    "minsky": Registered(DFA, "1 + Q m", "none: numbers are 0 and 1", "none"),
    "state_grid": Registered(
        DFA,
        "least (m + 1) C + R - 2 over grids of R by C >= Q states, R >= 2",
        "none: log2 Q bits",
        "none",
    ),
    "minsky_moore": Registered(MooreMachine, "1 + Q m", "none: numbers are 0 and 1", "none"),
    "minsky_mealy": Registered(MealyMachine, "1 + Q m", "none: numbers are 0 and 1", "none"),
    "siegelmann_sontag": Registered(
        TuringMachine,
        "Q + (m - 1) (P + H) + 2 (m + 1) + h, and what reading and a left end take",
        "log2 B bits for each cell of the tape",
        "B = least power of two from 2 m - 1, with a left end from 2 m + 1",
    ),
    "siegelmann_sontag_book": Registered(
        TuringMachine,
        "1 + 2 (1 + 2 G) + h + (2 + 2 G) (G + R + L G), G = m + 1, if it reads",
        "2 bits for each cell of the tape",
        "4",
    ),
    "chung_siegelmann": Registered(
        TuringMachine,
        "2 m + ceil(log2 Q) + Q m + 5 + h, 3 more with a left end, and what reading takes",
        "log2 B bits for each cell of the tape",
        "B = least power of two above 2 (m - 1), and at least 4, with a left end above 2 m",
    ),
    "carmantini": Registered(
        TuringMachine,
        "2 + Q m + m + 2 Q m^2 + 4 h, with a left end 2 + Q (m + 1) + m + 2 Q m (m + 1) + 4 h, and what reading takes",
        "log2 B bits for each cell of the tape",
        "B = least power of two from m, left of the head and with a left end from m + 1",
    ),
    "layered_stacks": Registered(
        StackMachine,
        "p m + Q (m + 1)^p + p (m + 2) + Q + h + p, and what reading takes",
        "log2 B bits for each symbol on a stack",
        "2 m",
    ),
    "merged_stacks": Registered(
        StackMachine,
        "p m + R + p (m + 2) + Q + h + p, R boxes of alike rules, and what reading takes",
        "log2 B bits for each symbol on a stack",
        "2 m",
    ),
    "real_time_stacks": Registered(
        StackMachine,
        "(Q + h) (m + 1)^(2 p) + m (m + 2) p, and what reading takes",
        "log2 B bits for each symbol on a stack",
        "5 p (2 p)^(m - 1)",
    ),
    "lstm_counter": Registered(
        CounterMachine,
        "1 + 4 k + (m + 1) M memory cells, M <= C 2^k",
        "log2 n bits for the count n",
        "none",
    ),
    "second_order_network": Registered(
        WeightedAutomaton,
        "Q",
        "as the weights: at most their bits for each symbol",
        "none",
    ),
}
"""The constructions by name, which is that of a function of this folder; of each kind of machine the default first."""

CONSTRUCTIONS: dict[str, type[Machine]] = {name: entry.machine for name, entry in REGISTERED.items()}
"""Name of each construction, with the kind of machine that it compiles.

The first that fits is the default.
"""


def constructions_for(machine: Machine) -> tuple[str, ...]:
    """Return the names of the constructions that compile this kind of machine, the default first."""
    return tuple(name for name, kind in CONSTRUCTIONS.items() if isinstance(machine, kind))


def compile(machine: Machine | str, construction: str | None = None) -> Construction:
    """Return `machine` as a network, with the theorem that links them.

    Parameters
    ----------
    machine : DFA, MooreMachine, MealyMachine, TuringMachine, StackMachine, CounterMachine, WeightedAutomaton, or str
        A name is that of a machine of the zoo, or what else :func:`exactnn.load` takes: paths, and machines of
        automata-lib.
    construction : str, optional
        A name of :data:`CONSTRUCTIONS`; by default the first that compiles this kind of machine.

    Raises
    ------
    ConstructionError
        If there is no such construction, or it does not compile this kind of machine.
    MachineFileError
        If there is no machine of that name.

    Examples
    --------
    >>> from exactnn.automata import DFA
    >>> everything = DFA(states=["q"], input_symbols=["a"], transitions={"q": {"a": "q"}},
    ...                  initial_state="q", final_states=["q"], name="a*")
    >>> compile(everything)
    <minsky of a*: 2 neurons>
    """
    given: Machine = machine_of(machine)
    fitting = constructions_for(given)
    if not fitting:
        *kinds, last = dict.fromkeys(f"a {kind.__name__}" for kind in CONSTRUCTIONS.values())
        remedy = f"give {', '.join(kinds)} or {last}"
        if isinstance(given, WeightedPushdownAutomaton):
            remedy = (
                "exactnn.nondeterministic_stack_rnn(machine, span=...) makes a network of it, for runs of that span"
            )
        if isinstance(given, MultiTapeTuringMachine):
            remedy = "exactnn.from_turing_machine(machine).machine is a stack machine that simulates it, and compiles"
        raise ConstructionError(f"no construction compiles {shown(given)}: {remedy}")
    name = fitting[0] if construction is None else construction
    if not isinstance(name, str) or name not in fitting:
        known = isinstance(name, str) and name in CONSTRUCTIONS
        fault = f"does not compile a {type(given).__name__}" if known else "is unknown"
        near = difflib.get_close_matches(name[:80], fitting, n=1) if isinstance(name, str) and not known else []
        hint = f"did you mean {near[0]}? " if near else ""
        raise ConstructionError(f"construction {shown(name)} {fault}: {hint}choose one of {', '.join(fitting)}")
    made: Construction = getattr(loaded("exactnn.constructions"), name)(given)
    return made
