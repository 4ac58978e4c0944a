"""A classifier as an acceptor: it accepts where the output of one class is the largest."""

from __future__ import annotations

from dataclasses import replace

from gmpy2 import mpq

from exactnn.errors import OptionError
from exactnn.networks.activation import Activation
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.circuit import Unit
from exactnn.networks.network import Decision, Network, Protocol
from exactnn.options import whole_number

__all__ = ["as_acceptor"]

ONE = mpq(1)


def as_acceptor(network: AnyNetwork, accepting: int = 1) -> Network:
    """Return the network that accepts a word where the output number `accepting` is larger than all others.

    So a classifier, or a model of the next token, has verdicts, and all that compares verdicts takes it: `run`,
    `collapse`, `equivalent`, `extract_state_machine`, `verdict_sweep`. The outputs are units now, in the order and with
    the roundings of the readout, and every step computes them. Of two the new output is their difference, whose sign is
    right in each format with subnormal numbers, since what is rounded is 0 only where the difference is. Of more it is
    1 less how many others are not smaller: what is rounded is 1 for none and 0 or less for some.

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
    difference = [((first_output + accepting, ONE), (first_output + i, -ONE)) for i in others]
    if count == 2:
        layers.append((Unit(name="difference", bias=mpq(0), linear=difference[0]),))
        start = [mpq((at_first[accepting] > at_first[others[0]]) - (at_first[accepting] < at_first[others[0]]))]
        weight, bias, threshold = ONE, mpq(0), mpq(0)
    else:
        above = first_output + count
        layers.append(
            tuple(
                Unit(name=f"above output[{i}]", bias=mpq(0), linear=terms, activation=Activation.HEAVISIDE)
                for i, terms in zip(others, difference, strict=True)
            )
        )
        layers.append(
            tuple(
                Unit(name=f"not above output[{i}]", bias=ONE, linear=((above + place, -ONE),))
                for place, i in enumerate(others)
            )
        )
        start = [mpq(at_first[accepting] <= at_first[i]) for i in others]
        weight, bias, threshold = -ONE, ONE, mpq(1, 2)
    last = circuit.state_size + more + circuit.input_size + sum(map(len, layers))
    kept = range(last - more, last)
    read = tuple((circuit.state_size + place, weight) for place in range(more))
    return replace(
        core,
        circuit=replace(
            circuit, state_size=circuit.state_size + more, layers=tuple(layers), next_state=(*after, *kept)
        ),
        initial_state=(*core.initial_state, *start),
        readout=(Unit(name="output", bias=bias, linear=read),),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=threshold),
        scalar_output=True,
    )


def _value(unit: Unit, state: tuple[mpq, ...]) -> mpq:
    """Return what a unit of a readout, which has no activation, is at a state."""
    linear = sum((weight * state[register] for register, weight in unit.linear), unit.bias)
    return sum((weight * state[first] * state[second] for first, second, weight in unit.bilinear), linear)
