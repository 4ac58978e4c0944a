"""To and from the automata of automata-lib, wherever both mean exactly the same."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, overload

from exactnn.automata import DFA, EMPTY, Acceptance, PushdownAutomaton, State, Symbol, TuringMachine, fresh
from exactnn.errors import MachineError, MissingExtraError, shown
from exactnn.interrupts import Uninterrupted

if TYPE_CHECKING:
    from automata.fa.dfa import DFA as OTHER_DFA
    from automata.pda.dpda import DPDA
    from automata.tm.dtm import DTM

__all__ = ["from_automata_lib", "to_automata_lib"]


@overload
def to_automata_lib(machine: DFA) -> "OTHER_DFA": ...


@overload
def to_automata_lib(machine: TuringMachine) -> "DTM": ...


@overload
def to_automata_lib(machine: PushdownAutomaton) -> "DPDA": ...


def to_automata_lib(machine: DFA | TuringMachine | PushdownAutomaton) -> Any:
    """Return a machine as an ``automata.fa.dfa.DFA``, ``automata.tm.dtm.DTM`` or ``automata.pda.dpda.DPDA``.

    It has the same states and symbols.

    Parameters
    ----------
    machine : DFA, TuringMachine or PushdownAutomaton
        A Turing machine has a two-way infinite tape, gives verdicts, and does not halt at once. A pushdown automaton
        begins with a symbol on its stack, and moves with an empty stack nowhere. Automata-lib reads a word character by
        character: give it a word with longer symbols as a list.

    Raises
    ------
    MachineError
        If automata-lib has no machine that means the same; the message tells all reasons.
    MissingExtraError
        If automata-lib is not installed.

    Notes
    -----
    A machine of automata-lib has no name and no order of states or symbols. In a DTM the reject state has no
    transitions, and that is how automata-lib rejects, after as many moves.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> to_automata_lib(load("divisible-by-3")).accepts_input("110")
    True
    """
    if not isinstance(machine, DFA | TuringMachine | PushdownAutomaton):
        remedy = "give a DFA, a TuringMachine or a PushdownAutomaton"
        raise MachineError(shown(machine), [f"it is a {type(machine).__name__}: {remedy}"])
    faults = [] if isinstance(machine, DFA) else list(_unlike(machine))
    if None in machine.states:
        faults.append("a state is None, which means no state in automata-lib: rename it")
    if faults:
        raise MachineError(machine.name, faults)
    dfa_class, _, dtm_class, dpda_class = _classes()
    if isinstance(machine, PushdownAutomaton):
        moves: dict[State, dict[Symbol, dict[Symbol, tuple[State, tuple[Symbol, ...]]]]] = {}
        for q, rules in machine.control.items():
            for (a, top), rule in rules.items():
                moves.setdefault(q, {}).setdefault(a, {})[top] = (rule.next_state, rule.pushed)
        return dpda_class(
            states=set(machine.control_states),
            input_symbols=set(machine.input_symbols),
            stack_symbols=set(machine.pushed_symbols),
            transitions=moves,
            initial_state=machine.first_state,
            initial_stack_symbol=machine.initial_stack_symbol,
            final_states=set(machine.final_states),
            acceptance_mode=_MODES[machine.acceptance],
        )
    table = {q: dict(row) for q, row in machine.transitions.items()}
    if isinstance(machine, DFA):
        return dfa_class(
            states=set(machine.states),
            input_symbols=set(machine.input_symbols),
            transitions={q: table.get(q, {}) for q in machine.states},
            initial_state=machine.initial_state,
            final_states=set(machine.final_states),
        )
    return dtm_class(
        states=set(machine.states),
        input_symbols=set(machine.input_symbols),
        tape_symbols=set(machine.tape_symbols),
        transitions={q: {a: tuple(rule) for a, rule in machine.transitions[q].items()} for q in table},
        initial_state=machine.initial_state,
        blank_symbol=machine.blank_symbol,
        final_states={machine.accept_state} - {None},
    )


@overload
def from_automata_lib(machine: "OTHER_DFA", *, name: str = ...) -> DFA: ...


@overload
def from_automata_lib(machine: "DTM", *, name: str = ...) -> TuringMachine: ...


@overload
def from_automata_lib(machine: "DPDA", *, name: str = ...) -> PushdownAutomaton: ...


def from_automata_lib(machine: Any, *, name: str = "automata-lib") -> DFA | TuringMachine | PushdownAutomaton:
    """Return a DFA, an NFA, a Turing machine (DTM) or a DPDA of automata-lib as a machine.

    Parameters
    ----------
    machine : DFA, NFA, DTM or DPDA of automata-lib
        An NFA is made deterministic, by automata-lib. A DTM has at most one final state and moves at every step.
    name : str
        A name for reports.

    Raises
    ------
    MachineError
        If it is none of these, or has what a machine cannot have, such as states that print alike.
    MissingExtraError
        If automata-lib is not installed.

    Notes
    -----
    Symbols come in the order of their characters, states in breadth-first order, then those that cannot be reached. A
    DFA with undefined transitions gets a state "trap" that all of them lead to. The reject state of a DTM is its only
    state without any transition, or if there is no such state a new one, "reject"; other undefined transitions lead
    there, which counts as a move. New names get primes where they are taken.

    Examples
    --------
    >>> from automata.fa import dfa
    >>> partial = dfa.DFA(states={0, 1}, input_symbols={"a", "b"}, transitions={0: {"a": 1}, 1: {}}, initial_state=0,
    ...     final_states={1}, allow_partial=True)
    >>> from_automata_lib(partial).transitions["trap"]
    {'a': 'trap', 'b': 'trap'}

    From a regular expression:

    >>> from automata.fa import nfa
    >>> from_automata_lib(nfa.NFA.from_regex("(ab)*")).accepts("abab")
    True
    """
    dfa_class, nfa_class, dtm_class, dpda_class = _classes()
    if isinstance(machine, nfa_class):
        machine = dfa_class.from_nfa(machine)
    if not isinstance(machine, (dfa_class, dtm_class, dpda_class)):
        remedy = "give a DFA, an NFA, a DTM or a DPDA of automata-lib"
        raise MachineError(shown(machine), [f"it is a {type(machine).__name__}: {remedy}"])
    if None in machine.states:
        raise MachineError(name, ["a state is None, which means no state in automata-lib: rename it"])
    if isinstance(machine, dpda_class):
        return _pushdown_automaton(machine, name)
    return _dfa(machine, name) if isinstance(machine, dfa_class) else _turing_machine(machine, name)


_MODES: dict[Acceptance, str] = {"final state": "final_state", "empty stack": "empty_stack", "either": "both"}
"""How automata-lib calls the ways to accept."""


def _classes() -> tuple[Any, Any, Any, Any]:
    """Return the classes of automata-lib for DFAs, NFAs, Turing machines and deterministic pushdown automata."""
    try:
        with Uninterrupted("loading automata-lib"):
            from automata.fa.dfa import DFA as OTHER_DFA
            from automata.fa.nfa import NFA
            from automata.pda.dpda import DPDA
            from automata.tm.dtm import DTM
    except ImportError:
        raise MissingExtraError('this needs automata-lib: pip install "exactnn[automata]"') from None
    return OTHER_DFA, NFA, DTM, DPDA


def _unlike(machine: TuringMachine | PushdownAutomaton) -> Iterator[str]:
    """Yield why a machine of automata-lib cannot mean what ours does."""
    if isinstance(machine, PushdownAutomaton):
        if machine.initial_stack_symbol == EMPTY:
            yield "its stack is empty at the start, and that of automata-lib has a symbol: add one below"
        if any(top == EMPTY for row in machine.control.values() for _, top in row):
            yield "it moves with an empty stack, and that of automata-lib stops there: add a symbol below"
        return
    if machine.tape != "two_way_infinite":
        yield "its tape is semi-infinite, and that of automata-lib is infinite both ways"
    if machine.halt_state is not None:
        yield f"it halts without a verdict in {shown(machine.halt_state)}, and automata-lib would accept or reject"
    if machine.initial_state in machine.halting_states:
        yield f"its initial state {shown(machine.initial_state)} halts, which automata-lib does not allow"


def _dfa(machine: Any, name: str) -> DFA:
    states, symbols = _states(machine, lambda target: target), sorted(machine.input_symbols)
    rows = {q: dict(machine.transitions.get(q, {})) for q in states}
    missing = any(a not in row for row in rows.values() for a in symbols)
    trap = fresh("trap", [str(q) for q in states])
    if missing:
        states.append(trap)
        rows[trap] = {}
    return DFA(
        states=states,
        input_symbols=symbols,
        transitions={q: {a: row.get(a, trap) for a in symbols} for q, row in rows.items()},
        initial_state=machine.initial_state,
        final_states=[q for q in states if q in machine.final_states],
        name=name,
    )


def _turing_machine(machine: Any, name: str) -> TuringMachine:
    states, symbols = _states(machine, lambda rule: rule[0]), sorted(machine.tape_symbols)
    rows = {q: machine.transitions.get(q, {}) for q in states if q not in machine.final_states}
    stopped = [q for q, row in rows.items() if not row and q != machine.initial_state]
    reject = stopped[0] if len(stopped) == 1 else None
    rows = {q: row for q, row in rows.items() if q is not reject}
    return TuringMachine(
        states=states,
        input_symbols=sorted(machine.input_symbols),
        tape_symbols=symbols,
        transitions=rows,
        initial_state=machine.initial_state,
        blank_symbol=machine.blank_symbol,
        reject_state=reject,
        final_states=machine.final_states,
        undefined="reject",
        tape="two_way_infinite",
        name=name,
    )


def _pushdown_automaton(machine: Any, name: str) -> PushdownAutomaton:
    rows: dict[State, dict[tuple[Symbol, ...], tuple[State, tuple[Symbol, ...]]]] = {
        q: {(a, top): rule for a, by_top in row.items() for top, rule in by_top.items()}
        for q, row in machine.transitions.items()
    }
    return PushdownAutomaton(
        states=sorted(machine.states, key=lambda q: (str(q), repr(q))),
        input_symbols=sorted(machine.input_symbols),
        stack_symbols=sorted(machine.stack_symbols),
        transitions=rows,
        initial_state=machine.initial_state,
        initial_stack_symbol=machine.initial_stack_symbol,
        final_states=machine.final_states,
        acceptance=next(ours for ours, theirs in _MODES.items() if theirs == machine.acceptance_mode),
        name=name,
    )


def _states(machine: Any, state_of: Callable[[Any], State]) -> list[State]:
    """Return the states in breadth-first order, then those that cannot be reached in the order of their names."""
    found: dict[State, None] = {machine.initial_state: None}
    queue = list(found)
    for q in queue:  # it grows meanwhile
        row: dict[Symbol, Any] = machine.transitions.get(q, {})
        for a in sorted(row):
            target = state_of(row[a])
            if target not in found:
                found[target] = None
                queue.append(target)
    return [*found, *sorted(set(machine.states) - set(found), key=lambda q: (str(q), repr(q)))]
