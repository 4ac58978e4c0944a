"""Languages as a unit of a simple RNN: the chain condition beside the language itself, and beside search."""

from itertools import product

import pytest
from hypothesis import given

import exactnn as xn
from exactnn.automata import interpret
from exactnn.constructions import own_unit
from exactnn.constructions.literal_book import literal_dfa
from exactnn.errors import ConstructionError
from exactnn.strategies import dfas


def words(alphabet, most):
    return ["".join(word) for length in range(most + 1) for word in product(alphabet, repeat=length)]


def accepts(dfa, word):
    return bool(interpret(dfa, word).verdict)


@given(dfas())
def test_a_network_or_a_reason(dfa):
    """All words of up to five symbols: the last unit is the language, at each step; or four words say why not."""
    found = own_unit(dfa)
    if found.witness is not None:
        u, v, a, b = found.witness
        assert [accepts(dfa, word) for word in ((*u, a), (*v, b), (*u, b), (*v, a))] == [True, True, False, False]
        assert not found
        assert found.network is None
        return
    assert found
    for length in range(6 if len(dfa.input_symbols) < 3 else 4):
        for word in product(dfa.input_symbols, repeat=length):
            run = xn.run(found.network, word, arithmetic=xn.RATIONAL)
            assert run.final_state[-1] == int(accepts(dfa, word))
            assert bool(run.verdict) is accepts(dfa, word)


def one_unit(weights, word):
    v, zero, one, bias, start = weights
    h = start
    for symbol in word:
        h = min(1, max(0, v * h + (one if symbol == "1" else zero) + bias))
        yield h


def test_no_network_of_one_unit_or_two_has_parity():
    """By search over all weights from -2 to 2 and from -1 to 1: after some word no unit is what it should be."""
    tests = words("01", 3)[1:]
    for weights in product(range(-2, 3), repeat=5):
        assert any(list(one_unit(weights, word))[-1] != word.count("1") % 2 for word in tests)
    shorter = ["0", "1", "10", "11", "01"]
    signs = (-1, 0, 1)
    for v, w, zero, one, bias, start in product(signs, signs, signs, signs, signs, (0, 1)):
        for other in product(signs, repeat=5):  # the second unit: two recurrent weights, two inputs, a bias
            for word in shorter:
                h, g = start, 0
                for symbol in word:
                    bit = symbol == "1"
                    h, g = (
                        min(1, max(0, v * h + w * g + (one if bit else zero) + bias)),
                        min(1, max(0, other[0] * h + other[1] * g + (other[2] if bit else other[3]) + other[4])),
                    )
                if h != word.count("1") % 2:
                    break
            else:
                pytest.fail(f"{v, w, zero, one, bias, start, other}")


def test_parity_beside_five_units_with_an_output_layer():
    parity = xn.load("parity")
    assert own_unit(parity).witness == ((), ("1",), "1", "0")
    assert "none, since" in repr(own_unit(parity))
    assert xn.compile(parity).network.neurons == 5
    assert "none, since" in str(own_unit(parity).as_table())


@given(dfas())
def test_the_attempt_with_two_layers(dfa):
    """It is the automaton, on all short words; folded it takes two steps for each symbol."""
    network = literal_dfa(dfa)
    assert len(network.circuit.layers) == 2
    folded = xn.fold_network(network)
    assert folded.steps_per_step == 2
    for length in range(4):
        for word in product(dfa.input_symbols, repeat=length):
            assert bool(xn.run(network, word).verdict) is accepts(dfa, word)


def test_no_automaton():
    with pytest.raises(ConstructionError, match="own_unit compiles a DFA"):
        own_unit(xn.load("palindrome"))
