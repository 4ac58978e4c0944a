"""Lemma 4.4: steps with hidden layers as simple RNNs, and the decision whether one hidden layer is enough.

``folded_network`` folds, ``relu_forms`` are the steps it reads, ``hidden_layer_form`` decides, and ``matrix_step``
makes a step from matrices.
"""

from exactnn.constructions.folding.folded_network import FoldedNetwork, fold_network
from exactnn.constructions.folding.hidden_layer_form import HiddenLayerForm, Kink, hidden_layer_form
from exactnn.constructions.folding.matrix_step import matrix_step
from exactnn.constructions.folding.relu_forms import InputLeaf, ReluForms, ReluUnit, StateLeaf, relu_forms

__all__ = [
    "FoldedNetwork",
    "HiddenLayerForm",
    "InputLeaf",
    "Kink",
    "ReluForms",
    "ReluUnit",
    "StateLeaf",
    "fold_network",
    "hidden_layer_form",
    "matrix_step",
    "relu_forms",
]
