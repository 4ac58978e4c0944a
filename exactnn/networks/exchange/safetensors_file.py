"""Trained networks in safetensors files: tensors by name, without any code, and what they are in the metadata.

A file is data from a stranger: its size is bounded, the safetensors library checks its header, and nothing of it is
evaluated. Pickles, which can run code, are refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from exactnn.arithmetic import exact, exact_text
from exactnn.errors import ExactnnError, MissingExtraError, NetworkError, NetworkFileError, shown
from exactnn.files import write_file
from exactnn.interrupts import Uninterrupted, loaded
from exactnn.networks.any_network import AnyNetwork, network_of
from exactnn.networks.exchange.feed_forward import Names
from exactnn.networks.exchange.tensors import Tensors, read_model
from exactnn.networks.exchange.torch_parameters import torch_parameters
from exactnn.networks.exchange.trained_network import trained_network
from exactnn.networks.network import Decision, Network, Protocol

__all__ = ["METADATA", "OPTIONS", "load_safetensors", "require_safetensors", "save_safetensors"]

METADATA = "exactnn"
"""The entry of a file's metadata that says what its tensors are, as JSON."""

OPTIONS = ("prefix", "readout", "embedding", "norm", "cell", "nonlinearity", "name")
"""What that entry may say besides the alphabet and the decision, all of them text; the first two may be lists of it."""

HEADER_LIMIT = 4 * 2**20
"""Longest header that is read, in bytes: names, types and sizes of some 40,000 tensors."""

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "F8_E5M2": "u1", "F8_E4M3": "u1"}


def load_safetensors(
    path: str | os.PathLike[str],
    *,
    prefix: Names | None = None,
    readout: Names | None = None,
    embedding: str | None = None,
    cell: str | None = None,
    nonlinearity: str | None = None,
    norm: str | None = None,
    settings: Mapping[str, Any] | None = None,
    alphabet: Iterable[str] | None = None,
    name: str | None = None,
) -> Network:
    """Read a safetensors file of a torch model, or one that :func:`save_safetensors` wrote.

    Parameters
    ----------
    path : path
    prefix, readout, embedding, cell, nonlinearity, norm, settings, alphabet, name : optional
        As in :func:`from_torch`. What is not given is what the file's metadata say under "exactnn", which is JSON with
        these names as keys (without `settings`).

    Raises
    ------
    NetworkFileError
        If the file is missing, too large, a pickle, damaged, or has other tensors than such a model.
    NumberError
        If a weight is infinite or not a number.
    OptionError, NetworkError
        If an option is out of range, or the alphabet does not fit.
    MissingExtraError
        If safetensors is not installed.
    """
    data = read_model(path, "a safetensors file")
    source = shown(Path(path).name, limit=200)
    arrays, told = _parsed(data, source)
    given: dict[str, Any] = {
        "prefix": prefix,
        "readout": readout,
        "embedding": embedding,
        "cell": cell,
        "nonlinearity": nonlinearity,
        "norm": norm,
        "settings": settings,
        "name": name,
        "alphabet": alphabet,
    }
    if alphabet is not None:  # then what decides follows from it
        told = {key: value for key, value in told.items() if key not in ("protocol", "threshold")}
    told = {"name": Path(path).stem} | told | {key: value for key, value in given.items() if value is not None}
    try:
        return _network(arrays, told, source)
    except NetworkFileError:
        raise
    except ExactnnError as error:
        raise type(error)(f"{source}: {error}") from None


def save_safetensors(
    network: AnyNetwork, path: str | os.PathLike[str], *, dtype: str = "float64", replace: bool = True
) -> None:
    """Write a network that is a stack of torch's cells as a safetensors file with torch's names.

    Parameters
    ----------
    network : Network
        Of layers of one kind and size, RNN, LSTM or GRU as torch has them, with a linear readout and with or without
        an embedding: what :func:`from_torch` returns.
    path : path
        The file to write.
    dtype : {"float64", "float32", "float16"}
        The type of the tensors. Nothing is rounded: every parameter must be a number of this type.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    NetworkError
        If it is no such network.
    NumberError
        If a parameter is no number of the type.
    OptionError, NetworkFileError
        If there is no such type, or the file cannot be written.
    MissingExtraError
        If safetensors is not installed.

    Notes
    -----
    A file is only written if :func:`load_safetensors` makes the same network of it. Tensors are called
    ``rnn.weight_ih_l0`` and so on, ``readout.weight``, ``readout.bias``, ``embedding.weight``. Of a bias, ``bias_ih``
    is the number of the type nearest to it and ``bias_hh`` the rest.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> third = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="relu")
    >>> save_safetensors(third, "third.safetensors")
    Traceback (most recent call last):
        ...
    exactnn.errors.NumberError: simple RNN: V of layer 0 has 1/3, which is no float64: save it with save_network
    """
    network = network_of(network)
    require_safetensors()
    with Uninterrupted("loading safetensors"):
        from safetensors.numpy import save

    found = torch_parameters(network, dtype)
    told = found.told | {
        "name": network.name,
        "alphabet": None if network.alphabet is None else list(network.alphabet),
        "protocol": str(network.decision.protocol),
        "threshold": exact_text(network.decision.threshold),
    }
    if _network(found.arrays, told, network.name) != network:
        raise NetworkError(
            f"{network.name} has more in it than a stack of torch's cells: save it with save_network, or to_onnx"
        )
    content = save(found.arrays, {METADATA: json.dumps(told)})
    write_file(path, content, error=NetworkFileError, replace=replace)


