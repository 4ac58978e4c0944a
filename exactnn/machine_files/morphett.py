"""Turing machines as Anthony Morphett's simulator writes them, one rule in a line.

A line is ``state symbol new-symbol direction new-state``; a semicolon begins a comment, and ``!`` at the end of a line
is a breakpoint, which means nothing here. ``_`` is the blank, and directions are l, r, and * for none. In the place of
what is read ``*`` stands for any symbol or any state, in the place of what follows for no change. A rule for a state
and a symbol comes before one for any symbol, and that before one for any state. Any state whose name begins with halt
ends the run, ``halt-accept`` and ``halt-reject`` with a verdict. The tape is infinite both ways, and a run begins in
state 0.
"""

import re

from exactnn.automata import Rule, State, Symbol, TuringMachine
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import MAX_CELLS, FaultList
from exactnn.machine_files.machine_file import MachineFile
from exactnn.machine_files.scanned_table import STAYS

__all__ = ["is_morphett", "read_morphett"]

_ANY = "*"
_MOVES = {"l": "L", "r": "R", "*": "S", "L": "L", "R": "R"}
_LINE = re.compile(r"(\S+)[ \t]+(\S)[ \t]+(\S)[ \t]+([lrLR*])[ \t]+(\S+)(?:[ \t]+!)?")

Found = dict[tuple[str, str], tuple[int, str, str, str]]
"""From a state and a symbol as written to the line, and what is written, moved and entered."""


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that are not empty without their comments, with their numbers."""
    lines = ((i, line.partition(";")[0].strip()) for i, line in enumerate(text.splitlines(), 1))
    return [(i, line) for i, line in lines if line]


def is_morphett(text: str) -> bool:
    """Return whether `text` looks like rules of Morphett's simulator: its first lines that are no comments are rules.

    >>> is_morphett("; flips\\n0 1 0 r 0\\n0 _ _ * halt"), is_morphett("0 1 0 7\\n")
    (True, False)
    """
    rules = _lines(text[:20_000])[:3]
    return bool(rules) and all(_LINE.fullmatch(line) for _, line in rules)


def read_morphett(document: str, *, name: str = "machine", subject: str = "machine text") -> MachineFile:
    """Return the Turing machine of a program for Morphett's simulator.

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
    A. Morphett, Turing machine simulator, http://morphett.info/turing/turing.html, "Syntax".

    Examples
    --------
    >>> found = read_morphett("0 1 0 r 0\\n0 0 1 r 0\\n0 _ _ l halt  ; done")
    >>> found.machine.halt_state, found.machine.transitions["0"]["1"]
    ('halt', Rule(next_state='0', written='0', move='R'))
    """
    faults = FaultList(subject)
    found: Found = {}
    for number, line in _lines(document):
        match = _LINE.fullmatch(line)
        if match is None:
            faults.add(number, f"{shown(line)} is no rule: write 'state symbol new-symbol direction new-state'")
            continue
        state, read, written, move, target = match.groups()
        if (state, read) in found:
            first = found[state, read][0]
            faults.add(number, f"a rule for state {shown(state)} on {shown(read)} is in line {first}: remove one")
        found.setdefault((state, read), (number, written, _MOVES[move], target))
    faults.raise_any()
    return _machine(found, name, faults)


def _machine(found: Found, name: str, faults: FaultList) -> MachineFile:
    named = [q for (state, _), (_, _, _, target) in found.items() for q in (state, target) if q != _ANY]
    states = dict.fromkeys(["0", *named])
    symbols = dict.fromkeys(a for (_, read), (_, written, _, _) in found.items() for a in (read, written) if a != _ANY)
    symbols.setdefault("_")
    if len(states) * len(symbols) > MAX_CELLS:
        faults.add(1, f"{len(states):,} states and {len(symbols):,} symbols: at most {MAX_CELLS:,} pairs are read")
        faults.raise_any()
    halting = [q for q in states if q.startswith("halt")]
    accepts = [q for q in halting if q.startswith("halt-accept")]
    rejects = [q for q in halting if q.startswith("halt-reject")]
    plain = [q for q in halting if q not in (*accepts, *rejects)]
    verdicts = bool(accepts or rejects)
    notes = []
    if verdicts and plain:
        notes.append(f"{', '.join(plain)} gives no verdict beside others: it rejects here")
        rejects += plain
        plain = []
    one = {q: group[0] for group in (accepts, rejects, plain) for q in group}
    table: dict[State, dict[Symbol, Rule]] = {}
    for q in states:
        if q in halting:
            continue
        for a in symbols:
            patterns = ((q, a), (q, _ANY), (_ANY, a), (_ANY, _ANY))
            rule = next((found[pattern] for pattern in patterns if pattern in found), None)
            if rule is not None:
                _, written, move, target = rule
                target = q if target == _ANY else target
                table.setdefault(q, {})[a] = Rule(one.get(target, target), a if written == _ANY else written, move)
    stays = sum(rule.move == "S" for row in table.values() for rule in row.values())
    if stays:
        notes.append(STAYS.format(stays))
    if any(len(table.get(q, {})) < len(symbols) for q in states if q not in halting):
        notes.append("where no rule fits the simulator stops; here that is one more move, into a state that halts")
    try:
        machine = TuringMachine(
            states=[q for q in states if one.get(q, q) == q],
            input_symbols=[a for a in symbols if a != "_"],
            tape_symbols=symbols,
            transitions=table,
            initial_state=one.get("0", "0"),
            blank_symbol="_",
            accept_state=accepts[0] if accepts else None,
            reject_state=rejects[0] if rejects else None,
            halt_state=plain[0] if plain else None,
            undefined="reject" if verdicts else "halt",
            tape="two_way_infinite",
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(1, fault)
        raise faults.error() from error
    return MachineFile(machine=machine, name=name, format="Morphett", notes=tuple(notes))
