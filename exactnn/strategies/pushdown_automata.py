"""Weighted pushdown automata, with any weights from 0 on."""

from itertools import product

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.automata import WeightedPushdownAutomaton
from exactnn.strategies.machines import shuffle
from exactnn.strategies.numbers import LETTERS, check_bounds, rationals

__all__ = ["weighted_pushdown_automata"]


def weighted_pushdown_automata(
    *,
    max_states: int = 2,
    max_stack_symbols: int = 2,
    max_symbols: int = 2,
    largest: int = 3,
    shuffled: bool = False,
) -> st.SearchStrategy[WeightedPushdownAutomaton]:
    """Weighted pushdown automata over a, b, ...; they shrink to one state and one symbol of each kind, and weights 0.

    Parameters
    ----------
    max_states, max_stack_symbols, max_symbols : int
    largest : int
        Weights are p/q with p from 0 on, and p, q at most this number.
    shuffled : bool
        Whether input symbols come in any order.

    Raises
    ------
    OptionError
        If there are to be no states, symbols or numbers, or more than 26 symbols.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(weighted_pushdown_automata(), lambda automaton: automaton.weight("a") > 0)
    >>> len(found.states), found.weight("a")
    (1, mpq(1,1))
    """
    check_bounds(1, max_states=max_states, max_stack_symbols=max_stack_symbols, largest=largest)
    check_bounds(1, len(LETTERS), max_symbols=max_symbols)
    return _automata(max_states, max_stack_symbols, max_symbols, largest, shuffled)


@st.composite
def _automata(
    draw: st.DrawFn, max_states: int, max_stack_symbols: int, max_symbols: int, largest: int, shuffled: bool
) -> WeightedPushdownAutomaton:
    states, tops = range(draw(st.integers(1, max_states))), range(draw(st.integers(1, max_stack_symbols)))
    symbols = LETTERS[: draw(st.integers(1, max_symbols))]
    weight: st.SearchStrategy[mpq] = rationals(largest=largest).map(abs)
    pairs, steps, pops = (list(product(*each)) for each in ((states, tops), (states, tops) * 2, (states, tops, states)))
    return WeightedPushdownAutomaton(
        states=states,
        stack_symbols=tops,
        input_symbols=shuffle(draw, symbols) if shuffled else symbols,
        push={a: {key: draw(weight) for key in steps} for a in symbols},
        replace={a: {key: draw(weight) for key in steps} for a in symbols},
        pop={a: {key: draw(weight) for key in pops} for a in symbols},
        final={pair: draw(weight) for pair in pairs},
    )
