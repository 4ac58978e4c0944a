"""Exact steps in machine words against the rational reference, as far as the numbers fit."""

import random
from dataclasses import replace

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import SizeLimitError
from exactnn.networks import Activation, Circuit, Network
from exactnn.simulation import machine_words, plain_exact, race
from exactnn.simulation.machine_words import MachineWordExecutor, is_ready
from exactnn.simulation.plain_exact import PlainExactExecutor
from exactnn.simulation.race import Race, Turn
from exactnn.simulation.rational import RationalExecutor
from exactnn.size_limit import SizeLimit
from tests.simulation.exact_networks import KINDS, Pair, Trace, compare, forever, unit
from tests.strategies import networks_and_words, rationals

IDENTITY, RELU, SLU, HEAVISIDE = Activation.IDENTITY, Activation.RELU, Activation.SLU, Activation.HEAVISIDE
ONE = mpq(1)
RANDOM = st.builds(random.Random, st.integers(0, 10**9))


def same_steps(executor, segment, reference, state, symbol):
    """Compare steps on one input with those of the reference; return its state after them, and its outputs."""
    outputs = []
    for _ in range(segment.steps):
        state = reference.step(state, symbol)
        outputs.append(reference.output(state))
    assert [output for output, times in segment.outputs for _ in range(times)] == outputs
    assert executor.values(segment.state) == state
    return state, outputs


def as_far_as_they_fit(network, inputs, *, at_once=1, until_decided=False):
    """Compare steps with the reference up to the first that does not fit; return how many there were."""
    reference = RationalExecutor(network)
    try:
        executor = MachineWordExecutor(network)
        state = executor.start()
    except SizeLimitError:
        return 0
    expected = reference.start()
    assert executor.output(state) == reference.output(expected)
    taken = 0
    while taken < len(inputs):
        symbol = inputs[taken]
        alike = next((i for i, other in enumerate(inputs[taken:]) if other != symbol), len(inputs) - taken)
        count = min(at_once, alike)
        try:
            segment = executor.advance(state, symbol, count, until_decided=until_decided)
        except SizeLimitError:
            break
        expected, outputs = same_steps(executor, segment, reference, expected, symbol)
        verdicts = [None if isinstance(output, tuple) else network.decision.outcome(output) for output in outputs]
        if until_decided:
            assert verdicts[:-1] == [None] * (segment.steps - 1)
            assert segment.outcome == verdicts[-1]
        state, taken = segment.state, taken + segment.steps
    return taken


@settings(max_examples=100)
@given(networks_and_words(), st.integers(1, 5), st.booleans())
def test_random_networks(pair, at_once, until_decided):
    network, word = pair
    as_far_as_they_fit(network, network.inputs(word), at_once=at_once, until_decided=until_decided)


@given(networks_and_words(weights=st.one_of(rationals(), st.integers(-(2**40), 2**40).map(mpq)), max_size=3))
def test_weights_of_half_a_word(pair):
    network, word = pair
    as_far_as_they_fit(network, network.inputs(word))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@settings(max_examples=10)
@given(rng=RANDOM)
def test_networks_of_every_kind(kind, rng):
    pair = kind(rng)
    inputs = [symbol for symbol, count in pair.word for _ in range(count)][:200]
    as_far_as_they_fit(pair.network, inputs, at_once=rng.choice((1, 3, 50)))


@settings(max_examples=60)
@given(networks_and_words(), RANDOM)
def test_steps_from_states_in_any_order(pair, rng):
    """The loop goes on with what it left behind, unless the steps begin elsewhere or the last one was broken off."""
    network, word = pair
    reference = RationalExecutor(network)
    try:
        executor = MachineWordExecutor(network)
        known = [(executor.start(), reference.start())]
    except SizeLimitError:
        return
    symbols = [*network.inputs(word), *([] if network.eos is None else [network.eos])]
    size = network.circuit.input_size
    symbols += [tuple(mpq(rng.randint(-2, 2), rng.choice((1, 2, 3))) for _ in range(size)) for _ in range(2)]
    for _ in range(30):
        state, expected = known[-1] if rng.random() < 0.7 else rng.choice(known)
        symbol, count = rng.choice(symbols), rng.randint(1, 5)
        anchor = rng.choice(known)[0] if rng.random() < 0.2 else None
        try:
            segment = executor.advance(state, symbol, count, until_decided=rng.random() < 0.3, anchor=anchor)
        except SizeLimitError:
            continue
        expected, _ = same_steps(executor, segment, reference, expected, symbol)
        known.append((segment.state, expected))


