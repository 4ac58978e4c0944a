"""Pushdown automata of JFLAP, where they are deterministic: labels of several symbols, and any top.

A transition "read, pop; push" is possible where the rest of the word begins with what it reads and the stack with what
it pops, each of which may be empty. Two transitions of a state of which one word and one stack allow both are refused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from exactnn.automata import EMPTY, PushdownAutomaton, Reading, State, Symbol, fresh
from exactnn.errors import shown
from exactnn.machine_files.fields import MAX_CELLS, MAX_STATES
from exactnn.machine_files.jflap_drawing import Drawing
from exactnn.machine_files.xml_tree import Element

__all__ = ["BOTTOM", "pushdown_automaton"]

MOST_CONFLICTS = 10
"""A file is told of so many pairs of transitions of which one word and one stack allow both."""

BOTTOM = "Z"
"""What is on the stack at the start in JFLAP."""


class _Move(NamedTuple):
    """What is left of a transition: what it reads and pops yet, what it pushes, the new top first, and its target."""

    read: str
    pop: str
    push: str
    target: State

    @property
    def label(self) -> str:
        return f"{self.read or 'λ'}, {self.pop or 'λ'}; {self.push or 'λ'}"

    def excludes(self, other: "_Move") -> bool:
        """Whether no word and stack allow both."""
        return any(
            not (one.startswith(two) or two.startswith(one))
            for one, two in ((self.read, other.read), (self.pop, other.pop))
        )


@dataclass(slots=True)
class _Control:
    """The transitions that were made so far; in between are states in which some of several moves are under way.

    `tops` are all that a move may find, "" for an empty stack.
    """

    tops: tuple[Symbol, ...]
    names: set[str]
    table: dict[State, dict[Reading, tuple[State, str]]] = field(default_factory=dict)
    between: dict[tuple[_Move, ...], State] = field(default_factory=dict)

    def add(self, state: State, moves: Iterable[_Move]) -> None:
        """Enter the rules of a state that has these moves, and those of the states in between."""
        waiting = [(state, tuple(moves))]
        while waiting:
            q, left = waiting.pop()
            for top in self.tops:
                fitting = [move for move in left if not move.pop or (top and move.pop.startswith(top))]
                pops = any(move.pop for move in fitting)
                kept, fitting = ("", [_at(move, top) for move in fitting]) if pops else (top, fitting)
                silent = any(not move.read for move in fitting)
                for a in [""] if silent else dict.fromkeys(move.read[0] for move in fitting):
                    rest = tuple(move._replace(read=move.read[len(a) :]) for move in fitting if move.read.startswith(a))
                    if len(rest) == 1 and not rest[0].read and not rest[0].pop:
                        after, pushed = rest[0].target, rest[0].push + kept
                    else:
                        after, pushed = self._between(rest, f"{q} {a or 'λ'}, {top or 'λ'}", waiting), kept
                    self.table.setdefault(q, {})[a, top] = (after, pushed)

    def _between(self, rest: tuple[_Move, ...], name: str, waiting: list[tuple[State, tuple[_Move, ...]]]) -> State:
        if rest not in self.between:
            self.between[rest] = fresh(name, self.names)
            self.names.add(str(self.between[rest]))
            waiting.append((self.between[rest], rest))
        return self.between[rest]


def _at(move: _Move, top: Symbol) -> _Move:
    """Return a move with a top that is popped; it puts it back where it does not pop."""
    return move._replace(pop=move.pop[1:]) if move.pop else move._replace(push=move.push + top)


def _control(tops: tuple[Symbol, ...], drawing: Drawing, moves: Mapping[str, list[tuple[int, _Move]]]) -> _Control:
    """Return the rules of all states, for these tops."""
    control = _Control(tops, set(drawing.states))
    for q, row in moves.items():
        control.add(q, [move for _line, move in row])
    return control


def pushdown_automaton(drawing: Drawing, root: Element) -> PushdownAutomaton:
    """Return the automaton of a drawing; all faults are raised together."""
    moves: dict[str, list[tuple[int, _Move]]] = {q: [] for q in drawing.states}
    for arrow in drawing.arrows:
        read, pop, push = (arrow.texts(tag)[0] for tag in ("read", "pop", "push"))
        moves[arrow.source].append((arrow.line, _Move(read, pop, push, arrow.target)))
    every = [move for row in moves.values() for _line, move in row]
    tops = tuple(dict.fromkeys((BOTTOM, *(a for move in every for a in move.pop + move.push))))
    inputs = tuple(dict.fromkeys(a for move in every for a in move.read))
    by_state = bool(drawing.final)
    conflicts = 0
    for q, row in moves.items():
        row[:] = list({move: (at, move) for at, move in row}.values())
        if len(row) > 1_000:
            drawing.faults.add(row[0][0], f"state {shown(q)} has {len(row):,} transitions: at most 1,000 can be read")
            drawing.faults.raise_any()
        for (_line, one), (line, two) in combinations(row, 2):
            if conflicts < MOST_CONFLICTS and not one.excludes(two):
                conflicts += 1
                both = f"state {shown(q)} can do {shown(one.label)} and {shown(two.label)} at once"
                drawing.faults.add(line, f"{both}: make the automaton deterministic, or write it in YAML as weighted")
    drawing.faults.raise_any()
    longest = sum(len(move.read) + len(move.pop) for move in every)
    if (len(moves) + longest) * (len(tops) + 1) > MAX_CELLS or len(moves) + longest > MAX_STATES:
        size = f"{len(moves):,} states, {len(tops)} stack symbols and labels of {longest:,} symbols"
        drawing.faults.add(
            root.line, f"{size} make more than {MAX_STATES:,} states or {MAX_CELLS:,} rules, which is not read"
        )
        drawing.faults.raise_any()
    control = _control(tops, drawing, moves)
    if any(
        top == BOTTOM and not put.endswith(BOTTOM)
        for row in control.table.values()
        for (_, top), (_, put) in row.items()
    ):
        control = _control((*tops, EMPTY), drawing, moves)  # a stack may be empty, since the symbol below may go
    if control.between and not by_state:  # in between the stack may be empty, and no word ends there
        fault = "without a final state words are accepted by an empty stack, and labels of several symbols are not read"
        drawing.faults.add(root.line, f"{fault} then: write a transition for each symbol")
        drawing.faults.raise_any()
    if by_state:
        drawing.notes.append("words are accepted by final state; JFLAP asks whether by that or by empty stack")
    else:
        drawing.notes.append("there is no final state, so words are accepted by empty stack; JFLAP asks which it is")
    return PushdownAutomaton(
        states=[*drawing.states, *control.between.values()],
        input_symbols=inputs,
        stack_symbols=tops,
        transitions=control.table,
        initial_state=drawing.initial,
        initial_stack_symbol=BOTTOM,
        final_states=drawing.final,
        acceptance="final state" if by_state else "empty stack",
        name=drawing.name,
    )
