"""Stacks in fractions and counters: every number of every step is that of a stack or a counter in plain Python."""

from fractions import Fraction
from itertools import product

import pytest
from every_executor import check_every_executor
from hypothesis import given
from hypothesis import strategies as st

from exactnn import EXACT, RATIONAL, fractional_counter, gated_counter, run, scalar_stack, vector_stack
from exactnn.errors import OptionError
from tests.plain_circuit import fraction

BITS = st.text("01", max_size=40)
LOOSE = st.text("01#", max_size=24)
MARKED = st.builds(lambda w, u: f"{w}#{u}", BITS, BITS)
MIRRORED = st.builds(lambda w: f"{w}#{w[::-1]}", BITS)


def stacks_of(word):
    """Return the stack after every symbol, top first, until something is wrong; and whether the word is accepted."""
    stack, popping, stacks = [], False, [[]]
    for symbol in word:
        if symbol == "#":
            if popping:
                return stacks, False
            popping = True
        elif not popping:
            stack = [symbol, *stack]
        elif not stack or stack[0] != symbol:
            return stacks, False
        else:
            stack = stack[1:]
        stacks.append(stack)
    return stacks, popping and not stack


def as_scalar(stack):
    return sum((Fraction(2 * int(z) + 1, 4 ** (i + 1)) for i, z in enumerate(stack)), Fraction(0))


def as_vector(stack, symbols, base):
    sums = [sum(Fraction(base - 1, base ** (i + 1)) for i, z in enumerate(stack) if z == a) for a in symbols]
    return sums + [int(stack[:1] == [a]) for a in symbols]


def states(found):
    return [[fraction(x) for x in state] for state in found.trace]


def check(network, word, encoded):
    stacks, accepted = stacks_of(word)
    found = run(network, word, arithmetic=RATIONAL, record="all")
    assert (found.verdict == "accept") == accepted
    size = network.neurons - 2
    for state, stack in zip(states(found), stacks, strict=False):  # beyond a mistake nothing is said of the stack
        assert state[:size] == encoded(stack)
        assert state[size + 1] == 0
    assert all(0 <= x <= 1 for state in states(found) for x in state)
    assert run(network, word, arithmetic=EXACT).final_state == found.final_state


@given(st.one_of(LOOSE, MARKED, MIRRORED))
def test_the_scalar_stack_is_a_stack(word):
    check(scalar_stack(), word, lambda stack: [as_scalar(stack)])


@given(st.one_of(LOOSE, MARKED, MIRRORED), st.integers(3, 6))
def test_the_vector_stack_is_a_stack(word, base):
    check(vector_stack(base=base), word, lambda stack: as_vector(stack, "01", base))


@given(st.text("xyz", max_size=12), st.text("xyz", max_size=3))
def test_a_vector_stack_of_three_symbols(word, rest):
    for text in (f"{word}#{word[::-1]}", f"{word}#{rest}"):
        check(vector_stack("xyz"), text, lambda stack: as_vector(stack, "xyz", 3))


@pytest.mark.parametrize("network", [scalar_stack(), vector_stack()], ids=lambda net: net.name)
def test_all_short_words_with_a_stack(network):
    for length in range(6):
        for symbols in product("01#", repeat=length):
            word = "".join(symbols)
            assert (run(network, word, arithmetic=RATIONAL).verdict == "accept") == stacks_of(word)[1]


@pytest.mark.parametrize(
    ("symbols", "base", "message"),
    [
        ("01", 2, "at least 3"),
        ("01", True, "at least 3"),
        ("00", 3, "different symbols"),
        ("0#", 3, "without the mark"),
    ],
)
def test_a_vector_stack_that_is_none(symbols, base, message):
    with pytest.raises(OptionError, match=message):
        vector_stack(symbols, base=base)


def in_the_language(word):
    n = word.count("a")
    return word == "a" * n + "b" * n


COUNTED = st.one_of(
    st.text("ab", max_size=30),
    st.builds(lambda n, m: "a" * n + "b" * m, st.integers(0, 40), st.integers(0, 40)),
    st.builds(lambda n: "a" * n + "b" * n, st.integers(0, 60)),
)


@pytest.mark.parametrize("network", [gated_counter(), fractional_counter()], ids=lambda net: net.name)
@given(word=COUNTED)
def test_counters_accept_their_language(network, word):
    found = run(network, word, arithmetic=RATIONAL)
    assert (found.verdict == "accept") == in_the_language(word)
    assert run(network, word, arithmetic=EXACT).final_state == found.final_state


@pytest.mark.parametrize("network", [gated_counter(), fractional_counter()], ids=lambda net: net.name)
def test_all_short_words_with_a_counter(network):
    for length in range(11):
        for symbols in product("ab", repeat=length):
            word = "".join(symbols)
            assert (run(network, word, arithmetic=RATIONAL).verdict == "accept") == in_the_language(word)


@given(st.text("ab", max_size=40))
def test_the_cell_state_is_the_count(word):
    found = states(run(gated_counter(), word, record="all"))
    counts = [word[:t].count("a") - word[:t].count("b") for t in range(len(word) + 1)]
    assert [state[0] for state in found] == counts
    assert [state[1] for state in found] == [min(1, max(0, count)) for count in counts]


@given(st.text("ab", max_size=40))
def test_the_fractional_count_is_one_minus_a_power_of_two(word):
    found = states(run(fractional_counter(), word, record="all"))
    for t, state in enumerate(found):
        counts = [word[:u].count("a") - word[:u].count("b") for u in range(t + 1)]
        if min(counts) < 0:
            assert state[3] == 1
            break
        assert state[0] == 1 - Fraction(1, 2 ** counts[-1])


@pytest.mark.parametrize("word", ["", "01#10", "0110#0"])
@pytest.mark.parametrize("network", [scalar_stack(), vector_stack(), vector_stack(base=4)], ids=lambda n: n.name)
def test_stacks_in_every_executor(network, word):
    exact, fixed = check_every_executor(network, word)
    assert exact.steps == len(word)
    assert fixed


@pytest.mark.parametrize("word", ["", "aaabbb", "aba"])
@pytest.mark.parametrize("network", [gated_counter(), fractional_counter()], ids=lambda n: n.name)
def test_counters_in_every_executor(network, word):
    exact, fixed = check_every_executor(network, word)
    assert exact.steps == len(word)
    assert fixed
