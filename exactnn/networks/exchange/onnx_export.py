"""Networks as ONNX models: any step circuit, in float64, as the body of a Scan."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import exact_text
from exactnn.errors import NetworkError, NetworkFileError, PrecisionWarning
from exactnn.files import write_file
from exactnn.networks.activation import Activation, Kind
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.exchange.float_circuit import FloatCircuit, FloatLayer, float_circuit
from exactnn.networks.exchange.onnx_file import require_onnx
from exactnn.networks.exchange.tensors import SIZE_LIMIT
from exactnn.networks.network import Network
from exactnn.version import __version__

__all__ = ["OPSET", "to_onnx"]

OPSET = 18
"""The operator set of the models: the first in which ScatterElements adds and all else is there in float64."""

_IR_VERSION = 8  # the oldest that has this operator set: older runtimes read it too


def to_onnx(network: AnyNetwork, path: str | os.PathLike[str], *, replace: bool = True) -> int:
    """Write a network as an ONNX model in float64, and return how many parameters were rounded for that.

    Parameters
    ----------
    network : Network, Construction, machine or name
        Of any circuit. Parameters that are no float64 are rounded to the nearest one; if there are such, a
        PrecisionWarning tells how many.
    path : path
        The file to write.
    replace : bool
        Whether a file that is there may be replaced.

    Returns
    -------
    int
        The number of parameters that were rounded: with 0 the model's weights are the network's, exactly.

    Raises
    ------
    NetworkError
        If it is no network with rational parameters, one is beyond the largest float64, or the model is too large.
    NetworkFileError
        If the file cannot be written.
    MissingExtraError
        If onnx is not installed.

    Notes
    -----
    The model has one input, ``inputs`` (T by d, float64; one-hot vectors for a network with an alphabet, in the order
    of the alphabet), and two outputs: ``outputs`` (T by k) of the readout after each step, and ``final_state`` (d').
    Alphabet, protocol and threshold stand in its metadata. The step is the body of a Scan, with the sums of a layer
    as one ScatterElements that adds. Runtimes that do so one after the other, such as onnxruntime on a CPU, compute
    ``run(network, word, arithmetic=FLOAT64)`` bit for bit, but for sigmoid and tanh, which are theirs. A runtime
    that adds in another order computes the same where all sums are exact, as in most compiled networks. The Scan of
    onnxruntime takes no empty sequences.
    """
    onnx = require_onnx()
    network = network_of(network)
    circuit = float_circuit(network)
    model = _model(onnx, network, circuit)
    if model.ByteSize() > SIZE_LIMIT:
        raise NetworkError(f"{network.name} has an ONNX model of {model.ByteSize()} bytes: {SIZE_LIMIT} is the most")
    onnx.checker.check_model(model)
    content = model.SerializeToString(deterministic=True)
    write_file(path, content, error=NetworkFileError, replace=replace)
    if circuit.rounded:
        warnings.warn(
            f"{network.name}: {circuit.rounded} parameters are no float64 and were rounded to the nearest one",
            PrecisionWarning,
            stacklevel=2,
        )
    return circuit.rounded


class _Body:
    """The nodes and constants of the Scan's body while it is written."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, array: Any) -> str:
        """Return the name of a new constant."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator: str, inputs: Sequence[str], *, output: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        name = output or f"value_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def layer(self, layer: FloatLayer, registers: str) -> str:
        """Add a layer of units that reads `registers`, and return its values."""
        total = self.constant(layer.bias)
        if len(layer.weight):
            terms = self.node("Mul", [self.constant(layer.weight), self.read(registers, layer.register)])
            total = self.add_to(total, layer.unit, terms)
        if len(layer.factor):
            terms = self.node("Mul", [self.constant(layer.factor), self.read(registers, layer.first)])
            terms = self.node("Mul", [terms, self.read(registers, layer.second)])
            total = self.add_to(total, layer.product_unit, terms)
        if len(layer.activations) == 1:
            return self.activation(layer.activations[0][0], total)
        result = total
        for kind, units in layer.activations:
            if kind != Activation.IDENTITY:
                values = self.activation(kind, self.read(total, units))
                result = self.node("ScatterElements", [result, self.constant(units), values], axis=0)
        return result

    def read(self, registers: str, indices: Any) -> str:
        """Return the registers with these indices."""
        return self.node("Gather", [registers, self.constant(indices)], axis=0)

    def add_to(self, total: str, units: Any, terms: str) -> str:
        """Return the sums with the terms added to those of their units, one after the other."""
        return self.node("ScatterElements", [total, self.constant(units), terms], axis=0, reduction="add")

    def activation(self, function: Activation, values: str) -> str:
        """Return an activation of values."""
        match function.kind:
            case Kind.CLAMP:
                return self.clamped(function, values)
            case Kind.JUMP:
                above = self.node("Greater", [values, self.constant(np.float64(0))])
                if function == Activation.HEAVISIDE:
                    return self.node("Cast", [above], to=self.onnx.TensorProto.DOUBLE)
                return self.node("Where", [above, self.number(function.high), self.number(function.low)])
            case Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS | Kind.EXP:
                return self.node(function.kind.capitalize(), [values])
            case _:
                assert_never(function.kind)

    def clamped(self, function: Activation, values: str) -> str:
        """Return values clamped; NaN stays NaN, and with the bound 0 from below -0 becomes 0."""
        if function.low is None and function.high is None:
            return values
        below = None
        if function.low is not None:
            low = self.number(function.low)
            below = self.node("LessOrEqual", [values, low])
        if function.high is not None:
            high = self.number(function.high)
            values = self.node("Where", [self.node("Greater", [values, high]), high, values])
        return values if below is None else self.node("Where", [below, low, values])

    def number(self, value: mpq | None) -> str:
        """Return a bound of an activation as a constant; it is a float64 already."""
        return self.constant(np.float64(value))


def _model(onnx: Any, network: Network, circuit: FloatCircuit) -> Any:
    helper, double = onnx.helper, onnx.TensorProto.DOUBLE
    states, width, outputs = network.neurons, network.circuit.input_size, len(network.readout)
    body = _Body(onnx)
    registers = body.node("Concat", ["state", "input"], axis=0)
    for layer in circuit.layers:
        registers = body.node("Concat", [registers, body.layer(layer, registers)], axis=0)
    body.node("Gather", [registers, body.constant(circuit.next_state)], output="next_state", axis=0)
    body.node("Identity", [body.layer(circuit.readout, "next_state")], output="output")

    def value(name: str, shape: list[Any]) -> Any:
        return helper.make_tensor_value_info(name, double, shape)

    step = helper.make_graph(
        body.nodes,
        "step",
        [value("state", [states]), value("input", [width])],
        [value("next_state", [states]), value("output", [outputs])],
        body.constants,
    )
    scan = helper.make_node(
        "Scan", ["initial_state", "inputs"], ["final_state", "outputs"], body=step, num_scan_inputs=1
    )
    graph = helper.make_graph(
        [scan],
        "network",
        [value("inputs", ["steps", width])],
        [value("outputs", ["steps", outputs]), value("final_state", [states])],
        [onnx.numpy_helper.from_array(circuit.initial_state, "initial_state")],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=_IR_VERSION,
        producer_name="exactnn",
        producer_version=__version__,
    )
    helper.set_model_props(model, _metadata(network, circuit))
    return model


def _metadata(network: Network, circuit: FloatCircuit) -> dict[str, str]:
    return {
        "name": network.name,
        "alphabet": json.dumps(None if network.alphabet is None else list(network.alphabet)),
        "protocol": str(network.decision.protocol),
        "threshold": exact_text(network.decision.threshold),
        "rounded_parameters": str(circuit.rounded),
    }
