"""Counter machines as LSTM networks, one step for each symbol."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from gmpy2 import mpq

from exactnn.automata import LOST, RESET, CounterConfiguration, CounterMachine, CounterUpdate, Mask, State
from exactnn.constructions.affine import Affine, Scalar, symbol, total, var
from exactnn.constructions.construction import Codec, Configuration, Construction, require_machine
from exactnn.constructions.stack_numbers import HALF
from exactnn.errors import ConstructionError, shown
from exactnn.networks import EOS, LSTM, Decision, Protocol
from exactnn.simulation import Values

__all__ = ["FlagCodec", "Gates", "gate_parameters", "lstm_counter", "require_configuration", "whole"]


# --- What LSTMs that count share: gates written unit by unit as affine forms, and whole numbers read from their cells.

Gates = Mapping[str, Affine | Scalar]
"""The gates of a unit by name: forms over the hidden state, by names of units, and symbols."""


def gate_parameters(
    units: Mapping[Hashable, Gates], alphabet: Sequence[str], defaults: Gates
) -> tuple[dict[str, list[list[mpq]]], dict[str, list[list[mpq]]], dict[str, list[mpq]]]:
    """Return V, W and b of a cell whose hidden state is `units`, in their order.

    Parameters
    ----------
    units : mapping name -> gates
    alphabet : sequence of str
        The symbols of the one-hot input, in their order.
    defaults : gates
        What a gate is that a unit does not have; it says which gates there are.

    Raises
    ------
    ConstructionError
        If a unit has a gate that is not among the defaults, or a form reads what is neither a unit nor a symbol.

    Examples
    --------
    A counter that is kept from going below zero:

    >>> from exactnn.constructions.affine import var
    >>> a, b = symbol("a"), symbol("b")
    >>> V, W, bias = gate_parameters({"n": {"i": a + var("n"), "g": a - b}}, "ab", {"i": 1, "f": 1, "g": 0, "o": 1})
    >>> V["i"], W["g"], bias["f"]
    ([[mpq(1,1)]], [[mpq(1,1), mpq(-1,1)]], [mpq(1,1)])
    """
    state = {name: i for i, name in enumerate(units)}
    inputs = {key: i for i, a in enumerate(alphabet) for key in symbol(a).terms}
    V: dict[str, list[list[mpq]]] = {gate: [] for gate in defaults}
    W: dict[str, list[list[mpq]]] = {gate: [] for gate in defaults}
    b: dict[str, list[mpq]] = {gate: [] for gate in defaults}
    for name, gates in units.items():
        if unknown := [gate for gate in gates if gate not in defaults]:
            raise ConstructionError(f"unit {shown(name)} has the gate {shown(unknown[0])}: use {', '.join(defaults)}")
        for gate, default in defaults.items():
            form = Affine({}) + gates.get(gate, default)
            if missing := [key for key in form.terms if key not in state and key not in inputs]:
                fault = f"gate {gate!r} of unit {shown(name)} reads {shown(missing[0])}"
                raise ConstructionError(f"{fault}, which is neither a unit nor a symbol")
            V[gate].append([form.terms.get(key, mpq(0)) for key in state])
            W[gate].append([form.terms.get(key, mpq(0)) for key in inputs])
            b[gate].append(form.constant)
    return V, W, b


def whole(value: object) -> int | str:
    """Return the integer that a number of a state is, or LOST.

    >>> whole(mpq(3)), whole(2.5), whole(float("nan")), whole(1e300) == 10**300
    (3, '?', '?', False)
    """
    try:
        found = int(value)  # type: ignore[call-overload]
    except (ValueError, OverflowError):
        return LOST
    return int(found) if found == value else LOST


def require_configuration(machine: CounterMachine, configuration: object) -> CounterConfiguration:
    """Raise ConstructionError unless this is a configuration of `machine` with whole numbers."""
    if not isinstance(configuration, CounterConfiguration) or len(configuration.counters) != machine.counters:
        raise ConstructionError(f"{shown(configuration)} is no configuration of {machine.name}")
    if configuration.state not in machine.states:
        raise ConstructionError(f"{shown(configuration.state)} is not a state of {machine.name}")
    for value in configuration.counters:
        if type(value) is not int:
            raise ConstructionError(f"a counter of {shown(configuration)} is {shown(value)}: give a whole number")
    return configuration


class FlagCodec(Codec):
    """Of a network that counts in cells with names and keeps the state in flags, which are 0 or 1.

    Parameters
    ----------
    machine : CounterMachine
        Its counters never go below zero.
    units : sequence
        Names of the cells in their order.
    counters : sequence
        Those that count.
    signs : mapping state -> sequence
        The first of these states of which one flag is set is decoded; the last state has none.
    flags : mapping state -> sequence
        The flags that are set in each state.
    """

    def __init__(
        self,
        machine: CounterMachine,
        units: Sequence[Hashable],
        counters: Sequence[Hashable],
        *,
        signs: Mapping[State, Sequence[Hashable]],
        flags: Mapping[State, Sequence[Hashable]],
    ) -> None:
        self._machine = machine
        self._units = tuple(units)
        self._counters = tuple(counters)
        self._signs, self._flags = signs, flags

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the state that the flags say, and the numbers of the counting cells."""
        hidden: dict[Hashable, Any] = dict(zip(self._units, state, strict=False))
        cell = dict(zip(self._units, state[len(self._units) :], strict=True))
        found = next(q for q, signs in self._signs.items() if not signs or any(hidden[flag] > HALF for flag in signs))
        return CounterConfiguration(state=found, counters=tuple(whole(cell[unit]) for unit in self._counters))

    def encode(self, configuration: Configuration) -> Values:
        """Return the flags of the state and the counters; ConstructionError for one below zero."""
        given = require_configuration(self._machine, configuration)
        cells = dict(zip(self._counters, given.counters, strict=True))
        flags = self._flags[given.state]
        values = [mpq(unit in flags) if unit not in cells else mpq(cells[unit]) for unit in self._units]
        if min(values) < 0:
            raise ConstructionError(f"{shown(configuration)} has a counter below zero, which this network never has")
        return (*(min(value, mpq(1)) for value in values), *values)


