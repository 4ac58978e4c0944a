"""What can be run: a network, or a construction that has one."""

from typing import Protocol

from exactnn.errors import NetworkError, shown
from exactnn.networks import Network, RealNetwork
from exactnn.simulation.executor import Values

__all__ = ["Runnable", "network_of", "real_network_of"]


class Runnable(Protocol):
    """A network together with what its steps mean (a construction)."""

    @property
    def network(self) -> Network | RealNetwork:
        """The network."""

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Moves of the simulated machine after so many network steps on a word of that length."""

    def decode(self, state: Values, *, cells: int | None = None) -> object:
        """The configuration that a network state stands for."""


def network_of(network: object) -> Network:
    """Return the network of a Network or a Construction; raises NetworkError for anything else."""
    core = network if isinstance(network, Network) else getattr(network, "network", None)
    if isinstance(real := real_network_of(network), RealNetwork):
        raise NetworkError(
            f"{real.name} has a real start state, which only exactnn.run refines: give the rational network that "
            "its .truncated(digits) returns"
        )
    if not isinstance(core, Network):
        raise NetworkError(
            f"{shown(network)} is no network: give a Network or a Construction (exactnn.compile makes one of a machine)"
        )
    return core


def real_network_of(network: object) -> RealNetwork | None:
    """Return the network of a RealNetwork, or of a construction that has one; None for anything else."""
    core = network if isinstance(network, RealNetwork) else getattr(network, "network", None)
    return core if isinstance(core, RealNetwork) else None
