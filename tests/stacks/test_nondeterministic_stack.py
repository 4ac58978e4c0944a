"""The nondeterministic stack and weighted pushdown automata: by enumeration, by a plain parser, and in formats."""

import time
from collections import Counter
from itertools import product
from math import exp, inf, log
from random import Random

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import (
    NondeterministicStack,
    WeightedPushdownAutomaton,
    nondeterministic_reversal,
    weighted_pushdown_automaton,
)
from exactnn.automata.log_numbers import log_of, log_of_sum
from exactnn.errors import MachineError, NumberError, OptionError, SizeLimitError, WordError
from exactnn.strategies import weighted_pushdown_automata

QUARTERS = {
    "push": {(0, "bottom", 0, "a"): "1/2", (0, "a", 0, "a"): "1/2"},
    "replace": {(0, "bottom", 0, "bottom"): "1/4", (0, "a", 0, "a"): "1/4"},
    "pop": {(0, "a", 0): "1/4"},
}


def test_the_example_of_one_state():
    stack = NondeterministicStack(states=1, symbols=["bottom", "a"])
    readings, totals = [], []
    for _ in range(4):
        stack = stack.step(**QUARTERS)
        readings.append([str(share) for share in stack.reading.values()])
        totals.append(str(stack.total))
    assert readings == [["1/3", "2/3"], ["3/11", "8/11"], ["7/41", "34/41"], ["21/157", "136/157"]]
    assert totals == ["3/4", "11/16", "41/64", "157/256"]


def random_automaton(random, states, symbols, density=0.5):
    """A weighted pushdown automaton over a and b with random weights, some of which are 0."""

    def weight():
        return mpq(random.randint(1, 5), random.randint(1, 5)) if random.random() < density else mpq(0)

    q, x = range(states), range(symbols)
    return WeightedPushdownAutomaton(
        states=q,
        stack_symbols=x,
        input_symbols="ab",
        push={c: {key: weight() for key in product(q, x, q, x)} for c in "ab"},
        replace={c: {key: weight() for key in product(q, x, q, x)} for c in "ab"},
        pop={c: {key: weight() for key in product(q, x, q)} for c in "ab"},
        final={pair: weight() for pair in product(q, x)},
    )


@pytest.mark.mostly_slow(quick=4)
@pytest.mark.parametrize("part", range(20))
def test_dynamic_programming_is_enumeration(part):
    """500 random automata, words of up to six symbols: the weights by state and top, and of the whole word."""
    random = Random(part)
    for _ in range(25):
        states, symbols = random.choice([(1, 2), (2, 2), (1, 3), (2, 1)])
        length = random.randint(0, 6 if states * symbols < 4 else 4)
        automaton = random_automaton(random, states, symbols, 0.3 if states * symbols > 2 else 0.5)
        word = "".join(random.choice("ab") for _ in range(length))
        found, total = {}, mpq(0)
        for state, stack, weight in automaton.runs(word):
            pair = state, stack[-1]
            found[pair] = found.get(pair, mpq(0)) + weight
            total += weight * automaton.final.get(pair, mpq(0))
        stack = automaton.read(word)
        assert stack.weights == found
        assert automaton.weight(word) == total
        assert stack.total == sum(found.values(), mpq(0))
        if found:
            assert sum(stack.reading.values()) == 1


def test_reversal_without_a_mark():
    """The weight of (pop, bottom) is 1 of an even palindrome, else 0: on all words of one to eight symbols."""
    reversal = nondeterministic_reversal()
    for length in range(1, 9):
        for word in map("".join, product("ab", repeat=length)):
            expected = word == word[::-1] and length % 2 == 0
            assert reversal.read(word).weights.get(("pop", "bottom"), 0) == expected == reversal.weight(word)


