"""Networks whose numbers each depend on themselves only: many letters at once give what they give one by one."""

import gc
import random
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import BFLOAT16, FloatFormat, Rounding, arithmetic_of
from exactnn.errors import OptionError
from exactnn.simulation import executor_for, stepping
from exactnn.simulation.compiled_steps import BY_THE_LOOP, LONG_WORD
from exactnn.simulation.diagonal import Diagonal
from exactnn.simulation.diagonal_kernels import STRIDE

FORMATS = ["float32", "float64", "bfloat16", "float16", "tf32", "e4m3", "e5m2", "p3e3", "p11e6", "p12e5", "p25e9"]
NUMBERS = st.one_of(
    st.sampled_from(["0", "1", "-1", "1/2", "-1/2", "2", "3", "0.9", "-0.999", "1e-30", "1e-42", "7e36", "1/3"]),
    st.fractions(-2, 2, max_denominator=64).map(str),
)


def executor_of(network: xn.Network, format: str) -> Any:
    return executor_for(network, arithmetic_of(format))


def diagonal_of(network: xn.Network, format: str) -> Diagonal | None:
    found: Diagonal | None = executor_of(network, format)._steps._diagonal
    return found


def one_by_one(executor: Any, word: list[int]) -> list[tuple[float, ...]]:
    """Return the start state and that after each symbol, by the loop that knows every network."""
    state = executor.start()
    found = [executor.values(state)]
    for symbol in word:
        state = executor.advance(state, symbol, 1, until_decided=False).state
        found.append(executor.values(state))
    return found


def same(first: Any, second: Any) -> bool:
    """Whether two states are equal, with 0 and -0 told apart, and a NaN like any other."""
    return np.array_equal(first, second, equal_nan=True) and np.array_equal(np.signbit(first), np.signbit(second))


@st.composite
def recurrences(draw: st.DrawFn) -> xn.Network:
    """Draw a network ``h[i] <- a[i] h[i] + c[i]`` on up to three letters."""
    size, letters = draw(st.integers(1, 5)), draw(st.integers(1, 3))

    def numbers(count: int) -> list[str]:
        return draw(st.lists(NUMBERS, min_size=count, max_size=count))

    V, s = [numbers(letters) for _ in range(size)], numbers(size)
    others: dict[str, Any] = {"s": s, "readout_weight": [1] * size, "alphabet": "abc"[:letters]}
    if draw(st.booleans()):  # a is the same for all letters, and its term comes before that of the letter
        return xn.DiagonalSSM(a=numbers(size), B=V, **others)
    A = [[[draw(NUMBERS) if i == j else 0 for _ in range(letters)] for j in range(size)] for i in range(size)]
    return xn.SecondOrderRNN(A=A, V=V, b=numbers(size), **others)


@settings(max_examples=60)
@given(recurrences(), st.sampled_from(FORMATS), st.data())
def test_many_letters_at_once(network: xn.Network, format: str, data: st.DataObject) -> None:
    assert network.alphabet is not None
    letters = st.integers(0, len(network.alphabet) - 1)
    word = data.draw(st.lists(letters, min_size=1, max_size=3 * STRIDE))
    executor = executor_of(network, format)
    diagonal = executor._steps._diagonal
    if diagonal is None:  # a number is out of all proportion to the format
        return
    states = one_by_one(executor, word)
    found, taken = diagonal.read(np.array(states[0]), diagonal.as_letters(word))
    assert taken == len(word) or taken % STRIDE == 0
    assert same(found, states[taken])


def ssm(a: list[Any], c: list[Any], s: list[Any] | None = None) -> xn.Network:
    """Return the recurrence ``h[i] <- a[i] h[i] + c[i]`` on the letter a, with a[i] h[i] on b."""
    return xn.DiagonalSSM(a=a, B=[[each, 0] for each in c], s=s, readout_weight=[1] * len(a), alphabet="ab")


