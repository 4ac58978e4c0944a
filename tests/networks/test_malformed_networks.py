"""Shapes and values that do not fit are refused with an error that names the parameter and shows the value."""

import gmpy2
import numpy as np
import pytest

from exactnn.errors import ExactnnError, NetworkError, NumberError, WordError
from exactnn.networks import MultiLayerRNN, SimpleRNN

NAN = float("nan")


def simple(**changes):
    parameters = {
        "V": [[1, 2], [3, 4]],
        "W": [[1], [2]],
        "b": [0, 0],
        "s": [0, 0],
        "readout_weight": [1, 1],
        "readout_bias": 0,
        **changes,
    }
    return SimpleRNN(**parameters)


SHAPES = {
    "V a number": ({"V": 5}, "V.* is 5"),
    "V none": ({"V": None}, "V.* is None"),
    "V text": ({"V": "12"}, "V.* is '12'"),
    "V a vector": ({"V": [1, 2]}, "V.* is 1: give a vector"),
    "V ragged": ({"V": [[1, 2], [3]]}, "V.* has 1 entries, not 2"),
    "V too wide": ({"V": [[1, 2, 3], [3, 4, 5]]}, "V.* has 3 entries, not 2"),
    "V too high": ({"V": [[1, 2]] * 3}, "V.* has 3 rows, not 2"),
    "V unsized array": ({"V": np.array(1.0)}, "V"),
    "V unordered": ({"V": [{1, 2}, {3, 4}]}, "V.*{1, 2}"),
    "V a table": ({"V": {0: [1, 2], 1: [3, 4]}}, "V.*{0: "),
    "W ragged": ({"W": [[1], [2, 3]]}, "W.* has 2 entries, not 1"),
    "W too low": ({"W": [[1]]}, "W.* has 1 rows, not 2"),
    "W a vector": ({"W": [1, 2]}, "W.* is 1: give a vector"),
    "b too short": ({"b": [0]}, "b.* has 1 entries, not 2"),
    "b a number": ({"b": 0}, "b.* is 0: give a vector"),
    "b text": ({"b": "00"}, "b.* is '00': give a vector"),
    "b unordered": ({"b": {0, 1}}, "b.*{0, 1}"),
    "s a matrix": ({"s": [[0, 0]]}, r"s.*\[0, 0\]"),
    "s unsized array": ({"s": np.array(0)}, "s"),
    "readout a number": ({"readout_weight": 5}, "readout_weight.*5"),
    "readout none": ({"readout_weight": None}, "readout_weight.*None"),
    "readout short": ({"readout_weight": [1]}, "readout_weight has 1 entries, not 2"),
    "readout empty": ({"readout_weight": []}, "readout_weight has 0 entries, not 2"),
    "readout text": ({"readout_weight": "11"}, "readout_weight is '11'"),
    "readout ragged": ({"readout_weight": [[1, 1], [1]]}, r"readout_weight\[1\] has 1 entries, not 2"),
    "readout mixed": ({"readout_weight": [[1, 1], 1]}, r"readout_weight\[1\] is 1"),
    "bias too long": ({"readout_bias": [0, 0]}, "readout_bias has 2 entries, not 1"),
    "activation": ({"activation": "softmax"}, "activation 'softmax' is unknown"),
    "activation none": ({"activation": None}, "activation None is unknown"),
    "activation list": ({"activation": ["relu"]}, r"activation \['relu'\] is unknown"),
    "alphabet size": ({"alphabet": "ab"}, "alphabet has 2 symbols"),
    "alphabet twice": ({"alphabet": "aa", "W": [[1, 1], [1, 1]]}, r"alphabet \('a', 'a'\) names a symbol twice"),
    "alphabet number": ({"alphabet": 5}, "alphabet.*5"),
    "alphabet of numbers": ({"alphabet": [1.0]}, r"symbol 1\.0 |alphabet.*1\.0"),
    "alphabet of lists": ({"alphabet": [["a"]]}, r"\['a'\]"),
    "alphabet with empty symbol": ({"alphabet": [""]}, "symbol ''|alphabet.*''"),
    "name": ({"name": 5}, "name.*5"),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shapes(case):
    changes, message = SHAPES[case]
    with pytest.raises((NetworkError, NumberError), match=message):
        simple(**changes)


@pytest.mark.parametrize("value", [NAN, float("inf"), "x", "1/0", "", None, 1j, [1], gmpy2.mpfr("nan")], ids=repr)
@pytest.mark.parametrize("parameter", ["V", "W", "b", "s", "readout_weight", "readout_bias"])
def test_an_entry_that_is_no_exact_number(parameter, value):
    shapes = {"V": [[1, 2], [value, 4]], "W": [[1], [value]], "readout_bias": [value]}
    with pytest.raises((NumberError, NetworkError)) as caught:
        simple(**{parameter: shapes.get(parameter, [0, value])})
    assert parameter in str(caught.value)
    assert repr(value) in str(caught.value)


def test_the_place_of_a_wrong_entry_is_that_of_the_users_matrix():
    with pytest.raises(NumberError, match=r"^V\[1\]\[0\]: 'x'"):
        simple(V=[[1, 2], ["x", 4]])
    with pytest.raises(NetworkError, match=r"^b has 3 entries, not 2"):
        simple(b=[0, 0, 0])


LAYERS = {"V": [[[1]], [[1]]], "W": [[[1]], [[1]]], "b": [[0], [0]], "s": [[0], [0]], "readout_weight": [1]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"V": [], "W": [], "b": [], "s": []}, "0, 0, 0 and 0 layers"),
        ({"V": [[[1]]]}, "1, 2, 2 and 2 layers"),
        ({"b": [[0]]}, "2, 2, 1 and 2 layers"),
        ({"V": 3}, "V.*3"),
        ({"W": None}, "W.*None"),
        ({"s": [[0], 3]}, r"s\[1\] is 3"),
        ({"W": [[[1]], [[1, 2]]]}, r"W\[1\]\[0\] has 2 entries, not 1"),
        ({"V": [[[1]], [[1, 2]]]}, r"V\[1\]\[0\] has 2 entries, not 1"),
        ({"V": [[[1]], [["x"]]]}, r"V\[1\]\[0\]\[0\]: 'x'"),
    ],
)
def test_stacks_whose_layers_do_not_fit(changes, message):
    with pytest.raises((NetworkError, NumberError), match=message):
        MultiLayerRNN(**{**LAYERS, **changes})


