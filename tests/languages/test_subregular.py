"""Generated automata against predicates that are the definitions, on all short words; and that none is too large."""

import re
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.constructions import star_free
from exactnn.equivalence import complement, minimal
from tests.promptness import promptly

SYMBOLS = "abc"
WORDS = [word for n in range(7) for word in product(SYMBOLS, repeat=n)]


def occurrences(factor, word):
    """Return how often a factor occurs in a word with its ends."""
    whole = f"^{''.join(word)}$"
    return sum(whole.startswith(factor, i) for i in range(len(whole)))


def is_subsequence(part, word):
    return any(chosen == tuple(part) for chosen in combinations(word, len(part)))


def on_tier(word, tier):
    return [symbol for symbol in word if symbol in tier]


def check(dfa, holds):
    """The automaton decides the predicate, and has a state for each of its residuals."""
    words = {word: holds(word) for word in WORDS}
    for word, expected in words.items():
        assert dfa.accepts(word) is bool(expected), word
    assert len(dfa.states) == len(minimal(dfa).states)
    short = [word for word in WORDS if len(word) <= 3]
    residuals = {tuple(words[left + right] for right in short) for left in short}
    assert len(residuals) <= len(dfa.states)
    return len(residuals)


def factors(least=1, tier=SYMBOLS):
    inner = st.text(tier, min_size=1, max_size=3)
    ends = st.builds(lambda begin, middle, end: begin + middle + end, st.sampled_from(["", "^"]), inner,
                     st.sampled_from(["", "$"]))  # fmt: skip
    return st.lists(st.one_of(ends, st.sampled_from(["^$"])), min_size=least, max_size=3, unique=True)


def parts():
    return st.lists(st.text(SYMBOLS, min_size=1, max_size=3), min_size=1, max_size=3, unique=True)


@given(factors(least=0), st.none() | st.just("ab"))
@settings(max_examples=15, deadline=None)
def test_strictly_local(forbidden, tier):
    forbidden = [factor for factor in forbidden if tier is None or "c" not in factor]
    dfa = xn.strictly_local(SYMBOLS, forbidden, tier=tier)
    check(dfa, lambda word: not any(occurrences(factor, on_tier(word, tier or SYMBOLS)) for factor in forbidden))


@given(parts())
@settings(max_examples=15, deadline=None)
def test_strictly_piecewise(forbidden):
    check(
        xn.strictly_piecewise(SYMBOLS, forbidden),
        lambda word: not any(is_subsequence(part, word) for part in forbidden),
    )


@given(factors(), st.integers(1, 3), st.data())
@settings(max_examples=15, deadline=None)
def test_locally_testable_up_to_a_threshold(found, threshold, data):
    tier = data.draw(st.sampled_from(["abc", "ab"]))
    found = [factor for factor in found if set(factor) <= set(tier + "^$")] or ["a"]
    rows = st.tuples(*[st.integers(0, threshold)] * len(found))
    accepted = data.draw(st.lists(rows, max_size=4, unique=True))

    def holds(word):
        return tuple(min(occurrences(factor, on_tier(word, tier)), threshold) for factor in found) in accepted

    check(xn.locally_testable(SYMBOLS, found, accepted, threshold=threshold, tier=tier), holds)


@given(parts(), st.data())
@settings(max_examples=15, deadline=None)
def test_piecewise_testable(found, data):
    accepted = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * len(found)), max_size=4, unique=True))
    check(
        xn.piecewise_testable(SYMBOLS, found, accepted),
        lambda word: tuple(int(is_subsequence(part, word)) for part in found) in accepted,
    )


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_marked_product(data):
    marks = data.draw(st.text(SYMBOLS, max_size=3))
    blocks = [data.draw(st.sets(st.sampled_from(SYMBOLS))) for _ in range(len(marks) + 1)]

    def holds(word):
        """Some places have the marks, and what is between them is of the blocks."""
        for places in combinations(range(len(word)), len(marks)):
            ends = [-1, *places, len(word)]
            between = [set(word[i + 1 : j]) for i, j in pairwise(ends)]
            if [word[i] for i in places] == list(marks) and all(a <= b for a, b in zip(between, blocks, strict=True)):
                return True
        return False

    check(xn.marked_product(SYMBOLS, blocks, marks), holds)


@given(st.sets(st.sampled_from(SYMBOLS)), st.integers(1, 5), st.data())
@settings(max_examples=15, deadline=None)
def test_modular_counting(counted, modulus, data):
    residues = data.draw(st.sets(st.integers(0, modulus - 1), min_size=1))
    check(
        xn.modular_counting(SYMBOLS, counted, modulus, residues),
        lambda word: sum(symbol in counted for symbol in word) % modulus in residues,
    )


@pytest.mark.parametrize(
    ("dfa", "states"),
    [
        (xn.strictly_local("abc", ["ab", "^b", "c$"]), 4),
        (xn.strictly_piecewise("abc", ["ab", "ca"]), 5),
        (xn.locally_testable("abc", ["aa"], [(1,)], threshold=2), 5),
        (xn.piecewise_testable("abc", ["ab"], [(0,)]), 3),
        (xn.marked_product("abc", ["abc", "c", "abc"], "ab"), 3),
        (xn.modular_counting("abc", "ab", 3, [1]), 3),
    ],
    ids=["strictly local", "strictly piecewise", "threshold", "piecewise", "product", "modular"],
)
def test_automata_have_a_state_for_each_residual(dfa, states):
    """The residuals are told apart by short words, so that fewer states are not enough."""
    assert len(dfa.states) == states == check(dfa, dfa.accepts)


