"""Small LSTMs that count: the published numbers of units, and every word up to a length against the language itself."""

import re

import pytest
from all_words import all_words
from every_executor import check_every_executor
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import (
    BFLOAT16,
    EXACT,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    FixedPoint,
    FloatFormat,
)
from exactnn.automata import CounterConfiguration, configurations, interpret, masks
from exactnn.constructions import lstm_anbn, lstm_anbn_then_any, lstm_anbncn, lstm_shuffle_dyck
from exactnn.errors import ConstructionError, OptionError
from exactnn.simulation import advance_by, executor_for, run


def balanced(word):
    while "()" in word:
        word = word.replace("()", "")
    return not word


def both_balanced(word):
    return balanced(re.sub(r"[\[\]]", "", word)) and balanced(re.sub("[()]", "", word).translate({91: "(", 93: ")"}))


CASES = {
    "anbn": (lstm_anbn, 3, 12, lambda w: w == "a" * w.count("a") + "b" * w.count("a")),
    "anbnw": (
        lstm_anbn_then_any, 5, 12, lambda w: any(w.startswith("a" * n + "b" * n) for n in range(1, len(w) // 2 + 1))
    ),
    "anbncn": (lstm_anbncn, 7, 8, lambda w: w == "a" * w.count("a") + "b" * w.count("a") + "c" * w.count("a")),
    "dyck-1": (lstm_shuffle_dyck, 2, 12, balanced),
    "shuffle-dyck-2": (lambda: lstm_shuffle_dyck(["()", "[]"]), 4, 6, both_balanced),
}  # fmt: skip
"""Construction, units, length of the words, language."""

EVERY = pytest.mark.parametrize("name", CASES)
LETTERS = {"anbn": "ab", "anbnw": "ab", "anbncn": "abc", "dyck-1": "()", "shuffle-dyck-2": "()[]"}


@EVERY
def test_every_word_against_the_language(name):
    compiled, units, length, language = CASES[name]
    net = compiled()
    assert net.network.neurons == 2 * units  # hidden state and cell state
    assert f"{units} memory cells" in net.claim
    seen = 0
    for word, state, output in all_words(net.network, length):
        assert (output > 0) == bool(language(word)), word
        assert output != 0
        assert all(value.denominator == 1 for value in state)
        seen += 1
    assert seen == sum(len(LETTERS[name]) ** n for n in range(length + 1))


@EVERY
def test_every_short_word_in_every_format(name):
    """Counts of short words fit into formats of three bits."""
    compiled, _, _, language = CASES[name]
    formats = [EXACT, FLOAT64, FLOAT32, FLOAT16, BFLOAT16, FLOAT8_E4M3, FLOAT8_E5M2]
    formats += [FloatFormat(precision=3, exponent_bits=5, rounding=mode) for mode in ("up", "down", "toward zero")]
    formats.append(FixedPoint(integer_bits=4, fraction_bits=1))
    for arithmetic in formats:
        for word, _, output in all_words(compiled().network, 4, arithmetic):
            assert (output > 0) == bool(language(word)), (word, arithmetic)


@EVERY
def test_every_executor_runs_it(name):
    net = CASES[name][0]()
    first, last = net.network.alphabet[0], net.network.alphabet[-1]
    for word in ("", first, first * 3 + last * 3, last + first):
        check_every_executor(net.network, word)


@EVERY
def test_the_machine_is_the_network(name):
    """decode(step(encode(c))) = next(c) for all states and small counters, reached or not."""
    net = CASES[name][0]()
    machine, executor = net.machine, executor_for(net.network, RATIONAL)
    accepted = set(machine.acceptance)
    for state in machine.states:
        for counters in {tuple(n * bit for bit in mask) for mask in masks(machine.counters) for n in (1, 2, 5)}:
            before = CounterConfiguration(state=state, counters=counters)
            encoded = net.encode(before)
            assert net.decode(encoded) == before
            for index, symbol in enumerate(machine.input_symbols):
                rule = machine.transitions[state][symbol][tuple(int(n > 0) for n in counters)]
                after = tuple(n + step for n, step in zip(counters, rule.updates, strict=True))
                segment = advance_by(executor, encoded, index, 1)
                assert net.decode(segment.state) == CounterConfiguration(state=rule.next_state, counters=after)
                says = (rule.next_state, tuple(int(n > 0) for n in after)) in accepted
                assert (segment.outputs[-1][0] > 0) == says


@EVERY
@given(data=st.data())
def test_configurations_along_a_run(name, data):
    net = CASES[name][0]()
    word = "".join(data.draw(st.lists(st.sampled_from(LETTERS[name]), max_size=30)))
    result = run(net, word, record="all")
    assert [net.decode(state) for state in result.trace] == list(configurations(net.machine, word))
    assert result.outcome is interpret(net.machine, word).outcome
    assert result.machine_steps == len(word)


def test_long_words():
    assert run(lstm_anbn(), "a" * 3000 + "b" * 3000).verdict
    assert not run(lstm_anbn(), "a" * 3000 + "b" * 2999).verdict
    assert run(lstm_anbncn(), "a" * 500 + "b" * 500 + "c" * 500).verdict
    assert not run(lstm_anbncn(), "a" * 500 + "b" * 500 + "c" * 501).verdict


def test_many_kinds_of_brackets():
    net = lstm_shuffle_dyck(["()", "[]", "{}", "<>"])
    assert net.network.neurons == 2 * 2 * 4
    assert [bool(run(net, word).verdict) for word in ("({[<)}]>", "({[<)}]", "<}>")] == [True, False, False]


@pytest.mark.parametrize("pairs", [[], [""], ["(("], ["()", "(]"], ["(", ")"], ["()("], 3, [3], None])
def test_what_are_no_pairs(pairs):
    with pytest.raises(OptionError, match="give texts of two symbols"):
        lstm_shuffle_dyck(pairs)


def test_what_cannot_be_encoded():
    net = lstm_anbn()
    for configuration, told in (
        (CounterConfiguration(state="as", counters=(-1,)), "below zero"),
        (CounterConfiguration(state="no", counters=(1,)), "'no' is not a state"),
        (CounterConfiguration(state="as", counters=(1, 2)), "is no configuration"),
        (CounterConfiguration(state="as", counters=("?",)), "give a whole number"),
        ("as", "is no configuration"),
    ):
        with pytest.raises(ConstructionError, match=told):
            net.encode(configuration)


def test_a_count_that_is_lost():
    net = lstm_anbn()
    assert str(net.decode([0, 0, 0, float("nan"), 0, 0])) == "as: ?"
    assert str(net.decode([1, 0, 0, 2.5, 0, 0])) == "as: ?"
