"""Networks as torch modules: any step circuit, in float64 or float32, one step after the other."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, assert_never

from exactnn.errors import MissingExtraError, PrecisionWarning
from exactnn.interrupts import loaded
from exactnn.networks.activation import Activation, Kind
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.exchange.float_circuit import FloatCircuit, FloatLayer, float_circuit
from exactnn.networks.network import Network

if TYPE_CHECKING:
    import torch

__all__ = ["to_torch"]


def to_torch(network: AnyNetwork, *, dtype: Literal["float64", "float32"] = "float64") -> torch.nn.Module:
    """Return a torch module in float64 or float32 that executes a network over sequences.

    Parameters
    ----------
    network : Network
        Of any circuit. Parameters that are no numbers of the type are rounded to the nearest one; if there are such, a
        PrecisionWarning tells how many, and so does the module's `rounded_parameters`.
    dtype : {"float64", "float32"}
        The type of its parameters and of all that it computes.

    Returns
    -------
    torch.nn.Module
        ``outputs, state = module(inputs, state=None)``: `inputs` are vectors (T by d, or T by B by d for B sequences at
        once), one-hot for networks with an alphabet (``module.one_hot(word)`` makes them); `outputs` (T by k) are
        those of the readout after each step, `state` (d') is the last. Its parameters can be trained.

    Raises
    ------
    NetworkError
        If it is no network with rational parameters, or one is beyond the largest number of the type.
    OptionError
        If there is no such type.
    MissingExtraError
        If torch is not installed.

    Notes
    -----
    On a CPU sums are in the circuit's order, bias first, every product and every sum rounded. Without sigmoid and
    tanh, states and outputs are therefore those of ``run(network, word, arithmetic=FLOAT64)`` (with ``dtype="float32"``
    of FLOAT32), bit for bit; those two are torch's, which are not correctly rounded. Linear recurrences have neither:
    exported, they are their steps one after the other. On other devices torch may add in another order.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> half = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> import pytest; torch = pytest.importorskip("torch")
    >>> outputs, state = to_torch(half)(torch.tensor([[1.0], [1.0]]))
    >>> outputs.tolist(), state.tolist()
    ([[1.0], [1.5]], [1.5])
    """
    try:
        torch = loaded("torch")
    except ImportError:
        raise MissingExtraError('this needs torch: pip install "exactnn[torch]"') from None
    network = network_of(network)
    circuit = float_circuit(network, dtype)
    if circuit.rounded:
        warnings.warn(
            f"{network.name}: {circuit.rounded} parameters are no {dtype} and were rounded to the nearest one",
            PrecisionWarning,
            stacklevel=2,
        )
    return _module(torch, network, circuit, getattr(torch, dtype))


def _module(torch: Any, network: Network, circuit: FloatCircuit, dtype: Any) -> Any:
    """Return the module; its classes are made here, since torch is not there before."""

    def apply(function: Activation, x: Any) -> Any:
        """Return an activation of numbers; NaN stays NaN, and with the bound 0 from below -0 becomes 0."""
        match function.kind:
            case Kind.CLAMP:
                if function.high is not None:
                    x = torch.where(x > float(function.high), float(function.high), x)
                return x if function.low is None else torch.where(x <= float(function.low), float(function.low), x)
            case Kind.JUMP:
                assert function.low is not None
                assert function.high is not None
                return torch.where(x > 0, x.new_tensor(float(function.high)), x.new_tensor(float(function.low)))
            case Kind.SIGMOID:
                return torch.sigmoid(x)
            case Kind.TANH:
                return torch.tanh(x)
            case Kind.SOFTPLUS:  # that of torch.nn.functional is x above 20
                return torch.logaddexp(x, torch.zeros_like(x))
            case Kind.EXP:
                return torch.exp(x)
            case _:
                assert_never(function.kind)

    class Layer(torch.nn.Module):  # type: ignore[misc]
        """One layer of units; registers stand along the first axis."""

        def __init__(self, layer: FloatLayer) -> None:
            super().__init__()
            for name in ("bias", "weight", "factor"):
                self.register_parameter(name, torch.nn.Parameter(torch.from_numpy(getattr(layer, name))))
            for name in ("unit", "register", "product_unit", "first", "second"):
                self.register_buffer(f"{name}_index", torch.from_numpy(getattr(layer, name)))
            self.kinds = [kind for kind, _ in layer.activations]
            for k, (_, indices) in enumerate(layer.activations):
                self.register_buffer(f"group_{k}", torch.from_numpy(indices))

        def forward(self, registers: Any) -> Any:
            size = (len(self.bias), *registers.shape[1:])
            column = (-1,) + (1,) * (registers.dim() - 1)
            total = self.bias.view(column).expand(size)
            terms = self.weight.view(column) * registers[self.register_index]
            total = total.index_add(0, self.unit_index, terms)
            if len(self.factor):
                products = self.factor.view(column) * registers[self.first_index] * registers[self.second_index]
                total = total.index_add(0, self.product_unit_index, products)
            if len(self.kinds) == 1:
                return apply(self.kinds[0], total)
            result = total
            for k, kind in enumerate(self.kinds):
                group = getattr(self, f"group_{k}")
                result = result.index_copy(0, group, apply(kind, total[group]))
            return result

    class CircuitModule(torch.nn.Module):  # type: ignore[misc]
        """A network of exactnn, step by step."""

        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(map(Layer, circuit.layers))
            self.readout = Layer(circuit.readout)
            self.initial_state = torch.nn.Parameter(torch.from_numpy(circuit.initial_state))
            self.register_buffer("next_state", torch.from_numpy(circuit.next_state))
            self.alphabet = network.alphabet
            self.input_size = network.circuit.input_size
            self.rounded_parameters = circuit.rounded

        def one_hot(self, word: Any) -> Any:
            """Return a word as one-hot vectors."""
            indices = torch.tensor(network.inputs(word), dtype=torch.int64)
            return torch.nn.functional.one_hot(indices, self.input_size).to(dtype)

        def forward(self, inputs: Any, state: Any = None) -> Any:
            """Return the outputs after each step, and the last state."""
            inputs = inputs.to(dtype)
            batch = inputs.shape[1:-1]
            if state is None:
                state = self.initial_state.expand(*batch, -1)
            state = state.movedim(-1, 0)
            outputs = []
            for vector in inputs:
                registers = torch.cat([state, vector.movedim(-1, 0)])
                for layer in self.layers:
                    registers = torch.cat([registers, layer(registers)])
                state = registers[self.next_state]
                outputs.append(self.readout(state).movedim(0, -1))
            size = (0, *batch, len(self.readout.bias))
            stacked = torch.stack(outputs) if outputs else torch.zeros(size, dtype=dtype)
            return stacked, state.movedim(0, -1)

    return CircuitModule()
