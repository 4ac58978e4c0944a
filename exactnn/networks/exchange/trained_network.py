"""A network from the named tensors of a torch model: an embedding, recurrent layers and a linear readout."""

from collections.abc import Iterable, Mapping
from operator import add
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.exchange.affine_front import AffineFront
from exactnn.networks.exchange.layer_settings import Settings
from exactnn.networks.exchange.linear_layers import LINEAR_CELLS, found_linear, linear_layer, token_vectors
from exactnn.networks.exchange.tensors import Doubles, Tensors, exact_rows, exact_values
from exactnn.networks.exchange.token_tables import entries, many_bits, product
from exactnn.networks.exchange.torch_parameters import CELLS, found_prefix, is_first, torch_layers
from exactnn.networks.layer import RecurrentLayer, StackedRNN
from exactnn.networks.network import Network
from exactnn.options import choice

__all__ = ["network_with_readout", "trained_network"]


def trained_network(
    tensors: Tensors,
    *,
    prefix: str | None,
    readout: str | None,
    embedding: str | None,
    cell: str | None,
    nonlinearity: str,
    h: Doubles | None = None,
    c: Doubles | None = None,
    norm: str | None = None,
    settings: Mapping[str, Any] | None = None,
    modules: Mapping[str, Any] | None = None,
    alphabet: Iterable[str] | None,
    name: str,
) -> Network:
    """Return the network of tensors that have torch's names; :func:`from_torch` says what the options mean.

    Raises
    ------
    ExactnnError
        If tensors are missing, left over, of a wrong shape or type, or not finite, or the alphabet does not fit.
    """
    for option, value in (("prefix", prefix), ("readout", readout), ("embedding", embedding), ("norm", norm)):
        if value is not None and not isinstance(value, str):
            example = "rnn" if option == "prefix" else "fc"
            raise OptionError(f"{option}={shown(value)}: give the first part of the tensors' names, as in '{example}'")
    if cell is not None:
        choice("cell", cell, (*CELLS, *LINEAR_CELLS))
    of_torch = cell in CELLS or (cell is None and any(map(is_first, tensors)))
    linear = None if of_torch else found_linear(tensors, cell, None if prefix is None else _dotted(prefix))
    if linear is not None:
        chosen = Settings(settings, (modules or {}).get(linear[1].removesuffix(".")))
        starts = [option for option, value in (("h", h), ("c", c)) if value is not None]
        if starts:
            raise OptionError(f"{starts[0]} is a start state of torch's cells: a {linear[0]} begins with zeros")
        return _linear_network(
            tensors, linear, chosen, readout=readout, embedding=embedding, norm=norm, alphabet=alphabet, name=name,
            left_out=prefix is not None, modules=modules,
        )  # fmt: skip
    for option, given in (("norm", norm), ("settings", settings)):
        if given is not None:
            raise OptionError(f"{option}={shown(given)}: it is for {', '.join(LINEAR_CELLS)}, leave it out")
    where = found_prefix(tensors) if prefix is None else _dotted(prefix)
    layers = torch_layers(tensors, where, cell=cell, nonlinearity=nonlinearity, h=h, c=c)
    if embedding is not None:
        vectors, shift = _embedding(tensors, embedding, modules, layers[0].input_size)
        layers[0] = AffineFront(weight=exact_rows(vectors.T), bias=shift, layer=layers[0])
    above = None if readout is None else _readout(tensors, readout, layers[-1].hidden_size)
    if prefix is None:
        tensors.check_all_taken(f"name what belongs to the network as readout and embedding, or {_left_out(where)}")
    return network_with_readout(layers, above, alphabet, name)


def _left_out(where: str) -> str:
    """Return what to do with tensors that belong to something else."""
    return f"leave them out by the prefix {where!r}" if where else "take the others out of the dictionary or file"


def _embedding(
    tensors: Tensors, embedding: str, modules: Mapping[str, Any] | None, width: int | None
) -> tuple[Doubles, Vector]:
    """Return the vectors of the tokens, row by row, and what is added to each.

    A linear layer that reads one-hot vectors is an embedding whose vectors are its columns; only a module says that.
    """
    where = _dotted(embedding)
    module: Any = (modules or {}).get(where.removesuffix("."))
    if getattr(module, "max_norm", None) is not None:
        raise NetworkFileError(
            f"the embedding {shown(embedding)} has max_norm={shown(module.max_norm)}: torch scales a row when it is "
            "looked up. Look up all rows once, set max_norm to None, and read the model then"
        )
    if hasattr(module, "in_features") and hasattr(module, "out_features"):
        weight, bias_name = tensors.take(f"{where}weight", (width, None)), f"{where}bias"
        rows = weight.T
        shift = tensors.take(bias_name, (rows.shape[1],)) if tensors.has(bias_name) else np.zeros(rows.shape[1])
    else:
        rows = tensors.take(f"{where}weight", (None, width))
        shift = np.zeros(rows.shape[1])
    return rows, exact_values(shift)


