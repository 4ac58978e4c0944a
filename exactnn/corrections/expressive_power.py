"""Errata of a question and answer on what a recurrent cell can express."""

from collections.abc import Sequence

from exactnn.arithmetic import RATIONAL
from exactnn.automata import DFA, word_text
from exactnn.constructions import minsky, own_unit
from exactnn.corrections.erratum import Outcomes, entry, numbers_text
from exactnn.linear_algebra import product as matrix_product
from exactnn.linear_algebra import spectral_norm_bounds
from exactnn.matrices import exact_matrix
from exactnn.networks import Network, SimpleRNN
from exactnn.outcome import Verdict
from exactnn.simulation import whole_run

__all__ = ["ENTRIES"]

WORDS = ((1, 2, 3), (1, 2, 9))
SHIFT = [[0, 2], [0, 0]]


def _digits(start: int) -> Network:
    """Return f(h, x) = 10 h + x with the output h."""
    return SimpleRNN(V=[[10]], W=[[1]], b=[0], s=[start], readout_weight=[1], activation="identity")


def _output(start: int, word: Sequence[int]) -> object:
    return whole_run(_digits(start), word, arithmetic=RATIONAL).outputs[-1]


@entry(
    id="E24",
    title="the last input is never read",
    where="question and answer on the expressive power of RNNs, definition of the task",
    statement="h_1 = f(x_1, x_0), h_(t+1) = f(h_t, x_t), y_T = g(h_T)",
    counterexample="f(h, x) = 10 h + x, x_0 = 0, on (1, 2, 3) and (1, 2, 9)",
    correction="h_t = f(h_(t-1), x_t): as printed, x_T is not read before y_T, and x_1 enters twice.",
)
def last_input_is_not_read() -> Outcomes:
    literal = [_output(x[0], (0, *x[:-1])) for x in WORDS]
    corrected = [_output(0, x) for x in WORDS]
    return Outcomes(literal=numbers_text(*literal), corrected=numbers_text(*corrected))


@entry(
    id="E25",
    title="a larger state computes what no step of the printed form does",
    where="question and answer on the expressive power of RNNs, on vanilla RNNs",
    statement="if f is not sigma(A h + B x + v), no vanilla RNN computes what f does: the best one is arbitrarily far",
    counterexample="f(h, x) = h xor x, which is of no such form for a sigma that does not decrease",
    correction="A state with more units and a readout: five units have the parity of every word, exactly.",
)
def larger_state() -> Outcomes:
    parity = DFA(
        states=["even", "odd"],
        input_symbols=["0", "1"],
        transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
        initial_state="even",
        final_states=["odd"],
    )
    network = minsky(parity).network
    verdicts = [int(whole_run(network, word).verdict is Verdict.ACCEPT) for word in ("00", "01", "10", "11")]
    found = own_unit(parity).witness
    assert found is not None
    u, v, a, b = found
    return Outcomes(
        literal=f"no such step: after {word_text(u)} {a} weighs more than {b}, and after {word_text(v)} less",
        corrected=f"{network.neurons} units: {numbers_text(*verdicts)} after 00, 01, 10, 11",
    )


@entry(
    id="E26",
    title="the gradient need not grow like the power of the norm",
    where="question and answer on the expressive power of RNNs, on gradients",
    statement="the norm of the gradient through T steps scales like the T-th power of the norm of A",
    counterexample="A = ((0, 2), (0, 0)), identity activation, T = 2: the norm of dh_2/dh_0",
    correction="The power of the norm is an upper bound only; the gradient is the power of the matrix.",
)
def power_of_the_norm() -> Outcomes:
    matrix = exact_matrix(SHIFT, "A")
    norm = spectral_norm_bounds(matrix)[1]
    columns = [_after_two_steps(start) for start in ((1, 0), (0, 1))]
    power = matrix_product(matrix, matrix)
    gradient = tuple(zip(*columns, strict=True))
    assert gradient == power  # the step is linear: its gradient is what it makes of the unit vectors
    return Outcomes(
        literal=numbers_text(norm**2),
        corrected=numbers_text(spectral_norm_bounds(gradient)[1] if any(map(any, gradient)) else 0),
    )


def _after_two_steps(start: Sequence[int]) -> tuple[object, ...]:
    cell = SimpleRNN(V=SHIFT, W=[[0], [0]], b=[0, 0], s=start, readout_weight=[0, 0], activation="identity")
    return whole_run(cell, [0, 0], arithmetic=RATIONAL).final_state


ENTRIES = (last_input_is_not_read, larger_state, power_of_the_norm)
