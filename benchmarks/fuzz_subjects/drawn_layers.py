"""Recurrent layers drawn from a seed, as the arrays of a format and as what they mean."""

import random
from typing import Any

import gmpy2
import numpy as np

from fuzz_subjects.recurrent_equations import Function, PlainLayer, plain_outputs

__all__ = ["PARAMETERS", "USUAL", "Arrays", "DrawnLayers"]

ROWS = {
    "torch": {"RNN": "h", "LSTM": "ifgo", "GRU": "rzn"},
    "onnx": {"RNN": "h", "LSTM": "iofg", "GRU": "zrn"},
}
"""How the documentations stack the rows of the gates; ONNX says c, h of what torch calls g, n."""
FUNCTIONS: dict[str, Function] = {
    "Tanh": gmpy2.tanh,
    "Sigmoid": lambda x: 1 / (1 + gmpy2.exp(-x)),
    "Relu": lambda x: max(x, gmpy2.mpfr(0)),
    "HardSigmoid": lambda x: max(gmpy2.mpfr(0), min(gmpy2.mpfr(1), x / 4 + 0.375)),
    "LeakyRelu": lambda x: x if x >= 0 else x / 2,
    "ScaledTanh": lambda x: 0.75 * gmpy2.tanh(x * 0.625),
    "Affine": lambda x: x / 2 + 0.25,
}
PARAMETERS = {"HardSigmoid": (0.25, 0.375), "LeakyRelu": (0.5,), "ScaledTanh": (0.75, 0.625), "Affine": (0.5, 0.25)}
USUAL = {"RNN": ("Tanh",), "LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh")}
STEPS = 4
Arrays = dict[str, Any]


class DrawnLayers:
    """Layers of one cell and a readout, or none, from a seed; `plain` is what they mean."""

    def __init__(self, format: str, seed: int) -> None:
        self.rng, self.numbers = random.Random(seed), np.random.default_rng(seed)
        rng = self.rng
        self.cell, self.size, self.inputs = rng.choice(sorted(USUAL)), rng.randint(1, 3), rng.randint(1, 3)
        self.dtype = rng.choice((np.float16, np.float32, np.float64))
        self.rows, self.biased, self.started = ROWS[format][self.cell], rng.random() < 0.7, rng.random() < 0.3
        self.reset_last = format == "torch" or rng.random() < 0.5
        self.peeps = format == "onnx" and self.cell == "LSTM" and rng.random() < 0.4
        self.layers = [self.layer(format, width) for width in [self.inputs] + [self.size] * rng.randint(0, 2)]
        outputs = rng.randint(1, 3)
        readout = self.array(outputs, self.size), self.array(outputs)
        self.readout = readout if rng.random() < 0.5 else None
        self.vectors = self.numbers.uniform(-2, 2, (STEPS, self.inputs)).tolist()

    def array(self, *shape: int) -> Any:
        return self.numbers.uniform(-1.5, 1.5, shape).astype(self.dtype)

    def layer(self, format: str, width: int) -> Arrays:
        high = len(self.rows) * self.size
        found = {"W": self.array(high, width), "R": self.array(high, self.size)}
        for name in "bd":
            found[name] = self.array(high) if self.biased else np.zeros(high, self.dtype)
        for name in "hc":
            found[name] = self.array(self.size) if self.started else np.zeros(self.size, self.dtype)
        found["P"] = self.array(3 * self.size) if self.peeps else None
        found["functions"] = self.functions(format)
        return found

    def functions(self, format: str) -> tuple[str, ...]:
        usual = USUAL[self.cell]
        if format == "torch" or self.rng.random() < 0.5:
            return usual
        known = ("Tanh", "Relu", "Sigmoid") if self.cell == "RNN" else tuple(FUNCTIONS)
        return tuple(self.rng.choice(known) for _ in usual)

    def plain(self) -> list[Any]:
        """Return the outputs by the equations."""
        layers = []
        for given in self.layers:
            gates = {name: dict(zip(self.rows, np.split(given[name], len(self.rows)), strict=True)) for name in "WRbd"}
            peepholes = dict(zip("iof", np.split(given["P"], 3), strict=True)) if self.peeps else None
            functions = [FUNCTIONS[name] for name in given["functions"]]
            start = {name: given[name].astype(float) for name in "hc"}
            layers.append(
                PlainLayer(**gates, **start, functions=functions, peepholes=peepholes, reset_last=self.reset_last)
            )
        return plain_outputs(layers, self.readout, self.vectors)
