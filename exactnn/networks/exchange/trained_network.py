"""A network from the named tensors of a torch model: an embedding, recurrent layers and a readout."""

from collections.abc import Iterable, Mapping
from operator import add
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.errors import NetworkFileError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.exchange.affine_front import AffineFront
from exactnn.networks.exchange.feed_forward import Names, PartByPart, dotted, in_order, linear_of, names_of
from exactnn.networks.exchange.layer_settings import Settings
from exactnn.networks.exchange.linear_layers import LINEAR_CELLS, found_linear, linear_layer, token_vectors
from exactnn.networks.exchange.tensors import Doubles, Tensors, exact_rows, exact_values
from exactnn.networks.exchange.token_tables import entries, many_bits, product
from exactnn.networks.exchange.torch_modules import kind_of
from exactnn.networks.exchange.torch_parameters import CELLS, found_prefix, is_first, layer_count, torch_layers
from exactnn.networks.layer import RecurrentLayer, StackedRNN
from exactnn.networks.network import Network
from exactnn.options import choice

__all__ = ["network_with_readout", "trained_network"]


def trained_network(
    tensors: Tensors,
    *,
    prefix: Names | None,
    readout: Names | None,
    embedding: str | None,
    cell: str | None,
    nonlinearity: str | None,
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
    for option, value in (("embedding", embedding), ("norm", norm)):
        if value is not None and not isinstance(value, str):
            raise OptionError(f"{option}={shown(value)}: give the first part of the tensors' names, as in 'embed'")
    parts, above, told = names_of("prefix", prefix), names_of("readout", readout), modules or {}
    if cell is not None:
        choice("cell", cell, (*CELLS, *LINEAR_CELLS))
    of_torch = cell in CELLS or (cell is None and any(map(is_first, tensors)))
    linear = None if of_torch else found_linear(tensors, cell, dotted(parts[0]) if parts else None)
    if linear is not None:
        chosen = Settings(settings, told.get(linear[1].removesuffix(".")))
        for option, names in (("prefix", parts), ("readout", above)):
            if len(names) > 1:
                raise OptionError(
                    f"{option}={shown(list(names))}: of a {linear[0]} only one layer is read, give one name"
                )
        starts = [option for option, value in (("h", h), ("c", c)) if value is not None]
        if starts:
            raise OptionError(f"{starts[0]} is a start state of torch's cells: a {linear[0]} begins with zeros")
        return _linear_network(
            tensors, linear, chosen, readout=above[0] if above else None, embedding=embedding, norm=norm,
            alphabet=alphabet, name=name, left_out=prefix is not None, modules=told,
        )  # fmt: skip
    for option, given in (("norm", norm), ("settings", settings)):
        if given is not None:
            raise OptionError(f"{option}={shown(given)}: it is for {', '.join(LINEAR_CELLS)}, leave it out")
    where = parts or (found_prefix(tensors),)
    found = _stacked(tensors, where, told, cell=cell, nonlinearity=nonlinearity, h=h, c=c)
    layers = found.layers
    if embedding is not None:
        vectors, shift = _embedding(tensors, embedding, told, layers[0].input_size)
        layers[0] = AffineFront(weight=exact_rows(vectors.T), bias=shift, layer=layers[0])
    applied, below = list(in_order(above, told, tensors)), len(layers)
    for part in applied:
        found.add(part)
    if above and found.last is None:
        raise NetworkFileError(f"readout={shown(list(above))} {_no_linear_end(applied, len(layers) > below)}")
    if len(parts) != 1:
        left_out = _left_out("" if parts else where[0])
        tensors.check_all_taken(f"name what belongs to the network as readout and embedding, or {left_out}")
    return network_with_readout(layers, found.last, alphabet, name)


def _stacked(
    tensors: Tensors,
    names: tuple[str, ...],
    modules: Mapping[str, Any],
    *,
    cell: str | None,
    nonlinearity: str | None,
    h: Doubles | None,
    c: Doubles | None,
) -> PartByPart:
    """Return the layers of recurrent modules, and of linear layers and activations between them."""
    found, taken = PartByPart(tensors, modules), 0
    parts: list[str] = []
    for name in names:
        recurrent = layer_count(tensors, dotted(name)) or tensors.made_of(f"{dotted(name)}weight_ih_l0")
        parts += [name] if recurrent else in_order([name], modules, tensors)
    if len(parts) == 1:
        given = _nonlinearity(modules, parts[0], nonlinearity)
        found.add_recurrent(torch_layers(tensors, dotted(parts[0]), cell=cell, nonlinearity=given, h=h, c=c))
        return found
    counts = [layer_count(tensors, dotted(part)) for part in parts]
    if not any(counts):
        raise NetworkFileError(f"{tensors.source} has no recurrent module in prefix={shown(list(names))}")
    for matrix, what in ((h, "h"), (c, "c")):
        if matrix is not None and (matrix.ndim != 2 or len(matrix) != sum(counts)):
            raise NetworkFileError(
                f"start states {what} are {matrix.shape}: give a matrix with {sum(counts)} rows, one for each layer"
            )
    for part, count in zip(parts, counts, strict=True):
        if not count:
            found.add(part)
            continue
        rows = slice(taken, taken + count)
        taken += count
        own_h, own_c = None if h is None else h[rows], None if c is None else c[rows]
        given = _nonlinearity(modules, part, nonlinearity)
        found.add_recurrent(
            torch_layers(tensors, dotted(part), cell=cell, nonlinearity=given, h=own_h, c=own_c, width=found.width)
        )
    found.close()
    return found


def _nonlinearity(modules: Mapping[str, Any], name: str, given: str | None) -> str:
    """Return the nonlinearity of a recurrent module, which must be the one that was given, if any."""
    module = modules.get(name.removesuffix("."))
    own = getattr(module, "nonlinearity", None)
    if own is None and given is None and hasattr(module, "original_name") and kind_of(module).startswith("RNN"):
        raise OptionError(
            f"this {kind_of(module)} is a traced module of TorchScript, which does not say its activation: give "
            "nonlinearity='tanh' or 'relu'"
        )
    if own is not None and given is not None and own != given:
        raise OptionError(f"nonlinearity={shown(given)}: that of the module is {shown(own)}, leave it out")
    return own if isinstance(own, str) else "tanh" if given is None else given


def _no_linear_end(applied: list[str], activated: bool) -> str:
    """Return what is wrong with parts of a readout that do not end with a linear layer."""
    if not activated:
        return "has no linear layer: name one, or leave readout out for the hidden states"
    return (
        "ends with an activation: the outputs of a network are those of a linear layer. Leave it out, as in "
        f"readout={shown(applied[:-1])}: sigmoid(x) is above 1/2 where x is above 0"
    )


def _left_out(where: str) -> str:
    """Return what to do with tensors that belong to something else."""
    return f"leave them out by the prefix {where!r}" if where else "take the others out of the dictionary or file"


def _embedding(
    tensors: Tensors, embedding: str, modules: Mapping[str, Any], width: int | None
) -> tuple[Doubles, Vector]:
    """Return the vectors of the tokens, row by row, and what is added to each.

    A linear layer that reads one-hot vectors is an embedding whose vectors are its columns; only a module says that.
    """
    where = dotted(embedding)
    module: Any = modules.get(where.removesuffix("."))
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
    modules: Mapping[str, Any],
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
        weight, bias = linear_of(tensors, readout, len(after))
        if part.scaled and any(bias):
            raise NetworkFileError(
                f"{tensors.source}: tensor {shown(f'{dotted(readout)}bias')} is added to what a norm has divided by a "
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
    weight = exact_values(tensors.take(f"{dotted(norm)}weight", (width,)))
    bias_name = f"{dotted(norm)}bias"
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