@pytest.mark.parametrize("format", [each for each in FORMATS if each != "p3e3"])  # whose largest number is 14
def test_recurrences_are_seen(format: str) -> None:
    found = diagonal_of(ssm(["1/2", "-1"], [1, 0]), format)
    assert found is not None
    assert found.factors[0, :, :2].tolist() == [[0.5, -1.0]] * 2
    assert found.constants[0, :, :2].tolist() == [[1.0, 0.0], [0.0, 0.0]]
    gated = xn.SecondOrderRNN(A=[[["1/2", 0]]], V=[[0, 1]], b=[1], s=[0], readout_weight=[1], alphabet="ab")
    found = diagonal_of(gated, format)
    assert found is not None
    assert found.factors[0, :, 0].tolist() == [0.5, 0.0]
    assert found.constants[0, :, 0].tolist() == [1.0, 2.0]


def simple(W: Any, V: Any, b: Any = None, **options: Any) -> xn.Network:
    size = len(W)
    return xn.SimpleRNN(W=V, V=W, b=b or [0] * size, s=[0] * size, readout_weight=[1] * size, alphabet="ab", **options)


@pytest.mark.parametrize(
    "network",
    [
        simple([[0, 1], [1, 0]], [[1, 0], [0, 1]]),  # each reads the other
        simple([[1, 1], [0, 1]], [[1, 0], [0, 1]]),
        simple([[1]], [[1, 1]], [1]),  # the bias before a h, the letter after it: three sums in a step
        simple([[1]], [[1, 1]], activation="relu"),
        simple([["1/2"]], [[1, 1]], activation="tanh"),
    ],
)
def test_others_are_left_to_the_loop(network: xn.Network) -> None:
    assert diagonal_of(network, "bfloat16") is None


@pytest.mark.parametrize(
    "format",
    [
        replace(BFLOAT16, rounding=Rounding.DOWN),
        replace(BFLOAT16, rounding=Rounding.STOCHASTIC),
        *map(arithmetic_of, ["p26e8", "p60e9", "q8.8", "tensor core bf16"]),
    ],
)
def test_other_formats_are_left_to_the_loop(format: Any) -> None:
    executor = executor_for(ssm(["1/2"], [1]), format)
    assert executor._steps._diagonal is None  # type: ignore[attr-defined]
    word = [random.Random(0).randrange(2) for _ in range(50)]
    assert executor.values(executor.read(executor.start(), word).state) == one_by_one(executor, word)[-1]


@pytest.mark.parametrize("format", ["e4m3", pytest.param("e5m2", marks=pytest.mark.slow), "p3e3"])
def test_all_products(format: str) -> None:
    """Every a with every h of a small format, and a c: products below the least number, and ties."""
    arithmetic = arithmetic_of(format)
    assert isinstance(arithmetic, FloatFormat)
    least = arithmetic.smallest
    numbers = sorted({float(arithmetic.rounded(k * least * 2**e)) for k in range(-8, 9) for e in range(18)})
    numbers = [x for x in numbers if abs(x) <= 2]
    compared = 0
    for a in numbers:
        for c in (0, least, -1):
            executor = executor_of(ssm([a] * len(numbers), [c] * len(numbers), numbers), format)
            diagonal = executor._steps._diagonal
            start, following = one_by_one(executor, [0])
            if diagonal is not None:
                found, taken = diagonal.read(np.array(start), diagonal.as_letters([0]))
                compared += taken
                assert not taken or same(found, following)
    assert compared > len(numbers)


