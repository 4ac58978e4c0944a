"""Counter machines as LSTMs: random general machines, every short word, the commuting square, numbers of units."""

from itertools import islice, product

import pytest
from all_words import all_words
from every_executor import check_every_executor
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import counter_machines, words

from exactnn.arithmetic import FLOAT8_E5M2, RATIONAL, FloatFormat
from exactnn.automata import RESET, CounterConfiguration, CounterMachine, configurations, interpret, masks
from exactnn.constructions import lstm_counter
from exactnn.errors import ConstructionError
from exactnn.machine_files import load
from exactnn.networks import EOS, Protocol
from exactnn.simulation import advance_by, executor_for, run

SMALL = st.one_of(counter_machines(max_counters=1), counter_machines(max_states=2, max_symbols=1))
"""Networks grow with the number of masks: either one counter, or two and few rules."""

ZOO = ("anbn-counter", "anbn-then-any", "anbncn-counters", "two-brackets-shuffled")


STEPS = {"a": 1, "b": -1, "c": RESET}
EQUAL_SINCE_C = CounterMachine(
    states="q",
    input_symbols="abc",
    counters=1,
    transitions={"q": {a: dict.fromkeys(masks(1), ("q", (STEPS[a],))) for a in "abc"}},
    initial_state="q",
    acceptance=[("q", (0,))],
)
"""Accepts if there are as many a's as b's since the last c."""


@pytest.mark.parametrize(("name", "length"), [*zip(ZOO, (7, 7, 4, 3), strict=True)])
def test_every_word_of_the_zoo(name, length):
    net = lstm_counter(load(name))
    for word, state, output in all_words(net.network, length):
        truth = interpret(net.machine, word)
        assert output == (1 if truth.verdict else -1), word
        assert net.decode(state) == truth.configuration
        assert all(value.denominator == 1 for value in state)


@settings(max_examples=12)
@given(SMALL)
def test_every_short_word_of_random_machines(machine):
    net = lstm_counter(machine)
    for word, state, output in islice(all_words(net.network, 4), 40):
        truth = interpret(machine, word)
        assert output == (1 if truth.verdict else -1)
        assert net.decode(state) == truth.configuration


@settings(max_examples=8)
@given(SMALL, st.data())
def test_runs_of_random_machines(machine, data):
    net = lstm_counter(machine)
    word = data.draw(words(machine.input_symbols))
    result = run(net, word, record="all", max_steps=len(word) + 4)
    truth = interpret(machine, word)
    assert result.outcome is truth.outcome
    assert (result.steps, result.eos_steps, result.machine_steps) == (len(word) + 1, 1, len(word))
    assert [net.decode(state) for state in result.trace][:-1] == list(configurations(machine, word))
    assert net.decode(result.final_state) == truth.configuration  # EOS changes nothing


@settings(max_examples=12)
@given(SMALL, st.data())
def test_the_square(machine, data):
    """decode(step(encode(c))) = next(c) for configurations that need not be reached."""
    net = lstm_counter(machine)
    state = data.draw(st.sampled_from(machine.states))
    counters = tuple(data.draw(st.integers(-3, 3)) for _ in range(machine.counters))
    before = CounterConfiguration(state=state, counters=counters)
    try:
        encoded = net.encode(before)
    except ConstructionError:
        entering = {
            rule.updates for row in machine.transitions.values() for cells in row.values()
            for rule in cells.values() if rule.next_state == state
        }  # fmt: skip
        assert state != machine.initial_state
        assert all(any(u == RESET and n for u, n in zip(us, counters, strict=True)) for us in entering)
        return
    assert net.decode(encoded) == before
    executor = executor_for(net.network, RATIONAL)
    for index, symbol in enumerate(machine.input_symbols):
        rule = machine.transitions[state][symbol][tuple(int(n != 0) for n in counters)]
        after = tuple(0 if u == RESET else n + u for n, u in zip(counters, rule.updates, strict=True))
        segment = advance_by(executor, encoded, index, 1)
        assert net.decode(segment.state) == CounterConfiguration(state=rule.next_state, counters=after)
        assert segment.outputs[-1][0] == 0
    verdict = advance_by(executor, encoded, net.network.alphabet.index(EOS), 1).outputs[-1][0]
    accepts = (state, tuple(int(n != 0) for n in counters)) in machine.acceptance
    assert verdict == (1 if accepts else -1)


@settings(max_examples=8)
@given(st.one_of(SMALL, counter_machines(max_states=1, max_counters=3)))
def test_the_number_of_units(machine):
    rules = [r for row in machine.transitions.values() for cells in row.values() for r in cells.values()]
    pairs = {(machine.initial_state, (0,) * machine.counters), *map(tuple, rules)}
    open_masks = sum(2 ** sum(u != RESET for u in updates) for _, updates in pairs)
    units = 1 + 4 * machine.counters + (len(machine.input_symbols) + 1) * open_masks
    network = lstm_counter(machine).network
    assert network.neurons == 2 * units
    assert open_masks <= len(pairs) * 2**machine.counters
    assert network.decision.protocol is Protocol.EOS_VERDICT