def recognised(automaton, word):
    """A plain parser: the set of all configurations after each symbol, of weights 0 and 1."""
    found = {(automaton.states[0], (automaton.stack_symbols[0],))}
    for symbol in word:
        after = set()
        for state, stack in found:
            for (q, x, r, y), weight in automaton.push[symbol].items():
                if weight and (q, x) == (state, stack[-1]):
                    after.add((r, (*stack, y)))
            for (q, x, r, y), weight in automaton.replace[symbol].items():
                if weight and (q, x) == (state, stack[-1]):
                    after.add((r, (*stack[:-1], y)))
            for (q, x, r), weight in automaton.pop[symbol].items():
                if weight and (q, x) == (state, stack[-1]) and len(stack) > 1:
                    after.add((r, stack[:-1]))
        found = after
    return {(state, stack[-1]) for state, stack in found}


@pytest.mark.parametrize("seed", range(10))
def test_weights_0_and_1_are_a_pushdown_automaton(seed):
    random = Random(seed)
    q, x = range(2), range(2)

    def some(keys):
        return {c: {key: 1 for key in keys if random.random() < 0.25} for c in "ab"}

    automaton = WeightedPushdownAutomaton(
        states=q,
        stack_symbols=x,
        input_symbols="ab",
        push=some(list(product(q, x, q, x))),
        replace=some(list(product(q, x, q, x))),
        pop=some(list(product(q, x, q))),
    )
    for word in map("".join, product("ab", repeat=5)):
        assert set(automaton.read(word, semiring="count").weights) == recognised(automaton, word)


def test_counts_are_those_of_runs():
    automaton = nondeterministic_reversal("a")
    for length in range(12):
        counted = Counter((state, stack[-1]) for state, stack, _ in automaton.runs("a" * length))
        assert automaton.read("a" * length, semiring="count").weights == counted


def test_forty_steps_of_two_states_and_three_symbols():
    """Exactly, and in a second or little more on any machine; 30,996 numbers are kept."""
    random = Random(1)
    q, x = range(2), range(3)
    stack = NondeterministicStack(states=2, symbols=3)
    began = time.perf_counter()
    for _ in range(40):
        stack = stack.step(
            push={key: mpq(random.randint(1, 9), 10) for key in product(q, x, q, x)},
            replace={key: mpq(random.randint(1, 9), 10) for key in product(q, x, q, x)},
            pop={key: mpq(random.randint(1, 9), 10) for key in product(q, x, q)},
        )
    assert time.perf_counter() - began < 20
    assert sum(stack.reading.values()) == 1
    kept = sum(len(row) for column in stack._columns for matrix in column for row in matrix.values())
    assert kept <= 41 * 42 // 2 * 36


# --- In formats.


@pytest.mark.parametrize("format", [xn.FLOAT64, xn.FLOAT32, xn.FLOAT16])
def test_shares_in_formats_are_close_to_the_exact_ones(format):
    automaton = random_automaton(Random(3), 2, 2)
    exactly, rounded = automaton.read("abbab").reading, automaton.read("abbab", arithmetic=format).reading
    assert exactly.keys() == rounded.keys()
    for pair, share in exactly.items():
        assert abs(share - mpq(rounded[pair])) < 200 * format.unit_roundoff


