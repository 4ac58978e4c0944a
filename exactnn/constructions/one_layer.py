"""Networks with one layer of units, written as named affine forms; and Lemma 4.4, which folds two layers into one.

A step ``h' = U ReLU(V h + W x + b)`` has a linear layer after its units. Cut it apart: the next step can
apply U inside its own affine map. The units themselves become the state, and one more unit, 1 at the start
and 0 ever after, carries the start vector: that makes the answer right at length 0 as well.
"""

from collections.abc import Hashable, Mapping

from gmpy2 import mpq

from exactnn.constructions.affine import Affine, var
from exactnn.constructions.layered_network import layered_network
from exactnn.networks import Activation, Decision, Network

__all__ = ["START", "fold", "one_layer_network"]

START = "start"
"""Name of the unit that is 1 at the start and 0 ever after."""


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
        Forms over unit names and :func:`~exactnn.constructions.unit_keys.symbol`; the order is that of the state.
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

    References
    ----------
    Lemma 4.4 of the chapter on recurrent networks that `docs/sources.md` describes, with its hypothesis made
    precise (a step of one hidden layer) and the readout [s U], which is right on the empty word too.
    """
    state_forms = {component: form + start.get(component, mpq(0)) * var(START) for component, form in emission.items()}
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
