"""What automata are made of each other: products, complements, minimal automata; and words that tell them apart."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from exactnn.automata import DFA, MooreMachine, Output, State, Symbol, Word
from exactnn.equivalence.automata.minimisation import minimal_table
from exactnn.equivalence.automata.table import (
    INT32_STATES,
    AutomatonTable,
    common_order,
    dfa_of,
    moore_machine_of,
    table_of,
)
from exactnn.errors import MachineError, shown
from exactnn.interrupts import Uninterrupted

__all__ = [
    "DistinguishingWord",
    "complement",
    "difference",
    "distinguish",
    "distinguishing_word",
    "intersection",
    "is_empty",
    "minimal",
    "product",
    "shortest_accepted_word",
    "symmetric_difference",
    "union",
]

Automaton = DFA | MooreMachine
A = TypeVar("A", DFA, MooreMachine)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinguishingWord:
    """A shortest word after which two automata have unlike labels, and these labels."""

    word: Word
    labels: tuple[Output, Output]


def distinguish(first: AutomatonTable, second: AutomatonTable) -> DistinguishingWord | None:
    """Return a shortest word on which two tables differ, or None: then they are equivalent.

    Parameters
    ----------
    first, second : AutomatonTable
        Over the same symbols, in whatever order. Labels are the same if their names are equal.

    Raises
    ------
    OptionError
        If the symbols differ.

    Notes
    -----
    The algorithm of Hopcroft and Karp, breadth first: pairs of states that one word leads to are followed unless their
    members are in one class already, the classes being the closure of the pairs followed so far. It takes near linear
    time in the states of both automata, times the symbols, and some 16 bytes of memory for each of these states.

    *The word is a shortest one.* If w = uv is a shortest distinguishing word and the pair that u leads to is not
    followed, its members are linked by pairs that were, each reached by a word no longer than u, and v tells the
    members of one link apart, since otherwise it would not tell the ends of the chain apart: the word to that link,
    with v, is a shortest distinguishing word too, and the link is followed. So, by induction over the length of v, a
    pair with unlike labels is met after as many symbols as w has, and none is met before, since w is shortest.

    References
    ----------
    J. Hopcroft and R. Karp, *A linear algorithm for testing equivalence of finite automata*, Cornell University,
    technical report 71-114, 1971.

    Examples
    --------
    >>> thirds = AutomatonTable(transitions=[[1], [2], [0]], labels=[1, 0, 0], symbols="a", label_names=["no", "yes"])
    >>> halves = AutomatonTable(transitions=[[1], [0]], labels=[1, 0], symbols="a", label_names=["no", "yes"])
    >>> distinguish(thirds, halves)
    DistinguishingWord(word=('a', 'a'), labels=('no', 'yes'))
    >>> distinguish(thirds, thirds) is None
    True
    """
    with Uninterrupted("loading numba"):
        from exactnn.equivalence.automata import kernels

    columns = common_order(first.symbols, second.symbols)
    names, other_names = _common_names(first, second)
    states = first.states + second.states
    kind = np.int32 if states <= INT32_STATES else np.int64
    parent = np.full(states, -1, dtype=kind)
    left, right, before = (np.empty(states, dtype=kind) for _ in range(3))
    left[0], right[0] = first.initial_state, second.initial_state
    tables = first.transitions, second.transitions, columns
    labels = first.labels, second.labels, names, other_names
    place = kernels.first_difference(*tables, *labels, parent, left, right, before)
    if place < 0:
        return None
    path = parent  # it is not needed any more, and the word has fewer symbols than there are states
    begin = kernels.path_to(place, *tables, left, right, before, path)
    return DistinguishingWord(
        word=tuple(first.symbols[column] for column in path[begin:].tolist()),
        labels=(
            first.label_names[first.labels[left[place]]],
            second.label_names[second.labels[right[place]]],
        ),
    )


def _common_names(first: AutomatonTable, second: AutomatonTable) -> list[NDArray[np.signedinteger[Any]]]:
    """Return a number for each label of both tables, equal for equal names."""
    number: dict[Output, int] = {}
    return [
        np.array([number.setdefault(name, len(number)) for name in table.label_names], dtype=np.int64)
        for table in (first, second)
    ]


def minimal(machine: A) -> A:
    """Return the smallest DFA for the same language, or the smallest Moore machine with the same outputs.

    It is canonical: two DFAs, or two Moore machines, with the same sequence of symbols have equal minimal automata if
    and only if they are equivalent.

    Examples
    --------
    >>> even = DFA(states="ABC", input_symbols="a", initial_state="A", final_states="AC",
    ...     transitions={"A": {"a": "B"}, "B": {"a": "C"}, "C": {"a": "B"}})
    >>> minimal(even).transitions
    {'0': {'a': '1'}, '1': {'a': '0'}}
    """
    table = minimal_table(table_of(machine))
    return dfa_of(table, name="minimal") if isinstance(machine, DFA) else moore_machine_of(table, name="minimal")


def distinguishing_word(first: Automaton, second: Automaton) -> Word | None:
    """Return a shortest word on which two automata differ, or None: then they are equivalent.

    The output of a DFA is True or False, so that a DFA can be compared with a Moore machine too.

    Raises
    ------
    OptionError
        If their symbols differ.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> distinguishing_word(load("tomita-1"), load("tomita-2"))
    ('1',)
    """
    found = distinguish(table_of(first), table_of(second))
    return None if found is None else found.word


@overload
def product(
    first: Automaton, second: Automaton, *, accept: Callable[[Output, Output], bool], name: str = "product"
) -> DFA: ...


@overload
def product(first: Automaton, second: Automaton, *, accept: None = None, name: str = "product") -> MooreMachine: ...


def product(
    first: Automaton,
    second: Automaton,
    *,
    accept: Callable[[Output, Output], bool] | None = None,
    name: str = "product",
) -> Automaton:
    """Return two automata side by side, with those pairs of states that can be reached.

    Parameters
    ----------
    first, second : DFA or MooreMachine
        Over the same symbols, in whatever order. The output of a DFA is True or False.
    accept : callable, optional
        Says of two outputs whether the pair is a final state of a DFA. Without it the product is a Moore machine that
        gives both outputs.
    name : str
        A name for reports.

    Raises
    ------
    OptionError
        If their symbols differ.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> nor = product(load("parity"), load("divisible-by-3"), accept=lambda p, q: not (p or q))
    >>> len(nor.states), shortest_accepted_word(nor)
    (6, ('1', '0', '1'))
    >>> product(load("parity"), load("divisible-by-3")).outputs["0"]
    (False, True)
    """
    _check(first, DFA | MooreMachine)
    _check(second, DFA | MooreMachine)
    common_order(first.input_symbols, second.input_symbols)
    of_first, of_second = _outputs(first), _outputs(second)
    start = first.initial_state, second.initial_state
    number: dict[tuple[State, State], State] = {start: "0"}
    queue = [start]
    transitions: dict[State, dict[Symbol, State]] = {}
    outputs: dict[State, tuple[Output, Output]] = {}
    for p, q in queue:  # it grows meanwhile
        state = number[p, q]
        outputs[state] = of_first(p), of_second(q)
        row = transitions[state] = {}
        for a in first.input_symbols:
            pair = first.transitions[p][a], second.transitions[q][a]
            if pair not in number:
                number[pair] = str(len(number))
                queue.append(pair)
            row[a] = number[pair]
    if accept is None:
        return MooreMachine(
            states=transitions,
            input_symbols=first.input_symbols,
            transitions=transitions,
            initial_state="0",
            outputs=outputs,
            name=name,
        )
    return DFA(
        states=transitions,
        input_symbols=first.input_symbols,
        transitions=transitions,
        initial_state="0",
        final_states=[state for state, pair in outputs.items() if accept(*pair)],
        name=name,
    )


def intersection(first: DFA, second: DFA) -> DFA:
    """Return a DFA for the words that both accept; it is not minimal in general.

    Raises
    ------
    OptionError
        If their symbols differ.
    """
    return _combined(first, second, lambda p, q: p and q, "intersection")


def union(first: DFA, second: DFA) -> DFA:
    """Return a DFA for the words that one of two accepts, or both; it is not minimal in general.

    Raises
    ------
    OptionError
        If their symbols differ.
    """
    return _combined(first, second, lambda p, q: p or q, "union")


def difference(first: DFA, second: DFA) -> DFA:
    """Return a DFA for the words that the first accepts and the second does not; it is not minimal in general.

    Raises
    ------
    OptionError
        If their symbols differ.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> is_empty(difference(load("tomita-1"), load("tomita-4")))
    True
    """
    return _combined(first, second, lambda p, q: p and not q, "difference")


def symmetric_difference(first: DFA, second: DFA) -> DFA:
    """Return a DFA for the words that exactly one of two accepts; it is not minimal in general.

    Raises
    ------
    OptionError
        If their symbols differ.
    """
    return _combined(first, second, lambda p, q: p != q, "symmetric difference")


def complement(dfa: DFA) -> DFA:
    """Return the DFA with the other states final; all states keep their names.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> complement(load("parity")).final_states
    ('even',)
    """
    _check(dfa, DFA)
    final = set(dfa.final_states)
    return DFA(
        states=dfa.states,
        input_symbols=dfa.input_symbols,
        transitions=dfa.transitions,
        initial_state=dfa.initial_state,
        final_states=[q for q in dfa.states if q not in final],
        name="complement",
    )


def is_empty(dfa: DFA) -> bool:
    """Whether `dfa` accepts no word.

    >>> from exactnn.machine_files import load
    >>> is_empty(intersection(load("parity"), complement(load("parity"))))
    True
    """
    return shortest_accepted_word(dfa) is None


def shortest_accepted_word(dfa: DFA) -> Word | None:
    """Return the shortest word that `dfa` accepts, the first in the order of its symbols; None if it accepts none.

    >>> from exactnn.machine_files import load
    >>> shortest_accepted_word(intersection(load("parity"), load("divisible-by-7")))
    ('1', '1', '1')
    """
    _check(dfa, DFA)
    final = set(dfa.final_states)
    before: dict[State, tuple[State, Symbol] | None] = {dfa.initial_state: None}
    queue = [dfa.initial_state]
    for state in queue:  # it grows meanwhile
        if state in final:
            return _word_to(state, before)
        for a in dfa.input_symbols:
            target = dfa.transitions[state][a]
            if target not in before:
                before[target] = state, a
                queue.append(target)
    return None


def _word_to(state: State, before: dict[State, tuple[State, Symbol] | None]) -> Word:
    word = []
    while (step := before[state]) is not None:
        state, symbol = step
        word.append(symbol)
    return tuple(reversed(word))


def _combined(first: DFA, second: DFA, accept: Callable[[Output, Output], object], name: str) -> DFA:
    _check(first, DFA)
    _check(second, DFA)
    return product(first, second, accept=lambda p, q: bool(accept(p, q)), name=name)


def _outputs(machine: Automaton) -> Callable[[State], Output]:
    if isinstance(machine, MooreMachine):
        return machine.outputs.__getitem__
    return frozenset(machine.final_states).__contains__


def _check(machine: object, kind: object) -> None:
    if not isinstance(machine, kind):  # type: ignore[arg-type]
        wanted = "a DFA" if kind is DFA else "a DFA or a MooreMachine"
        raise MachineError(shown(machine), [f"it is a {type(machine).__name__}: give {wanted}"])