@pytest.mark.parametrize("format", ["bfloat16", "p9e8"])
def test_products_below_the_least_number(format: str) -> None:
    """In bfloat16 no product is rounded twice; with one bit more some would be, so that float64 has to do it."""
    arithmetic = arithmetic_of(format)
    assert isinstance(arithmetic, FloatFormat)
    rng = random.Random(1)
    units = 2**arithmetic.precision
    small = [rng.randrange(-units, units) * arithmetic.smallest * 2 ** rng.randrange(6) for _ in range(64)]
    factors = [mpq(rng.randrange(units // 2, units)) / units / 2 ** rng.randrange(8) for _ in range(64)]
    for shift in range(16):
        executor = executor_of(ssm(factors[shift:] + factors[:shift], [0] * 64, small), format)
        diagonal = executor._steps._diagonal
        assert diagonal is not None
        assert diagonal.factors.dtype == (np.float32 if format == "bfloat16" else np.float64)
        states = one_by_one(executor, [0] * 12)
        for taken in (1, 2, 12):
            found, _ = diagonal.read(np.array(states[0]), diagonal.as_letters([0] * taken))
            assert same(found, states[taken])


def test_numbers_that_grow_too_large_go_to_the_loop() -> None:
    """To infinity, and to a NaN where a letter multiplies it by 0."""
    doubles = xn.SecondOrderRNN(A=[[[2, 0, 1]]], V=[[0, 1, 1]], s=[1], readout_weight=[1], alphabet="abc")
    word = "c" * 20_000 + "a" * 200 + "c" * 3000 + "b" + "c" * 3000
    for format in ("bfloat16", "e5m2", "float32"):
        kept = xn.run(doubles, word, format, record="all")
        last = xn.run(doubles, word, format, record="end")
        assert same(last.final_state, kept.final_state), format
        assert np.isnan(last.final_state).all()
    clipped = xn.run(doubles, word, "e4m3", record="end")  # beyond its largest number is a NaN
    assert same(clipped.final_state, xn.run(doubles, word, "e4m3").final_state)


def test_the_loop_and_the_faster_way_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers go up to 64,000, beyond 57,312, from where 32 steps might overflow; and they come back from there."""
    counts = xn.SecondOrderRNN(A=[[[1, "1/2"]]], V=[[128, 0]], s=[0], readout_weight=[1], alphabet="ab")
    found = diagonal_of(counts, "float16")
    assert found is not None
    assert 57_000 < found.most < 57_312
    word = [0] * LONG_WORD
    for begin in range(0, len(word), 2200):
        word[begin : begin + 1700] = [1] * len(word[begin : begin + 1700])
    turns, read = [], Diagonal.read

    def noted(self: Diagonal, state: Any, letters: Any) -> Any:
        following, taken = read(self, state, letters)
        turns.append(taken)
        return following, taken

    monkeypatch.setattr(Diagonal, "read", noted)
    executor = executor_of(counts, "float16")
    assert executor.values(executor.read(executor.start(), word).state) == one_by_one(executor, word)[-1]
    assert len(turns) > 4
    assert all(turns)
    assert sum(turns) < len(word) - BY_THE_LOOP


@pytest.mark.parametrize("letters", [256, 257])
def test_many_letters_and_many_numbers(letters: int) -> None:
    """More letters than a byte tells apart, and more numbers than go together."""
    rng, size = random.Random(letters), 130
    columns = [[mpq(rng.randrange(-8, 9), 16) for _ in range(letters)] for _ in range(size)]
    alphabet = [f"l{i}" for i in range(letters)]
    decays = [mpq(rng.randrange(-16, 17), 16) for _ in range(size)]
    network = xn.DiagonalSSM(a=decays, B=columns, readout_weight=[1] * size, alphabet=alphabet)
    word = [rng.randrange(letters) for _ in range(100)] + [letters - 1]
    for format in ("bfloat16", "p20e8"):
        executor = executor_of(network, format)
        states = one_by_one(executor, word)
        found, taken = executor._steps._diagonal.read(np.array(states[0]), executor._steps._diagonal.as_letters(word))
        assert taken == len(word)
        assert same(found, states[-1])


ARITHMETICS = ["exact", "rational", "float64", "bfloat16", "q8.8", "p60e9", "p60e11", "interval64"]
AT_RANDOM = [
    replace(BFLOAT16, rounding=Rounding.STOCHASTIC),
    xn.FixedPoint(integer_bits=8, fraction_bits=8, rounding="stochastic"),
]


@pytest.mark.parametrize("arithmetic", [*ARITHMETICS, *AT_RANDOM], ids=str)
def test_nothing_but_the_end_is_kept(arithmetic: Any) -> None:
    """Where rounding is at random, an output that is computed again is another."""
    anbn, rounded = xn.compile("anbn").network, ssm(["1/2"], [1])
    rounded = replace(rounded, readout=(replace(rounded.readout[0], linear=((0, mpq(1, 3)),)),))
    for network, words in ((rounded, ["", "a", "abba" * 10]), (anbn, ["", "ab", "aab"])):
        for word in words:
            kept = xn.run(network, word, arithmetic, max_steps=200)
            end = xn.run(network, word, arithmetic, record="end", max_steps=200)
            assert (end.outcome, end.steps, end.word) == (kept.outcome, kept.steps, kept.word)
            assert list(map(str, end.final_state)) == list(map(str, kept.final_state))
            assert list(map(str, end.outputs)) == list(map(str, kept.outputs))[max(0, len(word) - 1) :]
            assert not end.trace.states


def test_the_end_within_a_limit() -> None:
    network = ssm(["1/2"], [1])
    cut = xn.run(network, "ab" * 50, "bfloat16", record="end", max_steps=30)
    assert cut.outcome is xn.Outcome.STEP_LIMIT
    assert (cut.steps, len(cut.outputs)) == (30, 0)
    assert cut.final_state == xn.run(network, "ab" * 50, "bfloat16", max_steps=30).final_state


def test_an_interruption_keeps_the_end() -> None:
    machine = xn.compile("bb3").network

    def stop(steps: int) -> None:
        if steps > 5:
            raise KeyboardInterrupt

    for record in ("end", "outputs"):  # the word is empty: all steps are on EOS
        found = xn.run(machine, "", "rational", record=record, progress=stop)
        assert found.outcome is xn.Outcome.INTERRUPTED
        assert len(found.outputs) == found.steps


def test_exact_runs_look_at_the_clock_within_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers get longer with every letter."""
    steps = []

    def stop(step: int) -> None:
        steps.append(step)
        if step > 200:
            raise KeyboardInterrupt

    monkeypatch.setattr(stepping, "LONGEST_SLICE", 0)
    found = xn.run(ssm(["1/3"], [1]), "ab" * 1500, record="end", progress=stop)
    assert found.outcome is xn.Outcome.INTERRUPTED
    assert found.steps == 201
    assert not found.outputs
    assert len(steps) > 1


def test_what_is_not_kept_takes_no_room() -> None:
    network, word = ssm(["1/3"], [1]), "ab" * 600
    found = [xn.run(network, word, "rational", record=record, max_bits=20_000) for record in ("end", "outputs")]
    assert [each.outcome for each in found] == [xn.Outcome.ACCEPTED, xn.Outcome.SIZE_LIMIT]


@pytest.mark.parametrize(
    ("bounds", "format"), [({"low": 10**5}, "float16"), ({"high": -(10**5)}, "float16"), ({"low": 10**50}, "float32")]
)
def test_a_bound_that_rounds_to_the_other_infinity(bounds: dict[str, int], format: str) -> None:
    network = simple([["1/2"]], [[1, -1]], activation=xn.Activation(name="bounded", **bounds))
    assert diagonal_of(network, format) is None


@pytest.mark.parametrize("specials", ["nan", "none"])
def test_formats_with_larger_numbers_than_float32(specials: str) -> None:
    format = FloatFormat(precision=8, exponent_bits=8, specials=specials)
    network = ssm(["1"], [1], [5 * 10**38])
    word = "b" * (LONG_WORD + 5000)
    assert xn.run(network, word, format, record="end").final_state == xn.run(network, word, format).final_state
    found: Diagonal = executor_for(network, format)._steps._diagonal  # type: ignore[attr-defined]
    assert found.factors.dtype == np.float64


def test_a_network_is_forgotten_at_once() -> None:
    """No circle of references keeps it until the garbage collector comes."""
    network = ssm(["1/2"], [1])
    steps = weakref.ref(executor_of(network, "bfloat16")._steps)
    assert steps()._diagonal is not None  # type: ignore[union-attr]
    gc.disable()
    try:
        del network
        assert steps() is None
    finally:
        gc.enable()


def test_options_that_do_not_go_together(tmp_path: Any) -> None:
    network = ssm(["1/2"], [1])
    with pytest.raises(OptionError, match="record='end': not with a checkpoint"):
        xn.run(network, "ab", "bfloat16", record="end", checkpoint=tmp_path / "run.json")
    with pytest.raises(OptionError, match="record='end': not in certified arithmetic"):
        xn.run(network, "ab", "certified", record="end")
    whole, end = (xn.run(network, "abba", "bfloat16", record=kept, order="blelloch") for kept in ("outputs", "end"))
    assert end.outputs == whole.outputs[-1:]
    assert (end.initial_output, end.final_state) == (whole.initial_output, whole.final_state)
    assert xn.run(network, "", "bfloat16", record="end", order="blelloch").outputs == []
