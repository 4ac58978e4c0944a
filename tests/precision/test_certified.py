"""Largest outputs and divergences by enclosures, against rationals and against MPFR."""

import random
import re
from dataclasses import replace
from pathlib import Path

import gmpy2
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn
from exactnn.arithmetic import (
    BFLOAT16,
    CERTIFIED,
    FLOAT8_E4M3,
    FLOAT16,
    FLOAT32,
    RATIONAL,
    Certified,
    FixedPoint,
    FloatFormat,
    Interval,
)
from exactnn.constructions import siegelmann_sontag
from exactnn.errors import OptionError, UnsupportedArithmeticError
from exactnn.machine_files import load
from exactnn.networks import EOS, LSTM, Decision, Protocol, SimpleRNN
from exactnn.outcome import Outcome
from exactnn.precision import certified_argmax, certified_divergence, first_divergence
from exactnn.simulation import run
from tests.plain_mpfr import piecewise_linear, states_by_mpfr
from tests.strategies import networks_and_words


def choosing(weights, *, readout, activation="tanh"):
    size = len(weights)
    return SimpleRNN(
        V=[[0] * size] * size, W=weights, b=[0] * size, s=[0] * size, readout_weight=readout, activation=activation
    )


EYE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_the_largest_output_is_certain():
    network = choosing([[1], [2], [-3]], readout=EYE)
    found = certified_argmax(network, [[1], [-1], [5]])
    assert (found.indices, found.bits, found.outcome) == ((1, 2, 1), (64, 64, 64), Outcome.COMPLETED)
    assert (found.last, found.most_bits) == (1, 64)
    assert "3 indices of 3 steps" in repr(found)


def test_close_outputs_take_more_bits():
    """The values tanh(1) and tanh(1 + 2^-100) differ in the 101st bit; 64 bits do not tell."""
    network = choosing([[1], [1 + mpq(1, 2**100)]], readout=[[1, 0], [0, 1]])
    found = certified_argmax(network, [[1], [-1]])
    assert (found.indices, found.bits) == ((1, 0), (128, 128))
    limited = certified_argmax(network, [[1], [0]], arithmetic=Certified(most_bits=80))
    assert (limited.indices, limited.outcome, limited.most_bits) == ((None, 0), Outcome.BIT_LIMIT, None)


def test_equal_outputs_are_the_first_where_they_are_known():
    network = choosing([[1], [1], [-1]], readout=EYE, activation="identity")
    assert certified_argmax(network, [[1], [-1]]).indices == (0, 2)
    smooth = choosing([[1], [1], [-1]], readout=EYE)
    found = certified_argmax(smooth, [[1], [-1]], arithmetic=Certified(most_bits=128))
    assert (found.indices, found.outcome) == ((None, 2), Outcome.BIT_LIMIT)
    assert found.last == 2


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.lists(st.integers(-2, 2), max_size=3))
def test_exact_networks_choose_as_in_rationals(weights, word):
    network = choosing([[w] for w in weights], readout=identity(len(weights)), activation="slu")
    found = certified_argmax(network, [[x] for x in word])
    outputs = run(network, [[x] for x in word], arithmetic=RATIONAL).outputs
    assert found.indices == tuple(output.index(max(output)) for output in outputs)


def identity(n):
    return [[int(i == j) for j in range(n)] for i in range(n)]


def test_random_lstms_choose_as_by_mpfr():
    rng = random.Random(5)

    def matrix(height, width):
        return [[rng.uniform(-2, 2) for _ in range(width)] for _ in range(height)]

    for _ in range(5):
        readout = matrix(4, 3)
        network = LSTM(
            V={gate: matrix(3, 3) for gate in "ifgo"},
            W={gate: matrix(3, 2) for gate in "ifgo"},
            b={gate: matrix(1, 3)[0] for gate in "ifgo"},
            readout_weight=readout,
        )
        word = matrix(8, 2)
        found = certified_argmax(network, word)
        for index, state in zip(found.indices, states_by_mpfr(network, network.inputs(word))[1:], strict=True):
            outputs = [sum(mpq(w) * x for w, x in zip(row, state, strict=False)) for row in readout]
            assert index == outputs.index(max(outputs))


def test_networks_that_do_not_choose():
    scalar = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="several readouts"):
        certified_argmax(scalar, [[1]])
    for arithmetic in (Interval(bits=64), FLOAT32, "certified", None):
        with pytest.raises(OptionError, match="CERTIFIED"):
            certified_argmax(choosing([[1]], readout=[[1]]), [[1]], arithmetic=arithmetic)
    assert certified_argmax(choosing([[1]], readout=[[1]]), [[1]] * 3, max_steps=2).indices == (0, 0)
    assert certified_argmax(choosing([[1]], readout=[[1]]), []).last is None


