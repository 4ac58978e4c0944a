"""Turing machine to RNN by way of the unit square: two numbers are the machine, and one move is a step of three layers.

A machine is a generalised shift, the shift is a piecewise affine map of the unit square (`piecewise_affine_map`), and
the network computes that map. The layers of a step:

    branch selection (BSL)       step units: is x before the left edge of a column of cells, is y below that of a row?
    linear transformation (LTL)  for each cell two ramps, ``scale x + offset`` and the same of y, if it is selected
    machine configuration (MCL)  the new x and y: the sums of the ramps, all but one of which are 0

An LTL unit is ``ReLU(scale x + offset - h + h/2 (column is selected) + h/2 (row is selected))``, h being twice the
largest value of any of the affine maps.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, fraction_digits
from exactnn.automata import (
    LEFT_END,
    LOST,
    GeneralizedShift,
    State,
    Symbol,
    TapeConfiguration,
    TuringMachine,
    generalized_shift,
    tape_configuration,
)
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import (
    Codec,
    Configuration,
    Construction,
    Phase,
    require_machine,
)
from exactnn.constructions.halting import halting_construction, halting_protocol, reads_input
from exactnn.constructions.layered_network import layered_network
from exactnn.constructions.stack_numbers import HALF, as_state, count_scalar, leading_digits, length_in, readable
from exactnn.constructions.tapes.piecewise_affine_map import AffineCell, PiecewiseAffineMap, piecewise_affine_map
from exactnn.constructions.tapes.two_stacks import require_tape
from exactnn.networks import EOS, Activation
from exactnn.simulation import Values

__all__ = ["CarmantiniPlan", "carmantini"]

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


class CarmantiniCodec(Codec):
    """Reads and writes the states of the network that a plan describes."""

    def __init__(self, plan: CarmantiniPlan) -> None:
        self._plan = plan
        self._units = list(plan.configuration())
        self._left_symbols = plan.map.shift.left_symbols
        self._bounded = LEFT_END in self._left_symbols

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        values = readable(self._units, state_values)
        head, rest = self._head(values)
        _, _, base = self._plan.map.bases
        right = self._symbols(values.get(Y, mpq(0)), base, self._plan.symbols, None if cells is None else cells + 1)
        scanned, *beyond = right or [self._plan.machine.blank_symbol]
        return tape_configuration(
            self._plan.machine, self._state(head, values), self._left(head, rest, cells), scanned, beyond
        )

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        values = readable(self._units, state_values)
        _, left_base, right_base = self._plan.map.bases
        left = length_in(self._head(values)[1], left_base)
        return max(0, left - self._bounded), max(0, length_in(values.get(Y, mpq(0)), right_base) - 1)

    def nonblank(self, state_values: Values) -> int | None:
        """Return how many cells are not blank; None where one is lost."""
        values = readable(self._units, state_values)
        head, rest = self._head(values)
        _, left_base, right_base = self._plan.map.bases
        largest = len(self._plan.symbols) - 1
        if head == 0 and self._plan.loads:
            left: int | None = 0 if not rest else None
        else:
            left = count_scalar(
                rest, left_base, len(self._left_symbols) - 1, largest + 1 if self._bounded else None, spacing=1
            )
        right = count_scalar(values.get(Y, mpq(0)), right_base, largest, spacing=1)
        return None if left is None or right is None else left + right

    def encode(self, configuration: Configuration) -> Values:
        """Return the state that stands for `configuration`."""
        plan = self._plan
        configuration = require_tape(
            plan.machine, configuration, states=plan.tape.shift.head_symbols, symbols=plan.symbols
        )
        values = plan.complete(configuration.state, plan.map.encode(plan.tape.encode(configuration)))
        return as_state(self._units, values)

    def _head(self, values: Mapping[Hashable, Any]) -> tuple[int | None, LongNumber]:
        """Return the first digit of x, and the fraction that its other digits are; None where x is out of [0, 1)."""
        x = values.get(X, mpq(0))
        base = self._plan.map.bases[0]
        found = leading_digits(x, base, 1)
        if found is None:
            return None, mpq(-1)
        return found[0], x * base - found[0]

    def _state(self, head: int | None, values: Mapping[Hashable, Any]) -> State:
        """Return the state that x begins with, if the units of the verdict say the same."""
        plan = self._plan
        if head is None or head >= len(plan.heads):
            return LOST
        said = [values.get(before(q), 0) > HALF for q in plan.halting]
        if said != [head < plan.heads.index(q) for q in plan.halting]:
            return LOST
        loading = plan.heads[head] is Phase.LOAD
        if loading != (values.get(PLACE, 0) > 0) and (loading or plan.loads):
            return LOST
        return plan.heads[head]

    def _left(self, head: int | None, rest: LongNumber, cells: int | None) -> list[Symbol]:
        base = self._plan.map.bases[1]
        if head == 0 and self._plan.loads and not rest:
            return []  # the left end comes with the first EOS
        found = self._symbols(rest, base, self._left_symbols, None if cells is None else cells + self._bounded)
        if self._bounded and LEFT_END in found:
            found = found[: found.index(LEFT_END)]
        elif self._bounded and LOST not in found:  # the end is gone, or farther left
            found += [LOST] if cells is None else [self._plan.machine.blank_symbol] * (cells - len(found))
        return found[:cells]

    @staticmethod
    def _symbols(value: LongNumber, base: int, symbols: Sequence[Hashable], cells: int | None) -> list[Any]:
        """Return the symbols of the digits after the point, up to the first that is none, without blanks at the end."""
        digits = leading_digits(value, base, length_in(value, base) if cells is None else cells)
        if digits is None:
            return [LOST]
        found: list[Any] = [symbols[digit] if digit < len(symbols) else LOST for digit in digits]
        if LOST in found:
            return found[: found.index(LOST) + 1]
        if cells is None and fraction_digits(value, base) is None:
            return [*found, LOST]
        while found and found[-1] == symbols[0]:
            found.pop()
        return found


def carmantini(machine: TuringMachine | str, *, binary: bool = True) -> Construction:
    """Return the network of `machine` with ``2 + Q m + m + 2 Q m^2`` units, and what halting and reading add.

    Q counts the states that are reached and do not halt, m the tape symbols; each state that halts and is reached adds
    4, reading words |input symbols| + 5, and of a semi-infinite tape the columns are Q (m + 1) in place of Q m. The
    state has two numbers, one more for each state that halts, and one that reading takes. A step is a move.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output and the configuration. T = k + 1 for k moves: the word is read into its place, and the first EOS begins
    the run. A machine with an empty input alphabet starts at once, T = k, unless its initial state halts already.

    Parameters
    ----------
    machine : TuringMachine, or what :func:`exactnn.load` makes one of
    binary : bool
        Digits in bases that are powers of two; False: in the published ones, Q + h and m.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, or EOS is among the input symbols.
    OptionError
        If `binary` is neither True nor False.

    Notes
    -----
    The published count is 259 for Minsky's universal machine of 7 states and 4 symbols, the constant unit of the biases
    included: 2 + 32 + 224 + 1; the published network starts with the tape in its state and has no output. Its step
    units are 1 at 0. Those of exactnn are 0 there, so they are used the other way round: a unit says "x is before this
    edge", and x on the edge is not.

    References
    ----------
    G. S. Carmantini, P. beim Graben, M. Desroches and S. Rodrigues, "A modular architecture for transparent
    computation in recurrent neural networks", *Neural Networks* 85, 2017.

    Examples
    --------
    Two states and two symbols: 2 + 4 + 2 + 16 = 24 units, and 4 for the state that halts.

    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> beaver = load("bb2")
    >>> net = carmantini(beaver)
    >>> result = run(net)
    >>> net.network.circuit.units, result.outcome.value, result.steps, str(net.decode(result.final_state))
    (28, 'halted', 6, 'Z: 1 1 [1] 1')
    """
    machine = require_machine(machine, TuringMachine, "carmantini")
    plan = CarmantiniPlan(machine, binary=binary)
    selection = plan.selection()
    network = layered_network(
        layers=[selection, plan.transformation()],
        state=plan.configuration(),
        start=plan.start(),
        activation=Activation.RELU,
        others=dict.fromkeys([*selection, *plan.verdicts()], Activation.HEAVISIDE),
        **halting_protocol("carmantini", machine, plan.halted),
    )
    return halting_construction(
        "carmantini",
        machine,
        network,
        codec=CarmantiniCodec(plan),
        set_up=(1, 1),
        citation="Carmantini, beim Graben, Desroches and Rodrigues, A modular architecture for transparent computation "
        "in recurrent neural networks, Neural Networks 85, 2017",
    )
