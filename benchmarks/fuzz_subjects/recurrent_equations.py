"""Recurrent layers by the equations of the documentations of torch and ONNX, in numbers of 200 bits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpfr

__all__ = ["PRECISION", "Function", "PlainLayer", "affine", "plain_outputs"]

PRECISION = 200

Function = Callable[[Any], Any]
Numbers = Sequence[Any]
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainLayer:
    """A layer: for each gate its rows of W and R and the two parts of its bias; start states, peepholes, functions.

    `functions` are those of the gates, of the candidate and, in an LSTM, of the cell state. In a GRU the reset gate
    multiplies what R gives, with its bias, if `reset_last`; else the hidden state before.
    """

    W: Mapping[str, Array]
    R: Mapping[str, Array]
    b: Mapping[str, Array]
    d: Mapping[str, Array]
    h: Array
    c: Array
    functions: Sequence[Function]
    peepholes: Mapping[str, Array] | None = None
    reset_last: bool = True

    def run(self, vectors: Sequence[Numbers]) -> list[Numbers]:
        """Return the hidden state after each vector."""
        h, c, found = list(map(mpfr, self.h)), list(map(mpfr, self.c)), []
        for x in vectors:
            if set(self.W) == {"h"}:
                h = [self.functions[0](a + r) for a, r in self.sums("h", x, h)]
            elif set(self.W) == {"r", "z", "n"}:
                h = self.gated_unit(x, h)
            else:
                h, c = self.memory_cell(x, h, c)
            found.append(h)
        return found

    def sums(self, gate: str, x: Numbers, h: Numbers) -> list[tuple[Any, Any]]:
        return list(zip(affine(self.W[gate], x, self.b[gate]), affine(self.R[gate], h, self.d[gate]), strict=True))

    def gated_unit(self, x: Numbers, h: Numbers) -> Numbers:
        squash, candidate = self.functions
        z, r = ([squash(a + b) for a, b in self.sums(gate, x, h)] for gate in "zr")
        if self.reset_last:
            n = [candidate(a + s * b) for s, (a, b) in zip(r, self.sums("n", x, h), strict=True)]
        else:
            n = [candidate(a + b) for a, b in self.sums("n", x, [s * y for s, y in zip(r, h, strict=True)])]
        return [(1 - k) * new + k * old for k, new, old in zip(z, n, h, strict=True)]

    def memory_cell(self, x: Numbers, h: Numbers, c: Numbers) -> tuple[Numbers, Numbers]:
        squash, candidate, output = self.functions
        added = {gate: [a + b for a, b in self.sums(gate, x, h)] for gate in "ifgo"}
        i, f = ([squash(s) for s in self.peeped(gate, added[gate], c)] for gate in "if")
        c = [keep * old + take * candidate(s) for keep, old, take, s in zip(f, c, i, added["g"], strict=True)]
        o = [squash(s) for s in self.peeped("o", added["o"], c)]
        return [k * output(y) for k, y in zip(o, c, strict=True)], c

    def peeped(self, gate: str, sums: Numbers, c: Numbers) -> Numbers:
        if self.peepholes is None:
            return sums
        return [s + mpfr(float(p)) * y for s, p, y in zip(sums, self.peepholes[gate], c, strict=True)]


def affine(matrix: Array, vector: Numbers, bias: Array) -> Numbers:
    """Return the matrix times the vector, and the bias."""
    return [
        sum((mpfr(float(w)) * x for w, x in zip(row, vector, strict=True)), mpfr(float(b)))
        for row, b in zip(matrix, bias, strict=True)
    ]


def plain_outputs(
    layers: Sequence[PlainLayer], readout: tuple[Array, Array] | None, vectors: Sequence[Sequence[float]]
) -> list[Numbers]:
    """Return what layers, one on the other, and a linear readout say after each vector."""
    with gmpy2.context(precision=PRECISION):
        values: list[Numbers] = [list(map(mpfr, vector)) for vector in vectors]
        for layer in layers:
            values = layer.run(values)
        return values if readout is None else [affine(readout[0], value, readout[1]) for value in values]
