"""Results as text, of a process in which numba cannot be imported if it is asked for; see `test_without_numba.py`."""

import json
import sys
import warnings

if "without" in sys.argv:
    sys.modules["numba"] = sys.modules["llvmlite"] = None  # type: ignore[assignment]

import exactnn as xn
from exactnn.notices import at_once

FORMATS = [
    xn.FLOAT64,
    xn.FLOAT32,
    xn.FLOAT16,
    xn.BFLOAT16,
    xn.FLOAT8_E4M3,
    xn.FixedPoint(integer_bits=8, fraction_bits=4),
]
GATES = {name: dict.fromkeys("ifgo", value) for name, value in {"V": [["1/2"]], "W": [["1/3"]], "b": ["1/7"]}.items()}


def runs():
    """Outputs, steps and states of machines, trained-like networks and recurrences in many formats."""
    lstm = xn.LSTM(**GATES, readout_weight=[1], alphabet="a")
    subjects = [(xn.compile("palindrome"), "abba"), (xn.compile("parity"), "0110"), (xn.compile("anbn-stacks"), "aabb"),
                (lstm, "aaaa"), (xn.parity_unit(), "1011")]  # fmt: skip
    for network, word in subjects:
        for arithmetic in [xn.EXACT, xn.RATIONAL, *FORMATS]:
            try:
                found = xn.run(network, word, arithmetic, max_steps=60, record="all")
                trace = [[str(value) for value in state] for state in found.trace]
                yield [str(arithmetic), str(found.outcome), found.steps, [str(y) for y in found.outputs], trace]
            except xn.ExactnnError as error:
                yield [str(arithmetic), type(error).__name__]


def analyses():
    """What is asked about formats and about equality."""
    net = xn.compile("palindrome")
    yield repr(xn.collapse(net, ["a" * n for n in range(6)]).as_table())
    yield repr(xn.first_divergence(net, "aaaaaaaaa", xn.FLOAT32))
    yield repr(xn.check_format(net, ["ab", "aba"], ["float16"]))
    yield repr(xn.extract_state_machine(xn.compile("parity"), xn.FLOAT8_E4M3))
    yield repr(xn.equivalent("parity", "tomita-1"))
    yield repr(xn.collapse_witness(net, format=xn.FLOAT16, max_length=3))
    yield repr(list(xn.verdict_sweep(net, [1, 2, 3], [xn.FLOAT16, xn.FLOAT32])))
    yield repr(xn.run("bb4").steps)


if __name__ == "__main__":
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with at_once():  # the definition is what runs without numba
            results = [list(runs()), list(analyses())]
    names = [type(warning.message).__name__ for warning in told]
    print(
        json.dumps(
            {"results": results, "slow": names.count("SlowFormatsWarning"), "numba": bool(sys.modules.get("numba"))}
        )
    )
