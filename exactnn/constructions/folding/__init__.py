"""Lemma 4.4: steps with hidden layers as simple RNNs, and the decision whether one hidden layer is enough.

``folded_network`` folds, ``relu_forms`` are the steps it reads, ``hidden_layer_form`` decides, and ``matrix_step``
makes a step from matrices.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
