"""What ``hypothesis.strategies.from_type`` draws for the classes of exactnn.

Strategies are looked up when the first value is drawn.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from exactnn.arithmetic import FloatFormat
from exactnn.automata import (
    DFA,
    CounterMachine,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
)
from exactnn.constructions import Construction
from exactnn.depth import LinearRNN
from exactnn.interrupts import loaded
from exactnn.networks import Circuit, Network

__all__ = ["register"]

_STRATEGIES: dict[type, str] = {
    Circuit: "circuits",
    Construction: "constructions",
    CounterMachine: "counter_machines",
    DFA: "dfas",
    FloatFormat: "float_formats",
    LinearRNN: "linear_rnns",
    Network: "networks",
    StackMachine: "stack_machines",
    TuringMachine: "turing_machines",
    WeightedAutomaton: "weighted_automata",
    WeightedPushdownAutomaton: "weighted_pushdown_automata",
}
"""The strategy of each class, by its name."""


def register() -> None:
    """Let ``from_type`` know the classes of exactnn; once more does no harm.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(st.from_type(DFA), lambda dfa: True).states
    ('q0',)
    """
    for kind, name in _STRATEGIES.items():
        st.register_type_strategy(kind, _drawing(name))


def _drawing(name: str) -> Callable[[type], st.SearchStrategy[Any]]:
    def strategy(_kind: type) -> st.SearchStrategy[Any]:
        module = loaded("exactnn.strategies")
        drawn: st.SearchStrategy[Any] = getattr(module, name)()
        return drawn

    return strategy