def test_the_verdict_stays():
    net = lstm_counter(load("anbn-counter"))
    executor = executor_for(net.network, RATIONAL)
    for word, verdict in (("aabb", 1), ("aab", -1), ("", 1)):
        state = executor.start()
        for symbol in word:
            state = executor.advance(state, net.network.alphabet.index(symbol), 1, until_decided=False).state
        outputs = executor.advance(state, net.network.alphabet.index(EOS), 5, until_decided=False).outputs
        assert [y for y, times in outputs for _ in range(times)] == [verdict] * 5


def test_counters_of_either_sign_and_resets():
    """The counter changes its sign again and again."""
    net = lstm_counter(EQUAL_SINCE_C)
    for word, _, output in all_words(net.network, 5):
        last = word.rpartition("c")[2]
        assert (output > 0) == (last.count("a") == last.count("b"))
    assert run(net, "aaaaabbbbbbbbaaa").verdict


@pytest.mark.mostly_slow(quick=3)
@pytest.mark.parametrize("name", sorted(ZOO, key=lambda name: len(load(name).input_symbols)))
def test_every_executor_runs_it(name):
    net = lstm_counter(load(name))
    first, last = net.machine.input_symbols[0], net.machine.input_symbols[1]
    for word in ("", first * 2 + last)[len(net.machine.input_symbols) // 3 :]:
        check_every_executor(net.network, word, limit=4)


@pytest.mark.parametrize("format", [FLOAT8_E5M2, FloatFormat(precision=3, exponent_bits=5, rounding="up")])
def test_a_format_with_p_bits_counts_to_one_less_than_two_to_the_p(format):
    """Words of 7 symbols keep every counter within 2^3 - 1; longer ones that do so come back to zero from there."""
    net = lstm_counter(load("anbn-counter"))
    for word, _, output in all_words(net.network, 7, format):
        assert output == (1 if interpret(net.machine, word).verdict else -1), word
    net = lstm_counter(EQUAL_SINCE_C)
    for first, second in ("ab", "ba"):
        for word in (first * 7 + second * 14 + first * 7, first * 7 + second * 8 + first, first * 7 + "c" + second * 7):
            assert run(net, word, arithmetic=format).outcome is interpret(EQUAL_SINCE_C, word).outcome, word


@pytest.mark.parametrize(("counters", "right"), [(2, True), (3, True), (4, False)])
def test_a_gate_that_tests_many_counters_needs_its_bias(counters, right):
    """With 2 bits 4 is a number and 5 is none: that is the bias of a gate that tests 4 counters."""
    step = {a: dict.fromkeys(masks(counters), ("q", (up,) * counters)) for a, up in (("a", 1), ("b", -1))}
    machine = CounterMachine(
        states="q", input_symbols="ab", counters=counters, transitions={"q": step}, initial_state="q",
        acceptance=[("q", (0,) * counters)],
    )  # fmt: skip
    net, format = lstm_counter(machine), FloatFormat(precision=2, exponent_bits=6)
    biases = {unit.bias for layer in net.network.circuit.layers for unit in layer}
    assert min(biases) == -counters - 1
    words = ["".join(word) for n in range(4) for word in product("ab", repeat=n)]
    verdicts = [
        run(net, word, arithmetic=format, max_steps=9).outcome is interpret(machine, word).outcome for word in words
    ]
    assert all(verdicts) is right


def test_what_cannot_be_encoded():
    net = lstm_counter(load("anbn-counter"))
    with pytest.raises(ConstructionError, match="'z' is not a state"):
        net.encode(CounterConfiguration(state="z", counters=(0,)))
    with pytest.raises(ConstructionError, match="is no configuration"):
        net.encode("as")


def test_a_state_that_stands_for_nothing_is_lost():
    net = lstm_counter(load("anbn-counter"))
    nothing = net.decode((0.25,) * net.network.neurons)
    assert str(nothing) == "?: ?"


@pytest.mark.parametrize("name", ["start", "EOS", "?", "0", "a b", "symbol", "(0, 0)"])
def test_states_and_symbols_of_any_name(name):
    letter = "letter" if name == "EOS" else name
    machine = CounterMachine(
        states=["x", name],
        input_symbols=[letter, "b"],
        counters=1,
        transitions={
            "x": {letter: dict.fromkeys(masks(1), (name, (1,))), "b": dict.fromkeys(masks(1), ("x", (RESET,)))},
            name: {letter: dict.fromkeys(masks(1), ("x", (-1,))), "b": dict.fromkeys(masks(1), (name, (-1,)))},
        },
        initial_state="x",
        acceptance=[(name, (1,)), ("x", (0,))],
    )
    net = lstm_counter(machine)
    for word in ([], [letter], [letter, "b", "b"], ["b", letter, letter], [letter, "b", letter]):
        result = run(net, word)
        truth = interpret(machine, word)
        assert result.outcome is truth.outcome
        assert net.decode(result.final_state) == truth.configuration
