"""Networks written as named affine forms, with one layer of units in a step or several, without products; Lemma 4.4.

The lemma folds two layers into one. A step ``h' = U ReLU(V h + W x + b)`` has a linear layer after its units. Cut it
apart: the next step can apply U inside its own affine map. The units themselves become the state, and one more unit, 1
at the start and 0 ever after, carries the start vector: that makes the answer right at length 0 as well.
"""

import warnings
from collections.abc import Hashable, Mapping, Sequence

from gmpy2 import mpq

from exactnn.constructions.affine import Affine, symbol, unit_name, var
from exactnn.errors import ConstructionError, LargeNetworkWarning
from exactnn.networks import Activation, Circuit, Decision, Network, affine_unit

__all__ = ["START", "fold", "foretell", "layered_network", "one_layer_network", "refuse_too_large"]

START = "start"
"""Name of the unit that is 1 at the start and 0 ever after."""

MANY_WEIGHTS = 1_000_000
"""So many are told of before the network is built: that takes 10 s and 1 GB."""

MOST_WEIGHTS = 50_000_000
"""So many are not built: a table of a few kilobytes can ask for any number of them."""


def refuse_too_large(name: str, units: int, weights: int) -> None:
    """Raise ConstructionError if there may be more than 50 million weights."""
    if weights > MOST_WEIGHTS:
        raise ConstructionError(
            f"{name} would have {units:,} units and up to {weights:,} weights, and {MOST_WEIGHTS:,} is the most that "
            "is built: take another construction, or a machine with fewer states and symbols"
        )


def foretell(name: str, units: int, weights: int) -> None:
    """Tell of a large network before it is built, and refuse one that is too large.

    Raises
    ------
    ConstructionError
        If it may have more than 50 million weights.

    Warns
    -----
    LargeNetworkWarning
        If it may have more than a million.
    """
    refuse_too_large(name, units, weights)
    if weights > MANY_WEIGHTS:
        size = f"{units:,} units and up to {weights:,} weights"
        warnings.warn(f"{name} has {size}: building it takes a while", LargeNetworkWarning, stacklevel=3)


def layered_network(
    *,
    layers: Sequence[Mapping[Hashable, Affine]],
    state: Mapping[Hashable, Affine],
    start: Mapping[Hashable, mpq],
    readout: Affine,
    activation: Activation,
    alphabet: tuple[str, ...],
    decision: Decision,
    name: str,
    others: Mapping[Hashable, Activation] | None = None,
) -> Network:
    """Return the network whose step computes `layers`, one after the other, and then its next state.

    Parameters
    ----------
    layers : sequence of mappings name -> Affine
        Units ``activation(form)``; forms over the state, :func:`~exactnn.constructions.affine.symbol` and units of
        earlier layers.
    state : mapping name -> Affine
        The last layer, which is the next state: forms over the same and all `layers`; the order is that of the state.
    start : mapping name -> mpq
        Start values; components without one start at 0.
    readout : Affine
        The output, a form over the state.
    others : mapping name -> Activation, optional
        The units that have another activation.
    """
    activations = others or {}
    components = {key: i for i, key in enumerate(state)}
    registers = components | {key: len(components) + i for i, a in enumerate(alphabet) for key in symbol(a).terms}
    lowered = []
    for layer in (*layers, state):
        lowered.append(
            tuple(
                affine_unit(
                    unit_name(key),
                    {registers[read]: weight for read, weight in form.terms.items()},
                    form.constant,
                    activations.get(key, activation),
                )
                for key, form in layer.items()
            )
        )
        first = sum(map(len, lowered[:-1]), len(components) + len(alphabet))
        if layer is not state:
            registers |= {key: first + i for i, key in enumerate(layer)}
    return Network(
        circuit=Circuit(
            state_size=len(components),
            input_size=len(alphabet),
            layers=tuple(lowered),
            next_state=tuple(first + i for i in range(len(components))),
        ),
        initial_state=tuple(mpq(start.get(key, 0)) for key in components),
        readout=(
            affine_unit(
                "output",
                {components[read]: weight for read, weight in readout.terms.items()},
                readout.constant,
                Activation.IDENTITY,
            ),
        ),
        alphabet=alphabet,
        decision=decision,
        name=name,
    )


def one_layer_network(
    *,
    units: Mapping[Hashable, Affine],
    start: Mapping[Hashable, mpq],
    readout: Affine,
    activation: Activation,
    alphabet: tuple[str, ...],
    decision: Decision,
    name: str,
) -> Network:
    """Return the network whose state is `units`, each ``activation(form of the last state and the symbol)``.

    Parameters
    ----------
    units : mapping name -> Affine
        Forms over unit names and :func:`~exactnn.constructions.affine.symbol`; the order is that of the state.
    start : mapping name -> mpq
        Start values; units without one start at 0.
    readout : Affine
        The output, a form over unit names.
    """
    return layered_network(
        layers=(),
        state=units,
        start=start,
        readout=readout,
        activation=activation,
        alphabet=alphabet,
        decision=decision,
        name=name,
    )


def fold(
    *,
    hidden: Mapping[Hashable, Affine],
    emission: Mapping[Hashable, Affine],
    start: Mapping[Hashable, mpq],
    readout: Affine,
    alphabet: tuple[str, ...],
    decision: Decision,
    name: str,
    activation: Activation = Activation.RELU,
) -> tuple[Network, dict[Hashable, Affine]]:
    """Return the simple RNN of a step with one hidden layer, and how to read the step's own state from it.

    Parameters
    ----------
    hidden : mapping unit -> Affine
        The hidden units ``activation(form)``; forms over the step's state h and :func:`symbol` (V, W and b).
    emission : mapping state component -> Affine
        The step's next state, forms over the hidden units without constant (U).
    start : mapping state component -> mpq
        The step's start state.
    readout : Affine
        The output, a form over the step's state.

    Returns
    -------
    network : Network
        1 + len(hidden) units.
    state_forms : dict state component -> Affine
        The step's state as forms over the network's units.

    Raises
    ------
    ConstructionError
        If there may be more than 50 million weights.

    Warns
    -----
    LargeNetworkWarning
        If there may be more than a million weights, before they are made.

    References
    ----------
    Lemma 4.4 of the chapter on recurrent networks that `docs/sources.md` describes, with its hypothesis made
    precise (a step of one hidden layer) and the readout [s U], which is right on the empty word too.
    """
    state_forms = {component: form + start.get(component, mpq(0)) * var(START) for component, form in emission.items()}
    lengths = {component: len(form.terms) for component, form in state_forms.items()}
    weights = sum(lengths.get(name, 1) for form in hidden.values() for name in form.terms)
    foretell(name, 1 + len(hidden), weights)
    units: dict[Hashable, Affine] = {START: Affine({})}
    units |= {unit: form.substitute(state_forms) for unit, form in hidden.items()}
    network = one_layer_network(
        units=units,
        start={START: mpq(1)},
        readout=readout.substitute(state_forms),
        activation=activation,
        alphabet=alphabet,
        decision=decision,
        name=name,
    )
    return network, state_forms
