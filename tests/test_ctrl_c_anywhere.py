"""Ctrl-C wherever Python is called, from Python or from C: it ends a call with KeyboardInterrupt, or the result tells.

gmpy2, numpy and numba call functions of Python too, and made other errors of an interruption there, or lost it.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

import exactnn as xn
from exactnn.arithmetic import exact
from exactnn.networks import EOS
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.testing import compare, compiler
from exactnn.testing.same_run import assert_same_run
from tests.every_call import endings, wrong

PALINDROMES = xn.compile(xn.load("palindrome"))
PARITY = xn.compile(xn.load("parity"))
THIRDS = xn.SimpleRNN(
    V=[["1/3", "1/7"], ["1/5", "2/3"]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 1], activation="identity"
)
HARD = xn.SimpleRNN(V=[[0]], W=[[1]], b=[-700], s=[0], readout_weight=[1], activation="sigmoid")
"""Of its numbers only MPFR tells how they are rounded."""
CHOOSING = xn.SimpleRNN(
    V=[[1, 0], [0, 1]], W=[[1], [2]], b=[0, 0], s=[0, 0], readout_weight=[[1, 0], [0, 1]], activation="tanh"
)

CALLS = {
    "a run": lambda: xn.run(PALINDROMES, "abba"),
    "a run in float32": lambda: xn.run(PALINDROMES, "abba", arithmetic=xn.FLOAT32),
    "a run in float16": lambda: xn.run(PALINDROMES, "abba", arithmetic=xn.FLOAT16),
    "a run that asks MPFR": lambda: xn.run(HARD, [[0]] * 20, arithmetic=xn.FLOAT64),
    "a run in fixed point that asks MPFR": lambda: xn.run(
        HARD, [[0]] * 20, arithmetic=xn.FixedPoint(integer_bits=12, fraction_bits=40)
    ),
    "a run on fractions": lambda: xn.run(THIRDS, [[Fraction(1, 3)]] * 3),
    "a run with long fractions": lambda: xn.run(THIRDS, [[1]] * 700),
    "a certified run": lambda: xn.run(PALINDROMES, "ab", arithmetic=xn.CERTIFIED),
    "fractions": lambda: exact(Fraction(1, 3)),
    "collapse": lambda: xn.collapse(PALINDROMES, ["", "ab"], [xn.FLOAT32, xn.FLOAT16]),
    "threshold": lambda: xn.precision_threshold(PALINDROMES, "ab", precisions=range(2, 4)),
    "extract": lambda: xn.extract_state_machine(PARITY, xn.FLOAT64),
    "equivalent": lambda: xn.equivalent(PARITY, xn.load("parity")),
    "required bits": lambda: xn.required_bits(PALINDROMES, "ab"),
    "a trajectory": lambda: xn.trajectory(PALINDROMES, "ab"),
    "argmax": lambda: xn.certified_argmax(CHOOSING, [[1], [-2]]),
    "errors": lambda: xn.error_growth(PALINDROMES, "ab", [xn.FLOAT16]),
    "a comparison": lambda: compare(compiler("minsky"), xn.load("parity"), "101"),
    "the same run": lambda: assert_same_run(PARITY, "101", xn.EXACT, xn.RATIONAL),
}


@pytest.mark.mostly_slow(quick=4)
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_in_a_function_of_another_package_is_not_lost(name):
    CALLS[name]()  # compiled
    found = endings(CALLS[name])
    assert found
    assert wrong(found) == {}


def test_ctrl_c_in_the_outcomes_of_a_pattern_is_not_lost():
    network = xn.compile(xn.load("bb2")).network
    advanced(ExactExecutor(network, warm_up=0), 100)  # compiled
    found = endings(lambda: advanced(ExactExecutor(replace(network), warm_up=0), 100))  # a copy knows no patterns
    assert any("positional" in file and "rows" in file for _, file, _ in found)
    assert wrong(found) == {}


def advanced(executor, steps):
    """Return the numbers after so many steps."""
    eos = executor.network.alphabet.index(EOS)
    return executor.values(executor.advance(executor.start(), eos, steps, until_decided=False).state)


def test_ctrl_c_while_a_number_of_macro_mode_is_written_out_is_not_lost():
    sweeper = xn.compile(xn.load("sweeper"))
    assert "macro steps" in xn.run(sweeper, max_steps=10**6).engine
    found = endings(
        lambda: xn.run(sweeper, max_steps=10**6).final_state, lambda code: code.co_qualname.startswith("Numeral.")
    )
    assert any(name == "Numeral.rational" for name, _, _ in found)
    assert wrong(found) == {}


def test_a_comparison_with_an_interrupted_run_tells_nothing_of_verdicts():
    found = xn.certified_divergence(PALINDROMES, "ab", xn.FLOAT16)
    assert found.same_verdict is not None
    for which in ("certified", "computed"):
        part = replace(found, **{which: replace(getattr(found, which), outcome=xn.Outcome.INTERRUPTED)})
        assert part.same_verdict is None