START = "start"
"""Name of the unit that is 1 before the first symbol and 0 ever after."""

Pending = tuple[State, tuple[CounterUpdate, ...]]
"""A state that was entered, with the updates of the move into it: the counters lack them yet."""


def lstm_counter(machine: CounterMachine | str) -> Construction:
    """Return the LSTM with hard gates of a counter machine.

    The gates of an LSTM see the hidden state of the last step, and that is what the cell states were before: a unit
    "this move" is on one step before its updates reach the counters. So the counters of the network are always one
    move behind, and the units of moves know which updates are still to come. Whether a counter is zero after an update
    u can be told from whether it is -u now; four cells for each counter, d, d - 1, -d and -d - 1, clipped to [0, 1],
    say whether it is 0, 1 or -1.

    Parameters
    ----------
    machine : CounterMachine, or what :func:`exactnn.load` makes one of

    Returns
    -------
    Construction
        1 + 4 k + (m + 1) M memory cells, with m symbols and M masks that are open, added up over the P pairs of a state
        and the updates of a move into it (the initial state with no updates among them): 2^(k - r) for a pair with r
        resets, so that M is at most P 2^k. The units of m symbols are those of moves; one more for each mask and pair
        is on at EOS and keeps the verdict.

    Raises
    ------
    ConstructionError
        If `machine` is no counter machine, or the alphabet contains the symbol "EOS", which is reserved.

    Notes
    -----
    Gates are clipped to [0, 1] and candidates to [-1, 1]; all they are applied to are whole numbers, so that steps of
    0 and 1 (``gate="step"``) would do as well. In a format that counts to N > k
    (:func:`~exactnn.precision.counter_capacity`, 2^p with p bits as a rule) it is right for all words on which no
    counter leaves [-N + 1, N - 1]: the cell -d - 1 is one ahead, and a gate that tests k counters has the bias -k - 1.

    References
    ----------
    .. [1] P. C. Fischer, A. R. Meyer and A. L. Rosenberg, "Counter machines and counter languages", 1968.
    .. [2] W. Merrill, "Sequential neural networks as automata", 2019: a saturated LSTM is at least as strong as a
       simplified k-counter machine.
    .. [3] W. Merrill et al., "A formal hierarchy of RNN architectures", ACL 2020: it computes what the general one
       does. The weights, and that one step for each symbol is enough for one layer, are worked out here.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> net = lstm_counter(load("anbn-counter"))
    >>> [run(net, word).verdict.value for word in ("", "aabb", "aab", "abab")]
    ['accept', 'accept', 'reject', 'reject']
    >>> print(net.decode(run(net, "aaab").final_state))
    bs: 2
    """
    machine = require_machine(machine, CounterMachine, "lstm_counter")
    plan = _Plan(machine)
    alphabet = (*machine.input_symbols, EOS)
    V, W, b = gate_parameters(plan.units, alphabet, {"i": 1, "f": 1, "g": 1, "o": 1})
    accepted = set(machine.acceptance)
    verdicts = {unit: 1 if (unit.pending[0], unit.mask) in accepted else -1 for unit in plan.moves if unit.read is None}
    start = plan.values(START, (0,) * machine.counters)
    network = LSTM(
        V=V,
        W=W,
        b=b,
        h=start[: len(plan.units)],
        c=start[len(plan.units) :],
        readout_weight=[verdicts.get(unit, 0) if isinstance(unit, _Move) else 0 for unit in plan.units],
        gate="slu",
        candidate="hard_tanh",
        output="slu",
        alphabet=alphabet,
        name=f"lstm_counter({machine.name})",
    )
    return Construction(
        name="lstm_counter",
        machine=machine,
        network=replace(network, decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=HALF)),
        codec=_CounterCodec(plan),
        steps_per_move=1,
        set_up=(0, 0),
        verdict_delay=1,
        claim="The first EOS symbol after w gives 1 if the machine accepts w and -1 if it rejects, for every word w; "
        "before it the output is 0, after it the verdict stays.",
        citation="P. C. Fischer, A. R. Meyer and A. L. Rosenberg, Counter machines and counter languages, 1968; "
        "W. Merrill et al., A formal hierarchy of RNN architectures, ACL 2020",
        weight_field="Z",
    )


