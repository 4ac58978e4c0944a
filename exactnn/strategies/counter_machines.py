"""Total counter machines."""

from functools import partial
from itertools import product

from hypothesis import strategies as st

from exactnn.automata import RESET, CounterMachine, Mask, State, Symbol, masks
from exactnn.automata.counter_machine import CounterUpdate
from exactnn.strategies.bounds import check_bounds
from exactnn.strategies.spanning_tree import shuffle, spanning_tree, table
from exactnn.strategies.words import LETTERS

__all__ = ["counter_machines"]

Reading = tuple[Symbol, Mask]
UPDATES: tuple[CounterUpdate, ...] = (0, 1, -1, RESET)


def counter_machines(
    *, max_states: int = 3, max_symbols: int = 2, max_counters: int = 2, reachable: bool = True, shuffled: bool = False
) -> st.SearchStrategy[CounterMachine]:
    """Total counter machines whose moves depend on everything that they may depend on.

    Their states are q0, q1, ..., their symbols a, b, ...; they shrink to one state, one symbol, and one counter that
    nothing changes.

    Parameters
    ----------
    max_states, max_symbols, max_counters : int
        A rule is drawn for every state, symbol and mask: keep these numbers small.
    reachable : bool
        Whether transitions lead from q0, the initial state, to every other state.
    shuffled : bool
        Whether states and symbols are listed in any order, and not in that of their names.

    Raises
    ------
    OptionError
        If there are to be no states, symbols or counters, or more than 26 symbols or 12 counters.

    Examples
    --------
    >>> from hypothesis import find
    >>> from exactnn.automata import interpret
    >>> one = counter_machines(max_counters=1)
    >>> counts = find(one, lambda machine: interpret(machine, "aa").configuration.counters == (2,))
    >>> counts.states, counts.transitions["q0"]["a"][0,]
    (('q0',), CounterRule(next_state='q0', updates=(1,)))
    """
    check_bounds(1, max_states=max_states)
    check_bounds(1, len(LETTERS), max_symbols=max_symbols)
    check_bounds(1, 12, max_counters=max_counters)
    return _counter_machines(max_states, max_symbols, max_counters, reachable, shuffled)


@st.composite
def _counter_machines(
    draw: st.DrawFn, max_states: int, max_symbols: int, max_counters: int, reachable: bool, shuffled: bool
) -> CounterMachine:
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = LETTERS[: draw(st.integers(1, max_symbols))]
    counters = draw(st.integers(1, max_counters))
    every_mask, state = masks(counters), st.sampled_from(states)
    acceptance = draw(st.lists(st.tuples(state, st.sampled_from(every_mask)), unique=True))
    readings = list(product(symbols, every_mask))
    tree = spanning_tree(draw, states, readings) if reachable else {}
    updates = st.tuples(*[st.sampled_from(UPDATES)] * counters)

    def rule(q: State, reading: Reading) -> tuple[State, tuple[CounterUpdate, ...]]:
        return tree[q, reading] if (q, reading) in tree else draw(state), draw(updates)

    rules = table(states, readings, rule)
    order = partial(shuffle, draw) if shuffled else tuple
    return CounterMachine(
        states=order(states),
        input_symbols=order(symbols),
        counters=counters,
        transitions={q: {a: {mask: rules[q][a, mask] for mask in every_mask} for a in symbols} for q in states},
        initial_state="q0",
        acceptance=acceptance,
    )
