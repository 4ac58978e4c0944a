"""Words: strings are split by the alphabet, sequences are taken as they are, foreign symbols are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactnn.automata import as_word
from exactnn.errors import WordError

SYMBOLS = st.lists(st.text(alphabet="abcé01#", min_size=1, max_size=3), min_size=1, max_size=4, unique=True)


@st.composite
def alphabets_and_words(draw):
    alphabet = draw(SYMBOLS)
    return alphabet, tuple(draw(st.lists(st.sampled_from(alphabet), max_size=6)))


@given(alphabets_and_words())
def test_text_and_sequences_say_the_same(pair):
    alphabet, word = pair
    one_character = all(len(a) == 1 for a in alphabet)
    text = "".join(word) if one_character else "  ".join(word)
    assert as_word(text, alphabet) == word
    assert as_word(word, alphabet) == word
    assert as_word(list(word), alphabet) == word


@pytest.mark.parametrize("alphabet", [(), ("a",), ("a", "bc")])
def test_the_empty_word(alphabet):
    assert as_word("", alphabet) == as_word((), alphabet) == as_word([], alphabet) == ()


@pytest.mark.parametrize("word", [[1, 0], (1, "0"), np.array([1, 0]), np.array([1, 0], np.uint8), np.array(["1", "0"])])
def test_whole_numbers_and_arrays_are_symbols_that_are_written_so(word):
    assert as_word(word, "01") == ("1", "0")


@pytest.mark.parametrize("word", [np.zeros((2, 2)), np.array(1), 1, {"0", "1"}, None])
def test_what_is_no_row_of_symbols_is_no_word(word):
    with pytest.raises(WordError, match=r"^a word is a string or a sequence of symbols, not "):
        as_word(word, "01")


@pytest.mark.parametrize(
    ("word", "alphabet", "symbol", "position"),
    [
        ("abx", "ab", "'x'", 2),
        ("a b", "ab", "' '", 1),
        ("aB", "ab", "'B'", 1),
        ("up don", ["up", "down"], "'don'", 1),
        (["a", "ab"], "ab", "'ab'", 1),
        (["a", ""], "ab", "''", 1),
        (["a", 1], "ab", "1", 1),
        ([["a"]], "ab", r"\['a'\]", 0),
        (b"ab", "ab", "97", 0),
        (range(3), "01", "2", 2),
        ([True], "01", "True", 0),
        ([1.0], "01", "1\\.0", 0),
        ([10**5000], "01", "<int too long to print>", 0),
        ("a", (), "'a'", 0),
        ("ab", ["a", "abc"], "'ab'", 0),
    ],
)
def test_a_foreign_symbol_is_named_with_its_place_and_the_alphabet(word, alphabet, symbol, position):
    with pytest.raises(WordError, match=f"^symbol {symbol} at position {position} of the word") as caught:
        as_word(word, alphabet)
    assert ", ".join(alphabet) in str(caught.value)


@pytest.mark.parametrize("word", [None, 3, {"a"}, iter("a"), object])
def test_what_is_no_sequence_is_no_word(word):
    with pytest.raises(WordError, match="a word is a string or a sequence of symbols"):
        as_word(word, "a")


def test_a_long_foreign_symbol_is_cut():
    with pytest.raises(WordError) as caught:
        as_word(["x" * 10**6], "ab")
    assert len(str(caught.value)) < 300


def test_a_pattern_is_no_word():
    for word, alphabet in (("a^n b^n", "ab"), ("up^n", ["up", "down"])):
        with pytest.raises(WordError, match=r"a pattern with \^ stands for many words, which collapse takes"):
            as_word(word, alphabet)
    assert as_word("a^", "a^") == ("a", "^")
