"""A network's step written out with all its weights, a line for each unit, for people."""

from __future__ import annotations

from collections.abc import Iterator

from gmpy2 import mpq

from exactnn.networks.activation import ACTIVATIONS, Activation
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.circuit import Unit
from exactnn.networks.network import Network

__all__ = ["step_formulas"]


def step_formulas(network: AnyNetwork) -> tuple[str, ...]:
    """Return the start state, the units of a step in their order, copied registers, and the outputs, as formulas.

    Last come the definitions of activations that are none of :data:`~exactnn.networks.ACTIVATIONS` under their name.
    Terms stand in the order in which an arithmetic that rounds sums them. The same numbers, as data, are in
    ``network.circuit.layers`` and ``network.readout`` (`Unit`).

    Raises
    ------
    NetworkError
        If `network` is none.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> half = SimpleRNN(V=[["1/2"]], W=[[1, -1]], b=["1/3"], s=[0], readout_weight=[1], alphabet="ab")
    >>> print(*step_formulas(half), sep="\\n")
    h[0](0) = 0
    h[0](t) = relu(1/3 + 1/2 h[0](t-1) + 1 x[a](t) - 1 x[b](t))
    output(t) = 0 + 1 h[0](t)
    """
    network = network_of(network)
    circuit = network.circuit
    inputs = network.alphabet or tuple(map(str, range(circuit.input_size)))
    state = circuit.state_names
    registers = [f"{name}(t-1)" for name in state] + [f"x[{symbol}](t)" for symbol in inputs]
    copied = len(registers)
    lines = [f"{name}(0) = {value}" for name, value in zip(state, network.initial_state, strict=True)]
    for layer in circuit.layers:
        lines += [f"{unit.name}(t) = {_formula(unit, registers)}" for unit in layer]
        registers += [f"{unit.name}(t)" for unit in layer]
    for name, register in zip(state, circuit.next_state, strict=True):
        if register < copied:
            lines.append(f"{name}(t) = {registers[register]}")
    now = [f"{name}(t)" for name in state]
    lines += [f"{output}(t) = {_formula(unit, now)}" for output, unit in _outputs(network)]
    units = (unit for layer in (*circuit.layers, network.readout) for unit in layer)
    used = dict.fromkeys((unit.activation.name, unit.activation) for unit in units)
    known = {*ACTIVATIONS.items(), *((name, Activation.IDENTITY) for name, _ in used)}  # the identity is not written
    lines += [f"{name}(x) = {activation.formula}" for name, activation in used if (name, activation) not in known]
    return tuple(lines)


def _outputs(network: Network) -> Iterator[tuple[str, Unit]]:
    for number, unit in enumerate(network.readout):
        yield "output" if network.scalar_output else f"output[{number}]", unit


def _formula(unit: Unit, names: list[str]) -> str:
    terms = [_term(weight, names[register]) for register, weight in unit.linear]
    terms += [_term(weight, f"{names[first]} {names[second]}") for first, second, weight in unit.bilinear]
    total = " ".join([str(unit.bias), *terms])
    return total if unit.activation == Activation.IDENTITY else f"{unit.activation}({total})"


def _term(weight: mpq, factors: str) -> str:
    return f"{'-' if weight < 0 else '+'} {abs(weight)} {factors}"