WORDS = {
    "number": (5, "5"),
    "none": (None, "None"),
    "text": ("12", "sequence of vectors, not '12'; symbols need alphabet="),
    "texts": (["1", "x"], "'x' at position 1"),
    "too long": ([[1], [1, 2]], r"\[1, 2\] at position 1"),
    "too short": ([[]], r"\[\] at position 0"),
    "unsized array": ([np.array("x")], "position 0"),
    "a batch": (np.zeros((1, 3, 1)), "a sequence of vectors: give one word, and not a batch"),
    "a batch of as many as a vector has": ([[[1]]], "a sequence of vectors: give one word, and not a batch"),
    "nan": ([1, NAN], "nan.* position 1|position 1.*nan"),
    "entry none": ([[1], [None]], "None.* position 1|position 1.*None"),
}


@pytest.mark.parametrize("case", WORDS)
def test_words_of_a_network_that_reads_vectors(case):
    word, message = WORDS[case]
    with pytest.raises((WordError, NumberError), match=message):
        simple().inputs(word)


def test_words_of_a_network_that_reads_symbols():
    network = simple(alphabet="a")
    assert network.inputs("aa") == [0, 0]
    for word in ("ab", ["a", 0], [[1]], 7, None):
        with pytest.raises(WordError):
            network.inputs(word)


def test_eos_is_no_symbol_of_a_word():
    network = simple(W=[[1, 1], [1, 1]], alphabet=["a", "EOS"])
    assert network.inputs("aa") == network.inputs(["a", "a"]) == [0, 0]
    with pytest.raises(WordError, match="'EOS' at position 0"):
        network.inputs(["EOS"])


def test_vectors_of_a_network_of_one_input_may_be_bare_numbers():
    assert simple().inputs([1, "1/2", 0.25][::2]) == [(1,), (gmpy2.mpq(1, 4),)]
    assert simple().inputs([["1/2"]]) == simple().inputs(np.array([[0.5]])) == [(gmpy2.mpq(1, 2),)]


def test_every_error_here_is_one_of_exactnn():
    assert issubclass(NetworkError, ExactnnError)
    assert issubclass(NumberError, ExactnnError)
