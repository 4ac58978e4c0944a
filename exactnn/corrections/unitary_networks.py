"""Errata of the poster on unitary and contractive recurrent networks."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, ExactNumber
from exactnn.contraction import contractivity, unitary
from exactnn.corrections.erratum import Outcomes, entry, numbers_text
from exactnn.networks import Network, Runnable, SimpleRNN
from exactnn.simulation import whole_run

__all__ = ["ENTRIES"]

POSTER = "M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, poster on unitary and contractive RNNs, 2019"
ENOUGH_FOR_ONE = ((3, -4), (4, 3))
"""Five times an orthogonal matrix with 3/5 in its corner."""


def _outputs(network: Network | Runnable, word: Sequence[ExactNumber]) -> str:
    return numbers_text(*whole_run(network, word, arithmetic=RATIONAL).outputs[:])


def _line(*, drive: int, bias: int, read: ExactNumber) -> Network:
    return SimpleRNN(V=[["1/2"]], W=[[drive]], b=[bias], s=[0], readout_weight=[read], activation="identity")


@entry(
    id="E21",
    title="other coordinates without the bias",
    where=f"{POSTER}, equivalence of RNNs",
    statement="W -> T W T^-1, C -> C T^-1, F -> T F, h -> T h gives the same outputs",
    counterexample="W = 1/2, F = b = C = 1, identity activation, T = 2, on (1, 0)",
    correction="b -> T b too.",
)
def bias_in_other_coordinates() -> Outcomes:
    word = (1, 0)
    corrected = _outputs(_line(drive=2, bias=2, read="1/2"), word)
    assert corrected == _outputs(_line(drive=1, bias=1, read=1), word)
    return Outcomes(literal=_outputs(_line(drive=2, bias=1, read="1/2"), word), corrected=corrected)


@entry(
    id="E22",
    title="the slow matrix is contractive only if A is invertible",
    where=f"{POSTER}, data generation",
    statement="W = I - eps A'A / |A|^2 is contractive (in print the minus sign is lost)",
    counterexample="A = diag(1, 0), eps = 1/100; and A = diag(1, 1/2)",
    correction="With 0 < eps < 2 it is contractive exactly if A is invertible; else its norm is 1.",
)
def slow_matrix() -> Outcomes:
    def verdict(second: mpq) -> str:
        diagonal = [1 - mpq(1, 100) * square for square in (mpq(1), second**2)]
        matrix = [[diagonal[0], 0], [0, diagonal[1]]]
        network = SimpleRNN(V=matrix, W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 1])
        return str(contractivity(network))

    return Outcomes(literal=verdict(mpq(0)), corrected=verdict(mpq(1, 2)))


@entry(
    id="E23",
    title="the bias of a twin comes from a bound on all states",
    where=f"{POSTER}, Theorem 1",
    statement="every contractive ReLU network with bounded input has a unitary twin with at most 2n states, of which "
    "the last n are zero; no bias that holds them there is given",
    counterexample="h' = ReLU(3/5 h + x), a further unit with the bias -3 for inputs up to 3, on (3, 3, 3, 3)",
    correction="The bias comes from a bound on all reachable states, for inputs within a bound that is an argument; an "
    "input beyond it is an outcome of its own.",
)
def beyond_the_bound() -> Outcomes:
    word, beyond = (3, 3, 3, 3), (4, 0, 0, 0)
    rows = [[mpq(entry, 5) for entry in row] for row in ENOUGH_FOR_ONE]
    literal = SimpleRNN(V=rows, W=[[1], [0]], b=[0, -3], s=[0, 0], readout_weight=[1, 0])
    original = SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    twin = unitary(original, input_bound=3)
    assert _outputs(twin, word) == _outputs(original, word)
    guarded = whole_run(twin, beyond)
    return Outcomes(
        literal=_outputs(literal, word),
        corrected=f"{_outputs(twin, word)}; "
        f"on ({numbers_text(*beyond)}) {guarded.outcome} at step {guarded.outside_at}",
    )


ENTRIES = (bias_in_other_coordinates, slow_matrix, beyond_the_bound)
