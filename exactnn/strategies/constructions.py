"""Machines compiled to networks."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactnn.automata import (
    DFA,
    CounterMachine,
    Machine,
    MealyMachine,
    MooreMachine,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
)
from exactnn.constructions import CONSTRUCTIONS, Construction, compile
from exactnn.errors import OptionError, shown
from exactnn.strategies.machines import counter_machines, dfas, stack_machines, turing_machines
from exactnn.strategies.numbers import check_choices
from exactnn.strategies.pushdown_automata import weighted_pushdown_automata
from exactnn.strategies.weighted_automata import weighted_automata

__all__ = ["constructions", "machines_of_kind"]

_OUTPUTS = st.sampled_from(["x", "y", "z"])


@st.composite
def _moore_machines(draw: st.DrawFn, /, **bounds: Any) -> MooreMachine:
    """Draw a DFA, and an output for each state."""
    dfa = draw(dfas(**bounds))
    return MooreMachine(
        states=dfa.states,
        input_symbols=dfa.input_symbols,
        transitions=dfa.transitions,
        initial_state=dfa.initial_state,
        outputs={q: draw(_OUTPUTS) for q in dfa.states},
    )


@st.composite
def _mealy_machines(draw: st.DrawFn, /, **bounds: Any) -> MealyMachine:
    """Draw a DFA, and an output for each transition."""
    dfa = draw(dfas(**bounds))
    return MealyMachine(
        states=dfa.states,
        input_symbols=dfa.input_symbols,
        transitions=dfa.transitions,
        initial_state=dfa.initial_state,
        outputs={q: {a: draw(_OUTPUTS) for a in dfa.input_symbols} for q in dfa.states},
    )


_STRATEGIES: dict[type, Any] = {
    CounterMachine: counter_machines,
    DFA: dfas,
    MealyMachine: _mealy_machines,
    MooreMachine: _moore_machines,
    StackMachine: stack_machines,
    TuringMachine: turing_machines,
    WeightedAutomaton: weighted_automata,
    WeightedPushdownAutomaton: weighted_pushdown_automata,
}


def machines_of_kind(kind: type, **bounds: int) -> st.SearchStrategy[Machine]:
    """Machines of a kind that constructions compile.

    Parameters
    ----------
    kind : type
    bounds : int
        As the strategy of that kind takes them: `max_states`, `max_symbols`, and others.

    Raises
    ------
    OptionError
        If there is no strategy for this kind.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(machines_of_kind(DFA), lambda machine: True).states
    ('q0',)
    """
    if kind not in _STRATEGIES:
        known = ", ".join(sorted(one.__name__ for one in _STRATEGIES))
        raise OptionError(f"kind={shown(kind)}: there are strategies for {known} only")
    strategy: st.SearchStrategy[Machine] = _STRATEGIES[kind](**bounds)
    return strategy


def constructions(*, names: Sequence[str] | None = None, max_states: int = 3) -> st.SearchStrategy[Construction]:
    """Machines compiled by any construction; they shrink to the smallest machine and the first of `names`.

    Parameters
    ----------
    names : sequence of str, optional
        Names of :data:`exactnn.CONSTRUCTIONS`; by default all.
    max_states : int
        Of states that do not halt.

    Raises
    ------
    OptionError
        If a name is that of no construction, there is none, or a bound is less than 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(constructions(names=["minsky", "state_grid"]), lambda net: net.network.neurons > 4)
    <minsky of DFA: 5 neurons>
    """
    chosen = tuple(CONSTRUCTIONS) if names is None else names
    check_choices(CONSTRUCTIONS, names=chosen)
    return st.one_of([_compiled_by(name, max_states) for name in chosen])


def _compiled_by(name: str, max_states: int) -> st.SearchStrategy[Construction]:
    machines = machines_of_kind(CONSTRUCTIONS[name], max_states=max_states)
    return machines.map(partial(compile, construction=name))