CONSTRUCTIONS = {
    "growing memory": (lambda: xn.growing_memory(xn.load("palindrome"), precision=8, modules=8), "abba" * 3, 600),
    "counters of an LSTM": (xn.lstm_anbn, "a" * 300 + "b" * 300, 50),
    "an automaton": (lambda: xn.minsky(xn.load("parity")), "0110" * 50, 10),
}


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_constructions_whose_numbers_stay_short(name):
    make, word, steps = CONSTRUCTIONS[name]
    network = make().network
    inputs = [*network.inputs(word), *[network.eos] * (steps if network.eos is not None else 0)]
    assert as_far_as_they_fit(network, inputs, at_once=100) == len(inputs)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_many_letters_in_one_call(name):
    make, word, _ = CONSTRUCTIONS[name]
    network = make().network
    executor, reference = MachineWordExecutor(network), RationalExecutor(network)
    inputs = network.inputs(word)
    segment = executor.along(executor.start(), inputs)
    state, outputs = reference.start(), []
    for symbol in inputs:
        state = reference.step(state, symbol)
        outputs.append(reference.output(state))
    assert segment.steps == len(inputs)
    assert [output for output, times in segment.outputs for _ in range(times)] == outputs
    assert executor.values(segment.state) == state


def network_of(units, start, inputs=1):
    first = len(start) + inputs
    circuit = Circuit(
        state_size=len(start), input_size=inputs, layers=(units,), next_state=tuple(range(first, first + len(units)))
    )
    readout = (unit("y", 0, [(0, ONE)], IDENTITY),)
    return Network(circuit=circuit, initial_state=tuple(map(mpq, start)), readout=readout, alphabet="abcdefg"[:inputs])


@pytest.mark.parametrize(("bias", "weight"), [(1, 2), (-2, 2), (1, -2), (0, 3), (mpq(1, 3), 1), (0, mpq(1, 2)), (1, 1)])
def test_numbers_that_grow_until_they_do_not_fit(bias, weight):
    """Larger and larger, or of more and more digits: with all the room that there is, and never beyond it."""
    network = network_of((unit("x", bias, [(0, mpq(weight))], IDENTITY),), (1,))
    taken = as_far_as_they_fit(network, [0] * 80)
    assert taken == 80 if weight == 1 else 20 < taken < 62


def test_products():
    x, y = 0, 1
    units = (
        unit("x", 0, [], IDENTITY, [(x, y, ONE)]),
        unit("y", mpq(1, 2), [(y, mpq(1, 2))], SLU, [(x, x, mpq(-1, 4)), (x, y, mpq(0))]),
    )
    assert 3 < as_far_as_they_fit(network_of(units, (mpq(3, 2), mpq(1, 2))), [0] * 60) < 60
    squares = (unit("x", 0, [], IDENTITY, [(x, x, ONE)]), unit("y", 0, [(x, ONE)], HEAVISIDE))
    assert as_far_as_they_fit(network_of(squares, (-3, 0)), [0] * 60) in (4, 5)


def test_a_product_wakes_a_unit_that_was_0():
    counts, product = unit("x", 1, [(0, ONE)], IDENTITY), [(0, 0, ONE)]
    units = (counts, *(unit(f"y{i}", -20, [], activation, product) for i, activation in enumerate((RELU, HEAVISIDE))))
    assert as_far_as_they_fit(network_of(units, (-7, 0, 0)), [0] * 30, at_once=30) == 30


def test_an_anchor_that_differs_here_and_then_there():
    """States (0, 0), (0, 1), (1, 0), and again: where one of them differs from the first, the next one does not."""
    x, y = unit("x", 0, [(1, ONE)], SLU), unit("y", 1, [(0, -ONE), (1, -ONE)], SLU)
    for units in ((x, y), (unit("y", 1, [(1, -ONE), (0, -ONE)], SLU), unit("x", 0, [(0, ONE)], SLU))):
        executor = MachineWordExecutor(network_of(units, (0, 0)))
        start = executor.start()
        segment = executor.advance(start, 0, 10, until_decided=False, anchor=start)
        assert segment.steps == 3
        assert executor.alike(segment.state, start)


def test_a_common_denominator_that_no_float_holds():
    """Each number would fit; all together have a denominator of some thousand bits."""
    units = tuple(unit(f"x{i}", 0, [(i, ONE)], SLU) for i in range(60))
    executor = MachineWordExecutor(network_of(units, [0] * 60))
    with pytest.raises(SizeLimitError, match="do not fit machine words"):
        executor.state_of([mpq(1, 2**40 + 2 * i + 1) for i in range(60)])