def require_safetensors() -> ModuleType:
    """Return the module safetensors; raises MissingExtraError if it is not installed."""
    try:
        return loaded("safetensors")
    except ImportError:
        raise MissingExtraError('this needs safetensors: pip install "exactnn[safetensors]"') from None


def _network(arrays: Mapping[str, Any], told: Mapping[str, Any], source: str) -> Network:
    """Return the network of tensors and of what is told of them."""
    tensors = Tensors(arrays, source)
    h, c = (tensors.take(key, (None, None)) if key in tensors else None for key in ("initial_h", "initial_c"))
    keys = ("prefix", "readout", "embedding", "norm", "cell", "nonlinearity", "settings", "alphabet", "name")
    options = {key: told.get(key) for key in keys}
    network = trained_network(tensors, h=h, c=c, **options)  # type: ignore[arg-type]
    if told.get("protocol") is None:
        return network
    decision = Decision(protocol=Protocol.named(told["protocol"]), threshold=exact(told.get("threshold") or 0))
    return replace(network, decision=decision)


def _parsed(data: bytes, source: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tensors of a file, and what its metadata say of them."""
    safetensors = require_safetensors()
    length = int.from_bytes(data[:8], "little")
    if HEADER_LIMIT < length < len(data):  # the library takes minutes, and gigabytes, for the longest that it reads
        raise NetworkFileError(f"{source} has a header of {length} bytes; headers of up to {HEADER_LIMIT} are read")
    try:
        entries = safetensors.deserialize(data)
    except safetensors.SafetensorError as error:
        raise NetworkFileError(f"{source} is not a safetensors file: {shown(str(error), limit=200)}") from None
    try:
        arrays = {name: _array(entry) for name, entry in entries}
    except ValueError as error:  # more axes than arrays have, or a size of nothing that overflows
        raise NetworkFileError(f"{source} has a tensor that is no array: {shown(str(error), limit=200)}") from None
    try:  # the library has read this header, but does not return its metadata
        metadata = json.loads(data[8 : 8 + length]).get("__metadata__") or {}
        told = json.loads(metadata.get(METADATA, "{}"))
    except (ValueError, RecursionError) as error:
        raise NetworkFileError(f"{source}: metadata {METADATA!r} are no JSON: {shown(str(error))}") from None
    return arrays, _checked(told, source)


def _array(entry: Mapping[str, Any]) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    kind = _TYPES.get(entry["dtype"])
    if kind is None:
        return np.array(None, dtype=object)  # refused if it is asked for
    array = np.frombuffer(entry["data"], dtype=kind).reshape(entry["shape"])
    match entry["dtype"]:
        case "BF16":
            return (array.astype(np.uint32) << 16).view(np.float32)  # the upper half of a float32
        case "F8_E5M2":
            return (array.astype(np.uint16) << 8).view(np.float16)  # the upper half of a float16
        case "F8_E4M3":
            return _e4m3_numbers()[array]
        case _:
            return array


def _e4m3_numbers() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Return numbers by their words: a sign, 4 bits of an exponent, 3 of a significand; the last word is NaN."""
    exponents, digits = np.divmod(np.arange(127), 8)
    positive = np.ldexp(digits + 8.0 * (exponents > 0), np.maximum(exponents, 1) - 10)
    half = np.append(positive, np.nan)
    return np.append(half, -half).astype(np.float32)


def _checked(told: object, source: str) -> dict[str, Any]:
    """Return what the metadata say if its entries are of the right kinds."""
    if not isinstance(told, dict):
        raise NetworkFileError(f"{source}: metadata {METADATA!r} are {shown(told)}: a JSON object is expected")
    for key, value in told.items():
        listed = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
        right = value is None or (listed if key == "alphabet" else isinstance(value, str))
        right = right or (listed and key in ("prefix", "readout"))
        right = right and key in (*OPTIONS, "protocol", "threshold", "alphabet")
        if not right:
            raise NetworkFileError(f"{source}: metadata {METADATA!r} have {shown(key)}: {shown(value)}: leave it out")
    return told
