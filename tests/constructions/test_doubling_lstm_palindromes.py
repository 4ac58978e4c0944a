"""Marked palindromes by the doubling LSTM: every short word, the square of its stack, and where formats lose it."""

from itertools import product

import pytest
from all_words import all_words
from every_executor import check_every_executor
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import EXACT, FLOAT16, FLOAT32, FLOAT64, RATIONAL
from exactnn.automata import LOST, StackConfiguration
from exactnn.constructions import doubling_lstm_palindromes
from exactnn.errors import ConstructionError, OptionError
from exactnn.simulation import advance_by, executor_for, run

NET = doubling_lstm_palindromes()
COMPARED = st.lists(st.sampled_from("ab"), max_size=6).map(tuple)


def marked_palindrome(word):
    return word.count("$") == 1 and word == word[::-1]


def following(configuration, symbol):
    """Return the next configuration, by the definition of a stack."""
    state, (stack,) = configuration.state, configuration.stacks
    if state == "push" and symbol != "$":
        return StackConfiguration(state="push", stacks=((symbol, *stack),))
    if state == "push":
        return StackConfiguration(state="compare", stacks=(stack,))
    if state == "compare" and symbol != "$" and stack[:1] == (symbol,):
        return StackConfiguration(state="compare", stacks=(stack[1:],))
    return StackConfiguration(state="wrong", stacks=((),))


@pytest.mark.parametrize(
    ("arithmetic", "length"), [(RATIONAL, 8), (EXACT, 6), (FLOAT64, 8), (FLOAT32, 6), (FLOAT16, 6)]
)
def test_every_word(arithmetic, length):
    seen = 0
    for word, _, output in all_words(NET.network, length, arithmetic):
        assert (output > 0) == marked_palindrome(word), word
        assert output != 0
        seen += 1
    assert seen == sum(3**n for n in range(length + 1))


def test_every_word_and_its_mirror_image():
    for n in range(7):
        for half in map("".join, product("ab", repeat=n)):
            word = half + "$" + half[::-1]
            assert run(NET, word).verdict, word
            if n:
                other = {"a": "b", "b": "a"}
                changed = word[:-1] + other[word[-1]]
                assert not run(NET, changed).verdict, changed
                assert not run(NET, word[:-1]).verdict
                assert not run(NET, word + "a").verdict


def test_forget_gates_are_zero_one_and_two():
    """Reset, keep and double: the sums of the two gates, read from the cell states."""
    executor = executor_for(NET.network, RATIONAL)
    for word, weights in (("ab", [1, 2, 4]), ("a$", [1, 2, -2]), ("ab$b", [1, 2, 4, -4, -4])):
        state, seen = executor.start(), []
        for symbol in (None, *word):
            if symbol is not None:
                state = executor.advance(state, NET.network.alphabet.index(symbol), 1, until_decided=False).state
            seen.append(executor.values(state)[1])
        assert seen == weights


@given(state=st.sampled_from(["push", "compare", "wrong"]), stack=COMPARED, symbol=st.sampled_from("ab$"))
def test_the_square(state, stack, symbol):
    before = StackConfiguration(state=state, stacks=(stack if state != "wrong" else (),))
    encoded = NET.encode(before)
    assert NET.decode(encoded) == before
    after = advance_by(executor_for(NET.network, RATIONAL), encoded, "ab$".index(symbol), 1)
    assert NET.decode(after.state) == following(before, symbol)
    accepted = following(before, symbol) == StackConfiguration(state="compare", stacks=((),))
    assert (after.outputs[-1][0] > 0) == accepted


@given(st.lists(st.sampled_from("ab$"), max_size=25))
def test_configurations_along_a_run(word):
    result = run(NET, word, record="all")
    expected = StackConfiguration(state="push", stacks=((),))
    for symbol, state in zip([None, *word], result.trace, strict=True):
        expected = expected if symbol is None else following(expected, symbol)
        assert NET.decode(state) == expected
    assert bool(result.verdict) == marked_palindrome("".join(word))


def test_the_number_grows_with_the_stack():
    for n in (10, 100, 1000):
        state = run(NET, "b" * n).final_state
        assert state[0] == 2**n - 1
        assert state[1] == 2**n
    assert NET.decode(run(NET, "ab" * 500).final_state, cells=3).stacks == (("b", "a", "b"),)


def test_every_executor_runs_it():
    for word in ("", "$", "ab$ba", "ab$ab", "a$$"):
        check_every_executor(NET.network, word)


def test_other_symbols():
    net = doubling_lstm_palindromes(alphabet="01", mark="#")
    assert [bool(run(net, word).verdict) for word in ("01#10", "01#01", "#")] == [True, False, True]
    wrong_alphabets = [{"alphabet": wrong} for wrong in ("abc", "aa", "a", None, 5, [["a"], "b"], ["", "b"], [1, 2])]
    for wrong in (*wrong_alphabets, {"mark": "a"}, {"mark": "EOS"}, {"mark": ""}, {"mark": []}, {"mark": None}):
        with pytest.raises(OptionError, match="give three different symbols"):
            doubling_lstm_palindromes(**wrong)


def test_what_is_no_configuration_and_what_is_lost():
    for state, stack in (("pop", ()), ("push", ("c",))):
        with pytest.raises(ConstructionError, match="is no configuration"):
            NET.encode(StackConfiguration(state=state, stacks=(stack,)))
    for wrong in (None, "push", *(StackConfiguration(state="push", stacks=s) for s in ((), ((), ()), ((["a"],),)))):
        with pytest.raises(ConstructionError, match="is no configuration"):
            NET.encode(wrong)
    lost = NET.decode((*[0] * 8, mpq(1, 2), *[0] * 7))
    assert lost == StackConfiguration(state="push", stacks=((LOST,),))
    assert NET.decode((float("nan"),) * 16).state == "wrong"


@pytest.mark.parametrize("state", [(), (0,) * 8, (0,) * 17, None, 5, "0" * 16])
def test_what_is_no_state_is_refused(state):
    with pytest.raises(ConstructionError, match="numbers"):
        NET.decode(state)