def test_vectors_of_inputs():
    network = network_of((unit("x", 0, [(0, ONE), (1, mpq(1, 2))], RELU),), (0,))
    network = Network(circuit=network.circuit, initial_state=network.initial_state, readout=network.readout)
    rng = random.Random(1)
    vectors = [(mpq(rng.randint(-50, 99), rng.choice((1, 3, 8))),) for _ in range(40)]
    assert as_far_as_they_fit(network, vectors) == 40
    assert as_far_as_they_fit(network, [*vectors, (mpq(1, 3**60),)]) == 40
    assert as_far_as_they_fit(network, [*vectors, (mpq(2**70),)]) == 40


def test_the_state_of_an_anchor_over_another_denominator():
    units = tuple(unit(f"{i}", 0, [((i + 1) % 3, ONE), (2, mpq(0))], SLU) for i in range(3))
    network = network_of((*units, unit("halves", 0, [(3, mpq(1, 2))], SLU)), (mpq(1, 4), ONE, 0, 0))
    executor = MachineWordExecutor(network)
    start = executor.start()
    values = executor.values(start)
    for share in (0.0, 0.5, 1.0):
        anchor = executor._over(values, share)
        assert executor.alike(anchor, start)
        segment = executor.advance(start, 0, 20, until_decided=False, anchor=anchor)
        assert segment.steps == 3
        assert executor.alike(segment.state, anchor)
    other = executor.state_of((mpq(1, 3), ONE, mpq(0), mpq(0)))
    assert executor.advance(start, 0, 20, until_decided=False, anchor=other).steps == 20


def test_a_state_without_numbers_comes_again_at_once():
    nothing = Circuit(state_size=0, input_size=1, layers=(), next_state=())
    network = Network(circuit=nothing, initial_state=(), readout=(unit("y", 1, [], IDENTITY),), alphabet="a")
    executor = MachineWordExecutor(network)
    start = executor.start()
    assert executor.advance(start, 0, 50, until_decided=False, anchor=start).steps == 1
    assert executor.advance(start, 0, 50, until_decided=False).steps == 50


def test_a_small_limit_of_bits_is_for_others():
    network = xn.minsky(xn.load("parity")).network
    with pytest.raises(SizeLimitError):
        MachineWordExecutor(network, SizeLimit(1000))


@pytest.mark.parametrize("word", ["ab" * 30 + "ba" * 30, "ab" * 25 + "aa" + "ba" * 24])
def test_runs_go_on_in_machine_words(word, monkeypatch):
    taken = []
    advance = MachineWordExecutor._advance

    def counted(executor, *rest):
        segment = advance(executor, *rest)
        taken.append(segment.steps)
        return segment

    monkeypatch.setattr(MachineWordExecutor, "_advance", counted)
    network = xn.growing_memory(xn.load("palindrome"), precision=8, modules=16).network
    expected = xn.run(network, word, arithmetic=xn.RATIONAL)
    for _ in range(2):
        run = xn.run(network, word)
        assert (run.outcome, run.steps, run.final_state) == (expected.outcome, expected.steps, expected.final_state)
    assert sum(taken) > run.steps / 2


@settings(max_examples=20)
@given(RANDOM)
def test_executors_in_turn(rng):
    """Numbers that fit at times: whoever takes the steps goes on where another one was."""
    pair = rng.choice(list(KINDS.values()))(rng)
    with pytest.MonkeyPatch.context() as patched:
        for name in ("PATIENCE", "CURIOSITY", "CAUTION", "TURN_SECONDS"):
            patched.setattr(race, name, 0)
        patched.setattr(race, "FASTER", 1e9)
        patched.setattr(race, "TRIAL_STEPS", 1)
        executor = PlainExactExecutor(pair.network)
        executor.add_words()
        compare(Trace(pair), executor, forever(lambda: rng.choice((1, 2, 9))))


@pytest.fixture
def ready(monkeypatch):
    """Let the loop be compiled, or read from the disk, and new networks begin in it, as later runs do where it pays."""
    executor = MachineWordExecutor(xn.compile("parity").network)
    executor.advance(executor.start(), 0, 1, until_decided=False)
    assert is_ready()
    monkeypatch.setattr(plain_exact, "words_are_ready", is_ready)
    monkeypatch.setattr(plain_exact, "WRITING", 0.0)
    monkeypatch.setattr(plain_exact, "WORDS_AFTER", 0.0)


@pytest.mark.usefixtures("ready")
@settings(max_examples=30)
@given(RANDOM)
def test_networks_that_begin_in_words(rng):
    pair = rng.choice(list(KINDS.values()))(rng)
    compare(Trace(pair), PlainExactExecutor(pair.network), forever(lambda: rng.choice((1, 2, 9))))


