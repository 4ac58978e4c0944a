"""The first steps of exact runs, and where others go on, against the rational reference."""

import random
from dataclasses import replace

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import SizeLimitError, UnsupportedArithmeticError
from exactnn.networks.activation import PIECEWISE_LINEAR
from exactnn.simulation import executor_for, plain_exact, race, short_run, stepping
from exactnn.simulation.executor import basic_twin
from exactnn.simulation.lowest_terms import Layer
from exactnn.simulation.positional import beginning
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.race import Record
from exactnn.simulation.rational import RationalExecutor
from exactnn.simulation.short_run import ShortRunExecutor
from tests.simulation.exact_networks import KINDS, Trace, check_states, compare, forever
from tests.strategies import networks_and_words

OTHERS = (
    *PIECEWISE_LINEAR,
    xn.Activation(name="from below", low=-2),
    xn.Activation(name="from above", high="3/2"),
    xn.Activation(name="hard tanh", low=-1, high=1),
    xn.Activation(name="sign", kind="jump", low=-1, high=1),
)
SHORTEST = {"FIRST_SECONDS": 0.0, "MANY_LETTERS": 1, "MANY_LED": 1}
LONGEST = {"FIRST_SECONDS": 1e9, "MANY_LETTERS": 10**9, "MANY_LED": 10**9}


@pytest.fixture(params=[SHORTEST, LONGEST], ids=["one step", "all steps"])
def first(request, monkeypatch):
    """One first step, or as many as there are."""
    for name, value in request.param.items():
        monkeypatch.setattr(short_run, name, value)


@pytest.fixture
def in_turn(monkeypatch):
    """Each executor of plain steps takes some of them, machine words too where they fit."""
    for name in ("PATIENCE", "CURIOSITY", "CAUTION", "TURN_SECONDS"):
        monkeypatch.setattr(race, name, 0)
    monkeypatch.setattr(race, "FASTER", 1e9)
    monkeypatch.setattr(race, "TRIAL_STEPS", 1)
    monkeypatch.setattr(plain_exact, "words_are_ready", lambda: True)
    monkeypatch.setattr(plain_exact, "WORDS_AFTER", 0.0)


@pytest.mark.parametrize("constants", [SHORTEST, LONGEST], ids=["one step", "all steps"])
@given(
    pair=networks_and_words(max_size=12) | networks_and_words(max_size=12, activations=OTHERS),
    record=st.sampled_from(["outputs", "end", "all", 3]),
    times=st.integers(1, 3),
)
def test_runs_are_those_of_the_reference(constants, pair, record, times):
    network, word = pair
    expected = xn.run(network, word, xn.RATIONAL, record=record, max_steps=30)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in constants.items():
            patch.setattr(short_run, name, value)
        for _ in range(times):  # later runs of a network know what was found out
            found = xn.run(network, word, record=record, max_steps=30)
            assert (found.outcome, found.steps, found.cycle) == (expected.outcome, expected.steps, expected.cycle)
            assert (found.outputs, found.trace, found.final_state) == (
                expected.outputs,
                expected.trace,
                expected.final_state,
            )


@given(
    pair=networks_and_words(max_size=12) | networks_and_words(max_size=12, activations=OTHERS),
    record=st.sampled_from(["outputs", "end", "all"]),
    steps=st.integers(1, 3),
)
def test_a_run_of_one_step_lays_nothing_out(pair, record, steps):
    """The first one; a second run of the network does, and says the same. It may be taken further, too."""
    network, word = pair
    expected = xn.run(network, word, xn.RATIONAL, record=record, max_steps=1)
    for laid_out in (False, True):
        found = xn.run(network, word, record=record, max_steps=1)
        assert (found.outcome, found.outputs, found.trace, found.final_state) == (
            expected.outcome, expected.outputs, expected.trace, expected.final_state,
        )  # fmt: skip
        assert (Layer in network.laid_out) == (laid_out and found.steps > 0)
    executor, reference = ShortRunExecutor(replace(network), once=True), RationalExecutor(network)
    state, there = executor.start(), reference.start()
    for symbol in network.inputs(word)[:steps]:
        state = executor.advance(state, symbol, 1, until_decided=False).state
        there = reference.advance(there, symbol, 1, until_decided=False).state
        assert (executor.values(state), executor.output(state)) == (there, reference.output(there))


