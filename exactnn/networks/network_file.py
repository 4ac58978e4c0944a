"""Networks as files: versioned JSON with hexadecimal numbers, so that no digit limit ever bites.

A file is data from a stranger: its size is bounded, every field is checked, nothing is evaluated.
"""

import json
import os
from collections.abc import Collection
from typing import Any, TypeVar

from gmpy2 import mpq

from exactnn.arithmetic import exact, exact_text
from exactnn.errors import ExactnnError, NetworkFileError, reason_of, shown
from exactnn.files import write_file
from exactnn.networks.activation import ACTIVATIONS, Activation, Kind
from exactnn.networks.any_network import FORMAT, MODEL_READERS, network_of
from exactnn.networks.circuit import Circuit, Unit
from exactnn.networks.network import Decision, Network, Protocol
from exactnn.options import file_path

__all__ = ["SIZE_LIMIT", "VERSION", "load_network", "network_from_json", "network_to_json", "save_network"]

VERSION = 1
SIZE_LIMIT = 256 * 2**20
"""Largest network file that is read, in bytes."""

_KEYS = (
    *("format", "version", "name", "alphabet", "protocol", "threshold", "full", "scalar_output", "input_bounds"),
    *("initial_state", "input_size", "layers", "next_state", "readout"),
)
_UNIT_KEYS = ("name", "activation", "bias", "linear", "bilinear")

LARGEST_INPUT = 10**6
"""Largest input dimension that is read; a file can name any number, however few weights it holds."""

_WRITERS = "give a file that `exactnn compile` or save_network wrote"

E = TypeVar("E", Kind, Protocol)


def save_network(network: Any, path: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Write `network` to `path` as JSON, exactly; a file that is there is replaced in one step.

    Parameters
    ----------
    network : Network, Construction, machine or name of a machine
    path : str or path
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    NetworkFileError
        If it is no network, or one with a real start state, or the file cannot be written.
    """
    text = json.dumps(network_to_json(network_of(network, error=NetworkFileError)))
    write_file(path, text.encode("ascii"), error=NetworkFileError, replace=replace)


def load_network(path: str | os.PathLike[str]) -> Network:
    """Read a network that :func:`save_network` wrote.

    Raises
    ------
    NetworkFileError
        If the file is missing, too large, not such JSON, or describes no valid network.
    """
    source = file_path("path", path, error=NetworkFileError)
    try:
        if source.exists() and not source.is_file():
            raise NetworkFileError(f"{_shown_path(path)} is not a regular file: give a network file (.json)")
        size = source.stat().st_size
        if size > SIZE_LIMIT:
            raise NetworkFileError(
                f"{_shown_path(path)} has {size} bytes; network files of up to {SIZE_LIMIT} are read"
            )
        text = source.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            reader = MODEL_READERS.get(source.suffix.lower())
            hint = f": {reader} reads such a model" if reader else ""
            raise NetworkFileError(f"{_shown_path(path)} is not UTF-8 text: byte {error.start}{hint}") from None
        reason = f"{reason_of(error)}: {_WRITERS}"
        raise NetworkFileError(f"cannot read {_shown_path(path)}: {reason}") from None
    try:
        return network_from_json(json.loads(text, object_pairs_hook=_unique))
    except ExactnnError as error:
        raise NetworkFileError(f"{_shown_path(path)}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise NetworkFileError(f"{_shown_path(path)} is not a network file: {shown(str(error))}: {_WRITERS}") from None


def network_to_json(network: Network) -> dict[str, Any]:
    """Return `network` as JSON data."""
    circuit = network.circuit
    bounds = network.input_bounds
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": network.name,
        "alphabet": None if network.alphabet is None else list(network.alphabet),
        "protocol": str(network.decision.protocol),
        "threshold": exact_text(network.decision.threshold),
        **({} if network.decision.full is None else {"full": exact_text(network.decision.full)}),
        "scalar_output": network.scalar_output,
        **({} if bounds is None else {"input_bounds": [exact_text(value) for value in bounds]}),
        "initial_state": [exact_text(value) for value in network.initial_state],
        "input_size": circuit.input_size,
        "layers": [[_unit_to_json(unit) for unit in layer] for layer in circuit.layers],
        "next_state": list(circuit.next_state),
        "readout": [_unit_to_json(unit) for unit in network.readout],
    }


def network_from_json(data: object) -> Network:
    """Return the network that JSON `data` describes; raises NetworkFileError or another ExactnnError."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NetworkFileError(f'this is not a network file: "format" must be {FORMAT!r}')
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise NetworkFileError(f'"version" is {shown(data.get("version"))}; this exactnn reads version {VERSION}')
    _refuse_others(data, _KEYS, "a network")
    alphabet = data.get("alphabet")
    initial_state = tuple(_number(value, "initial_state") for value in _field(data, "initial_state", list))
    circuit = Circuit(
        state_size=len(initial_state),
        input_size=_input_size(data.get("input_size")),
        layers=tuple(_units(layer, "layers") for layer in _field(data, "layers", list)),
        next_state=tuple(_index(register, "next_state") for register in _field(data, "next_state", list)),
    )
    decision = Decision(
        protocol=_member(Protocol, data.get("protocol"), "protocol"),
        threshold=_number(data.get("threshold"), "threshold"),
        full=None if data.get("full") is None else _number(data["full"], "full"),
    )
    return Network(
        circuit=circuit,
        initial_state=initial_state,
        readout=_units(data.get("readout"), "readout"),
        alphabet=None if alphabet is None else tuple(_text(a, "alphabet") for a in _field(data, "alphabet", list)),
        decision=decision,
        scalar_output=_field(data, "scalar_output", bool),
        name=_text(data.get("name"), "name"),
        input_bounds=_bounds(data),
    )


def _bounds(data: dict[str, Any]) -> tuple[mpq, ...] | None:
    if data.get("input_bounds") is None:
        return None
    return tuple(_number(value, "input_bounds") for value in _field(data, "input_bounds", list))


def _unit_to_json(unit: Unit) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": unit.name,
        "activation": _activation_to_json(unit.activation),
        "bias": exact_text(unit.bias),
        "linear": [[register, exact_text(weight)] for register, weight in unit.linear],
    }
    if unit.bilinear:
        entry["bilinear"] = [[first, second, exact_text(weight)] for first, second, weight in unit.bilinear]
    return entry


