"""What people mean by a network: a Network, what has one, a machine, the name of a machine, or a file."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeGuard

from exactnn.automata import Machine, machine_of
from exactnn.errors import NetworkError, shown
from exactnn.interrupts import loaded
from exactnn.networks.network import Network
from exactnn.networks.real_network import RealNetwork

__all__ = [
    "FORMAT",
    "MODEL_READERS",
    "AnyNetwork",
    "Runnable",
    "is_network_file",
    "meant_by",
    "names_network",
    "network_named",
    "network_of",
    "real_network_of",
    "runnable_of",
]

FORMAT = "exactnn network"
"""What a network file says that it is, before anything else."""

MOST_KEPT = 64
"""Networks of machines of the zoo that are kept."""
_OF_TORCH = "exactnn.from_torch of what torch.load gives"
MODEL_READERS = {
    ".safetensors": "exactnn.load_safetensors",
    ".onnx": "exactnn.load_onnx",
    ".pt": _OF_TORCH,
    ".pth": _OF_TORCH,
}
"""What reads a trained model, by the ending of its file."""


class Runnable(Protocol):
    """A network together with what its steps mean (a construction)."""

    @property
    def network(self) -> Network | RealNetwork:
        """The network."""

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Moves of the simulated machine after so many network steps on a word of that length."""

    def decode(self, state: Any, *, cells: int | None = None) -> object:
        """The configuration that a network state stands for."""


AnyNetwork = Network | Runnable | Machine | str
"""A network, a construction, a machine, which is compiled by its default construction, a name of one, or a file."""


def runnable_of(subject: Any) -> Any:
    """Return what runs: what a file holds, a machine compiled, or `subject` as it is if it is neither.

    A machine may be one of automata-lib, or a name or a path that :func:`exactnn.load` takes. A network may be given
    by a name of :data:`exactnn.NETWORKS`, or by a file of :func:`exactnn.save_network`, of ONNX or of safetensors.

    >>> runnable_of("parity")
    <minsky of parity: 5 neurons>
    """
    if isinstance(subject, Network | RealNetwork) or hasattr(subject, "network"):
        return subject
    if isinstance(subject, str) and subject in loaded("exactnn.machine_files").zoo_names():
        return _of_zoo(subject)
    subject = meant_by(subject)
    if isinstance(subject, Machine):
        return loaded("exactnn.constructions").compile(subject)  # it stands on what runs: asked for when needed
    return subject


@lru_cache(maxsize=MOST_KEPT)
def _of_zoo(name: str) -> Any:
    """Return a machine of the zoo compiled, the same network each time: what its runs find out is kept with it."""
    return loaded("exactnn.constructions").compile(name)


def meant_by(name: Any) -> Any:
    """Return the network of a name or in a file, or the machine of a name, and anything else as it is.

    >>> meant_by("parity").states, meant_by("lstm_anbn"), meant_by(5)
    (('even', 'odd'), <lstm_anbn of a^n b^n: 6 neurons>, 5)
    """
    return network_named(name) if names_network(name) else machine_of(name)


def names_network(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether `source` is a name of :data:`exactnn.NETWORKS`, or the path of a network file or of a model.

    >>> names_network("lstm_anbn"), names_network("parity")
    (True, False)
    """
    return _is_listed(source) or is_network_file(source)


def _is_listed(source: object) -> bool:
    """Whether `source` is a name of a network, which has no dots and slashes as paths do."""
    return isinstance(source, str) and source.isidentifier() and source in loaded("exactnn.constructions").NETWORKS


def network_named(name: str | os.PathLike[str]) -> Network | Runnable:
    """Return the network of a name, or that in a file; raises what the reader of that raises."""
    return loaded("exactnn.constructions").named_network(name) if _is_listed(name) else _network_in_file(name)


def network_of(network: object, *, error: type[NetworkError] = NetworkError) -> Network:
    """Return the network that is meant; raises NetworkError, or the given `error`, if there is none.

    >>> network_of("parity").neurons
    5
    """
    network = runnable_of(network)
    core = network if isinstance(network, Network) else getattr(network, "network", None)
    if isinstance(real := real_network_of(network), RealNetwork):
        raise error(
            f"{real.name} has a real start state, which only exactnn.run refines: give the rational network that "
            "its .truncated(digits) returns"
        )
    if not isinstance(core, Network):
        raise error(
            f"{shown(network)} is no network: give a Network or a Construction (exactnn.compile makes one of a "
            "machine, exactnn.from_torch of a module of torch)"
        )
    return core


def real_network_of(network: object) -> RealNetwork | None:
    """Return the network of a RealNetwork, or of a construction that has one; None for anything else."""
    core = network if isinstance(network, RealNetwork) else getattr(network, "network", None)
    return core if isinstance(core, RealNetwork) else None


def is_network_file(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether `source` is the path of a network file or of a model, by its ending or by how the file begins.

    A name of the zoo comes before a file without an ending: write ``./name`` for the file.

    Examples
    --------
    >>> is_network_file("parity.json"), is_network_file("parity")
    (True, False)
    """
    path = os.fspath(source) if isinstance(source, os.PathLike) else source
    if not isinstance(path, str) or path.lower().endswith(tuple(MODEL_READERS)):
        return isinstance(path, str)
    if path.lower().endswith(".json"):  # but for a machine of automata-lib
        return not loaded("exactnn.machine_files.load").holds_machine(Path(path))
    try:
        if not Path(path).is_file() or path in loaded("exactnn.machine_files").zoo_names():
            return False
        with Path(path).open("rb") as file:
            return file.read(64).startswith(b'{"format": "' + FORMAT.encode())
    except (OSError, ValueError):
        return False


def _network_in_file(path: str | os.PathLike[str]) -> Network:
    """Return the network in a file of our own, of ONNX, or of safetensors; raises what their readers raise."""
    match Path(path).suffix.lower():
        case ".onnx":
            reader = loaded("exactnn.networks.exchange").load_onnx
        case ".safetensors" | ".pt" | ".pth":  # of the last ones the reader says what to do
            reader = loaded("exactnn.networks.exchange").load_safetensors
        case _:
            reader = loaded("exactnn.networks").load_network
    return reader(path)  # type: ignore[no-any-return]
