"""Weighted automata as linear networks."""

from dataclasses import replace

import gmpy2

from exactnn.automata import WeightedAutomaton
from exactnn.constructions.construction import Codec, Configuration, Construction, require_machine
from exactnn.errors import ConstructionError, ExactnnError
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_vector
from exactnn.networks import weighted_network
from exactnn.simulation import Values

__all__ = ["second_order_network", "weights_of"]


def weights_of(configuration: Configuration, size: int) -> Vector:
    """Return a configuration of a weighted automaton, the weights of its states, as exact numbers.

    Raises
    ------
    ConstructionError
        If it is none.
    """
    try:
        return exact_vector(configuration, "weights", size=size)  # type: ignore[arg-type]
    except ExactnnError as error:
        raise ConstructionError(str(error)) from None


class _WeightsCodec(Codec):
    """A state of the network is the weights of the states."""

    def __init__(self, size: int) -> None:
        self._size = size

    def encode(self, configuration: Configuration) -> Values:
        return weights_of(configuration, self._size)

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        return tuple(state)


def second_order_network(automaton: WeightedAutomaton | str) -> Construction:
    """Return the linear second-order RNN of a weighted automaton: each symbol multiplies the state by its matrix.

    n units for n states, with the automaton's weights, no bias, and the identity as activation. The output after a word
    is its value.

    Parameters
    ----------
    automaton : WeightedAutomaton, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If it is no weighted automaton, has no states, or the alphabet contains the symbol "EOS", which is reserved.

    References
    ----------
    G. Rabusseau, T. Li, D. Precup, "Connecting weighted automata and recurrent neural networks through spectral
    learning", AISTATS 2019.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> count = WeightedAutomaton(input_symbols="ab", initial=[1, 0], final=[0, 1],
    ...     transitions={"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    >>> net = second_order_network(count)
    >>> run(net, "aab").outputs[-1], net.decode(run(net, "aab").final_state)
    (mpq(2,1), (mpq(1,1), mpq(2,1)))
    """
    automaton = require_machine(automaton, WeightedAutomaton, "second_order_network")
    if not automaton.size:
        raise ConstructionError(f"{automaton.name} has no states, every value is 0: there is nothing to compile")
    weights = (*automaton.final, *(x for matrix in automaton.transitions.values() for row in matrix for x in row))
    return Construction(
        name="second_order_network",
        machine=automaton,
        network=replace(weighted_network(automaton), name=f"second_order_network({automaton.name})"),
        codec=_WeightsCodec(automaton.size),
        steps_per_move=1,
        set_up=(0, 0),
        claim="The output after w is the value of w, for every w, and the state is the weights of the states.",
        citation="G. Rabusseau, T. Li, D. Precup, AISTATS 2019",
        weight_field="Z" if all(map(gmpy2.is_integer, weights)) else "Q",
    )