def _activation_to_json(activation: Activation) -> object:
    """Return the name of an activation that has one, else its data."""
    if ACTIVATIONS.get(activation.name) == activation:
        return activation.name
    bounds = {"low": activation.low, "high": activation.high}
    texts = {key: None if bound is None else exact_text(bound) for key, bound in bounds.items()}
    return {"name": activation.name, "kind": str(activation.kind), **texts}


def _activation(entry: object, where: str) -> Activation:
    if not isinstance(entry, dict):
        return Activation.named(entry)
    if unknown := entry.keys() - {"name", "kind", "low", "high"}:
        raise NetworkFileError(f"{where} has the unknown key {shown(min(unknown))}")
    low, high = (None if entry.get(key) is None else _number(entry[key], where) for key in ("low", "high"))
    return Activation(
        name=_text(entry.get("name"), where), kind=_member(Kind, entry.get("kind"), where), low=low, high=high
    )


def _units(entries: object, where: str) -> tuple[Unit, ...]:
    if not isinstance(entries, list):
        raise NetworkFileError(f"{where}: {shown(entries)} is not a list of units")
    return tuple(_unit(entry, where) for entry in entries)


def _unit(entry: object, where: str) -> Unit:
    if not isinstance(entry, dict):
        raise NetworkFileError(f"{where}: {shown(entry)} is not a unit")
    _refuse_others(entry, _UNIT_KEYS, f"{where}: a unit")
    linear = [_term(term, 1, where) for term in _field(entry, "linear", list)]
    bilinear = [_term(term, 2, where) for term in _field({"bilinear": [], **entry}, "bilinear", list)]
    return Unit(
        name=_text(entry.get("name"), f"{where}: name"),
        bias=_number(entry.get("bias"), f"{where}: bias"),
        linear=tuple((registers[0], weight) for registers, weight in linear),
        bilinear=tuple((registers[0], registers[1], weight) for registers, weight in bilinear),
        activation=_activation(entry.get("activation"), f"{where}: activation"),
    )


def _term(term: object, order: int, where: str) -> tuple[list[int], mpq]:
    if not isinstance(term, list) or len(term) != order + 1:
        raise NetworkFileError(f"{where}: {shown(term)} is not a term of {order} register(s) and a weight")
    return [_index(register, where) for register in term[:order]], _number(term[order], where)


def _refuse_others(data: dict[str, Any], known: Collection[str], what: str) -> None:
    """Raise NetworkFileError for a key that says nothing here: it may be a misspelt one, or of a later version."""
    if unknown := [key for key in data if key not in known]:
        raise NetworkFileError(f"{what} has no key {shown(unknown[0])}: it has {', '.join(known)}")


def _field(data: dict[str, Any], key: str, kind: type) -> Any:
    value = data.get(key)
    if not isinstance(value, kind):
        raise NetworkFileError(f'"{key}" is {shown(value)}, not a {kind.__name__}')
    return value


def _number(value: object, where: str) -> mpq:
    if not isinstance(value, str):
        raise NetworkFileError(f'{where}: {shown(value)} is not a number written as text, such as "0x3/0x4"')
    return exact(value)


def _index(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise NetworkFileError(f"{where}: {shown(value)} is not a whole number of at least 0")
    return value


def _input_size(value: object) -> int:
    size = _index(value, "input_size")
    if size > LARGEST_INPUT:
        raise NetworkFileError(f"input_size: {shown(size)} is more than {LARGEST_INPUT}, the most that is read")
    return size


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise NetworkFileError(f"{where}: {shown(value)} is not text")
    return value


def _member(kind: type[E], value: object, where: str) -> E:
    try:
        return kind(str(value))
    except ValueError:
        raise NetworkFileError(f"{where}: {shown(value)} is none of {', '.join(kind)}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise NetworkFileError(f"a key is given twice among {shown(sorted(key for key, _ in pairs))}")
    return entries


def _shown_path(path: object) -> str:
    """Return a path for a message, whole: its end names the file."""
    return shown(str(path), limit=1000)
