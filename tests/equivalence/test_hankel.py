"""Ranks of Hankel matrices, with their minors, and automata learned from blocks."""

from fractions import Fraction
from itertools import product

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import assume, given

import exactnn as xn
from exactnn.automata import compare_weighted, minimal_weighted
from exactnn.errors import NumberError, OptionError, UnsupportedArithmeticError, WordError
from exactnn.linear_algebra import primes, rank
from exactnn.linear_algebra import product as product_of
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
    left, right = found.factors
    assert len(right) == found.ranks[-1]
    assert (product_of(left, right) if right else tuple((0,) * 7 for _ in left)) == hankel(automaton, 2)


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


def random_network(seed, activation, size=3):
    rng = np.random.default_rng(seed)

    def matrix(height, width):
        return [[int(x) / 8 for x in row] for row in rng.integers(-12, 13, (height, width))]

    return xn.SimpleRNN(
        weight_hh=matrix(size, size), weight_ih=matrix(size, 2), bias=matrix(1, size)[0], s=matrix(1, size)[0],
        readout_weight=matrix(1, size)[0], activation=activation, alphabet="ab",
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_a_smooth_network_has_a_rank_that_is_proven(seed, activation):
    """The minor is not 0: by a plain run with 300 bits, whose errors are far below it."""
    network = random_network(seed, activation)
    found = xn.hankel_rank(network, 2)
    assert not found.exact
    rows, columns = found.certificate
    assert found.ranks[-1] == len(rows) == len(columns) == len(set(rows)) == len(set(columns)) >= 4
    minor = [[plain_output(network, (*u, *v)) for v in columns] for u in rows]
    assert abs(determinant(minor)) > mpq(1, 2**200)


def plain_output(network, word):
    """Return the output after a word, with 300 bits and no enclosure."""
    functions = {"tanh": gmpy2.tanh, "sigmoid": lambda x: 1 / (1 + gmpy2.exp(-x))}
    (layer,), (readout,) = network.circuit.layers, network.readout

    def total(unit, registers):
        return sum((registers[r] * w for r, w in unit.linear), gmpy2.mpfr(unit.bias))

    with gmpy2.context(precision=300):
        state = [gmpy2.mpfr(x) for x in network.initial_state]
        for symbol in word:
            registers = [*state, *(gmpy2.mpfr(a == symbol) for a in network.alphabet)]
            state = [functions[str(unit.activation)](total(unit, registers)) for unit in layer]
        return mpq(total(readout, state))


def determinant(matrix):
    """Return it by elimination, in rationals."""
    if not matrix:
        return mpq(1)
    place = next((i for i, row in enumerate(matrix) if row[0]), None)
    if place is None:
        return mpq(0)
    first, rest = matrix[place], matrix[:place] + matrix[place + 1 :]
    rest = [[x - row[0] / first[0] * y for x, y in zip(row[1:], first[1:], strict=True)] for row in rest]
    return (-1) ** place * first[0] * determinant(rest)


def test_a_smooth_network_that_is_linear_has_no_more_than_its_rank():
    """Smooth units that are never read leave a linear network: the proven bound stays at its rank."""
    smooth = xn.StackedRNN(
        [
            xn.SimpleRNNLayer(V=[[2, 1], [0, 1]], W=[[0, 1], [1, 0]], b=[0, 0], s=[0, 1], activation="identity"),
            xn.SimpleRNNLayer(V=[[0]], W=[[0, 0]], b=[1], s=[0], activation="tanh"),
            xn.SimpleRNNLayer(V=[[0]], W=[[0]], b=[0], s=[0], activation="identity"),
        ],
        readout_weight=[1],
        alphabet="ab",
    )
    assert xn.hankel_rank(smooth, 2).ranks == (0, 0, 0)


def test_the_bound_of_a_smooth_network_is_of_few_words():
    with pytest.raises(OptionError, match="more than 130 words"):
        xn.hankel_rank(random_network(0, "tanh"), 8)


@pytest.mark.parametrize("seed", range(25))
def test_floats_find_what_is_well_conditioned(seed):
    """float64 finds small automata within rounding errors, and the same number of states."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))

    def numbers(*shape):
        return (rng.integers(-4, 5, shape) / 4).tolist()

    automaton = xn.WeightedAutomaton(
        input_symbols="ab", initial=numbers(size), final=numbers(size),
        transitions={a: numbers(size, size) for a in "ab"},
    )  # fmt: skip
    least = minimal_weighted(automaton).size
    some = words("ab", 3)
    exact = xn.spectral_learn(automaton, some, some)
    assert compare_weighted(exact, automaton).equal
    rounded = xn.spectral_learn(automaton, some, some, arithmetic=xn.FLOAT64, size=least)
    assert rounded.size == exact.size == least
    block = np.array([[float(automaton.value(u + v)) for v in some] for u in some])
    if least:
        condition = np.linalg.svd(block)[1][:least]
        if condition[0] / condition[-1] < 1e4:
            for word in words("ab", 3):
                assert float(rounded.value(word)) == pytest.approx(float(automaton.value(word)), abs=1e-6, rel=1e-6)


def test_floats_lose_what_is_below_their_noise():
    """Two poles that are near: exactly two states, in float32 one."""
    near = {"a": [[1, 0], [0, 1 + mpq(1, 10**6)]]}
    automaton = xn.WeightedAutomaton(input_symbols="a", initial=[1, 1], transitions=near, final=[1, 1])
    some = ["a" * n for n in range(4)]
    sizes = [xn.spectral_learn(automaton, some, some, arithmetic=a).size for a in (xn.RATIONAL, xn.FLOAT64, xn.FLOAT32)]
    assert sizes == [2, 2, 1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"arithmetic": xn.FLOAT16}, UnsupportedArithmeticError, "FLOAT64 or FLOAT32"),
        ({"arithmetic": "flaot64"}, UnsupportedArithmeticError, "did you mean 'float64'"),
        ({"size": 2}, OptionError, "leave it out"),
        ({"arithmetic": xn.FLOAT64, "size": 9}, OptionError, "size"),
        ({"arithmetic": xn.FLOAT32}, NumberError, "beyond all numbers of float32"),
    ],
)
def test_options_of_the_other_kind_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        xn.spectral_learn(lambda word: 10 ** (60 * len(word)), ["a"], ["a"], input_symbols="a", **options)


def test_singular_values_beyond_the_floats_are_refused():
    for arithmetic, value in ((xn.FLOAT64, 17 * 10**307), (xn.FLOAT32, 3 * 10**38)):
        with pytest.raises(NumberError, match="beyond"):
            xn.spectral_learn(lambda word, value=value: value, ["a", "aa"], ["a", "aa"], "a", arithmetic=arithmetic)


def test_a_block_of_full_rank_is_seen_modulo_a_prime():
    """The matrix of Hilbert: its entries have all denominators, and its determinant is tiny."""
    found = xn.hankel_rank(lambda word: mpq(1, len(word) + 1), 60, input_symbols="a")
    assert found.ranks == tuple(range(1, 62))


def test_ranks_where_an_entry_is_a_multiple_of_the_first_primes():
    several = primes()
    factor = next(several) * next(several)
    found = xn.hankel_rank(lambda word: factor * word.count("a"), 2, input_symbols="ab")
    assert found.ranks == (0, 2, 2)
    found = xn.hankel_rank(lambda word: mpq(word.count("a"), factor), 2, input_symbols="ab")
    assert found.ranks == (0, 2, 2)


@pytest.mark.parametrize("name", ["parity", "counting"])
def test_names_are_the_automata_that_they_name(name, tmp_path):
    machine = xn.load(name)
    xn.save_network(xn.compile(name), tmp_path / "network.json")
    expected = xn.hankel_rank(machine, 2)
    assert xn.hankel_rank(name, 2) == expected
    assert xn.hankel_rank(str(tmp_path / "network.json"), 2) == expected
    symbols = machine.input_symbols
    learned = xn.spectral_learn(name, symbols, symbols)
    assert xn.compare_weighted(learned, xn.spectral_learn(machine, symbols, symbols)).equal


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("palindrome", "palindrome is a turing machine, which gives words no numbers: give a DFA"),
        ("anbn-counter", "anbn-counter is a counter machine, which gives words no numbers"),
        ("edges", "edges is a mealy machine"),
        (5, "5 gives no values: give an automaton, a network, a function or a table"),
    ],
)
def test_what_gives_words_no_numbers_is_told(source, message):
    for symbols in (None, "ab"):
        with pytest.raises(OptionError, match=message):
            xn.hankel_rank(source, 2, input_symbols=symbols)
        with pytest.raises(OptionError, match=message):
            xn.spectral_learn(source, ["a"], ["a"], symbols)
