"""Turing machines as one line of text, as on bbchallenge.org: ``1RB1LB_1LA1RZ``.

Each state has a row, A first, and rows are joined by ``_``; a row has three letters for each tape symbol 0, 1, ...:
what is written, the direction, the next state. Any letter beyond the last row halts, as the standard of 2022 has it;
all are one state, Z here, as by custom. ``---`` is an undefined entry, which by convention writes 1 (0 if that is the
only symbol), moves right and halts. The tape is two-way infinite and blank, the blank is 0, and the step into the
halting state counts.

People also write it in lower case, with spaces (one between rows, or one between entries and two between rows), or as
the address of its page. All of these are read; an address is parsed, not fetched.

What is written is one digit. A row may have more than ten entries, as the tools of bbchallenge.org take it, but no
machine comes to read the symbols 10, 11, ... of the others; it has at most 100. There are letters for 26 states.
"""

import re
from string import ascii_uppercase, digits

from exactnn.automata import Rule, State, Symbol, TuringMachine
from exactnn.errors import MachineFileError, shown

__all__ = ["is_bbchallenge", "read_bbchallenge", "write_bbchallenge"]

_SUBJECT = "bbchallenge text"
_ELSE = "a machine file (.yaml) says more"
_MOST_ENTRIES = 100
"""Of a row: nobody writes machines of so many symbols in this text."""
_LIKE = re.compile("(?:[0-9][LR][A-Z]|---)[0-9A-Z_-]*")
_OTHER_FORMS = re.compile(r"(?:[0-9][lr][a-z]|---)(?:\s*_?\s*(?:[0-9][lr][a-z]|---))+", re.IGNORECASE)
"""Two entries or more, in either case, with spaces."""

_ADDRESS = re.compile(r"(?:https?://)?(?:www\.|wiki\.)?bbchallenge\.org/(?:wiki/)?([0-9A-Za-z_-]+)(?:[&?#].*)?")
_ENTRY = re.compile("[0-9][LR][A-Z]")


def is_bbchallenge(text: str) -> bool:
    """Return whether `text` looks like bbchallenge text; it may still have faults.

    >>> is_bbchallenge("1RB1LB_1LA1RZ"), is_bbchallenge("palindrome")
    (True, False)
    """
    return _LIKE.fullmatch(_standard(text)) is not None


def _standard(text: str) -> str:
    """Return the text in the standard form, if it is one of the other forms, and as it is if it is none.

    >>> _standard("1rb 1lb  1la 1rz"), _standard("1RB1LB 1LA1RZ")
    ('1RB1LB_1LA1RZ', '1RB1LB_1LA1RZ')
    >>> _standard("https://bbchallenge.org/1RB1LB_1LA1RZ&status=halt"), _standard("rb lb")
    ('1RB1LB_1LA1RZ', 'rb lb')
    """
    text = text.strip()
    if address := _ADDRESS.fullmatch(text):
        text = address[1]
    if not _OTHER_FORMS.fullmatch(text):
        return text
    if re.fullmatch(r"\S{3}(?:\s\S{3})+", text):
        return text  # nothing says where a row ends
    between_rows = r"\s{2,}|_" if re.search(r"\s\s|_", text) else r"\s"
    rows = ("".join(row.split()) for row in re.split(between_rows, text))
    return "_".join(rows).upper()


