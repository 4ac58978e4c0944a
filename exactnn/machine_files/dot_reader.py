"""Reading automata from Graphviz' DOT language: those that AALpy saves, and those that `write_dot` draws.

AALpy writes a node for each state, ``__start0 -> q0`` for the initial one, a double circle for a final state, the label
``state|output`` in a record for a state of a Moore machine, and ``input/output`` at the arrows of a Mealy machine. What
it writes of stochastic and nondeterministic models looks like these but for probabilities and for arrows that are
double; they are refused by name. `write_dot` says in its attribute ``comment`` which kind of machine it drew.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from exactnn.automata import DFA, MealyMachine, MooreMachine, State, Symbol, fresh
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import MAX_CELLS, MAX_STATES, FaultList
from exactnn.machine_files.machine_file import MachineFile

__all__ = ["is_dot", "read_dot"]

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>->|--|[{}\[\];,=:+<>])"""
    r"""|(?P<word>[^\s"{}\[\];,=:+<>\-]+(?:-(?!>)[^\s"{}\[\];,=:+<>\-]*)*|-[0-9.]+)""",
    re.DOTALL | re.MULTILINE,
)
_BEGIN = re.compile(
    r"\s*(?:(?://[^\n]*|#[^\n]*)\n\s*|/\*(?:[^*]|\*(?!/))*\*/\s*)*(?:strict\s+)?(?:di)?graph\b[^{};=]{0,200}\{", re.I
)
_MOST_ARROWS = 50_000
_PROBABILITY = re.compile(r".*:\s*[0-9]*\.?[0-9]+(?:e-?[0-9]+)?\s*", re.DOTALL)


def is_dot(text: str) -> bool:
    """Return whether `text` looks like a graph in the DOT language.

    >>> is_dot('digraph "g" { a -> b }'), is_dot("digraph of the automaton")
    (True, False)
    """
    return _BEGIN.match(text) is not None


@dataclass(slots=True)
class _Picture:
    """Nodes and arrows with their attributes and lines, in the order of the text."""

    faults: FaultList
    comment: str = ""
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    arrows: list[tuple[int, str, str, dict[str, str]]] = field(default_factory=list)

    def node(self, name: str, line: int) -> dict[str, str]:
        self.lines.setdefault(name, line)
        return self.nodes.setdefault(name, {})


def read_dot(document: str, *, name: str = "machine", subject: str = "machine text") -> MachineFile:
    """Return the DFA, the Moore or the Mealy machine that a graph draws.

    Parameters
    ----------
    document, name, subject
        As of :func:`~exactnn.machine_files.read_jflap`.

    Raises
    ------
    MachineFileError
        With all faults, each with its line; of a stochastic or nondeterministic model, and of a drawing of another
        machine, with its name.

    References
    ----------
    The DOT language, https://graphviz.org/doc/info/lang.html; the automata wiki's syntax,
    https://automata.cs.ru.nl/Syntax/Overview, which AALpy follows.

    Examples
    --------
    >>> found = read_dot('''digraph flip {
    ...   s0 [label="s0"];
    ...   s0 -> s0 [label="0/1"]; s0 -> s0 [label="1/0"];
    ...   __start0 [shape=none, label=""]; __start0 -> s0 [label=""];
    ... }''')
    >>> found.machine.outputs["s0"], found.notes
    ({'0': '1', '1': '0'}, ('every arrow has input/output: it is read as a Mealy machine',))
    """
    faults = FaultList(subject)
    picture = _Picture(faults)
    _parse(document, picture)
    faults.raise_any()
    start = _start(picture)
    faults.raise_any()
    arrows = [arrow for arrow in picture.arrows if arrow[1] not in start]
    states = {n: attributes for n, attributes in picture.nodes.items() if n not in start}
    kind = picture.comment or _kind(states, arrows, faults)
    if kind not in ("dfa", "moore_machine", "mealy_machine") and not faults:
        what = kind.replace("_", " ")
        faults.add(1, f"it draws a {what}, and a drawing does not hold all of that: save the machine in YAML or JFLAP")
    faults.raise_any()
    machine = _machine(kind, picture, states, arrows, next(iter(start.values())), name)
    notes = {
        "dfa": "arrows have symbols alone: it is read as a DFA, double circles are final",
        "moore_machine": "every state has state|output: it is read as a Moore machine",
        "mealy_machine": "every arrow has input/output: it is read as a Mealy machine",
    }
    return MachineFile(machine=machine, name=name, format="DOT", notes=() if picture.comment else (notes[kind],))


# --- The language, as far as drawings of machines use it.


