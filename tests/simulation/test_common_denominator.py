"""Exact executors without positional structure against the rational reference, bit for bit."""

import random
import time
from functools import partial

import pytest
from gmpy2 import mpq, mpz
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import SizeLimitError
from exactnn.networks import Activation, Circuit, Network, SimpleRNN, Unit
from exactnn.simulation import flint_matrix, plain_exact, race
from exactnn.simulation.common_denominator import SLACK_BITS, CommonDenominatorExecutor, Numerators, quotient
from exactnn.simulation.flint_matrix import FlintMatrixExecutor, can_flint
from exactnn.simulation.lowest_terms import LowestTermsExecutor
from exactnn.simulation.plain_exact import PlainExactExecutor
from exactnn.simulation.rational import RationalExecutor
from exactnn.size_limit import SizeLimit
from tests.strategies import long_rationals, networks_and_words, rationals

KINDS = [CommonDenominatorExecutor, PlainExactExecutor]


def parts(value):
    """Return numerators and denominators, so that a fraction that is not in lowest terms is told apart."""
    if isinstance(value, tuple):
        return tuple(map(parts, value))
    assert type(value) is type(mpq(0))
    return int(value.numerator), int(value.denominator)


def compare(network, inputs, kinds, *, repetitions=1, until_decided=False):
    """Run all executors side by side and compare every output and state; return the executors and their states."""
    executors = [RationalExecutor(network), *(kind(network) for kind in kinds)]
    states = [executor.start() for executor in executors]
    assert len({parts(e.output(s)) for e, s in zip(executors, states, strict=True)}) == 1
    for symbol in inputs:
        segments = [
            executor.advance(state, symbol, repetitions, until_decided=until_decided)
            for executor, state in zip(executors, states, strict=True)
        ]
        states = [segment.state for segment in segments]
        found = [
            (
                segment.steps,
                segment.outcome,
                [parts(output) for output, times in segment.outputs for _ in range(times)],
                parts(executor.values(state)),
            )
            for executor, segment, state in zip(executors, segments, states, strict=True)
        ]
        assert all(one == found[0] for one in found)
    return executors[1:], states[1:]


@given(networks_and_words(), st.integers(1, 4))
def test_random_networks(pair, repetitions):
    network, word = pair
    compare(network, network.inputs(word), [*KINDS, LowestTermsExecutor], repetitions=repetitions)


@given(networks_and_words(weights=st.one_of(rationals(), long_rationals()), max_size=3))
def test_networks_with_long_weights(pair):
    network, word = pair
    compare(network, network.inputs(word), KINDS)


@given(networks_and_words())
def test_packed_states_go_on_as_they_were(pair):
    network, word = pair
    inputs = network.inputs(word)
    for kind in KINDS:
        _, (state,) = compare(network, inputs, [kind])
        executor = kind(network)
        for symbol in inputs:  # as after a restart: another executor, which has read nothing
            data = kind(network).pack(state) if kind is PlainExactExecutor else executor.pack(state)
            again = executor.unpack(data)
            assert parts(executor.values(again)) == parts(executor.values(state))
            state = executor.advance(again, symbol, 1, until_decided=False).state


@pytest.mark.parametrize("construction", [xn.siegelmann_sontag, xn.siegelmann_sontag_book])
@pytest.mark.parametrize("machine", ["bb3", "palindrome"])
def test_compiled_turing_machines(machine, construction):
    network = construction(xn.load(machine)).network
    eos = network.alphabet.index("EOS")
    compare(network, [0, eos] if len(network.alphabet) > 1 else [eos], KINDS, repetitions=60, until_decided=True)


def test_compiled_automata():
    network = xn.minsky(xn.load("parity")).network
    compare(network, network.inputs("011010"), KINDS)


