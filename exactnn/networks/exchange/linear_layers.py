"""Trained layers of linear attention and state spaces, found by the names of their parameters."""

from collections.abc import Callable, Sequence
from functools import partial

from gmpy2 import mpq

from exactnn.errors import NetworkFileError, shown
from exactnn.linear_algebra import Matrix
from exactnn.networks.exchange.attention_layers import delta_layer, gated_attention_layer
from exactnn.networks.exchange.layer_parts import LinearLayer, Parts
from exactnn.networks.exchange.layer_settings import Settings
from exactnn.networks.exchange.state_space_layers import mamba_layer, s4d_layer
from exactnn.networks.exchange.tensors import Tensors
from exactnn.networks.exchange.token_tables import many_bits, plus, rms_norm

__all__ = ["LINEAR_CELLS", "found_linear", "linear_layer", "token_vectors"]

LAYERS: dict[str, tuple[str, Callable[[Parts], LinearLayer]]] = {
    "DeltaNet": ("q_proj.weight", partial(delta_layer, cell="DeltaNet")),
    "GatedDeltaNet": ("q_proj.weight", partial(delta_layer, cell="GatedDeltaNet")),
    "GatedDeltaProduct": ("q_proj.weight", partial(delta_layer, cell="GatedDeltaProduct")),
    "GatedLinearAttention": ("q_proj.weight", gated_attention_layer),
    "Mamba": ("x_proj.weight", mamba_layer),
    "S4D": ("kernel.log_dt", s4d_layer),
}
"""By the name of their class: the tensor by which a layer is found, and what reads it."""

LINEAR_CELLS = tuple(LAYERS)


def found_linear(tensors: Tensors, cell: str | None, prefix: str | None) -> tuple[str, str] | None:
    """Return the kind and the prefix of the only linear layer there is, or of the one of that kind; None if none is.

    Raises
    ------
    NetworkFileError
        If there are several, or it looks like attention that is not linear.
    """
    found = [
        (last, before)
        for name in sorted(tensors)
        for last in dict.fromkeys(first for kind, (first, _) in LAYERS.items() if cell in (None, kind))
        if name == last or name.endswith(f".{last}")
        for before in [name.removesuffix(last)]
        if prefix in (None, before)
    ]
    if not found:
        if cell is not None:
            first = shown((prefix or "") + LAYERS[cell][0])
            raise NetworkFileError(f"{tensors.source} has no tensor {first}, as a {cell} has: give the right prefix=")
        return None
    if len(found) > 1:
        choices = ", ".join(shown(before) for _, before in found[:6])
        raise NetworkFileError(f"{tensors.source} has several linear layers: choose one by its prefix, of {choices}")
    last, where = found[0]
    return cell or _kind(tensors, last, where), where


def _kind(tensors: Tensors, last: str, where: str) -> str:
    """Return what a layer is by the names of its tensors."""
    kinds = [kind for kind, (first, _) in LAYERS.items() if first == last]
    if len(kinds) == 1:
        return kinds[0]
    if f"{where}gk_proj.0.weight" in tensors:
        return "GatedLinearAttention"
    if f"{where}b_proj.weight" not in tensors:
        raise NetworkFileError(
            f"{tensors.source} has {shown(where + last)} and no {where}b_proj.weight, so it may be attention with a "
            "softmax, which is not linear: give cell='DeltaNet' if it is one without strengths"
        )
    keys, queries = (len(tensors.take(f"{where}{letter}_proj.weight", (None, None))) for letter in "kq")
    if keys > queries:
        return "GatedDeltaProduct"
    return "GatedDeltaNet" if f"{where}a_proj.weight" in tensors else "DeltaNet"


def linear_layer(tensors: Tensors, cell: str, where: str, vectors: Matrix | None, settings: Settings) -> LinearLayer:
    """Return the layer whose tensors' names begin with `where`; `vectors` are those of the tokens, one in each row.

    Raises
    ------
    NetworkFileError
        If a tensor is missing, of a wrong shape, or does what no table can hold: the message names it.
    OptionError
        If a setting is unknown or out of range.
    """
    _, read = LAYERS[cell]
    with many_bits():
        return read(Parts(tensors, where, vectors, settings))


def token_vectors(embedding: Matrix, norm: tuple[Sequence[mpq], Sequence[mpq] | None, mpq] | None) -> Matrix:
    """Return the vectors that tokens give a layer: rows of an embedding, behind an RMSNorm if there is one."""
    if norm is None:
        return embedding
    weight, bias, eps = norm
    with many_bits():
        found = [rms_norm(row, weight, eps) for row in embedding]
        return [row if bias is None else plus(row, bias) for row in found]  # type: ignore[return-value]
