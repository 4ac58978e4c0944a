"""What automata are made of each other: products, complements, minimal automata; and words that tell them apart.

The names are those of automata-lib, as far as it has them. States of results are "0", "1", ... in breadth-first order
from the initial state "0", symbols in the order of the first automaton; so they depend on nothing but the automata.
"""

from collections.abc import Callable
from typing import TypeVar, overload

from exactnn.automata import DFA, MooreMachine, Output, State, Symbol, Word
from exactnn.equivalence.common_alphabet import common_order
from exactnn.equivalence.distinguishing import distinguish
from exactnn.equivalence.minimisation import minimal_table
from exactnn.equivalence.table_conversion import dfa_of, moore_machine_of, table_of
from exactnn.errors import MachineError, shown

__all__ = [
    "complement",
    "difference",
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
