"""Turing machines of JFLAP: wildcards, moves that stay, several tapes and several final states."""

from collections.abc import Iterable
from itertools import product

from exactnn.automata import MultiTapeTuringMachine, State, Symbol, TuringMachine
from exactnn.errors import shown
from exactnn.machine_files.fields import MAX_CELLS, FaultList
from exactnn.machine_files.jflap_drawing import BLANK, Arrow, Drawing
from exactnn.machine_files.scanned_table import Result, Scanned, ScannedTable
from exactnn.machine_files.xml_tree import Element

__all__ = ["turing_machine"]

_ANY = "~"


def turing_machine(drawing: Drawing, root: Element) -> TuringMachine | MultiTapeTuringMachine:
    """Return the machine of a drawing, whose element is `root`; all faults are raised together."""
    tapes = _tapes(root, drawing.faults)
    final = drawing.final
    arrows = [arrow for arrow in drawing.arrows if arrow.source not in final]
    if len(arrows) < len(drawing.arrows):
        drawing.notes.append("transitions that leave final states are left out: JFLAP stops there")
    rules = [
        (arrow, arrow.texts("read", tapes), arrow.texts("write", tapes), arrow.texts("move", tapes)) for arrow in arrows
    ]
    texts = [text for _, read, _, _ in rules for text in read]  # what is read comes first
    texts += [text for _, _, written, _ in rules for text in written]
    named = (text[1:] if text.startswith("!") and tapes == 1 and len(text) > 1 else text for text in texts)
    symbols = dict.fromkeys(text or BLANK for text in named if text != _ANY)
    symbols.setdefault(BLANK)
    for arrow, read, written, moves in rules:
        _check_rule(arrow, read, written, moves, drawing.faults)
    if len(symbols) ** tapes * len(drawing.states) > MAX_CELLS:
        size = f"{len(drawing.states):,} states, {tapes} tapes and {len(symbols):,} symbols"
        drawing.faults.add(root.line, f"{size} make a table of more than {MAX_CELLS:,} rules, which is not read")
    drawing.faults.raise_any()
    table: dict[State, dict[Scanned, Result]] = {}
    exact: dict[tuple[str, tuple[str, ...]], object] = {}
    for arrow, read, written, moves in sorted(rules, key=lambda rule: len(rule[1][0]) > 1):
        does = (arrow.target, written, moves)
        if exact.setdefault((arrow.source, tuple(read)), does) != does:
            fault = f"two transitions leave {shown(arrow.source)} on the same symbols"
            drawing.faults.add(arrow.line, f"{fault}: make the machine deterministic, as JFLAP runs it")
        row = table.setdefault(arrow.source, {})
        for scanned in product(*(_matching(text, symbols) for text in read)):
            result = tuple(a if w == _ANY else w or BLANK for a, w in zip(scanned, written, strict=True))
            row.setdefault(scanned, (arrow.target, result, tuple(moves)))
    drawing.faults.raise_any()
    return _machine(drawing, tapes, symbols, table)


def _tapes(root: Element, faults: FaultList) -> int:
    said = root.first("tapes")
    if said is None:
        return 1
    if said.text in ("1", "2", "3", "4", "5"):
        return int(said.text)
    faults.add(said.line, f"there are {shown(said.text)} tapes: JFLAP has machines of 1 to 5")
    faults.raise_any()
    return 1


def _matching(text: str, symbols: Iterable[Symbol]) -> list[Symbol]:
    """Return the symbols that a read text fits."""
    if text == _ANY:
        return list(symbols)
    if len(text) > 1:
        return [a for a in symbols if a != text[1:]]
    return [text or BLANK]


def _check_rule(arrow: Arrow, read: list[str], written: list[str], moves: list[str], faults: FaultList) -> None:
    for text in read:
        negated = len(read) == 1 and len(text) == 2 and text.startswith("!")
        if "}" in text and len(text) > 1:
            fault = f"a transition reads {shown(text)}, a variable of JFLAP, which is not read"
            faults.add(arrow.line, f"{fault}: write one transition for each symbol")
        elif len(text) > 1 and not negated:
            faults.add(arrow.line, f"a transition reads {shown(text)}: one symbol, '~', or with one tape '!x'")
    for text in written:
        if len(text) > 1:
            faults.add(arrow.line, f"a transition writes {shown(text)}: one symbol, or '~'")
    for move in moves:
        if move not in ("L", "R", "S"):
            faults.add(arrow.line, f"a transition moves {shown(move)}: L, R or S")


def _machine(
    drawing: Drawing,
    tapes: int,
    symbols: Iterable[Symbol],
    table: dict[State, dict[Scanned, Result]],
) -> TuringMachine | MultiTapeTuringMachine:
    """Return the machine of the rules."""
    if tapes > 1:
        drawing.notes.append("the word is on the first tape; JFLAP asks for one word for each tape")
    machine, notes = ScannedTable(
        states=list(drawing.states),
        input_symbols=[a for a in symbols if a != BLANK],
        tape_symbols=list(symbols),
        tapes=tapes,
        rules=table,
        initial_state=drawing.initial,
        blank_symbol=BLANK,
        final_states=drawing.final,
        tape="two_way_infinite",
        name=drawing.name,
    ).machine()
    drawing.notes += notes
    return machine
