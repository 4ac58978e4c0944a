"""Where two orders of evaluation part in a format: against scans written out in numpy, and against runs compared."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import NetworkError, OptionError, UnsupportedArithmeticError

FADES = xn.DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
WORDS = ["++", "---+++-", "-+" * 9, ""]


def combined(late, early):
    """Return the composite of two float32 steps (a, b), each product and each sum rounded."""
    return late[0] * early[0], late[1] + late[0] * early[1]


def by_scan(steps):
    """Return the states of h = a h + b from 0 by the scan of Hillis and Steele."""
    pairs, distance = list(steps), 1
    while distance < len(pairs):
        pairs = [
            combined(pair, pairs[i - distance]) if i >= distance else pair
            for i, pair in enumerate(pairs)
        ]  # fmt: skip
        distance *= 2
    return [b + a * np.float32(0) for a, b in pairs]


def by_steps(steps):
    found, h = [], np.float32(0)
    for a, b in steps:
        h = a * h + b
        found.append(h)
    return found


@settings(deadline=None)
@given(
    st.floats(-1, 1, width=32), st.floats(-2, 2, width=32), st.floats(-2, 2, width=32),
    st.lists(st.text("ab", max_size=20), min_size=1, max_size=4),
)  # fmt: skip
def test_partings_are_those_of_a_scan_in_numpy(a, first, second, words):
    network = xn.DiagonalSSM(a=[a], B=[[first, second]], readout_weight=[1], alphabet="ab")
    report = xn.check_format(network, words, "float32", training_order=xn.KOGGE_STONE)
    numbers, decisions = [], []
    for number, word in enumerate(words):
        steps = [(np.float32(a), np.float32(first if x == "a" else second)) for x in word]
        scanned, stepped = by_scan(steps), by_steps(steps)
        parts = [(t, x, y) for t, (x, y) in enumerate(zip(scanned, stepped, strict=True), 1) if x != y]
        if parts:
            t, x, y = parts[0]
            numbers.append((number, tuple(word), t, "h[0]", float(x), float(y)))
        if word and (scanned[-1] > 0) != (stepped[-1] > 0):
            said = [("rejected", "accepted")[h > 0] for h in (scanned[-1], stepped[-1])]
            decisions.append((number, tuple(word), len(word), None, *said))

    def told(partings):
        return [(p.number, p.word, p.step, p.neuron, p.training, p.inference) for p in partings]

    assert told(report.partings("float32")) == numbers
    assert told(report.parted_decisions("float32")) == decisions


small = st.fractions(-2, 2, max_denominator=7).map(str)


@st.composite
def delta_nets(draw):
    n, symbols = draw(st.integers(1, 2)), 2

    def matrix(height, width):
        rows = st.lists(small, min_size=width, max_size=width)
        return draw(st.lists(rows, min_size=height, max_size=height))

    (beta,) = matrix(1, symbols)
    return xn.DeltaNet(
        K=matrix(n, symbols), V=matrix(n, symbols), beta=beta, S=matrix(n, n), readout_weight=matrix(3, n * n),
        alphabet="ab",
    )  # fmt: skip


ORDERS = st.sampled_from([xn.STEP, xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(2)])


@settings(max_examples=25, deadline=None)
@given(delta_nets(), st.lists(st.text("ab", max_size=5), min_size=1, max_size=3), ORDERS, ORDERS,
       st.sampled_from(["bfloat16", "float8_e4m3", "float32", "q6.10"]))  # fmt: skip
def test_partings_errors_and_decisions_are_those_of_runs(network, words, training, inference, format):
    report = xn.check_format(network, words, format, training_order=training, inference_order=inference)
    numbers, decisions, flips = [], [], []
    worst = 0
    for number, word in enumerate(words):
        runs = [xn.run(network, word, arithmetic=format, order=order, record="all") for order in (training, inference)]
        true = xn.run(network, word, record="all")
        both = list(zip(*(run.trace.states for run in runs), strict=True))
        part = [
            (number, t, network.circuit.state_names[i], float(x[i]), float(y[i]))
            for t, (x, y) in enumerate(both)
            for i in range(len(x))
            if x[i] != y[i] and (x[i] == x[i] or y[i] == y[i])
        ]
        numbers += part[:1]
        best = [[output.index(max(output)) if all(x == x for x in output) else "nan" for output in run.outputs]
                for run in (*runs, true)]  # fmt: skip
        decisions += [(number, t, x, y) for t, (x, y) in enumerate(zip(*best[:2], strict=True), 1) if x != y][:1]
        flips += [(number, t, x, y) for t, (y, x) in enumerate(zip(*best[1:], strict=True), 1) if x != y][:1]
        for right, mine in zip(true.trace.states, runs[1].trace.states, strict=True):
            for x, y in zip(right, mine, strict=True):
                worst = max(worst, abs(y - x) if y - y == 0 else float("inf"))
    assert [(p.number, p.step, p.neuron, p.training, p.inference) for p in report.partings(format)] == numbers
    assert [(p.number, p.step, p.training, p.inference) for p in report.parted_decisions(format)] == decisions
    assert [(f.number, f.step, f.exact, f.computed) for f in report.flips(format)] == flips
    largest = report.worst(format)
    assert (0 if largest is None else largest.absolute) == pytest.approx(float(worst), rel=1e-12)


def test_errors_are_those_of_the_order_of_inference():
    """More a than b: of a^257 b^256, bfloat16 is wrong step by step, and right by a scan."""
    more_a = xn.DiagonalSSM(a=[1], B=[[1, -1]], readout_weight=[1], alphabet="ab")
    word = "a" * 257 + "b" * 256
    by_order = [xn.check_format(more_a, [word], "bfloat16", inference_order=order) for order in ("step", "blelloch")]
    assert [[(f.exact, f.computed) for f in report.flips("bfloat16")] for report in by_order] == [
        [("accepted", "rejected")], [],
    ]  # fmt: skip
    both = xn.check_format(more_a, [word], "bfloat16", training_order="blelloch")
    assert both.flips("bfloat16") == by_order[0].flips("bfloat16")
    assert [(p.step, p.training, p.inference) for p in both.parted_decisions("bfloat16")] == [
        (513, "accepted", "rejected")
    ]


def test_orders_that_do_not_part():
    report = xn.check_format(xn.parity_unit(), ["0110", "111"], "float8_e5m2", training_order=xn.BLELLOCH)
    assert report.partings("float8_e5m2") == report.parted_decisions("float8_e5m2") == ()
    assert "nowhere" in str(report.as_table().rows)
    same = xn.check_format(FADES, WORDS, "float8_e5m2", training_order="blelloch", inference_order="blelloch")
    assert same.partings("float8_e5m2") == ()
    plain = xn.check_format(FADES, WORDS, "float8_e5m2")
    assert plain.formats == xn.check_format(FADES, WORDS, "float8_e5m2", inference_order=xn.STEP).formats
    assert "training_order" not in plain.as_rows()[0]
    for report in (plain, xn.check_format(FADES, WORDS, "float16", inference_order="blelloch")):
        with pytest.raises(OptionError, match="training_order"):
            report.partings(report.formats[0].arithmetic)


def test_limits_and_stores(tmp_path):
    store = tmp_path / "ledger"
    kept = [
        xn.check_format(FADES, WORDS, "bfloat16", training_order=order, max_steps=limit, store=store)
        for order in (xn.KOGGE_STONE, xn.BLELLOCH, None) for limit in (None, 5, None)
    ]  # fmt: skip
    assert kept[0] == kept[2] != kept[3] == kept[5]
    assert kept[6] == xn.check_format(FADES, WORDS, "bfloat16")
    assert [p.number for p in kept[0].parted_decisions("bfloat16")] == [1]
    assert [p.step for p in kept[0].partings("bfloat16")] == [7, 9]
    assert all(p.step <= 5 for p in kept[1].partings("bfloat16"))
    assert kept[1].parted_decisions("bfloat16") == ()


@pytest.mark.parametrize("which", ["training_order", "inference_order"])
def test_what_has_no_order(which):
    with pytest.raises(NetworkError, match=r"unit .* has the activation relu"):
        xn.check_format("parity", ["01"], "float16", **{which: "blelloch"})
    with pytest.raises(NetworkError, match="reads EOS"):
        xn.check_format("anbn", ["ab"], "float16", **{which: xn.KOGGE_STONE})
    with pytest.raises(UnsupportedArithmeticError, match="fuses or reorders"):
        xn.check_format(FADES, ["+"], xn.FloatFormat(precision=8, exponent_bits=8, fused=True), **{which: "blelloch"})
    with pytest.raises(OptionError, match=f"{which}='upwards': give"):
        xn.check_format(FADES, ["+"], "float16", **{which: "upwards"})
    xn.check_format("parity", ["01"], "float16", **{which: "step"})
