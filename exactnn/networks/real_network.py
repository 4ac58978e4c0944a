"""A network whose start state holds real numbers, lazily refined; all that is rational of it is a `Network`."""

from dataclasses import dataclass, replace

from exactnn.arithmetic import LazyReal, counted
from exactnn.errors import NetworkError, shown
from exactnn.markup import named
from exactnn.networks.circuit import Circuit
from exactnn.networks.network import Decision, Network

__all__ = ["RealNetwork"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RealNetwork:
    """A network with real numbers in its start state, and rational weights.

    It is no `Network`, whose parameters are rational by contract, so that nothing can take one for the other.
    :func:`exactnn.run` executes it; :meth:`truncated` is a network of rationals near it.

    Parameters
    ----------
    template : Network
        The network with the rational part of the start state.
    reals : tuple of (int, LazyReal)
        What is added to which component of the start state.

    Raises
    ------
    NetworkError
        If there is no such component, or one is named twice; if `template` is no Network, or one of `reals` no pair.

    Examples
    --------
    A network that gives the binary digits of its start state, one for each step: x' = 2x - digit.

    >>> from gmpy2 import mpq
    >>> from exactnn.arithmetic import lazy_real
    >>> from exactnn.networks.activation import Activation
    >>> from exactnn.networks.circuit import Unit
    >>> digit = Unit(name="digit", bias=-1, linear=((0, 2),), activation=Activation.HEAVISIDE)
    >>> rest = Unit(name="x", bias=0, linear=((0, 2), (3, -1)))
    >>> circuit = Circuit(state_size=2, input_size=1, layers=((digit,), (rest,)), next_state=(4, 3))
    >>> output = Unit(name="output", bias=0, linear=((1, 1),))
    >>> template = Network(circuit=circuit, initial_state=(0, 0), readout=(output,))
    >>> net = RealNetwork(template=template, reals=((0, lazy_real(lambda k: k % 2, base=2)),))
    >>> net.truncated(3).initial_state
    (mpq(1,4), mpq(0,1))
    """

    template: Network
    reals: tuple[tuple[int, LazyReal], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.template, Network):
            raise NetworkError(f"template={shown(self.template)}: give a Network, with the rational part of the start")
        for pair in self.reals if isinstance(self.reals, tuple) else [self.reals]:
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[1], LazyReal):
                raise NetworkError(f"{shown(pair)} in reals: give a tuple of pairs (place, LazyReal)")
        places = [place for place, _ in self.reals]
        for place in places:
            if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < self.template.neurons:
                raise NetworkError(f"a real stands at {shown(place)}: the state has places 0 to {self.neurons - 1}")
        if len(set(places)) != len(places):
            raise NetworkError(f"reals stand at {shown(places)}: name each place once")

    @property
    def name(self) -> str:
        """Name of the network."""
        return self.template.name

    @property
    def neurons(self) -> int:
        """Size d' of the state."""
        return self.template.neurons

    @property
    def circuit(self) -> Circuit:
        """The recurrent step."""
        return self.template.circuit

    @property
    def alphabet(self) -> tuple[str, ...] | None:
        """The symbols that are read, or None if inputs are vectors."""
        return self.template.alphabet

    @property
    def decision(self) -> Decision:
        """How outputs become verdicts."""
        return self.template.decision

    def truncated(self, digits: int) -> Network:
        """Return the network with the first `digits` digits of the reals only; as far as those go, it does the same."""
        state = list(self.template.initial_state)
        for place, real in self.reals:
            state[place] += real.enclosure(digits).low
        return replace(self.template, initial_state=tuple(state), name=f"{self.name}, {counted(digits, 'digit')}")

    def __repr__(self) -> str:
        sizes = f"{counted(self.neurons, 'neuron')}, {len(self.reals)} of them real at the start"
        return f"<RealNetwork {named(self.name)}: {sizes}>"
