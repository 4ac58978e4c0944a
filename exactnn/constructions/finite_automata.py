"""Finite automata as networks: one unit for each state (Minsky), and of O(√Q) units."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import isqrt
from typing import Any

from gmpy2 import mpq

from exactnn.automata import DFA, LOST, MealyMachine, MooreMachine, State, Symbol
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import Codec, Configuration, Construction, require_machine
from exactnn.constructions.gated_step import Next, Row, gated_network
from exactnn.constructions.layered_network import START, fold
from exactnn.constructions.stack_numbers import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Activation, Decision, Network, Protocol
from exactnn.simulation import Values

__all__ = ["StateCodec", "minsky", "state_grid"]


# --- Minsky's construction: a finite automaton as a simple ReLU RNN with integer weights.


class StateCodec(Codec):
    """Reads and writes states that units indicate: one unit per state, or several, of which one is 1 at a time.

    Parameters
    ----------
    machine : DFA, MooreMachine or MealyMachine
        With a name and states.
    units : iterable
        The units of the network's state in order. Where `fold` made the network, the start unit comes first.
    forms : mapping state -> Affine
        The indicator of each state of the machine, a form over the units: the sum of those that stand for it.

    Examples
    --------
    One unit per state, as second-order networks have them:

    >>> from exactnn.constructions.affine import var
    >>> some = DFA(states=["none", "some"], input_symbols="a", transitions={q: {"a": "some"} for q in ("none", "some")},
    ...            initial_state="none", final_states=["some"])
    >>> codec = StateCodec(some, some.states, {q: var(q) for q in some.states})
    >>> codec.encode("some"), codec.decode((1, 0)), codec.decode((1, 1))
    ((mpq(0,1), mpq(1,1)), 'none', '?')
    """

    def __init__(
        self, machine: DFA | MooreMachine | MealyMachine, units: Iterable[Hashable], forms: Mapping[State, Affine]
    ) -> None:
        self._machine = machine
        self._units = tuple(units)
        self._forms = forms

    def form(self, state: State) -> Affine:
        """Return the indicator of a state."""
        return self._forms[state]

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the state of the machine, or LOST where none or several are indicated."""
        values = readable(self._units, state)
        present = [q for q, form in self._forms.items() if form.at(values) > HALF]
        return present[0] if len(present) == 1 else LOST

    def encode(self, configuration: Configuration) -> Values:
        """Return a network state for a state of the machine: the first unit that stands for it is 1, all others 0."""
        if configuration not in self._machine.states:
            raise ConstructionError(f"{shown(configuration)} is not a state of {self._machine.name}")
        indicators = self._forms[configuration].terms
        active = next((unit for unit in self._units if unit in indicators), None)
        if active is None:
            raise ConstructionError(f"state {shown(configuration)} is never entered, so no unit stands for it")
        return tuple(mpq(unit == active) for unit in self._units)


def minsky(dfa: DFA | str) -> Construction:
    """Return the Minsky network of `dfa`.

    One unit per pair (state q, symbol a), "was in q and read a", and the start unit: 1 + |Q||S| units with
    weights 0 and 1 and bias -1. Pre-activations are -1, 0 or 1, so ReLU, SLU and Heaviside agree on it.

    Parameters
    ----------
    dfa : DFA, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If `dfa` is no DFA, or the alphabet contains the symbol "EOS", which is reserved.

    References
    ----------
    M. L. Minsky, *Computation: Finite and Infinite Machines*, 1967.

    Examples
    --------
    >>> from exactnn.automata import DFA
    >>> from exactnn.simulation import run
    >>> parity = DFA(states=["even", "odd"], input_symbols=["0", "1"],
    ...              transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    ...              initial_state="even", final_states=["odd"])
    >>> net = minsky(parity)
    >>> net.network.neurons, run(net, "1011").verdict.value, run(net, "").verdict.value
    (5, 'accept', 'reject')
    """
    dfa = require_machine(dfa, DFA, "minsky")
    units = [(q, a) for q in dfa.states for a in dfa.input_symbols]
    hidden: dict[Hashable, Affine] = {_unit(q, a): var(_state(q)) + symbol(a) - 1 for q, a in units}
    sources: dict[State, list[Affine]] = {q: [] for q in dfa.states}
    for q, a in units:
        sources[dfa.transitions[q][a]].append(var(_unit(q, a)))
    network, state_forms = fold(
        hidden=hidden,
        emission={_state(q): total(sources[q]) for q in dfa.states},
        start={_state(dfa.initial_state): mpq(1)},
        readout=total(var(_state(q)) for q in dfa.final_states),
        alphabet=dfa.input_symbols,
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(1, 2)),
        name=f"minsky({dfa.name})",
    )
    return Construction(
        name="minsky",
        machine=dfa,
        network=network,
        codec=StateCodec(dfa, [START, *hidden], {q: state_forms[_state(q)] for q in dfa.states}),
        steps_per_move=1,
        set_up=(0, 0),
        claim="The output after w is 1 if the automaton accepts w and 0 if it rejects, for every w, the empty "
        "word included.",
        citation="M. L. Minsky, Computation: Finite and Infinite Machines, 1967",
        weight_field="Z",
    )


