"""JFLAP's ``.jff`` files: automata, Moore and Mealy machines, and Turing machines with one to five tapes.

What a file means is what JFLAP does with it under its default preferences:

- A finite automaton may be nondeterministic and move without reading. A label of several symbols reads them one after
  the other, and ``[a-c]`` stands for each of a, b and c.
- A pushdown automaton is deterministic here. Its stack holds Z at the start, and the leftmost symbol of a text is on
  top. It accepts by final state, or by empty stack where it has no final state.
- A Turing machine accepts when it enters a final state, and rejects when nothing fits. Its tapes are two-way infinite,
  an empty text is the blank. With one tape ``~`` reads any symbol and ``!x`` any but x, and the first transition of
  the file that fits is taken, those with ``!`` last; with several tapes ``~`` reads any symbol. A written ``~`` leaves
  the symbol. The word is on the first tape.

A file does not say its alphabet: it is that of the transitions, of a Turing machine all symbols but the blank.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from exactnn.automata import (
    DFA,
    Machine,
    MealyMachine,
    MooreMachine,
    State,
    Symbol,
    determinized,
    fresh,
)
from exactnn.errors import MachineError, MachineFileError, shown
from exactnn.machine_files.fields import MAX_CELLS, MAX_STATES, MAX_SYMBOLS, FaultList
from exactnn.machine_files.jflap_drawing import Arrow, Drawing, drawing_of
from exactnn.machine_files.jflap_pushdown import pushdown_automaton
from exactnn.machine_files.jflap_turing import turing_machine
from exactnn.machine_files.machine_file import MachineFile
from exactnn.machine_files.xml_tree import Element, parse_xml

__all__ = ["is_jflap", "read_jflap"]

_OTHER = {
    "grammar": "it is a grammar: convert it to an automaton in JFLAP (Convert), and save that",
    "re": "it is a regular expression: convert it to an NFA in JFLAP (Convert), and save that",
    "lsystem": "it is an L-system, which is no machine",
}


def is_jflap(text: str) -> bool:
    """Return whether `text` looks like a JFLAP file; it may still have faults.

    >>> is_jflap("<?xml version='1.0'?><structure><type>fa</type></structure>"), is_jflap("<html>")
    (True, False)
    """
    return text.lstrip().startswith("<") and re.search(r"<structure\b", text) is not None


def read_jflap(document: str, *, name: str = "machine", subject: str = "machine text") -> MachineFile:
    """Return the machine that a JFLAP file describes.

    Parameters
    ----------
    document : str
        The text of the file.
    name : str
        The name of the machine: a file has none.
    subject : str
        How error messages name the text.

    Raises
    ------
    MachineFileError
        With all faults of the document, each with its line; of another kind of file of JFLAP with what to do.

    Examples
    --------
    >>> found = read_jflap('''<structure><type>fa</type><automaton>
    ... <state id="0" name="q0"><initial/></state> <state id="1" name="q1"><final/></state>
    ... <transition><from>0</from><to>1</to><read>a</read></transition>
    ... </automaton></structure>''')
    >>> found.machine.transitions["q0"], found.format
    ({'a': 'q1'}, 'JFLAP')
    """
    faults = FaultList(subject)
    root = parse_xml(document, faults)
    faults.raise_any()
    assert root is not None
    kind = root.first("type")
    said = "" if kind is None else kind.text.lower()
    if said not in _READERS:
        fault = f"its type is {shown(said)}: of JFLAP the types {', '.join(_READERS)} are read"
        faults.add(root.line if kind is None else kind.line, _OTHER.get(said, fault))
    faults.raise_any()
    drawing = drawing_of(root, name, faults)
    faults.raise_any()
    try:
        machine = _READERS[said](drawing, root)
    except MachineFileError:
        raise
    except MachineError as error:
        for fault in error.faults:
            faults.add(root.line, fault)
    faults.raise_any()
    return MachineFile(machine=machine, name=name, format="JFLAP", notes=tuple(dict.fromkeys(drawing.notes)))


# --- Finite automata.


def _finite_automaton(drawing: Drawing, _: Element) -> DFA:
    states = dict.fromkeys(drawing.states)
    moves: dict[str, dict[Symbol, dict[str, None]]] = {}
    alphabet: dict[Symbol, None] = {}
    for arrow in drawing.arrows:
        label = arrow.texts("read")[0]
        steps = _steps(label)
        alphabet |= dict.fromkeys(a for step in steps for a in step)
        q = arrow.source
        for place, step in enumerate(steps or [("",)]):
            last = place >= len(steps) - 1
            target = arrow.target if last else fresh(f"{q} {step[0]}", states)
            states[target] = None
            for a in step:
                moves.setdefault(q, {}).setdefault(a, {})[target] = None
            q = target
    if len(states) > MAX_STATES or len(alphabet) > MAX_SYMBOLS:
        sizes = f"labels of several symbols make {len(states):,} states and {len(alphabet):,} symbols"
        drawing.faults.add(1, f"{sizes}: at most {MAX_STATES:,} and {MAX_SYMBOLS:,} can be read")
        drawing.faults.raise_any()
    made = determinized(
        states=states,
        input_symbols=alphabet,
        transitions={q: {a: list(targets) for a, targets in row.items()} for q, row in moves.items()},
        initial_states=[drawing.initial],
        final_states=drawing.final,
        name=drawing.name,
    )
    if set(made.states) - set(states) - {"reject"}:
        drawing.notes.append("the automaton is nondeterministic: this is the deterministic one of its sets of states")
    return made


def _steps(label: str) -> list[tuple[Symbol, ...]]:
    """Return the alternatives of each symbol that a label reads.

    >>> _steps("ab"), _steps("[a-c]"), _steps("")
    ([('a',), ('b',)], [('a', 'b', 'c')], [])
    """
    span = re.fullmatch(r"\[(.)-(.)\]", label)
    if span and ord(span[1]) <= ord(span[2]) < ord(span[1]) + MAX_SYMBOLS:
        return [tuple(map(chr, range(ord(span[1]), ord(span[2]) + 1)))]
    return [(a,) for a in label]


# --- Machines with outputs.

T = TypeVar("T")


def _table(drawing: Drawing, of: Callable[[Arrow], T]) -> tuple[dict[State, dict[Symbol, T]], dict[Symbol, None]]:
    """Return what is at each state and symbol, and all symbols; two transitions on one symbol are a fault."""
    table: dict[State, dict[Symbol, T]] = {q: {} for q in drawing.states}
    alphabet: dict[Symbol, None] = {}
    for arrow in drawing.arrows:
        label = arrow.texts("read")[0]
        if not label:
            drawing.faults.add(arrow.line, "a transition reads nothing, which a machine with outputs cannot do")
            continue
        if label in table[arrow.source]:
            fault = f"two transitions leave {shown(arrow.source)} on {shown(label)}: make the machine deterministic"
            drawing.faults.add(arrow.line, fault)
        table[arrow.source][label] = of(arrow)
        alphabet[label] = None
    if len(alphabet) * len(drawing.states) > MAX_CELLS:
        drawing.faults.add(1, f"there are more than {MAX_CELLS:,} pairs of a state and a symbol, which are not read")
    else:
        for q in drawing.states:
            for a in alphabet:
                if a not in table[q]:
                    fault = f"state {shown(q)} has no transition on {shown(a)}: a machine with outputs is complete here"
                    drawing.faults.add(drawing.states[q].line, fault)
    drawing.faults.raise_any()
    return table, alphabet


def _target(arrow: Arrow) -> State:
    return arrow.target


def _mealy(drawing: Drawing, _: Element) -> MealyMachine:
    table, alphabet = _table(drawing, lambda arrow: (arrow.target, arrow.texts("transout")[0]))
    return MealyMachine(
        states=drawing.states,
        input_symbols=alphabet,
        transitions={q: {a: target for a, (target, _) in row.items()} for q, row in table.items()},
        initial_state=drawing.initial,
        outputs={q: {a: output for a, (_, output) in row.items()} for q, row in table.items()},
        name=drawing.name,
    )


def _moore(drawing: Drawing, _: Element) -> MooreMachine:
    table, alphabet = _table(drawing, _target)
    outputs = {q: element.first("output") for q, element in drawing.states.items()}
    return MooreMachine(
        states=drawing.states,
        input_symbols=alphabet,
        transitions=table,
        initial_state=drawing.initial,
        outputs={q: "" if output is None else output.text for q, output in outputs.items()},
        name=drawing.name,
    )


_READERS: Mapping[str, Callable[[Drawing, Element], Machine]] = {
    "fa": _finite_automaton,
    "mealy": _mealy,
    "moore": _moore,
    "pda": pushdown_automaton,
    "turing": turing_machine,
}
