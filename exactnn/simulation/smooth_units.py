"""Smooth activations: whether a network has some, and refusing them where only rationals are computed."""

from exactnn.arithmetic import CERTIFIED, EXACT, Certified, ExactArithmetic
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.networks import Network, Unit

__all__ = ["has_smooth_units", "has_unbounded_smooth_units", "refuse_smooth_units", "true_arithmetic"]


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
no rational number, and there is no exact run: run it in 'certified', which encloses the numbers, in 'float64' or \
another format; first_divergence, collapse, check_format and collapse_witness compare formats with proven values
    """
    for unit in _smooth_units(network):
        raise UnsupportedArithmeticError(
            f"{arithmetic} arithmetic cannot run {network.name}: the {unit.activation} of unit {shown(unit.name)} is "
            "no rational number, and there is no exact run: run it in 'certified', which encloses the numbers, in "
            "'float64' or another format; first_divergence, collapse, check_format and collapse_witness compare "
            "formats with proven values"
        )


def has_smooth_units(network: Network) -> bool:
    """Return whether a unit's activation does not map rationals to rationals.

    >>> from exactnn.networks import SimpleRNN
    >>> has_smooth_units(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1]))
    False
    """
    return bool(_smooth_units(network))


def true_arithmetic(network: Network) -> ExactArithmetic | Certified:
    """Return the arithmetic in which a network is what it is: exact, or certified if it has smooth units.

    >>> from exactnn.networks import SimpleRNN
    >>> str(true_arithmetic(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh")))
    'certified'
    """
    return CERTIFIED if has_smooth_units(network) else EXACT


def has_unbounded_smooth_units(network: Network) -> bool:
    """Return whether a smooth unit has values of any size."""
    return any(unit.activation.high is None for unit in _smooth_units(network))


def _smooth_units(network: Network) -> list[Unit]:
    return network.laid_out.of(_smooth_units, None, lambda: _units_that_are_smooth(network))


def _units_that_are_smooth(network: Network) -> list[Unit]:
    layers = (*network.circuit.layers, network.readout)
    return [unit for layer in layers for unit in layer if not unit.activation.is_rational]