@pytest.mark.usefixtures("ready")
def test_a_new_network_goes_on_in_words_where_the_loop_is_ready():
    network = xn.lstm_anbn().network
    executor = PlainExactExecutor(replace(network))
    state = executor.start()
    assert not executor.seconds_in_words(state)
    assert executor.seconds_in_words(executor.advance(state, 0, 1, until_decided=False).state)
    word = "a" * 40 + "b" * 40
    run, expected = (xn.run(replace(network), word, arithmetic) for arithmetic in (xn.EXACT, xn.RATIONAL))
    assert (run.outcome, run.steps, run.final_state) == (expected.outcome, expected.steps, expected.final_state)
    assert list(run.outputs) == list(expected.outputs)


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("limit", [SizeLimit(), SizeLimit(20_000)])
@pytest.mark.parametrize("at_once", [1, 5, 60])
def test_where_words_have_no_room_who_was_fastest_goes_on(limit, at_once, monkeypatch):
    """Numbers that double: a common denominator has room for them, words have not."""
    taken, take = [], MachineWordExecutor._advance
    monkeypatch.setattr(MachineWordExecutor, "_advance", lambda *args: taken.append(take(*args)) or taken[-1])
    network = network_of((unit("x", 1, [(0, mpq(2))], IDENTITY), unit("y", 0, [(0, ONE)], IDENTITY)), (1, 0))
    reference, executor = RationalExecutor(network), PlainExactExecutor(network, limit)
    state, before = executor.start(), reference.start()
    for _ in range(0, 180, at_once):
        segment = executor.advance(state, 0, at_once, until_decided=False)
        for _ in range(segment.steps):
            before = reference.step(before, 0)
        assert executor.values(segment.state) == before
        state = segment.state
    assert taken
    assert not executor.seconds_in_words(state)


@pytest.mark.parametrize(("seconds", "tries"), [(0.5, False), (1.5, False), (2.5, True)])
def test_many_short_runs_get_the_loop_as_one_long_run_does(seconds, tries, monkeypatch):
    """The loop is compiled when plain steps of all runs have taken ten times what stands for compiling it."""
    monkeypatch.setattr(race.ALL_RUNS, "seconds", seconds)
    monkeypatch.setattr(machine_words, "is_ready", lambda: False)
    monkeypatch.setattr(plain_exact, "WORDS_AFTER", 0.0)
    network = xn.lstm_anbn().network
    for _ in range(2):
        executor = PlainExactExecutor(replace(network))
        assert not executor.seconds_in_words(executor.start())
        state = executor.start()
        for symbol in network.inputs("a" * 100):
            state = executor.advance(state, symbol, 1, until_decided=False).state
        assert (executor.seconds_in_words(state) is not None) == tries


@pytest.mark.parametrize("reads", [False, True])
def test_ctrl_c_at_the_end_of_a_turn(reads, monkeypatch):
    """The turn has no steps left, and nobody has said whose is next: from the state before it goes on all the same."""
    network = xn.minsky(xn.load("parity")).network
    trace = Trace(Pair(network, tuple((i % 2, 1) for i in range(300))))
    executor = PlainExactExecutor(network)
    executor.add_words()
    state, at = executor.start(), 0
    going_on = executor._race_from(state)
    words = going_on.contenders[machine_words.Words]
    going_on.best, going_on.turn = words, Turn.of(words, 1)
    judge, ended = Race.judge, []

    def interrupted(self, bits):
        ended.append(bits)
        if len(ended) % 2:
            raise KeyboardInterrupt
        return judge(self, bits)

    monkeypatch.setattr(Race, "judge", interrupted)
    while at < len(trace):
        try:
            if reads:
                segment = executor.advance_word(state, trace.inputs[at:])
            else:
                segment = executor.advance(state, trace.inputs[at], 1, until_decided=False)
        except KeyboardInterrupt:
            continue
        outputs = [output for output, times in segment.outputs for _ in range(times)]
        state, at = segment.state, at + segment.steps
        assert outputs == trace.outputs[at + 1 - segment.steps : at + 1]
        assert executor.values(state) == trace.states[at]
    assert len(ended) > 2
    assert not words.failures


@pytest.mark.parametrize("moves", [True, False])
def test_a_step_takes_what_it_looks_at(moves):
    """Of fifty units that read all others, each changes in every step, or none does."""
    size = 50
    bias, weight = (size, -2) if moves else (0, 1)
    units = [unit(f"x{i}", bias, [(j, mpq(weight)) for j in range(size)], HEAVISIDE) for i in range(size)]
    network = network_of(tuple(units), (0,) * size)
    executor = MachineWordExecutor(network)
    executor.advance(executor.start(), 0, 1000, until_decided=False)
    terms = (executor.seconds_of_a_step - machine_words.STEP) / machine_words.TERM
    assert terms > size**2 / 3 if moves else terms < size
