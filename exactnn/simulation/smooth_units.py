"""Refusing smooth activations where only rationals are computed."""

from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.networks import Network

__all__ = ["refuse_smooth_units"]


def refuse_smooth_units(network: Network, arithmetic: object) -> None:
    """Raise UnsupportedArithmeticError if a unit's activation does not map rationals to rationals.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> smooth = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh")
    >>> refuse_smooth_units(smooth, "rational")
    Traceback (most recent call last):
        ...
    exactnn.errors.UnsupportedArithmeticError: rational arithmetic cannot run simple RNN: the tanh of unit 'h[0]' is \
no rational number; give exactnn.CERTIFIED, exactnn.FLOAT64 or another FloatFormat
    """
    for layer in (*network.circuit.layers, network.readout):
        for unit in layer:
            if not unit.activation.is_rational:
                raise UnsupportedArithmeticError(
                    f"{arithmetic} arithmetic cannot run {network.name}: the {unit.activation} of unit "
                    f"{shown(unit.name)} is no rational number; give exactnn.CERTIFIED, exactnn.FLOAT64 or another "
                    "FloatFormat"
                )
