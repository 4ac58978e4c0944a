"""The equations of the network on the unit square: its three layers as affine forms."""

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TypeVar

from gmpy2 import mpq

from exactnn.automata import GeneralizedShift, State, TapeConfiguration, TuringMachine, generalized_shift
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.construction import Phase
from exactnn.constructions.piecewise_affine_map import AffineCell, PiecewiseAffineMap, piecewise_affine_map
from exactnn.constructions.tape_machine import reads_input
from exactnn.constructions.unit_keys import symbol
from exactnn.networks import EOS

__all__ = ["PLACE", "CarmantiniPlan", "X", "Y", "before"]

Edge = TypeVar("Edge", bound=Hashable)

X = ("x",)
"""State and what is left of the head."""
Y = ("y",)
"""What is under the head and right of it."""
PLACE = ("place",)
"""While the word is read, 1 / base for its first cell, 1 / base^2 for the second, ...; 0 ever after."""
FIRST = ("first EOS",)
"""1 when the word has been read: x becomes that of the initial state."""


def before(q: State) -> Hashable:
    """Return the key of the unit that is 1 as long as x is before the states from the halting state q on."""
    return ("before", q)


def column(edge: tuple[Hashable, ...]) -> Hashable:
    """Return the key of the unit "x is before the left edge of this column of cells"."""
    return ("x before", *edge)


def row(edge: Hashable) -> Hashable:
    """Return the key of the unit "y is below the lower edge of this row of cells"."""
    return ("y below", edge)


class CarmantiniPlan:
    """Units and equations of the network of a machine.

    While a word is read, a head symbol of its own stands in place of a state, the first one, for which x = 0.
    """

    def __init__(self, machine: TuringMachine, *, binary: bool) -> None:
        self.machine = machine
        self.loads = reads_input(machine)
        self.tape = generalized_shift(machine)
        shift = self.tape.shift
        if self.loads:
            shift = GeneralizedShift(
                head_symbols=(Phase.LOAD, *shift.head_symbols),
                left_symbols=shift.left_symbols,
                right_symbols=shift.right_symbols,
                window=shift.window,
                rules=shift.rules,
                name=shift.name,
            )
        self.map: PiecewiseAffineMap = piecewise_affine_map(shift, binary=binary)
        self.heads = shift.head_symbols
        self.halting = tuple(q for q in self.heads if q in machine.halting_states)
        """Those that are reached, in the order of their columns: `halted` compares neighbours."""
        self.symbols = shift.right_symbols

    @cached_property
    def _edges(self) -> dict[tuple[Hashable, ...], mpq]:
        """The left edges of the columns, by what is left of the dot, in their order."""
        return {_left_of_dot(cell): cell.x[0] for cell in self.map.cells}

    @cached_property
    def _rows(self) -> dict[Hashable, mpq]:
        """The lower edges of the rows, by the scanned symbol."""
        return {s: mpq(i, self.map.bases[2]) for i, s in enumerate(self.symbols)}

    @cached_property
    def _silence(self) -> mpq:
        """The constant h: half of it is as large as any value of the affine maps."""
        return 2 * max(scale + offset for cell in self.map.cells for scale, offset in zip(*_maps(cell), strict=True))

    def selection(self) -> dict[Hashable, Affine]:
        """Return the first layer, of step units."""
        columns = {column(edge): x - var(X) for edge, x in self._edges.items()}
        return columns | {row(edge): y - var(Y) for edge, y in self._rows.items()}

    def transformation(self) -> dict[Hashable, Affine]:
        """Return the second layer: the maps of the cells, the letter that is read, and the first EOS."""
        units: dict[Hashable, Affine] = {}
        for cell in self.map.cells:
            gate = self._selected(cell) * (self._silence / 2) - self._silence
            for key, scale, offset in zip((X, Y), *_maps(cell), strict=True):
                units["new", *key, *cell.window] = scale * var(key) + offset + gate
        if self.loads:
            for a in self.machine.input_symbols:
                units["letter", a] = self.symbols.index(a) * var(PLACE) + symbol(a) - 1
            after = (self.heads[1],)
            first = next(edge for edge in self._edges if edge[-1:] == after)
            units[FIRST] = symbol(EOS) + var(column(first)) - 1
        return units

    def _selected(self, cell: AffineCell) -> Affine:
        """Return the form that is 2 for points of a cell, and at most 1 for others."""
        columns = _between(list(self._edges), _left_of_dot(cell), column)
        if len(cell.window) == 1:
            return 2 * columns
        return columns + _between(list(self._rows), cell.window[-1], row)

    def configuration(self) -> dict[Hashable, Affine]:
        """Return the last layer, which is the next state: x, y, verdicts and place."""
        units = self._point() | self.verdicts()
        if self.loads:
            units[PLACE] = var(PLACE) / self.map.bases[2] - symbol(EOS)
        return units

    def _point(self) -> dict[Hashable, Affine]:
        x, y = (total(var(("new", *key, *cell.window)) for cell in self.map.cells) for key in (X, Y))
        if self.loads:
            x = x + self._initial[0] * var(FIRST)
            y = y + total(var(("letter", a)) for a in self.machine.input_symbols)
        return {X: x, Y: y}

    def verdicts(self) -> dict[Hashable, Affine]:
        """Return the step units of the last layer: the new x is before a halting state."""
        x = self._point()[X]
        return {before(q): mpq(self.heads.index(q), self.map.bases[0]) - x for q in self.halting}

    def halted(self, q: State) -> Affine:
        """Return the form that is 1 in a halting state, and 0 in others."""
        return _between(list(self.halting), q, before)

    @property
    def _initial(self) -> tuple[mpq, mpq]:
        """The point of the machine on a blank tape."""
        machine = self.machine
        blank = TapeConfiguration(state=machine.initial_state, left=(), scanned=machine.blank_symbol, right=())
        return self.map.encode(self.tape.encode(blank))

    def start(self) -> dict[Hashable, mpq]:
        """Return the start values that are not zero: before the word, or on a blank tape in the initial state."""
        if self.loads:
            return {PLACE: mpq(1, self.map.bases[2])} | dict.fromkeys(map(before, self.halting), mpq(1))
        return self.complete(self.machine.initial_state, self._initial)

    def complete(self, q: State, point: tuple[mpq, mpq]) -> dict[Hashable, mpq]:
        """Return the values of a configuration in state q with this point."""
        head = self.heads.index(q)
        later = {before(p): mpq(1) for p in self.halting if head < self.heads.index(p)}
        return {X: point[0], Y: point[1]} | later


def _left_of_dot(cell: AffineCell) -> tuple[Hashable, ...]:
    return cell.window[:2]


def _maps(cell: AffineCell) -> tuple[tuple[mpq, mpq], tuple[mpq, mpq]]:
    return cell.scale, cell.offset


def _between(edges: Sequence[Edge], edge: Edge, key: Callable[[Edge], Hashable]) -> Affine:
    """Return the form "not before this edge, but before the next one"."""
    following = edges[edges.index(edge) + 1 :]
    return (var(key(following[0])) if following else Affine({}, 1)) - var(key(edge))
