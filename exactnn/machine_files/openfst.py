"""Acceptors in OpenFST's text format, which is that of AT&T's FSM library.

A line with two states and a label is a move, ``source target label``; a line with a state alone says that it is final.
The source of the first line is the initial state. The label 0, ``<eps>`` or ``<epsilon>`` reads nothing. A fourth field
of an acceptor is a weight, and one of a transducer its output: both are refused, but for an output equal to the input.
"""

import re

from exactnn.automata import State, Symbol, determinized
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import MAX_STATES, MAX_SYMBOLS, FaultList
from exactnn.machine_files.machine_file import MachineFile

__all__ = ["is_openfst", "read_openfst"]

_NOTHING = ("0", "<eps>", "<epsilon>", "ε")
_LINE = re.compile(r"(?:\d+[ \t]+\d+(?:[ \t]+\S+){1,3}|\d+(?:[ \t]+\S+)?)")


def is_openfst(text: str) -> bool:
    """Return whether `text` looks like an acceptor or a transducer of OpenFST: lines that begin with states' numbers.

    >>> is_openfst("0 1 a\\n1 1 b\\n1\\n"), is_openfst("0 1 1 r 0\\n0 _ _ l halt")
    (True, False)
    """
    lines = [line.strip() for line in text[:20_000].splitlines()[:200] if line.strip()]
    return len(lines) > 1 and len(lines[0].split()) >= 3 and all(_LINE.fullmatch(line) for line in lines[:20])


def read_openfst(document: str, *, name: str = "machine", subject: str = "machine text") -> MachineFile:
    """Return the DFA of an unweighted acceptor.

    Parameters
    ----------
    document, name, subject
        As of :func:`~exactnn.machine_files.read_jflap`.

    Raises
    ------
    MachineFileError
        With all faults, each with its line; of weights and of a transducer's outputs with what to do.

    References
    ----------
    OpenFST, https://www.openfst.org, "Quick Tour: Creating FSTs Using Text Files from the Shell".

    Examples
    --------
    >>> read_openfst("0 0 a\\n0 1 b\\n1").machine.accepts("aab")
    True
    """
    faults = FaultList(subject)
    moves: dict[State, dict[Symbol, list[State]]] = {}
    states: dict[str, None] = {}
    final: dict[str, None] = {}
    alphabet: dict[Symbol, None] = {}
    for number, line in enumerate(document.splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        if not all(field.isdecimal() for field in fields[: 1 if len(fields) < 3 else 2]) or len(fields) > 5:
            faults.add(number, f"{shown(line)} is no line of an acceptor: write 'source target label', or 'state'")
            continue
        if len(fields) < 3:
            _refuse_weight(fields[1:], number, faults)
            states[fields[0]] = final[fields[0]] = None
            continue
        source, target, label, *rest = fields
        if rest and rest[0] == label:
            rest = rest[1:]
        _refuse_weight(rest, number, faults)
        symbol = "" if label in _NOTHING else label
        states |= {source: None, target: None}
        moves.setdefault(source, {}).setdefault(symbol, []).append(target)
        if symbol:
            alphabet[symbol] = None
    if len(states) > MAX_STATES or len(alphabet) > MAX_SYMBOLS:
        sizes = f"{len(states):,} states and {len(alphabet):,} symbols"
        faults.add(1, f"there are {sizes}: at most {MAX_STATES:,} and {MAX_SYMBOLS:,} are read")
    faults.raise_any()
    try:
        machine = determinized(
            states=states,
            input_symbols=alphabet,
            transitions=moves,
            initial_states=list(states)[:1],
            final_states=final,
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(1, fault)
        raise faults.error() from error
    notes = []
    if set(machine.states) - set(states) - {"reject"}:
        notes.append("the acceptor is nondeterministic: this is the deterministic one of its sets of states")
    return MachineFile(machine=machine, name=name, format="OpenFST", notes=tuple(notes))


def _refuse_weight(rest: list[str], line: int, faults: FaultList) -> None:
    if any(not re.fullmatch(r"-?0*(?:\.0*)?", field) or not field.strip("-.") for field in rest):
        said = " ".join(rest)
        fault = f"{shown(said)} is an output or a weight"
        faults.add(line, f"{fault}: only unweighted acceptors are read; a weighted_automaton in YAML has weights")
