"""The reported divergence is the first one: compared with two whole recorded runs laid side by side."""

import random
import re

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import TapeConfiguration
from exactnn.outcome import Outcome
from exactnn.precision.divergence import Lockstep
from exactnn.precision.lockstep import TrueRun
from tests.strategies import networks_and_words

FORMATS = [xn.FLOAT64, xn.FLOAT32]


def words(symbols: str, longest: int, count: int) -> list[str]:
    rng = random.Random(longest)
    return ["".join(rng.choice(symbols) for _ in range(rng.randint(0, longest))) for _ in range(count)]


def side_by_side(net: xn.Construction, word: str, arithmetic: xn.FloatFormat, steps: int) -> tuple[object, object]:
    """Return (step, neuron) of the first wrong value and step of the first wrong configuration, by brute force."""
    exact = xn.run(net, word, record="all", max_steps=steps)
    rounded = xn.run(net, word, arithmetic=arithmetic, record="all", max_steps=steps)
    value = configuration = None
    for step, (true, got) in enumerate(zip(exact.trace, rounded.trace, strict=False)):
        wrong = [name for name, a, b in zip(exact.trace.names, true, got, strict=True) if a != b]
        if wrong and value is None:
            value = (step, wrong[0])
        decoded = net.decode(true)
        assert isinstance(decoded, TapeConfiguration)
        cells = 1 + max(len(decoded.left), len(decoded.right))
        if configuration is None and net.decode(got, cells=cells) != decoded:
            configuration = step
    return value, configuration


@pytest.mark.parametrize("arithmetic", FORMATS, ids=str)
@pytest.mark.parametrize(("name", "symbols"), [("palindrome", "ab"), ("anbn", "ab"), ("binary-increment", "01")])
def test_first_differences_are_those_of_whole_runs(name: str, symbols: str, arithmetic: xn.FloatFormat) -> None:
    net = xn.compile(xn.load(name))
    diverging = 0
    for word in words(symbols, 22, 12):
        found = xn.first_divergence(net, word, arithmetic)
        value, configuration = side_by_side(net, word, arithmetic, found.steps)
        assert (found.value and (found.value.step, found.value.neuron)) == value
        limit = xn.run(net, word, arithmetic=arithmetic, max_steps=found.steps)
        if limit.steps == found.steps:  # the rounded run was not decided early, so its trace is whole
            assert (found.configuration and found.configuration.step) == configuration
        assert (found.verdict is None) == ((limit.outcome, limit.steps) == (found.outcome, found.steps))
        diverging += found.value is not None
    assert diverging if arithmetic is xn.FLOAT32 else True


def test_values_are_the_two_runs_own() -> None:
    net = xn.compile(xn.load("palindrome"))
    found = xn.first_divergence(net, "a" * 9, xn.FLOAT32)
    assert found.value is not None
    exact = xn.run(net, "a" * 9, record="all").trace[found.value.step]
    rounded = xn.run(net, "a" * 9, arithmetic=xn.FLOAT32, record="all", max_steps=found.steps).trace[found.value.step]
    index = net.network.circuit.state_names.index(found.value.neuron)
    assert (found.exact_value, found.computed_value) == (exact[index], rounded[index])
    assert mpq(found.computed_value) != found.exact_value


