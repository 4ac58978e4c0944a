"""Linear networks as weighted automata, and back: on symbols, a linear step is a matrix."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.automata import MOST_ENTRIES, WeightedAutomaton
from exactnn.errors import NetworkError, shown
from exactnn.networks.activation import Activation
from exactnn.networks.any_network import network_of
from exactnn.networks.circuit import Unit
from exactnn.networks.network import Network, input_vector
from exactnn.networks.second_order_rnn import SecondOrderRNN

__all__ = ["affine_step", "to_weighted", "weighted_network"]

ZERO, ONE = mpq(0), mpq(1)

Form = tuple[mpq, ...]
"""A register as a combination of the numbers of the state, and of 1, which is the last."""


def to_weighted(network: object) -> WeightedAutomaton:
    """Return the weighted automaton of a linear network on symbols: the value of a word is the output after it.

    Linear means that no unit has an activation but the identity, and that no product has two factors that both depend
    on the state. Such a network of n numbers has n states, one more if there are biases; simple RNNs, second-order RNNs
    and stacks of them are of this kind.

    Parameters
    ----------
    network : Network or Construction

    Raises
    ------
    NetworkError
        If the network reads vectors, has several outputs, is too large, or a unit is not linear: the message names it.

    Examples
    --------
    >>> from exactnn.networks.simple_rnn import SimpleRNN
    >>> decay = SimpleRNN(V=[["9/10"]], W=[[1, 0]], b=[0], s=[0], readout_weight=[1], activation="identity",
    ...                   alphabet="ab")
    >>> to_weighted(decay).value("abb")
    mpq(81,100)
    >>> to_weighted(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a"))
    Traceback (most recent call last):
        ...
    exactnn.errors.NetworkError: unit 'h[0]' of simple RNN has the activation relu: only linear networks are ...
    """
    core = network_of(network)
    symbols = core.input_symbols
    if core.alphabet is None or symbols is None or not core.scalar_output:
        raise NetworkError(f"{core.name} has to read symbols and to have one output: give alphabet= and a vector")
    size = core.circuit.state_size
    if (size + 1) ** 2 * len(symbols) > MOST_ENTRIES:
        raise NetworkError(f"{core.name} of {size:,} numbers makes matrices of more than {MOST_ENTRIES:,} entries")
    numbers: list[Form] = [_unit(i, size + 1) for i in range(size)]
    constant = _unit(size, size + 1)
    (output,) = (_evaluated(unit, numbers, core, "only linear networks are weighted automata") for unit in core.readout)
    transitions: dict[str, list[list[mpq]]] = {}
    for symbol in symbols:
        number = core.alphabet.index(symbol)
        vector = input_vector(number, core.circuit.input_size)
        following = [*affine_step(core, vector, "only linear networks are weighted automata"), constant]
        transitions[symbol] = [list(column) for column in zip(*following, strict=True)]
    automaton = WeightedAutomaton(
        input_symbols=symbols,
        initial=(*core.initial_state, ONE),
        transitions=transitions,
        final=output,
        name=core.name,
    )
    return automaton if _uses_constant(automaton) else automaton.on_states(range(size))


def affine_step(network: Network, vector: Sequence[mpq], only: str) -> list[Form]:
    """Return the next state on an input as combinations of the numbers of the state, and of 1, which is the last.

    Raises
    ------
    NetworkError
        If a unit is not linear in the state: the message names it, and ends with `only`.

    Examples
    --------
    >>> from exactnn.networks.simple_rnn import SimpleRNN
    >>> decay = SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    >>> affine_step(decay, [mpq(5)], "only linear ones")
    [(mpq(9,10), mpq(5,1))]
    """
    size = network.circuit.state_size
    constant = _unit(size, size + 1)
    registers = [_unit(i, size + 1) for i in range(size)] + [_scaled(constant, value) for value in vector]
    for layer in network.circuit.layers:
        registers += [_evaluated(unit, registers, network, only) for unit in layer]
    return [registers[register] for register in network.circuit.next_state]


def weighted_network(automaton: WeightedAutomaton) -> Network:
    """Return the second-order RNN whose output after a word is its value: n numbers for n states, no bias.

    >>> count = WeightedAutomaton(input_symbols="a", initial=[1, 0], transitions={"a": [[1, 1], [0, 1]]}, final=[0, 1])
    >>> weighted_network(count).circuit.weights
    3
    """
    if not automaton.size:
        symbols, name = automaton.input_symbols, automaton.name
        zero = {a: [[0]] for a in symbols}
        automaton = WeightedAutomaton(input_symbols=symbols, initial=[0], transitions=zero, final=[0], name=name)
    states = automaton.states
    network: Network = SecondOrderRNN(
        A=[[[automaton.transitions[a][j][i] for a in automaton.input_symbols] for j in states] for i in states],
        s=automaton.initial,
        readout_weight=automaton.final,
        alphabet=automaton.input_symbols,
        name=automaton.name,
    )
    return network


def _uses_constant(automaton: WeightedAutomaton) -> bool:
    """Whether a bias enters a number or the output: then the last state, which is always 1, is needed."""
    last = automaton.size - 1
    return bool(automaton.final[last]) or any(any(m[last][:last]) for m in automaton.transitions.values())


def _evaluated(unit: Unit, registers: list[Form], network: Network, only: str) -> Form:
    """Return a unit as a combination of the state."""
    total = _scaled(_unit(len(registers[0]) - 1, len(registers[0])), unit.bias)
    for register, weight in unit.linear:
        total = _sum(total, _scaled(registers[register], weight))
    for first, second, weight in unit.bilinear:
        left, right = registers[first], registers[second]
        if any(left[:-1]) and any(right[:-1]):
            raise _not_linear(unit, network, "multiplies two numbers that depend on the state", only)
        by, factor = (right, left[-1]) if not any(left[:-1]) else (left, right[-1])
        total = _sum(total, _scaled(by, factor * weight))
    if unit.activation == Activation.IDENTITY:
        return total
    raise _not_linear(unit, network, f"has the activation {unit.activation}", only)


def _not_linear(unit: Unit, network: Network, why: str, only: str) -> NetworkError:
    return NetworkError(f"unit {shown(unit.name)} of {network.name} {why}: {only}")


def _unit(place: int, size: int) -> Form:
    return (ZERO,) * place + (ONE,) + (ZERO,) * (size - place - 1)


def _scaled(form: Form, factor: mpq) -> Form:
    return tuple(factor * x for x in form)


def _sum(first: Form, second: Form) -> Form:
    return tuple(x + y for x, y in zip(first, second, strict=True))
