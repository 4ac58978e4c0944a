"""From a machine to a construction by name."""

from collections.abc import Callable
from typing import Any

from exactnn.automata import DFA, CounterMachine, Machine, StackMachine, TuringMachine
from exactnn.constructions.carmantini import carmantini
from exactnn.constructions.chung_siegelmann import chung_siegelmann
from exactnn.constructions.construction import Construction
from exactnn.constructions.layered_stacks import layered_stacks
from exactnn.constructions.lstm_counter import lstm_counter
from exactnn.constructions.minsky import minsky
from exactnn.constructions.real_time_stacks import real_time_stacks
from exactnn.constructions.siegelmann_sontag import siegelmann_sontag
from exactnn.constructions.siegelmann_sontag_book import siegelmann_sontag_book
from exactnn.constructions.state_grid import state_grid
from exactnn.errors import ConstructionError, shown

__all__ = ["CONSTRUCTIONS", "compile", "constructions_for"]

CONSTRUCTIONS: dict[str, tuple[type, Callable[[Any], Construction]]] = {
    "minsky": (DFA, minsky),
    "state_grid": (DFA, state_grid),
    "siegelmann_sontag": (TuringMachine, siegelmann_sontag),
    "siegelmann_sontag_book": (TuringMachine, siegelmann_sontag_book),
    "chung_siegelmann": (TuringMachine, chung_siegelmann),
    "carmantini": (TuringMachine, carmantini),
    "layered_stacks": (StackMachine, layered_stacks),
    "real_time_stacks": (StackMachine, real_time_stacks),
    "lstm_counter": (CounterMachine, lstm_counter),
}
"""Name of each construction, with the kind of machine that it compiles. The first that fits is the default."""


def constructions_for(machine: Machine) -> tuple[str, ...]:
    """Return the names of the constructions that compile this kind of machine, the default first."""
    return tuple(name for name, (kind, _) in CONSTRUCTIONS.items() if isinstance(machine, kind))


def compile(machine: Machine, *, construction: str | None = None) -> Construction:
    """Return `machine` as a network, with the theorem that links them.

    Parameters
    ----------
    machine : DFA, TuringMachine, StackMachine or CounterMachine
    construction : str, optional
        A name of :data:`CONSTRUCTIONS`; by default the first that compiles this kind of machine.

    Raises
    ------
    ConstructionError
        If there is no such construction, or it does not compile this kind of machine.

    Examples
    --------
    >>> from exactnn.automata import DFA
    >>> everything = DFA(states=["q"], input_symbols=["a"], transitions={"q": {"a": "q"}},
    ...                  initial_state="q", final_states=["q"], name="a*")
    >>> compile(everything)
    <minsky of a*: 2 neurons>
    """
    fitting = constructions_for(machine)
    if not fitting:
        remedy = "give a DFA, a TuringMachine, a StackMachine or a CounterMachine"
        remedy = f"give exactnn.load({shown(machine)})" if isinstance(machine, str) else remedy
        raise ConstructionError(f"no construction compiles {shown(machine)}: {remedy}")
    name = fitting[0] if construction is None else construction
    if name not in fitting:
        fault = f"does not compile a {type(machine).__name__}" if name in CONSTRUCTIONS else "is unknown"
        raise ConstructionError(f"construction {shown(name)} {fault}: choose one of {', '.join(fitting)}")
    return CONSTRUCTIONS[name][1](machine)
