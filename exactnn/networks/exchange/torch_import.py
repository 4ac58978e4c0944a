"""Trained networks from torch: modules and their state dictionaries, every weight as exactly the number that it is."""

import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from exactnn.errors import NetworkFileError, NumberError, UnreadModuleWarning, shown
from exactnn.networks.exchange.feed_forward import Names, in_order, names_of
from exactnn.networks.exchange.tensors import Doubles, Tensors, as_doubles
from exactnn.networks.exchange.torch_modules import is_harmless, kind_of, names_read
from exactnn.networks.exchange.torch_parameters import is_first
from exactnn.networks.exchange.trained_network import trained_network
from exactnn.networks.network import Network
from exactnn.options import mapped

if TYPE_CHECKING:
    import torch

__all__ = ["from_torch", "read_torch"]


def from_torch(
    source: "torch.nn.Module | Mapping[str, Any]",
    *,
    prefix: Names | None = None,
    readout: Names | None = None,
    embedding: str | None = None,
    cell: str | None = None,
    nonlinearity: str | None = None,
    h: Any = None,
    c: Any = None,
    norm: str | None = None,
    settings: Mapping[str, Any] | None = None,
    alphabet: Iterable[str] | None = None,
    name: str | None = None,
) -> Network:
    """Return the network of a torch model with an RNN, LSTM or GRU in it, its weights exactly; or a linear recurrence.

    Parameters
    ----------
    source : torch.nn.Module or state_dict
        A recurrent module, a model that has one, or the mapping from names to tensors (or numpy arrays) that its
        ``state_dict()`` returns. Names and gates are torch's: ``weight_ih_l0`` and so on, with any number of layers,
        with or without biases; those of single cells (``torch.nn.LSTMCell``) are read too.
    prefix : str or sequence of str, optional
        What stands before ``weight_ih_l0``, such as "rnn"; or several parts in the order in which they are applied,
        such as ["rnn1", "proj", "relu", "rnn2"]: recurrent modules, linear layers, activations. If it is not given
        there must be one recurrent module. If it is one name, other tensors are left out; else every tensor must
        belong to one of the parts, to the readout or to the embedding.
    readout : str or sequence of str, optional
        Where the tensors of a linear layer above are, such as "fc"; or several linear layers and activations, such as
        ["fc1", "relu", "fc2"], the last of which is linear. A ``Sequential`` of them is named as a whole.
    embedding : str, optional
        Where the tensors of an embedding below are, such as "embed". In a module a linear layer may be the embedding,
        too: its columns are the vectors.
    cell : str, optional
        What it should be: "RNN", "LSTM" or "GRU"; or "DeltaNet", "GatedDeltaNet", "GatedDeltaProduct" or
        "GatedLinearAttention" of flash-linear-attention, "Mamba", or "S4D". It is told from names and shapes.
    nonlinearity : {"tanh", "relu"}, optional
        Of an RNN in a state_dict, which does not say it; "tanh" by default, as in torch. A module says it itself; one
        that was traced does not, so that it has to be given. It holds for all RNNs of a state_dict.
    h, c : matrix (layers by n), optional
        Start states of the layers, hidden and of the cell; zeros by default, as in torch. Of several modules the layers
        are counted together.
    norm : str, optional
        Of linear recurrences: where the tensors of an RMSNorm between the embedding and the layer are.
    settings : mapping, optional
        Of linear recurrences: what no tensor tells, by the layer's own names, such as ``{"allow_neg_eigval": True}``.
        Without it a module's own attributes are taken, and of a state_dict the layer's defaults.
    alphabet : iterable of str, optional
        The symbols of the one-hot vectors, or of the rows of the embedding. A word is accepted if the output after it
        is above 0 (with a readout of one row); without an alphabet the network reads vectors and gives outputs.
    name : str, optional

    Returns
    -------
    Network
        Its outputs are those of the readout after every step: a number if it has one row, else a tuple. Without a
        readout they are the hidden state of the last layer.

    Raises
    ------
    NetworkFileError
        If a tensor is missing, left over, or of a wrong shape or type; if the module is bidirectional or has
        projections.
    NumberError
        If a weight is infinite or not a number.
    OptionError, NetworkError
        If an option is out of range, or the alphabet does not fit.

    Warns
    -----
    UnreadModuleWarning
        If a model has parts without weights that are not for training alone, such as a ReLU, or buffers that are not
        in its state_dict, and no prefix is given: they are left out.

    Notes
    -----
    A float of 8 to 64 bits is a dyadic rational and taken as that. The two biases that torch adds are
    one bias here, their exact sum (but in the candidate of a GRU, whose second one the reset gate multiplies). Dropout
    does nothing after training and is left out; so is ``batch_first``, since a word is one sequence. An embedding is a
    layer of its own, so that its vectors reach the cell as they are.

    Of a linear recurrence everything below the state is a table of the tokens of the embedding. Sums, products and
    quotients in it are exact; where a smooth function or a root comes in, an entry is the nearest float64 to the
    equation's value. The outputs are what is read of the state, before the norm and the gate above; of Mamba they are
    the layer's own. docs/trained_networks.md has the names, and what is refused.

    Examples
    --------
    >>> parity = {"weight_ih_l0": np.array([[2.0], [1.0]]), "weight_hh_l0": np.array([[0.0, 0.0], [0.0, 0.0]])}
    >>> network = from_torch(parity, nonlinearity="relu")
    >>> network.neurons, network.circuit.layers[0][0].linear
    (2, ((2, mpq(2,1)),))
    """
    arrays, told, title = read_torch(source)
    tensors = Tensors(arrays, title)
    options: dict[str, Any] = {"embedding": embedding, "cell": cell, "alphabet": alphabet}
    parts, above = names_of("prefix", prefix), names_of("readout", readout)
    options |= {"prefix": parts or None, "readout": above or None}
    if told and len(parts) != 1 and any(map(is_first, tensors)):
        _tell_what_is_unread(told, title, names_read(set(in_order((*parts, *above), told, tensors)), told))
    return trained_network(
        tensors,
        nonlinearity=nonlinearity,
        norm=norm,
        settings=settings,
        modules=told,
        h=_start(h, "h"),
        c=_start(c, "c"),
        name=title if name is None else name,
        **options,
    )