@pytest.mark.parametrize(("format", "dtype"), [(xn.FLOAT32, np.float32), (xn.FLOAT64, np.float64)])
def test_the_order_of_sums_is_that_of_a_plain_loop(format, dtype):
    """One state: the recurrence of the paper by numpy, over the times at which what is below was written."""
    rng = np.random.default_rng(2)
    steps = [rng.random(5).astype(dtype) for _ in range(9)]
    stack = NondeterministicStack(states=1, symbols=["bottom", "a"], arithmetic=format)
    g, base, top = {}, [dtype(1)], [{0: dtype(1)}]
    for t, (push0, push1, keep0, keep1, pop) in enumerate(steps, 1):
        stack = stack.step(
            push={(0, "bottom", 0, "a"): float(push0), (0, "a", 0, "a"): float(push1)},
            replace={(0, "bottom", 0, "bottom"): float(keep0), (0, "a", 0, "a"): float(keep1)},
            pop={(0, "a", 0): float(pop)},
        )
        popped = {(k, y): g[k, t - 1][y] * pop for k in range(t - 1) for y in g[k, t - 1]}
        for i in range(t):
            if i == t - 1:
                g[i, t] = {y: (push0, push1)[y] for y in top[i]}
                continue
            g[i, t] = {y: w * keep1 for y, w in g[i, t - 1].items()}
            for k in range(i + 1, t - 1):
                for y in g[i, k]:
                    if (k, 1) in popped:
                        g[i, t][y] = g[i, t].get(y, dtype(0)) + g[i, k][y] * popped[k, 1]
        total = base[-1] * keep0
        for k in range(t - 1):
            if (k, 0) in popped:
                total = total + base[k] * popped[k, 0]
        base.append(total)
        found = {0: total}
        for i in range(t):
            for y, w in top[i].items():
                if y in g[i, t]:
                    found[1] = found[1] + w * g[i, t][y] if 1 in found else w * g[i, t][y]
        top.append(found)
        assert [float(x) for x in stack.weights.values()] == [float(found[y]) for y in sorted(found)]


def test_logarithms_do_not_underflow():
    """With all weights 2^-20 float16 loses all runs in two steps, and their logarithms none."""
    actions = {
        "push": {(0, 0, 0, 1): mpq(1, 2**20), (0, 1, 0, 1): mpq(1, 2**20)},
        "pop": {(0, 1, 0): mpq(1, 2**20)},
    }
    plain = NondeterministicStack(states=1, symbols=2, arithmetic=xn.FLOAT16)
    logs = NondeterministicStack(states=1, symbols=2, arithmetic=xn.FLOAT16, semiring="log")
    exactly = NondeterministicStack(states=1, symbols=2)
    for _ in range(6):
        plain, logs, exactly = plain.step(**actions), logs.step(**actions), exactly.step(**actions)
    assert not any(plain.weights.values())
    for pair, share in exactly.reading.items():
        assert exp(logs.reading[pair]) == pytest.approx(float(share), rel=0.2)
    assert float(logs.total) == pytest.approx(log(float(exactly.total)), rel=0.01)


@pytest.mark.parametrize("format", [xn.FLOAT64, xn.FLOAT16, xn.BFLOAT16])
def test_logarithms_are_rounded_once(format):
    random = Random(str(format))
    for _ in range(50):
        weight = mpq(random.randint(1, 999), random.randint(1, 999))
        with gmpy2.context(precision=300):
            exactly = mpq(gmpy2.log(gmpy2.mpfr(weight)))
        assert log_of(weight, format) == format.rounded(exactly)
        x, y = (format.rounded(mpq(random.randint(-3000, 300), 100)) for _ in range(2))
        with gmpy2.context(precision=300):
            exactly = mpq(gmpy2.log(gmpy2.exp(gmpy2.mpfr(x)) + gmpy2.exp(gmpy2.mpfr(y))))
        assert log_of_sum(x, y, format) == format.rounded(exactly)
        assert log_of_sum(y, x, format) == log_of_sum(x, y, format)


def test_wrong_steps():
    stack = NondeterministicStack(states=["q"], symbols=["z", "a"])
    for call, error, message in (
        (lambda: stack.step(push={("q", "z", "q"): 1}), OptionError, "symbol"),
        (lambda: stack.step(push={("q", "z", "p", "a"): 1}), OptionError, "'p' is none of"),
        (lambda: stack.step(pop={("q", "a", "q"): -1}), OptionError, "at least 0"),
        (lambda: stack.step(pop={"qaq": 1}), OptionError, "next state"),
        (lambda: stack.step().reading, NumberError, "no run is left"),
        (lambda: NondeterministicStack(semiring="log"), OptionError, "no rational numbers"),
        (lambda: NondeterministicStack(semiring="max"), OptionError, "semiring='max'"),
        (lambda: NondeterministicStack(states=0), OptionError, "states=0"),
        (lambda: NondeterministicStack(states="qq"), OptionError, "different names"),
        (lambda: NondeterministicStack(states=30, symbols=30), OptionError, "pairs"),
        (lambda: NondeterministicStack(semiring="count").step(push={(0, 0, 0, 0): "1/2"}), OptionError, "whole number"),
    ):
        with pytest.raises(error, match=message):
            call()
    gone = NondeterministicStack(arithmetic=xn.FLOAT16, semiring="log").step()
    assert (gone.total, gone.weights, gone.reading) == (-inf, {}, {})
    assert stack.step(push={("q", "z", "q", "a"): 1}).as_table().rows == (("q", "a", "1", "1"),)
    assert "after 1 step" in repr(stack.step())


