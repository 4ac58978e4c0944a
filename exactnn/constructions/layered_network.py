"""Networks with several layers in one step, written as named affine forms: no products."""

from collections.abc import Hashable, Mapping, Sequence

from gmpy2 import mpq

from exactnn.constructions.affine import Affine
from exactnn.constructions.unit_keys import symbol, unit_name
from exactnn.networks import Activation, Circuit, Decision, Network, affine_unit

__all__ = ["layered_network"]


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
        Units ``activation(form)``; forms over the state, :func:`~exactnn.constructions.unit_keys.symbol` and units of
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
