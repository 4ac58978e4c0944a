"""Ranks of Hankel matrices, with their minors, and automata learned from blocks."""

from fractions import Fraction
from itertools import product

import pytest
from gmpy2 import mpq
from hypothesis import assume, given

import exactnn as xn
from exactnn.automata import compare_weighted, minimal_weighted
from exactnn.errors import NumberError, OptionError, WordError
from exactnn.linear_algebra import rank
from tests.automata.test_weighted_automata import BINARY, COUNT, automata, hankel, words

VECTORS = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])


def anbn(word):
    half = len(word) // 2
    return word == ("a",) * half + ("b",) * half


def sign(word):
    difference = word.count("a") - word.count("b")
    return (difference > 0) - (difference < 0)


def hill(word):
    if list(word) != sorted(word):
        return Fraction(-1, 2)
    return Fraction(1, 2) - 2 * (word.count("a") - word.count("b")) ** 2


@pytest.mark.parametrize(
    ("source", "length", "ranks"),
    [
        (anbn, 5, (1, 2, 4, 6, 8, 10)),
        (sign, 5, (0, 2, 4, 6, 8, 10)),
        (hill, 5, (1, 3, 7, 7, 7, 7)),
        (COUNT, 3, (0, 2, 2, 2)),
        (BINARY, 3, (0, 2, 2, 2)),
        (xn.load("parity"), 2, (0, 2, 2)),
    ],
)
def test_ranks(source, length, ranks):
    symbols = "ab" if callable(source) else None
    assert xn.hankel_rank(source, length, input_symbols=symbols).ranks == ranks


@given(automata(most=3))
def test_the_minor_is_not_0_and_no_larger_one_is(automaton):
    found = xn.hankel_rank(automaton, 2)
    assert found.ranks == tuple(rank(hankel(automaton, most)) for most in range(3))
    rows, columns = found.certificate
    minor = tuple(tuple(automaton.value((*u, *v)) for v in columns) for u in rows)
    assert len(rows) == len(columns) == found.ranks[-1] == rank(minor)
    assert found.ranks[-1] == minimal_weighted(automaton).size


@given(automata(most=4))
def test_an_automaton_is_learned_from_words_shorter_than_its_size(automaton):
    assume(automaton.size)
    short = words("ab", automaton.size - 1)
    for value in (automaton, automaton.value):
        learned = xn.spectral_learn(value, short, short, input_symbols="ab")
        assert compare_weighted(automaton, learned).equal
        assert learned.size == minimal_weighted(automaton).size


def test_a_table_is_enough():
    asked = ["".join(w) for n in range(4) for w in product("ab", repeat=n)]
    learned = xn.spectral_learn({word: word.count("a") for word in asked}, ["a"], ["a"], input_symbols="ab")
    assert compare_weighted(learned, COUNT).equal
    with pytest.raises(OptionError, match="no value of the word 'aaa'"):
        xn.spectral_learn({word: word.count("a") for word in asked if word != "aaa"}, ["a"], ["a"], input_symbols="ab")


def test_a_network_and_its_construction():
    network = xn.compile(COUNT)
    assert xn.hankel_rank(network, 2).ranks == xn.hankel_rank(network.network, 2).ranks == (0, 2, 2)
    assert compare_weighted(xn.spectral_learn(network, ["a"], ["a"]), COUNT).equal
    minsky = xn.minsky(xn.load("tomita-2"))
    assert xn.hankel_rank(minsky, 3).ranks[-1] == 2


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: xn.hankel_rank(anbn, 2), OptionError, "give the alphabet"),
        (lambda: xn.hankel_rank(COUNT, 20), OptionError, "more than 1,000 words"),
        (lambda: xn.hankel_rank(3, 2, input_symbols="a"), OptionError, "3 gives no values"),
        (lambda: xn.hankel_rank(lambda word: "x", 1, input_symbols="a"), NumberError, "the word '.empty.': 'x'"),
        (lambda: xn.hankel_rank(lambda word: float("nan"), 1, input_symbols="a"), NumberError, "nan"),
        (lambda: xn.spectral_learn(COUNT, ["c"], ["a"]), WordError, "'c'"),
        (lambda: xn.hankel_rank(VECTORS, 1), OptionError, "symbols"),
    ],
)  # fmt: skip
def test_what_gives_no_values_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_nothing_but_0():
    assert xn.hankel_rank(lambda word: 0, 2, input_symbols="ab").ranks == (0, 0, 0)
    learned = xn.spectral_learn(lambda word: mpq(0), ["a"], ["b"], input_symbols="ab")
    assert (learned.size, learned.value("ab")) == (0, 0)
