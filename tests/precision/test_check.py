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
from exactnn.errors import CampaignError, CheckpointError, OptionError, UnsupportedArithmeticError, WordError
from exactnn.networks import Decision, Protocol, SimpleRNN
from exactnn.precision.measured import chosen
from tests.campaigns.pieces import forge

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


@settings(max_examples=25, deadline=None)
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
    """Return the outputs after each step, and the states with the start, by MPFR."""
    V, W, b, given_b, R, R_bias = weights
    n = len(b) // 4
    h = c = [gmpy2.mpfr(0)] * n
    outputs, states = [], [h + c]
    for x in word:
        z = [b[k] + given_b[k] + sum(map(mul, V[k], h)) + sum(map(mul, W[k], x)) for k in range(4 * n)]
        i, f, o = ([1 / (1 + gmpy2.exp(-v)) for v in z[k * n : k * n + n]] for k in (0, 1, 3))
        g = [gmpy2.tanh(v) for v in z[2 * n : 3 * n]]
        c = [f[k] * c[k] + i[k] * g[k] for k in range(n)]
        h = [o[k] * gmpy2.tanh(c[k]) for k in range(n)]
        states.append(h + c)
        outputs.append([bias + sum(map(mul, row, h)) for row, bias in zip(R, R_bias, strict=True)])
    return outputs, states


def gru(weights, word):
    """Return the outputs after each step, and the states with the start, by MPFR."""
    V, W, b, given_b, R, R_bias = weights
    n = len(b) // 3
    h = [gmpy2.mpfr(0)] * n
    outputs, states = [], [h]
    for x in word:
        own = [b[k] + sum(map(mul, V[k], h)) for k in range(3 * n)]
        given_ = [given_b[k] + sum(map(mul, W[k], x)) for k in range(3 * n)]
        r, z = ([1 / (1 + gmpy2.exp(-own[k] - given_[k])) for k in range(m * n, m * n + n)] for m in (0, 1))
        m = [gmpy2.tanh(given_[2 * n + k] + r[k] * own[2 * n + k]) for k in range(n)]
        h = [(1 - z[k]) * m[k] + z[k] * h[k] for k in range(n)]
        states.append(h)
        outputs.append([bias + sum(map(mul, row, h)) for row, bias in zip(R, R_bias, strict=True)])
    return outputs, states


def mul(x, y):
    return x * y


