"""Deterministic automata as arrays, for those with too many states to have an object for each; from and to machines."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from exactnn.automata import DFA, MooreMachine, Output, State, Symbol, as_word
from exactnn.automata.validation import hashable, symbol_faults, unlike_names
from exactnn.errors import MachineError, OptionError, shown

__all__ = ["AutomatonTable", "common_order", "dfa_of", "moore_machine_of", "table_of"]

Array = NDArray[np.signedinteger[Any]]

INT32_STATES = 2**31 - 1
"""Tables of more states have 64-bit entries."""


@dataclass(frozen=True, slots=True, init=False, eq=False)
class AutomatonTable:
    """A complete deterministic automaton whose states are the numbers from 0 on, each with a label.

    Parameters
    ----------
    transitions : array of int, shape (states, symbols)
        The next state of each state on each symbol.
    labels : array of int, shape (states,)
        The label of each state, as its place in `label_names`.
    symbols : sequence of str
        The alphabet, in the order of the columns.
    label_names : sequence of hashable
        What the labels stand for: verdicts, outputs of a Moore machine, True and False of a DFA. Two that differ must
        not print alike.
    initial_state : int
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    Notes
    -----
    `transitions` is int32, int64 from 2^31 states on; `labels` is int32. Arrays that come in this form are not copied:
    who changes them changes the table. Nothing can be written through the table.

    Tables are equal if all their fields but the names of the automata are. Equivalent automata have equal minimal
    tables (:func:`exactnn.equivalence.minimal_table`).

    Examples
    --------
    >>> parity = AutomatonTable(transitions=[[0, 1], [1, 0]], labels=[0, 1], symbols="01", label_names=["even", "odd"])
    >>> parity.states, parity.label_after("0110100")
    (2, 'odd')
    """

    transitions: Array
    labels: Array
    symbols: tuple[Symbol, ...]
    label_names: tuple[Output, ...]
    initial_state: int
    name: str

    def __init__(
        self,
        *,
        transitions: Sequence[Sequence[int]] | NDArray[Any],
        labels: Sequence[int] | NDArray[Any],
        symbols: Iterable[Symbol],
        label_names: Iterable[Output],
        initial_state: int = 0,
        name: str = "automaton",
    ) -> None:
        faults: list[str] = []
        names, columns = tuple(label_names), tuple(symbols)
        table, marks = _integers("transitions", transitions, 2, faults), _integers("labels", labels, 1, faults)
        if not faults:
            faults += _shape_faults(table, marks, columns) + _range_faults(table, marks, len(names))
        if isinstance(initial_state, bool) or not isinstance(initial_state, SupportsIndex):
            faults.append(f"initial_state is {shown(initial_state)}: give the number of a state")
        elif not 0 <= index(initial_state) < len(table):
            faults.append(f"initial_state is {shown(initial_state)}: there are the states 0 to {len(table) - 1}")
        faults += _name_faults(columns, names)
        if faults:
            raise MachineError(name, faults)
        fill = object.__setattr__
        fill(self, "transitions", _frozen(table, np.int32 if len(table) <= INT32_STATES else np.int64))
        fill(self, "labels", _frozen(marks, np.int32))
        fill(self, "symbols", columns)
        fill(self, "label_names", names)
        fill(self, "initial_state", index(initial_state))
        fill(self, "name", name)

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.transitions)

    def label_after(self, word: str | Sequence[Symbol]) -> Output:
        """Return the name of the label after reading `word` from the initial state.

        Raises
        ------
        WordError
            If the word has a symbol outside the alphabet.
        """
        column = {symbol: i for i, symbol in enumerate(self.symbols)}
        state = self.initial_state
        for symbol in as_word(word, self.symbols):
            state = int(self.transitions[state, column[symbol]])
        return self.label_names[int(self.labels[state])]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AutomatonTable):
            return NotImplemented
        return self._fields() == other._fields() and all(
            np.array_equal(mine, theirs)
            for mine, theirs in ((self.transitions, other.transitions), (self.labels, other.labels))
        )

    def __hash__(self) -> int:
        return hash((self._fields(), self.states))

    def _fields(self) -> tuple[Hashable, ...]:
        return self.symbols, self.label_names, self.initial_state


def _integers(what: str, values: object, dimensions: int, faults: list[str]) -> Array:
    """Return `values` as an array of integers; note a fault where they are none, and return an empty one."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):  # rows of unlike length
        array = np.empty(0, dtype=object)
    if array.size == 0 and array.ndim == dimensions:
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu" or array.ndim != dimensions:
        faults.append(f"{what} is {shown(values)}: give an array of whole numbers with {dimensions} dimensions")
        return np.empty((0,) * dimensions, dtype=np.int32)
    return array


def _shape_faults(table: Array, marks: Array, symbols: tuple[Symbol, ...]) -> list[str]:
    faults = []
    if not len(table):
        faults.append("transitions has no rows: an automaton has at least its initial state")
    if table.shape[1] != len(symbols):
        faults.append(f"transitions has {table.shape[1]} columns, and there are {len(symbols)} symbols")
    if len(marks) != len(table):
        faults.append(f"labels has {len(marks)} entries, and transitions {len(table)} rows")
    return faults


def _range_faults(table: Array, marks: Array, names: int) -> list[str]:
    faults = []
    for what, values, limit in (("transitions", table, len(table)), ("labels", marks, names)):
        if values.size:
            extremes = {int(values.min()), int(values.max())}
            faults += [
                f"{what} has the entry {extreme}: it must be at least 0 and less than {limit}"
                for extreme in sorted(extremes)
                if not 0 <= extreme < limit
            ]
    return faults


def _name_faults(symbols: tuple[Symbol, ...], names: tuple[Output, ...]) -> list[str]:
    faults = symbol_faults(symbols, "symbol")
    if all(map(hashable, symbols)) and len(set(symbols)) < len(symbols):
        faults.append(f"symbols are {shown(symbols)}: each may be there once")
    unlike = [name for name in names if not hashable(name)]
    faults += [f"label name {shown(name)} is not hashable: give text or a number" for name in unlike]
    if not unlike:
        faults += unlike_names(names, "label names")
        if len(set(names)) < len(names):
            faults.append(f"label_names are {shown(names)}: each may be there once")
    return faults


def _frozen(values: Array, dtype: type[np.signedinteger[Any]]) -> Array:
    """Return a view of an array that cannot be written to; a copy only where its form is another."""
    view = np.ascontiguousarray(values, dtype=dtype).view()
    view.flags.writeable = False
    return view


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


def common_order(symbols: tuple[Symbol, ...], others: tuple[Symbol, ...]) -> NDArray[np.signedinteger[Any]]:
    """Return where each of `symbols` is among `others`.

    Raises
    ------
    OptionError
        If they are not the same symbols.

    Examples
    --------
    >>> common_order(("a", "b", "c"), ("c", "a", "b")).tolist()
    [1, 2, 0]
    """
    for these, those, which in ((symbols, others, "first"), (others, symbols, "second")):
        known = set(those)
        if alone := [symbol for symbol in these if symbol not in known]:
            raise OptionError(
                f"symbol {shown(alone[0])} is of the {which} automaton only: they have {shown(symbols)} and "
                f"{shown(others)}, give two with the same symbols"
            )
    place = {symbol: i for i, symbol in enumerate(others)}
    return np.array([place[symbol] for symbol in symbols], dtype=np.int64)