def test_wrong_automata(monkeypatch):
    parts = {"states": ["q"], "stack_symbols": ["z"], "input_symbols": "a"}
    for changes, message in (
        ({"states": []}, "one at least"),
        ({"input_symbols": "aa"}, "different names"),
        ({"push": {"b": {}}}, "symbol 'b'"),
        ({"push": {"a": {("q", "z", "q", "y"): 1}}}, "'y' is none of"),
        ({"final": {("q", "y"): 1}}, "pairs of a state"),
    ):
        with pytest.raises(MachineError, match=message):
            WeightedPushdownAutomaton(**(parts | changes))
    reversal = nondeterministic_reversal()
    with pytest.raises(WordError, match="'c'"):
        reversal.read("abc")
    with pytest.raises(OptionError, match="bottom"):
        nondeterministic_reversal(["bottom"])
    wild = random_automaton(Random(1), 2, 3, 1.0)
    monkeypatch.setattr(weighted_pushdown_automaton, "MOST_RUNS", 10_000)
    with pytest.raises(SizeLimitError, match="use weight or read"):
        list(wild.runs("ab" * 20))
    assert reversal.as_table().rows


@given(weighted_pushdown_automata(), st.text("ab", max_size=3))
def test_any_automaton_is_the_sum_of_its_runs(automaton, word):
    word = "".join(a for a in word if a in automaton.input_symbols)
    total = sum((w * automaton.final[state, stack[-1]] for state, stack, w in automaton.runs(word)), mpq(0))
    assert automaton.weight(word) == total
    assert automaton.read(word).total == sum((w for _, _, w in automaton.runs(word)), mpq(0))


def test_a_logarithm_may_be_0_or_infinite():
    """The weight 1 has the logarithm 0, and is that of a run; beyond the largest number logarithms are infinite."""
    reversal = nondeterministic_reversal()
    found = reversal.read("abba", semiring="log", arithmetic=xn.FLOAT64).weights
    assert found == {("push", "a"): 0.0, ("pop", "bottom"): 0.0}
    for format in (xn.FLOAT16, xn.FLOAT8_E4M3):
        assert log_of_sum(inf, mpq(1), format) == inf
        assert log_of_sum(-inf, mpq(1), format) == log_of_sum(mpq(1), -inf, format) == 1
        assert log_of_sum(-inf, -inf, format) == -inf
        assert log_of_sum(float("nan"), inf, format) != log_of_sum(float("nan"), inf, format)
    tiny = mpq(1, 10**9000)
    stack = NondeterministicStack(states=1, symbols=["$", "a"], semiring="log", arithmetic=xn.FLOAT16)
    for _ in range(12):
        stack = stack.step(
            replace={(0, "$", 0, "$"): tiny, (0, "a", 0, "a"): tiny},
            push={(0, "$", 0, "a"): tiny, (0, "a", 0, "a"): 1},
            pop={(0, "a", 0): tiny},
        )
        assert stack.total == stack.total
    assert stack.weights


def test_negative_weights_of_ends_are_refused():
    with pytest.raises(MachineError, match="is negative"):
        WeightedPushdownAutomaton(states=["q"], stack_symbols=["$"], input_symbols="a", final={("q", "$"): -1})
