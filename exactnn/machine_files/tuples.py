"""Machines as the tuples of textbooks, in JSON or YAML: the parameters of automata-lib, and Doty's simulator.

Both are mappings with the states, the alphabets, the start and the end, and a transition function by state and symbol.
They differ in the names of the keys, and in what a Turing machine has:

- automata-lib: a DFA or NFA (targets, or lists of them, the empty symbol reads nothing), a DPDA (``symbol: {top:
  [state, pushed]}``) or a DTM (``symbol: [state, written, move]``, infinite both ways, a final state accepts).
- Doty: a DFA, an NFA, or a Turing machine of one or more tapes, each with a left end; ``?`` stands for any symbol, and
  a rule without it comes first. Symbols have one character, and those of several tapes are written together.
"""

import json
import re
from contextlib import suppress

from exactnn.errors import MachineError, MachineFileError
from exactnn.interrupts import Uninterrupted
from exactnn.machine_files.fields import FaultList, fields
from exactnn.machine_files.machine_file import MachineFile
from exactnn.machine_files.tuple_reader import Dialect, TupleReader

__all__ = ["is_automata_lib", "is_doty", "is_old_doty", "read_automata_lib", "read_doty"]

_LIB = Dialect(
    name="automata-lib",
    states="states",
    inputs="input_symbols",
    start="initial_state",
    final="final_states",
    moves="transitions",
    others=(
        "tape_symbols",
        "blank_symbol",
        "stack_symbols",
        "initial_stack_symbol",
        "acceptance_mode",
        "allow_partial",
    ),
    tape="two_way_infinite",
    wildcard=None,
)
_DOTY = Dialect(
    name="Doty",
    states="states",
    inputs="input_alphabet",
    start="start_state",
    final="accept_states",
    moves="delta",
    others=("tape_alphabet_extra", "accept_state", "reject_state", "num_tapes"),
    tape="semi_infinite",
    wildcard="?",
)


def _has_keys(document: str, *keys: str) -> bool:
    return all(re.search(rf"(?:^|[{{,])[ \t]*+[\"']?{key}[\"']?[ \t]*+:", document, re.MULTILINE) for key in keys)


def is_automata_lib(document: str) -> bool:
    """Return whether a text looks like the parameters of an automaton of automata-lib, as JSON or YAML.

    >>> is_automata_lib('{"states": ["q"], "input_symbols": [], "transitions": {}, "initial_state": "q"}')
    True
    """
    return _has_keys(document, _LIB.inputs, _LIB.start, _LIB.moves)


def is_doty(document: str) -> bool:
    """Return whether a text looks like an automaton of Doty's simulator.

    >>> is_doty("states: [q]\\ninput_alphabet: [a]\\nstart_state: q\\naccept_states: [q]\\ndelta: {q: {a: q}}")
    True
    """
    return _has_keys(document, _DOTY.inputs, _DOTY.start, _DOTY.moves)


def is_old_doty(document: str) -> bool:
    """Return whether a text looks like what older versions of that simulator read.

    >>> is_old_doty("states = {q}\\ninput_alphabet = {a}\\nstart_state = q\\ndelta = q,a -> q;")
    True
    """
    return all(re.search(rf"^[ \t]*+{key}[ \t]*+=", document, re.MULTILINE) for key in ("input_alphabet", "delta"))


def read_automata_lib(document: str, *, name: str = "machine", subject: str = "machine text") -> MachineFile:
    """Return the machine whose parameters for automata-lib stand in a document.

    Parameters
    ----------
    document, name, subject
        As of :func:`~exactnn.machine_files.read_jflap`.

    Raises
    ------
    MachineFileError
        With all faults, each with its line.

    References
    ----------
    C. Evans and E. W. Robson, "automata: A Python package for simulating and manipulating automata", *JOSS* 8, 2023.

    Examples
    --------
    >>> found = read_automata_lib('''{"states": ["p", "q"], "input_symbols": ["a"], "initial_state": "p",
    ...   "transitions": {"p": {"a": ["p", "q"]}, "q": {}}, "final_states": ["q"]}''')
    >>> found.machine.accepts("a"), found.machine.accepts("")
    (True, False)
    """
    return _read(document, _LIB, name, subject)


def read_doty(document: str, *, name: str = "machine", subject: str = "machine text") -> MachineFile:
    """Return the machine that a file of Doty's simulator describes.

    Parameters
    ----------
    document, name, subject
        As of :func:`~exactnn.machine_files.read_jflap`.

    Raises
    ------
    MachineFileError
        With all faults, each with its line.

    References
    ----------
    D. Doty, automata simulator, https://web.cs.ucdavis.edu/~doty/automata/help.html

    Examples
    --------
    >>> found = read_doty('''
    ... states: [s, qA, qR]
    ... input_alphabet: [0]
    ... tape_alphabet_extra: [x]
    ... start_state: s
    ... accept_state: qA
    ... reject_state: qR
    ... delta: {s: {0: [s, x, R], _: [qA, _, L]}}
    ... ''')
    >>> found.machine.transitions["s"]["0"], found.machine.tape
    (Rule(next_state='s', written='x', move='R'), 'semi_infinite')
    """
    return _read(document, _DOTY, name, subject)


def _read(document: str, dialect: Dialect, name: str, subject: str) -> MachineFile:
    faults = FaultList(subject)
    with Uninterrupted("loading PyYAML"):
        from exactnn.machine_files.yaml_parser import compose

    root = compose(document if dialect is _LIB else _quoted_wildcards(document), faults)
    if faults and document.lstrip().startswith("{"):  # JSON has escapes that YAML has not
        with suppress(ValueError, RecursionError):
            text, again = json.dumps(json.loads(document), ensure_ascii=False), FaultList(subject)
            root = compose(text, again)
            faults = again
    faults.raise_any()
    if root is None:
        raise FaultList(subject).error()
    ours = (dialect.states, dialect.inputs, dialect.start, dialect.final, dialect.moves)
    keys = fields(root, (*ours, *dialect.others), faults, f"a file of {dialect.name}")
    reader = TupleReader(keys, dialect, faults, root.line, name)
    try:
        machine, notes = reader.machine()
    except MachineFileError:
        raise
    except MachineError as error:
        for fault in error.faults:
            faults.add(root.line, fault)
        raise faults.error() from error
    return MachineFile(machine=machine, name=machine.name, format=dialect.name, notes=tuple(notes))


def _quoted_wildcards(document: str) -> str:
    """Return a document with quotes around ``?_`` in lists and mappings: the parser takes a ``?`` for something else.

    >>> _quoted_wildcards("?_: [q, ?_, RS]")
    "?_: [q, '?_', RS]"
    """
    return re.sub(r"([\[{,][ \t]*)(\?[^\s,:\[\]{}'\"]*)(?=[ \t]*[,:\]}])", r"\1'\2'", document)