def test_all_but_modular_counting_are_star_free():
    for dfa in (
        xn.strictly_local("ab", ["aba", "^b"]),
        xn.strictly_piecewise("ab", ["aba"]),
        xn.locally_testable("ab", ["ab", "b$"], [(2, 0), (1, 1)], threshold=2),
        xn.piecewise_testable("ab", ["ab", "ba"], [(1, 0)]),
        xn.marked_product("ab", ["ab", "a", "b"], "ba"),
    ):
        assert xn.run(star_free(dfa), "abab").verdict.value == ("accept" if dfa.accepts("abab") else "reject")
    with pytest.raises(xn.ExactnnError, match="is not aperiodic"):
        star_free(xn.modular_counting("ab", "a", 2))


def test_known_languages():
    """Tomita's 1, 2, 4 and 7, parity, and even pairs."""
    for name, dfa in {
        "tomita-1": xn.strictly_local("10", ["0"]),
        "tomita-2": xn.strictly_local("10", ["00", "11", "^0", "1$"]),
        "tomita-4": xn.strictly_local("01", ["000"]),
        "tomita-7": xn.strictly_piecewise("01", ["1010"]),
        "parity": xn.modular_counting("01", "1", 2, [1]),
        "repeat-01": xn.strictly_local("01", ["00", "11", "^1", "0$"]),
        "begins-with-1": complement(xn.strictly_local("01", ["^1"])),
        "even-pairs": xn.locally_testable("01", ["^0", "0$"], [(0, 0), (1, 1)]),
    }.items():
        assert xn.equivalent(dfa, xn.load(name)).equal, name


def test_symbols_may_have_several_characters():
    dfa = xn.strictly_local(["up", "down"], ["down down", ["^", "down"]])
    assert [dfa.accepts(word) for word in ("up down up", "down", "up down down")] == [True, False, False]


def test_dyck_languages_of_a_depth():
    machine = xn.bounded_dyck(2, 3).machine
    assert xn.equivalent(machine, xn.load("dyck-2-3")).equal
    assert len(machine.states) == len(minimal(machine).states) == 16


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: xn.strictly_local("", []), "there are 0 input symbols: give 1 to 1,000"),
        (lambda: xn.strictly_local("a^", []), "the input symbol '^' stands for an end of a word"),
        (lambda: xn.strictly_local("ab", ["a^"]), "the factor 'a ^': '^' may only begin it, and '$' only end it"),
        (lambda: xn.strictly_local("ab", ["ac"]), "symbol 'c' at position 1"),
        (lambda: xn.strictly_local("ab", "ab"), "forbidden='ab': give a list of words, such as"),
        (lambda: xn.strictly_local("ab", [""]), "one is empty, which occurs everywhere: leave it out"),
        (lambda: xn.strictly_local("ab", ["ab"], tier="a"), "the factor 'a b' has 'b', not on the tier"),
        (lambda: xn.strictly_local("ab", ["ab"], tier="c"), "tier: 'c' is no input symbol"),
        (lambda: xn.strictly_local("ab", ["a" * 201]), "forbidden have more than 200 symbols together"),
        (lambda: xn.locally_testable("ab", ["a"], [(2,)]), "accepted=2: give a whole number from 0 to 1"),
        (lambda: xn.locally_testable("ab", ["a"], [(0, 1)]), "accepted has (0, 1): give rows of 1 whole numbers"),
        (lambda: xn.locally_testable("ab", ["a"], [], threshold=10**5000), "give a whole number from 1 to 200"),
        (lambda: xn.marked_product("ab", ["a"], "b"), "there are 1 blocks and 1 marks: give one block more"),
        (lambda: xn.marked_product("ab", ["a", "b"], ["c"]), "marks: 'c' is no input symbol"),
        (lambda: xn.modular_counting("ab", "a", 3, range(10**6)), "residues has 1,000,000 entries"),
        (lambda: xn.strictly_local("ab", ["ab"] * 10**6), "forbidden has 1,000,000 words: give at most 10,000"),
        (lambda: xn.modular_counting("ab", "a", 10**5000), "give a whole number from 1 to 10000"),
        (lambda: xn.modular_counting("ab", "a", 3, [3]), "residues=3: give a whole number from 0 to 2"),
        (lambda: xn.piecewise_testable("abcde", [a * 20 for a in "abcde"], []), "more than 100,000 entries"),
        (lambda: xn.locally_testable("ab", ["a", "b", "ab"], [], threshold=200), "more than 100,000 entries"),
    ],
)
def test_what_is_refused(call, told):
    with pytest.raises(xn.ExactnnError, match=re.escape(told)):
        call()


def test_the_largest_definitions_take_seconds():
    symbols = [f"s{i}" for i in range(490)]
    with promptly():
        assert len(xn.strictly_local(symbols, [symbols[:200]]).states) == 201
        assert len(xn.strictly_local("ab", ["a" * 200]).states) == 201
        assert len(xn.modular_counting("ab", "a", 10_000).states) == 10_000
