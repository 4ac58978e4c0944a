"""Step circuits of any shape, networks around them with any protocol, and contractive simple RNNs."""

from collections.abc import Sequence
from typing import Literal

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, defect, ldl
from exactnn.networks import (
    ACTIVATIONS,
    EOS,
    PIECEWISE_LINEAR,
    Activation,
    Circuit,
    Decision,
    Network,
    Protocol,
    SimpleRNN,
    Unit,
)
from exactnn.networks.squashing import Squashing
from exactnn.strategies.numbers import LETTERS, check_bounds, check_choices, check_strategies, rationals

__all__ = ["circuits", "contractive_matrices", "contractive_networks", "networks"]

Reads = Literal["vectors", "symbols", "any"]
SHRINKING = mpq(3, 4)


def circuits(
    *,
    weights: st.SearchStrategy[mpq] | None = None,
    activations: Sequence[Activation] = PIECEWISE_LINEAR,
    max_state: int = 4,
    min_input: int = 0,
    max_input: int = 3,
    max_layers: int = 3,
    max_units: int = 3,
) -> st.SearchStrategy[Circuit]:
    """Circuits with linear and second-order terms, and states that copy any register; they shrink to nothing at all.

    Parameters
    ----------
    weights : strategy of rationals, optional
        Of weights and biases.
    activations : sequence of Activation
        By default those that exact arithmetic computes.
    max_state, min_input, max_input : int
        Sizes of state and input.
    max_layers, max_units : int
        Layers, and units in each.

    Raises
    ------
    OptionError
        If a bound is negative, a layer may have no unit, or `weights` is no strategy.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(circuits(), lambda circuit: circuit.units == 1)
    Circuit(state_size=0, input_size=0, layers=((Unit(name='u0.0', bias=mpq(0,1), linear=(), bilinear=(), \
activation=<Activation.IDENTITY: 'identity'>),),), next_state=())
    """
    check_bounds(0, max_state=max_state, min_input=min_input, max_layers=max_layers)
    check_bounds(min_input, max_input=max_input)
    check_bounds(1, max_units=max_units)
    check_choices(known_activations(activations), activations=activations)
    check_strategies(weights=weights)
    weight = rationals() if weights is None else weights
    return _circuits(weight, tuple(activations), max_state, (min_input, max_input), max_layers, max_units)


def known_activations(given: object) -> tuple[Activation, ...]:
    """Return the activations that may be drawn from: those with a name, and others among the given ones."""
    listed = given if isinstance(given, Sequence) else ()
    return (*ACTIVATIONS.values(), *(activation for activation in listed if isinstance(activation, Activation)))


@st.composite
def _circuits(
    draw: st.DrawFn,
    weight: st.SearchStrategy[mpq],
    activations: tuple[Activation, ...],
    max_state: int,
    inputs: tuple[int, int],
    max_layers: int,
    max_units: int,
) -> Circuit:
    state_size, input_size = draw(st.integers(0, max_state)), draw(st.integers(*inputs))
    available = state_size + input_size
    layers = []
    for number in range(draw(st.integers(0, max_layers))):
        count = draw(st.integers(1, max_units))
        layers.append(tuple(draw(units(f"u{number}.{i}", available, weight, activations)) for i in range(count)))
        available += count
    register = st.integers(0, max(0, available - 1))
    return Circuit(
        state_size=state_size,
        input_size=input_size,
        layers=tuple(layers),
        next_state=tuple(draw(register) for _ in range(state_size)),
    )


@st.composite
def units(
    draw: st.DrawFn,
    name: str,
    available: int,
    weight: st.SearchStrategy[mpq],
    activations: Sequence[Activation] = PIECEWISE_LINEAR,
) -> Unit:
    """Units that read some of the first `available` registers."""
    register = st.integers(0, available - 1)
    return Unit(
        name=name,
        bias=draw(weight),
        linear=tuple(draw(st.lists(st.tuples(register, weight), max_size=3))) if available else (),
        bilinear=tuple(draw(st.lists(st.tuples(register, register, weight), max_size=2))) if available else (),
        activation=draw(st.sampled_from(tuple(activations))),
    )


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


def contractive_networks(
    *,
    max_size: int = 3,
    max_inputs: int = 2,
    activation: str = "relu",
    start: st.SearchStrategy[mpq] | None = None,
    reads: Reads = "any",
) -> st.SearchStrategy[Network]:
    """Simple RNNs with ‖V‖₂ < 1, exactly; they shrink to one unit and zeros.

    Parameters
    ----------
    max_size, max_inputs : int
        Sizes of state and input.
    activation : str
    start : strategy of rationals, optional
        Of the entries of start states.
    reads : "vectors", "symbols" or "any"
        What their words are of: vectors, one-hot symbols a, b, ..., or either.

    Raises
    ------
    OptionError
        If there are to be no states or inputs, `reads` is none of these, or `start` is no strategy.

    Examples
    --------
    >>> from hypothesis import find
    >>> from exactnn.contraction import is_contractive
    >>> found = find(contractive_networks(reads="symbols"), is_contractive)
    >>> found, found.alphabet
    (<Network simple RNN: 1 neuron, 0 weights>, ('a',))
    """
    check_bounds(1, max_size=max_size)
    check_bounds(1, len(LETTERS), max_inputs=max_inputs)
    if reads not in ("vectors", "symbols", "any"):
        raise OptionError(f"reads={shown(reads)}: give 'vectors', 'symbols' or 'any'")
    check_strategies(start=start)
    Squashing.named(activation)  # another name is an error now, not when networks are drawn
    entry = rationals(largest=5)
    return _contractive_networks(max_size, max_inputs, activation, entry if start is None else start, reads)


def contractive_matrices(*, size: int, entries: st.SearchStrategy[mpq] | None = None) -> st.SearchStrategy[Matrix]:
    """Square matrices with a spectral norm below 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(contractive_matrices(size=1), lambda matrix: matrix[0][0] > 0)
    ((mpq(3,4),),)
    """
    row = st.tuples(*[rationals(largest=5) if entries is None else entries] * size)
    return st.tuples(*[row] * size).map(_scaled)


def _scaled(matrix: Matrix) -> Matrix:
    """Return a multiple of a matrix with a spectral norm below 1."""
    while not ldl(defect(matrix)).definite:
        matrix = tuple(tuple(entry * SHRINKING for entry in row) for row in matrix)
    return matrix


@st.composite
def _contractive_networks(
    draw: st.DrawFn, max_size: int, max_inputs: int, activation: str, start: st.SearchStrategy[mpq], reads: Reads
) -> Network:
    size, width = draw(st.integers(1, max_size)), draw(st.integers(1, max_inputs))
    entry = rationals(largest=5)

    def vector(length: int, entry: st.SearchStrategy[mpq] = entry) -> Vector:
        return tuple(draw(entry) for _ in range(length))

    alphabets: dict[Reads, list[str | None]] = {"vectors": [None], "symbols": [LETTERS[:width]]}
    return SimpleRNN(
        V=draw(contractive_matrices(size=size)),
        W=[vector(width) for _ in range(size)],
        b=vector(size),
        s=vector(size, start),
        readout_weight=vector(size),
        activation=activation,
        alphabet=draw(st.sampled_from(alphabets.get(reads, [None, LETTERS[:width]]))),
    )
