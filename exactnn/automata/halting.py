"""Does a Turing machine halt on the blank tape? Runs, and proofs that it never does.

A machine is a *table* here: a tuple of rules by state and symbol, ``rules[state * symbols + symbol]``, each
``(written, move, next state)`` with numbers and moves 1 and -1, or None where the machine halts. It begins in state 0,
on blanks, which are 0, and a tape without ends.

Three kinds of proof. A *cycle*: a configuration comes again. A *translated cycle* (Lin's recurrence): at two steps the
head is farther out than ever before, on the same side, in the same state, and the cells that were read in between look
alike, so that all of it happens again, farther out, for ever. A *closed set* of local configurations: a state, the cell
under the head and a few cells on both sides. It holds the first one and whatever can follow one of it, for any tape
whose runs of cells are in the set, and the machine halts in none of it. There cells may remember the last rules that
wrote them.
"""

from dataclasses import dataclass
from typing import Literal

from exactnn.automata.machine import machine_of
from exactnn.automata.turing_machine import TuringMachine
from exactnn.errors import OptionError, shown
from exactnn.options import whole_number

__all__ = ["Halting", "ProofKind", "Table", "decide_halting", "halting_of", "table_of_machine"]

ProofKind = Literal["cycle", "translated cycle", "closed set"]
Rule = tuple[int, int, int]
Table = tuple[Rule | None, ...]