def dense(size, seed, activation, weight):
    rng = random.Random(seed)

    def matrix(height, width):
        return [[weight(rng) for _ in range(width)] for _ in range(height)]

    bias, start, readout = matrix(3, size)
    return SimpleRNN(
        V=matrix(size, size), W=matrix(size, 2), b=bias, s=start, readout_weight=readout,
        activation=activation, alphabet="ab",
    )  # fmt: skip


WEIGHTS = [
    lambda rng: mpq(rng.randint(-9, 9), rng.randint(1, 10)),
    lambda rng: mpq(rng.randint(-50, 50), rng.randint(10, 99)),
    lambda rng: mpq(rng.uniform(-1, 1)),
]


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("activation", ["relu", "slu", "identity", "heaviside"])
@pytest.mark.parametrize("size", [2, 7, 30])
def test_dense_networks(size, activation, weight):
    network = dense(size, f"{size} {activation}", activation, weight)
    kinds = KINDS + [FlintMatrixExecutor] * can_flint(network)
    compare(network, [0, 1, 0, 1, 1], kinds, repetitions=6)


def test_real_inputs_with_denominators_of_their_own():
    rng = random.Random(1)
    network = SimpleRNN(
        V=[[mpq(rng.uniform(-1, 1)) for _ in range(5)] for _ in range(5)],
        W=[[mpq(rng.randint(-5, 5), 7)] for _ in range(5)],
        b=[0] * 5, s=[1] * 5, readout_weight=[1] * 5, activation="slu",
    )  # fmt: skip
    inputs = [(mpq(rng.randint(-9, 9), rng.randint(1, 99)),) for _ in range(30)]
    compare(network, inputs, KINDS + [FlintMatrixExecutor] * can_flint(network))


@pytest.fixture
def restless(monkeypatch):
    """Let executors take turns all the time, whoever is faster."""
    for name in ("PATIENCE", "CURIOSITY", "CAUTION", "TURN_SECONDS"):
        monkeypatch.setattr(race, name, 0)
    monkeypatch.setattr(race, "FASTER", 1e9)
    monkeypatch.setattr(race, "TRIAL_STEPS", 1)
    monkeypatch.setattr(plain_exact, "CALL_SECONDS", 0.0)


def contenders(executor):
    """Return the executors that take turns, with what is known of their speed."""
    return executor._contenders.values()


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("flint", [True, False])
def test_changes_between_the_executors_change_nothing(monkeypatch, flint):
    """Trials all the time, whoever wins."""
    if not flint:
        monkeypatch.setattr(flint_matrix, "_flint", lambda: None)
    network = dense(6, "changes", "slu", WEIGHTS[1])
    for every_state in (False, True):
        kind = partial(PlainExactExecutor, every_state=every_state)
        (executor,), _ = compare(network, [0, 1, 0, 0, 1], [kind], repetitions=7)
        assert all(contender.speed.tried for contender in contenders(executor))


@pytest.mark.parametrize("every_state", [False, True])
def test_who_is_slow_to_give_numbers_does_not_go_on_where_all_are_asked_for(monkeypatch, every_state):
    network = dense(12, "rationals", "relu", WEIGHTS[0])
    forms = forms_of_states(
        monkeypatch, network, 100, rationals=0.02, integers=0.001, reading=lambda _: 0.05, every_state=every_state
    )
    assert Numerators in forms
    assert (forms.count(tuple) > 80) == every_state