@pytest.mark.parametrize(("arithmetic", "bits"), [(xn.FLOAT64, 53), (xn.FLOAT32, 24)], ids=str)
def test_a_dyadic_stack_holds_as_many_symbols_as_bits_divided_by_bits_per_symbol(
    arithmetic: xn.FloatFormat, bits: int
) -> None:
    # Base 8 spends 3 bits a symbol; the bottom marker takes one more place.
    net = xn.siegelmann_sontag(xn.load("palindrome"), base=8)
    first_wrong = -(-bits // 3)
    for n in range(first_wrong):
        assert xn.first_divergence(net, "a" * n, arithmetic).value is None
    assert xn.first_divergence(net, "a" * first_wrong, arithmetic).step == first_wrong


def test_a_base_that_is_not_dyadic_is_wrong_from_the_start() -> None:
    net = xn.siegelmann_sontag(xn.load("palindrome"), base=7)
    found = xn.first_divergence(net, "", xn.FLOAT64)
    assert (found.step, found.neuron) == (0, "left pop")
    assert found.verdict is None


def test_integer_networks_never_diverge() -> None:
    net = xn.compile(xn.load("divisible-by-7"))
    for word in words("01", 200, 20):
        found = xn.first_divergence(net, word, xn.FLOAT32)
        assert (found.value, found.configuration, found.verdict) == (None, None, None)
        assert found.steps == len(word)
        assert found.exact_verdict is found.computed_verdict is xn.run(net, word).verdict


def test_the_word_is_reported_in_symbols() -> None:
    dfa = xn.DFA(
        states=["q"], input_symbols=["up", "down"], transitions={"q": {"up": "q", "down": "q"}},
        initial_state="q", final_states=["q"],
    )  # fmt: skip
    assert xn.first_divergence(xn.minsky(dfa), "up down", xn.FLOAT32).word == ("up", "down")


def test_a_mere_network_has_no_configurations() -> None:
    thirds = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    found = xn.first_divergence(thirds, [1, 0, 0], xn.FLOAT64)
    assert (found.step, found.exact_value, found.configuration) == (2, mpq(1, 3), None)
    assert found.outcome is Outcome.COMPLETED


def test_a_limit_ends_the_comparison() -> None:
    net = xn.compile(xn.load("sweeper"))
    found = xn.first_divergence(net, "", xn.FLOAT32, max_steps=5)
    assert (found.steps, found.outcome, found.value) == (5, Outcome.STEP_LIMIT, None)


def compared(subject, word, formats, limit):
    """Return what is found step by step, and what is found where steps are taken at once when no state matters."""
    with pytest.MonkeyPatch.context() as single:
        single.setattr(TrueRun, "_is_watched", lambda self, companions: True)
        steps = Lockstep(subject, formats).compare(word, max_steps=limit)
    return steps, Lockstep(subject, formats).compare(word, max_steps=limit)


@given(
    networks_and_words(max_size=8),
    st.lists(
        st.sampled_from([*FORMATS, xn.FLOAT8_E4M3, xn.FixedPoint(integer_bits=8, fraction_bits=8)]),
        max_size=3,
        unique=True,
    ),
    st.integers(0, 60),
)
def test_steps_that_are_taken_at_once_tell_the_same(network_and_word, formats, limit):
    """Also where a rounded run has its verdict long before the true one, or after it."""
    steps, at_once = compared(*network_and_word, formats, limit)
    assert steps == at_once


@pytest.mark.parametrize("name", ["palindrome", "anbn", "binary-increment", "sweeper"])
def test_steps_of_machines_that_are_taken_at_once_tell_the_same(name):
    net = xn.compile(name)
    symbols = net.machine.input_symbols
    for word in words("".join(symbols), 22, 6) if symbols else [""]:
        steps, at_once = compared(net, word, [*FORMATS, xn.FLOAT8_E4M3], 400)
        assert steps == at_once


def test_a_divergence_is_shown_in_a_line():
    net = xn.compile(xn.load("palindrome"))
    right = xn.first_divergence(net, "abba", xn.FLOAT64)
    assert repr(right) == "<Divergence of float64 on 'abba' in 25 steps: none>"
    wrong = xn.first_divergence(net, "a" * 400, xn.FLOAT32, max_steps=900)
    said = r"in 900 steps: values wrong from step \d+, configurations wrong from step \d+>"
    assert re.fullmatch(rf"<Divergence of float32 on 'a{{26}}\.\.\. {said}", repr(wrong))
    odd = xn.first_divergence(xn.gated_counter(), ("a", "b"), xn.FLOAT16)
    assert repr(odd) == "<Divergence of float16 on 'ab' in 2 steps: none>"
