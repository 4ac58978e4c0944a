"""Errata of lecture slides on what RNNs can compute."""

from itertools import product
from typing import Literal

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, exact
from exactnn.constructions import gated_counter, scalar_stack
from exactnn.constructions.steps import slu
from exactnn.corrections.erratum import Outcomes, entry, numbers_text
from exactnn.equivalence import state_growth
from exactnn.networks import QRNN, DoublingLSTM, Network, SimpleRNN
from exactnn.simulation import whole_run
from exactnn.stacks import SuperpositionStack

__all__ = ["ENTRIES"]

SLIDES = "G. Weiss, lecture slides, Theoretical Properties of RNNs"
OPEN = mpq(99, 100)
"""A gate, or a candidate, that is nearly closed at 1."""


@entry(
    id="E16",
    title="two gates with the same weights cannot keep",
    where=f"{SLIDES}, the doubling LSTM",
    statement="f1 = gate(W x + U h + b), f2 = gate(W x + U h + b), f = f1 + f2: reset (0), keep (1) and double (2)",
    counterexample="all weights -1, 0 and 1, with gates that are 0 or 1: what f can be",
    correction="Each forget gate has weights of its own: then f is 0, 1 or 2.",
)
def gates_that_share_their_weights() -> Outcomes:
    weights = (-1, 0, 1)
    return Outcomes(
        literal=f"f is one of {numbers_text(*sorted({_forgets(w, w) for w in weights}))}",
        corrected=f"f is one of {numbers_text(*sorted({_forgets(*pair) for pair in product(weights, repeat=2)}))}",
    )


def _forgets(first: int, second: int) -> mpq:
    """Return what the cell state 1 is multiplied by when 1 is read with these weights of the forget gates."""
    gates = {"f1": first, "f2": second}
    every = ("i", "f1", "f2", "g", "o")
    cell = DoublingLSTM(
        V={gate: [[0]] for gate in every},
        W={gate: [[gates.get(gate, 0)]] for gate in every},
        b={gate: [0] for gate in every},
        c=[1],
        readout_weight=[0],
        gate="slu",
        candidate="hard_tanh",
        output="identity",
    )
    return exact(whole_run(cell, [1], arithmetic=RATIONAL).final_state[1])


@entry(
    id="E17",
    title="a superposition has exponentially many contents",
    where=f"{SLIDES}, the stack RNN",
    statement="the stack is a superposition of polynomially many stacks",
    counterexample="five pushes of different values, each of weight 1/2: the contents, and the cells that hold them",
    correction="After t of them 2^t contents are possible; t cells hold the expectation of each depth, and no more.",
)
def contents_of_a_superposition() -> Outcomes:
    pushes = range(5)
    stack = SuperpositionStack(values=len(pushes))
    contents: set[tuple[int, ...]] = {()}
    for value in pushes:
        stack = stack.step([int(i == value) for i in pushes], push=mpq(1, 2))
        contents |= {(value, *content) for content in contents}
    return Outcomes(
        literal="polynomially many",
        corrected=f"{len(contents)} contents in {len(stack.cells)} cells",
    )


@entry(
    id="E18",
    title="a QRNN whose gates are not saturated tells all words apart",
    where=f"{SLIDES}, the QRNN",
    statement="a QRNN could count, but the updates do not depend on the state, which some counter languages need. One "
    "may read: it only counts, and with window 1 it cannot tell orders apart; that is not printed",
    counterexample="all words of a's and b's up to length 10: counted, and with the forget gate 1/4",
    correction="The reading holds where the forget gate is 1; with f = 1/4 the state is a word in digits of base 4. "
    "With gates that are 0 or 1 some words still are not told apart (window_twins).",
)
def gates_that_are_not_saturated() -> Outcomes:
    counting = _qrnn(pooling="ifo", f=1, a=mpq(1), b=mpq(-1))
    return Outcomes(
        literal=_told_apart(counting), corrected=_told_apart(_qrnn(pooling="f", f="1/4", a=mpq(1, 3), b=mpq(2, 3)))
    )


def _qrnn(*, pooling: Literal["f", "ifo"], f: int | str, a: mpq, b: mpq) -> Network:
    """Return the QRNN of one unit and window 1 with a constant forget gate, and a candidate for each letter."""
    others = {"o": [1], "i": [1]} if pooling == "ifo" else {}
    return QRNN(
        W={"z": [[a, b]], **{gate: [[0, 0]] for gate in ("f", *others)}},
        b={"z": [0], "f": [f], **others},
        pooling=pooling,
        readout_weight=[1],
        gate="slu",
        candidate="hard_tanh",
        alphabet="ab",
    )


def _told_apart(network: Network) -> str:
    growth = state_growth(network, [RATIONAL], max_length=10).of(RATIONAL)
    words = sum(row.words for row in growth.rows)
    return f"{growth.rows[-1].states_up_to} states for {words} words"


@entry(
    id="E19",
    title="open gates add less than 1",
    where=f"{SLIDES}, the LSTM as a counter",
    statement="with gates in (0, 1) and a candidate in (-1, 1), c' = f c + i g counts by adding 1",
    counterexample="f = i = g = 99/100 on aaa",
    correction="From c >= 0, open gates make less than c + 1; with gates and candidate at their ends c' is c + 1.",
)
def open_gates() -> Outcomes:
    cell = SimpleRNN(
        V=[[OPEN]], W=[[OPEN * OPEN]], b=[0], s=[0], readout_weight=[1], activation="identity", alphabet="a"
    )
    counter = gated_counter()
    return Outcomes(
        literal=f"c = {numbers_text(whole_run(cell, 'aaa', arithmetic=RATIONAL).outputs[-1])}",
        corrected=f"c = {numbers_text(whole_run(counter, 'aaa', arithmetic=RATIONAL).final_state[0])}",
    )


@entry(
    id="E20",
    title="the top of the empty stack is a 0",
    where=f"{SLIDES}, the stack of bits in one number",
    statement="top(q) = SLU(4q - 2), for a stack that is not empty",
    counterexample="q = 0 and q = 1/4: the empty stack and a stack of one 0; the marked palindromes #0 and 0#0",
    correction="Whether the stack is empty is asked for first: SLU(4q) is 0 for the empty stack and 1 for every other.",
)
def top_of_the_empty_stack() -> Outcomes:
    empty, zero = (slu(4 * mpq(q) - 2).constant for q in (mpq(0), mpq(1, 4)))
    verdicts = [whole_run(scalar_stack(), word, arithmetic=RATIONAL).outcome for word in ("#0", "0#0")]
    return Outcomes(
        literal=f"top(empty) = {empty}, top(0) = {zero}",
        corrected=f"#0 is {verdicts[0]}, 0#0 is {verdicts[1]}",
    )


ENTRIES = (
    gates_that_share_their_weights,
    contents_of_a_superposition,
    gates_that_are_not_saturated,
    open_gates,
    top_of_the_empty_stack,
)
