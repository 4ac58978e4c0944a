"""Networks of weighted pushdown automata: beside the recurrence and the sums over all runs, exactly and in formats."""

from itertools import product
from math import isfinite

import pytest
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import WeightedPushdownAutomaton, nondeterministic_reversal
from exactnn.constructions import nondeterministic_stack_rnn
from exactnn.errors import ConstructionError, OptionError, SizeLimitError
from exactnn.outcome import Outcome
from exactnn.simulation import executor_for
from exactnn.strategies import weighted_pushdown_automata

FORMATS = [xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16]


def plain(weights):
    return {pair: mpq(weight) for pair, weight in weights.items()}


@given(weighted_pushdown_automata(), st.text("ab", max_size=4), st.integers(4, 6))
def test_the_weights_of_all_runs(automaton, word, span):
    """After each symbol and after EOS, from enumerated runs; and the verdict."""
    word = [a for a in word if a in automaton.input_symbols]
    compiled = nondeterministic_stack_rnn(automaton, span=span)
    found = xn.run(compiled, word, arithmetic=xn.RATIONAL, record="all")
    states = list(found.trace)
    for k, state in enumerate(states):
        expected, total = {}, mpq(0)
        for end, stack, weight in automaton.runs(word[:k]):
            expected[end, stack[-1]] = expected.get((end, stack[-1]), mpq(0)) + weight
            total += weight * automaton.final.get((end, stack[-1]), mpq(0))
        assert compiled.decode(state) == expected
    assert found.outcome is (Outcome.ACCEPTED if total else Outcome.REJECTED)
    assert found.steps == len(word) + 1


@pytest.mark.parametrize("format", FORMATS, ids=str)
@given(weighted_pushdown_automata(), st.text("ab", max_size=6))
def test_the_same_operations_as_the_stack(format, automaton, word):
    """In a format the weights are those of `NondeterministicStack`, to the last bit, as long as all are finite."""
    word = [a for a in word if a in automaton.input_symbols]
    compiled = nondeterministic_stack_rnn(automaton, span=6)
    found = compiled.decode(xn.run(compiled, word, arithmetic=format).final_state)
    expected = automaton.read(word, arithmetic=format).weights
    if all(isfinite(weight) for weight in [*expected.values(), *found.values()]):
        assert plain(found) == plain(expected)


COUNTED = WeightedPushdownAutomaton(
    states="q", stack_symbols="$x", input_symbols="ab",
    push={"a": {("q", "$", "q", "x"): 1, ("q", "x", "q", "x"): 1}}, pop={"a": {("q", "x", "q"): 1}},
    final={("q", "$"): 1, ("q", "x"): 1},
)  # fmt: skip
"""It pushes or pops with each a."""


@given(weighted_pushdown_automata(), st.text("ab", max_size=7), st.integers(1, 6))
@example(nondeterministic_reversal(), "aaaaaaa", 2)
@example(nondeterministic_reversal(), "a" * 10, 7)
@example(COUNTED, "aaa", 1)
@example(COUNTED, "aaaa", 1)
def test_a_run_beyond_the_span_is_never_lost_in_silence(automaton, word, span):
    """Either nothing differs from the unlimited stack, or the outcome is "stack full"."""
    word = [a for a in word if a in automaton.input_symbols]
    compiled = nondeterministic_stack_rnn(automaton, span=span)
    found = xn.run(compiled, word, arithmetic=xn.RATIONAL)
    if found.outcome is Outcome.STACK_FULL:
        assert len(word) > span
    else:
        assert plain(compiled.decode(found.final_state)) == plain(automaton.read(word).weights)


@pytest.mark.parametrize(
    ("machine", "span", "word"),
    [
        ("random-brackets", 16, "(" + "()" * 7 + "(())" + ")"),
        ("random-brackets", 4, "(()(()))"),
        ("random-brackets", 5, "(((())))"),
        ("unmarked-reversal", 3, "aaaaaa"),
        ("equal-neighbours", 1, "aabb"),
    ],
)
def test_runs_that_pass_the_span_in_one_step_are_told(machine, span, word):
    """What is exposed was covered long ago: it was used before the span was over, and is used again after."""
    automaton = xn.load(machine)
    assert automaton.weight(word) > 0
    compiled = nondeterministic_stack_rnn(automaton, span=span)
    for arithmetic in (xn.EXACT, xn.FLOAT32, xn.BFLOAT16):
        assert xn.run(compiled, word, arithmetic=arithmetic).outcome is Outcome.STACK_FULL
    long = nondeterministic_stack_rnn(automaton, span=len(word))
    assert xn.run(long, word).outcome is Outcome.ACCEPTED


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["unmarked-reversal", "equal-neighbours", "random-brackets", "rna-pairs"])
def test_all_short_words_with_all_short_spans(machine):
    automaton = xn.load(machine)
    longest = {2: 9, 3: 7, 4: 5}[len(automaton.input_symbols)]
    for span in range(1, 6):
        compiled = nondeterministic_stack_rnn(automaton, span=span)
        for word in (word for length in range(longest) for word in product(automaton.input_symbols, repeat=length)):
            found = xn.run(compiled, word, arithmetic=xn.RATIONAL)
            if found.outcome is not Outcome.STACK_FULL:
                assert plain(compiled.decode(found.final_state)) == plain(automaton.read(word).weights), (span, word)
                assert found.outcome is (Outcome.ACCEPTED if automaton.weight(word) else Outcome.REJECTED)


