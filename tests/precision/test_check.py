"""What formats do to networks on many words: against fractions, against MPFR with 600 bits, and on hostile input."""

import signal
from fractions import Fraction
from math import inf, nextafter

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import is_finite
from exactnn.campaigns import Ledger, Processes
from exactnn.errors import CheckpointError, OptionError, UnsupportedArithmeticError, WordError
from exactnn.networks import Decision, Protocol, SimpleRNN
from exactnn.precision.measured import chosen

EIGHT = ("float32", "float16", "bfloat16", "tf32", "float8_e4m3", "float8_e5m2", "q6.10", "p9e6")


def upper(size):
    """Return the least float64 that is not below a fraction."""
    near = float(size)
    return nextafter(near, inf) if Fraction(near) < size else near


small = st.fractions(-2, 2, max_denominator=7)


@st.composite
def networks(draw):
    n = draw(st.integers(1, 3))
    vectors = st.lists(small, min_size=n, max_size=n)
    rows = draw(st.lists(vectors, min_size=n, max_size=n))
    return SimpleRNN(
        V=[[str(x) for x in row] for row in rows],
        W=[[str(x), str(y)] for x, y in zip(draw(vectors), draw(vectors), strict=True)],
        b=list(map(str, draw(vectors))), s=[0] * n,
        readout_weight=[list(map(str, draw(vectors))) for _ in range(3)],
        activation=draw(st.sampled_from(["relu", "identity", "slu", "hard_tanh"])), alphabet="ab",
    ).giving_outputs()  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(networks(), st.lists(st.text("ab", max_size=6), min_size=1, max_size=4), st.sampled_from(EIGHT))
def test_errors_and_flips_are_those_of_two_runs_compared_in_fractions(network, words, name):
    report = xn.check_format(network, words, name)
    sizes = {"absolute": [], "relative": [], "ulps": []}
    flips = []
    by_step = [Fraction(0)] * (max(map(len, words)) + 1)
    endless = set()
    decisions = 0
    format = report.formats[0].arithmetic
    for number, word in enumerate(words):
        true, computed = (xn.run(network, word, arithmetic=a, record="all") for a in ("rational", name))
        for step, (right, mine) in enumerate(zip(true.trace.states, computed.trace.states, strict=True)):
            for x, y in zip(right, mine, strict=True):
                if not is_finite(y):
                    endless.add(step)
                    continue
                error = abs(Fraction(mpq(y)) - Fraction(x))
                by_step[step] = max(by_step[step], error)
                sizes["absolute"].append(error)
                if x:
                    sizes["relative"].append(error / abs(Fraction(x)))
                    sizes["ulps"].append(error / Fraction(format.spacing(x)))
        wrong = []
        for step, (right, mine) in enumerate(zip(true.outputs, computed.outputs, strict=True), 1):
            decisions += 1
            best = "nan" if any(y != y for y in mine) else mine.index(max(mine))
            if best != right.index(max(right)):
                wrong.append((step, right.index(max(right)), best))
        if wrong:
            flips.append((number, *wrong[0], len(wrong), wrong[-1][0] == len(word)))
    found = [(f.number, f.step, f.exact, f.computed, f.count, f.last) for f in report.flips(name)]
    assert (found, report.decisions, report.untold) == (flips, decisions, 0)
    for measure, every in sizes.items():
        worst = report.worst(name, measure)
        if endless:
            assert getattr(worst, measure) == inf
        else:
            largest = max(every, default=Fraction(0))
            assert (0 if worst is None else getattr(worst, measure)) == upper(largest)
    for step, (largest, error) in enumerate(zip(by_step, report.formats[0].by_step, strict=True)):
        assert error is None if step in endless else error == pytest.approx(float(largest), rel=1e-12, abs=0)


# --- Networks whose true numbers nobody has: enclosures against 600 bits of MPFR, by the equations of the cells.


def lstm(weights, word):
    """Return the outputs after each step, by MPFR."""
    V, W, b, R = weights
    n = len(b) // 4
    h = c = [gmpy2.mpfr(0)] * n
    outputs = []
    for x in word:
        z = [b[k] + sum(map(mul, V[k], h)) + sum(map(mul, W[k], x)) for k in range(4 * n)]
        i, f, o = ([1 / (1 + gmpy2.exp(-v)) for v in z[k * n : k * n + n]] for k in (0, 1, 3))
        g = [gmpy2.tanh(v) for v in z[2 * n : 3 * n]]
        c = [f[k] * c[k] + i[k] * g[k] for k in range(n)]
        h = [o[k] * gmpy2.tanh(c[k]) for k in range(n)]
        outputs.append([sum(map(mul, row, h)) for row in R])
    return outputs


