"""Automata compiled by every construction that takes them: the network says of every word what the automaton says."""

from itertools import islice, product

import pytest
from every_construction import OF_DFAS, PARITY, every
from gmpy2 import mpq
from hypothesis import given
from strategies import dfas

from exactnn.automata import DFA, LOST, configurations, interpret
from exactnn.constructions import state_grid
from exactnn.errors import ConstructionError
from exactnn.machine_files import load
from exactnn.networks import Protocol
from exactnn.simulation import run

EXACT = type(mpq(0))


def short_words(alphabet):
    """Yield all words, the shortest first, until there are more than a hundred or they have six symbols."""
    lengths = (product(alphabet, repeat=n) for n in range(7))
    return islice((word for some in lengths for word in some), 120)


@every(OF_DFAS)
@given(dfa=dfas())
def test_every_short_word(compiled, dfa):
    construction = compiled(dfa)
    threshold = construction.network.decision.threshold
    for word in short_words(dfa.input_symbols):
        direct = interpret(dfa, word)
        result = run(construction, word, record="all")
        assert result.outcome is direct.outcome
        assert (result.steps, result.eos_steps, result.machine_steps) == (len(word), 0, len(word))
        assert [construction.decode(state) for state in result.trace] == list(configurations(dfa, word))
        prefixes = [interpret(dfa, word[:n]).verdict.value == "accept" for n in range(len(word) + 1)]
        assert [y > threshold for y in (result.initial_output, *result.outputs)] == prefixes
        assert {type(x) for state in result.trace for x in state} == {EXACT}
    assert len(list(short_words(dfa.input_symbols))) >= 7


@every(OF_DFAS)
def test_the_protocol_is_that_of_recognisers_without_eos(compiled):
    construction = compiled(PARITY)
    assert construction.network.decision.protocol is Protocol.END_OF_WORD
    assert construction.set_up == (0, 0)
    assert construction.steps_per_move == 1


@every(OF_DFAS)
def test_an_alphabet_without_symbols_has_the_empty_word_only(compiled):
    for final in ([], ["p"]):
        dfa = DFA(states=["p"], input_symbols=[], transitions={}, initial_state="p", final_states=final)
        result = run(compiled(dfa))
        assert (result.steps, result.verdict) == (0, "accept" if final else "reject")


@every(OF_DFAS)
def test_what_is_no_state_cannot_be_encoded(compiled):
    with pytest.raises(ConstructionError, match="'neither' is not a state"):
        compiled(PARITY).encode("neither")


@every(OF_DFAS)
def test_there_is_no_tape(compiled):
    construction = compiled(PARITY)
    state = run(construction, "101").final_state
    assert construction.nonblank(state) is None
    assert construction.extent(state) is None


@every(OF_DFAS)
def test_a_state_that_stands_for_nothing_is_lost(compiled):
    construction = compiled(PARITY)
    for value in (0, float("nan"), mpq(-3)):
        if value != 0 or compiled is not state_grid:  # there zeros are the state with the number 0
            assert construction.decode((value,) * construction.network.neurons) == LOST


@every(OF_DFAS)
def test_a_state_of_the_wrong_size_is_refused(compiled):
    with pytest.raises(ConstructionError, match=r"\[1, 2\] has 2 numbers"):
        compiled(load("divisible-by-7")).decode([1, 2])
