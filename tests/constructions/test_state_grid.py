"""Automata in few units: how many there are, what they may be, and automata with many states."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dfas

from exactnn.arithmetic import FLOAT16, FLOAT32, FLOAT64, RATIONAL, FloatFormat
from exactnn.automata import DFA, LOST, interpret
from exactnn.constructions import minsky, state_grid
from exactnn.networks import Activation
from exactnn.simulation import advance_by, executor_for, run


def random_dfa(states, letters, seed):
    rng = random.Random(seed)
    return DFA(
        states=range(states),
        input_symbols=letters,
        transitions={q: {a: rng.randrange(states) for a in letters} for q in range(states)},
        initial_state=rng.randrange(states),
        final_states=[q for q in range(states) if rng.random() < 0.3],
    )


def least_units(states, letters):
    """Return the smallest (letters + 1) C + R - 2 of all grids with R C >= states."""
    return min((letters + 1) * c + max(2, math.ceil(states / c)) - 2 for c in range(1, states + 1))


@settings(max_examples=66)
@given(dfa=dfas(max_states=40, max_symbols=5))
def test_the_number_of_units_is_the_smallest_of_all_grids(dfa):
    states, letters = len(dfa.states), len(dfa.input_symbols)
    circuit = state_grid(dfa).network.circuit
    assert circuit.units == least_units(states, letters) <= 2 * math.sqrt((letters + 1) * states) + letters
    assert {unit.activation for layer in circuit.layers for unit in layer} == {Activation.SLU}
    assert len(circuit.layers) <= 3


@pytest.mark.parametrize(
    ("states", "letters", "units", "minsky_units"), [(100, "a", 27, 101), (400, "ab", 68, 801), (2500, "ab", 172, 5001)]
)
def test_sizes(states, letters, units, minsky_units):
    dfa = random_dfa(states, letters, states)
    assert state_grid(dfa).network.circuit.units == units
    assert 1 + states * len(letters) == minsky_units == minsky(dfa).network.circuit.units


@pytest.mark.parametrize("states", [1, 2, 3, 4, 5, 16, 17, 99, 256])
@pytest.mark.parametrize("letters", ["a", "abc"])
def test_the_square_in_every_state(states, letters):
    """All pairs of a state and a letter, also of automata with many states."""
    dfa = random_dfa(states, letters, 7 * states)
    construction = state_grid(dfa)
    executor = executor_for(construction.network, RATIONAL)
    for q in dfa.states:
        for number, a in enumerate(dfa.input_symbols):
            segment = advance_by(executor, construction.encode(q), number, 1)
            following = dfa.transitions[q][a]
            assert construction.decode(segment.state) == following
            assert set(segment.state) <= {0, 1}
            output = segment.outputs[-1][0]
            assert output >= 1 if following in dfa.final_states else output <= 0


@settings(max_examples=66)
@given(dfa=dfas(max_states=30, max_symbols=3), data=st.data())
def test_words(dfa, data):
    word = data.draw(st.lists(st.sampled_from(dfa.input_symbols), max_size=30))
    construction = state_grid(dfa)
    result = run(construction, word)
    direct = interpret(dfa, word)
    assert (result.verdict, construction.decode(result.final_state)) == (direct.verdict, direct.configuration)


@pytest.mark.parametrize("format", [FLOAT64, FLOAT32, FLOAT16], ids=str)
def test_floats_with_as_many_bits_as_a_state_has_are_exact(format):
    dfa = random_dfa(200, "ab", 5)
    construction = state_grid(dfa)
    word = random.Random(6).choices("ab", k=300)
    exact, rounded = (run(construction, word, arithmetic=a, record="all") for a in (RATIONAL, format))
    assert list(exact.trace) == [tuple(state) for state in rounded.trace]


def test_two_bits_more_than_a_number_has_are_enough_in_every_order_and_fewer_are_not():
    wrong = 0
    for seed, size in enumerate((2, 3, 5, 12, 16, 20, 28, 30)):
        dfa = random_dfa(size, "abc"[: 1 + seed % 3], seed)
        construction, bits = state_grid(dfa), (size - 1).bit_length()
        word = random.Random(seed).choices(dfa.input_symbols, k=12)
        exact = run(construction, word, record="all").trace
        for summation in ("bias first", "bias last", "pairwise"):
            traces = [
                run(construction, word, arithmetic=format, record="all").trace
                for format in (
                    FloatFormat(precision=max(2, bits + more), exponent_bits=8, summation=summation) for more in (0, 2)
                )
            ]
            wrong += list(exact) != list(traces[0])
            assert [tuple(state) for state in exact] == [tuple(state) for state in traces[1]]
    assert wrong


def test_broken_thermometers_and_empty_places_are_lost():
    construction = state_grid(random_dfa(7, "a", 1))
    assert construction.network.neurons == 4  # four rows and two columns: eight places for seven states
    assert construction.decode((0, 1, 0, 0)) == LOST  # row 2 without row 1
    assert construction.decode((1, 1, 1, 1)) == LOST  # the eighth place
    assert construction.decode((1, 1, 1, 0)) in range(7)
