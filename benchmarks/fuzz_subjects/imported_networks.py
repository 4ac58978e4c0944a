"""Trained networks from torch and ONNX: what is imported, against the equations of their documentations.

Sizes, numbers, layers, biases, start states and readouts are drawn from a seed; of ONNX besides activations,
peepholes, and where the reset gate stands.
"""

import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import exactnn as xn
from fuzz_subjects.drawn_layers import PARAMETERS, USUAL, Arrays, DrawnLayers
from fuzz_subjects.subject import Subject
from tests.networks.exchange.circuit_in_mpfr import close, outputs

__all__ = ["IMPORTED_NETWORKS"]

BITS = 170
"""To which both oracles agree, which have 200."""


def from_torch(drawn: DrawnLayers) -> xn.Network:
    tensors = {}
    for k, given in enumerate(drawn.layers):
        names = {"W": "weight_ih", "R": "weight_hh"} | ({"b": "bias_ih", "d": "bias_hh"} if drawn.biased else {})
        tensors |= {f"rnn.{name}_l{k}": given[key] for key, name in names.items()}
    options: Arrays = {"cell": drawn.cell}
    if drawn.readout is not None:
        tensors |= {"fc.weight": drawn.readout[0], "fc.bias": drawn.readout[1]}
        options["readout"] = "fc"
    for name in "hc" if drawn.cell == "LSTM" else "h":
        options |= {name: np.array([given[name] for given in drawn.layers])} if drawn.started else {}
    return xn.from_torch(tensors, **options)


def from_onnx(drawn: DrawnLayers) -> xn.Network:
    from onnx import helper

    from tests.networks.exchange.onnx_models import model

    nodes, constants, below = [], {"axis": np.array([1])}, "X"
    for k, given in enumerate(drawn.layers):
        arrays = {"W": given["W"], "R": given["R"]}
        arrays |= {"B": np.concatenate([given["b"], given["d"]])} if drawn.biased else {}
        arrays |= {"P": given["P"]} if drawn.peeps else {}
        constants |= {f"{name}{k}": array[None] for name, array in arrays.items()}
        started = ("hc" if drawn.cell == "LSTM" else "h") if drawn.started else ""
        constants |= {f"{name}{k}": given[name][None, None] for name in started}
        names = [f"{name}{k}" if f"{name}{k}" in constants else "" for name in ("W", "R", "B", "-", "h", "c", "P")]
        names = names if drawn.cell == "LSTM" else names[:5]
        nodes.append(helper.make_node(drawn.cell, [below, *names], [f"Y{k}"], **attributes(drawn, given)))
        nodes.append(helper.make_node("Squeeze", [f"Y{k}", "axis"], [f"x{k}"]))
        below = f"x{k}"
    if drawn.readout is not None:
        constants |= {"F": drawn.readout[0].T, "f": drawn.readout[1]}
        nodes.append(helper.make_node("MatMul", [below, "F"], ["product"]))
        nodes.append(helper.make_node("Add", ["product", "f"], ["out"]))
        below = "out"
    made = model(nodes, constants, [("X", ["time", 1, drawn.inputs])], [(below, None)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(made.SerializeToString())
        return xn.load_onnx(path)


def attributes(drawn: DrawnLayers, given: Arrays) -> Arrays:
    found: Arrays = {"hidden_size": drawn.size}
    if given["functions"] != USUAL[drawn.cell]:
        parameters = [PARAMETERS[name] for name in given["functions"] if name in PARAMETERS]
        alphas, betas = [values[0] for values in parameters], [values[1] for values in parameters if len(values) > 1]
        found |= {"activations": list(given["functions"])}
        found |= {"activation_alpha": alphas} if alphas else {}
        found |= {"activation_beta": betas} if betas else {}
    return found | ({"linear_before_reset": int(drawn.reset_last)} if drawn.cell == "GRU" else {})


IMPORTERS = {"torch": from_torch, "onnx": from_onnx}


def check(arithmetic: str, seed: int) -> None:
    if arithmetic == "onnx" and find_spec("onnx") is None:
        return
    drawn = DrawnLayers(arithmetic, seed)
    found, expected = outputs(IMPORTERS[arithmetic](drawn), drawn.vectors), drawn.plain()
    text = f"{drawn.layers}, readout {drawn.readout}, on {drawn.vectors}: {found}, not {expected}"
    assert close(found, expected, bits=BITS), f"seed {seed}: {drawn.cell} of {arithmetic}, {text}"


IMPORTED_NETWORKS = Subject(cases=lambda arithmetic: st.integers(0, 10**9), check=check, arithmetics=tuple(IMPORTERS))