def read_bbchallenge(text: str) -> TuringMachine:
    """Return the machine that `text` describes, with an empty input alphabet.

    Raises
    ------
    MachineFileError
        With all faults of the text and their positions, counted from 1.

    Examples
    --------
    >>> beaver = read_bbchallenge("1RB1LB_1LA1RZ")
    >>> beaver.halt_state, beaver.transitions["B"]["1"]
    ('Z', Rule(next_state='Z', written='1', move='R'))
    >>> read_bbchallenge("1RB1LB_1LA2RZ")
    Traceback (most recent call last):
    ...
    exactnn.errors.MachineFileError: bbchallenge text '1RB1LB_1LA2RZ': position 11: '2RZ' writes symbol 2, \
but the rows have entries for the symbols 0 to 1 only
    """
    text = _standard(text)
    subject = f"{_SUBJECT} {shown(text)}"
    rows = text.split("_")
    if faults := _faults(rows):
        raise MachineFileError(subject, faults)
    states, symbols = ascii_uppercase[: len(rows)], _symbols(len(rows[0]) // 3)
    halt = "halt" if "Z" in states else "Z"
    transitions: dict[State, dict[Symbol, Rule]] = {
        q: {a: _rule(row[3 * i : 3 * i + 3], states, halt, symbols[:2][-1]) for i, a in enumerate(symbols)}
        for q, row in zip(states, rows, strict=True)
    }
    halts = any(rule.next_state == halt for row in transitions.values() for rule in row.values())
    return TuringMachine(
        states=[*states, halt] if halts else states,
        input_symbols=(),
        tape_symbols=symbols,
        transitions=transitions,
        initial_state="A",
        blank_symbol="0",
        halt_state=halt if halts else None,
        tape="two_way_infinite",
        name=text,
    )


def _faults(rows: list[str]) -> list[str]:
    """Return what is wrong with the rows, each fault with its position in the text."""
    if len(rows) > len(ascii_uppercase):
        return [f"there are {len(rows)} rows: at most {len(ascii_uppercase)}, one for each letter; {_ELSE}"]
    width = next((len(row) for row in rows if row and len(row) % 3 == 0), 0)
    faults = []
    position = 1
    for row in rows:
        where = f"position {position}: row {shown(row)}"
        if not row or len(row) % 3:
            faults.append(f"{where} has {len(row)} characters: write three for each symbol")
        elif len(row) > 3 * _MOST_ENTRIES:
            faults.append(f"{where} has {len(row) // 3} entries: at most {_MOST_ENTRIES}; {_ELSE}")
        elif len(row) != width:
            faults.append(f"{where} is not as long as the first: give each the same symbols")
        else:
            faults += _entry_faults(row, position)
        position += len(row) + 1
    return faults


def _entry_faults(row: str, position: int) -> list[str]:
    faults = []
    n_symbols = len(row) // 3
    which = f"the symbols 0 to {n_symbols - 1}" if n_symbols > 1 else "the symbol 0"
    for start in range(0, len(row), 3):
        entry = row[start : start + 3]
        where = f"position {position + start}: {shown(entry)}"
        if entry != "---" and not _ENTRY.fullmatch(entry):
            more = f"; a symbol is one digit here, {_ELSE}" if n_symbols > len(digits) else ""
            faults.append(f"{where} is not an entry: write symbol, L or R, state, as in 1RB, or ---{more}")
        elif entry != "---" and int(entry[0]) >= n_symbols:
            faults.append(f"{where} writes symbol {entry[0]}, but the rows have entries for {which} only")
    return faults


def _symbols(count: int) -> tuple[Symbol, ...]:
    return tuple(map(str, range(count)))


def _rule(entry: str, states: str, halt: str, undefined: Symbol) -> Rule:
    if entry == "---":
        return Rule(halt, undefined, "R")
    return Rule(entry[2] if entry[2] in states else halt, entry[0], entry[1])


def write_bbchallenge(machine: TuringMachine) -> str:
    """Return `machine` as bbchallenge text; its states are renamed A, B, ... in their order, the initial one first.

    Raises
    ------
    MachineFileError
        If the format cannot say it: other tape symbols than 0, 1, ..., another blank than 0, a symbol that is written
        and has two digits, a semi-infinite tape, input, verdicts, or too many states.

    Examples
    --------
    >>> write_bbchallenge(read_bbchallenge("1RB---_1LA1RH"))
    '1RB1RZ_1LA1RZ'
    """
    running = [q for q in machine.states if q not in machine.halting_states and q != machine.initial_state]
    order = [machine.initial_state, *running]
    if faults := _unsayable(machine, len(order)):
        raise MachineFileError(f"{shown(machine.name)} as {_SUBJECT}", faults)
    letters = dict(zip(order, ascii_uppercase, strict=False))
    rows = ([machine.transitions[q][a] for a in _symbols(len(machine.tape_symbols))] for q in order)
    return "_".join("".join(f"{r.written}{r.move}{letters.get(r.next_state, 'Z')}" for r in row) for row in rows)


def _unsayable(machine: TuringMachine, n_running: int) -> list[str]:
    n_symbols = len(machine.tape_symbols)
    checks = {
        "its tape is semi-infinite, this text means a two-way infinite one": machine.tape != "two_way_infinite",
        "it has input symbols, this text means a blank tape": bool(machine.input_symbols),
        "it gives verdicts, this text only halts": None not in (machine.accept_state, machine.reject_state)
        or machine.halting_states not in ((), (machine.halt_state,)),
        "it halts at once: its initial state is a halting state": machine.initial_state in machine.halting_states,
        f"it has {n_running} states that run, there are letters for 25; {_ELSE}": n_running > len(ascii_uppercase) - 1,
        "its tape symbols are not the digits 0, 1, ... with the blank 0: rename them": machine.blank_symbol != "0"
        or set(machine.tape_symbols) != set(_symbols(n_symbols)),
        f"it writes a symbol beyond 9, and one digit says what is written; {_ELSE}": any(
            len(rule.written) > 1 and rule.written in _symbols(n_symbols)
            for row in machine.transitions.values()
            for rule in row.values()
        ),
    }
    return [fault for fault, holds in checks.items() if holds]
