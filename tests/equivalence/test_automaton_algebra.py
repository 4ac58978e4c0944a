"""Products, complements and minimal automata against automata-lib, and against the verdicts on all short words."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_automata import words_up_to
from strategies import dfas, moore_machines

from exactnn.automata import DFA, MooreMachine, interpret, output_word
from exactnn.equivalence import (
    complement,
    difference,
    distinguishing_word,
    intersection,
    is_empty,
    minimal,
    product,
    shortest_accepted_word,
    symmetric_difference,
    union,
)
from exactnn.errors import MachineError, OptionError
from exactnn.machine_files import from_automata_lib, load, to_automata_lib

BINARY = {
    "union": (union, lambda p, q: p or q),
    "intersection": (intersection, lambda p, q: p and q),
    "difference": (difference, lambda p, q: p and not q),
    "symmetric_difference": (symmetric_difference, lambda p, q: p != q),
}
DFAS = dfas(max_symbols=2)
PAIRS = DFAS.flatmap(lambda dfa: st.tuples(st.just(dfa), dfas(symbols=dfa.input_symbols)))
MOORE_PAIRS = moore_machines(max_symbols=2).flatmap(
    lambda machine: st.tuples(st.just(machine), moore_machines(symbols=machine.input_symbols))
)


def accepts(dfa, word):
    return interpret(dfa, word).verdict == "accept"


def random_dfa(seed, states, symbols="ab"):
    rng = random.Random(seed)
    names = [f"q{i}" for i in range(states)]
    return DFA(
        states=names,
        input_symbols=symbols,
        transitions={q: {a: rng.choice(names) for a in symbols} for q in names},
        initial_state=rng.choice(names),
        final_states=[q for q in names if rng.random() < 0.5],
    )


@pytest.mark.parametrize("operation", BINARY)
@given(pair=PAIRS)
def test_a_combination_accepts_what_its_name_says(operation, pair):
    combine, verdict = BINARY[operation]
    combined = combine(*pair)
    for word in words_up_to(pair[0].input_symbols, 5):
        assert accepts(combined, word) == verdict(*(accepts(dfa, word) for dfa in pair))


@pytest.mark.parametrize("operation", BINARY)
@given(pair=PAIRS)
def test_a_combination_is_that_of_automata_lib(operation, pair):
    first, second = map(to_automata_lib, pair)
    theirs = getattr(first, operation)(second, minify=False)
    ours = BINARY[operation][0](*pair)
    assert len(ours.states) == len(theirs.states)
    assert to_automata_lib(ours) == theirs
    in_order = replace(ours, input_symbols=tuple(sorted(ours.input_symbols)))  # automata-lib has none
    assert minimal(from_automata_lib(theirs)) == minimal(in_order)
    assert len(minimal(ours).states) == len(theirs.minify().states)


@given(DFAS)
def test_the_complement_is_that_of_automata_lib(dfa):
    other = complement(dfa)
    assert to_automata_lib(other) == to_automata_lib(dfa).complement()
    assert other.states == dfa.states
    assert complement(other).final_states == tuple(q for q in dfa.states if q in dfa.final_states)


@given(st.one_of(DFAS, dfas(max_states=12)))
def test_the_minimal_dfa_is_that_of_automata_lib(dfa):
    theirs = to_automata_lib(dfa).minify()
    ours = minimal(dfa)
    assert len(ours.states) == len(theirs.states)
    assert to_automata_lib(ours) == theirs
    assert ours.states == tuple(map(str, range(len(ours.states))))
    assert ours.name == "minimal"


@pytest.mark.parametrize("seed", range(12))
def test_large_random_automata_are_those_of_automata_lib(seed):
    """Up to 200 states; a pair of automata that differ late has a long witness."""
    size = random.Random(seed).choice([20, 60, 200])
    first = random_dfa(seed, size)
    second = random_dfa(seed + 100, 10)
    theirs = to_automata_lib(first)
    assert len(minimal(first).states) == len(theirs.minify().states)
    for operation, (combine, _) in BINARY.items():
        other = getattr(theirs, operation)(to_automata_lib(second), minify=False)
        ours = combine(first, second)
        assert len(ours.states) == len(other.states)
        assert is_empty(ours) == other.isempty()
        if not is_empty(ours):
            assert len(shortest_accepted_word(ours)) == other.minimum_word_length()


@given(PAIRS)
def test_a_distinguishing_word_is_a_shortest_one_of_the_symmetric_difference(pair):
    word = distinguishing_word(*pair)
    apart = symmetric_difference(*pair)
    assert (word is None) == (to_automata_lib(pair[0]) == to_automata_lib(pair[1])) == is_empty(apart)
    if word is not None:
        assert accepts(pair[0], word) != accepts(pair[1], word)
        assert len(word) == len(shortest_accepted_word(apart)) == to_automata_lib(apart).minimum_word_length()


@given(DFAS)
def test_the_shortest_accepted_word_is_the_first_of_all_words(dfa):
    first = next((word for word in words_up_to(dfa.input_symbols, len(dfa.states)) if accepts(dfa, word)), None)
    assert shortest_accepted_word(dfa) == first
    assert is_empty(dfa) == (first is None) == to_automata_lib(dfa).isempty()


@given(PAIRS)
def test_minimal_automata_are_equal_if_and_only_if_the_languages_are(pair):
    assert (minimal(pair[0]) == minimal(pair[1])) == (distinguishing_word(*pair) is None)


@given(moore_machines(max_symbols=2))
def test_the_minimal_moore_machine_has_the_same_outputs(machine):
    smaller = minimal(machine)
    for word in words_up_to(machine.input_symbols, 5):
        assert output_word(smaller, word) == output_word(machine, word)
    assert distinguishing_word(machine, smaller) is None
    assert minimal(smaller) == smaller


@given(MOORE_PAIRS)
def test_the_product_of_moore_machines_gives_both_outputs(pair):
    first, second = pair
    pairs = product(first, second)
    assert isinstance(pairs, MooreMachine)
    for word in words_up_to(first.input_symbols, 5):
        assert output_word(pairs, word)[-1] == (output_word(first, word)[-1], output_word(second, word)[-1])
    same = product(first, second, accept=lambda p, q: p == q)
    apart = shortest_accepted_word(complement(same))
    witness = distinguishing_word(first, second)
    assert (None if apart is None else len(apart)) == (None if witness is None else len(witness))


def test_a_dfa_can_be_compared_with_a_moore_machine():
    parity = load("parity")
    twin = MooreMachine(
        states=parity.states,
        input_symbols=parity.input_symbols,
        transitions=parity.transitions,
        initial_state=parity.initial_state,
        outputs={q: q in parity.final_states for q in parity.states},
    )
    assert distinguishing_word(parity, twin) is None
    assert distinguishing_word(complement(parity), twin) == ()


def test_the_order_of_symbols_does_not_matter_and_the_first_decides():
    first, second = random_dfa(1, 8, "ab"), random_dfa(2, 8, "ba")
    assert intersection(first, second).input_symbols == ("a", "b")
    assert distinguishing_word(intersection(first, second), intersection(second, first)) is None


def test_symbols_of_several_characters_stay_whole():
    move = {"even": {"up": "odd", "down": "even"}, "odd": {"up": "even", "down": "odd"}}
    dfa = DFA(
        states=["even", "odd"],
        input_symbols=["down", "up"],
        transitions=move,
        initial_state="even",
        final_states=["odd"],
    )
    assert shortest_accepted_word(minimal(dfa)) == ("up",)
    assert distinguishing_word(dfa, complement(dfa)) == ()


def test_results_depend_on_nothing_but_the_automata():
    first, second = random_dfa(5, 9), random_dfa(6, 9)
    union_of_both = union(first, second)
    assert union_of_both == union(first, second)
    assert union_of_both.states == tuple(map(str, range(len(union_of_both.states))))
    assert union_of_both.name == "union"


def test_automata_without_symbols_read_the_empty_word_only():
    yes, no = (
        DFA(states="pq", input_symbols=[], transitions={}, initial_state="p", final_states=final)
        for final in ("p", "q")
    )
    assert minimal(yes).states == union(yes, no).states == ("0",)
    assert (shortest_accepted_word(yes), shortest_accepted_word(intersection(yes, no))) == ((), None)
    assert (distinguishing_word(yes, no), distinguishing_word(yes, yes)) == ((), None)


@pytest.mark.parametrize("operation", [*BINARY.values(), (product, None), (distinguishing_word, None)])
def test_other_symbols_are_refused(operation):
    with pytest.raises(OptionError, match="symbol 'b' is of the first automaton only"):
        operation[0](random_dfa(1, 3, "ab"), random_dfa(1, 3, "a"))


@pytest.mark.parametrize("thing", [None, "parity", load("bb2")], ids=["None", "text", "Turing machine"])
def test_what_is_no_automaton_is_refused(thing):
    dfa = random_dfa(1, 3)
    for operation, _ in BINARY.values():
        with pytest.raises(MachineError, match="give a DFA"):
            operation(dfa, thing)
        with pytest.raises(MachineError, match="give a DFA"):
            operation(thing, dfa)
    for function in (minimal, complement, is_empty, shortest_accepted_word):
        with pytest.raises(MachineError, match="give a DFA"):
            function(thing)


def test_acceptance_is_of_dfas_only():
    machine = MooreMachine(
        states="q", input_symbols="a", transitions={"q": {"a": "q"}}, initial_state="q", outputs={"q": 1}
    )
    with pytest.raises(MachineError, match="it is a MooreMachine: give a DFA"):
        complement(machine)
