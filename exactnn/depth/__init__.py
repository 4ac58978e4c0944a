"""What depth adds: linear networks of layers, delays, degrees of polynomials, Jacobians along a word.

``linear_rnn``
    Linear networks of layers as one layer, as rational functions, and their Hankel rank.
``delay``
    Which delays so many layers of so many units realise, with the network, and what depth costs in parameters.
``degree``, ``obstruction``
    The degree of second-order networks as polynomials, and why no affine network has parity.
``slopes``
    The derivatives of every unit along a word, and the numbers that they are multiplied in.
``jacobian``, ``gradients``, ``gradient_limits``
    The Jacobian of the state at each step of a word, exact or enclosed, and bounds of its spectral norm; gradients
    through time, exactly and in formats; where they end in a format.
``tasks``
    Synthetic tasks on which layers and products are told apart, each with a network that solves it.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
