"""Classifiers with verdicts, and with classes: those of the largest output, exactly and in formats."""

from dataclasses import replace
from itertools import product
from math import inf

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import OptionError
from exactnn.networks import Protocol, Unit, as_acceptor, as_classifier
from exactnn.strategies import networks

FORMATS = ["rational", "exact", "float16", "float8_e4m3", "p3e4", "q4.3"]


@st.composite
def classifiers(draw):
    """Networks that read two letters, with two to four outputs."""
    network = draw(networks(protocols=[Protocol.OUTPUTS], max_state=3, max_input=2).filter(lambda n: n.alphabet))
    weights = st.sampled_from([mpq(x) for x in ("0", "1", "-1", "1/3", "-3/4", "2")])
    size = network.circuit.state_size
    rows = draw(st.lists(st.lists(weights, min_size=size + 1, max_size=size + 1), min_size=2, max_size=4))
    readout = tuple(Unit(name="y", bias=bias, linear=tuple(enumerate(row))) for bias, *row in rows)
    return replace(network, readout=readout, scalar_output=False)


def is_largest(output, number):
    return all(output[number] > other for i, other in enumerate(output) if i != number)


@given(data=st.data())
def test_it_accepts_where_the_output_is_the_largest(data):
    network = data.draw(classifiers())
    number = data.draw(st.integers(0, len(network.readout) - 1))
    acceptor = as_acceptor(network, number)
    assert acceptor.circuit.input_size == network.circuit.input_size
    for arithmetic in FORMATS:
        for word in product(network.alphabet, repeat=3):
            try:
                outputs = xn.run(network, word, arithmetic=arithmetic).outputs
            except xn.errors.UnsupportedArithmeticError:
                break  # a weight beyond the numbers of q4.3
            for length in range(1, 4):
                verdict = xn.run(acceptor, word[:length], arithmetic=arithmetic).outcome
                output = outputs[length - 1]
                if any(x != x for x in output) or any(abs(x) == inf for x in output):
                    continue  # equal infinities, of which the difference is NaN
                expected = xn.Outcome.ACCEPTED if is_largest(output, number) else xn.Outcome.REJECTED
                assert verdict is expected, (arithmetic, word[:length], output)


@given(data=st.data())
def test_the_largest_output_is_1_and_all_others_are_0(data):
    network = data.draw(classifiers())
    classifier = as_classifier(network)
    for arithmetic in FORMATS:
        for word in product(network.alphabet, repeat=3):
            try:
                outputs = xn.run(network, word, arithmetic=arithmetic).outputs
            except xn.errors.UnsupportedArithmeticError:
                break
            found = xn.run(classifier, word, arithmetic=arithmetic).outputs
            for output, largest in zip(outputs, found, strict=True):
                if any(x != x for x in output) or any(abs(x) == inf for x in output):
                    continue
                first = list(output).index(max(output))
                assert list(largest) == [i == first for i in range(len(output))], (arithmetic, word, output)


def test_classes_before_the_first_symbol_are_those_of_the_exact_outputs():
    network = xn.SimpleRNN(
        V=[[1]], W=[[1, 0]], b=[0], s=["1/3"], readout_weight=[[0], [3], [1]], readout_bias=[1, 0, 0], alphabet="ab"
    )
    assert xn.run(as_classifier(network), "").initial_output == (1, 0, 0)  # 1 and 1: the first of them
    assert xn.run(as_classifier(network), "", "float16").initial_output == (1, 0, 0)
    assert xn.run(as_classifier(network), "a").outputs[-1] == (0, 1, 0)


@pytest.mark.parametrize("count", [2, 6, 18, 128])
def test_many_classes_in_short_formats_and_the_automaton_of_their_words(count):
    rows = [[0]] * count
    rows[-1] = [1]
    network = xn.SimpleRNN(V=[[0]], W=[[1, -1]], b=[0], readout_weight=rows, activation="identity", alphabet="ab")
    classifier = as_classifier(network)
    for format in ("rational", "float16", "float8_e4m3", "float4_e2m1", "q3.1"):
        words = {"": 0, "a": count - 1, "b": 0, "ab": 0, "ba": count - 1}
        for word, largest in words.items():
            run = xn.run(classifier, word, format)
            assert list(run.outputs[-1] if word else run.initial_output) == [i == largest for i in range(count)]
    machine = xn.extract_state_machine(classifier, "float8_e4m3").minimal
    assert isinstance(machine, xn.MooreMachine)
    assert len(machine.states) == 2
    assert xn.equivalent((classifier, "float8_e4m3"), (classifier, "float16"))


def test_too_many_classes_are_refused():
    network = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], readout_weight=[[1]] * 129, alphabet="a")
    with pytest.raises(OptionError, match="has 129 outputs: up to 128 are compared"):
        as_classifier(network)
    with pytest.raises(OptionError, match="gives verdicts already"):
        as_classifier(as_acceptor(network, 0))


