"""Reading a machine from a mapping of its parts, whatever these are called: see :mod:`exactnn.machine_files.tuples`."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from exactnn.automata import Acceptance, Machine, PushdownAutomaton, Reading, State, Symbol, TapeKind, determinized
from exactnn.errors import shown
from exactnn.machine_files.fields import (
    MAX_CELLS,
    MAX_STATES,
    FaultList,
    Field,
    ListNode,
    MapNode,
    Node,
    TextNode,
    choice,
    entries,
    is_empty,
    number,
    text,
    texts,
)
from exactnn.machine_files.scanned_table import ScannedTable

__all__ = ["Dialect", "TupleReader"]

_BLANK = "_"
_MODES: dict[str, Acceptance] = {"final_state": "final state", "empty_stack": "empty stack", "both": "either"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a program calls what it writes."""

    name: str
    states: str
    inputs: str
    start: str
    final: str
    moves: str
    others: tuple[str, ...]
    tape: TapeKind
    wildcard: str | None
    """What stands for any scanned symbol. With it symbols have one character, and tapes stand together."""


@dataclass(slots=True)
class TupleReader:
    """The parts of a machine by their keys, and where faults go; :meth:`machine` makes it."""

    keys: dict[str, Field]
    dialect: Dialect
    faults: FaultList
    line: int
    name: str

    def _names(self, key: str) -> list[str]:
        return (texts(self.keys[key], self.faults) or []) if key in self.keys else []

    def _text(self, key: str) -> str:
        return (text(self.keys[key], self.faults) or "") if key in self.keys else ""

    def _need(self, *keys: str) -> None:
        for key in keys:
            if key not in self.keys:
                self.faults.add(self.line, f"'{key}:' is missing: add it")
        self.faults.raise_any()

    def machine(self) -> tuple[Machine, list[str]]:
        """Return the machine, and what it does otherwise."""
        dialect = self.dialect
        self._need(dialect.inputs, dialect.start, dialect.moves)
        if "stack_symbols" in self.keys:
            return self._pushdown_automaton()
        if "tape_symbols" in self.keys or "accept_state" in self.keys or "tape_alphabet_extra" in self.keys:
            return self._turing_machine()
        return self._finite_automaton()

    def _moves(self) -> dict[State, list[Field]]:
        """Return, for each state, the symbols with the nodes behind them."""
        field = self.keys[self.dialect.moves]
        if not isinstance(field.node, MapNode):
            self.faults.add(field.line, f"'{field.key}:' is a mapping: write 'state: {{symbol: ...}}'")
            self.faults.raise_any()
            return {}
        rows: dict[State, list[Field]] = {}
        for row in entries(field.node, self.faults, "a state"):
            if isinstance(row.node, MapNode):
                rows[row.key] = entries(row.node, self.faults, "a symbol")
            elif isinstance(row.node, TextNode) and row.node.empty:
                rows[row.key] = []
            else:
                self.faults.add(row.line, f"'{row.key}:' is a mapping: write 'symbol: ...' lines")
        self.faults.raise_any()
        return rows

    def _states(self, moves: Mapping[State, object]) -> list[str]:
        listed = self._names(self.dialect.states) if self.dialect.states in self.keys else list(map(str, moves))
        if len(listed) > MAX_STATES:
            self.faults.add(self.line, f"there are {len(listed):,} states: at most {MAX_STATES:,} can be read")
        self.faults.raise_any()
        return listed

    def _list(self, node: Node, size: int, what: str) -> list[str] | None:
        """Return the texts of a list of `size` nodes; note a fault of anything else."""
        items = node.items if isinstance(node, ListNode) else ()
        found = [item.text for item in items if isinstance(item, TextNode) and not is_empty(item)]
        if len(items) == len(found) == size:
            return found
        self.faults.add(node.line, f"a transition is no {what}")
        return None

    def _finite_automaton(self) -> tuple[Machine, list[str]]:
        moves = self._moves()
        states, inputs = self._states(moves), self._names(self.dialect.inputs)
        table: dict[State, dict[Symbol, list[str]]] = {}
        for q, row in moves.items():
            for entry in row:
                node = entry.node
                items = node.items if isinstance(node, ListNode) else (node,)
                targets = [item.text for item in items if isinstance(item, TextNode) and not is_empty(item)]
                if len(targets) < len(items):
                    self.faults.add(entry.line, f"behind {shown(entry.key)} stands a state or a list of states")
                if entry.key and entry.key not in inputs:
                    fault = f"symbol {shown(entry.key)} is not in '{self.dialect.inputs}:': add it"
                    self.faults.add(entry.line, fault)
                for target in (q, *targets):
                    if target not in states:
                        self.faults.add(entry.line, f"state {shown(target)} is not in '{self.dialect.states}:': add it")
                table.setdefault(q, {})[entry.key] = targets
        final, start = self._names(self.dialect.final), self._text(self.dialect.start)
        for key, named in ((self.dialect.final, final), (self.dialect.start, [start])):
            for q in named:
                if q not in states:
                    fault = f"'{key}:' has {shown(q)}, which is not in '{self.dialect.states}:': add it"
                    self.faults.add(self.keys[key].line, fault)
        self.faults.raise_any()
        made = determinized(
            states=states,
            input_symbols=inputs,
            transitions=table,
            initial_states=[start],
            final_states=final,
            name=self.name,
        )
        notes = []
        if not set(made.states) <= {*states, "reject"}:
            notes.append("the automaton is nondeterministic: this is the deterministic one of its sets of states")
        self.faults.raise_any()
        return made, notes

    def _pushdown_automaton(self) -> tuple[Machine, list[str]]:
        self._need("initial_stack_symbol")
        moves = self._moves()
        form = "pair: write top: [next state, pushed symbols]"
        table: dict[State, dict[Reading, tuple[State, tuple[Symbol, ...]]]] = {}
        for q, row in moves.items():
            for entry in row:
                if not isinstance(entry.node, MapNode):
                    self.faults.add(
                        entry.line, f"behind {shown(entry.key)} stands a mapping from tops: write {{{form[6:]}}}"
                    )
                    continue
                for rule in entries(entry.node, self.faults, "a top"):
                    items = rule.node.items if isinstance(rule.node, ListNode) else ()
                    if any(isinstance(item, ListNode) for item in items[:1]):
                        self.faults.add(
                            rule.line, "several rules for one top: it is nondeterministic, which is not read"
                        )
                        continue
                    pushed = items[1].items if len(items) == 2 and isinstance(items[1], ListNode) else items[1:]
                    found = self._list(ListNode(rule.line, (*items[:1], *pushed)), 1 + len(pushed), form)
                    if len(items) == 2 and found is not None:
                        symbols = found[1:] if isinstance(items[1], ListNode) else found[1]
                        table.setdefault(q, {})[entry.key, rule.key] = (found[0], tuple(symbols))
                    elif found is not None:
                        self.faults.add(rule.line, f"a transition is no {form}")
        mode = (
            choice(self.keys["acceptance_mode"], tuple(_MODES), self.faults) if "acceptance_mode" in self.keys else None
        )
        states = self._states(moves)
        parts = (self._names("input_symbols"), self._names("stack_symbols"), self._names("final_states"))
        self.faults.raise_any()
        machine = PushdownAutomaton(
            states=states,
            input_symbols=parts[0],
            stack_symbols=parts[1],
            transitions=table,
            initial_state=self._text("initial_state"),
            initial_stack_symbol=self._text("initial_stack_symbol"),
            final_states=parts[2],
            acceptance=_MODES[mode or "both"],
            name=self.name,
        )
        return machine, []

    def _turing_machine(self) -> tuple[Machine, list[str]]:
        lib = self.dialect.wildcard is None
        self._need(*(("tape_symbols", "blank_symbol", "final_states") if lib else ("accept_state", "reject_state")))
        moves = self._moves()
        inputs, blank = self._names(self.dialect.inputs), self._text("blank_symbol") if lib else _BLANK
        tape = self._names("tape_symbols") if lib else [*inputs, *self._names("tape_alphabet_extra")]
        final = self._names("final_states") if lib else [self._text("accept_state")]
        reject = None if lib else self._text("reject_state")
        first = next((entry.key for row in moves.values() for entry in row), _BLANK)
        parts = ScannedTable(
            states=list(dict.fromkeys([*self._states(moves), *final, *([reject] if reject else [])])),
            input_symbols=inputs,
            tape_symbols=list(dict.fromkeys([*tape, blank])),
            tapes=1 if lib else len(first),
            initial_state=self._text(self.dialect.start),
            blank_symbol=blank,
            final_states=final,
            reject_state=reject,
            tape=self.dialect.tape,
            name=self.name,
        )
        if "num_tapes" in self.keys and number(self.keys["num_tapes"], self.faults) != parts.tapes:
            fault = f"'num_tapes:' is not {parts.tapes}, the symbols of the first transition: make them agree"
            self.faults.add(self.keys["num_tapes"].line, fault)
        if parts.too_large(MAX_CELLS):
            size = f"{len(parts.states):,} states, {parts.tapes} tapes and {len(parts.tape_symbols):,} symbols"
            self.faults.add(self.line, f"{size}: at most 5 tapes and {MAX_CELLS:,} combinations can be read")
        self.faults.raise_any()
        self._rules(moves, parts)
        self.faults.raise_any()
        return parts.machine()

    def _rules(self, moves: Mapping[State, list[Field]], parts: ScannedTable) -> None:
        """Enter what each state does on all scanned symbols; rules with wildcards come after those without."""
        wildcard, tapes, symbols = self.dialect.wildcard, parts.tapes, parts.tape_symbols
        halting = {*parts.final_states, parts.reject_state}
        form = "triple: write symbol: [next state, written symbol, L or R]"
        for q, row in moves.items():
            by: dict[tuple[Symbol, ...], str] = {}
            table = parts.rules.setdefault(q, {})
            for entry in [] if q in halting else sorted(row, key=lambda entry: (wildcard or "\0") in entry.key):
                found = self._list(entry.node, 3, form)
                if found is None:
                    continue
                read, wrote, ways = ((text,) if wildcard is None else tuple(text) for text in (entry.key, *found[1:]))
                if {len(read), len(wrote), len(ways)} != {tapes} or not {*ways} <= {*"LRSN"}:
                    fault = f"{shown(entry.key)}: [{', '.join(map(shown, found))}] is not for {tapes} tapes"
                    self.faults.add(entry.line, f"{fault}: write as many symbols and as many of L, R, S")
                    continue
                if wrong := sorted({*read, *wrote} - {*symbols, wildcard or ""}):
                    self.faults.add(entry.line, f"symbol {shown(wrong[0])} is in no alphabet of the file: add it")
                    continue
                for scanned in product(*(symbols if a == wildcard else [a] for a in read)):
                    if scanned not in table:
                        done = tuple(a if b == wildcard else b for a, b in zip(scanned, wrote, strict=True))
                        table[scanned] = (found[0], done, tuple("S" if way == "N" else way for way in ways))
                        by[scanned] = entry.key
                    elif wildcard is not None and wildcard in by[scanned]:
                        fault = f"{shown(by[scanned])} and {shown(entry.key)} both fit {shown(''.join(scanned))}"
                        self.faults.add(entry.line, f"{fault}: write a rule without '?' for it, as the simulator asks")
