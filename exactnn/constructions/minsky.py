"""Minsky's construction: a finite automaton as a simple ReLU RNN with integer weights."""

from collections.abc import Hashable

from gmpy2 import mpq

from exactnn.automata import DFA, State, Symbol
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.construction import Construction, reject_reserved, require_machine
from exactnn.constructions.one_layer import START, fold
from exactnn.constructions.state_codec import StateCodec
from exactnn.constructions.unit_keys import symbol
from exactnn.networks import Decision, Protocol

__all__ = ["minsky"]


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
    reject_reserved(dfa.input_symbols)
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