@pytest.mark.parametrize(("arithmetic", "longest"), [(xn.EXACT, 4), (xn.FLOAT16, 7)], ids=str)
def test_words_and_their_reverse(arithmetic, longest):
    """All words of up to seven symbols, 255, exactly of up to four: the network guesses the middle."""
    compiled = nondeterministic_stack_rnn(nondeterministic_reversal(), span=longest)
    for length in range(longest + 1):
        for word in map("".join, product("ab", repeat=length)):
            half = word[: length // 2]
            belongs = bool(word) and word == half + half[::-1]
            assert xn.run(compiled, word, arithmetic=arithmetic).verdict == ("accept" if belongs else "reject"), word


@given(weighted_pushdown_automata(), st.text("ab", max_size=3), st.sampled_from("ab"))
def test_decoding_commutes_with_reading(automaton, word, symbol):
    """A step of the network from the state after a word is a step of the stack."""
    word = [a for a in word if a in automaton.input_symbols]
    if symbol not in automaton.input_symbols:
        return
    compiled = nondeterministic_stack_rnn(automaton, span=5)
    executor = executor_for(compiled.network, xn.RATIONAL)
    state = compiled.network.initial_state
    for read in compiled.network.inputs([*word, symbol]):
        state = executor.advance(state, read, 1, until_decided=False).state
    assert compiled.decode(state) == automaton.read([*word, symbol]).weights


def test_runs_with_a_long_span_that_weigh_nothing_are_not_lost():
    """Only the first state pushes, and b leaves it: what the other state would do above has no weight."""
    automaton = WeightedPushdownAutomaton(
        states="pq", stack_symbols=["bottom", "a"], input_symbols="ab",
        push={"a": {("q", "bottom", "q", "a"): 1}}, replace={"b": {("p", "bottom", "p", "bottom"): 1}},
        pop={"b": {("q", "a", "q"): 1}}, final={("p", "bottom"): 1},
    )  # fmt: skip
    compiled = nondeterministic_stack_rnn(automaton, span=1)
    assert xn.run(compiled, "bbbb").outcome is Outcome.ACCEPTED
    assert xn.run(compiled, "abbb").outcome is Outcome.REJECTED


def test_files_and_automata(tmp_path):
    """A network like any other: saved, and extracted as a finite automaton in a format of 8 bits."""
    compiled = nondeterministic_stack_rnn(nondeterministic_reversal("a"), span=3)
    xn.save_network(compiled.network, tmp_path / "net.json")
    assert xn.load_network(tmp_path / "net.json") == compiled.network
    assert repr(compiled) == "<PushdownNetwork nondeterministic_stack_rnn(nondeterministic reversal): 50 neurons>"


def test_wrong_automata_and_spans_are_refused():
    reversal = nondeterministic_reversal()
    with pytest.raises(ConstructionError, match="no WeightedPushdownAutomaton"):
        nondeterministic_stack_rnn("wwr")
    with pytest.raises(ConstructionError, match="EOS"):
        nondeterministic_stack_rnn(nondeterministic_reversal(["EOS", "a"]))
    with pytest.raises(OptionError, match="span=0"):
        nondeterministic_stack_rnn(reversal, span=0)
    with pytest.raises(SizeLimitError, match="products in a step"):
        nondeterministic_stack_rnn(reversal, span=1000)
    compiled = nondeterministic_stack_rnn(reversal, span=2)
    with pytest.raises(ConstructionError, match="a state of"):
        compiled.decode((0, 1))


def test_a_run_that_is_lost_is_told_where_its_weight_is_too_small_for_the_format():
    """In float16 the product of two small weights is 0, but the run that they are of grows again."""
    automaton = WeightedPushdownAutomaton(
        states=["q"], stack_symbols=["$", "x"], input_symbols="spkr",
        push={"p": {("q", "$", "q", "x"): "1/16384"}},
        replace={
            "s": {("q", "$", "q", "$"): "1/16384"}, "k": {("q", "x", "q", "x"): 1}, "r": {("q", "x", "q", "x"): 16384}
        },
        final={("q", "x"): 1},
    )  # fmt: skip
    assert automaton.weight("spkkr", arithmetic=xn.FLOAT16) == mpq(1, 16384)
    for arithmetic in (xn.FLOAT16, xn.EXACT):
        small = nondeterministic_stack_rnn(automaton, span=2)
        assert xn.run(small, "spkkr", arithmetic=arithmetic).outcome is Outcome.STACK_FULL
        large = nondeterministic_stack_rnn(automaton, span=8)
        assert xn.run(large, "spkkr", arithmetic=arithmetic).outcome is Outcome.ACCEPTED