def _state(q: State) -> Hashable:
    """Return the key of the step's component "in q"."""
    return ("state", q)


def _unit(q: State, a: Symbol) -> Hashable:
    """Return the key of the unit "was in q and read a"."""
    return (q, a)


# --- A finite automaton in few units: its states on a grid, which a step reads by row and column.
#
# State number n stands in row n // C and column n % C of R rows and C columns. Both are kept as thermometers:
#
#     row k, column k     the row (the column) is at least k
#     from j a            n' / M if the state is in column j and a is read, else 0; n' is the number of the next state
#
# A unit "from j a" adds up what the next state would be from the row that the state is in, for its column and letter,
# and is held back by all others. Their sum is n' / M, which comparators read: the rows first, and what is left is the
# column. The final states have the largest numbers, so that n itself is the output.
#
# These are three layers of one step: read, row, column.

Terms = dict[tuple[Hashable, ...], Any]


def state_grid(dfa: DFA | str) -> Construction:
    """Return a network of `dfa` with (|S| + 1) C + R - 2 saturated linear units, for R rows and C columns of states.

    C is chosen so that this is smallest, and R = ceil(|Q| / C), but at least 2. That is at most
    2 sqrt((|S| + 1) |Q|) + |S|, where :func:`minsky` has 1 + |Q| |S|. R + C - 2 of the units are the network's state.

    Parameters
    ----------
    dfa : DFA, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If `dfa` is no DFA, or the alphabet contains the symbol "EOS", which is reserved.

    Notes
    -----
    The units "from j a" have values between 0 and 1, k / M with a power of two M >= |Q|, and sums on the way to them
    lie between -3 and 3. So binary floating point with log2 M + 2 bits is exact in every order of summation; with fewer
    bits verdicts may be wrong. Networks of threshold units, whose values are 0 and 1 only, need about as many by other
    means.

    References
    ----------
    N. Alon, A. K. Dewdney and T. J. Ott, "Efficient simulation of finite automata by neural nets", *J. ACM* 38, 1991,
    with O(|Q|^(3/4)) threshold units; P. Indyk, "Optimal simulation of automata by neural nets", STACS 1995, with
    O(|Q|^(1/2)). This network is its own.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> digits = "0123456789"
    >>> hundred = DFA(states=range(100), input_symbols=digits, initial_state=0, final_states=[0], name="mod 100",
    ...               transitions={q: {a: (10 * q + int(a)) % 100 for a in digits} for q in range(100)})
    >>> net = state_grid(hundred)
    >>> net, net.network.circuit.units
    (<state_grid of mod 100: 35 neurons>, 65)
    >>> run(net, "7300").verdict.value, net.decode(run(net, "1234").final_state)
    ('accept', 34)
    """
    dfa = require_machine(dfa, DFA, "state_grid")
    grid = _Grid(dfa)
    return Construction(
        name="state_grid",
        machine=dfa,
        network=grid.network(),
        codec=_GridCodec(grid),
        steps_per_move=1,
        set_up=(0, 0),
        claim="The output after w is at least 1 if the automaton accepts w and at most 0 if it rejects, for every w, "
        "the empty word included.",
        citation="The size is that of P. Indyk, Optimal simulation of automata by neural nets, STACS 1995; the network "
        "is exactnn's own",
        weight_field="Q",
    )