@dataclass(frozen=True, slots=True)
class _Move:
    """A unit: with these updates pending in its state, the machine read a symbol (None: EOS) and saw a mask."""

    pending: Pending
    read: str | None
    mask: Mask

    def __str__(self) -> str:
        return f"{self.pending} {'EOS' if self.read is None else self.read} {self.mask}"


@dataclass(frozen=True, slots=True)
class _Cell:
    """A unit whose cell state is ``sign * d - offset``, where d is a counter without its pending update."""

    counter: int
    sign: int
    offset: int


class _Plan:
    """The units of the network with their gates."""

    def __init__(self, machine: CounterMachine) -> None:
        self.machine = machine
        self.initial: Pending = (machine.initial_state, (0,) * machine.counters)
        rules = (rule for row in machine.transitions.values() for cells in row.values() for rule in cells.values())
        self.pairs: tuple[Pending, ...] = tuple(dict.fromkeys([self.initial, *map(tuple, rules)]))  # type: ignore[list-item]
        self.moves = tuple(self._moves())
        self.cells = tuple(
            _Cell(counter, sign, offset) for counter in range(machine.counters) for sign in (1, -1) for offset in (0, 1)
        )

    def _moves(self) -> Iterator[_Move]:
        for pending, read in product(self.pairs, (*self.machine.input_symbols, None)):
            open_masks = product(*[(0,) if update == RESET else (0, 1) for update in pending[1]])
            yield from (_Move(pending, read, mask) for mask in open_masks)

    def entered(self, move: _Move) -> Pending:
        """Return the state and the updates that a move leaves pending; EOS leaves the state, and no updates."""
        state = move.pending[0]
        if move.read is None:
            return state, self.initial[1]
        rule = self.machine.transitions[state][move.read][move.mask]
        return rule.next_state, rule.updates

    @cached_property
    def units(self) -> Mapping[Hashable, Gates]:
        """The gates of every unit, in the order of the state."""
        working = [move for move in self.moves if move.read is not None]
        entered = {move: self.entered(move) for move in working}
        indicator: dict[Pending, list[Affine]] = {pending: [] for pending in self.pairs}
        indicator[self.initial].append(var(START))
        for move in working:
            indicator[entered[move]].append(var(move))
        found: dict[Hashable, Gates] = {START: {"i": 0, "f": 0}}
        for move in self.moves:
            read = symbol(EOS if move.read is None else move.read)
            tests = [self._test(j, move.pending[1][j], seen) for j, seen in enumerate(move.mask)]
            gate = total([*indicator[move.pending], read, *tests]) - (1 + len(tests))
            found[move] = {"i": gate, "f": int(move.read is None)}
        for cell in self.cells:
            updates = [(var(move), entered[move][1][cell.counter]) for move in working]
            reset = total(unit for unit, update in updates if update == RESET)
            step = total(update * unit for unit, update in updates if not isinstance(update, str))
            found[cell] = {"f": 1 - reset, "g": cell.sign * step - cell.offset * reset}
        return found

    @staticmethod
    def _test(counter: int, update: CounterUpdate, seen: int) -> Affine:
        """Return the form that is 1 if the mask says `seen` of a counter with an update pending, and else 0."""
        if update == RESET:
            return Affine({}, 1)
        above, above_1, below, below_1 = (var(_Cell(counter, sign, offset)) for sign in (1, -1) for offset in (0, 1))
        zero = {0: 1 - above - below, 1: below - below_1, -1: above - above_1}[int(update)]
        return 1 - zero if seen else zero

    def values(self, unit: Hashable, counters: tuple[int, ...]) -> Values:
        """Return the network state in which one unit is on and the counters, without what is pending, are these."""
        cells: list[mpq] = []
        for name in self.units:
            value = name.sign * counters[name.counter] - name.offset if isinstance(name, _Cell) else int(name == unit)
            cells.append(mpq(value))
        return (*(min(max(value, mpq(0)), mpq(1)) for value in cells), *cells)


