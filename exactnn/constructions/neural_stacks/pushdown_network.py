"""Weighted pushdown automata as networks: the recurrence of the nondeterministic stack, with products as units."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Number, counted
from exactnn.automata import WeightedPushdownAutomaton
from exactnn.constructions.construction import require_state
from exactnn.constructions.neural_stacks.pushdown_shape import (
    MOST_PRODUCTS,
    Actions,
    Entry,
    Layout,
    Registers,
    Shape,
    by_source,
)
from exactnn.constructions.neural_stacks.stack_rnn import FULL
from exactnn.errors import ConstructionError, SizeLimitError, shown
from exactnn.markup import named
from exactnn.networks import EOS, Activation, Circuit, Network, Unit
from exactnn.networks.cell import StepUnits, recurrent_network
from exactnn.networks.circuit import affine_unit
from exactnn.options import whole_number
from exactnn.simulation import Values

__all__ = ["PushdownNetwork", "nondeterministic_stack_rnn"]

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PushdownNetwork:
    """A network that has the weights of all runs of a pushdown automaton in its state.

    Parameters
    ----------
    network : Network
    automaton : WeightedPushdownAutomaton
    span : int
    tops : tuple of (register, (state, top))
        Where the weight of all runs with this state and top is.
    claim, citation : str
    """

    network: Network
    automaton: WeightedPushdownAutomaton
    span: int
    tops: tuple[tuple[int, tuple[Any, Any]], ...]
    claim: str
    citation: str

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Return how many symbols were read after so many steps: EOS changes no weight."""
        return min(steps, word_length)

    def decode(self, state: Values) -> dict[tuple[Any, Any], Number]:
        """Return the weight of all runs by state and top, as the automaton's `read(word).weights` has them.

        Raises
        ------
        ConstructionError
            If the state is none of this network.
        """
        require_state(state, self.network)
        values: Sequence[Any] = state
        return {pair: values[register] for register, pair in self.tops if values[register]}

    def __repr__(self) -> str:
        return f"<PushdownNetwork {named(self.network.name)}: {counted(self.network.neurons, 'neuron')}>"


