"""What ``hypothesis.strategies.from_type`` draws for the classes of exactnn.

Strategies are looked up when the first value is drawn.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactnn.arithmetic import FloatFormat
from exactnn.automata import WeightedPushdownAutomaton
from exactnn.constructions import CONSTRUCTIONS, Construction
from exactnn.depth import LinearRNN
from exactnn.interrupts import loaded
from exactnn.networks import Circuit, Network

__all__ = ["register"]

_STRATEGIES: dict[type, str] = {
    Circuit: "circuits",
    Construction: "constructions",
    FloatFormat: "float_formats",
    LinearRNN: "linear_rnns",
    Network: "networks",
}
"""The strategy of each class, by its name; of machines `machines_of_kind` knows it."""


def register() -> None:
    """Let ``from_type`` know the classes of exactnn; once more does no harm.

    Examples
    --------
    >>> from hypothesis import find
    >>> from exactnn.automata import DFA
    >>> find(st.from_type(DFA), lambda dfa: True).states
    ('q0',)
    """
    for kind, name in _STRATEGIES.items():
        st.register_type_strategy(kind, _drawing(name))
    for kind in (*CONSTRUCTIONS.values(), WeightedPushdownAutomaton):
        st.register_type_strategy(kind, partial(_machines, kind))


def _drawing(name: str) -> Callable[[type], st.SearchStrategy[Any]]:
    def strategy(_kind: type) -> st.SearchStrategy[Any]:
        module = loaded("exactnn.strategies")
        drawn: st.SearchStrategy[Any] = getattr(module, name)()
        return drawn

    return strategy


def _machines(kind: type, _kind: type) -> st.SearchStrategy[Any]:
    drawn: st.SearchStrategy[Any] = loaded("exactnn.strategies").machines_of_kind(kind)
    return drawn
