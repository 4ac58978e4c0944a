"""Classifiers and models of the next token: which output is the largest, as verdicts or as outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.errors import OptionError
from exactnn.networks.activation import Activation
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.circuit import Unit
from exactnn.networks.network import Decision, Network, Protocol
from exactnn.options import whole_number

__all__ = ["as_acceptor", "as_classifier"]

ZERO, ONE = mpq(0), mpq(1)

MOST_CLASSES = 128
"""Of `as_classifier`, which compares each two of them."""


def as_acceptor(network: AnyNetwork, accepting: int = 1) -> Network:
    """Return the network that accepts a word where the output number `accepting` is larger than all others.

    That gives verdicts to a classifier or a model of the next token. Whatever compares verdicts takes it then: `run`,
    `collapse`, `equivalent`, `extract_state_machine`, `verdict_sweep`. The old outputs are units now, with the weights,
    the order and the roundings of the readout.

    Of two outputs the new one is their difference. In a format with subnormal numbers its sign is right, since a
    difference is rounded to 0 only if it is 0. Of more outputs the new one is 1 minus the number of others that are not
    smaller. In each format that is 1 if there is none, and 0 or less if there are some.

    Parameters
    ----------
    network : Network
        With k outputs, 2 at least, and no verdicts.
    accepting : int
        From 0 to k - 1.

    Raises
    ------
    OptionError
        If it has one output, gives verdicts, or has an activation on its outputs, or `accepting` is none of these.

    Notes
    -----
    Where another output is as large the word is rejected. Of two outputs that are NaN or the same infinity the word has
    no verdict. Before the first symbol the exact outputs count, in every format.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> counts = SimpleRNN(V=[[1, 0], [0, 1]], W=[[1, 0], [0, 1]], b=[0, 0], readout_weight=[[1, 0], [0, 1]],
    ...                    alphabet="ab")
    >>> more_bs = as_acceptor(counts)
    >>> from exactnn.simulation import run
    >>> [bool(run(more_bs, word)) for word in ("ab", "abb", "bba", "a")]
    [False, True, True, False]
    """
    core = _checked(network)
    count = len(core.readout)
    accepting = whole_number("accepting", accepting, 0, count - 1)
    others = [i for i in range(count) if i != accepting]
    at_first = [_value(unit, core.initial_state) for unit in core.readout]
    start, read = _decided(accepting, others, at_first)
    above = _above(core, start, lambda first: _deciding(first, accepting, others, count))
    linear = tuple((core.circuit.state_size + place, read.weight) for place in range(len(start)))
    return replace(
        above,
        readout=(Unit(name="output", bias=read.bias, linear=linear),),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=read.threshold),
        scalar_output=True,
    )


def as_classifier(network: AnyNetwork) -> Network:
    """Return the network whose outputs say which output of a classifier is the largest: 1 for that, 0 for all others.

    So an automaton of a format says the class of each word, and two networks can be compared by their classes. The old
    outputs are units now, with the weights, the order and the roundings of the readout.

    A class is the largest if no other is above it. Each two are compared by the sign of their difference, which is
    right in a format with subnormal numbers. What is counted are the others that are above: 1 less their number is 1 if
    there is none, and 0 or less if there are some, in each format.

    Parameters
    ----------
    network : Network
        With k outputs, 2 to 128, and no verdicts.

    Raises
    ------
    OptionError
        If it has one output, more than 128, gives verdicts, or has an activation on its outputs.

    Notes
    -----
    Of outputs that are the largest together the first one counts, as in numpy and torch. Before the first symbol the
    exact outputs count, in every format.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> counts = SimpleRNN(V=[[1, 0], [0, 1]], W=[[1, 0], [0, 1]], b=[0, 0], readout_weight=[[1, 0], [0, 1]],
    ...                    alphabet="ab")
    >>> from exactnn.simulation import run
    >>> [tuple(map(int, output)) for output in run(as_classifier(counts), "abb").outputs]
    [(1, 0), (1, 0), (0, 1)]
    """
    core = _checked(network)
    count = len(core.readout)
    if count > MOST_CLASSES:
        raise OptionError(f"{core.name} has {count:,} outputs: up to {MOST_CLASSES} are compared, each two of them")
    at_first = [_value(unit, core.initial_state) for unit in core.readout]
    largest = at_first.index(max(at_first))
    above = _above(core, [mpq(i == largest) for i in range(count)], lambda first: _comparing(first, count))
    readout = tuple(
        Unit(name=f"largest[{i}]", bias=ZERO, linear=((core.circuit.state_size + i, ONE),)) for i in range(count)
    )
    return replace(above, readout=readout)


def _checked(network: AnyNetwork) -> Network:
    """Return a network with several outputs, which are sums and no verdicts."""
    core = network_of(network)
    if core.decision.protocol is not Protocol.OUTPUTS:
        raise OptionError(f"{core.name} gives verdicts already, by the protocol {core.decision.protocol}")
    if len(core.readout) < 2:
        raise OptionError(f"{core.name} has one output: there is no other to compare it with")
    if any(unit.activation != Activation.IDENTITY for unit in core.readout):
        raise OptionError(f"the readout of {core.name} has an activation: outputs that are compared are sums")
    return core


def _above(core: Network, start: list[mpq], layers_above: Callable[[int], list[tuple[Unit, ...]]]) -> Network:
    """Return a network with layers above its outputs, which are units now; the state ends with the last units.

    The layers are those for the register of the first output; `start` is what their last units are at first.
    """
    circuit, more = core.circuit, len(start)
    first_output = circuit.state_size + more + circuit.input_size + circuit.units

    def moved(register: int) -> int:
        return register if register < circuit.state_size else register + more

    def behind(unit: Unit, of: tuple[int, ...] | range, name: str = "") -> Unit:
        """Return a unit that reads the registers that its own stand for."""
        return replace(
            unit,
            name=name or unit.name,
            linear=tuple((of[register], weight) for register, weight in unit.linear),
            bilinear=tuple((of[first], of[second], weight) for first, second, weight in unit.bilinear),
        )

    every = tuple(map(moved, range(first_output - more)))
    after = tuple(map(moved, circuit.next_state))
    layers = [tuple(behind(unit, every) for unit in layer) for layer in circuit.layers]
    layers.append(tuple(behind(unit, after, f"output[{i}]") for i, unit in enumerate(core.readout)))
    layers += layers_above(first_output)
    last = circuit.state_size + more + circuit.input_size + sum(map(len, layers))
    kept = range(last - more, last)
    return replace(
        core,
        circuit=replace(
            circuit, state_size=circuit.state_size + more, layers=tuple(layers), next_state=(*after, *kept)
        ),
        initial_state=(*core.initial_state, *start),
    )


class _Readout(NamedTuple):
    """The readout of an acceptor: the weight of each number that it reads, its bias, and the threshold."""

    weight: mpq
    bias: mpq
    threshold: mpq


def _decided(accepting: int, others: list[int], at_first: list[mpq]) -> tuple[list[mpq], _Readout]:
    """Return what the last units of an acceptor are at first, where the outputs are these, and its readout."""
    own = at_first[accepting]
    if len(others) == 1:
        (other,) = (at_first[i] for i in others)
        return [mpq((own > other) - (own < other))], _Readout(weight=ONE, bias=ZERO, threshold=ZERO)
    return [mpq(own <= at_first[i]) for i in others], _Readout(weight=-ONE, bias=ONE, threshold=mpq(1, 2))


def _deciding(first_output: int, accepting: int, others: list[int], count: int) -> list[tuple[Unit, ...]]:
    """Return the layers of an acceptor above its outputs, which are registers from `first_output` on."""
    differences = [((first_output + accepting, ONE), (first_output + i, -ONE)) for i in others]
    if len(others) == 1:
        return [(Unit(name="difference", bias=ZERO, linear=differences[0]),)]
    above = first_output + count
    are_above = tuple(
        Unit(name=f"above output[{i}]", bias=ZERO, linear=terms, activation=Activation.HEAVISIDE)
        for i, terms in zip(others, differences, strict=True)
    )
    are_not = tuple(
        Unit(name=f"not above output[{i}]", bias=ONE, linear=((above + place, -ONE),)) for place, i in enumerate(others)
    )
    return [are_above, are_not]


def _comparing(first_output: int, count: int) -> list[tuple[Unit, ...]]:
    """Return the layers of a classifier above its outputs, which are registers from `first_output` on.

    Of each two outputs a first unit is 1 if the later one is above, and then the earlier one has lost; a second unit is
    1 less, and then the later one has.
    """
    pairs = list(combinations(range(count), 2))
    first_later = first_output + count
    first_earlier = first_later + len(pairs)
    later: list[Unit] = []
    earlier: list[Unit] = []
    losses: list[list[int]] = [[] for _ in range(count)]
    for place, (i, j) in enumerate(pairs):
        difference = ((first_output + i, -ONE), (first_output + j, ONE))
        later.append(Unit(name=f"{j} above {i}", bias=ZERO, linear=difference, activation=Activation.HEAVISIDE))
        earlier.append(Unit(name=f"{j} not above {i}", bias=ONE, linear=((first_later + place, -ONE),)))
        losses[i].append(first_later + place)
        losses[j].append(first_earlier + place)
    largest = tuple(
        Unit(
            name=f"largest[{i}]",
            bias=ONE,
            linear=tuple((register, -ONE) for register in lost),
            activation=Activation.HEAVISIDE,
        )
        for i, lost in enumerate(losses)
    )
    return [tuple(later), tuple(earlier), largest]


def _value(unit: Unit, state: tuple[mpq, ...]) -> mpq:
    """Return what a unit of a readout, which has no activation, is at a state."""
    linear = sum((weight * state[register] for register, weight in unit.linear), unit.bias)
    return sum((weight * state[first] * state[second] for first, second, weight in unit.bilinear), linear)
