"""Codecs: automata whose states are indicated by units, with or without a start unit; what every codec must have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dfas

from exactnn.automata import LOST
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.construction import Codec
from exactnn.constructions.finite_automata import StateCodec
from exactnn.errors import ConstructionError


@given(dfas())
def test_one_unit_per_state(dfa):
    codec = StateCodec(dfa, dfa.states, {q: var(q) for q in dfa.states})
    for number, q in enumerate(dfa.states):
        assert codec.encode(q) == tuple(int(i == number) for i in range(len(dfa.states)))
        assert codec.decode(codec.encode(q)) == q
    assert codec.decode((0,) * len(dfa.states)) is LOST
    assert (codec.extent(()), codec.nonblank(())) == (None, None)


@given(dfas(), st.integers(1, 3))
def test_any_of_several_units_indicates_a_state_and_the_first_is_written(dfa, copies):
    units = [(copy, q) for copy in range(copies) for q in dfa.states]
    codec = StateCodec(dfa, units, {q: total(var((copy, q)) for copy in range(copies)) for q in dfa.states})
    for number, (copy, q) in enumerate(units):
        state = tuple(int(i == number) for i in range(len(units)))
        assert codec.decode(state) == q
        assert (codec.encode(q) == state) == (copy == 0)


@given(dfas())
def test_a_state_without_units_cannot_be_written(dfa):
    codec = StateCodec(dfa, (), {q: Affine({}) for q in dfa.states})
    with pytest.raises(ConstructionError, match="'q0' is never entered"):
        codec.encode("q0")


def test_a_codec_without_decode_is_noticed_where_it_is_made():
    class Deaf(Codec):
        def encode(self, configuration):
            return ()

    with pytest.raises(TypeError, match="decode"):
        Deaf()
