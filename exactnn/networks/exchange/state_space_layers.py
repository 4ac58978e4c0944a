"""Trained layers of state spaces: the mixer of Mamba (``mamba_simple.py``), and S4D (``s4d.py``), by their names."""

from typing import Any

from gmpy2 import cos, expm1, mpq, sin

from exactnn.errors import shown
from exactnn.networks.diagonal_ssm import DiagonalSSMLayer, SelectiveSSMLayer
from exactnn.networks.exchange.layer_parts import LinearLayer, Parts, each, split
from exactnn.networks.exchange.tensors import MOST_PARAMETERS
from exactnn.networks.exchange.token_tables import Number, Numbers, entries, exponential, silu, softplus

__all__ = ["mamba_layer", "s4d_layer"]


def mamba_layer(parts: Parts) -> LinearLayer:
    """Return the mixer of Mamba: decays, inputs and readers of its states are tables."""
    parts.settings.check_known("Mamba", ())
    both = parts.projected("in_proj")
    if len(both[0]) % 2:
        raise parts.refused("in_proj.weight", f"has {len(both[0])} rows, where those of x and of its gate are expected")
    x, z = split(both, 2)
    channels = len(x[0])
    x = each(silu, parts.convolved("conv1d", x))
    A = parts.matrix("A_log", channels)
    states = len(A[0])
    if channels * states * len(parts.tokens) > MOST_PARAMETERS:
        raise parts.refused("A_log", f"makes tables of more than {MOST_PARAMETERS:,} numbers")
    rates = [[-exponential(entry) for entry in row] for row in A]
    rank_weight = parts.matrix("dt_proj.weight", channels)
    rank = len(rank_weight[0])
    small = parts.mapped(parts.matrix("x_proj.weight", rank + 2 * states, channels), x)
    steps = parts.mapped(rank_weight, [column[:rank] for column in small], parts.vector("dt_proj.bias", channels))
    skip = parts.vector("D", channels)
    columns: dict[str, list[Numbers]] = {letter: [] for letter in "abCD"}
    for t, column in enumerate(small):
        delta = [softplus(value) for value in steps[t]]
        gate = [silu(value) for value in z[t]]
        B, C = column[rank : rank + states], column[rank + states :]
        pairs = [(i, j) for i in range(channels) for j in range(states)]
        columns["a"].append([exponential(delta[i] * rates[i][j]) for i, j in pairs])
        columns["b"].append([delta[i] * B[j] * x[t][i] for i, j in pairs])
        columns["C"].append([gate[i] * C[j] for i, j in pairs])
        columns["D"].append([gate[i] * skip[i] * x[t][i] for i in range(channels)])
    tables = {letter: entries(found, f"{letter} of Mamba") for letter, found in columns.items()}
    if "out_proj.bias" in parts:
        raise parts.refused("out_proj.bias", "is a bias above the recurrence: add it to that of the readout")
    return LinearLayer(layer=SelectiveSSMLayer(**tables), after=parts.matrix("out_proj.weight", None, channels))


def s4d_layer(parts: Parts) -> LinearLayer:
    """Return the discrete diagonal model of ``s4d.py``: a pair of numbers for each pole, one where it is real."""
    parts.settings.check_known("S4D", ())
    size = len(steps := [exponential(x) for x in parts.vector("kernel.log_dt")])
    decay = parts.matrix("kernel.log_A_real", size)
    turn = parts.matrix("kernel.A_imag", size, len(decay[0]))
    C = parts.tensors.take(f"{parts.where}kernel.C", (size, len(decay[0]), 2))
    skip = parts.vector("D", size)
    poles: list[Any] = []
    B: list[list[int]] = []
    columns: list[list[Number]] = []
    for i in range(size):
        for n in range(len(decay[0])):
            re, im = -exponential(decay[i][n]), turn[i][n]
            exponent, angle = steps[i] * re, steps[i] * im
            growth = exponential(exponent)
            a = (growth * cos(angle), growth * sin(angle)) if im else (growth, mpq(0))
            c = [2 * mpq(part) for part in C[i, n].tolist()]
            # (exp(dt A) - 1) / A, as the zero-order hold has it; of steps near 0 no bits are lost in exp(dt A) - 1
            above = (expm1(exponent) * cos(angle) - sin(angle / 2) ** 2 * 2, a[1])
            norm = re * re + im * im
            by = ((above[0] * re + above[1] * im) / norm, (above[1] * re - above[0] * im) / norm)
            read = (c[0] * by[0] - c[1] * by[1], c[0] * by[1] + c[1] * by[0])
            used = 2 if im else 1
            poles.append(entries([list(a[:used])], "poles"))
            for k, weight in enumerate((read[0], -read[1])[:used]):
                B.append([int(i == j and not k) for j in range(size)])
                columns.append([weight if i == j else mpq(0) for j in range(size)])
    layer = DiagonalSSMLayer(
        a=[[entry for (entry,) in pole] for pole in poles],
        B=B,
        C=entries(columns, "C of S4D"),
        D=[[skip[i] if i == j else mpq(0) for j in range(size)] for i in range(size)],
    )
    parts.after("output_linear.0.weight", "output_linear.0.bias")
    which = shown(parts.where + "output_linear.0.weight")
    return LinearLayer(layer=layer, beyond=f"a GELU stands below tensor {which}", reads_vectors=True)
