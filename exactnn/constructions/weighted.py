"""Weighted automata as networks, and linear networks as weighted automata."""

from typing import Any

from gmpy2 import mpq

from exactnn.constructions.construction import Codec, Configuration, Construction, reject_reserved
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Activation, Network, SecondOrderRNN, Unit
from exactnn.simulation import Values
from exactnn.weighted_automata import WeightedAutomaton

__all__ = ["second_order_network", "to_weighted"]

ZERO, ONE = mpq(0), mpq(1)

Form = tuple[mpq, ...]
"""A register as a combination of the numbers of the state, and of 1, which is the last."""


class _WeightsCodec(Codec):
    """A state of the network is the weights of the states."""

    def encode(self, configuration: Configuration) -> Values:
        return configuration  # type: ignore[return-value]

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        return tuple(state)


def second_order_network(automaton: WeightedAutomaton) -> Construction:
    """Return the linear second-order RNN of a weighted automaton: each symbol multiplies the state by its matrix.

    n units for n states, with the automaton's weights, no bias, and the identity as activation. The output after a word
    is its value.

    Raises
    ------
    ConstructionError
        If it is no weighted automaton, has no states, or the alphabet contains the symbol "EOS", which is reserved.

    References
    ----------
    G. Rabusseau, T. Li, D. Precup, "Connecting weighted automata and recurrent neural networks through spectral
    learning", AISTATS 2019.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> count = WeightedAutomaton(input_symbols="ab", initial=[1, 0], final=[0, 1],
    ...     transitions={"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    >>> net = second_order_network(count)
    >>> run(net, "aab").outputs[-1], net.decode(run(net, "aab").final_state)
    (mpq(2,1), (mpq(1,1), mpq(2,1)))
    """
    if not isinstance(automaton, WeightedAutomaton):
        raise ConstructionError(f"second_order_network compiles a WeightedAutomaton, not {shown(automaton)}")
    if not automaton.size:
        raise ConstructionError(f"{automaton.name} has no states, so that every value is 0: there is nothing to compile")
    reject_reserved(automaton.input_symbols)
    states = range(automaton.size)
    network = SecondOrderRNN(
        A=[[[automaton.transitions[a][j][i] for a in automaton.input_symbols] for j in states] for i in states],
        s=automaton.initial,
        readout_weight=automaton.final,
        alphabet=automaton.input_symbols,
        name=f"second_order_network({automaton.name})",
    )
    return Construction(
        name="second_order_network",
        machine=automaton,  # type: ignore[arg-type]
        network=network,
        codec=_WeightsCodec(),
        steps_per_move=1,
        set_up=(0, 0),
        claim="The output after w is the value of w, for every w, and the state is the weights of the states.",
        citation="G. Rabusseau, T. Li, D. Precup, AISTATS 2019",
        weight_field="Q",
    )


def to_weighted(network: Network | Construction) -> WeightedAutomaton:
    """Return the weighted automaton of a linear network on symbols: the value of a word is the output after it.

    Linear means that no unit has an activation but the identity, and that no product has two factors that both depend
    on the state. Such a network of n numbers has n states, one more if there are biases; simple RNNs, second-order RNNs
    and stacks of them are of this kind.

    Raises
    ------
    ConstructionError
        If the network reads vectors, has several outputs, or a unit is not linear: the message names the unit.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> decay = SimpleRNN(V=[["9/10"]], W=[[1, 0]], b=[0], s=[0], readout_weight=[1], activation="identity",
    ...                   alphabet="ab")
    >>> to_weighted(decay).value("abb")
    mpq(81,100)
    >>> to_weighted(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a"))
    Traceback (most recent call last):
        ...
    exactnn.errors.ConstructionError: unit 'h[0]' of simple RNN has the activation relu: only linear networks are ...
    """
    core = network.network if isinstance(network, Construction) else network
    if not isinstance(core, Network):
        raise ConstructionError(f"{shown(core)} is no network: give a Network or a Construction")
    if core.alphabet is None or not core.scalar_output:
        raise ConstructionError(f"{core.name} has to read symbols and to have one output: give alphabet= and a vector")
    size = core.circuit.state_size
    numbers: list[Form] = [_unit(i, size + 1) for i in range(size)]
    constant = _unit(size, size + 1)
    (output,) = (_evaluated(unit, numbers, core) for unit in core.readout)
    transitions: dict[str, list[list[mpq]]] = {}
    for symbol in core.input_symbols:
        number = core.alphabet.index(symbol)
        inputs = [_scaled(constant, mpq(i == number)) for i in range(core.circuit.input_size)]
        registers = [*numbers, *inputs]
        for layer in core.circuit.layers:
            registers += [_evaluated(unit, registers, core) for unit in layer]
        following = [*(registers[register] for register in core.circuit.next_state), constant]
        transitions[symbol] = [list(column) for column in zip(*following, strict=True)]
    automaton = WeightedAutomaton(
        input_symbols=core.input_symbols,
        initial=(*core.initial_state, ONE),
        transitions=transitions,
        final=output,
        name=core.name,
    )
    return automaton if _uses_constant(automaton) else automaton.on_states(range(size))


def _uses_constant(automaton: WeightedAutomaton) -> bool:
    """Whether a bias enters a number or the output: then the last state, which is always 1, is needed."""
    last = automaton.size - 1
    return bool(automaton.final[last]) or any(any(m[last][:last]) for m in automaton.transitions.values())


def _evaluated(unit: Unit, registers: list[Form], network: Network) -> Form:
    """Return a unit as a combination of the state."""
    total = _scaled(_unit(len(registers[0]) - 1, len(registers[0])), unit.bias)
    for register, weight in unit.linear:
        total = _sum(total, _scaled(registers[register], weight))
    for first, second, weight in unit.bilinear:
        left, right = registers[first], registers[second]
        if any(left[:-1]) and any(right[:-1]):
            raise _not_linear(unit, network, "multiplies two numbers that depend on the state")
        by, factor = (right, left[-1]) if not any(left[:-1]) else (left, right[-1])
        total = _sum(total, _scaled(by, factor * weight))
    if unit.activation == Activation.IDENTITY:
        return total
    raise _not_linear(unit, network, f"has the activation {unit.activation}")


def _not_linear(unit: Unit, network: Network, why: str) -> ConstructionError:
    return ConstructionError(
        f"unit {shown(unit.name)} of {network.name} {why}: only linear networks are weighted automata"
    )


def _unit(place: int, size: int) -> Form:
    return (ZERO,) * place + (ONE,) + (ZERO,) * (size - place - 1)


def _scaled(form: Form, factor: mpq) -> Form:
    return tuple(factor * x for x in form)


def _sum(first: Form, second: Form) -> Form:
    return tuple(x + y for x, y in zip(first, second, strict=True))