def drawn(seed):
    """Return a network from a state_dict, and its outputs and states on words by MPFR."""
    rng = np.random.default_rng(seed)
    gates, by_equations = ((4, lstm), (3, gru))[seed % 2]
    n, d, k = 5, 3, 3
    scale = rng.choice([0.5, 1.5, 4.0])
    shapes = {"weight_hh_l0": (gates * n, n), "weight_ih_l0": (gates * n, d), "bias_hh_l0": (gates * n,),
              "bias_ih_l0": (gates * n,), "out.weight": (k, n), "out.bias": (k,)}  # fmt: skip
    state = {name: (scale * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}
    network = xn.from_torch(state, readout="out")
    words = rng.standard_normal((3, 12, d)).astype(np.float32).tolist()
    with gmpy2.context(precision=600):
        V, W, b, given_b, R, R_bias = (
            [[gmpy2.mpfr(float(x)) for x in row] for row in np.atleast_2d(state[name])] for name in shapes
        )
        weights = V, W, b[0], given_b[0], R, R_bias[0]
        true = [by_equations(weights, [[gmpy2.mpfr(x) for x in vector] for vector in word]) for word in words]
    return network, words, true


def found_by_mpfr(network, words, true, name):
    """Return the wrong decisions of a format, and its largest errors by each measure."""
    flips, sizes, format = [], {"absolute": [], "relative": [], "ulps": []}, xn.arithmetic.format_of(name)
    for number, (word, (outputs, states)) in enumerate(zip(words, true, strict=True)):
        run = xn.run(network, word, arithmetic=name, record="all")
        for x, y in ((x, y) for pair in zip(states, run.trace.states, strict=True) for x, y in zip(*pair, strict=True)):
            error = abs(mpq(y) - mpq(x)) if is_finite(y) else inf
            sizes["absolute"].append(error)
            if x:
                sizes["relative"].append(error / abs(mpq(x)))
                sizes["ulps"].append(error / format.spacing(mpq(x)))
        wrong = []
        for step, (right, given_) in enumerate(zip(outputs, run.outputs, strict=True), 1):
            best, mine = right.index(max(right)), "nan" if any(y != y for y in given_) else given_.index(max(given_))
            if best != mine:
                wrong.append((step, best, mine))
        if wrong:
            flips.append((number, *wrong[0], len(wrong)))
    return flips, {measure: max(every) for measure, every in sizes.items()}


@pytest.mark.mostly_slow(quick=2, slow=14)
@pytest.mark.parametrize("seed", range(40))
def test_flips_and_errors_are_those_that_600_bits_of_mpfr_tell(seed):
    network, words, true = drawn(seed)
    report = xn.check_format(network, words, EIGHT)
    for name in EIGHT:
        found = [(f.number, f.step, f.exact, f.computed, f.count) for f in report.flips(name)]
        flips, largest = found_by_mpfr(network, words, true, name)
        assert found == flips
        for measure, size in largest.items():
            worst = getattr(report.worst(name, measure), measure)
            assert worst == pytest.approx(float(size), rel=1e-9)
            assert worst >= size
    margins = [sorted(right)[-1] - sorted(right)[-2] for outputs, _ in true for right in outputs]
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
    assert report.sentence("float16") == "cannot be told at 4,096 bits"
    assert report.as_table().rows[0][1].mark == "unsure"


def twins(alphabet):
    """Return a network whose output is exactly 0, which no enclosure tells."""
    return SimpleRNN(
        V=[[0, 0], [0, 0]], W=[["1/2", 0][: len(alphabet)]] * 2, b=["1/10"] * 2, s=[0, 0], readout_weight=[1, -1],
        activation="tanh", alphabet=alphabet,
    )  # fmt: skip


@pytest.mark.parametrize("alphabet", [["a", "EOS"], ["a"]], ids=["at EOS", "after the word"])
def test_a_verdict_that_enclosures_never_tell_is_no_flip(alphabet):
    network = twins(alphabet)
    report = xn.check_format(network, ["a", "aa"], "bf16", max_steps=10)
    assert (report.flips("bf16"), report.decisions, report.untold) == ((), 2, 2)
    assert report.sentence("bf16") == "cannot be told at 4,096 bits"
    assert [outcome.value for _, outcome in report.unfinished] == ["undecided at these bits"] * 2
    found = xn.first_divergence(network, "a", "bf16", max_steps=10)
    assert (found.verdict, found.computed_verdict, found.step) == (None, None, 1)
    table = xn.collapse(network, ["a"], "bf16", max_steps=10)
    assert [(row["verdict_right"], row["verdict_computed"]) for row in table] == [(None, None)]
    assert table.first_failure("bf16") is None
    assert "not decided" in repr(table)
    assert "cannot be told" in table._repr_html_()
    threshold = xn.precision_threshold(network, ["a"], max_steps=10, precisions=[4, 8])
    assert "without a verdict within the limit: 1" in repr(threshold)


def test_the_decisions_after_the_word_are_counted():
    network = SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], alphabet="ab")
    report = xn.check_format(network, ["", "aab", "bb"], "float16")
    assert (report.decisions, report.untold, report.margin.value) == (3, 0, 0.0)
    assert report.sentence("float16") == "safe on these 3 words"


def test_nothing_is_safe_where_nothing_is_decided():
    endless = xn.check_format("bb5", [""], "float16", max_steps=1000)
    assert (endless.decisions, endless.flips("float16")) == (0, ())
    assert endless.sentence("float16") == "nothing is decided on 1 word; 1 word came to no end"
    some = xn.check_format(THIRDS, ["ab", "abab"], "float16", max_steps=3)
    assert some.sentence("float16") == "safe in 5 decisions on 2 words; 1 word came to no end"
    empty = xn.check_format(THIRDS, [""], "float16")
    assert empty.sentence("float16") == "nothing is decided on 1 word"
    for report in (endless, some, empty):
        assert report.as_table().rows[0][1].mark == "unsure"


def test_what_enclosures_do_not_tell_hides_no_error():
    V = [[0] * 6 for _ in range(6)]
    V[3][:2], V[4][2:4], V[5][5] = (100, -100), (1, -1), "-99/100"  # h[3] is 0, and so is not known relatively
    network = SimpleRNN(
        V=V, W=[["3/10"]] * 4 + [[0], ["1/10"]], b=[0] * 6, s=[0] * 6, readout_weight=[1, 0, 0, 0, 0, 0],
        activation="tanh",
    )  # fmt: skip
    word = [[1]] * 8
    report = xn.check_format(network, [word], "float16")
    true = xn.run(network, word, arithmetic=xn.Interval(bits=400), record="all").trace.states
    computed = xn.run(network, word, "float16", record="all").trace.states
    pairs = [pair for right, mine in zip(true, computed, strict=True) for pair in zip(right, mine, strict=True)]
    largest = max(abs(mpq(y) - x.midpoint) / abs(x.midpoint) for x, y in pairs if abs(x.midpoint) > 1e-9)
    assert report.worst("float16", "relative").relative == pytest.approx(float(largest), rel=1e-9)


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
    assert xn.check_format(network, [[1]], "float16").sentence("float16").startswith("no decision was asked for")


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