def gru(weights, word):
    """Return the outputs after each step, by MPFR."""
    V, W, b, R = weights
    n = len(b) // 3
    h = [gmpy2.mpfr(0)] * n
    outputs = []
    for x in word:
        own = [sum(map(mul, V[k], h)) for k in range(3 * n)]
        given_ = [b[k] + sum(map(mul, W[k], x)) for k in range(3 * n)]
        r, z = ([1 / (1 + gmpy2.exp(-own[k] - given_[k])) for k in range(m * n, m * n + n)] for m in (0, 1))
        m = [gmpy2.tanh(given_[2 * n + k] + r[k] * own[2 * n + k]) for k in range(n)]
        h = [(1 - z[k]) * m[k] + z[k] * h[k] for k in range(n)]
        outputs.append([sum(map(mul, row, h)) for row in R])
    return outputs


def mul(x, y):
    return x * y


def drawn(seed):
    """Return a network from a state dictionary, and its outputs on words by MPFR."""
    rng = np.random.default_rng(seed)
    gates, by_equations = ((4, lstm), (3, gru))[seed % 2]
    n, d, k = 5, 3, 3
    scale = rng.choice([0.5, 1.5, 4.0])
    shapes = {"weight_hh_l0": (gates * n, n), "weight_ih_l0": (gates * n, d), "bias_ih_l0": (gates * n,),
              "out.weight": (k, n)}  # fmt: skip
    state = {name: (scale * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}
    given_state = state | {"bias_hh_l0": np.zeros(gates * n, np.float32), "out.bias": np.zeros(k, np.float32)}
    network = xn.from_torch(given_state, readout="out")
    words = rng.standard_normal((3, 12, d)).astype(np.float32).tolist()
    with gmpy2.context(precision=600):
        V, W, b, R = ([[gmpy2.mpfr(float(x)) for x in row] for row in np.atleast_2d(state[name])]
                      for name in ("weight_hh_l0", "weight_ih_l0", "bias_ih_l0", "out.weight"))  # fmt: skip
        true = [by_equations((V, W, b[0], R), [[gmpy2.mpfr(x) for x in vector] for vector in word]) for word in words]
    return network, words, true


def flips_by_mpfr(network, words, true, name):
    flips = []
    for number, (word, outputs) in enumerate(zip(words, true, strict=True)):
        computed = xn.run(network, word, arithmetic=name).outputs
        wrong = []
        for step, (right, given_) in enumerate(zip(outputs, computed, strict=True), 1):
            best, mine = right.index(max(right)), "nan" if any(y != y for y in given_) else given_.index(max(given_))
            if best != mine:
                wrong.append((step, best, mine))
        if wrong:
            flips.append((number, *wrong[0], len(wrong)))
    return flips


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 100))])
def test_flips_are_those_that_600_bits_of_mpfr_tell(seed):
    network, words, true = drawn(seed)
    report = xn.check_format(network, words, EIGHT)
    for name in EIGHT:
        found = [(f.number, f.step, f.exact, f.computed, f.count) for f in report.flips(name)]
        assert found == flips_by_mpfr(network, words, true, name)
    margins = [sorted(right)[-1] - sorted(right)[-2] for outputs in true for right in outputs]
    assert report.untold == 0
    assert report.margin.value == pytest.approx(float(min(margins)), rel=1e-9)
    assert report.margin.value <= min(margins)


def test_enclosures_that_lose_their_bits_are_begun_again_with_more():
    network = SimpleRNN(
        V=[["7/10", "-7/10"], ["7/10", "7/10"]], W=[[1], [0]], b=[0, "1/10"], s=["1/3", 0],
        readout_weight=[[1, 0], [0, 1]], activation="tanh",
    )  # fmt: skip
    word = [["1/7"]] * 120
    report = xn.check_format(network, [word], "float32")
    truth = xn.run(network, word, arithmetic=xn.Interval(bits=3000), record="all")
    computed = xn.run(network, word, "float32", record="all")
    errors = [
        max(abs(mpq(x) - y.midpoint) for x, y in zip(a, b, strict=True))
        for a, b in zip(computed.trace.states, truth.trace.states, strict=True)
    ]
    assert report.formats[0].by_step == pytest.approx([float(error) for error in errors], rel=1e-12, abs=0)
    assert report.worst("float32").absolute == pytest.approx(float(max(errors)), rel=1e-12)
    first = xn.run(network, word, arithmetic=xn.Interval(bits=88), record="all")
    widths = [enclosure.width for enclosure in first.trace.states[-1]]
    assert max(widths) > mpq(1, 2**64), "more bits are needed than the first ones"


