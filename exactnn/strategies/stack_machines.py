"""Total stack machines."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

from hypothesis import strategies as st

from exactnn.automata import EMPTY, KEEP, POP, Operation, Reading, StackMachine, State, push
from exactnn.strategies.bounds import check_bounds, check_halting
from exactnn.strategies.spanning_tree import shuffle, spanning_tree, table
from exactnn.strategies.turing_machines import HALTING
from exactnn.strategies.words import LETTERS

__all__ = ["stack_machines"]


def stack_machines(
    *,
    max_states: int = 3,
    max_symbols: int = 2,
    max_stacks: int = 2,
    halting: Sequence[Mapping[str, str]] = HALTING,
    reachable: bool = True,
    shuffled: bool = False,
) -> st.SearchStrategy[StackMachine]:
    """Total machines with stacks, of every kind: with two, one or no verdicts, with or without an input alphabet.

    Their states are q0, q1, ..., their symbols a, b, ...; they shrink to one state, one stack, one symbol, and rules
    that halt at once.

    Parameters
    ----------
    max_states : int
        Of states that do not halt.
    max_symbols, max_stacks : int
        A rule is drawn for every state and tops of all stacks: keep these numbers small.
    halting : sequence of mappings
        As of :func:`turing_machines`.
    reachable : bool
        Whether transitions lead from q0, the initial state, to every other state that does not halt.
    shuffled : bool
        Whether states and symbols are listed in any order; else those that halt come last.

    Raises
    ------
    OptionError
        If there are to be no states, symbols or stacks, or more than 26 symbols or 8 stacks.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(stack_machines(), lambda machine: True).transitions["q0"]["a",]
    StackRule(next_state='H', operations=(('keep',),))
    """
    check_bounds(1, max_states=max_states)
    check_bounds(1, len(LETTERS), max_symbols=max_symbols)
    check_bounds(1, 8, max_stacks=max_stacks)
    check_halting(halting)
    return _stack_machines(max_states, max_symbols, max_stacks, tuple(halting), reachable, shuffled)


@st.composite
def _stack_machines(
    draw: st.DrawFn,
    max_states: int,
    max_symbols: int,
    max_stacks: int,
    kinds: tuple[Mapping[str, str], ...],
    reachable: bool,
    shuffled: bool,
) -> StackMachine:
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = LETTERS[: draw(st.integers(1, max_symbols))]
    stacks = draw(st.integers(1, max_stacks))
    halting = draw(st.sampled_from(kinds))
    inputs = draw(st.integers(0, len(symbols)))
    readings = list(product((*symbols, EMPTY), repeat=stacks))
    tree = spanning_tree(draw, states, readings) if reachable else {}
    target = st.sampled_from([*halting.values(), *states])
    operations = st.tuples(*[st.sampled_from([KEEP, POP, *map(push, symbols)])] * stacks)

    def rule(q: State, reading: Reading) -> tuple[State, tuple[Operation, ...]]:
        return tree[q, reading] if (q, reading) in tree else draw(target), draw(operations)

    rules = table(states, readings, rule)
    order = partial(shuffle, draw) if shuffled else tuple
    return StackMachine(
        states=order([*states, *halting.values()]),
        input_symbols=order(symbols[:inputs]),
        stack_symbols=order(symbols),
        stacks=stacks,
        transitions=rules,
        initial_state="q0",
        **halting,
    )
