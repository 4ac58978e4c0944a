"""Probabilistic automata: sums over all words, what comes next, entropies, and the network that gives them."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import inf, log2
from random import Random

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata.probability import _is_stable
from exactnn.errors import ConstructionError, MachineError, OptionError, SizeLimitError
from exactnn.strategies import rationals, weighted_automata

AUTOMATA = weighted_automata(probabilistic=True)
DETERMINISTIC = weighted_automata(probabilistic=True, deterministic=True)
DROPS = xn.load("drops")


def words(symbols, longest):
    return ["".join(w) for n in range(longest + 1) for w in product(symbols, repeat=n)]


def walked(automaton, word):
    """Return the probability of a word as the sum over all ways through the states."""
    total = Fraction(0)
    for way in product(automaton.states, repeat=len(word) + 1):
        chance = fraction(automaton.initial[way[0]])
        for a, i, j in zip(word, way, way[1:], strict=False):
            chance *= fraction(automaton.transitions[a][i][j])
        total += chance * fraction(automaton.final[way[-1]])
    return total


def fraction(x):
    return Fraction(int(x.numerator), int(x.denominator))


@given(st.one_of(AUTOMATA, DETERMINISTIC))
def test_what_is_drawn_is_probabilistic(automaton):
    assert xn.is_probabilistic(automaton)
    assert all(fraction(automaton.value(w)) == walked(automaton, w) for w in words(automaton.input_symbols, 3))


@given(DETERMINISTIC)
def test_deterministic_automata_are_drawn(automaton):
    assert xn.is_deterministic(automaton)


def test_not_all_are_deterministic():
    assert not xn.is_deterministic(DROPS)
    assert not xn.is_deterministic(xn.WeightedAutomaton(
        input_symbols="a", initial=[1, 1], transitions={"a": [[1, 0], [0, 1]]}, final=[1, 1]
    ))  # fmt: skip


@given(AUTOMATA)
def test_the_sum_of_all_values_is_the_chance_to_end(automaton):
    """From above: what is not in states from which no way leads to an end. From below: the words of up to n symbols."""
    total = xn.total_weight(automaton)
    assert 0 <= total <= 1
    partial = sum(automaton.value(w) for w in words(automaton.input_symbols, 4))
    assert partial <= total
    ends = {i for i, weight in enumerate(automaton.final) if weight}
    for _ in automaton.states:
        ends |= {
            i for m in automaton.transitions.values() for i, row in enumerate(m) for j, x in enumerate(row)
            if x and j in ends
        }  # fmt: skip
    if len(ends) == automaton.size:
        assert total == 1


def test_sums_that_converge_and_sums_that_do_not():
    def geometric(ratio, symbols="a"):
        return xn.WeightedAutomaton(
            input_symbols=symbols, initial=[1], transitions={a: [[ratio]] for a in symbols}, final=[1]
        )

    assert xn.total_weight(DROPS) == 1
    assert xn.total_weight(geometric("1/3")) == mpq(3, 2)
    assert xn.total_weight(geometric("-1/3")) == mpq(3, 4)
    assert xn.total_weight(geometric("1/2", "ab")) == inf
    assert xn.total_weight(geometric(0)) == 1
    assert xn.total_weight(geometric("1/2") - geometric("1/2")) == 0
    assert xn.total_weight(geometric(2) - geometric(2) + geometric("1/2")) == 2  # what diverges cancels
    assert xn.total_weight(xn.load("counting")) == inf
    for ratio in (-1, -2):
        with pytest.raises(MachineError, match="do not converge"):
            xn.total_weight(geometric(ratio))
    nothing = xn.WeightedAutomaton(input_symbols="a", initial=[], transitions={"a": []}, final=[])
    assert xn.total_weight(nothing) == 0


@given(weighted_automata(max_states=3, largest=2))
def test_sums_are_those_of_the_lengths(automaton):
    """Where the sum is found, the sums of the lengths come near it; numpy says whether they converge."""
    matrix = np.array([[float(sum(m[i][j] for m in automaton.transitions.values())) for j in automaton.states]
                       for i in automaton.states])  # fmt: skip
    radius = max(abs(np.linalg.eigvals(matrix)))
    try:
        total = xn.total_weight(automaton)
    except MachineError:
        total = None
    if radius < 0.99:
        assert total is not None
        row = np.array(list(map(float, automaton.initial)))
        last = np.array(list(map(float, automaton.final)))
        near = row @ np.linalg.solve(np.eye(automaton.size) - matrix, last)
        assert float(total) == pytest.approx(near, abs=1e-6)
    elif total not in (None, inf):  # the part that grows has no value
        assert automaton.size > 1 or not (automaton.initial[0] and automaton.final[0])


@given(st.lists(rationals(largest=3), min_size=1, max_size=5))
def test_stable_polynomials_are_those_with_roots_inside_the_circle(coefficients):
    largest = max(abs(np.roots([1, *map(float, coefficients)])), default=0)
    if abs(largest - 1) > 1e-6:
        assert _is_stable([mpq(1), *coefficients]) == (largest < 1)


@given(weighted_automata(max_states=3, largest=2, probabilistic=True), st.sampled_from([mpq(1, 3), mpq(5, 2)]))
def test_pushed_weights_are_shares_of_the_total(automaton, factor):
    scaled = factor * automaton
    total = xn.total_weight(scaled)
    if total == 0:
        with pytest.raises(MachineError, match="sum of all values is 0"):
            xn.normalized(scaled)
        return
    shares = xn.normalized(scaled)
    assert xn.is_probabilistic(shares)
    assert xn.total_weight(shares) == 1
    assert all(shares.value(w) == scaled.value(w) / total for w in words(automaton.input_symbols, 3))


def test_what_has_no_shares_is_refused():
    for automaton, why in ((xn.load("counting"), "inf"), (xn.load("sign-of-parity"), "negative")):
        with pytest.raises(MachineError, match=why):
            xn.normalized(automaton)
    with pytest.raises(MachineError, match=r"no probabilities.*exactnn\.normalized"):
        xn.next_symbol_probabilities(xn.load("counting"))
    with pytest.raises(MachineError, match="no weighted automaton"):
        xn.total_weight(3)


@given(AUTOMATA)
def test_what_comes_next_has_the_sum_1_and_makes_the_probability_of_the_word(automaton):
    for word in words(automaton.input_symbols, 3):
        chance = mpq(1)
        for n, symbol in enumerate([*word, ""]):
            found = xn.next_symbol_probabilities(automaton, word[:n])
            if found is None:
                chance = mpq(0)
                break
            assert sum(found.values()) == 1
            chance *= found[symbol]
        assert chance == automaton.value(word)


@given(st.one_of(AUTOMATA, DETERMINISTIC), st.integers(0, 4))
def test_the_entropy_is_that_of_the_list_of_words(automaton, length):
    values = Counter(automaton.value(w) for w in product(automaton.input_symbols, repeat=length))
    del values[0]
    total = sum(value * count for value, count in values.items())
    if not total:
        with pytest.raises(MachineError, match="have the value 0"):
            xn.word_entropy(automaton, length)
        return
    found = xn.word_entropy(automaton, length)
    assert found.total == total
    assert dict(found.shares) == {value / total: count for value, count in values.items()}
    assert found.lower <= found.upper <= found.lower + mpq(1, 1 << 60)
    near = -sum(count * float(share) * log2(share) for share, count in found.shares)
    assert float(found.lower) == pytest.approx(near, abs=1e-9)


def test_the_entropy_of_many_words():
    """Words of 200 symbols, of which there are 2^200: as many different ones as there can be a's."""
    long = [mpq(3, 1 << 4000) + mpq(1, 7) for _ in range(300)]
    del long  # gmpy2 makes later numbers in their memory, and these say that they are as large
    coin = xn.WeightedAutomaton(
        input_symbols="ht", initial=[1], final=[1], transitions={"h": [["1/4"]], "t": [["3/4"]]}
    )
    found = xn.word_entropy(coin, 200)
    assert len(found.shares) == 201
    assert sum(count for _, count in found.shares) == 2**200
    one = xn.word_entropy(coin, 1)
    assert abs(found.lower - 200 * one.lower) < mpq(1, 1 << 50)
    with pytest.raises(SizeLimitError, match="give a smaller length"):
        xn.word_entropy(xn.load("drops"), 40)
    with pytest.raises(OptionError, match="length"):
        xn.word_entropy(coin, -1)