def test_what_enclosures_never_tell_is_counted_apart():
    twins = SimpleRNN(
        V=[[1, 0], [0, 1]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[[1, 0], [0, 1]], activation="tanh"
    )
    report = xn.check_format(twins, [[[1]]], "float16")
    assert (report.decisions, report.untold, report.unfinished) == (1, 1, ())
    assert report.margin is None
    assert report.sentence("float16") == "safe on 1 word; 1 of 1 decision cannot be told"


def test_choices_between_enclosures():
    def enclosed(low, high):
        return xn.Enclosure(low=low, high=high)

    assert chosen((mpq(1), mpq(3), mpq(3))) == (1, 0)
    assert chosen((mpq(5), mpq(3), mpq(3))) == (0, 2)
    assert chosen((enclosed(1, 2), enclosed(2, 3))) == (None, None)
    assert chosen((enclosed(2, 3), enclosed(1, 2))) == (0, 0)
    assert chosen((enclosed(0, 1), enclosed(2, 3))) == (1, 1)
    assert chosen((mpq(7),)) == (0, 7)


# --- Networks with verdicts.


def test_verdicts_flip_where_a_collapse_table_says_so():
    network = xn.compile(xn.load("palindrome"))
    words = ["ab" * n for n in range(9)] + ["a" * n for n in range(9)]
    names = ["float16", "float8_e4m3", "p20e8"]
    report, table = xn.check_format(network, words, names), xn.collapse(network, words, names)
    for column, name in enumerate(names):
        wrong = [(n, row.divergences[column].verdict) for n, row in enumerate(table.rows)]
        expected = [(n, v.step, str(v.exact or "not yet"), str(v.computed or "not yet")) for n, v in wrong if v]
        assert [(f.number, f.step, f.exact, f.computed) for f in report.flips(name)] == expected
    assert (report.decision, report.decisions, report.margin.value) == ("protocol", 18, 0.5)


def test_a_threshold_is_a_decision_of_one_output():
    network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1], readout_bias="-1/9")
    report = xn.check_format(network, [[1, 0, 0], [1, 0]], "float16", decision="threshold")
    assert [(f.number, f.step, f.exact, f.computed) for f in report.flips("float16")] == []
    assert (report.margin.value, report.margin.step) == (0.0, 3)
    lower = xn.check_format(network, [[1, 0, 0]], "p3e5", decision="threshold")
    outputs = xn.run(network, [1, 0, 0], "p3e5").outputs
    assert bool(lower.flips("p3e5")) == (outputs[2] > 0)
    assert xn.check_format(network, [[1]], "float16").decision is None
    assert xn.check_format(network, [[1]], "float16").sentence("float16") == "decides nothing"


