"""Total Turing machines."""

from collections.abc import Mapping, Sequence
from functools import partial

from hypothesis import strategies as st

from exactnn.automata import State, Symbol, TapeKind, TuringMachine
from exactnn.strategies.bounds import check_bounds, check_choices, check_halting
from exactnn.strategies.spanning_tree import shuffle, spanning_tree, table
from exactnn.strategies.words import LETTERS

__all__ = ["HALTING", "turing_machines"]

HALTING: tuple[Mapping[str, str], ...] = (
    {"halt_state": "H"},
    {"accept_state": "A"},
    {"accept_state": "A", "reject_state": "R"},
)
"""The kinds of halting states that a machine with a tape or stacks can have, as options of its class."""

TAPES: tuple[TapeKind, ...] = ("two_way_infinite", "semi_infinite")


def turing_machines(
    *,
    max_states: int = 3,
    max_symbols: int = 3,
    tapes: Sequence[TapeKind] = TAPES,
    halting: Sequence[Mapping[str, str]] = HALTING,
    reachable: bool = True,
    shuffled: bool = False,
) -> st.SearchStrategy[TuringMachine]:
    """Total machines of every kind: with two, one or no verdicts, with or without an input alphabet.

    Their states are q0, q1, ..., their symbols _, the blank, and a, b, ...; they shrink to one state, two symbols, and
    rules that halt at once.

    Parameters
    ----------
    max_states : int
        Of states that do not halt.
    max_symbols : int
        Of tape symbols, the blank included: at least 2.
    tapes : sequence of "two_way_infinite" and "semi_infinite"
    halting : sequence of mappings
        The halting states that a machine may have, :data:`HALTING` or some of it.
    reachable : bool
        Whether transitions lead from q0, the initial state, to every other state that does not halt.
    shuffled : bool
        Whether states and symbols are listed in any order; else those that halt come last.

    Raises
    ------
    OptionError
        If there are to be no states, or less than 2 symbols.

    Examples
    --------
    >>> from hypothesis import find
    >>> from exactnn.automata import interpret
    >>> two_way = turing_machines(tapes=["two_way_infinite"])
    >>> found = find(two_way, lambda machine: interpret(machine, max_steps=9).steps == 2)
    >>> found.states, found.tape_symbols
    (('q0', 'q1', 'H'), ('_', 'a'))
    """
    check_bounds(1, max_states=max_states)
    check_bounds(2, len(LETTERS) + 1, max_symbols=max_symbols)
    check_choices(TAPES, tapes=tapes)
    check_halting(halting)
    return _turing_machines(max_states, max_symbols, tuple(tapes), tuple(halting), reachable, shuffled)


@st.composite
def _turing_machines(
    draw: st.DrawFn,
    max_states: int,
    max_symbols: int,
    tapes: tuple[TapeKind, ...],
    kinds: tuple[Mapping[str, str], ...],
    reachable: bool,
    shuffled: bool,
) -> TuringMachine:
    states = [f"q{i}" for i in range(draw(st.integers(1, max_states)))]
    symbols = "_" + LETTERS[: draw(st.integers(1, max_symbols - 1))]
    halting = draw(st.sampled_from(kinds))
    inputs, tape = draw(st.integers(1, len(symbols))), draw(st.sampled_from(tapes))
    tree = spanning_tree(draw, states, symbols) if reachable else {}
    target = st.sampled_from([*halting.values(), *states])
    written, move = st.sampled_from(symbols), st.sampled_from("RL")

    def rule(q: State, a: Symbol) -> tuple[State, Symbol, str]:
        return tree[q, a] if (q, a) in tree else draw(target), draw(written), draw(move)

    rules = table(states, symbols, rule)
    order = partial(shuffle, draw) if shuffled else tuple
    return TuringMachine(
        states=order([*states, *halting.values()]),
        input_symbols=order(symbols[1:inputs]),
        tape_symbols=order(symbols),
        transitions=rules,
        initial_state="q0",
        blank_symbol="_",
        tape=tape,
        **halting,
    )