def _readout(tensors: Tensors, readout: str, width: int) -> tuple[Matrix, Vector]:
    weight = tensors.take(f"{_dotted(readout)}weight", (None, width))
    bias_name = f"{_dotted(readout)}bias"
    bias = tensors.take(bias_name, (len(weight),)) if tensors.has(bias_name) else np.zeros(len(weight))
    return exact_rows(weight), exact_values(bias)


def _linear_network(
    tensors: Tensors,
    found: tuple[str, str],
    settings: Settings,
    *,
    readout: str | None,
    embedding: str | None,
    norm: str | None,
    alphabet: Iterable[str] | None,
    name: str,
    left_out: bool,
    modules: Mapping[str, Any] | None,
) -> Network:
    """Return the network of a layer of linear attention or of a state space, as :func:`linear_layer` reads it."""
    cell, where = found
    vectors = None
    if embedding is not None:
        rows, shift = _embedding(tensors, embedding, modules, None)
        vectors = tuple(tuple(map(add, row, shift)) for row in exact_rows(rows))
        vectors = token_vectors(vectors, None if norm is None else _norm(tensors, norm, len(vectors[0]), settings))
    elif norm is not None:
        raise OptionError(f"norm={shown(norm)}: it stands between an embedding and the layer; give embedding=")
    part = linear_layer(tensors, cell, where, vectors, settings)
    layer = part.layer
    if vectors is not None and part.reads_vectors:
        weight = tuple(map(tuple, entries(vectors, "vectors")))
        layer = AffineFront(weight=weight, bias=(mpq(0),) * len(weight), layer=layer)
    above = None
    if readout is not None:
        if part.beyond is not None:
            raise NetworkFileError(f"{tensors.source}: {part.beyond}: leave readout={readout!r} out")
        after = part.after
        assert after is not None
        weight, bias = _readout(tensors, readout, len(after))
        if part.scaled and any(bias):
            raise NetworkFileError(
                f"{tensors.source}: tensor {shown(f'{_dotted(readout)}bias')} is added to what a norm has divided by a "
                "number of each step: a readout without bias is read"
            )
        with many_bits():
            columns = [product(weight, column) for column in zip(*after, strict=True)]
        above = tuple(zip(*columns, strict=True)), bias
    elif part.after is not None and not part.scaled:
        above = part.after, (mpq(0),) * len(part.after)
    if not left_out:
        tensors.check_all_taken(
            f"name what belongs to the network as readout, embedding and norm, or {_left_out(where)}"
        )
    return network_with_readout([layer], above, alphabet, name)


def _norm(tensors: Tensors, norm: str, width: int, settings: Settings) -> tuple[Vector, Vector | None, mpq]:
    weight = exact_values(tensors.take(f"{_dotted(norm)}weight", (width,)))
    bias_name = f"{_dotted(norm)}bias"
    bias = exact_values(tensors.take(bias_name, (width,))) if tensors.has(bias_name) else None
    return weight, bias, settings.eps()


def network_with_readout(
    layers: list[RecurrentLayer], linear: tuple[Matrix, Vector] | None, alphabet: Iterable[str] | None, name: str
) -> Network:
    """Return the network of layers with a linear readout: a number if it has one row, else a tuple.

    Without a readout the outputs are the hidden state of the last layer, as those of torch's modules are.
    """
    weight: Any
    bias: Any
    if linear is None:
        size = layers[-1].hidden_size
        weight = tuple(tuple(mpq(i == j) for j in range(size)) for i in range(size))
        bias = (mpq(0),) * size
    else:
        weight, bias = linear
        if len(weight) == 1:
            weight, bias = weight[0], bias[0]
    return StackedRNN(layers, readout_weight=weight, readout_bias=bias, alphabet=alphabet, name=name)


def _dotted(prefix: str) -> str:
    return prefix if not prefix or prefix.endswith(".") else f"{prefix}."