def test_numbers_that_no_float_is_and_numbers_out_of_range():
    tiny = SimpleRNN(V=[[f"1/{2**400}"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    report = xn.check_format(tiny, [[1, 0, 0, 0]], ["float64", "p30e20"])
    worst = report.worst("float64", "relative")
    assert (worst.step, worst.relative, worst.computed, worst.exact) == (4, 1.0, 0.0, 0.0)
    assert report.worst("p30e20") is None
    huge = SimpleRNN(V=[[2**400]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    report = xn.check_format(huge, [[1, 0, 0, 0]], ["float64", "p30e20"])
    assert report.worst("float64").absolute == inf
    assert report.worst("float64").step == 4
    assert report.formats[0].by_step == (0.0, 0.0, 0.0, 0.0, None)
    assert report.worst("p30e20") is None


def test_random_rounding_is_reproducible():
    format = xn.FloatFormat(precision=5, exponent_bits=5, rounding="stochastic", seed=3)
    network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    assert xn.check_format(network, [[1, 0, 0]] * 2, format) == xn.check_format(network, [[1, 0, 0]] * 2, format)


# --- Many words: executors, stores, Ctrl-C.

THIRDS = SimpleRNN(
    V=[["1/3"]], W=[[1, 2]], b=[0], s=[0], readout_weight=[[1], ["1/2"]], readout_bias=[0, "1/5"], alphabet="ab"
).giving_outputs()
WORDS = ["ab" * (n % 9) for n in range(600)]


def test_executors_and_stores_change_nothing(tmp_path):
    here = xn.check_format(THIRDS, WORDS, ["float16", "p7"])
    done = []
    with Processes(2) as executor:
        assert xn.check_format(
            THIRDS, WORDS, ["float16", "p7"], executor=executor, store=tmp_path / "s", progress=done.append
        ) == here  # fmt: skip
    assert done == sorted(done)
    assert done[-1] == 600
    with Ledger(tmp_path / "s") as ledger:
        rows = len(list(ledger.all()))
    more = xn.check_format(THIRDS, [*WORDS, "b"], ["float16", "p7"], store=tmp_path / "s")
    assert more.words == 601
    with Ledger(tmp_path / "s") as ledger:
        assert 0 < len(list(ledger.all())) - rows <= 2, "only the last words were computed"
    assert xn.check_format(THIRDS, WORDS, ["float16", "p7"], store=tmp_path / "s") == here


@pytest.mark.parametrize("row", ["[]", "{}", '{"words": [], "margin": 3, "formats": 1}', "null"])
def test_a_damaged_store_is_refused(tmp_path, row):
    import sqlite3

    xn.check_format(THIRDS, WORDS, "float16", store=tmp_path / "s")
    with sqlite3.connect(tmp_path / "s") as store:
        store.execute("UPDATE units SET line = ?", (row,))
    store.close()
    with pytest.raises(CheckpointError, match="the store is damaged"):
        xn.check_format(THIRDS, WORDS, "float16", store=tmp_path / "s")


def test_ctrl_c_gives_the_words_until_then():
    def tell(done):
        if done > 200:
            signal.raise_signal(signal.SIGINT)

    report = xn.check_format(THIRDS, WORDS, "float16", progress=tell)
    assert not report.complete
    assert 200 < report.words < 600
    assert "interrupted" in repr(report)
    assert "interrupted" in report.as_table().note


def test_a_report_is_a_table():
    report = xn.check_format(THIRDS, ["ab", "b"], ["float16", "bf16"])
    assert (len(report), bool(report), [row["format"] for row in report]) == (2, True, ["float16", "bfloat16"])
    frame = report.to_polars()
    assert frame.columns == list(next(iter(report)))
    assert frame["largest_ulps"].to_list() == [row["largest_ulps"] for row in report]
    assert report.sentence("half") in repr(report)
    assert "safe on these 2 words" in report._repr_html_()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: xn.check_format(THIRDS, []), OptionError, "words"),
        (lambda: xn.check_format(THIRDS, "ab"), OptionError, "words"),
        (lambda: xn.check_format(THIRDS, ["ac"]), WordError, "'c'"),
        (lambda: xn.check_format(THIRDS, ["a"], []), OptionError, "at least one format"),
        (lambda: xn.check_format(THIRDS, ["a"], "flaot16"), OptionError, "did you mean 'float16'"),
        (lambda: xn.check_format(THIRDS, ["a"], decision="threshold"), OptionError, "2 outputs"),
        (lambda: xn.check_format(THIRDS, ["a"], decision="protocol"), OptionError, "no verdicts"),
        (lambda: xn.check_format(THIRDS, ["a"], decision="max"), OptionError, "argmax"),
        (lambda: xn.check_format(xn.compile(xn.load("parity")), ["0"], decision="argmax"), OptionError, "one output"),
        (lambda: xn.check_format(THIRDS, ["a"], "float16").worst("float32"), OptionError, "not checked: float16"),
        (lambda: xn.check_format(THIRDS, ["a"], "float16").worst("float16", "size"), OptionError, "'size'"),
        (lambda: xn.check_format(THIRDS, ["a"], "float16", progress=3), OptionError, "progress"),
        (lambda: xn.check_format(SimpleRNN(V=[[9]], W=[[1]], b=[0], s=[0], readout_weight=[1]), [[1]], "q2.3"),
         UnsupportedArithmeticError, "9"),
    ],
)  # fmt: skip
def test_wrong_calls_say_what_is_wrong(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_run_without_an_end_is_told():
    loops = xn.SimpleRNN(V=[[1]], W=[[1, 0]], b=[0], s=[0], readout_weight=[0], alphabet=["a", "EOS"])
    assert loops.decision == Decision(protocol=Protocol.EOS_VERDICT, threshold=loops.decision.threshold)
    report = xn.check_format(loops, ["a"], "float16", max_steps=50)
    assert [(word, str(outcome)) for word, outcome in report.unfinished] == [(("a",), "step limit")]
    assert "1 true run came to no end" in report.as_table().note