FORMATS = (FLOAT32, BFLOAT16, FLOAT8_E4M3)


@given(networks_and_words(), st.sampled_from(FORMATS))
def test_divergence_of_exact_networks_is_that_of_rationals(pair, format):
    """Enclosures find a wrong value at the same step or later, and the verdict is right or wrong alike."""
    network, word = pair
    network = piecewise_linear(network)
    limit = len(word) + 3
    certain = certified_divergence(network, word, format, max_steps=limit)
    exact = first_divergence(network, word, format, max_steps=limit)
    if certain.value is not None:
        assert exact.value is not None
        assert certain.value.step >= exact.value.step
        assert certain.certified.trace[certain.value.step]
    if certain.same_verdict is not None:
        assert certain.same_verdict is (exact.verdict is None)


def test_a_format_with_the_wrong_verdict():
    compiled = siegelmann_sontag(load("anbn"))
    word = "a" * 7 + "b" * 7
    narrow = certified_divergence(compiled, word, BFLOAT16)
    assert (narrow.same_verdict, narrow.certified.outcome) == (False, Outcome.ACCEPTED)
    assert narrow.value.step == first_divergence(compiled, word, BFLOAT16).step
    assert not narrow.value.enclosure.contains(narrow.value.computed)
    assert "another verdict" in repr(narrow)
    assert certified_divergence(compiled, "ab", FLOAT32).same_verdict is True
    few = Certified(bits=4, most_bits=6)
    assert certified_divergence(compiled, word, FLOAT32, reference=few).same_verdict is None


def drifting():
    """A network whose real state is 1 for ever; where 1 - 2^-20 is rounded down it falls, until there is a verdict."""
    tiny = mpq(1, 2**20)
    still = SimpleRNN(
        V=[[1 + tiny]], W=[[0, 0]], b=[-tiny], s=[1], readout_weight=[1], readout_bias=-1, alphabet=["a", EOS]
    )  # fmt: skip
    return replace(still, decision=Decision(protocol=Protocol.EOS_VERDICT, threshold="1/8"))


def test_a_verdict_after_the_proof_that_there_is_none():
    """The certified run ends with its cycle, in step 2; the format gives a verdict later, and then it is wrong."""
    falling = FloatFormat(precision=11, exponent_bits=5, rounding="down")
    late = certified_divergence(drifting(), "a", falling, max_steps=1000)
    assert (late.certified.outcome, late.certified.steps) == (Outcome.NON_HALTING, 2)
    assert late.computed.outcome is run(drifting(), "a", arithmetic=falling).outcome is Outcome.REJECTED
    assert late.same_verdict is False
    for few in (None, 2, 50):
        assert certified_divergence(drifting(), "a", falling, max_steps=few).same_verdict is None
    assert certified_divergence(drifting(), "a", FLOAT16, max_steps=1000).same_verdict is True


def test_numbers_that_are_none_are_wrong():
    squares = SimpleRNN(V=[[100]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    found = certified_divergence(squares, [[0]] * 30, BFLOAT16)
    assert found.value is not None
    large = certified_divergence(squares, [[0]] * 30, FLOAT32)
    assert large.same_verdict is None


def test_wrong_input_of_divergences():
    network = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    for arithmetic in (CERTIFIED, RATIONAL, Interval(bits=9)):
        with pytest.raises(OptionError, match="does not round"):
            certified_divergence(network, [[1]], arithmetic)
    with pytest.raises(OptionError, match="reference"):
        certified_divergence(network, [[1]], FLOAT32, reference=RATIONAL)
    with pytest.raises(UnsupportedArithmeticError):
        certified_divergence(network, [[1]], FixedPoint(integer_bits=0, fraction_bits=3))


def test_the_precision_of_the_caller_plays_no_part():
    with gmpy2.context(precision=5):
        assert certified_argmax(choosing([[1], [1 + mpq(1, 2**40)]], readout=[[1, 0], [0, 1]]), [[1]]).indices == (1,)


def test_the_examples_of_the_page_print_what_it_says(capsys):
    page = (Path(exactnn.__file__).parent.parent / "docs" / "intervals.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 3
    names = {}
    for block in blocks:
        expected = re.findall(r"^print\(.*\)  # (.*)$", block, flags=re.MULTILINE)
        exec(compile(block, "intervals.md", "exec"), names)
        assert capsys.readouterr().out.splitlines() == expected
