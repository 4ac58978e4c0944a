"""Between the states of a DFA and those of its network."""

from collections.abc import Hashable, Iterable, Mapping

from gmpy2 import mpq

from exactnn.automata import DFA, LOST, State
from exactnn.constructions.affine import Affine
from exactnn.constructions.construction import Configuration
from exactnn.constructions.one_layer import START
from exactnn.constructions.stacks import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["StateCodec"]


class StateCodec:
    """Reads and writes the states of a network that `fold` made of a DFA's step.

    Parameters
    ----------
    dfa : DFA
    units : sequence
        The hidden units in order; the start unit comes before them.
    forms : mapping state -> Affine
        The indicator of each state of the DFA, a form over the units.
    """

    def __init__(self, dfa: DFA, units: Iterable[Hashable], forms: Mapping[State, Affine]) -> None:
        self._dfa = dfa
        self._names: list[Hashable] = [START, *units]
        self._forms = forms

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the state of the DFA, or LOST where none or several are indicated."""
        values = readable(self._names, state)
        present = [q for q, form in self._forms.items() if form.at(values) > HALF]
        return present[0] if len(present) == 1 else LOST

    def extent(self, state: Values) -> None:
        """Return None: there is no tape."""

    def nonblank(self, state: Values) -> None:
        """Return None: there is no tape."""

    def encode(self, configuration: Configuration) -> Values:
        """Return a network state for a state of the DFA: one unit is 1."""
        if configuration not in self._dfa.states:
            raise ConstructionError(f"{shown(configuration)} is not a state of {self._dfa.name}")
        active: Hashable = START
        if configuration != self._dfa.initial_state:
            sources = self._forms[configuration].terms
            if not sources:
                raise ConstructionError(f"state {shown(configuration)} is never entered, so no unit stands for it")
            active = next(iter(sources))
        return tuple(mpq(name == active) for name in self._names)
