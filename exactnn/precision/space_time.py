"""The tape or the stacks of a run over time, as decoded from the exact network and from rounded ones beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from typing import Any

from exactnn.arithmetic import EXACT, FLOAT32, AnyFormats, Arithmetic, count_text, counted, formats_of
from exactnn.automata import (
    LOST,
    StackConfiguration,
    StackMachine,
    Symbol,
    TapeConfiguration,
    TuringMachine,
    word_text,
)
from exactnn.errors import OptionError, shown
from exactnn.files import DataRows, Rows
from exactnn.markup import MOST_ROWS as MOST_SHOWN
from exactnn.markup import Entry, InTerminal, Table, clipped, named
from exactnn.networks import AnyNetwork, Input, Network, Runnable, network_of, runnable_of
from exactnn.options import whole_number
from exactnn.outcome import Outcome
from exactnn.precision.divergence import ConfigurationDivergence, Divergence, Lockstep
from exactnn.precision.tape_rows import NO_SYMBOL, CellLayout, StackRow, TapeRow, TapeRows, space_time_picture
from exactnn.simulation import Values, executor_for, values_along

__all__ = ["MOST_ROWS", "SpaceTime", "space_time"]

MOST_ROWS = 1000
REACH = 8
"""Cells shown on either side of the head in a terminal."""

MARGIN = 2
"""Cells that are decoded of a rounded state beyond those that the exact tape has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceTime(DataRows, InTerminal):
    """The tapes, or the stacks, of the exact run and of rounded runs on one word, up to the exact verdict.

    Parameters
    ----------
    name : str
        Of the network.
    machine : TuringMachine or StackMachine
    layout : CellLayout
        What cells may hold, and where stacks lie.
    word : tuple of str
    outcome : Outcome
        Of the exact run.
    steps : int
        Network steps in all.
    stride : int
        There is a row for each so many steps: the first of them, or the first wrong one.
    exact : TapeRows
    computed : tuple of TapeRows
        One for each format.
    """

    name: str
    machine: TuringMachine | StackMachine
    layout: CellLayout
    word: tuple[object, ...]
    outcome: Outcome
    steps: int
    stride: int
    exact: TapeRows
    computed: tuple[TapeRows, ...]

    def as_rows(self) -> Rows:
        """Return a row for each arithmetic and kept step: where a head is, and the configuration as text."""
        return [
            {
                "arithmetic": str(tape.arithmetic),
                "step": row.step,
                **({"head": row.head} if isinstance(row, TapeRow) else {}),
                "configuration": row.text(self.layout.blank),
                "right": row.configuration == true.configuration,
            }
            for tape in (self.exact, *self.computed)
            for row, true in zip(tape.rows, self.exact.rows, strict=False)
        ]

    def _repr_svg_(self) -> str:
        return space_time_picture(self.name, self.layout, (self.exact, *self.computed))

    def as_table(self) -> Table:
        """Return what terminals show: the configurations after each step; the first wrong one of a format is red."""
        shown, blank = self.exact.rows[:MOST_SHOWN], self.layout.blank
        return Table(
            title=f"{self.name} on {clipped(word_text(self.word), 40)}",
            heading=("step", "exactly", *(str(tape.arithmetic) for tape in self.computed)),
            rows=tuple(
                (row.step, *(_shown_tape(tape, number, blank) for tape in (self.exact, *self.computed)))
                for number, row in enumerate(shown)
            ),
            more=len(self.exact.rows) - len(shown),
            note='"?" cannot be read' * any(row.has_lost for tape in self.computed for row in tape.rows[: len(shown)]),
        )

    def __repr__(self) -> str:
        parts = []
        for tape in self.computed:
            wrong = None if tape.divergence is None else tape.divergence.configuration
            parts.append(
                f"{tape.arithmetic} {'right' if wrong is None else f'wrong from step {count_text(wrong.step)}'}"
            )
        return f"<SpaceTime of {named(self.name)}, {counted(self.steps, 'step')}: {'; '.join(parts)}>"


def _shown_tape(tape: TapeRows, number: int, blank: Symbol) -> Entry:
    row = tape.rows[number]
    wrong = None if tape.divergence is None else tape.divergence.configuration
    mark = "wrong" if wrong is not None and wrong.step == row.step else ""
    return Entry(row.text(blank, REACH), mark=mark)