ALL = -1
WINDOWS = (
    (0, 1), (0, 2), (0, 3), (2, 2), (2, 3), (4, 2), (4, 3), (6, 2), (6, 3), (8, 2), (8, 3), (ALL, 2), (10, 4),
)  # fmt: skip
"""Closed sets that are tried: how many of the last rules that wrote it a cell remembers, and cells on each side.

With ALL a cell remembers all rules that wrote it, each once, the latest first.
"""
MOST_SYMBOLS = 256
"""A cell of a tape is a byte."""
MOST_STEPS = 10**7
"""For which there is a tape, of two bytes for each."""
LARGEST_SET = 10_000
"""Local configurations of a closed set."""
MOST_RECORDS = 32
"""Earlier records of a side and state that a record is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Halting:
    """Whether a machine halts on the blank tape.

    Parameters
    ----------
    halts : bool or None
        None if this is not known.
    steps : int
        Steps until it halts, the one into the halting state included; else the steps that were run.
    proof : str or None
        Of a machine that does not halt: "cycle", "translated cycle" or "closed set".
    first : int or None
        Of a cycle: an earlier step that is like the last one.
    cells : int or None
        Of a translated cycle: how many cells, up to the head, are alike at both steps. Of a closed set: how many cells
        there are on each side.
    undefined : int or None
        Where in a table the rule is missing that a machine halts by.
    """

    halts: bool | None
    steps: int
    proof: ProofKind | None = None
    first: int | None = None
    cells: int | None = None
    undefined: int | None = None


def decide_halting(machine: TuringMachine | str, *, max_steps: int = 1000) -> Halting:
    """Decide, as far as these means go, whether a machine halts on the blank tape.

    Parameters
    ----------
    machine : TuringMachine or name of one
        With a tape that has no ends. Entering any of its halting states is halting; one that begins in such a state has
        halted after 0 steps.
    max_steps : int
        Steps that are run at most. Cycles are looked for within them, closed sets of up to 10,000 local configurations
        besides.

    Raises
    ------
    OptionError
        If it is no Turing machine, its tape has an end, it has more than 256 tape symbols, or `max_steps` is no whole
        number up to 10^7.

    Examples
    --------
    >>> from exactnn.machine_files.bbchallenge import read_bbchallenge
    >>> decide_halting(read_bbchallenge("1RB1LB_1LA1RZ")).steps
    6
    >>> for text in ("0RB1RZ_0LA1RZ", "1RB1LB_1LA1RB", "1RB0LB_1LA0RA"):
    ...     print(decide_halting(read_bbchallenge(text)).proof)
    cycle
    translated cycle
    closed set
    """
    machine = machine_of(machine)
    if not isinstance(machine, TuringMachine):
        raise OptionError(f"machine={shown(machine)}: give a TuringMachine")
    if machine.tape != "two_way_infinite":
        raise OptionError(f"machine {machine.name!r} has a tape with an end: give one with tape='two_way_infinite'")
    symbols = len(machine.tape_symbols)
    if symbols > MOST_SYMBOLS:
        raise OptionError(f"machine {machine.name!r} has {symbols:,} tape symbols: give one of at most {MOST_SYMBOLS}")
    steps = whole_number("max_steps", max_steps, 0, MOST_STEPS)
    if machine.initial_state in machine.halting_states:
        return Halting(halts=True, steps=0)
    return halting_of(table_of_machine(machine), symbols, steps)


def table_of_machine(machine: TuringMachine) -> Table:
    """Return the table of a machine that does not begin in a halting state; rules into halting states are None."""
    running = [state for state in machine.states if state not in machine.halting_states]
    states = {state: n for n, state in enumerate(sorted(running, key=lambda s: s != machine.initial_state))}
    blank = machine.blank_symbol
    symbols = {symbol: n for n, symbol in enumerate(sorted(machine.tape_symbols, key=lambda s: s != blank))}
    rules: list[Rule | None] = []
    for state in states:
        for symbol in symbols:
            rule = machine.transitions[state][symbol]
            known = rule.next_state in states
            move = 1 if rule.move == "R" else -1
            rules.append((symbols[rule.written], move, states[rule.next_state]) if known else None)
    return tuple(rules)


def halting_of(table: Table, symbols: int, max_steps: int) -> Halting:
    """Decide whether a table halts; see :func:`decide_halting`."""
    found = _run(table, symbols, max_steps)
    if found.halts is not None:
        return found
    for history, cells in WINDOWS:
        if _is_closed(table, symbols, history, cells):
            return Halting(halts=False, steps=found.steps, proof="closed set", cells=cells)
    return found


def _run(table: Table, symbols: int, max_steps: int) -> Halting:
    """Run a table until it halts, or is in a cycle, translated or not.

    Every cycle meets an anchor: a configuration that is taken at steps 1, 2, 4, 8, ... (Brent). Records of one side and
    state are compared with earlier ones: the head is where it has not been before, so that all beyond is blank.
    """
    origin = max_steps + 1
    tape, head, state = bytearray(2 * origin + 1), origin, 0
    heads, lowest, highest = [head], head, head
    anchor, begin = (0, head, 0), bytes(tape)
    records: dict[tuple[int, int], list[tuple[int, bytes]]] = {(0, 1): [(0, begin)], (0, -1): [(0, begin)]}
    for step in range(1, max_steps + 1):
        place = state * symbols + tape[head]
        rule = table[place]
        if rule is None:
            return Halting(halts=True, steps=step, undefined=place)
        tape[head], move, state = rule
        head += move
        heads.append(head)
        if anchor[1:] == (head, state) and tape == begin:
            return Halting(halts=False, steps=step, proof="cycle", first=anchor[0])
        if step & (step - 1) == 0:
            anchor, begin = (step, head, state), bytes(tape)
        if lowest <= head <= highest:
            continue
        lowest, highest = min(lowest, head), max(highest, head)
        side = records.setdefault((state, move), [])
        for first, before in reversed(side):
            far = (min if move > 0 else max)(heads[first:])
            shift, low, high = head - heads[first], min(far, heads[first]), max(far, heads[first])
            if before[low : high + 1] == tape[low + shift : high + shift + 1]:
                cells = high - low + 1
                return Halting(halts=False, steps=step, proof="translated cycle", first=first, cells=cells)
        side.append((step, bytes(tape)))
        del side[:-MOST_RECORDS]
    return Halting(halts=None, steps=max_steps)


Cell = tuple[int, tuple[int, ...]]
"""A symbol, and the numbers of the last rules that wrote it, latest first."""
Window = tuple[Cell, ...]
"""Cells on one side of the head, the nearest first."""


def _is_closed(table: Table, symbols: int, history: int, cells: int) -> bool:
    """Return whether some set of local configurations is closed, and the machine halts in none; see `WINDOWS`.

    `seen` has for each side which cell may follow after a run of `cells` - 1: a window is known once the head has left
    it behind. `waiting` has the configurations that asked what follows a run, for when one more is seen.
    """
    blank: Cell = (0, ())
    bare: Window = (blank,) * (cells - 1)
    seen: dict[int, dict[Window, set[Cell]]] = {side: {bare: {blank}} for side in (1, -1)}
    waiting: dict[int, dict[Window, list[tuple[int, Cell, Window]]]] = {1: {}, -1: {}}
    start = (0, blank, (*bare, blank), (*bare, blank))
    known, todo = {start}, [start]

    def meet(move: int, state: int, cell: Cell, ahead: Window, behind: Window) -> None:
        local = (state, cell, behind, ahead) if move > 0 else (state, cell, ahead, behind)
        if local not in known:
            known.add(local)
            todo.append(local)

    while todo:
        if len(known) > LARGEST_SET:
            return False
        state, cell, left, right = todo.pop()
        place = state * symbols + cell[0]
        rule = table[place]
        if rule is None:
            return False
        symbol, move, following = rule
        ahead, behind = (right, left) if move > 0 else (left, right)
        others_first = cell[1] if history >= 0 else tuple(rule for rule in cell[1] if rule != place)
        written: Cell = (symbol, (place, *others_first)[: history if history >= 0 else None])
        # The window behind is left: its last cell may follow the others from now on.
        others = seen[-move].setdefault(behind[:-1], set())
        if behind[-1] not in others:
            others.add(behind[-1])
            for other, under, farther in waiting[-move].get(behind[:-1], ()):
                meet(-move, other, under, (*behind[:-1], behind[-1]), farther)
        passed = (written, *behind[:-1])
        waiting[move].setdefault(ahead[1:], []).append((following, ahead[0], passed))
        for farthest in tuple(seen[move].get(ahead[1:], ())):
            meet(move, following, ahead[0], (*ahead[1:], farthest), passed)
    return True