def read_torch(source: Any) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Return the tensors as arrays, the submodules by name, and what to call it all."""
    torch: Any = sys.modules.get("torch")  # whoever has a module has imported it
    if torch is not None and isinstance(source, torch.nn.Module):
        modules = dict(source.named_modules(remove_duplicate=False))  # a module may have several names
        tensors, title = source.state_dict(), kind_of(source)
    elif isinstance(source, Mapping):
        tensors, modules, title = mapped("source", source, error=NetworkFileError), {}, "state_dict"
    else:
        raise NetworkFileError(
            f"{shown(source)} is no torch.nn.Module and no state_dict: give one of these, and weights in a file as "
            "safetensors (load_safetensors)"
        )
    if not tensors:
        raise NetworkFileError(f"{title} is empty: give a module with weights, or what its state_dict() returns")
    arrays = {}
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise NetworkFileError(f"{title} has the key {shown(name)}: the keys of a state_dict are names")
        if isinstance(tensor, Mapping) and any(isinstance(key, str) and "weight" in key for key in tensor):
            raise NetworkFileError(
                f"{title} has a mapping with weights under {shown(name)}, as checkpoints do: give that one alone"
            )
        arrays[name] = _array(tensor, name, torch)
    return arrays, modules, title


def _array(tensor: Any, name: str, torch: Any) -> Any:
    if isinstance(tensor, np.ndarray):
        return tensor
    if torch is None or not isinstance(tensor, torch.Tensor):
        return np.array(None, dtype=object)  # such as settings among the tensors: refused if it is asked for
    if tensor.layout is not torch.strided or tensor.is_meta or tensor.is_quantized:
        raise NetworkFileError(
            f"tensor {shown(name)} is sparse, quantized or without data: give dense tensors of floating-point numbers"
        )
    still = tensor.detach().cpu()
    known = not still.is_floating_point() or still.dtype in (torch.float16, torch.float32, torch.float64)
    return (still if known else still.double()).numpy()  # numpy has no bfloat16, and no floats of 8 bits


def _tell_what_is_unread(modules: dict[str, Any], title: str, read: set[str]) -> None:
    """Warn of modules without weights or parts that are not read: they compute something, and `forward` says where."""
    unread = [
        f"{name} ({kind_of(module)})"
        for name, module in modules.items()
        if name and name not in read and not module.state_dict() and not any(module.children())
        if not is_harmless(module)
    ]
    if unread:
        warnings.warn(
            f"{title} has parts without weights, which are left out: {', '.join(unread)}. What forward does with them "
            "is not read: name activations in readout= or prefix= where they are applied, make sure that nothing else "
            "is computed between the parts that are read, or leave the others out by prefix=",
            UnreadModuleWarning,
            stacklevel=3,
        )
    root = modules[""]
    saved = root.state_dict()
    hidden = [name for name, _ in root.named_buffers() if name not in saved]
    if hidden:
        warnings.warn(
            f"{title} has buffers that its state_dict() leaves out, which are not read: {', '.join(hidden)}. Start "
            "states are given by h= and c=; where forward needs none of these, leave them out by prefix=",
            UnreadModuleWarning,
            stacklevel=3,
        )


def _start(values: Any, what: str) -> Doubles | None:
    """Return start states as a matrix, one row a layer; torch has a middle axis for the batch."""
    if values is None:
        return None
    torch: Any = sys.modules.get("torch")
    try:
        given = _array(values, what, torch) if torch and isinstance(values, torch.Tensor) else values
        array = np.asarray(given)
    except ValueError:
        raise NetworkFileError(f"start states {what} have rows of several lengths: give a matrix") from None
    except Exception as error:  # the code of others may raise anything
        raise NetworkFileError(
            f"start states {what} raise {shown(error)} where their entries are read: give a matrix"
        ) from error
    doubles = as_doubles(array.astype(np.float64) if array.dtype.kind in "iu" else array, what)
    if doubles.ravel().tolist() != np.asarray(given, dtype=object).ravel().tolist():
        raise NumberError(f"start states {what} have an integer that is no float64, and nothing is rounded here")
    return doubles[:, 0] if doubles.ndim == 3 and doubles.shape[1] == 1 else doubles
