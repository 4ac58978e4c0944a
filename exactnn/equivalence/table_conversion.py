"""From automata with named states to tables, and back."""

from collections.abc import Callable, Iterable
from itertools import chain

import numpy as np

from exactnn.automata import DFA, MooreMachine, Output, State, Symbol
from exactnn.equivalence.automaton_table import AutomatonTable
from exactnn.errors import MachineError, OptionError, shown

__all__ = ["dfa_of", "moore_machine_of", "table_of"]


def table_of(machine: DFA | MooreMachine) -> AutomatonTable:
    """Return an automaton as a table; its states keep their order, so that state i is ``machine.states[i]``.

    The labels of a DFA are named False and True, which says whether a state is final; those of a Moore machine are its
    outputs.

    Raises
    ------
    MachineError
        If `machine` is neither.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> table = table_of(load("parity"))
    >>> table.transitions.tolist(), table.labels.tolist(), table.label_names
    ([[0, 1], [1, 0]], [0, 1], (False, True))
    """
    if not isinstance(machine, DFA | MooreMachine):
        raise MachineError(shown(machine), [f"a {type(machine).__name__} has no table: give a DFA or a MooreMachine"])
    number = {state: i for i, state in enumerate(machine.states)}
    if isinstance(machine, DFA):
        final = set(machine.final_states)
        outputs: Iterable[Output] = (state in final for state in machine.states)
        names: dict[Output, int] = {False: 0, True: 1}
    else:
        outputs = (machine.outputs[state] for state in machine.states)
        names = {}
    labels = [names.setdefault(output, len(names)) for output in outputs]
    shape = len(machine.states), len(machine.input_symbols)
    rows = (machine.transitions[q] for q in machine.states) if machine.input_symbols else ()
    entries = chain.from_iterable((number[row[a]] for a in machine.input_symbols) for row in rows)
    return AutomatonTable(
        transitions=np.fromiter(entries, dtype=np.int32, count=shape[0] * shape[1]).reshape(shape),
        labels=np.array(labels, dtype=np.int32),
        symbols=machine.input_symbols,
        label_names=names,
        initial_state=number[machine.initial_state],
        name=machine.name,
    )


def dfa_of(table: AutomatonTable, *, accept: Callable[[Output], bool] | None = None, name: str | None = None) -> DFA:
    """Return a table as a DFA whose states are "0", "1", and so on.

    Parameters
    ----------
    table : AutomatonTable
    accept : callable, optional
        Says of the name of a label whether states with it are final; by default labels are named True and False.
    name : str, optional
        A name for reports; that of the table by default.

    Raises
    ------
    OptionError
        If a label has another name than True and False, and `accept` is not given.

    Examples
    --------
    >>> table = AutomatonTable(transitions=[[1], [0]], labels=[0, 1], symbols="a", label_names=["no", "yes"])
    >>> dfa_of(table, accept=lambda label: label == "yes").final_states
    ('1',)
    """
    if accept is None:
        others = [label for label in table.label_names if not isinstance(label, bool)]
        if others:
            raise OptionError(
                f"label {shown(others[0])} is neither True nor False: say by `accept` which labels accept"
            )
    final = [bool(label if accept is None else accept(label)) for label in table.label_names]
    states = _names(table)
    return DFA(
        states=states,
        input_symbols=table.symbols,
        transitions=_rows(table, states),
        initial_state=states[table.initial_state],
        final_states=[state for state, label in zip(states, table.labels.tolist(), strict=True) if final[label]],
        name=table.name if name is None else name,
    )


def moore_machine_of(table: AutomatonTable, *, name: str | None = None) -> MooreMachine:
    """Return a table as a Moore machine whose states are "0", "1", and so on, and whose outputs are the label names.

    Parameters
    ----------
    table : AutomatonTable
    name : str, optional
        A name for reports; that of the table by default.

    Examples
    --------
    >>> table = AutomatonTable(transitions=[[1], [0]], labels=[0, 1], symbols="a", label_names=["tick", "tock"])
    >>> moore_machine_of(table).outputs
    {'0': 'tick', '1': 'tock'}
    """
    states = _names(table)
    labels = table.labels.tolist()
    return MooreMachine(
        states=states,
        input_symbols=table.symbols,
        transitions=_rows(table, states),
        initial_state=states[table.initial_state],
        outputs={state: table.label_names[label] for state, label in zip(states, labels, strict=True)},
        name=table.name if name is None else name,
    )


def _names(table: AutomatonTable) -> list[str]:
    return list(map(str, range(table.states)))


def _rows(table: AutomatonTable, states: list[str]) -> dict[State, dict[Symbol, State]]:
    return {
        state: {symbol: states[target] for symbol, target in zip(table.symbols, row, strict=True)}
        for state, row in zip(states, table.transitions.tolist(), strict=True)
    }
