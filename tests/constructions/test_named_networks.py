"""Networks that need no machine: by name wherever a network is asked for."""

import inspect
import re
from itertools import product

import pytest
from every_construction import weight_field_of

import exactnn as xn
from exactnn import constructions
from exactnn.constructions import NETWORKS, Construction, named_network
from exactnn.networks import network_of
from exactnn.testing.compiler import Compiler
from exactnn.testing.disagreement import Rules, compare


def counted(word, letters):
    lengths = [len(run) for run in re.findall("|".join(f"{letter}+" for letter in letters), word)]
    return word == "" or (len(lengths) == len(letters) and len(set(lengths)) == 1 and sorted(word) == list(word))


def balanced(word, depth):
    opened = ""
    for a in word:
        if a in "([":
            opened += ")]"["([".index(a)]
        elif opened[-1:] != a:
            return False
        else:
            opened = opened[:-1]
        if len(opened) > depth:
            return False
    return not opened


def mirrored(mark):
    return lambda word: word.count(mark) == 1 and word == word[::-1]


LANGUAGES = {
    "bounded_dyck": lambda word: balanced(word, 3),
    "doubling_lstm_palindromes": mirrored("$"),
    "flip_flop": lambda word: word.rstrip("-").endswith("1"),
    "fractional_counter": lambda word: counted(word, "ab"),
    "gated_counter": lambda word: counted(word, "ab"),
    "lstm_anbn": lambda word: counted(word, "ab"),
    "lstm_anbn_then_any": lambda word: any(word.startswith("a" * n + "b" * n) for n in range(1, 5)),
    "lstm_anbncn": lambda word: counted(word, "abc"),
    "lstm_shuffle_dyck": lambda word: balanced(word, 99),
    "parity_unit": lambda word: word.count("1") % 2 == 1,
    "scalar_stack": mirrored("#"),
    "stack_rnn_dyck": lambda word: balanced(word, 32),
    "stack_rnn_marked_reversal": mirrored("#"),
    "vector_stack": mirrored("#"),
}


def test_they_are_all_functions_that_make_one_without_arguments():
    found = set()
    for name in constructions.__all__:
        function = getattr(constructions, name)
        if inspect.isfunction(function):
            parameters = inspect.signature(function).parameters.values()
            if all(parameter.default is not parameter.empty for parameter in parameters):
                found.add(name)
    assert found == NETWORKS.keys(), "enter what it makes in NETWORKS of constructions/named_networks.py"
    assert found == LANGUAGES.keys(), "enter a predicate of its language in LANGUAGES of this file"


@pytest.mark.parametrize("name", NETWORKS)
def test_its_language_is_what_is_said(name):
    symbols = network_of(name).input_symbols
    for word in (word for length in range(8 if len(symbols) == 2 else 6) for word in product(symbols, repeat=length)):
        assert xn.run(name, word).accepted == LANGUAGES[name]("".join(word)), word


def short_words(symbols):
    lengths = range(6 if len(symbols) == 2 else 4)
    return ["".join(word) for length in lengths for word in product(symbols, repeat=length)]


@pytest.mark.parametrize("name", [name for name in NETWORKS if isinstance(named_network(name), Construction)])
def test_it_is_its_machine_step_by_step(name):
    """Each state is decoded, and is the configuration of the machine that it says it is of."""
    found = named_network(name)
    ours = Compiler(name=name, kind=None, function=lambda machine: found)
    for word in short_words(found.machine.input_symbols):
        assert compare(ours, found.machine, word, Rules(by="configuration")) is None, word
    assert found.weight_field == weight_field_of(found.network)


def test_it_is_the_same_network_each_time():
    assert named_network("lstm_anbn") is named_network("lstm_anbn")
    assert xn.run("lstm_anbn", "ab").network is xn.run("lstm_anbn", "aabb").network


def test_wherever_a_network_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lstm_anbn").write_text("no machine")  # a name comes before a file
    assert xn.collapse("gated_counter", "a^n b^n", "p2e8", n=range(1, 9)) == xn.collapse(
        xn.gated_counter(), "a^n b^n", "p2e8", n=range(1, 9)
    )
    assert xn.first_divergence("gated_counter", "aaaaabbbbb", "p2e8") is not None
    assert not xn.equivalent("lstm_anbn", "anbn", max_length=6).witness
    assert xn.equivalent("fractional_counter@q4.4", "lstm_anbn").witness
    assert xn.extract_state_machine("parity_unit").complete
    with pytest.raises(xn.ExactnnError, match="no words of its own"):
        xn.collapse("gated_counter")