def test_a_smooth_unit_is_refused_before_one_step_too():
    smooth = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh")
    with pytest.raises(UnsupportedArithmeticError, match="the tanh of unit"):
        xn.run(smooth, [[1]])


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("every_state", [False, True])
def test_steps_in_slices_of_any_length(kind, seed, every_state):
    rng = random.Random(f"{kind} {seed}")
    pair = KINDS[kind](rng)
    executor = executor_for(pair.network, xn.EXACT, every_state=every_state)
    compare(Trace(pair), executor, forever(lambda: rng.choice((1, 2, 9))))


@pytest.mark.usefixtures("first", "in_turn")
@pytest.mark.parametrize("kind", KINDS)
def test_every_state_of_words_whoever_takes_the_steps(kind):
    rng = random.Random(kind)
    pair = KINDS[kind](rng)
    trace, executor = Trace(pair), executor_for(pair.network, xn.EXACT, every_state=True)
    state, position = executor.start(), 0
    while position < len(trace):
        segment = executor.advance_word(state, trace.inputs[position : position + rng.choice((1, 2, 9, 60))])
        check_states(trace, position, executor, segment)
        assert [output for output, _ in segment.outputs] == trace.outputs[position + 1 : position + 1 + segment.steps]
        state, position = segment.state, position + segment.steps


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("every_state", [False, True])
def test_a_network_that_no_other_executor_runs_stays_in_lowest_terms(every_state, tmp_path):
    parity = xn.compile("parity", "minsky").network
    (unit,) = parity.readout
    hard_tanh = xn.Activation(name="hard tanh", low=-1, high=1)
    network, word = replace(parity, readout=(replace(unit, activation=hard_tanh),)), "0110" * 100
    expected = xn.run(network, word, xn.RATIONAL, record="all")
    found = xn.run(network, word, record="all" if every_state else "outputs", checkpoint=tmp_path / "run.json")
    assert (found.outputs, found.outcome, found.final_state) == (
        expected.outputs, expected.outcome, expected.final_state,
    )  # fmt: skip
    assert not every_state or found.trace == expected.trace
    assert found.engine == f"exact: {found.steps} steps in rationals"
    executor, inputs = executor_for(network, xn.EXACT, every_state=every_state), network.inputs(word)
    state = executor.read(executor.start(), inputs).state
    assert executor.values(state) == expected.trace.states[len(word)]
    assert basic_twin(network) is None  # whoever asks before the run
    assert xn.run(network, word).outputs == expected.outputs
    assert executor.values(executor.unpack(executor.pack(state))) == executor.values(state)


def test_words_are_read_in_slices_where_nothing_else_goes_on(monkeypatch):
    network = xn.compile("parity", "minsky").network
    monkeypatch.setattr(stepping, "LONGEST_SLICE", 0.0)
    monkeypatch.setattr(short_run, "has_basic_readout", lambda network: False)
    executor, inputs = executor_for(network, xn.EXACT), network.inputs("0110" * 600)
    assert executor.advance_word(executor.start(), inputs).steps == 1
    segment, reference = executor.read(executor.start(), inputs), executor_for(network, xn.RATIONAL)
    state = reference.start()
    for symbol in inputs:
        state = reference.step(state, symbol)
    assert (segment.steps, executor.values(segment.state)) == (len(inputs), state)


def test_every_state_is_recorded_in_one_call_for_many_steps():
    network, word = xn.compile("parity", "minsky").network, "0110" * 100
    calls, advance = [], ShortRunExecutor.advance_word
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ShortRunExecutor, "advance_word", lambda *args: calls.append(0) or advance(*args))
        run = xn.run(network, word, record="all")
    expected = xn.run(network, word, xn.RATIONAL, record="all")
    assert (run.trace, run.outputs, run.outcome) == (expected.trace, expected.outputs, expected.outcome)
    assert 0 < len(calls) < 40


