"""Turing machines in files: when they halt, and their tables."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from exactnn.automata import Rule, State, Symbol, TuringMachine, fresh
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import (
    FaultList,
    Field,
    Instruction,
    ListNode,
    Row,
    TextNode,
    choice,
    instruction,
    rows_of,
    symbols,
    synonyms,
    text,
    too_large,
)

__all__ = ["TAPE_KEYS", "Halting", "halting_states", "policy", "sink", "tape_machine"]


# --- Which states of a tape machine halt, with which verdict, and what an undefined transition means.
#
# The rules are those of turingmachine.io, with keys to say otherwise: a state with an empty row halts; one named
# ``accept`` accepts, one named ``reject`` rejects, any other is the halt state.

_ROLES = ("accept state", "reject state", "halt state")


@dataclass(slots=True)
class Halting:
    """The halting states of a machine; a state may be added to them while the machine is completed."""

    accept: str | None = None
    reject: str | None = None
    halt: str | None = None

    @property
    def states(self) -> tuple[str, ...]:
        """Those that there are."""
        return tuple(q for q in (self.accept, self.reject, self.halt) if q is not None)


def halting_states(keys: Mapping[str, Field], empty_rows: Mapping[str, int], faults: FaultList) -> Halting:
    """Return the halting states that the keys name and that the empty rows show.

    Parameters
    ----------
    keys : mapping
        The keys of the document.
    empty_rows : mapping state -> line
        The states whose row in the table is empty.
    """
    named = {role: text(keys[role], faults) for role in _ROLES if role in keys}
    halting = Halting(named.get("accept state"), named.get("reject state"), named.get("halt state"))
    rest = {q: line for q, line in empty_rows.items() if q not in halting.states}
    if halting.halt is None:
        if halting.accept is None and rest.pop("accept", None) is not None:
            halting.accept = "accept"
        if halting.reject is None and rest.pop("reject", None) is not None:
            halting.reject = "reject"
    if len(rest) == 1 and not halting.states:
        halting.halt = rest.popitem()[0]
    missing = "reject state" if halting.accept is not None and halting.reject is None else "halt state"
    for q, line in rest.items():
        faults.add(
            line, f"state {shown(q)} has an empty row, and nothing says how it halts: add {_remedy(halting, missing)}"
        )
    _check_roles(keys, halting, faults)
    return halting


def _remedy(halting: Halting, missing: str) -> str:
    if len(halting.states) < (1 if missing == "halt state" else 2):
        return f"a line '{missing}: NAME' with one state, and lead the others there"
    return "rules to it, or lead its transitions to a halting state that has a name"


def _check_roles(keys: Mapping[str, Field], halting: Halting, faults: FaultList) -> None:
    line = next((keys[role].line for role in _ROLES if role in keys), keys["table"].line)
    if halting.accept is not None and halting.accept == halting.reject:
        faults.add(line, f"accept state and reject state are both {shown(halting.accept)}: name two states")
    if halting.halt is not None and len(halting.states) > 1:
        faults.add(line, "a machine with a halt state gives no verdict: drop it, or drop accept and reject state")


def policy(keys: Mapping[str, Field], faults: FaultList) -> str:
    """Return what an undefined transition means: "error", "reject", "halt", or "turingmachine.io".

    The last one holds for a file that neither says its kind nor what is undefined: reject where there is an
    accept state, and halt elsewhere.
    """
    if "undefined" in keys:
        return choice(keys["undefined"], ("reject", "halt", "error"), faults) or "error"
    return "error" if "kind" in keys else "turingmachine.io"


def sink(undefined: str, taken: Collection[str], halting: Halting, faults: FaultList, line: int) -> str:
    """Return the state that undefined transitions enter ("reject" or "halt"), adding it where there is none."""
    if undefined == "reject":
        if halting.halt is not None:
            faults.add(line, "'undefined: reject' in a machine with a halt state: write 'undefined: halt'")
        halting.reject = halting.reject if halting.reject is not None else fresh("reject", taken)
        return halting.reject
    if halting.accept is not None or halting.reject is not None:
        faults.add(line, "'undefined: halt' in a machine with verdicts: write 'undefined: reject'")
    halting.halt = halting.halt if halting.halt is not None else fresh("halt", taken)
    return halting.halt


TAPE_KEYS = (
    "blank",
    "start state",
    "accept state",
    "reject state",
    "halt state",
    "tape",
    "input symbols",
    "tape symbols",
    "undefined",
    "synonyms",
    "table",
    "input",
)
"""The keys of a document that make a Turing machine."""

Rows = dict[str, Row[Instruction]]


def tape_machine(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> TuringMachine | None:
    """Return the Turing machine of a document, or None after noting faults.

    Parameters
    ----------
    keys : mapping
        The keys of the document.
    name : str
        The name for the machine.
    line : int
        Where the document begins, for what is missing in it.
    """
    for key in ("blank", "start state", "table"):
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    if "table" not in keys:
        return None
    named = synonyms(keys.get("synonyms"), faults)
    rows = rows_of(keys["table"], lambda node: instruction(node, named, faults), faults)
    blank = text(keys["blank"], faults) if "blank" in keys else None
    start = text(keys["start state"], faults) if "start state" in keys else None
    tape = choice(keys["tape"], ("semi_infinite", "two_way_infinite"), faults) if "tape" in keys else None
    halting = halting_states(keys, {q: row.line for q, row in rows.items() if not row.cells}, faults)
    tape_symbols, input_symbols = _alphabets(keys, rows, blank, faults)
    if start is not None and start not in rows and start not in halting.states:
        faults.add(keys["start state"].line, f"start state {shown(start)} has no row in the table: add one")
    _check_cells(rows, halting, set(tape_symbols), faults)
    if too_large(keys["table"], len(rows), len(tape_symbols), faults):
        return None
    transitions = _completed(rows, halting, tape_symbols, policy(keys, faults), faults, keys["table"].line)
    if faults or blank is None or start is None:
        return None
    try:
        return TuringMachine(
            states=[*rows, *halting.states],
            input_symbols=input_symbols,
            tape_symbols=tape_symbols,
            transitions=transitions,
            initial_state=start,
            blank_symbol=blank,
            accept_state=halting.accept,
            reject_state=halting.reject,
            halt_state=halting.halt,
            tape="semi_infinite" if tape == "semi_infinite" else "two_way_infinite",
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(keys["table"].line, fault)
        return None


def _alphabets(
    keys: Mapping[str, Field], rows: Rows, blank: Symbol | None, faults: FaultList
) -> tuple[list[Symbol], list[Symbol]]:
    """Return tape and input symbols: the listed ones, and all that the table has where none are listed."""
    listed_tape = symbols(keys["tape symbols"], faults) if "tape symbols" in keys else None
    listed_input = symbols(keys["input symbols"], faults) if "input symbols" in keys else None
    found = [*(listed_input or ()), *_sample_symbols(keys)]
    for row in rows.values():
        for symbol, (_, cell) in row.cells.items():
            found += [symbol] if cell is None or cell.write is None else [symbol, cell.write]
    tape = list(dict.fromkeys([*found, *([] if blank is None else [blank])])) if listed_tape is None else listed_tape
    if listed_tape is not None and blank is not None and blank not in listed_tape:
        faults.add(keys["tape symbols"].line, f"the blank {shown(blank)} is not listed: add it")
    for symbol in listed_input or ():
        if symbol == blank:
            faults.add(keys["input symbols"].line, f"the blank {shown(symbol)} cannot be an input symbol: take it out")
        elif listed_tape is not None and symbol not in listed_tape:
            faults.add(keys["tape symbols"].line, f"the input symbol {shown(symbol)} is not listed: add it")
    return tape, [a for a in tape if a != blank] if listed_input is None else listed_input


def _sample_symbols(keys: Mapping[str, Field]) -> list[Symbol]:
    """Return the symbols of ``input:`` where they extend the alphabet: in a file of turingmachine.io."""
    if "input" not in keys or "kind" in keys or "input symbols" in keys:
        return []
    node = keys["input"].node
    if isinstance(node, ListNode):
        return [item.text for item in node.items if isinstance(item, TextNode) and item.text]
    return list(node.text) if isinstance(node, TextNode) else []


def _check_cells(rows: Rows, halting: Halting, tape_symbols: set[Symbol], faults: FaultList) -> None:
    for q, row in rows.items():
        if q in halting.states and row.cells:
            faults.add(row.line, f"state {shown(q)} halts, so that its row must be empty: remove its rules")
        for symbol, (line, cell) in row.cells.items():
            if symbol not in tape_symbols:
                faults.add(line, f"state {shown(q)} reads {shown(symbol)}, which 'tape symbols:' does not list: add it")
            if cell is None:
                continue
            if cell.target is not None and cell.target not in rows and cell.target not in halting.states:
                fault = f"state {shown(q)} goes to {shown(cell.target)}, which has no row in the table"
                faults.add(line, f"{fault}: add a line '{cell.target[:60]}:'")
            if cell.write is not None and cell.write not in tape_symbols:
                fault = f"state {shown(q)} writes {shown(cell.write)}, which 'tape symbols:' does not list: add it"
                faults.add(line, fault)


def _completed(
    rows: Rows, halting: Halting, tape_symbols: list[Symbol], undefined: str, faults: FaultList, line: int
) -> dict[State, dict[Symbol, Rule]]:
    """Return the total transition function; `halting` gains a state where undefined transitions lead to a new one."""
    missing = {q: [a for a in tape_symbols if a not in row.cells] for q, row in rows.items() if q not in halting.states}
    missing = {q: lacking for q, lacking in missing.items() if lacking}
    if undefined == "turingmachine.io":
        undefined = "halt" if halting.accept is None else "reject"
    target = ""
    if undefined == "error":
        for q, lacking in missing.items():
            what = ", ".join(map(shown, lacking[:8])) + (", ..." if len(lacking) > 8 else "")
            remedy = "add rules, or say 'undefined: reject' or 'undefined: halt' once for all"
            faults.add(rows[q].line, f"state {shown(q)} has no rule for {what}: {remedy}")
    elif missing:
        target = sink(undefined, [*rows, *halting.states], halting, faults, line)
    transitions: dict[State, dict[Symbol, Rule]] = {}
    for q, row in rows.items():
        if q not in halting.states:
            rules = {
                a: Rule(q if cell.target is None else cell.target, a if cell.write is None else cell.write, cell.move)
                for a, (_, cell) in row.cells.items()
                if cell is not None
            }
            rules.update({a: Rule(target, a, "R") for a in missing.get(q, ())})
            transitions[q] = rules
    return transitions