@pytest.mark.parametrize("size", [2, 3])
def test_products_are_those_of_the_same_numbers(size):
    network = xn.SecondOrderRNN(
        A=[[[1, -1], [0, 1]], [[0, 1], [1, 0]]], s=[1, "1/2"], readout_weight=[[1, 0], [0, 1], [1, -1]][:size],
        alphabet="ab",
    )  # fmt: skip
    squared = Unit(name="y", bias=mpq(0), bilinear=((0, 1, mpq(1)), (1, 1, mpq(-1))))
    network = replace(network, readout=(squared, *network.readout[1:]))
    for number in range(size):
        acceptor = as_acceptor(network, number)
        for word in product("ab", repeat=4):
            for length in range(5):
                output = xn.run(network, word[:length]).outputs[-1] if length else xn.run(network, "").initial_output
                assert bool(xn.run(acceptor, word[:length])) is is_largest(output, number)


def test_before_the_first_symbol_the_exact_outputs_count():
    network = xn.SimpleRNN(
        V=[[1]], W=[[1, 0]], b=[0], s=["1/3"], readout_weight=[[3], [0], [1]], readout_bias=[0, 1, 0], alphabet="ab"
    )
    assert xn.run(as_acceptor(network, 0), "").outcome is xn.Outcome.REJECTED  # 1 and 1
    assert xn.run(as_acceptor(network, 0), "a").outcome is xn.Outcome.ACCEPTED
    assert xn.run(as_acceptor(network, 1), "").outcome is xn.Outcome.REJECTED


def test_smooth_networks_are_acceptors_too():
    network = xn.SimpleRNN(
        V=[["1/2"]], W=[[1, -1]], b=[0], s=[0], readout_weight=[[1], [-1], ["1/2"]], activation="tanh", alphabet="ab"
    )
    for number in range(3):
        acceptor = as_acceptor(network, number)
        for word in ("a", "b", "ab", "ba", "bba"):
            argmax = xn.certified_argmax(network, word).last
            assert xn.run(acceptor, word, "certified").outcome.name == ("ACCEPTED" if argmax == number else "REJECTED")
    assert xn.collapse_witness(as_acceptor(network, 0), "float16", max_length=4).witness is None


def test_an_acceptor_is_saved_and_extracted(tmp_path):
    network = xn.SimpleRNN(
        V=[[1, 0], [0, 1]], W=[[1, 0], [0, 1]], b=[0, 0], readout_weight=[[1, 0], [0, 1], ["1/2", "1/2"]], alphabet="ab"
    )
    acceptor = as_acceptor(network, 1)
    xn.save_network(acceptor, tmp_path / "net.json")
    assert xn.load_network(tmp_path / "net.json") == acceptor
    automaton = xn.extract_state_machine(acceptor, "float4_e2m1").minimal
    for word in product("ab", repeat=6):
        assert automaton.accepts(word) == bool(xn.run(acceptor, word, "float4_e2m1"))


@pytest.mark.parametrize(
    ("change", "accepting", "message"),
    [
        ({}, 2, "accepting=2"),
        ({}, "1", "accepting='1'"),
        ({"readout_weight": [1]}, 0, "no other to compare it with|verdicts already"),
    ],
)
def test_what_is_refused(change, accepting, message):
    parts = {"V": [[1]], "W": [[1, 0]], "b": [0], "s": [0], "readout_weight": [[1], [2]], "alphabet": "ab"} | change
    with pytest.raises(OptionError, match=message):
        as_acceptor(xn.SimpleRNN(**parts), accepting)


def test_one_output_and_an_activation_are_refused():
    network = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="one output: there is no other"):
        as_acceptor(network, 0)
    two = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[[1], [2]])
    activated = replace(two, readout=tuple(replace(unit, activation="relu") for unit in two.readout))
    with pytest.raises(OptionError, match="has an activation"):
        as_acceptor(activated, 0)


@pytest.mark.parametrize("count", [2, 6, 18, 258])
def test_many_classes_in_short_formats(count):
    """The outputs 1, -1, -1, ... are right in all of these: so is the verdict, though none counts so far."""
    rows = [[1]] + [[-1]] * (count - 1)
    network = xn.SimpleRNN(V=[[0]], W=[[1, 0]], b=[0], s=[0], readout_weight=rows, alphabet="ab")
    for format in ("rational", "float4_e2m1", "float8_e4m3", "bfloat16", "q2.3"):
        assert xn.run(as_acceptor(network, 0), "a", format).outcome is xn.Outcome.ACCEPTED
        assert xn.run(as_acceptor(network, 1), "a", format).outcome is xn.Outcome.REJECTED
        assert xn.run(as_acceptor(network, 0), "ab", format).outcome is xn.Outcome.REJECTED


def test_what_the_first_outputs_are_does_not_matter():
    near = xn.SimpleRNN(
        V=[[1]], W=[[0]], b=[0], s=[1], readout_weight=[[1], [0]], readout_bias=["1/1048576", 1], alphabet="a"
    )
    far = xn.SimpleRNN(V=[[0]], W=[[1, -1]], b=[0], s=[7], readout_weight=[[2], [-2]], alphabet="ab")
    assert [xn.run(as_acceptor(near, 0), "", f).outcome.name for f in ("exact", "float16")] == ["ACCEPTED"] * 2
    assert xn.run(as_acceptor(far, 0), "a", "q4.3").outcome is xn.Outcome.ACCEPTED
