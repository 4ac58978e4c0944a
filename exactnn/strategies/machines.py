"""Complete automata and total machines; all states can be reached, by a tree of transitions that is drawn first."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TypeVar

from hypothesis import strategies as st

from exactnn.automata import (
    DFA,
    EMPTY,
    KEEP,
    POP,
    RESET,
    CounterMachine,
    Mask,
    Operation,
    Reading,
    StackMachine,
    State,
    Symbol,
    TapeKind,
    TuringMachine,
    masks,
    push,
)
from exactnn.automata.counter_machine import CounterUpdate
from exactnn.strategies.numbers import LETTERS, alphabets, check_bounds, check_choices, check_halting, check_symbols

__all__ = ["HALTING", "counter_machines", "dfas", "stack_machines", "turing_machines"]

Letter = TypeVar("Letter", bound=Hashable)
Entry = TypeVar("Entry")

Seen = tuple[Symbol, Mask]
UPDATES: tuple[CounterUpdate, ...] = (0, 1, -1, RESET)

HALTING: tuple[Mapping[str, str], ...] = (
    {"halt_state": "H"},
    {"accept_state": "A"},
    {"accept_state": "A", "reject_state": "R"},
)
"""The kinds of halting states that a machine with a tape or stacks can have, as options of its class."""

TAPES: tuple[TapeKind, ...] = ("two_way_infinite", "semi_infinite")


def spanning_tree(
    draw: st.DrawFn, states: Sequence[State], letters: Sequence[Letter]
) -> dict[tuple[State, Letter], State]:
    """Return a transition into each state but the first, from one before it; no (state, letter) has two.

    There is always one free: `n` states with a letter or more have at least `n` transitions, and the tree `n - 1`.
    """
    free = [(states[0], letter) for letter in letters]
    edges = {}
    for state in states[1:]:
        edges[free.pop(draw(st.integers(0, len(free) - 1)))] = state
        free += [(state, letter) for letter in letters]
    return edges


def table(
    states: Sequence[State], letters: Sequence[Letter], entry: Callable[[State, Letter], Entry]
) -> dict[State, dict[Letter, Entry]]:
    """Return a table by state and letter; the entries of a letter are asked for one after another."""
    columns = [{q: entry(q, letter) for q in states} for letter in letters]
    return {q: {letter: column[q] for letter, column in zip(letters, columns, strict=True)} for q in states}


def shuffle(draw: st.DrawFn, values: Sequence[Letter]) -> tuple[Letter, ...]:
    """Return values in an order that is drawn; it shrinks to the order that they have."""
    return tuple(draw(st.permutations(values)))


def dfas(
    *,
    max_states: int = 5,
    max_symbols: int = 5,
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
    >>> one = counter_machines(max_states=1, max_counters=1)
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

    def rule(q: State, reading: Seen) -> tuple[State, tuple[CounterUpdate, ...]]:
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
        **halting,  # type: ignore[arg-type]  # the names of states
    )


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
        **halting,  # type: ignore[arg-type]  # the names of states
    )
