"""Between the states of a DFA and those of its network, in which units say which state it is."""

from collections.abc import Hashable, Iterable, Mapping

from gmpy2 import mpq

from exactnn.automata import DFA, LOST, State
from exactnn.constructions.affine import Affine
from exactnn.constructions.construction import Codec, Configuration
from exactnn.constructions.stacks import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["StateCodec"]


class StateCodec(Codec):
    """Reads and writes states that units indicate: one unit per state, or several, of which one is 1 at a time.

    Parameters
    ----------
    dfa : DFA
    units : iterable
        The units of the network's state in order. Where `fold` made the network, the start unit comes first.
    forms : mapping state -> Affine
        The indicator of each state of the DFA, a form over the units: the sum of those that stand for it.

    Examples
    --------
    One unit per state, as second-order networks have them:

    >>> from exactnn.constructions.affine import var
    >>> some = DFA(states=["none", "some"], input_symbols="a", transitions={q: {"a": "some"} for q in ("none", "some")},
    ...            initial_state="none", final_states=["some"])
    >>> codec = StateCodec(some, some.states, {q: var(q) for q in some.states})
    >>> codec.encode("some"), codec.decode((1, 0)), codec.decode((1, 1))
    ((mpq(0,1), mpq(1,1)), 'none', '?')
    """

    def __init__(self, dfa: DFA, units: Iterable[Hashable], forms: Mapping[State, Affine]) -> None:
        self._dfa = dfa
        self._units = tuple(units)
        self._forms = forms

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the state of the DFA, or LOST where none or several are indicated."""
        values = readable(self._units, state)
        present = [q for q, form in self._forms.items() if form.at(values) > HALF]
        return present[0] if len(present) == 1 else LOST

    def encode(self, configuration: Configuration) -> Values:
        """Return a network state for a state of the DFA: the first unit that stands for it is 1, all others 0."""
        if configuration not in self._dfa.states:
            raise ConstructionError(f"{shown(configuration)} is not a state of {self._dfa.name}")
        indicators = self._forms[configuration].terms
        active = next((unit for unit in self._units if unit in indicators), None)
        if active is None:
            raise ConstructionError(f"state {shown(configuration)} is never entered, so no unit stands for it")
        return tuple(mpq(unit == active) for unit in self._units)