def test_rationals_are_tried_again_where_a_common_denominator_is_much_longer_than_each():
    """As one step in integers and reading it take ever longer; each number is short."""
    primes = [p for p in range(2, 180) if all(p % q for q in range(2, p))]
    network = SimpleRNN(
        V=[[mpq(i == j, p) for j in range(len(primes))] for i, p in enumerate(primes)],
        W=[[1, 0]] * len(primes), b=[0] * len(primes), s=[1] * len(primes), readout_weight=[1] * len(primes),
        activation="relu", alphabet="ab",
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patched:
        forms = forms_of_states(
            patched, network, 150, rationals=0.001, integers=0.0004, reading=lambda bits: bits * 1e-6, every_state=True
        )
    assert Numerators in forms
    assert forms.count(tuple) > 100
    assert forms[-1] is tuple


def forms_of_states(monkeypatch, network, steps, *, rationals, integers, reading, every_state):
    """Return the forms of the states of a run whose numbers are all read, by a clock that says what steps take.

    `reading` says how long it takes to read numerators, by the bits of their denominator.
    """
    ticks = [0.0]

    def steps_that_take(step_on, seconds):
        def timed(executor, symbol):
            step = step_on(executor, symbol)

            def one(state):
                ticks[0] += seconds
                return step(state)

            return one

        return timed

    def values(executor, state, read=CommonDenominatorExecutor.values):
        ticks[0] += reading(state.denominator.bit_length())
        return read(executor, state)

    monkeypatch.setattr(flint_matrix, "_flint", lambda: None)
    monkeypatch.setattr(plain_exact, "_clock", lambda: ticks[0])
    for kind, seconds in ((LowestTermsExecutor, rationals), (CommonDenominatorExecutor, integers)):
        monkeypatch.setattr(kind, "step_on", steps_that_take(kind.step_on, seconds))
    monkeypatch.setattr(CommonDenominatorExecutor, "values", values)
    executor, reference = PlainExactExecutor(network, every_state=every_state), RationalExecutor(network)
    state, before, forms = executor.start(), reference.start(), []
    for _ in range(steps):
        state = executor.advance(state, 0, 1, until_decided=False).state
        before = reference.advance(before, 0, 1, until_decided=False).state
        assert executor.values(state) == before
        forms.append(type(state))
    return forms


def compare_words(network, inputs, limit=None):
    """Read a word, in as many calls as it takes, and compare what comes out with the reference, up to its limit."""
    reference, executor = RationalExecutor(network, limit), PlainExactExecutor(network, limit)
    before, state, read = reference.start(), executor.start(), 0
    while read < len(inputs):
        try:
            segment = executor.advance_word(state, inputs[read:])
        except SizeLimitError:
            with pytest.raises(SizeLimitError):
                reference.advance(before, inputs[read], 1, until_decided=False)
            return executor
        expected = []
        for symbol in inputs[read : read + segment.steps]:
            one = reference.advance(before, symbol, 1, until_decided=False)
            before, expected = one.state, expected + one.outputs
        outputs = [parts(output) for output, times in segment.outputs for _ in range(times)]
        assert outputs == [parts(output) for output, _ in expected]
        assert parts(executor.values(segment.state)) == parts(before)
        state, read = segment.state, read + segment.steps
        assert segment.steps
    return executor


@pytest.mark.usefixtures("restless")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(networks_and_words(max_size=12))
def test_words_in_turns(pair):
    network, word = pair
    compare_words(network, network.inputs(word))


@pytest.mark.parametrize("tick", [0.0, 1 / 64])
def test_a_clock_that_is_too_coarse_for_a_step(tick, monkeypatch):
    """As that of a thread on Windows: it says 0 of nearly all turns."""
    monkeypatch.setattr(plain_exact, "_clock", lambda: tick * int(time.perf_counter() / tick) if tick else 1.0)
    compare_words(dense(6, "clock", "slu", WEIGHTS[1]), [0, 1, 0, 0, 1] * 20)
    assert xn.run("parity", "0110" * 50).verdict is xn.Verdict.REJECT


@pytest.mark.usefixtures("restless")
def test_words_of_a_dense_network_in_turns():
    executor = compare_words(dense(6, "words", "slu", WEIGHTS[1]), [0, 1, 0, 0, 1] * 10)
    assert len(contenders(executor)) == 3
    assert all(contender.speed.tried for contender in contenders(executor))


@pytest.mark.parametrize("bits", [1_500, 2_000, 3_000])
def test_a_word_is_read_as_far_as_there_is_room(bits, restless, monkeypatch):
    """The integers run out of room before the rationals do; what was read before is kept."""
    gave_way = []
    give_way = PlainExactExecutor._give_way
    monkeypatch.setattr(PlainExactExecutor, "_give_way", lambda *args: gave_way.append(1) or give_way(*args))
    primes = (101, 103, 107, 109)
    rows = [[mpq(1, prime) if i == j else 0 for j in range(4)] for i, prime in enumerate(primes)]
    network = autonomous(*(unit(0, *row) for row in rows), start=(mpq(1),) * 4)
    compare_words(network, [()] * 100, SizeLimit(bits))
    assert gave_way


@pytest.mark.parametrize("at", [0, 3, 6, 11])
def test_steps_end_where_the_state_is_that_of_an_anchor(at, restless):
    """Whoever reached the anchor, and whoever takes the steps."""
    rotating = autonomous(unit(0, 0, 0, 1), unit(0, 1, 0, 0), unit(0, 0, 1, 0), start=(mpq(1, 3), mpq(1, 2), mpq(0)))
    for kind in (LowestTermsExecutor, CommonDenominatorExecutor, FlintMatrixExecutor, PlainExactExecutor):
        executor = kind(rotating)
        anchor = executor.advance(executor.start(), (), at, until_decided=False).state if at else executor.start()
        segment = executor.advance(executor.start(), (), 20, until_decided=False, anchor=anchor)
        assert segment.steps == (at % 3 or 3)
        assert executor.alike(segment.state, anchor)


def unit(bias, *weights, activation=Activation.SLU):
    return Unit(name="u", bias=mpq(bias), linear=tuple(enumerate(map(mpq, weights))), activation=activation)


def autonomous(*units, start):
    """Return the network without input whose units are its state."""
    circuit = Circuit(
        state_size=len(units),
        input_size=0,
        layers=(units,),
        next_state=tuple(range(len(units), 2 * len(units))),
    )
    return Network(circuit=circuit, initial_state=start, readout=(unit(0, 1),))


def test_a_denominator_that_cancels_does_not_stay():
    """The state is 1/3 and 0 or 1 for ever, though the weights' denominator is 6."""
    network = autonomous(unit("1/6", "1/2"), unit("-1/6", 1, 0, activation=Activation.HEAVISIDE), start=("1/3", 0))
    executor = CommonDenominatorExecutor(network)
    state, longest = executor.start(), 0
    for _ in range(100):
        state = executor.advance(state, (), 1, until_decided=False).state
        longest = max(longest, state.denominator.bit_length())
    assert executor.values(state) == (mpq(1, 3), mpq(1))
    assert longest < SLACK_BITS + 10  # 300 factors 6 have 776


@pytest.mark.parametrize("kind", [CommonDenominatorExecutor, FlintMatrixExecutor])
def test_the_denominator_is_one_as_soon_as_all_is_zero_or_one(kind):
    """The first unit grows from 1/1000 by the factor 7/3 until it saturates; the others follow it."""
    rows = [unit(0, "7/3"), *(unit("-1/7", "8/7", 0) for _ in range(4))]
    network = autonomous(*rows, start=("1/1000", 0, 0, 0, 0))
    if kind is FlintMatrixExecutor and not can_flint(network):
        pytest.skip("needs python-flint")
    executor = kind(network)
    state = executor.advance(executor.start(), (), 100, until_decided=False).state
    assert set(executor.values(state)) == {mpq(1)}
    assert state.denominator == 1


@given(st.integers(-(10**9), 10**9), st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 3000))
def test_long_quotients_are_in_lowest_terms(factor, power, twos, threes):
    numerator, denominator = factor * mpz(6) ** power, mpz(2) ** twos * mpz(3) ** threes * 5
    assert parts(quotient(numerator, denominator, mpz(30))) == parts(mpq(numerator, denominator))