def test_of_infinite_errors_the_first_is_named():
    huge = SimpleRNN(V=[[2**400]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    report = xn.check_format(huge, [[1] + [0] * 8, [1] + [0] * 12], "float64")
    for measure in ("absolute", "relative", "ulps"):
        worst = report.worst("float64", measure)
        assert (worst.number, worst.step, worst.absolute) == (0, 4, inf)
    assert [row["largest_absolute"] for row in report] == [inf]


def test_a_finite_error_that_no_float_is():
    network = SimpleRNN(V=[[2**1500]], W=[["1/3"]], b=[0], s=[0], readout_weight=[1])
    report = xn.check_format(network, [[1, 0, 0]], "p30e20")
    worst = report.worst("p30e20")
    assert (worst.absolute, worst.step, worst.ulps) == (inf, 3, upper(Fraction(1, 3)))


def test_random_rounding_is_reproducible():
    format = xn.FloatFormat(precision=5, exponent_bits=5, rounding="stochastic", seed=3)
    network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    assert xn.check_format(network, [[1, 0, 0]] * 2, format) == xn.check_format(network, [[1, 0, 0]] * 2, format)


# --- Many words: executors, stores, Ctrl-C.

THIRDS = SimpleRNN(
    V=[["1/3"]], W=[[1, 2]], b=[0], s=[0], readout_weight=[[1], ["1/2"]], readout_bias=[0, "1/5"], alphabet="ab"
).giving_outputs()
WORDS = ["ab" * (n % 9) for n in range(600)]


@pytest.mark.slow
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


def test_words_that_come_again_count_again(tmp_path):
    network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    word, told = [1] + [0] * 1200, []
    report = xn.check_format(network, [word, word, [1], word], "float16", store=tmp_path / "s", progress=told.append)
    assert (report.words, report.complete, told[-1]) == (4, True, 4)
    assert report.worst("float16", "ulps").number == 0
    assert xn.check_format(network, [word, word, [1], word], "float16", store=tmp_path / "s") == report


def test_units_that_failed_are_told_with_what_to_do(tmp_path, monkeypatch):
    def fail(self, unit):
        raise MemoryError

    network, store = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1]), tmp_path / "store"
    with monkeypatch.context() as patch:
        patch.setattr("exactnn.precision.check_unit.Checker.checked", fail)
        told = r"1 unit of work failed \(MemoryError\): 'exactnn campaign retry .*store'"
        with pytest.raises(CampaignError, match=told):
            xn.check_format(network, [[1]], "float16", store=store)
    with Ledger(store) as ledger:
        assert ledger.forget_failures() == 1
    assert xn.check_format(network, [[1]], "float16", store=store).words == 1


@pytest.mark.parametrize("row", ["[]", "{}", '{"words": [], "margin": 3, "formats": 1}', "null"])
def test_a_damaged_store_is_refused(tmp_path, row):
    xn.check_format(THIRDS, WORDS[:20], "float16", store=tmp_path / "s")
    forge(tmp_path / "s", "UPDATE units SET line = ?", row)
    with pytest.raises(CheckpointError, match="the store is damaged"):
        xn.check_format(THIRDS, WORDS[:20], "float16", store=tmp_path / "s")


def test_ctrl_c_gives_the_words_until_then():
    def tell(done):
        if done > 200:
            signal.raise_signal(signal.SIGINT)

    report = xn.check_format(THIRDS, WORDS, "float16", progress=tell)
    assert not report.complete
    assert 200 < report.words < 600
    assert "interrupted" in repr(report)
    assert "interrupted" in report.as_table().note


def test_of_networks_without_verdicts_a_collapse_tells_of_numbers():
    thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    table = xn.collapse(thirds, [[1], [1, 0]], "bf16")
    assert repr(table).endswith("bfloat16 numbers first wrong at length 2>")
    assert repr(xn.collapse(thirds, [[1]], "bf16")).endswith("bfloat16 numbers right>")


def test_one_more_format_is_one():
    names = ["p3", "p4", "p5", "p6", "p7"]
    for found in (xn.check_format(THIRDS, ["a"], names), xn.collapse(THIRDS, ["a"], names)):
        assert repr(found).endswith("; 1 more format>")


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
