"""Errata of a paper on what depth adds to recurrent networks."""

from gmpy2 import mpq

from exactnn.corrections.erratum import Outcomes, entry, numbers_text
from exactnn.depth import LinearRNN

__all__ = ["ENTRIES"]

LAYERS = (1, 2, 3, 4)


@entry(
    id="E27",
    title="one more layer adds to networks of one unit, too",
    where="M. Lizaire, M. Rizvi-Martel, É. Dupuis and G. Rabusseau, On the Role of Depth in the Expressivity of RNNs "
    "(arXiv 2604.02201), theorem 1",
    statement="for n > 1, linear RNNs of n units in L + 1 layers compute more than those in L layers",
    counterexample="n = 1: cascades of L + 1 poles 1/2, 1/3, ... for L = 1, 2, 3, 4, and the Hankel ranks of L units",
    correction="It holds for n = 1 too: cascades of one unit in a layer, with poles that are not 0, have these ranks.",
)
def one_unit_in_a_layer() -> Outcomes:
    cascades = [
        LinearRNN(layers=[([[mpq(1, k + 2)]], [[1]]) for k in range(layers + 1)], readout=[1]) for layers in LAYERS
    ]
    return Outcomes(
        literal=f"n = 1 is left out; ranks up to {numbers_text(*LAYERS)} with L layers",
        corrected=f"ranks {numbers_text(*(cascade.hankel_rank() for cascade in cascades))} with L + 1",
    )


ENTRIES = (one_unit_in_a_layer,)
