"""An arithmetic by its name, or a dtype, in each function that takes one besides runs."""

from dataclasses import replace

import numpy as np
import pytest

import exactnn as xn
from exactnn import plots
from exactnn.errors import ExactnnError
from exactnn.testing import Rules, assert_equivalent, assert_same_run

LEAKY = xn.SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
PARITY = xn.compile("parity")
REVERSAL = xn.nondeterministic_reversal()
TWIN = xn.unitary(LEAKY, input_bound=1)
STEP = xn.required_bits(LEAKY, [1])

CALLS = {
    "decay": lambda a: xn.perturbation_decay(LEAKY, [1, 1], perturbation=["1/2"], arithmetic=a),
    "stratified": lambda a: xn.StratifiedStack(arithmetic=a),
    "superposition": lambda a: xn.SuperpositionStack(arithmetic=a),
    "pushdown": lambda a: REVERSAL.read("abba", arithmetic=a),
    "weight": lambda a: REVERSAL.weight("abba", arithmetic=a),
    "witness": lambda a: replace(xn.collapse_witness(PARITY, a, max_length=3), seconds=0),
    "equivalent": lambda a: replace(xn.equivalent((PARITY, a), PARITY, max_length=3), seconds=0),
    "hold": lambda a: xn.contraction.hold(TWIN, a),
    "reference": lambda a: xn.first_failures(PARITY, lambda n: "1" * n, [4], lengths=[1], reference=a),
    "rules": lambda a: Rules(arithmetic=a),
    "assert_equivalent": lambda a: assert_equivalent("minsky", xn.load("parity"), arithmetic=a, seconds=0.1),
    "assert_same_run": lambda a: assert_same_run(PARITY, "1", a, a),
    "bits": lambda a: len(plots.plot_required_bits(STEP, formats=a).axes[0].lines),
    "failure": lambda a: xn.collapse(PARITY, ["1"], ["float16"]).first_failure(a),
    "sweep": lambda a: xn.verdict_sweep(PARITY, [1], ["float16"]).safe_length(a),
    "growth": lambda a: xn.state_growth(PARITY, ["float16"], max_length=1).of(a),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_name_and_a_dtype_are_the_format(name):
    call = CALLS[name]
    expected = call(xn.FLOAT16)
    assert call("float16") == expected
    assert call("fp16") == expected
    assert call(np.float16) == expected
    with pytest.raises(ExactnnError, match="did you mean 'float16'"):
        call("flaot16")


def test_spectral_learning_in_float64():
    learned = [
        xn.spectral_learn(lambda word: word.count("1"), ["", "1"], ["", "1"], ["0", "1"], arithmetic=a)
        for a in (xn.FLOAT64, "float64", np.float64)
    ]
    assert learned[0] == learned[1] == learned[2]