def _tokens(text: str, faults: FaultList) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and text of each token."""
    place, line = 0, 1
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            faults.add(line, f"{shown(text[place : place + 20])} is not read in DOT: quote names and labels")
            return
        if found.lastgroup != "skip":
            yield line, str(found.lastgroup), found.group()
        line += found.group().count("\n")
        place = found.end()


def _parse(text: str, picture: _Picture) -> None:
    tokens = list(_tokens(text, picture.faults))
    opening = next((i for i, (_, kind, token) in enumerate(tokens) if kind == "mark" and token == "{"), None)
    if picture.faults or opening is None:
        return
    if all(token.lower() != "digraph" for _, _, token in tokens[:2]):
        picture.faults.add(tokens[0][0], "it is a graph without directions: write 'digraph' and '->'")
        return
    i, n = opening + 1, len(tokens)
    while i < n and tokens[i][2] != "}":
        line, kind, token = tokens[i]
        if token in (";", ","):
            i += 1
            continue
        if kind == "mark" or token.lower() == "subgraph":
            picture.faults.add(line, f"{shown(token)} begins no node and no arrow: subgraphs and ports are not read")
            return
        names, i = [_value(token)], i + 1
        while i + 1 < n and tokens[i][2] == "->" and tokens[i][1] == "mark" and tokens[i + 1][1] != "mark":
            names.append(_value(tokens[i + 1][2]))
            i += 2
        if i + 1 < n and tokens[i][2] == "=" and len(names) == 1:
            picture.comment = _value(tokens[i + 1][2]) if names == ["comment"] else picture.comment
            i += 2
            continue
        attributes: dict[str, str] = {}
        while i < n and tokens[i][2] == "[" and tokens[i][1] == "mark":
            i = _attributes(tokens, i + 1, attributes, picture.faults)
        if picture.faults:
            return
        if names[0].lower() in ("node", "edge", "graph") and len(names) == 1 and kind == "word":
            continue
        for called in names:
            picture.node(called, line)
        if len(names) == 1:
            picture.node(names[0], line).update(attributes)
        picture.arrows += ((line, a, b, attributes) for a, b in pairwise(names))
    if i >= n:
        picture.faults.add(tokens[-1][0], "the graph does not end: write '}'")
    elif i + 1 < n:
        picture.faults.add(tokens[i + 1][0], "something follows the graph: keep one machine in a file")
    if len(picture.nodes) > MAX_STATES or len(picture.arrows) > _MOST_ARROWS:
        sizes = f"{len(picture.nodes):,} nodes and {len(picture.arrows):,} arrows"
        picture.faults.add(1, f"it has {sizes}: at most {MAX_STATES:,} and {_MOST_ARROWS:,} are read")


def _attributes(tokens: list[tuple[int, str, str]], i: int, found: dict[str, str], faults: FaultList) -> int:
    """Read ``key=value`` pairs up to the bracket that closes; return the place after it."""
    while i < len(tokens) and tokens[i][2] != "]":
        if tokens[i][2] in (",", ";"):
            i += 1
        elif i + 2 < len(tokens) and tokens[i + 1][2] == "=" and tokens[i + 2][1] != "mark":
            found[_value(tokens[i][2]).lower()] = _value(tokens[i + 2][2])
            i += 3
        else:
            faults.add(tokens[i][0], "an attribute is key=value, with a text in quotes: HTML labels are not read")
            return len(tokens)
    return i + 1


def _value(token: str) -> str:
    """Return a name, or the text between quotes.

    >>> _value('"a&amp;b"'), _value("q0")
    ('a&b', 'q0')
    """
    if not token.startswith('"'):
        return token
    escapes = {"n": "\n", "l": "\n", "r": "\n"}
    text = re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), token[1:-1], flags=re.DOTALL)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


# --- What the drawing means.


def _start(picture: _Picture) -> dict[str, str]:
    """Return the nodes that are no states, each with the initial state that its arrow leads to."""
    entered = {target for _, _, target, _ in picture.arrows}
    marks = {
        name
        for name, attributes in picture.nodes.items()
        if name not in entered
        and (name.startswith("__start") or (not attributes.get("label", name) and attributes.get("shape", "") != ""))
    }
    found = {source: target for _, source, target, _ in picture.arrows if source in marks}
    if len(set(found.values())) != 1 or sum(source in marks for _, source, _, _ in picture.arrows) != 1:
        picture.faults.add(1, "no arrow '__start0 -> STATE' shows the one initial state: add it")
    return found


def _kind(
    states: dict[str, dict[str, str]], arrows: list[tuple[int, str, str, dict[str, str]]], faults: FaultList
) -> str:
    """Return the kind of a drawing that does not say it."""
    labels = [attributes.get("label", "") for _, _, _, attributes in arrows]
    moore = any(
        "record" in attributes.get("shape", "") and "|" in attributes.get("label", "") for attributes in states.values()
    )
    if labels and all(_PROBABILITY.fullmatch(label) for label in labels):
        what = "stochastic Mealy machine" if all("/" in label for label in labels) else "Markov decision process"
        faults.add(1, f"it is a {what}, whose arrows have probabilities: only deterministic models are read")
    elif labels and all(re.fullmatch(r"[01]?\.[0-9]+(?:e-?[0-9]+)?|1\.0", label) for label in labels):
        faults.add(1, "it is a Markov chain, whose arrows have probabilities: only deterministic models are read")
    elif any(re.search(r"/\s*(?:push|pop)\(|/\s*\('", label) for label in labels):
        faults.add(1, "it is a visibly pushdown automaton: only finite automata are read")
    elif moore:
        return "moore_machine"
    elif labels and all("/" in label.strip()[1:] for label in labels):
        return "mealy_machine"
    elif any("/" in label.strip()[1:-1] for label in labels):
        faults.add(1, "some arrows have input/output and some have not: it is no DFA and no Mealy machine")
    return "dfa"


def _machine(
    kind: str,
    picture: _Picture,
    states: dict[str, dict[str, str]],
    arrows: list[tuple[int, str, str, dict[str, str]]],
    start: str,
    name: str,
) -> DFA | MooreMachine | MealyMachine:
    faults, ours = picture.faults, bool(picture.comment)
    names: dict[str, State] = {}
    outputs: dict[State, str] = {}
    for node, attributes in states.items():
        label = attributes.get("label", node)
        if kind == "moore_machine":
            label, mark, output = label.strip("{}").partition("|") if not ours else label.partition(" / ")
            if not mark:
                faults.add(picture.lines[node], f"state {shown(node)} has no output: write its label as state|output")
        names[node] = fresh(label.strip() or node, {str(q) for q in names.values()} if label in names.values() else ())
        if kind == "moore_machine":
            outputs[names[node]] = output.strip()
    table: dict[State, dict[Symbol, State]] = {q: {} for q in names.values()}
    says: dict[State, dict[Symbol, str]] = {q: {} for q in names.values()}
    for line, source, target, attributes in arrows:
        for symbol, output in _moves(attributes.get("label", ""), mealy=kind == "mealy_machine", ours=ours):
            q = names[source]
            if not symbol:
                faults.add(line, f"an arrow from {shown(q)} has no symbol: write it as its label")
            elif symbol in table[q]:
                model = {"dfa": "an NFA", "moore_machine": "a nondeterministic Moore machine"}
                fault = f"two arrows leave {shown(q)} on {shown(symbol)}"
                called = model.get(kind, "an observable nondeterministic machine (ONFSM)")
                faults.add(line, f"{fault}: it is {called}, and only deterministic models are read")
            else:
                table[q][symbol], says[q][symbol] = names[target], output
    alphabet = list(dict.fromkeys(a for row in table.values() for a in row))
    if len(alphabet) * len(table) > MAX_CELLS:
        faults.add(1, f"{len(table):,} states and {len(alphabet):,} symbols: at most {MAX_CELLS:,} pairs are read")
    faults.raise_any()
    for node, q in names.items():
        if lacking := [a for a in alphabet if a not in table[q]]:
            faults.add(
                picture.lines[node], f"state {shown(q)} has no arrow on {', '.join(map(shown, lacking[:5]))}: add it"
            )
    faults.raise_any()
    try:
        if kind == "dfa":
            final = [names[n] for n, attributes in states.items() if "doublecircle" in attributes.get("shape", "")]
            return DFA(
                states=table,
                input_symbols=alphabet,
                transitions=table,
                initial_state=names[start],
                final_states=final,
                name=name,
            )
        if kind == "moore_machine":
            return MooreMachine(
                states=table,
                input_symbols=alphabet,
                transitions=table,
                initial_state=names[start],
                outputs=outputs,
                name=name,
            )
        return MealyMachine(
            states=table,
            input_symbols=alphabet,
            transitions=table,
            initial_state=names[start],
            outputs=says,
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(1, fault)
    raise faults.error()


def _moves(label: str, *, mealy: bool, ours: bool) -> Iterator[tuple[Symbol, str]]:
    """Yield the symbols of an arrow with their outputs; an arrow of `write_dot` has several, in quotes where unusual.

    >>> list(_moves("a / 1\\nb / 0", mealy=True, ours=True)), list(_moves("go, now", mealy=False, ours=False))
    ([('a', '1'), ('b', '0')], [('go, now', '')])
    """
    if not ours:
        symbol, _, output = label.partition("/") if mealy else (label, "", "")
        yield symbol.strip(), output.strip()
    elif mealy:
        for line in label.split("\n"):
            found = re.fullmatch(r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^/]+?) / (.*)", line)
            symbol, output = (found[1], found[2]) if found else (line, "")
            yield _unquoted(symbol), _unquoted(output)
    else:
        for symbol in re.findall(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^, ]+", label):
            yield _unquoted(symbol), ""


def _unquoted(text: str) -> str:
    """Return what :func:`shown_symbol` showed of a symbol in printable characters."""
    if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        return text
    return re.sub(r"\\(['\"\\])", r"\1", text[1:-1])
