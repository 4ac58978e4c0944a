"""A network from the named tensors of a torch model: an embedding, recurrent layers and a linear readout."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.exchange.affine_front import AffineFront
from exactnn.networks.exchange.tensors import Doubles, Tensors, exact_rows, exact_values
from exactnn.networks.exchange.torch_parameters import found_prefix, torch_layers
from exactnn.networks.layer import RecurrentLayer, StackedRNN
from exactnn.networks.network import Network

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
    alphabet: Iterable[str] | None,
    name: str,
) -> Network:
    """Return the network of tensors that have torch's names; :func:`from_torch` says what the options mean.

    Raises
    ------
    ExactnnError
        If tensors are missing, left over, of a wrong shape or type, or not finite, or the alphabet does not fit.
    """
    for option, value in (("prefix", prefix), ("readout", readout), ("embedding", embedding)):
        if value is not None and not isinstance(value, str):
            raise OptionError(f"{option}={shown(value)}: give the first part of the tensors' names, as in 'rnn.'")
    where = found_prefix(tensors) if prefix is None else _dotted(prefix)
    layers = torch_layers(tensors, where, cell=cell, nonlinearity=nonlinearity, h=h, c=c)
    if embedding is not None:
        vectors = tensors.take(f"{_dotted(embedding)}weight", (None, layers[0].input_size))
        layers[0] = AffineFront(weight=exact_rows(vectors.T), bias=(mpq(0),) * layers[0].input_size, layer=layers[0])
    linear = None
    if readout is not None:
        weight = tensors.take(f"{_dotted(readout)}weight", (None, layers[-1].hidden_size))
        bias_name = f"{_dotted(readout)}bias"
        bias = tensors.take(bias_name, (len(weight),)) if bias_name in tensors else np.zeros(len(weight))
        linear = exact_rows(weight), exact_values(bias)
    if prefix is None:
        rest = f"leave them out with prefix={where!r}" if where else "take the others out of the dictionary or file"
        tensors.check_all_taken(f"name what belongs to the network with readout= and embedding=, or {rest}")
    return network_with_readout(layers, linear, alphabet, name)


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
