"""Machine to network: one named construction per file, each with its claim, its source and its decoder.

Beside them small networks that are given in full: stacks in fractions, and counters.
"""

from exactnn.constructions.compile import CONSTRUCTIONS, compile, constructions_for
from exactnn.constructions.construction import Configuration, Construction, Phase
from exactnn.constructions.counters import fractional_counter, gated_counter
from exactnn.constructions.folded_network import FoldedNetwork, fold_network
from exactnn.constructions.fraction_stacks import MARK, scalar_stack, vector_stack
from exactnn.constructions.hidden_layer_form import HiddenLayerForm, Kink, hidden_layer_form
from exactnn.constructions.matrix_step import matrix_step
from exactnn.constructions.minsky import minsky
from exactnn.constructions.relu_forms import ReluForms, relu_forms
from exactnn.constructions.siegelmann_sontag import siegelmann_sontag
from exactnn.constructions.siegelmann_sontag_book import siegelmann_sontag_book

__all__ = [
    "CONSTRUCTIONS",
    "MARK",
    "Configuration",
    "Construction",
    "FoldedNetwork",
    "HiddenLayerForm",
    "Kink",
    "Phase",
    "ReluForms",
    "compile",
    "constructions_for",
    "fold_network",
    "fractional_counter",
    "gated_counter",
    "hidden_layer_form",
    "matrix_step",
    "minsky",
    "relu_forms",
    "scalar_stack",
    "siegelmann_sontag",
    "siegelmann_sontag_book",
    "vector_stack",
]
