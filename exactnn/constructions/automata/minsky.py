"""Minsky's construction: a finite automaton as a simple ReLU RNN with integer weights."""

from collections.abc import Hashable, Iterable, Mapping

from gmpy2 import mpq

from exactnn.automata import DFA, LOST, State, Symbol
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import Codec, Configuration, Construction, require_machine
from exactnn.constructions.layered_network import START, fold
from exactnn.constructions.stack_numbers import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Decision, Protocol
from exactnn.simulation import Values

__all__ = ["StateCodec", "minsky"]


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


def minsky(dfa: DFA) -> Construction:
    """Return the Minsky network of `dfa`.

    One unit per pair (state q, symbol a), "was in q and read a", and the start unit: 1 + |Q||S| units with
    weights 0 and 1 and bias -1. Pre-activations are -1, 0 or 1, so ReLU, SLU and Heaviside agree on it.

    Raises
    ------
    ConstructionError
        If `dfa` is no DFA, or the alphabet contains the symbol "EOS", which is reserved.

    References
    ----------
    M. L. Minsky, *Computation: Finite and Infinite Machines*, 1967.

    Examples
    --------
    >>> from exactnn.automata import DFA
    >>> from exactnn.simulation import run
    >>> parity = DFA(states=["even", "odd"], input_symbols=["0", "1"],
    ...              transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    ...              initial_state="even", final_states=["odd"])
    >>> net = minsky(parity)
    >>> net.network.neurons, run(net, "1011").verdict.value, run(net, "").verdict.value
    (5, 'accept', 'reject')
    """
    require_machine(dfa, DFA, "minsky")
    units = [(q, a) for q in dfa.states for a in dfa.input_symbols]
    hidden: dict[Hashable, Affine] = {_unit(q, a): var(_state(q)) + symbol(a) - 1 for q, a in units}
    sources: dict[State, list[Affine]] = {q: [] for q in dfa.states}
    for q, a in units:
        sources[dfa.transitions[q][a]].append(var(_unit(q, a)))
    network, state_forms = fold(
        hidden=hidden,
        emission={_state(q): total(sources[q]) for q in dfa.states},
        start={_state(dfa.initial_state): mpq(1)},
        readout=total(var(_state(q)) for q in dfa.final_states),
        alphabet=dfa.input_symbols,
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(1, 2)),
        name=f"minsky({dfa.name})",
    )
    return Construction(
        name="minsky",
        machine=dfa,
        network=network,
        codec=StateCodec(dfa, [START, *hidden], {q: state_forms[_state(q)] for q in dfa.states}),
        steps_per_move=1,
        set_up=(0, 0),
        claim="The output after w is 1 if the automaton accepts w and 0 if it rejects, for every w, the empty "
        "word included.",
        citation="M. L. Minsky, Computation: Finite and Infinite Machines, 1967",
        weight_field="Z",
    )


def _state(q: State) -> Hashable:
    """Return the key of the step's component "in q"."""
    return ("state", q)


def _unit(q: State, a: Symbol) -> Hashable:
    """Return the key of the unit "was in q and read a"."""
    return (q, a)
