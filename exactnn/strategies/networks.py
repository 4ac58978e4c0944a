"""Networks around any circuit, with any protocol."""

from collections.abc import Sequence

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.networks import EOS, PIECEWISE_LINEAR, Activation, Circuit, Decision, Network, Protocol
from exactnn.strategies.bounds import check_bounds, check_choices, check_strategies
from exactnn.strategies.circuits import circuits, units
from exactnn.strategies.numbers import rationals
from exactnn.strategies.words import LETTERS

__all__ = ["networks"]


def networks(
    *,
    weights: st.SearchStrategy[mpq] | None = None,
    activations: Sequence[Activation] = PIECEWISE_LINEAR,
    protocols: Sequence[Protocol] = tuple(Protocol),
    names: st.SearchStrategy[str] | None = None,
    max_state: int = 4,
    max_input: int = 3,
    max_layers: int = 3,
    max_units: int = 3,
) -> st.SearchStrategy[Network]:
    """Networks around :func:`circuits`, reading vectors or one-hot symbols, of any of `protocols`.

    Parameters
    ----------
    weights : strategy of rationals, optional
        Of weights, biases and start states.
    activations : sequence of Activation
    protocols : sequence of Protocol
    names : strategy of str, optional
    max_state, max_input, max_layers, max_units : int
        As of :func:`circuits`.

    Raises
    ------
    OptionError
        If a bound is negative, a layer may have no unit, there may be no input where EOS is read, or what should be a
        strategy is none.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(networks(), lambda network: network.alphabet and network.neurons)
    <Network network: 1 neuron, 0 weights>
    """
    check_choices(tuple(Protocol), protocols=protocols)
    check_strategies(weights=weights, names=names)
    check_bounds(0, len(LETTERS), max_input=max_input)
    weight = rationals() if weights is None else weights
    circuit = circuits(
        weights=weight,
        activations=activations,
        max_state=max_state,
        min_input=int(all(protocol.reads_eos for protocol in protocols)),
        max_input=max_input,
        max_layers=max_layers,
        max_units=max_units,
    )
    return _networks(
        circuit, weight, tuple(activations), tuple(protocols), st.just("network") if names is None else names
    )


@st.composite
def _networks(
    draw: st.DrawFn,
    circuits_of_sizes: st.SearchStrategy[Circuit],
    weight: st.SearchStrategy[mpq],
    activations: tuple[Activation, ...],
    protocols: tuple[Protocol, ...],
    names: st.SearchStrategy[str],
) -> Network:
    circuit = draw(circuits_of_sizes)
    protocol = draw(st.sampled_from([p for p in protocols if circuit.input_size or not p.reads_eos]))
    scalar = protocol is not Protocol.OUTPUTS or draw(st.booleans())
    outputs = 1 if scalar else draw(st.integers(0, 3))
    one_hot = protocol.reads_eos or draw(st.booleans())
    alphabet = tuple(LETTERS[: circuit.input_size])
    if protocol.reads_eos:
        alphabet = (*alphabet[1:], EOS)
    return Network(
        circuit=circuit,
        initial_state=tuple(draw(weight) for _ in range(circuit.state_size)),
        readout=tuple(draw(units(f"y{i}", circuit.state_size, weight, activations)) for i in range(outputs)),
        alphabet=alphabet if one_hot else None,
        decision=Decision(protocol=protocol, threshold=draw(st.sampled_from((mpq(0), mpq(1, 2), mpq(1, 3))))),
        scalar_output=scalar,
        name=draw(names),
    )
