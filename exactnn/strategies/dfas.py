"""Complete deterministic automata."""

from collections.abc import Sequence

from hypothesis import strategies as st

from exactnn.automata import DFA, Symbol
from exactnn.strategies.bounds import check_bounds, check_symbols
from exactnn.strategies.spanning_tree import shuffle, spanning_tree, table
from exactnn.strategies.words import LETTERS, alphabets

__all__ = ["dfas"]


def dfas(
    *,
    max_states: int = 5,
    max_symbols: int = 3,
    symbols: Sequence[Symbol] | None = None,
    reachable: bool = True,
    shuffled: bool = False,
) -> st.SearchStrategy[DFA]:
    """Complete automata with states q0, q1, ... and symbols a, b, ...; they shrink to one state and one symbol.

    Parameters
    ----------
    max_states, max_symbols : int
    symbols : sequence of str, optional
        The alphabet of all of them, in this order.
    reachable : bool
        Whether every state can be reached from q0, the initial one. If not, any state may be initial.
    shuffled : bool
        Whether states, and symbols that are not given, are listed in any order, and not in that of their names.

    Raises
    ------
    OptionError
        If there are to be no states or no symbols, more than 26 symbols, or `symbols` are no different symbols.

    Examples
    --------
    >>> from hypothesis import find
    >>> from exactnn.automata import interpret
    >>> found = find(dfas(), lambda dfa: interpret(dfa, "a").verdict != interpret(dfa, "").verdict)
    >>> found.states, found.input_symbols
    (('q0', 'q1'), ('a',))
    """
    check_bounds(1, max_states=max_states)
    check_bounds(1, len(LETTERS), max_symbols=max_symbols)
    if symbols is not None:
        check_symbols(symbols=symbols)
        return _dfas(max_states, st.just(tuple(symbols)), reachable, shuffled, False)
    return _dfas(max_states, alphabets(max_symbols=max_symbols), reachable, shuffled, shuffled)


@st.composite
def _dfas(
    draw: st.DrawFn,
    max_states: int,
    alphabet: st.SearchStrategy[tuple[Symbol, ...]],
    reachable: bool,
    shuffled: bool,
    shuffled_symbols: bool,
) -> DFA:
    symbols = draw(alphabet)
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states if symbols or not reachable else 1)))]
    state = st.sampled_from(states)
    initial, final = states[0] if reachable else draw(state), draw(st.lists(state, unique=True))
    tree = spanning_tree(draw, states, symbols) if reachable else {}
    rules = table(states, symbols, lambda q, a: tree[q, a] if (q, a) in tree else draw(state))
    return DFA(
        states=shuffle(draw, states) if shuffled else states,
        input_symbols=shuffle(draw, symbols) if shuffled_symbols else symbols,
        transitions=rules,
        initial_state=initial,
        final_states=final,
    )
