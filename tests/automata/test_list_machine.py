"""Listed languages, and the machine that looks a word up, against formulas that a plain list gives."""

from itertools import count, islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactnn.automata import ListedLanguage, ListState, list_configurations, look_up
from exactnn.errors import OptionError, WordError
from tests.list_formula import formula


def figures(language, word):
    run = look_up(language, word)
    return bool(run.verdict), run.eos_steps, run.digits


finite_languages = st.lists(st.text("ab", max_size=4), max_size=8)


@given(finite_languages, st.text("ab", max_size=5))
def test_finite_languages(words, word):
    listed = sorted(set(words), key=lambda u: (len(u), u))
    assert figures(ListedLanguage(words, "ab"), word) == formula(listed, word, ends=True)
    assert bool(look_up(ListedLanguage(words, "ab"), word).verdict) == (word in words)


@given(st.lists(st.integers(0, 6).map(lambda n: "a" * n), unique=True, max_size=6).map(lambda u: sorted(u, key=len)))
def test_a_generator_gives_words_in_order(words):
    language = ListedLanguage(iter(words), "a")
    assert ["".join(u) for u in language.words()] == words
    for n in range(8):
        assert figures(language, "a" * n) == formula(words, "a" * n, ends=True)


@pytest.mark.parametrize("length", range(7))
def test_the_last_word_of_each_length_among_all(length):
    """n 2^(n+1) + 1 digits decide b^n."""
    everything = ListedLanguage(lambda w: True, "ab")
    assert look_up(everything, "b" * length).digits == length * 2 ** (length + 1) + 1


@pytest.mark.parametrize(
    ("word", "expected"),
    [("", (True, 3, 1)), ("aa", (True, 9, 4)), ("ab", (False, 21, 10)), ("aaba", (False, 65, 32))],
)
def test_figures_of_doubled_words(word, expected):
    assert figures(ListedLanguage(lambda w: w[: len(w) // 2] * 2 == w, "ab"), word) == expected


def test_the_list_as_text():
    assert ListedLanguage([], "ab").text(5) == "!"
    assert ListedLanguage(["ab", "", "b", "ab", "ba"], "ab").text(99) == "#b#ab#ba#!"
    assert ListedLanguage({"ba", "ab"}, "ba").text(99) == "ba#ab#!"  # in the order of the alphabet
    assert ListedLanguage(lambda w: len(w) % 2, "ab").text(14) == "a#b#aaa#aab#ab"


def test_symbols_may_be_longer():
    language = ListedLanguage([("up", "down"), "up up", []], ["up", "down"])
    assert list(language.words()) == [(), ("up", "up"), ("up", "down")]
    predicate = ListedLanguage(lambda w: w.count("up") == 1, ["up", "down"])
    assert list(islice(predicate.words(), 3)) == [("up",), ("up", "down"), ("down", "up")]


def test_without_letters_there_is_one_word():
    assert ListedLanguage(lambda w: True, "").text(9) == "#!"
    assert ListedLanguage(lambda w: False, "").text(9) == "!"
    assert figures(ListedLanguage([""], ""), "") == (True, 3, 1)


def test_words_are_found_once():
    asked = []

    def predicate(word):
        asked.append(word)
        return True

    language = ListedLanguage(predicate, "ab")
    assert language.word(4) == ("a", "b")
    assert language.word(4) == ("a", "b")
    assert language.text(3) == "#a#"
    assert asked == ["", "a", "b", "aa", "ab"]


def test_a_predicate_that_has_no_more_words_is_not_waited_for():
    language = ListedLanguage(lambda w: w == "ab", "ab", most_tried=50)
    assert language.word(0) == ("a", "b")
    for _ in range(2):
        with pytest.raises(WordError, match=r"denies 50 words in a row.*give the words as a list|failed at word 1"):
            language.word(1)


def test_a_predicate_that_raises_does_not_end_the_list():
    language = ListedLanguage(lambda w: 1 // (2 - len(w)), "a")
    with pytest.raises(ZeroDivisionError):
        language.word(5)
    with pytest.raises(WordError, match="the source of L failed at word 1: begin with a new one"):
        language.word(5)


@pytest.mark.parametrize(
    ("words", "message"),
    [(["aa", "a"], "is shorter than the one before"), (["a", "b"], "symbol 'b' at position 0"), (["a", 3], "not 3")],
)
def test_wrong_words_of_a_generator(words, message):
    language = ListedLanguage(iter(words), "a")
    assert language.word(0) is not None
    for expected in (message, "failed at word 1"):
        with pytest.raises(WordError, match=expected):
            language.word(1)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("ab", "ab"), OptionError),
        ((3, "ab"), OptionError),
        (([], ["a", "a"]), WordError),
        (([], ["a", ""]), WordError),
        (([], ["EOS"]), WordError),
        (([], 3), WordError),
        ((["c"], "ab"), WordError),
    ],
)
def test_what_is_no_language(arguments, error):
    with pytest.raises(error):
        ListedLanguage(*arguments)
    with pytest.raises(OptionError):
        ListedLanguage([], "ab", most_tried=0)
    with pytest.raises(OptionError):
        ListedLanguage([], "ab", most_tried=True)
    with pytest.raises(OptionError, match="number=-1: give a whole number of at least 0"):
        ListedLanguage(["a"], "ab").word(-1)


def test_configurations_are_a_tape_and_a_place_in_the_list():
    language = ListedLanguage(["b", "ab"], "ab")
    seen = [str(configuration) for configuration in list_configurations(language, "ab")]
    assert seen == [
        "equal: ^ a b | 0",
        "unequal: a ^ b | 1",
        "rewind: a ^ b | 2",
        "rewind: ^ a b | 2",
        "equal: ^ a b | 2",
        "equal: a ^ b | 3",
        "equal: a b ^ | 4",
        "accept: a b ^ | 5",
    ]


def test_every_short_word_of_a_language_that_no_machine_was_made_for():
    """Words whose number of a's is prime: the machine knows nothing of them but the list."""
    language = ListedLanguage(lambda w: w.count("a") in (2, 3, 5, 7), "ab")
    for length in range(6):
        for word in product("ab", repeat=length):
            run = look_up(language, word)
            assert bool(run.verdict) == (word.count("a") in (2, 3, 5, 7))
            assert run.eos_steps == len(word) + 2 + run.steps
            last = list(list_configurations(language, word))[-1]
            assert last.state == (ListState.ACCEPT if run.verdict else ListState.REJECT)


def test_endless_lists_are_read_as_far_as_needed():
    language = ListedLanguage(("a" * n for n in count(0, 3)), "a")
    assert figures(language, "a" * 7) == formula(["a" * n for n in range(0, 12, 3)], "a" * 7, ends=False)


def test_numbers_of_words_and_digits_are_whole():
    listed = ListedLanguage(["a"], "a")
    for wrong in ("x", 1.0, None, True, -1):
        with pytest.raises(OptionError, match="digits="):
            listed.text(wrong)
        with pytest.raises(OptionError, match="number="):
            listed.word(wrong)