@given(AUTOMATA, st.data())
def test_the_network_holds_the_weights_and_tells_what_comes_next(automaton, data):
    built = xn.weighted_minsky(automaton, joint=True)
    assert built.network.neurons == 1 + automaton.size * len(automaton.input_symbols)
    word = data.draw(st.text(automaton.input_symbols, max_size=5))
    found = xn.run(built, word, record="all")
    for n, state in enumerate(found.trace):
        weights = automaton.forward(word[:n])
        assert built.decode(state) == weights
        output = found.outputs[n - 1] if n else found.initial_output
        following = xn.next_symbol_probabilities(automaton, word[:n])
        if following is None:
            assert not any(output)
        else:
            assert output == tuple(chance * sum(weights) for chance in following.values())
            assert sum(output) == sum(weights)
    again = xn.run(built.network, word, arithmetic=xn.RATIONAL)
    assert again.outputs == found.outputs
    assert built.decode(built.encode(automaton.initial)) == automaton.initial


@given(DETERMINISTIC, st.data())
def test_the_network_of_a_deterministic_automaton_gives_conditional_probabilities(automaton, data):
    built = xn.weighted_minsky(automaton)
    word = data.draw(st.text(automaton.input_symbols, max_size=6))
    found = xn.run(built, word, record="all")
    for n, state in enumerate(found.trace):
        output = found.outputs[n - 1] if n else found.initial_output
        following = xn.next_symbol_probabilities(automaton, word[:n])
        if following is not None:
            assert output == tuple(following.values())
            weights = automaton.forward(word[:n])
            assert built.decode(state) == tuple(weight / sum(weights) for weight in weights)


