"""Deterministic pushdown automata: a stack machine that reads its word once, symbol by symbol, beside a stack."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from exactnn.automata.alphabet import Symbol, as_word
from exactnn.automata.completed_table import fresh
from exactnn.automata.drawn import Move, shown_symbol
from exactnn.automata.stack_machine import EMPTY, KEEP, POP, Operation, Reading, StackMachine, push
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.validation import collected, hashable, rows, symbol_faults, unlike_names
from exactnn.errors import MachineError, shown
from exactnn.markup import Node

__all__ = ["Acceptance", "PushdownAutomaton", "PushdownRule"]

Acceptance = Literal["final state", "empty stack", "either"]
"""When a pushdown automaton accepts a word that it has read to its end."""

MOST_CELLS = 1_000_000
"""Readings of the stack machine: a table of more would fill the memory."""

MOST_PUSHED = 100
"""Symbols that one move pushes: each takes a state, which is called by those that are left."""


class PushdownRule(NamedTuple):
    """What a pushdown automaton does: it enters a state, and puts symbols in the place of the top, the first on top."""

    next_state: State
    pushed: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True, init=False)
class PushdownAutomaton(StackMachine):
    """A deterministic pushdown automaton, and the stack machine with two stacks that runs it.

    A move depends on the state, the top of the stack, and the next symbol of the word or none ("" reads nothing). It
    enters a state and replaces the top by symbols, of which the first is the new top. The automaton accepts where the
    word is at its end and what `acceptance` asks for holds, after any moves that read nothing. Where no move is left
    before that, it rejects.

    As a stack machine it has the word on the first stack, from which it only pops, and its own stack on the second. So
    every construction, format and check of stack machines takes it.

    Parameters
    ----------
    states : iterable of hashable
    input_symbols : iterable of str
    stack_symbols : iterable of str
        The alphabet of the stack; it may share symbols with the input.
    transitions : mapping state -> mapping (symbol or "", top or "") -> (next state, pushed symbols)
        ``""`` in the place of the symbol reads nothing; in the place of the top it stands for the empty stack. Pushed
        symbols come from the top: an empty sequence pops, ``(top,)`` keeps. What is not defined rejects.
    initial_state : state
    initial_stack_symbol : str
        The stack at the start; ``""`` for an empty one.
    final_states : iterable of states, optional
    acceptance : "final state", "empty stack" or "either"
    name : str, optional
        A name for reports.

    Attributes
    ----------
    states, transitions, initial_state : as of the stack machine
        With its states that push and the two that halt, "accept" and "reject".
    control : mapping
        The transitions that were given, each a :class:`PushdownRule`.
    control_states, first_state, initial_stack_symbol, final_states, acceptance
        The automaton as it was given; `first_state` is its initial state.

    Raises
    ------
    MachineError
        With all faults of the definition at once; two moves that are possible together are one, since the automaton
        is not deterministic then.

    Notes
    -----
    The first move of the stack machine pushes the initial stack symbol. A move of the automaton that puts k symbols in
    the place of the top takes at most k + 1 moves: it pops and pushes, or only pushes where the top stays below.

    References
    ----------
    J. E. Hopcroft and J. D. Ullman, *Introduction to Automata Theory, Languages, and Computation*, 1979, section 10.1:
    deterministic pushdown automata.

    Examples
    --------
    >>> anbn = PushdownAutomaton(states="rpf", input_symbols="ab", stack_symbols="ZA", transitions={
    ...     "r": {("a", "Z"): ("r", "AZ"), ("a", "A"): ("r", "AA"), ("b", "A"): ("p", "")},
    ...     "p": {("b", "A"): ("p", ""), ("", "Z"): ("f", "Z")},
    ... }, initial_state="r", initial_stack_symbol="Z", final_states="f")
    >>> anbn.accepts("aabb"), anbn.accepts("aab"), anbn.stacks, anbn.control["p"]["", "Z"]
    (True, False, 2, PushdownRule(next_state='f', pushed=('Z',)))
    """

    control_states: tuple[State, ...]
    control: Transitions[State, Transitions[Reading, PushdownRule]]
    pushed_symbols: tuple[Symbol, ...]
    first_state: State
    initial_stack_symbol: Symbol
    final_states: tuple[State, ...]
    acceptance: Acceptance

    def __init__(
        self,
        *,
        states: Iterable[State],
        input_symbols: Iterable[Symbol],
        stack_symbols: Iterable[Symbol],
        transitions: Mapping[State, Mapping[Reading, tuple[State, Iterable[Symbol]]]],
        initial_state: State,
        initial_stack_symbol: Symbol,
        final_states: Iterable[State] = (),
        acceptance: Acceptance = "final state",
        name: str = "pushdown automaton",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        fill(self, "control_states", collected("states", states, faults))
        fill(self, "pushed_symbols", collected("stack_symbols", stack_symbols, faults))
        inputs = collected("input_symbols", input_symbols, faults)
        fill(self, "first_state", initial_state)
        fill(self, "initial_stack_symbol", initial_stack_symbol)
        fill(self, "final_states", collected("final_states", final_states, faults))
        fill(self, "acceptance", acceptance)
        table = rows(transitions, faults)
        faults += _faults(self, inputs, table)
        faults += [f"name is {shown(name)}: give text"] * (not isinstance(name, str))
        rules = {q: {r: _rule(entry) for r, entry in row.items()} for q, row in table.items()} if not faults else {}
        faults += [fault for q, row in rules.items() for fault in _choices(q, row)]
        size = len(self.control_states) + sum(len(rule.pushed) for row in rules.values() for rule in row.values())
        if size * (len(inputs) + len(self.pushed_symbols) + 1) ** 2 > MOST_CELLS:
            faults.append(f"its stack machine would have a table of more than {MOST_CELLS:,} rules: give fewer symbols")
        if faults:
            raise MachineError(name, faults)
        fill(self, "control", Transitions({q: Transitions(row) for q, row in rules.items()}))
        StackMachine.__init__(self, **_stack_machine(self, inputs), name=name)

    def __repr__(self) -> str:
        given = {
            "states": self.control_states,
            "input_symbols": self.input_symbols,
            "stack_symbols": self.pushed_symbols,
            "transitions": self.control,
            "initial_state": self.first_state,
            "initial_stack_symbol": self.initial_stack_symbol,
            "final_states": self.final_states,
            "acceptance": self.acceptance,
            "name": self.name,
        }
        return f"PushdownAutomaton({', '.join(f'{key}={value!r}' for key, value in given.items())})"

    def accepts(self, word: str | Sequence[Symbol] = "") -> bool:
        """Return whether the automaton accepts a word, found from :attr:`control` alone, without the stack machine.

        Where moves that read nothing go on for ever, it is told from the first state and top that come back with the
        stack never lower in between. The stack machine goes on there. Moves are taken one by one, however many there
        are.

        Raises
        ------
        WordError
            If a symbol is not in the alphabet.
        """
        read = as_word(word, self.input_symbols)
        state, stack, at = self.first_state, [a for a in [self.initial_stack_symbol] if a != EMPTY], 0
        seen: dict[tuple[State, Symbol], int] = {}
        while not (at == len(read) and self._accepting(state, not stack)):
            top, height = stack[-1] if stack else EMPTY, len(stack)
            seen = {visit: h for visit, h in seen.items() if h <= height}
            rule = self._rule(state, EMPTY, top)
            if rule is None and at < len(read):
                rule, at, seen = self._rule(state, read[at], top), at + 1, {}
            elif (state, top) in seen:
                return False
            else:
                seen[state, top] = height
            if rule is None:
                return False
            stack[height - (top != EMPTY) :] = reversed(rule.pushed)
            state = rule.next_state
        return True

    @property
    def _drawn(self) -> tuple[tuple[State, ...], State]:
        return self.control_states, self.first_state

    def _moves(self, state: State) -> Iterator[Move]:
        rules: Mapping[Reading, PushdownRule] = self.control.get(state, {})
        for (symbol, top), rule in rules.items():
            read, popped = (shown_symbol(a) if a else "ε" for a in (symbol, top))
            yield f"{read}, {popped}", rule.next_state, " ".join(map(shown_symbol, rule.pushed)) or "ε"

    def _node(self, state: State) -> Node:
        return Node(name=str(state), double=state in self.final_states)

    def _role(self, state: State) -> str:
        return "final" if state in self.final_states else ""

    def _remark(self) -> str:
        reads = "a reading is a symbol and the top, ε for none"
        return f"; {reads}; what is done is pushed in place of the top; {self._ends}"

    @property
    def _ends(self) -> str:
        how = {"final state": "in a final state", "empty stack": "with an empty stack"}
        return f"accepts {how.get(self.acceptance, ' or '.join(how.values()))}"

    def _rule(self, state: State, symbol: Symbol, top: Symbol) -> PushdownRule | None:
        row: Mapping[Reading, PushdownRule] = self.control.get(state, {})
        return row.get((symbol, top))

    def _accepting(self, state: State, empty: bool) -> bool:
        """Whether a word that is read to its end is accepted here."""
        by_state, by_stack = self.acceptance != "empty stack", self.acceptance != "final state"
        return (by_state and state in self.final_states) or (by_stack and empty)


def _faults(
    machine: PushdownAutomaton, inputs: tuple[Symbol, ...], table: Mapping[State, Mapping[Any, Any]]
) -> list[str]:
    faults = unlike_names(machine.control_states)
    if not (inputs or machine.pushed_symbols):
        faults.append("there are no symbols: a pushdown automaton has at least one")
    faults += symbol_faults(inputs, "input symbol") + symbol_faults(machine.pushed_symbols, "stack symbol")
    states, tops = set(machine.control_states), {*machine.pushed_symbols, EMPTY}
    first: object = machine.first_state
    if not hashable(first) or first not in states:
        faults.append(f"initial state {shown(first)} is not one of the states")
    bottom: object = machine.initial_stack_symbol
    if not hashable(bottom) or bottom not in tops:
        faults.append(f"initial_stack_symbol is {shown(bottom)}: give a stack symbol, or '' for an empty stack")
    faults += [f"final state {shown(q)} is not one of the states" for q in machine.final_states if q not in states]
    acceptance: object = machine.acceptance
    if not isinstance(acceptance, str) or acceptance not in get_args(Acceptance):
        faults.append(f"acceptance is {shown(acceptance)}: give one of {', '.join(get_args(Acceptance))}")
    symbols = {*inputs, EMPTY}
    for q, row in table.items():
        if q not in states:
            faults.append(f"transitions of {shown(q)}, which is not one of the states")
        for reading, entry in row.items():
            where = f"transition from {shown(q)} on {shown(reading)}"
            pair = isinstance(reading, tuple) and len(reading) == 2
            if not pair or reading[0] not in symbols or reading[1] not in tops:
                faults.append(f"{where} is of no reading: that is (input symbol or '', stack symbol or '')")
            if not _is_rule(entry):
                faults.append(f"{where} is {shown(entry)}: write (next state, pushed symbols)")
                continue
            rule = _rule(entry)
            if len(rule.pushed) > MOST_PUSHED:
                faults.append(f"{where} pushes {len(rule.pushed):,} symbols: at most {MOST_PUSHED} at once")
            if rule.next_state not in states:
                faults.append(f"{where} goes to {shown(rule.next_state)}, which is not one of the states")
            faults += [
                f"{where} pushes {shown(a)}, which is no stack symbol" for a in rule.pushed if a not in tops - {EMPTY}
            ]
    return faults


def _is_rule(entry: object) -> bool:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2 or not hashable(entry[0]):
        return False
    return isinstance(entry[1], (str, tuple, list)) and all(map(hashable, entry[1]))


def _rule(entry: tuple[State, Iterable[Symbol]]) -> PushdownRule:
    return PushdownRule(entry[0], tuple(entry[1]))


def _choices(state: State, row: Mapping[Reading, PushdownRule]) -> Iterator[str]:
    """Yield a fault for each move that reads a symbol where one that reads nothing is possible."""
    for symbol, top in row:
        if symbol != EMPTY and (EMPTY, top) in row:
            both = f"state {shown(state)} with {shown(top)} on top can read {shown(symbol)} or nothing"
            yield f"{both}: a deterministic automaton has one move, so remove one"


# --- The stack machine.


def _stack_machine(machine: PushdownAutomaton, inputs: tuple[Symbol, ...]) -> dict[str, Any]:
    """Return what the stack machine is made of: the control with a first state, states that push, and two that halt.

    A state of the control decides by both tops: at the end of the word it accepts if it may, else it does the move that
    reads nothing, or the one that reads the symbol, and that symbol is popped; without a move it rejects.
    """
    tops = tuple(dict.fromkeys((*inputs, *machine.pushed_symbols)))
    names = {str(q) for q in machine.control_states}
    start, accept, reject = (fresh(name, names) for name in ("start", "accept", "reject"))
    names |= {start, accept, reject}
    readings = [(a, top) for a in (*inputs, EMPTY) for top in (*machine.pushed_symbols, EMPTY)]
    table: dict[State, dict[Reading, tuple[State, tuple[Operation, ...]]]] = {}
    waiting: dict[tuple[State, tuple[Symbol, ...]], State] = {}

    def entering(state: State, symbols: tuple[Symbol, ...]) -> State:
        """Return the state that pushes the symbols, the last one first, and goes on to another."""
        if not symbols:
            return state
        if (state, symbols) not in waiting:
            waiting[state, symbols] = fresh(f"push {' '.join(reversed(symbols))}, then {state}", names)
            names.add(str(waiting[state, symbols]))
        return waiting[state, symbols]

    def move(rule: PushdownRule, read: Operation, top: Symbol) -> tuple[State, tuple[Operation, ...]]:
        if top == EMPTY or rule.pushed[-1:] == (top,):  # what is there stays
            above = rule.pushed if top == EMPTY else rule.pushed[:-1]
            operation = push(above[-1]) if above else KEEP
            return entering(rule.next_state, above[:-1]), (read, operation)
        return entering(rule.next_state, rule.pushed), (read, POP)

    begin = push(machine.initial_stack_symbol) if machine.initial_stack_symbol != EMPTY else KEEP
    table[start] = dict.fromkeys(readings, (machine.first_state, (KEEP, begin)))
    for q in machine.control_states:
        table[q] = {}
        for a, top in readings:
            silent, reading_rule = machine._rule(q, EMPTY, top), machine._rule(q, a, top) if a != EMPTY else None
            if a == EMPTY and machine._accepting(q, top == EMPTY):
                table[q][a, top] = (accept, (KEEP, KEEP))
            elif silent is not None:
                table[q][a, top] = move(silent, KEEP, top)
            elif reading_rule is not None:
                table[q][a, top] = move(reading_rule, POP, top)
    for state, symbols in list(waiting):
        for left in range(len(symbols), 0, -1):
            after, operation = entering(state, symbols[: left - 1]), push(symbols[left - 1])
            table[entering(state, symbols[:left])] = dict.fromkeys(readings, (after, (KEEP, operation)))
    return {
        "states": [*table, accept, reject],
        "input_symbols": inputs,
        "stack_symbols": tops,
        "stacks": 2,
        "transitions": table,
        "initial_state": start,
        "accept_state": accept,
        "reject_state": reject,
        "undefined": "reject",
    }
