"""What depth adds: linear networks of layers, delays, degrees of polynomials, Jacobians along a word.

``linear_rnn``
    Linear networks of layers as one layer, as rational functions, and their Hankel rank.
``delay``
    Which delays so many layers of so many units realise, with the network, and what depth costs in parameters.
``obstruction``
    Why no affine network has parity.
``jacobian``
    The Jacobian of the state at each step of a word, exactly, and bounds of its spectral norm.
"""

from exactnn.depth.delay import DepthParameters, delay, delay_is_realisable, depth_parameters
from exactnn.depth.jacobian import Jacobians, jacobian
from exactnn.depth.linear_rnn import LinearRNN, RationalFunction
from exactnn.depth.obstruction import AffineObstruction, affine_obstruction

__all__ = [
    "AffineObstruction",
    "DepthParameters",
    "Jacobians",
    "LinearRNN",
    "RationalFunction",
    "affine_obstruction",
    "delay",
    "delay_is_realisable",
    "depth_parameters",
    "jacobian",
]
