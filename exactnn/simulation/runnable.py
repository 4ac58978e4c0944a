"""What can be run: a network, or a construction that has one."""

from typing import Protocol

from exactnn.errors import NetworkError, shown
from exactnn.networks import Network
from exactnn.simulation.executor import Values

__all__ = ["Runnable", "network_of"]


class Runnable(Protocol):
    """A network together with what its steps mean (a construction)."""

    @property
    def network(self) -> Network:
        """The network."""

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Moves of the simulated machine after so many network steps on a word of that length."""

    def decode(self, state: Values, *, cells: int | None = None) -> object:
        """The configuration that a network state stands for."""


def network_of(network: object) -> Network:
    """Return the network of a Network or a Construction; raises NetworkError for anything else."""
    core = network if isinstance(network, Network) else getattr(network, "network", None)
    if not isinstance(core, Network):
        raise NetworkError(
            f"{shown(network)} is no network: give a Network or a Construction (exactnn.compile makes one of a machine)"
        )
    return core