def _columns(states: int, symbols: int) -> int:
    """Return the number C of columns for which (symbols + 1) C + ceil(states / C) is smallest.

    >>> _columns(100, 1), _columns(100, 10), _columns(1, 3)
    (6, 3, 1)
    """
    near = isqrt(states // (symbols + 1))
    return min(range(max(1, near - 1), near + 3), key=lambda c: (symbols + 1) * c - (-states // c))


class _Grid:
    """Where the states of an automaton stand, and the rows of the network's step."""

    def __init__(self, dfa: DFA) -> None:
        final = set(dfa.final_states)
        self.dfa = dfa
        self.states = sorted(dfa.states, key=lambda q: q in final)
        self.number = {q: n for n, q in enumerate(self.states)}
        self.columns = _columns(len(self.states), len(dfa.input_symbols))
        self.rows = max(2, -(-len(self.states) // self.columns))  # one state has a unit too
        self.scale = 1 << (len(self.states) - 1).bit_length()

    def thermometers(self, q: State) -> dict[Hashable, int]:
        """Return the values of the units that keep a state, in their order."""
        row, column = divmod(self.number[q], self.columns)
        rows: dict[Hashable, int] = {("row", k): int(row >= k) for k in range(1, self.rows)}
        return rows | {("column", k): int(column >= k) for k in range(1, self.columns)}

    def network(self) -> Network:
        """Return the network: layers without units are left out."""
        entries = [(j, a) for j in range(self.columns) for a in self.dfa.input_symbols]
        number: Terms = {(("from", j, a),): self.scale for j, a in entries}
        rest = number | {(Next(("row", k)),): -self.columns for k in range(1, self.rows)}
        layers: list[dict[Hashable, Row]] = [
            {("from", j, a): self._from(j, a) for j, a in entries},
            {Next(("row", k)): _at_least(k * self.columns, number) for k in range(1, self.rows)},
            {Next(("column", k)): _at_least(k, rest) for k in range(1, self.columns)},
        ]
        first_final = len(self.states) - len(set(self.dfa.final_states))
        weights = {(key,): self.columns if key[0] == "row" else 1 for key in self._kept()}
        return gated_network(
            state=self.thermometers(self.dfa.initial_state),
            inputs={("letter", a): a for a in self.dfa.input_symbols},
            layers=[layer for layer in layers if layer],
            output={(): 1 - first_final} | weights,
            name=f"state_grid({self.dfa.name})",
        )

    def _kept(self) -> list[tuple[str, int]]:
        return [("row", k) for k in range(1, self.rows)] + [("column", k) for k in range(1, self.columns)]

    def _from(self, column: int, letter: Symbol) -> Row:
        """Return the row of a unit "from j a": the next state's number by the state's row, unless it is held back."""
        following = [self._next(row * self.columns + column, letter) for row in range(self.rows)]
        terms: Terms = {(): mpq(following[0], self.scale) - 2, (("letter", letter),): 1}
        for k in range(1, self.rows):
            terms[("row", k),] = mpq(following[k] - following[k - 1], self.scale)
        if column == 0:
            terms[()] += 1
        else:
            terms[("column", column),] = 1
        if column + 1 < self.columns:
            terms[("column", column + 1),] = -1
        return Row(Activation.SLU, {names: weight for names, weight in terms.items() if weight or not names})

    def _next(self, number: int, letter: Symbol) -> int:
        """Return the number of the next state; 0 where no state stands."""
        if number >= len(self.states):
            return 0
        return self.number[self.dfa.transitions[self.states[number]][letter]]


def _at_least(least: int, number: Terms) -> Row:
    """Return the row of a unit that is 1 if a whole number is at least so much, else 0."""
    return Row(Activation.SLU, {(): 1 - least} | number)


class _GridCodec(Codec):
    """Reads and writes the thermometers."""

    def __init__(self, grid: _Grid) -> None:
        self._grid = grid
        self._units = list(grid.thermometers(grid.dfa.initial_state))

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the state of the machine, or LOST where a thermometer is broken or nothing stands there."""
        values = readable(self._units, state)
        row, column = self._read("row", values), self._read("column", values)
        if row is None or column is None or row * self._grid.columns + column >= len(self._grid.states):
            return LOST
        return self._grid.states[row * self._grid.columns + column]

    def _read(self, which: str, values: Mapping[Hashable, Any]) -> int | None:
        marks = [values.get(unit, mpq(0)) for unit in self._units if isinstance(unit, tuple) and unit[0] == which]
        high = [mark > HALF for mark in marks]
        clear = all(-HALF < mark < 1 + HALF for mark in marks) and high == sorted(high, reverse=True)
        return sum(high) if clear else None

    def encode(self, configuration: Configuration) -> Values:
        """Return the network state for a state of the DFA."""
        if configuration not in self._grid.number:
            raise ConstructionError(f"{shown(configuration)} is not a state of {self._grid.dfa.name}")
        return tuple(map(mpq, self._grid.thermometers(configuration).values()))
