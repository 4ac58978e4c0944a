"""The constructions side by side: how large, how fast, in which numbers, and what machines of the zoo take."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import counted
from exactnn.automata import Symbol
from exactnn.constructions import CONSTRUCTIONS, Construction, compile
from exactnn.constructions.compile import REGISTERED, constructions_for
from exactnn.errors import OptionError, shown
from exactnn.files import Data, data_rows
from exactnn.machine_files import load_file
from exactnn.markup import Entry, Table, Tabular
from exactnn.options import entries
from exactnn.precision import required_bits
from exactnn.simulation import whole_run

__all__ = ["ConstructionRow", "construction_page", "construction_table"]

EXAMPLES = (
    "parity",
    "divisible-by-3",
    "cycle-navigation",
    "edges",
    "anbn",
    "palindrome",
    "bb4",
    "anbn-stacks",
    "mirror-stacks",
    "anbn-counter",
    "anbncn-counters",
    "counting",
)
"""Machines of the zoo that the table is measured on unless others are asked for."""

MOST_STEPS = 3000
"""Words with longer runs are left out: every state of the exact run is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstructionRow:
    """One construction of one machine.

    Parameters
    ----------
    construction, machine : str
    machine_kind : str
    units : int
        Of all layers of a step.
    neurons : int
        Numbers of the state.
    weights : int
        Those that are not zero, without biases.
    steps_per_move : int
    halting_time : str
    weight_field : str
    word : str or None
        The longest word that the machine's file expects something of, with a run of at most 3000 steps.
    steps : int or None
        Network steps that it takes.
    bits : int or None
        The longest numerator or denominator of a state on the way.
    """

    construction: str
    machine: str
    machine_kind: str
    units: int
    neurons: int
    weights: int
    steps_per_move: int
    halting_time: str
    weight_field: str
    word: str | None
    steps: int | None
    bits: int | None


class ConstructionTable(Data, Tabular, tuple[ConstructionRow, ...]):
    """Constructions side by side: a tuple of rows, which notebooks and terminals show as a table."""

    __slots__ = ()

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each entry, with its fields."""
        return data_rows(self)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        heading = ("machine", "construction", "units", "neurons", "weights", "steps/move", "word", "steps", "bits")
        return Table(heading=heading, rows=tuple(map(_shown_row, self)))

    def __repr__(self) -> str:
        return f"<ConstructionTable of {counted(len(self), 'row')}>"


def _shortened(word: str) -> str:
    return word if len(word) <= 16 else f"{word[:8]}…{word[-8:]}"


def _shown_row(row: ConstructionRow) -> tuple[object, ...]:
    numbers = (row.units, row.neurons, row.weights, row.steps_per_move)
    word = "-" if row.word is None else Entry(_shortened(row.word) or "(empty)", told=row.word)
    measured = ("-" if value is None else value for value in (row.steps, row.bits))
    return row.machine, row.construction, *numbers, word, *measured


def construction_table(machines: str | Iterable[str] | None = None) -> ConstructionTable:
    """Return every construction of some machines, each compiled, and run on the longest word of its file.

    Parameters
    ----------
    machines : str or iterable of str, optional
        Names of the zoo, or files; by default a few of each kind.

    Raises
    ------
    MachineFileError
        If there is no such machine.
    OptionError
        If `machines` is none of these.

    Examples
    --------
    >>> [(row.construction, row.units, row.bits) for row in construction_table("parity")][:2]
    [('minsky', 5, 1), ('state_grid', 3, 1)]
    """
    if machines is not None and not isinstance(machines, str | Iterable):
        raise OptionError(f"machines={shown(machines)}: give names of machines")
    names = EXAMPLES if machines is None else [machines] if isinstance(machines, str) else entries("machines", machines)
    return ConstructionTable(row for name in names for row in _rows(name))


def _rows(name: str) -> Iterable[ConstructionRow]:
    file = load_file(name)
    words = sorted((expectation.word for expectation in file.expectations), key=len, reverse=True)
    for construction in constructions_for(file.machine):
        net = compile(file.machine, construction=construction)
        word, steps, bits = _measured(net, words)
        circuit = net.network.circuit
        yield ConstructionRow(
            construction=construction,
            machine=file.name,
            machine_kind=CONSTRUCTIONS[construction].__name__,
            units=circuit.units,
            neurons=net.network.neurons,
            weights=circuit.weights,
            steps_per_move=net.steps_per_move,
            halting_time=net.halting_time,
            weight_field=net.weight_field,
            word=word,
            steps=steps,
            bits=bits,
        )


def _measured(net: Construction, words: Iterable[Sequence[Symbol]]) -> tuple[str | None, int | None, int | None]:
    """Return the first word that does not take too long, its network steps, and the bits of its states."""
    for word in words:
        result = whole_run(net, word, max_steps=MOST_STEPS, record="all")
        if not result.outcome.cut_short:
            return "".join(map(str, word)), result.steps, max(required_bits(result).rational)
    return None, None, None


_HEAD = """\
# The constructions

What each construction makes of machines. This page is what `exactnn constructions --markdown` (12 s) prints, and a
test compares them; sources are in [sources](sources.md). Of a machine with Q states that do not halt and h that do (of
an automaton, Q states), m symbols (of an automaton those of the input, else those of the tape or of a stack), and p
stacks. P counts the directions from which states are entered, H those of halting moves, R and L right and left rules,
those that read the blank twice. A counter machine has k counters, C pairs of a state and what the move into it does to
the counters (the initial state with no move is one), and M masks (which counters are zero) that these leave open. A
memory cell of an LSTM is two neurons and several units ([what these are](concepts.md#neurons-and-units)). Except for
automata and counter machines, what cannot be reached does not count; a tape has a left end if it is semi-infinite:

| construction | machine | units | growth of exact numbers | base |
|---|---|---|---|---|
"""

_MEASURED = """
Measured on machines of the zoo. *Units* are those of all layers of a step, *neurons* the numbers of the state. *Bits*
are those of the longest numerator or denominator of a state, on the longest word that the machine's file expects
something of within 3000 steps. T counts the EOS symbols until the verdict, after k moves on the word w.

| machine | construction | units | neurons | weights | field | steps per move | T | word | steps | bits |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def construction_page(rows: Iterable[ConstructionRow]) -> str:
    """Return the table as a page in Markdown."""
    sizes = [
        f"| `{name}` | {machine.__name__} | {units} | {growth} | {base} |\n"
        for name, (machine, units, growth, base) in REGISTERED.items()
    ]
    return _HEAD + "".join(sizes) + _MEASURED + "".join(map(_line, rows))


def _line(row: ConstructionRow) -> str:
    cells = (
        row.machine,
        f"`{row.construction}`",
        f"{row.units:,}",
        f"{row.neurons:,}",
        f"{row.weights:,}",
        row.weight_field,
        row.steps_per_move,
        "none" if row.halting_time.startswith("no EOS") else row.halting_time,
        "-" if row.word is None else f"`{row.word}`" if row.word else "(empty)",
        "-" if row.steps is None else f"{row.steps:,}",
        "-" if row.bits is None else f"{row.bits:,}",
    )
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |\n"