def nondeterministic_stack_rnn(automaton: WeightedPushdownAutomaton, *, span: int = 16) -> PushdownNetwork:
    """Return the network of a weighted pushdown automaton: a second-order RNN with a nondeterministic stack.

    Each step computes the recurrence of `NondeterministicStack` for the weights of the actions of the symbol that is
    read; its operations are the same in the same order, so that the weights are the same in any format, too, as long as
    nothing overflows: an infinite weight, times one that is 0, is NaN.

    Parameters
    ----------
    automaton : WeightedPushdownAutomaton
    span : int
        How many steps there may be from what is on the stack below a symbol to that symbol's last use. A word of at
        most so many symbols never needs more.

    Returns
    -------
    PushdownNetwork
        After the word, EOS gives the verdict: accepted if the sum of the weights of all runs, each times that of its
        end, is above 0. The outcome is "stack full" if a run of positive weight needs a longer span.

    Raises
    ------
    ConstructionError
        If it is no such automaton, or a symbol is "EOS".
    SizeLimitError
        If a step had more than two million products.

    Notes
    -----
    The state has the weights g[i, k](q, x; r, y) for all times i < k of the last S steps, S the span, by how long ago
    they are; the weights of all runs; and those of the runs with nothing but the bottom. These are S (S + 1) / 2
    matrices and 2 (S + 1) vectors; entries that are 0 in every run are left out. In a step come first the weights of
    the actions, then what is popped, then what is exposed. EOS replaces every symbol by itself, with weight 1.

    A run can pass the span in one step: what is covered at k is exposed at t, many steps later. So for each k the state
    also has bits, S (S + 1) / 2 vectors: whether a run of positive weight has a pair on top that is used at k for the
    first time in d steps or more.

    References
    ----------
    B. DuSell and D. Chiang, "The surprising computational power of nondeterministic stack RNNs", ICLR 2023.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> from exactnn.automata import nondeterministic_reversal
    >>> reversal = nondeterministic_stack_rnn(nondeterministic_reversal(), span=6)
    >>> [run(reversal, word).outcome.value for word in ("abba", "abab", "abaaba", "a" * 8)]
    ['accepted', 'rejected', 'accepted', 'stack full']
    >>> reversal.decode(run(reversal, "abba").final_state)
    {('push', 'a'): mpq(1,1), ('pop', 'bottom'): mpq(1,1)}
    """
    if not isinstance(automaton, WeightedPushdownAutomaton):
        raise ConstructionError(f"{shown(automaton)} is no WeightedPushdownAutomaton: give one")
    if EOS in automaton.input_symbols:
        raise ConstructionError(f"a symbol is {EOS!r}, which is that of the end of a word: rename it")
    span = whole_number("span", span, least=1, most=1000)
    symbols = (*automaton.input_symbols, EOS)
    actions = Actions.of(automaton)
    shape = Shape.of(actions, span, len(automaton.stack_symbols))
    if shape.products > MOST_PRODUCTS:
        raise SizeLimitError(
            f"span={span} takes {shape.products:,} products in a step, more than {MOST_PRODUCTS:,}: give less"
        )
    state = Layout(shape)
    step = StepUnits(state.size + len(symbols))
    weights = _weights(step, actions, symbols, state.size)
    moved, lost = _stack(step, state, len(automaton.stack_symbols), *weights)
    score = [(state.tops[0][pair], weight) for pair, weight in _finals(automaton) if pair in state.tops[0]]
    reads_eos = state.size + len(symbols) - 1
    found, full = step.add(
        [
            affine_unit("above 0", score, ZERO, Activation.HEAVISIDE),
            affine_unit("full", [(state.lost, ONE)], ZERO, Activation.HEAVISIDE),
        ]
    )
    verdict = Unit(name="output", bias=ZERO, linear=((reads_eos, -ONE),), bilinear=((found, reads_eos, mpq(2)),))
    (output,) = step.add([verdict])
    start = [ZERO] * state.size
    start[state.tops[0][0]] = start[state.alone[0][0]] = ONE
    network = recurrent_network(
        circuit=Circuit(
            state_size=state.size,
            input_size=len(symbols),
            layers=tuple(step.layers),
            next_state=(*moved, lost, output, full),
        ),
        initial_state=start,
        read=range(state.size - 2, state.size),
        readout_weight=[ONE, 2 * FULL],
        readout_bias=ZERO,
        alphabet=symbols,
        name=f"nondeterministic_stack_rnn({automaton.name})",
    )
    width = len(automaton.stack_symbols)
    pairs = {pair: (automaton.states[pair // width], automaton.stack_symbols[pair % width]) for pair in state.tops[0]}
    return PushdownNetwork(
        network=replace(network, decision=replace(network.decision, full=FULL)),
        automaton=automaton,
        span=span,
        tops=tuple((register, pairs[pair]) for pair, register in state.tops[0].items()),
        claim="After each symbol of a word the state has the weights of all runs on it, by state and top, as long as "
        "no run of positive weight needs a longer span; a word is accepted if its weight is above 0, one step after "
        "it.",
        citation="the recurrence of DuSell and Chiang 2020, 2023; as a network of units it is this project's",
    )


def _finals(automaton: WeightedPushdownAutomaton) -> list[tuple[int, mpq]]:
    states, tops = automaton.states, automaton.stack_symbols
    return [(states.index(q) * len(tops) + tops.index(top), weight) for (q, top), weight in automaton.final.items()]


def _weights(
    step: StepUnits, actions: Actions, symbols: Sequence[str], first: int
) -> tuple[Registers, Registers, Registers]:
    """Add the units of the weights of actions: of each the one that the symbol gives it."""
    place = {symbol: first + i for i, symbol in enumerate(symbols)}
    units = [
        affine_unit(f"{name} {entry}", [(place[a], w) for a, w in weights.items()], ZERO, Activation.IDENTITY)
        for name, action in zip(("push", "replace", "pop"), actions, strict=True)
        for entry, weights in action.items()
    ]
    registers = iter(step.add(units))
    push, replaced, pop = (dict(zip(action, registers, strict=False)) for action in actions)
    return push, replaced, pop


class _Sums:
    """Sums of products, in the order in which they are added to, by the entry that they are of."""

    def __init__(self) -> None:
        self.terms: dict[Any, list[tuple[int, int, mpq]]] = {}

    def product(self, first: Registers, second: Registers) -> "_Sums":
        """Add a product of matrices."""
        following = by_source(second)
        for (source, middle), x in first.items():
            for target, y in following.get(middle, ()):
                self.terms.setdefault((source, target), []).append((x, y, ONE))
        return self

    def exposed(self, first: Registers, pops: Registers, symbols: int) -> "_Sums":
        """Add the runs to a pair (u, y) that is then covered, and exposed again in a state r: to (r, y)."""
        states = by_source(pops)
        for (source, middle), x in first.items():
            for state, y in states.get(middle, ()):
                self.terms.setdefault((source, state * symbols + middle % symbols), []).append((x, y, ONE))
        return self

    def units(self, name: str, keys: Iterable[Any]) -> list[Unit]:
        """Return the units of the sums, one for each key."""
        return [Unit(name=f"{name} {key}", bias=ZERO, bilinear=tuple(self.terms[key])) for key in keys]


def _stack(
    step: StepUnits, state: Layout, symbols: int, push: Registers, replaced: Registers, pop: Registers
) -> tuple[list[int], int]:
    """Add the units of the recurrence; return the registers of the next state, and of what is lost in all.

    Sums go over the time at which what is below the top was written, from early to late, as in `NondeterministicStack`.
    """
    span, shape, now = state.span, state.shape, state.columns[0]
    pops = [_Sums().product(matrix, pop) for matrix in now]
    popped = _added(step, {(ago, "popped"): (sums, tuple(sums.terms)) for ago, sums in enumerate(pops, 1)})
    sums_by_distance = {}
    for distance in range(2, span + 2):
        sums = _Sums().product(now[distance - 2], replaced)
        for ago in range(distance - 2, 0, -1):
            sums.exposed(state.columns[ago][distance - 2 - ago], popped[ago, "popped"], symbols)
        sums_by_distance[distance, "steps"] = sums, shape.columns[distance - 1]
    bottom = _Sums().product(_from_start(state.alone[0]), replaced)
    for ago in range(span, 0, -1):
        bottom.exposed(_from_start(state.alone[ago]), popped[ago, "popped"], symbols)
    sums_by_distance[0, "alone"] = bottom, tuple((0, pair) for pair in shape.alone)
    found = _added(step, sums_by_distance)
    alone = {pair: register for (_, pair), register in found.pop((0, "alone")).items()}
    columns = [{entry: push[entry] for entry in shape.columns[0]}, *found.values()]
    covered = _Sums()
    for distance in range(span + 1, 0, -1):
        covered.product(_from_start(state.tops[distance - 1]), columns[distance - 1])
    # Lost are runs whose top is used more than `span` steps after what is below it: as it is, or exposed after long.
    reached = [_Sums() for _ in columns]
    positive = _positive(
        step,
        {("top", ago, pair): x for ago, row in enumerate(state.tops) for pair, x in row.items()}
        | {(ago, entry): x for ago, column in enumerate(columns) for entry, x in column.items()}
        | {(name, entry): x for name, matrix in popped.items() for entry, x in matrix.items()},
    )
    for ago, (sums, row, column) in enumerate(zip(reached, state.tops, columns, strict=True)):
        before = {pair: positive["top", ago, pair] for pair in row}
        sums.product(_from_start(before), {entry: positive[ago, entry] for entry in column})
    beyond = reached.pop()
    for ago in range(1, span + 1):
        pops_now = {entry: positive[(ago, "popped"), entry] for entry in popped[ago, "popped"]}
        beyond.exposed(_from_start(state.old[ago][span - ago]), pops_now, symbols)
    old = _old(step, reached, shape.old)
    tops = [
        Unit(
            name=f"top {pair}",
            bias=ZERO,
            linear=((alone[pair], ONE),) if pair in alone else (),
            bilinear=tuple(covered.terms.get((0, pair), ())),
        )
        for pair in shape.tops
    ]
    products = tuple(term for terms in beyond.terms.values() for term in terms)
    *tops_now, lost = step.add([*tops, Unit(name="lost", bias=ZERO, linear=((state.lost, ONE),), bilinear=products)])
    moved = [register for column in columns[:span] for register in column.values()]
    for ago in range(1, span):
        moved += [register for column in state.columns[ago - 1][: span - ago] for register in column.values()]
    moved += [*tops_now, *(register for row in state.tops[:-1] for register in row.values())]
    moved += [*alone.values(), *(register for row in state.alone[:-1] for register in row.values())]
    moved += [register for row in old for register in row]
    for ago in range(1, span + 1):
        moved += [x for row in state.old[ago - 1][: span - ago + 1] for x in row.values()]
    return moved, lost


def _old(step: StepUnits, reached: Sequence[_Sums], pairs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Add the units that are 1 where a pair is on top, d steps or more after what is below it was written, by d - 1.

    `reached` has the products that are 1 where it is after d steps. Bits are added, so that no format loses one.
    """
    units = [
        Unit(name=f"after {d} {pair}", bias=ZERO, bilinear=tuple(sums.terms[0, pair]), activation=Activation.HEAVISIDE)
        for d, sums in enumerate(reached, 1)
        for pair in pairs[0]
        if (0, pair) in sums.terms
    ]
    places = [(d, pair) for d, sums in enumerate(reached) for pair in pairs[0] if (0, pair) in sums.terms]
    after = dict(zip(places, step.add(units), strict=True))
    found = [
        [
            affine_unit(
                f"after {d + 1} or more {pair}",
                [(after[later, pair], ONE) for later in range(d, len(reached)) if (later, pair) in after],
                ZERO,
                Activation.HEAVISIDE,
            )
            for pair in row
        ]
        for d, row in enumerate(pairs)
    ]
    registers = iter(step.add([unit for row in found for unit in row]))
    return [[next(registers) for _ in row] for row in found]


def _positive(step: StepUnits, registers: Mapping[Any, int]) -> dict[Any, int]:
    """Add the units that are 1 where a weight is above 0: products of small weights may be 0 in a format."""
    units = [affine_unit(f"{key} > 0", [(x, ONE)], ZERO, Activation.HEAVISIDE) for key, x in registers.items()]
    return dict(zip(registers, step.add(units), strict=True))


def _from_start(row: Mapping[int, int]) -> Registers:
    """Return a row of weights as a matrix of one row."""
    return {(0, pair): register for pair, register in row.items()}


def _added(step: StepUnits, sums: Mapping[Any, tuple[_Sums, Sequence[Entry]]]) -> dict[Any, Registers]:
    """Add a layer of sums; return the registers of each."""
    registers = iter(step.add([unit for name, (s, keys) in sums.items() for unit in s.units(str(name), keys)]))
    return {name: dict(zip(keys, registers, strict=False)) for name, (_, keys) in sums.items()}