def test_a_state_after_first_steps_is_compared_with_one_after_others(monkeypatch):
    network = xn.minsky(xn.load("parity")).network
    executor, reference = ShortRunExecutor(network), RationalExecutor(network)
    early = executor.advance(executor.start(), 0, 1, until_decided=False).state
    monkeypatch.setattr(executor, "_left", -1.0)
    late = executor.advance(early, 1, 40, until_decided=False).state
    again = executor.advance(late, 1, 40, until_decided=False).state
    assert type(early) is tuple
    assert type(late) is not tuple
    states = {"early": early, "late": late, "again": again}
    numbers = {name: executor.values(state) for name, state in states.items()}
    for one in states:
        for other in states:
            assert executor.alike(states[one], states[other]) == (numbers[one] == numbers[other])
    assert numbers["early"] == reference.advance(reference.start(), 0, 1, until_decided=False).state


@pytest.mark.usefixtures("first")
def test_a_packed_state_goes_on_as_it_was():
    network = xn.compile("palindrome").network
    executor, word = executor_for(network, xn.EXACT), network.inputs("abba")
    state = executor.start()
    for symbol in word:
        other = executor_for(network, xn.EXACT)
        unpacked = other.unpack(executor.pack(state))
        assert other.values(unpacked) == executor.values(state)
        state = executor.advance(state, symbol, 1, until_decided=False).state
        assert other.values(other.advance(unpacked, symbol, 1, until_decided=False).state) == executor.values(state)


def test_a_slow_step_is_no_first_one_where_another_way_is_known_to_be_faster():
    network, forms = xn.compile("palindrome").network, []
    record = Record.of(network)
    record.first = 10 * short_run.FIRST_SECONDS
    for _ in range(40):
        record.leader = int
        executor = executor_for(network, xn.EXACT)
        forms.append(type(executor.advance(executor.start(), 0, 1, until_decided=False).state))
    assert forms[0] is not tuple
    assert tuple in forms  # it may have been an accident


def test_words_whose_every_state_is_asked_for_stay_in_plain_numbers(monkeypatch):
    """A rule can only end a run after the word, and to write out a state of direct mode takes long."""
    monkeypatch.setattr(beginning, "STEPS_TO_LOOK_AT", 10)
    monkeypatch.setattr(short_run, "FIRST_SECONDS", 0.0)
    network = xn.SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], alphabet="ab")
    assert xn.run(network, "ab" * 300, record="all").engine == "exact: 600 steps in rationals"


def test_a_call_ends_with_its_slice_where_a_twin_is_put_off(monkeypatch):
    monkeypatch.setattr(short_run, "WORTH_A_TWIN", 1e9)
    monkeypatch.setattr(short_run, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(short_run, "MANY_LETTERS", 10**9)
    monkeypatch.setattr(stepping, "LONGEST_SLICE", 0.001)
    network = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="relu6")
    executor = ShortRunExecutor(network)
    state = executor.advance(executor.start(), (mpq(1),), 1, until_decided=False).state
    assert type(state) is tuple
    assert executor.advance(state, (mpq(1),), 10**6, until_decided=False).steps < 10**5
    assert executor.advance_word(state, [(mpq(1),)] * 10**6).steps < 10**5


@pytest.mark.parametrize("where", ["advance", "advance_word"])
def test_plain_numbers_go_on_where_the_modes_have_no_room(where, monkeypatch):
    def no_room(*_, **__):
        raise SizeLimitError("no room")

    network = xn.compile("parity", "minsky").network
    reference = RationalExecutor(network)
    executor = ExactExecutor(network, warm_up=1)
    state, expected = executor.start(), reference.start()
    monkeypatch.setattr(ExactExecutor, "_advance_modes", no_room)
    monkeypatch.setattr(ExactExecutor, "_along_modes", no_room)
    for symbol in (0, 1, 1, 0, 1):
        if where == "advance":
            state = executor.advance(state, symbol, 1, until_decided=False).state
        else:
            state = executor.advance_word(state, [symbol]).state
        expected = reference.step(expected, symbol)
        assert executor.values(state) == expected
