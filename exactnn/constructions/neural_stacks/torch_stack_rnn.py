"""Stack RNNs trained with torch: the parameters of the published modules, by their names, every weight exactly."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import counted
from exactnn.constructions.neural_stacks.stack_rnn import StackRNN
from exactnn.errors import NetworkFileError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, identity
from exactnn.networks import Network
from exactnn.networks.exchange.tensors import Tensors, exact_rows, exact_values
from exactnn.networks.exchange.torch_import import read_torch
from exactnn.networks.exchange.torch_parameters import torch_layers
from exactnn.stacks.stratified import StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack

if TYPE_CHECKING:
    import torch

__all__ = ["stack_rnn_from_torch"]

ACTIONS, VALUES = "action_layer.linear", "push_value_layer.linear"


def stack_rnn_from_torch(
    source: "torch.nn.Module | Mapping[str, Any]",
    *,
    depth: int,
    readout: str | None = None,
    alphabet: Iterable[str] | None = None,
    name: str | None = None,
) -> Network:
    """Return the network of a published stack RNN in torch, its weights exactly.

    Parameters
    ----------
    source : torch.nn.Module or state_dict
        A `GrefenstetteRNN` or a `JoulinMikolovRNN` with one stack, as in the code of DuSell and Chiang, or a module
        that has one. Its tensors are ``controller.rnn.weight_ih_l0`` and so on, of an LSTM, a GRU or a simple RNN of
        one layer (of tanh, if a state_dict is given, which does not say it); ``action_layer.linear``, of
        two sigmoids (push, pop) or a softmax of three numbers (push, pop, neither); and ``push_value_layer.linear``,
        through tanh or sigmoid, without which the hidden state is pushed.
    depth : int
        How many cells the stack has. The published code has as many as there are steps.
    readout : str, optional
        Where the tensors of a linear layer above are, such as "layer.linear". Without it outputs are hidden states.
    alphabet : iterable of str, optional
        The symbols of the one-hot vectors. With it, and one output, the network gives verdicts.
    name : str, optional

    Returns
    -------
    Network
        As of :func:`StackRNN`: the last output is what has fallen off the end of the stack, 0 as long as nothing has.

    Raises
    ------
    NetworkFileError, NumberError, OptionError
        If a tensor is missing, left over or of a wrong shape, a weight is not finite, or there are several stacks.

    References
    ----------
    B. DuSell and D. Chiang, "Learning context-free languages with nondeterministic stack RNNs", CoNLL 2020, and
    github.com/bdusell/nondeterministic-stack-rnn, which these names are from.

    Examples
    --------
    >>> tensors = {
    ...     "controller.rnn.weight_ih_l0": np.ones((1, 3)),
    ...     "controller.rnn.weight_hh_l0": np.ones((1, 1)),
    ...     "action_layer.linear.weight": np.array([[2.0], [-2.0]]),
    ...     "action_layer.linear.bias": np.zeros(2),
    ...     "push_value_layer.linear.weight": np.array([[1.0]]),
    ...     "push_value_layer.linear.bias": np.zeros(1),
    ... }
    >>> stack_rnn_from_torch(tensors, depth=4)
    <Network state_dict: 11 neurons, 88 weights>
    """
    if readout is not None and not isinstance(readout, str):
        raise OptionError(f"readout={shown(readout)}: give the first part of the tensors' names, as in 'layer.linear'")
    arrays, modules, title = read_torch(source)
    tensors = Tensors(arrays, title)
    where = _prefix(tensors)
    own = getattr(modules.get(f"{where}controller.rnn"), "nonlinearity", "tanh")
    layers = torch_layers(tensors, f"{where}controller.rnn.", cell=None, nonlinearity=own)
    if len(layers) > 1:
        raise NetworkFileError(f"the controller of {title} has {len(layers)} layers: give one with one layer")
    (controller,) = layers
    n = controller.hidden_size
    (push, pop, *neither), (push_bias, pop_bias, *bias) = _actions(tensors, f"{where}{ACTIONS}", n)
    if neither:  # a softmax is that of the differences to one of its numbers
        push, pop = (tuple(map(mpq.__sub__, row, neither[0])) for row in (push, pop))
        push_bias, pop_bias = push_bias - bias[0], pop_bias - bias[0]
    if neither and f"{where}{VALUES}.weight" not in tensors:
        value, squashing = (identity(n), (mpq(0),) * n), "identity"
    else:
        value, squashing = _linear(tensors, f"{where}{VALUES}", n), "sigmoid" if neither else "tanh"
    weight: Any
    last: Any
    weight, last = (identity(n), (mpq(0),) * n) if readout is None else _linear(tensors, readout, n)
    if len(weight) == 1 and readout is not None:
        weight, last = weight[0], last[0]
    tensors.check_all_taken("name a linear layer above with readout=, and give what has no other tensors")
    size = len(value[0])
    return StackRNN(
        controller=controller,
        stack=SuperpositionStack(values=size) if neither else StratifiedStack(values=size),
        depth=depth,
        push_weight=push,
        push_bias=push_bias,
        pop_weight=pop,
        pop_bias=pop_bias,
        value_weight=value[0],
        value_bias=value[1],
        gate="softmax" if neither else "sigmoid",
        value=squashing,
        readout_weight=weight,
        readout_bias=last,
        alphabet=alphabet,
        name=title if name is None else name,
    )


def _prefix(tensors: Tensors) -> str:
    """Return what stands before the names of the only stack RNN there is."""
    first = f"{ACTIONS}.weight"
    found = sorted(name.removesuffix(first) for name in tensors if name == first or name.endswith(f".{first}"))
    if len(found) != 1:
        raise NetworkFileError(
            f"{tensors.source} has {counted(len(found), 'tensor')} {first}, of which a published stack RNN has one: "
            f"there are {shown(', '.join(sorted(tensors)[:12]) or 'none', limit=300)}"
        )
    return found[0]


def _actions(tensors: Tensors, name: str, size: int) -> tuple[Matrix, Vector]:
    weight, bias = _linear(tensors, name, size)
    if len(weight) not in (2, 3):
        raise NetworkFileError(
            f"{tensors.source}: {name} gives {counted(len(weight), 'number')}, where 2 (push, pop) or 3 (push, pop, "
            "neither) are expected: a module with several stacks is not read"
        )
    return weight, bias


def _linear(tensors: Tensors, name: str, size: int) -> tuple[Matrix, Vector]:
    """Return the weights and the bias of a linear layer of so many inputs."""
    weight = tensors.take(f"{name}.weight", (None, size))
    bias = f"{name}.bias"
    read = tensors.take(bias, (len(weight),)) if bias in tensors else np.zeros(len(weight))
    return exact_rows(weight), exact_values(read)