class _CounterCodec(Codec):
    """Adds what is pending to the counters of a state, and takes it away."""

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan
        self._units = tuple(plan.units)

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the configuration after the move whose unit is on; LOST where none or several are."""
        numbers: tuple[Any, ...] = state
        hidden, cell = numbers[: len(self._units)], numbers[len(self._units) :]
        active = [
            unit
            for unit, value in zip(self._units, hidden, strict=True)
            if not isinstance(unit, _Cell) and value > HALF
        ]
        held = [whole(cell[self._units.index(_Cell(j, 1, 0))]) for j in range(self._plan.machine.counters)]
        if len(active) != 1:
            return CounterConfiguration(state=LOST, counters=tuple(held))
        entered = self._plan.entered(active[0]) if isinstance(active[0], _Move) else self._plan.initial
        counters = [
            0 if update == RESET else LOST if isinstance(value, str) else value + int(update)
            for value, update in zip(held, entered[1], strict=True)
        ]
        return CounterConfiguration(state=entered[0], counters=tuple(counters))

    def encode(self, configuration: Configuration) -> Values:
        """Return a state with the first unit on that leads to the configuration."""
        given = require_configuration(self._plan.machine, configuration)
        values = [int(value) for value in given.counters]
        candidates = [(START, self._plan.initial)] if given.state == self._plan.initial[0] else []
        working = (move for move in self._plan.moves if move.read is not None)
        for unit, (state, updates) in (*candidates, *((move, self._plan.entered(move)) for move in working)):
            fits = all(not value for value, update in zip(values, updates, strict=True) if update == RESET)
            if state == given.state and fits:
                before = (v - (0 if isinstance(u, str) else u) for v, u in zip(values, updates, strict=True))
                return self._plan.values(unit, tuple(before))
        raise ConstructionError(f"{shown(str(configuration))} is never entered, so no unit stands for it")