def space_time(
    construction: AnyNetwork,
    word: str | Sequence[object] = "",
    formats: AnyFormats = (FLOAT32,),
    *,
    max_steps: int | None = None,
    rows: int = MOST_ROWS,
) -> SpaceTime:
    """Run a machine's network on a word exactly and in formats, and return the decoded tapes or stacks step by step.

    Parameters
    ----------
    construction : Construction
        Of a machine with a tape or with stacks.
    formats : sequence of Format
    max_steps : int, optional
        Go at most this many network steps.
    rows : int
        At most so many rows are kept, evenly, with the first wrong steps among them.

    Raises
    ------
    OptionError
        If there is no format, neither a tape nor stacks, or `rows` is not positive.
    WordError, UnsupportedArithmeticError
        As :func:`exactnn.run`.

    Notes
    -----
    A configuration does not say which cell the head is on. It is found from the moves of the machine's table on the
    decoded state and symbol; where those of a rounded run are lost, its head is taken to stay. Stacks lie beside each
    other, each with its bottom on the left; one whose lower part is lost is as high as that of the exact run.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16
    >>> from exactnn.constructions import siegelmann_sontag
    >>> from exactnn.machine_files import load
    >>> found = space_time(siegelmann_sontag(load("bb3")), "", [FLOAT16])
    >>> [(row.head, str(row.configuration)) for row in found.exact.rows[:4]]
    [(0, 'A: [0]'), (1, 'B: 1 [0]'), (0, 'B: [1] 1'), (1, 'C: [1]')]
    """
    runnable = runnable_of(construction)
    machine = _machine_of(runnable)
    columns = formats_of(formats)
    rows = whole_number("rows", rows, 1)
    lockstep = Lockstep(runnable, columns)
    divergences = lockstep.compare(word, max_steps=max_steps)
    inputs, steps = lockstep.network.inputs(word), divergences[0].steps
    stride = -(-(steps + 1) // rows)
    kept = set(_kept_steps(steps, stride, divergences))
    of_runs = [(EXACT, None), *((found.arithmetic, found) for found in divergences)]
    runs: list[_Tape] | list[_Stacks]
    if isinstance(machine, TuringMachine):
        runs = [_Tape(runnable, machine, arithmetic, len(inputs), found) for arithmetic, found in of_runs]
        _walk(runs, inputs, steps, kept)
        ends = (0,) if machine.tape == "semi_infinite" else ()
        layout = CellLayout(symbols=machine.tape_symbols, blank=machine.blank_symbol, ends=ends)
    else:
        runs = [_Stacks(runnable, arithmetic, found) for arithmetic, found in of_runs]
        _walk(runs, inputs, steps, kept)
        symbols = (NO_SYMBOL, *machine.stack_symbols)
        layout = CellLayout(symbols=symbols, blank=NO_SYMBOL, ends=_bottoms(runs), stacks=True)
        for stacks in runs:
            stacks.stand_on(layout.ends)
    exact, *computed = (
        TapeRows(arithmetic=it.arithmetic, rows=tuple(it.rows), divergence=it.divergence, wrong_cell=it.wrong_cell)
        for it in runs
    )
    return SpaceTime(
        name=lockstep.network.name,
        machine=machine,
        layout=layout,
        word=divergences[0].word,
        outcome=divergences[0].outcome,
        steps=steps,
        stride=stride,
        exact=exact,
        computed=tuple(computed),
    )


def _machine_of(construction: object) -> TuringMachine | StackMachine:
    machine = None if isinstance(construction, Network) else getattr(construction, "machine", None)
    if not isinstance(machine, TuringMachine | StackMachine):
        raise OptionError(
            f"{shown(construction)} has no tape and no stacks: give the construction of a tape machine or of a stack "
            "machine, or look at it with 'exactnn plot errors' or the trace of exactnn.run"
        )
    return machine


def _kept_steps(steps: int, stride: int, divergences: Sequence[Divergence]) -> Iterator[int]:
    """Yield a step for each stretch of `stride` steps: the first of it, or the first that is wrong in a format."""
    wrong = sorted(found.configuration.step for found in divergences if found.configuration is not None)
    for first in range(0, steps + 1, stride):
        yield next((step for step in wrong if first <= step < first + stride), first)


def _walk(runs: Sequence[_Tape] | Sequence[_Stacks], inputs: Sequence[Input], steps: int, kept: set[int]) -> None:
    """Take all runs step by step, the exact one first, and keep the rows of those steps."""
    network = network_of(runs[0].construction)
    executors = [executor_for(network, run.arithmetic, every_state=True) for run in runs]
    states = [values_along(executor, inputs, steps) for executor in executors]
    for step, of_runs in enumerate(zip(*states, strict=True)):
        run: Any  # all of one kind, and so is the leader
        leader: Any = None
        for run, values in zip(runs, of_runs, strict=True):
            run.follow(step, values, leader)
            if step in kept:
                run.keep(step, values, leader)
            leader = leader or run


class _Tape:
    """A run of which the head's cell is kept up to date."""

    def __init__(
        self,
        construction: Runnable,
        machine: TuringMachine,
        arithmetic: Arithmetic,
        word_length: int,
        divergence: Divergence | None = None,
    ) -> None:
        self.construction = construction
        self.machine = machine
        self.arithmetic = arithmetic
        self.word_length = word_length
        self.divergence = divergence
        self.wrong_cell: int | None = None
        self.head = 0
        self.rows: list[TapeRow] = []
        self._moves = 0
        self._next = 0
        """Which way the head goes with the next move."""

    def follow(self, step: int, values: Values, leader: _Tape | None) -> None:
        """Find the head after a step; before the machine's first move it is where the exact run, `leader`, has it."""
        moves = self.construction.machine_steps(step, self.word_length)
        if moves == 0:
            self.head = leader.head if leader is not None else self._head_before_moves(values)
        elif moves > self._moves:
            self.head += self._next
            if self.machine.tape == "semi_infinite":
                self.head = max(0, self.head)
        if moves > self._moves or moves == 0:
            self._moves = moves
            self._next = self._direction(self._decoded(values, 0))
        wrong = None if self.divergence is None else self.divergence.configuration
        if wrong is not None and wrong.step == step:
            self.wrong_cell = self.head + _offset(wrong)

    def keep(self, step: int, values: Values, leader: _Tape | None) -> None:
        """Keep the row of a step, a little beyond the tape that the exact run has there."""
        cells = None
        if leader is not None:
            true = leader.rows[-1].configuration
            cells = max(len(true.left), len(true.right)) + abs(self.head - leader.head) + MARGIN
        self.rows.append(TapeRow(step=step, head=self.head, configuration=self._decoded(values, cells)))

    def _decoded(self, values: Values, cells: int | None) -> TapeConfiguration:
        found = self.construction.decode(values, cells=cells)
        assert isinstance(found, TapeConfiguration)
        return found

    def _head_before_moves(self, values: Values) -> int:
        """Return the head's cell while the word is loaded: it has the word's symbols only on its left or right."""
        found = self._decoded(values, None)
        before_the_word = not found.left and found.scanned == self.machine.blank_symbol and bool(found.right)
        return -1 if before_the_word else len(found.left)

    def _direction(self, configuration: TapeConfiguration) -> int:
        table: Any = self.machine.transitions
        if configuration.state not in table or configuration.scanned not in table[configuration.state]:
            return 0
        return 1 if table[configuration.state][configuration.scanned].move == "R" else -1


class _Stacks:
    """A run whose stacks lie beside each other; where, is known when the highest of all are."""

    def __init__(self, construction: Runnable, arithmetic: Arithmetic, divergence: Divergence | None = None) -> None:
        self.construction = construction
        self.arithmetic = arithmetic
        self.divergence = divergence
        self.wrong_cell: int | None = None
        self.rows: list[StackRow] = []

    def follow(self, step: int, values: Values, leader: _Stacks | None) -> None:
        """Do nothing: a configuration says all."""

    def keep(self, step: int, values: Values, leader: _Stacks | None) -> None:
        """Keep the row of a step, a little beyond the stacks that the exact run has there."""
        true = None if leader is None else leader.rows[-1].heights
        found = self.construction.decode(values, cells=None if true is None else max(true) + MARGIN)
        assert isinstance(found, StackConfiguration)
        heights = tuple(map(len, found.stacks))
        if true is not None:
            rooms = zip(found.stacks, heights, true, strict=True)
            heights = tuple(max(h, t) if stack[-1:] == (LOST,) else h for stack, h, t in rooms)
        self.rows.append(StackRow(step=step, configuration=found, bottoms=(0,) * len(heights), heights=heights))

    def stand_on(self, bottoms: tuple[int, ...]) -> None:
        """Put the stacks where they are to stand, and find the first wrong cell."""
        self.rows = [replace(row, bottoms=bottoms) for row in self.rows]
        wrong = None if self.divergence is None else self.divergence.configuration
        if wrong is None:
            return
        true, rounded = wrong.exact, wrong.computed
        assert isinstance(true, StackConfiguration)
        assert isinstance(rounded, StackConfiguration)
        places = zip(true.stacks, rounded.stacks, bottoms, strict=True)
        cells = [
            max(bottom, bottom + len(own) - (wrong.depth or 1))
            for own, other, bottom in places
            if wrong.depth is None or _differs(own, other, wrong.depth)
        ]
        self.wrong_cell = cells[0]


def _bottoms(runs: Sequence[_Stacks]) -> tuple[int, ...]:
    """Return where the stacks of runs stand: beside each other, each as wide as its highest is high, and a gap."""
    highest = [max(heights) for heights in zip(*(row.heights for run in runs for row in run.rows), strict=True)]
    return tuple(accumulate((max(height, 1) + 1 for height in highest[:-1]), initial=0))


def _offset(wrong: ConfigurationDivergence) -> int:
    """Return how far right of the head the nearest wrong cell is; 0 if none is wrong but the state."""
    true, rounded = wrong.exact, wrong.computed
    assert isinstance(true, TapeConfiguration)
    assert isinstance(rounded, TapeConfiguration)
    depth = wrong.depth
    if not depth:
        return 0
    return -depth if _differs(true.left, rounded.left, depth) else depth


def _differs(true: Sequence[Symbol], rounded: Sequence[Symbol], depth: int) -> bool:
    return any(a != b for a, b in list(zip_longest(true, rounded))[:depth])
