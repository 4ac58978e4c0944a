"""A classifier as an acceptor: it accepts where the output of one class is the largest."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.errors import OptionError
from exactnn.networks.activation import Activation
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.circuit import Unit
from exactnn.networks.network import Decision, Network, Protocol
from exactnn.options import whole_number

__all__ = ["as_acceptor"]

ZERO, ONE = mpq(0), mpq(1)


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
    core = network_of(network)
    count = len(core.readout)
    if core.decision.protocol is not Protocol.OUTPUTS:
        raise OptionError(f"{core.name} gives verdicts already, by the protocol {core.decision.protocol}")
    if count < 2:
        raise OptionError(f"{core.name} has one output: there is no other to compare it with")
    if any(unit.activation != Activation.IDENTITY for unit in core.readout):
        raise OptionError(f"the readout of {core.name} has an activation: outputs that are compared are sums")
    accepting = whole_number("accepting", accepting, 0, count - 1)
    circuit, others = core.circuit, [i for i in range(count) if i != accepting]
    more = 1 if count == 2 else len(others)  # numbers that the state has beside its own, behind these
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
    at_first = [_value(unit, core.initial_state) for unit in core.readout]
    deciding, start, read = _deciding(first_output, accepting, others, at_first)
    layers += deciding
    last = circuit.state_size + more + circuit.input_size + sum(map(len, layers))
    kept = range(last - more, last)
    linear = tuple((circuit.state_size + place, read.weight) for place in range(more))
    return replace(
        core,
        circuit=replace(
            circuit, state_size=circuit.state_size + more, layers=tuple(layers), next_state=(*after, *kept)
        ),
        initial_state=(*core.initial_state, *start),
        readout=(Unit(name="output", bias=read.bias, linear=linear),),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=read.threshold),
        scalar_output=True,
    )


class _Readout(NamedTuple):
    """The readout of an acceptor: the weight of each number that it reads, its bias, and the threshold."""

    weight: mpq
    bias: mpq
    threshold: mpq


def _deciding(
    first_output: int, accepting: int, others: list[int], at_first: list[mpq]
) -> tuple[list[tuple[Unit, ...]], list[mpq], _Readout]:
    """Return the layers above the outputs, what their last units are at first, and the readout of these.

    The outputs are registers from `first_output` on; `at_first` are their numbers at the start.
    """
    differences = [((first_output + accepting, ONE), (first_output + i, -ONE)) for i in others]
    own = at_first[accepting]
    if len(others) == 1:
        (other,) = (at_first[i] for i in others)
        difference = Unit(name="difference", bias=ZERO, linear=differences[0])
        return [(difference,)], [mpq((own > other) - (own < other))], _Readout(weight=ONE, bias=ZERO, threshold=ZERO)
    above = first_output + len(at_first)
    are_above = tuple(
        Unit(name=f"above output[{i}]", bias=ZERO, linear=terms, activation=Activation.HEAVISIDE)
        for i, terms in zip(others, differences, strict=True)
    )
    are_not = tuple(
        Unit(name=f"not above output[{i}]", bias=ONE, linear=((above + place, -ONE),)) for place, i in enumerate(others)
    )
    start = [mpq(own <= at_first[i]) for i in others]
    return [are_above, are_not], start, _Readout(weight=-ONE, bias=ONE, threshold=mpq(1, 2))


def _value(unit: Unit, state: tuple[mpq, ...]) -> mpq:
    """Return what a unit of a readout, which has no activation, is at a state."""
    linear = sum((weight * state[register] for register, weight in unit.linear), unit.bias)
    return sum((weight * state[first] * state[second] for first, second, weight in unit.bilinear), linear)
