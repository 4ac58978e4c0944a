"""Languages that a simple RNN has as one of its own units, without an output layer, and those that it cannot."""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.automata import DFA, State, Symbol, Word, word_text
from exactnn.constructions.construction import require_machine
from exactnn.markup import Table, Tabular
from exactnn.networks import Network, SimpleRNN

__all__ = ["OwnUnit", "own_unit"]

HALF = mpq(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OwnUnit(Tabular):
    """Whether a unit of some simple RNN is 1 after the words of a language, and 0 after all others.

    Parameters
    ----------
    name : str
        Of the automaton.
    network : Network or None
        Such a network, of the automaton's units and one more, which is the last; None if there is none.
    witness : tuple of (word, word, symbol, symbol), or None
        u, v, a, b with ua and vb in the language, and ub and va not in it: why there is none.
    """

    name: str
    network: Network | None
    witness: tuple[Word, Word, Symbol, Symbol] | None

    def __bool__(self) -> bool:
        return self.network is not None

    def __repr__(self) -> str:
        return f"<OwnUnit of {self.name}: {self._said()}>"

    def _said(self) -> str:
        if self.witness is None:
            return "there is one"
        u, v, a, b = self.witness
        inside, outside = ((word_text((*u, a)), word_text((*v, b))), (word_text((*u, b)), word_text((*v, a))))
        return f"none, since {' and '.join(inside)} are words of the language, {' and '.join(outside)} are not"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        size = "" if self.network is None else f"{self.network.neurons} units"
        return Table.of_fields(self.name, {"a unit for the language": self._said(), "network": size})


def own_unit(dfa: DFA | str) -> OwnUnit:
    """Return whether a simple RNN can have the language of an automaton as one of its units, and such a network.

    Parameters
    ----------
    dfa : DFA, or what :func:`exactnn.load` makes one of

    Returns
    -------
    OwnUnit
        True if there is one.

    Raises
    ------
    ConstructionError
        If it is no DFA, or a symbol is "EOS".

    Notes
    -----
    Let S(q) be the symbols that lead from the state q into a final state. There is such a network, of any size, with
    any activation that does not decrease, if and only if these sets are a chain: of any two one contains the other.

    *Only if.* The unit's sum is s + w[a], where s depends on the state before and w[a] on the symbol a. If a is in S(q)
    and b is not, then w[a] > w[b], since the activation does not decrease; if for another state it is the other way
    round, then w[b] > w[a]. *If.* Let r(a) be how many sets of the chain contain a, and t(q) how many contain S(q),
    itself included. Then a is in S(q) if and only if r(a) >= t(q), and one more SLU unit with the sum r(a) - t(q) + 1,
    beside those of :func:`minsky`, which know q, is 1 or 0 as it is.

    So parity is no unit of any simple RNN: S(even) = {1}, S(odd) = {0}. With an output layer, which adds units up, it
    takes five units (:func:`minsky`).

    References
    ----------
    M. W. Goudreau, C. L. Giles, S. T. Chakradhar and D. Chen, "First-order versus second-order single-layer recurrent
    neural networks", *IEEE Transactions on Neural Networks* 5, 1994, for parity.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> own_unit(load("parity"))
    <OwnUnit of parity: none, since 1 and 10 are words of the language, 0 and 11 are not>
    >>> from exactnn.simulation import run
    >>> some = DFA(states=[0, 1], input_symbols="ab", transitions={0: {"a": 1, "b": 0}, 1: {"a": 1, "b": 1}},
    ...            initial_state=0, final_states=[1], name="some a")
    >>> [run(own_unit(some).network, word).verdict.value for word in ("", "bb", "bab")]
    ['reject', 'reject', 'accept']
    """
    dfa = require_machine(dfa, DFA, "own_unit")
    prefixes = _prefixes(dfa)
    sets = {q: frozenset(a for a in dfa.input_symbols if dfa.transitions[q][a] in dfa.final_states) for q in prefixes}
    for q, first in sets.items():
        for r, second in sets.items():
            if first - second and second - first:
                a, b = (next(x for x in dfa.input_symbols if x in one) for one in (first - second, second - first))
                return OwnUnit(name=dfa.name, network=None, witness=(prefixes[q], prefixes[r], a, b))
    return OwnUnit(name=dfa.name, network=_network(dfa, sets), witness=None)


def _prefixes(dfa: DFA) -> dict[State, Word]:
    """Return a shortest word to each state that is reached."""
    found: dict[State, Word] = {dfa.initial_state: ()}
    for state in (waiting := [dfa.initial_state]):
        for a in dfa.input_symbols:
            following = dfa.transitions[state][a]
            if following not in found:
                found[following] = (*found[state], a)
                waiting.append(following)
    return found


def _network(dfa: DFA, sets: dict[State, frozenset[Symbol]]) -> Network:
    """Return the units "was in q and read a", the start unit before and the language behind them."""
    chain = set(sets.values())
    rank = {a: sum(a in one for one in chain) for a in dfa.input_symbols}
    least = {q: sum(one >= own for one in chain) for q, own in sets.items()}
    pairs: list[tuple[State, Symbol]] = [(q, a) for q in sets for a in dfa.input_symbols]
    before: list[State] = [dfa.initial_state, *(dfa.transitions[q][a] for q, a in pairs)]  # where each unit leads
    nothing = [0] * (len(before) + 1)
    V = [nothing, *([*(int(state == q) for state in before), 0] for q, _ in pairs)]
    V.append([*(1 - least[state] for state in before), 0])
    W = [[0] * len(dfa.input_symbols), *([int(a == x) for x in dfa.input_symbols] for _, a in pairs)]
    W.append([rank[a] for a in dfa.input_symbols])
    return SimpleRNN(
        V=V,
        W=W,
        b=[0, *(-1 for _ in pairs), 0],
        s=[1, *(0 for _ in pairs), int(dfa.initial_state in dfa.final_states)],
        readout_weight=[*(0 for _ in before), 1],
        readout_bias=-HALF,
        activation="slu",
        alphabet=dfa.input_symbols,
        name=f"own_unit({dfa.name})",
    )