def test_float_runs_round_what_the_exact_run_gives():
    built = xn.weighted_minsky(DROPS)
    exact = xn.run(built, "aab").outputs[-1]
    assert exact == (mpq(1, 16), mpq(17, 256), mpq(7, 256))
    assert xn.run(built, "aab", arithmetic=xn.FLOAT32).outputs[-1] == tuple(map(float, exact))


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        (lambda: xn.weighted_minsky(xn.load("counting")), "weights are probabilities"),
        (lambda: xn.weighted_minsky(DROPS, joint=False), "not deterministic"),
        (lambda: xn.weighted_minsky(xn.load("parity")), "compiles a WeightedAutomaton"),
        (lambda: xn.weighted_minsky(DROPS, joint=3), "joint"),
        (lambda: xn.weighted_minsky(DROPS).encode((1, 2, 3)), "weights has 3 entries, not 2"),
    ],
)
def test_what_it_does_not_compile_is_refused(given_, why):
    with pytest.raises(ConstructionError, match=why):
        given_()


def test_many_states_with_all_sorts_of_denominators_are_summed():
    random = Random(3)
    size = 20
    rows = [[mpq(random.randint(1, 9), random.randint(2000, 3000)) for _ in range(size)] for _ in range(size)]
    automaton = xn.WeightedAutomaton(input_symbols="a", initial=[1] * size, transitions={"a": rows}, final=[1] * size)
    total = xn.total_weight(automaton)
    near = np.ones(size) @ np.linalg.solve(
        np.eye(size) - np.array([[float(x) for x in row] for row in rows]), np.ones(size)
    )
    assert float(total) == pytest.approx(near)
    assert xn.is_probabilistic(xn.normalized(automaton))


def test_negative_weights_with_values_that_are_not():
    ones = xn.WeightedAutomaton(input_symbols="a", initial=[-1], transitions={"a": [[1]]}, final=[-1])
    with pytest.raises(MachineError, match="do not converge"):
        xn.total_weight(ones)
    halves = xn.WeightedAutomaton(input_symbols="a", initial=[-1], transitions={"a": [["1/2"]]}, final=[-1])
    assert xn.total_weight(halves) == 2


def test_weights_to_encode_are_checked():
    with pytest.raises(ConstructionError, match=r"weights\[0\]"):
        xn.weighted_minsky(DROPS).encode(("a", "b"))
    assert xn.weighted_minsky(DROPS).encode([1, 0]) == (0, 1, 0, 0, 0)
