"""Brackets and marked reversals by networks with a stack: all short words, commuting squares, long words."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import StackConfiguration
from exactnn.errors import ConstructionError, OptionError
from exactnn.outcome import Outcome
from exactnn.simulation import executor_for

KINDS = ["superposition", "strengths"]


def balanced(word):
    while "()" in word or "[]" in word:
        word = word.replace("()", "").replace("[]", "")
    return not word


def is_marked_reversal(word):
    left, mark, right = word.partition("#")
    return bool(mark) and left == right[::-1]


LANGUAGES = {
    "dyck": (lambda **options: xn.stack_rnn_dyck(2, **options), "()[]", balanced),
    "reversal": (lambda **options: xn.stack_rnn_marked_reversal(**options), "ab#", is_marked_reversal),
}


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("arithmetic", [xn.FLOAT16, xn.EXACT], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_words_of_six_symbols(language, kind, arithmetic):
    """5,461 words of brackets, 1,093 with a mark: gates are 0 and 1, so that float16 is right, too; exactly up to 4."""
    make, alphabet, belongs = LANGUAGES[language]
    network = make(depth=6, stack=kind)
    for length in range(5 if arithmetic is xn.EXACT else 7):
        for word in map("".join, product(alphabet, repeat=length)):
            found = xn.run(network, word, arithmetic=arithmetic)
            assert found.outcome is (Outcome.ACCEPTED if belongs(word) else Outcome.REJECTED), word
            assert found.steps == length + 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_two_hundred_symbols(language, kind):
    random = Random(f"{language} {kind}")
    make, alphabet, belongs = LANGUAGES[language]
    network = make(depth=100, stack=kind)
    for _ in range(4):
        half = "".join(random.choice("([" if language == "dyck" else "ab") for _ in range(100))
        if language == "dyck":
            word = half + "".join({"(": ")", "[": "]"}[x] for x in reversed(half))
        else:
            word = half + "#" + half[::-1]
        place = random.randrange(len(word))
        other = word[:place] + random.choice(alphabet) + word[place + 1 :]
        for each in (word, other):
            assert bool(xn.run(network, each, arithmetic=xn.FLOAT32).verdict) is belongs(each)


def following(language, configuration, symbol):
    """One move, by the definition."""
    state, (stack,) = configuration.state, configuration.stacks
    if language == "dyck":
        if symbol in "([":
            return StackConfiguration(state=state, stacks=((symbol, *stack),))
        if stack and stack[0] == {")": "(", "]": "["}[symbol]:
            return StackConfiguration(state=state, stacks=(stack[1:],))
        return StackConfiguration(state="wrong", stacks=(stack,))
    if symbol == "#":
        return StackConfiguration(state="marked" if state == "reading" else "wrong", stacks=(stack,))
    if state == "reading":
        return StackConfiguration(state=state, stacks=((symbol, *stack),))
    if stack and stack[0] == symbol:
        return StackConfiguration(state=state, stacks=(stack[1:],))
    return StackConfiguration(state="wrong", stacks=(stack,))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
def test_decoding_commutes_with_moving(language, kind, data):
    """Of every configuration with room for one symbol more, unless the word was wrong before."""
    make, alphabet, _ = LANGUAGES[language]
    network = make(depth=4, stack=kind)
    pushed = "([" if language == "dyck" else "ab"
    states = ["reading"] if language == "dyck" else ["reading", "marked"]
    stack = tuple(data.draw(st.lists(st.sampled_from(pushed), max_size=3)))
    configuration = StackConfiguration(state=data.draw(st.sampled_from(states)), stacks=(stack,))
    state = network.encode(configuration)
    assert network.decode(state) == configuration
    symbol = data.draw(st.sampled_from(alphabet))
    executor = executor_for(network.network, xn.RATIONAL)
    (given_symbol,) = network.network.inputs(symbol)
    segment = executor.advance(state, given_symbol, 1, until_decided=False)
    assert network.decode(segment.state) == following(language, configuration, symbol)


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_the_depth(kind):
    dyck = xn.stack_rnn_dyck(1, depth=3, stack=kind)
    assert xn.run(dyck, "((()))").outcome is Outcome.ACCEPTED
    assert xn.run(dyck, "(((())))").outcome is Outcome.STACK_FULL
    assert xn.run(dyck, "()" * 20).outcome is Outcome.ACCEPTED


def test_many_kinds_of_brackets():
    dyck = xn.stack_rnn_dyck(6, depth=5)
    assert xn.run(dyck, ["(1", "(6", ")6", ")1"]).outcome is Outcome.ACCEPTED
    assert xn.run(dyck, ["(1", "(6", ")1", ")6"]).outcome is Outcome.REJECTED


def test_wrong_languages():
    for call, message in (
        (lambda: xn.stack_rnn_dyck(0), "k=0"),
        (lambda: xn.stack_rnn_dyck(2, stack="queue"), "stack='queue'"),
        (lambda: xn.stack_rnn_dyck(2, depth=0), "depth=0"),
        (lambda: xn.stack_rnn_marked_reversal("aa"), "different names"),
        (lambda: xn.stack_rnn_marked_reversal("ab", mark="a"), "different texts"),
        (lambda: xn.stack_rnn_marked_reversal(["EOS"]), "end of a word"),
    ):
        with pytest.raises(OptionError, match=message):
            call()
    dyck = xn.stack_rnn_dyck(1, depth=2)
    for configuration in (
        StackConfiguration(state="marked", stacks=((),)),
        StackConfiguration(state="reading", stacks=(("(",) * 3,)),
        StackConfiguration(state="reading", stacks=(("[",),)),
        "reading",
    ):
        with pytest.raises(ConstructionError, match="no configuration"):
            dyck.encode(configuration)
    with pytest.raises(ConstructionError, match="a state of"):
        dyck.decode(())
    assert "StackLanguage" in repr(dyck)


@pytest.mark.parametrize("kind", KINDS)
def test_a_symbol_may_have_the_name_of_a_part(kind):
    network = xn.stack_rnn_marked_reversal(["a", "mark"], depth=6, stack=kind)
    for half in product(["a", "mark"], repeat=2):
        for rest in product(["a", "mark"], repeat=2):
            accepted = xn.run(network, [*half, "#", *rest]).outcome is Outcome.ACCEPTED
            assert accepted is (half == rest[::-1])
