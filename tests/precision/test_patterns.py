"""A pattern stands for the words of a family, wherever many words are given, in Python as on the command line."""

import pytest

import exactnn as xn
from exactnn.cli.subject import cases_of, load_subject

WORDS = ["ab", "aabb", "aaaabbbb"]
LENGTHS = [1, 2, 4]
COUNTER = xn.fractional_counter()
FUNCTIONS = {
    "collapse": lambda words, **n: xn.collapse("anbn", words, "float32, p9", **n),
    "check_format": lambda words, **n: xn.check_format(COUNTER, words, "float8_e4m3", **n),
    "precision_threshold": lambda words, **n: xn.precision_threshold("anbn", words, precisions=[5, 20, 30], **n),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_pattern_is_its_words(name):
    function = FUNCTIONS[name]
    assert function("a^n b^n", n=LENGTHS) == function(WORDS)
    assert function("a^n b^n", n=range(2, 4)) != function(WORDS)
    assert function(["a^n b^n", "aab", "a^n"], n=[1, 2]) == function(["ab", "aabb", "aab", "a", "aa"])


@pytest.mark.parametrize(("name", "numbers"), [("collapse", 40), ("check_format", 40), ("precision_threshold", 8)])
def test_the_usual_numbers_are_those_of_the_command_line(name, numbers):
    function = {"collapse": xn.collapse, "check_format": xn.check_format, "precision_threshold": xn.precision_threshold}
    options = {"precisions": [20]} if name == "precision_threshold" else {"formats": "p9"}
    found = function[name](COUNTER, "a^n", **options)
    assert (
        found.words if name == "check_format" else len(getattr(found, "rows", getattr(found, "words", ())))
    ) == numbers


def test_a_pattern_is_a_function_of_the_length():
    found = xn.first_failures(COUNTER, "a^n b^n", [4, 11], lengths=range(1, 9))
    assert found == xn.first_failures(COUNTER, lambda n: n * "a" + n * "b", [4, 11], lengths=range(1, 9))
    with pytest.raises(xn.ExactnnError, match=r"words_of_length='aabb': give a function .* or a pattern"):
        xn.first_failures(COUNTER, "aabb", [4])


def test_where_the_symbol_is_a_letter_there_are_no_patterns():
    power = xn.DFA(states="q", input_symbols="an^", transitions={"q": dict.fromkeys("an^", "q")}, initial_state="q",
                   final_states="q")  # fmt: skip
    assert [found.word for found in xn.precision_threshold(power, "a^n", precisions=[9]).words] == [("a", "^", "n")]
    with pytest.raises(xn.ExactnnError, match=r"words='a\^n': give a sequence of words"):
        xn.collapse(power, "a^n")
    with pytest.raises(xn.ExactnnError, match="words_of_length"):
        xn.first_failures(power, "a^n", [9])


@pytest.mark.parametrize(
    ("words", "n", "message"),
    [
        ("a^m", None, r"pattern 'a\^m' cannot be read from '\^m' on"),
        ("a^n", "1:30", "n='1:30': give whole numbers from 0 on, such as range"),
        ("a^n", [], "give whole numbers"),
        ("a^n", [-1], "give whole numbers"),
        ("c^n", [2], "symbol 'c' at position 0"),
        (["ab"], [2], r"n=\[2\]: it goes with a pattern such as .*, and words=\['ab'\] is none"),
        ("ab", [2], "it goes with a pattern"),
    ],
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_family_is_refused(name, words, n, message):
    with pytest.raises(xn.ExactnnError, match=message):
        FUNCTIONS[name](words, n=n)


def test_a_network_that_reads_vectors_has_no_patterns():
    network = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(xn.ExactnnError, match="sequence of vectors, not 'a'"):
        xn.collapse(network, "a^n")


def test_symbols_with_a_hat_are_no_patterns():
    odd = xn.DFA(states="q", input_symbols=["x^2", "xx"], transitions={"q": {"x^2": "q", "xx": "q"}}, initial_state="q",
                 final_states="q")  # fmt: skip
    assert [row.word for row in xn.collapse(odd, ["x^2", "x^2 xx"]).rows] == [("x^2",), ("x^2", "xx")]


def test_a_pattern_without_n_is_one_word():
    assert xn.collapse("parity", ["1^3", "0"], "float16") == xn.collapse("parity", ["111", "0"], "float16")


def test_a_pattern_without_n_is_one_word_on_the_command_line():
    subject = load_subject("parity", None)
    assert ["".join(case.word) for case in cases_of(subject, ["1^3", "0^n", "1"], "1:3")] == [
        "111", "0", "00", "000", "1",
    ]  # fmt: skip
