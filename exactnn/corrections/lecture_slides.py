"""Errata of lecture slides on RNNs and formal languages."""

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL
from exactnn.constructions import gated_counter, scalar_stack
from exactnn.constructions.steps import slu
from exactnn.corrections.counterexamples import numbers_text
from exactnn.corrections.erratum import Outcomes, entry
from exactnn.networks import SimpleRNN
from exactnn.simulation import run

__all__ = ["ENTRIES"]

OPEN = mpq(99, 100)
"""A gate, or a candidate, that is nearly closed at 1."""


@entry(
    id="E19",
    title="open gates do not count",
    where="lecture slides on RNNs and formal languages, the LSTM as a counter",
    statement="with gates in (0, 1) and a candidate in (-1, 1), c' = f c + i g counts by adding 1",
    counterexample="f = i = g = 99/100 on aaa",
    correction="From c >= 0, open gates make less than c + 1: to count, gates and candidate are held at their ends.",
)
def open_gates() -> Outcomes:
    cell = SimpleRNN(
        V=[[OPEN]], W=[[OPEN * OPEN]], b=[0], s=[0], readout_weight=[1], activation="identity", alphabet="a"
    )
    counter = gated_counter()
    return Outcomes(
        literal=f"c = {numbers_text(run(cell, 'aaa', arithmetic=RATIONAL).outputs[-1])}",
        corrected=f"c = {numbers_text(run(counter, 'aaa', arithmetic=RATIONAL).final_state[0])}",
    )


@entry(
    id="E20",
    title="the top of the empty stack is a 0",
    where="lecture slides on RNNs and formal languages, the stack of bits in one number",
    statement="top(q) = SLU(4q - 2), for a stack that is not empty",
    counterexample="q = 0 and q = 1/4: the empty stack and a stack of one 0; the marked palindromes #0 and 0#0",
    correction="Whether the stack is empty is asked for first: SLU(4q) is 0 for the empty stack and 1 for every other.",
)
def top_of_the_empty_stack() -> Outcomes:
    empty, zero = (slu(4 * mpq(q) - 2).constant for q in (mpq(0), mpq(1, 4)))
    verdicts = [run(scalar_stack(), word, arithmetic=RATIONAL).outcome for word in ("#0", "0#0")]
    return Outcomes(
        literal=f"top(empty) = {empty}, top(0) = {zero}",
        corrected=f"#0 is {verdicts[0]}, 0#0 is {verdicts[1]}",
    )


ENTRIES = (open_gates, top_of_the_empty_stack)
