"""Trained layers of flash-linear-attention (``fla/layers``): delta rules, and linear attention with gates.

Names and equations are those of its modules. Everything below the state is a table of the tokens; above it stand a
norm, which divides each head by a number of its own, and a linear layer.
"""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.errors import OptionError, shown
from exactnn.networks.delta_net import DeltaProductLayer
from exactnn.networks.exchange.layer_parts import LinearLayer, Parts, each, split
from exactnn.networks.exchange.side_by_side import beside
from exactnn.networks.exchange.token_tables import (
    ACTIVATIONS,
    Number,
    Numbers,
    entries,
    exponential,
    l2_norm,
    power,
    sigmoid,
    softplus,
    sum_norm,
)
from exactnn.networks.layer import RecurrentLayer
from exactnn.networks.linear_attention import GatedLinearAttentionLayer

__all__ = ["delta_layer", "gated_attention_layer"]

EPS = mpq(1, 10**6)
"""What the kernels add to the squares of a key or a query before the root."""


def _heads(parts: Parts, values: int, norms: Sequence[str]) -> int:
    """Return the number of heads: as the norm above tells it, which has the size of one, or as it is given."""
    widths = [len(parts.vector(name)) for name in norms if name in parts]
    return parts.settings.number("num_heads", values // widths[0] if widths else None)


def _activated(parts: Parts, name: str, activation: str, *, always: bool) -> list[Numbers]:
    """Return a projection of each token, its short convolution if there is one, and its activation."""
    columns = parts.projected(f"{name}_proj")
    convolves = f"{name}_conv1d.weight" in parts
    if convolves:
        columns = parts.convolved(f"{name}_conv1d", columns)
    return each(ACTIVATIONS[activation], columns) if convolves or always else columns


def delta_layer(parts: Parts, cell: str) -> LinearLayer:
    """Return the heads of DeltaNet, GatedDeltaNet or GatedDeltaProduct."""
    settings = parts.settings
    named = ("num_heads", "allow_neg_eigval", *(("qk_activation", "qk_norm") if cell == "DeltaNet" else ()))
    settings.check_known(cell, named)
    activation = settings.text("qk_activation", "silu", tuple(ACTIVATIONS))
    norm = settings.text("qk_norm", "l2", ("l2", "sum"))
    queries = _activated(parts, "q", activation, always=True)
    keys = _activated(parts, "k", activation, always=True)
    values = _activated(parts, "v", "silu", always=True)
    factors, left = divmod(len(keys[0]), len(queries[0])) if cell == "GatedDeltaProduct" else (1, 0)
    if left or len(keys[0]) != factors * len(queries[0]) or len(values[0]) % factors:
        raise parts.refused("k_proj.weight", f"has {len(keys[0])} rows, which do not fit those of q_proj and v_proj")
    strengths = None if cell == "DeltaNet" and "b_proj.weight" not in parts else parts.projected("b_proj")
    if strengths is None:
        heads = _heads(parts, len(values[0]), ("o_norm.weight",))
    else:
        heads, left = divmod(len(strengths[0]), factors)
        if left or not heads:
            raise parts.refused("b_proj.weight", f"has {len(strengths[0])} rows, which do not fit {factors} factors")
    shared = settings.number("num_heads", heads)  # of keys and queries; values may have more
    if cell == "DeltaNet" and shared != heads:
        raise parts.refused("b_proj.weight", f"has {heads} rows, one a head, and num_heads is {shared}")
    if heads % shared or len(queries[0]) % shared or len(values[0]) // factors % heads:
        raise parts.refused(
            "q_proj.weight", f"has {len(queries[0])} rows and v_proj {len(values[0])}: they do not fit {shared} heads"
        )
    decays = _decays(parts, heads) if cell != "DeltaNet" and "a_proj.weight" in parts else None
    if cell == "GatedDeltaNet" and decays is None:
        raise parts.refused("a_proj.weight", "is missing, which a GatedDeltaNet has")
    double = settings.truth("allow_neg_eigval", cell == "GatedDeltaProduct")
    most = 2 if double else 1
    if strengths is None:
        beta = [[[mpq(most)] * heads for _ in parts.tokens]]
    else:
        beta = [each(lambda x: sigmoid(x) * most, one) for one in split(strengths, factors)]
    width = len(queries[0]) // shared
    scale = power(mpq(width), -1, 2)

    def normed(columns: list[Numbers], what: str) -> list[Numbers]:
        if norm == "sum":
            return [sum_norm(column, what) for column in columns]
        return [l2_norm(column, EPS) for column in columns]

    layers = []
    for head in range(heads):
        mine = head // (heads // shared)
        K = [entries(normed(split(one, shared)[mine], "keys"), "keys") for one in split(keys, factors)]
        V = [entries(split(one, heads)[head], "values") for one in split(values, factors)]
        asked = [[x * scale for x in column] for column in normed(split(queries, shared)[mine], "queries")]
        layers.append(
            DeltaProductLayer(
                K=K,
                V=V,
                beta=[entries([[column[head]] for column in one], "strengths")[0] for one in beta],
                decay=None if decays is None else entries([[column[head]] for column in decays], "decays")[0],
                Q=entries(asked, "queries"),
                S=[[0] * width for _ in V[0]],
            )
        )
    return _normed(parts, beside(layers), heads, "o_norm.weight")


def _decays(parts: Parts, heads: int) -> list[Numbers]:
    """Return exp(-exp(A_log) softplus(a + dt_bias)) of each token, for each head."""
    rates = [exponential(x) for x in parts.vector("A_log", heads)]
    bias = parts.vector("dt_bias", heads)
    return [
        [exponential(-rate * softplus(x + b)) for rate, x, b in zip(rates, column, bias, strict=True)]
        for column in parts.projected("a_proj", heads)
    ]


def gated_attention_layer(parts: Parts) -> LinearLayer:
    """Return the heads of GatedLinearAttention."""
    settings = parts.settings
    settings.check_known("GatedLinearAttention", ("num_heads", "gate_logit_normalizer", "clamp_min", "feature_map"))
    if settings.given("feature_map") is not None:
        raise OptionError(f"feature_map={shown(settings.given('feature_map'))}: only layers without one are read")
    queries, keys, values = (_activated(parts, name, "silu", always=False) for name in "qkv")
    groups, left = divmod(len(queries[0]), len(keys[0]))
    if left or not groups:
        raise parts.refused("k_proj.weight", f"has {len(keys[0])} rows, which do not fit those of q_proj")
    norms = ("g_norm_swish_gate.weight", "g_norm.weight")
    heads = _heads(parts, len(values[0]) * groups, norms)
    if heads % groups or len(queries[0]) % heads or len(values[0]) * groups % heads:
        raise parts.refused("q_proj.weight", f"has {len(queries[0])} rows, which do not fit {heads} heads")
    low = parts.projected("gk_proj.0")
    high = parts.matrix("gk_proj.1.weight", len(keys[0]), len(low[0]))
    logits = parts.mapped(high, low, parts.vector("gk_proj.1.bias", len(high)))
    normalizer = settings.number("gate_logit_normalizer", 16)
    least = None if settings.given("clamp_min") is None else exact(settings.given("clamp_min"))

    def decay(x: Number) -> Number:
        """Return exp of the logarithm of the sigmoid over the normaliser, from below bounded."""
        exponent = -softplus(-x) / normalizer
        return exponential(exponent if least is None else max(exponent, least))

    decays = each(decay, logits)
    scale = power(mpq(len(queries[0]) // heads), -1, 2)
    layers = []
    for head in range(heads):
        mine = head // groups
        a, K, V = (split(columns, heads // groups)[mine] for columns in (decays, keys, values))
        asked = [[x * scale for x in column] for column in split(queries, heads)[head]]
        layers.append(
            GatedLinearAttentionLayer(
                a=entries(a, "decays"), K=entries(K, "keys"), V=entries(V, "values"), Q=entries(asked, "queries")
            )
        )
    return _normed(parts, beside(layers), heads, *norms)


def _normed(parts: Parts, layer: RecurrentLayer, heads: int, *norms: str) -> LinearLayer:
    """Return a layer whose heads are divided each by its root mean square before the linear layer above."""
    found = next((name for name in norms if name in parts), None)
    parts.after(*norms, "o_proj.weight", "g_proj.weight")
    if "g_proj.weight" in parts:
        beyond = f"tensor {shown(parts.where + 'g_proj.weight')} is a gate of what the norm gives"
        return LinearLayer(layer=layer, beyond=beyond)
    if heads > 1:
        which = shown(parts.where + (found or norms[-1]))
        return LinearLayer(
            layer=layer, beyond=f"tensor {which} is of a norm, which divides each head by a number of its own"
        )
    above = parts.matrix("o_proj.weight", None, layer.hidden_size)
    if found is not None:
        scales = parts.vector(found, layer.hidden_size)
        above = tuple(tuple(x * s for x, s in zip(row, scales, strict=True)) for row in above)
    return LinearLayer(layer=layer, after=above, scaled=True)
