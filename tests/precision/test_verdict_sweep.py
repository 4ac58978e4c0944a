"""Sweeps: the counts are those of single comparisons, and a store resumes exactly."""

import warnings
from dataclasses import replace
from itertools import product
from threading import Timer

import pytest

import exactnn as xn
from exactnn.arithmetic import BFLOAT16, FLOAT16, FLOAT32, FixedPoint, FloatFormat, Rounding
from exactnn.campaigns import Ledger
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.errors import CheckpointError, OptionError, UnsupportedArithmeticError
from exactnn.machine_files import load
from exactnn.networks import Decision, Protocol
from exactnn.precision import VerdictSweep, collapse, sampled_words, verdict_sweep
from exactnn.precision.judge import Judge, SweepUnit
from tests.campaigns.pieces import forge

PALINDROME = siegelmann_sontag(load("palindrome"))
FORMATS = [
    FLOAT16,
    BFLOAT16,
    FloatFormat(precision=3, exponent_bits=9),
    FloatFormat(precision=5, exponent_bits=9),
    FloatFormat(precision=9, exponent_bits=6, rounding=Rounding.UP),
    FloatFormat(precision=9, exponent_bits=6, rounding=Rounding.DOWN),
    FloatFormat(precision=7, exponent_bits=9, rounding=Rounding.STOCHASTIC, seed=5),
    FloatFormat(precision=60, exponent_bits=10),
    FloatFormat(precision=90, exponent_bits=15),
    FixedPoint(integer_bits=8, fraction_bits=8),
]


@pytest.mark.parametrize("base", [None, 7])
def test_counts_are_those_of_a_collapse_table(base):
    construction = PALINDROME if base is None else siegelmann_sontag(load("palindrome"), base=base)
    found = verdict_sweep(construction, range(4), FORMATS)
    for entry in found.lengths:
        words = list(product("ab", repeat=entry.length))
        table = collapse(construction, words, FORMATS)
        assert entry.words == len(words)
        assert entry.every
        assert entry.steps == max(row.steps for row in table.rows)
        wrong = [[row.word for row in table.rows if row.divergences[i].verdict] for i in range(len(FORMATS))]
        assert entry.wrong == tuple(map(len, wrong))
        assert entry.examples == tuple(words[0] if words else None for words in wrong)


def test_verdicts_after_the_last_symbol():
    parity = minsky(load("parity"))
    formats = [FloatFormat(precision=2, exponent_bits=2), FLOAT32]
    found = verdict_sweep(parity, [0, 1, 7], formats)
    for entry in found.lengths:
        table = collapse(parity, list(product("01", repeat=entry.length)), formats)
        assert entry.wrong == tuple(sum(bool(row.divergences[i].verdict) for row in table.rows) for i in (0, 1))


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_networks_with_smooth_units_are_judged_by_certified_runs(activation):
    network = xn.SimpleRNN(
        V=[["9/10"]], W=[["-1/4", "1/5"]], b=["1/20"], s=[0], readout_weight=[1], readout_bias="-13/20",
        activation=activation, alphabet="ab",
    )  # fmt: skip
    formats = [FloatFormat(precision=3, exponent_bits=4), FLOAT16, FixedPoint(integer_bits=2, fraction_bits=3)]
    found = verdict_sweep(network, range(1, 6), formats)
    assert found.complete
    some = False
    for entry in found.lengths:
        words = list(product("ab", repeat=entry.length))
        truth = [xn.run(network, word, "certified").outcome for word in words]
        for number, format in enumerate(formats):
            pairs = zip(words, truth, strict=True)
            wrong = [word for word, true in pairs if xn.run(network, word, format).outcome is not true]
            assert entry.wrong[number] == len(wrong)
            assert entry.examples[number] == (wrong[0] if wrong else None)
            some = some or bool(wrong)
    assert some


def test_what_enclosures_do_not_tell_is_undecided():
    """The output is 0, the difference of two equal units: no enclosure tells that it is not above."""
    network = xn.SimpleRNN(
        V=[[1, 0], [0, 1]], W=[[1, -1], [1, -1]], b=[0, 0], s=[0, 0], readout_weight=[1, -1], activation="tanh",
        alphabet="ab",
    )  # fmt: skip
    assert xn.run(network, "ab", "certified").outcome.cut_short
    (entry,) = verdict_sweep(network, [2], [FLOAT32, FLOAT16]).lengths
    assert (entry.undecided, entry.wrong) == (4, (0, 0))


def test_ctrl_c_ends_a_certified_run_that_has_no_end():
    """From the first EOS on the state stays near 0, and no output is a verdict."""
    network = replace(
        xn.SimpleRNN(
            V=[["9/10"]], W=[["1/3", "-1/3", 0]], b=[0], s=[0], readout_weight=[1], activation="tanh",
            alphabet=["a", "b", "EOS"],
        ),
        decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=10),
    )  # fmt: skip
    judge = Judge(network)
    stop = Timer(1, judge.stop)
    stop.start()
    with pytest.raises(KeyboardInterrupt):
        judge.exact([(0, 1)], None)
    stop.join()


def test_without_a_length_nothing_is_known():
    nothing = VerdictSweep(name="n", formats=(FLOAT16,), lengths=(), complete=False, failed=("length 1: no memory",))
    assert repr(nothing) == "<VerdictSweep of n, 0 lengths, incomplete: float16 not known>"
    assert nothing.safe_length(FLOAT16) is None


def test_a_machine_that_does_not_halt():
    found = verdict_sweep(siegelmann_sontag(load("sweeper")), [0], [FLOAT32], max_steps=50)
    assert (found.lengths[0].steps, found.lengths[0].undecided) == (50, 1)


def test_words_longer_than_the_limit():
    found = verdict_sweep(PALINDROME, [6], [FLOAT16], max_steps=4, words=3)
    assert (found.lengths[0].steps, found.lengths[0].undecided, found.lengths[0].wrong) == (4, 3, (0,))


def test_words_at_random_depend_on_the_seed_and_the_length_only():
    words, every = sampled_words(2, 40, 5, 1)
    assert not every
    assert words == sampled_words(2, 40, 5, 1)[0]
    assert words != sampled_words(2, 40, 5, 2)[0]
    assert words == sampled_words(2, 40, 9, 1)[0][:5]
    assert {len(word) for word in words} == {40}
    assert sampled_words(2, 3, 8, 1) == (list(product(range(2), repeat=3)), True)
    assert sampled_words(2, 3, 7, 1)[1] is False
    assert sampled_words(1, 1000, 7, 1) == ([(0,) * 1000], True)


def test_a_sweep_goes_on_from_its_store(tmp_path):
    path = tmp_path / "sweep.db"
    whole = verdict_sweep(PALINDROME, range(6), FORMATS[:3])

    def interrupt(done):
        if done == 3:
            raise KeyboardInterrupt

    part = verdict_sweep(PALINDROME, range(6), FORMATS[:3], store=path, progress=interrupt)
    assert not part.complete
    assert part.lengths == whole.lengths[:3]
    assert "incomplete" in repr(part)
    assert verdict_sweep(PALINDROME, range(6), FORMATS[:3], store=path) == whole
    assert verdict_sweep(PALINDROME, [4, 5, 1], FORMATS[:3], store=path).lengths == tuple(
        whole.lengths[n] for n in (4, 5, 1)
    )


def kinds_of_work(path):
    with Ledger(path) as ledger:
        return [(unit.identity["length"], unit.identity["format"], unit.identity["chunk"]) for unit in ledger.all()]


def test_one_more_format_computes_itself_only(tmp_path, monkeypatch):
    path, ran = tmp_path / "sweep.db", []
    verdict_sweep(PALINDROME, range(4), FORMATS[:2], store=path)
    run = SweepUnit.run
    monkeypatch.setattr(SweepUnit, "run", lambda unit, subject: ran.append(unit) or run(unit, subject))
    more = verdict_sweep(PALINDROME, range(5), FORMATS[:3], store=path)
    assert {(unit.length, unit.format) for unit in ran} == {
        *((n, FORMATS[2]) for n in range(4)),
        *((4, format) for format in FORMATS[:3]),
    }
    assert more == verdict_sweep(PALINDROME, range(5), FORMATS[:3])
    assert len(kinds_of_work(path)) == 15


@pytest.mark.slow
def test_words_in_chunks_are_those_of_one_piece(monkeypatch, tmp_path):
    """All words of a length, and a sample of which the first 1000 words are those of the sample of 1000."""
    formats = [FLOAT16, FloatFormat(precision=30, exponent_bits=9)]
    whole = verdict_sweep(PALINDROME, [11], formats, words=2048)
    assert (whole.lengths[0].words, whole.lengths[0].every) == (2048, True)
    words = sampled_words(2, 11, 2048, 0)[0]
    assert words == list(product(range(2), repeat=11))
    some = verdict_sweep(PALINDROME, [13], formats, words=2500, store=tmp_path / "store")
    assert (some.lengths[0].words, some.lengths[0].every) == (2500, False)
    drawn = sampled_words(2, 13, 2500, 0)[0]
    assert drawn[:1000] == sampled_words(2, 13, 1000, 0)[0]
    assert len(set(drawn)) > 2000
    assert verdict_sweep(PALINDROME, [13], formats, words=1000, store=tmp_path / "store").lengths[0].words == 1000
    assert len(kinds_of_work(tmp_path / "store")) == 6


def test_other_networks_seeds_and_limits_share_a_store(tmp_path):
    path = tmp_path / "sweep.db"
    calls = [
        (PALINDROME, {}), (siegelmann_sontag(load("anbn")), {}), (PALINDROME, {"seed": 1}), (PALINDROME, {"words": 5}),
        (PALINDROME, {"max_steps": 9}),
    ]  # fmt: skip
    calls = [(network, {"words": 100} | options) for network, options in calls]
    alone = [verdict_sweep(network, [2, 12], [FLOAT16], **options) for network, options in calls]
    for _ in range(2):
        for (network, options), expected in zip(calls, alone, strict=True):
            assert verdict_sweep(network, [2, 12], [FLOAT16], store=path, **options) == expected


CHANGES = {
    "a list": "[]",
    "a field too few": '{"steps":1}',
    "a negative count": '{"example":null,"steps":-1,"undecided":0,"wrong":0}',
    "no count": '{"example":null,"steps":true,"undecided":0,"wrong":0}',
    "no example": '{"example":null,"steps":1,"undecided":0,"wrong":1}',
    "a long example": '{"example":[0,0],"steps":1,"undecided":0,"wrong":1}',
    "more than all": '{"example":[0],"steps":1,"undecided":0,"wrong":3}',
    "no symbols": '{"example":["a"],"steps":1,"undecided":0,"wrong":1}',
}


@pytest.mark.parametrize("line", CHANGES.values(), ids=CHANGES)
def test_damaged_rows(tmp_path, line):
    path = tmp_path / "sweep.db"
    verdict_sweep(PALINDROME, [1], [FLOAT16], store=path)
    forge(path, "UPDATE units SET line=?", line)
    with pytest.raises(CheckpointError, match="damaged"):
        verdict_sweep(PALINDROME, [1], [FLOAT16], store=path)


def test_a_store_that_cannot_be_written(tmp_path):
    with pytest.raises(CheckpointError, match="No such file"):
        verdict_sweep(PALINDROME, [1], [FLOAT16], store=tmp_path / "missing" / "sweep.db")


def test_units_that_fail_leave_their_lengths_out(monkeypatch):
    run = SweepUnit.run

    def failing(unit, subject):
        if unit.length == 2:
            raise MemoryError("no room")
        return run(unit, subject)

    monkeypatch.setattr(SweepUnit, "run", failing)
    found = verdict_sweep(PALINDROME, range(4), [FLOAT16])
    assert [entry.length for entry in found.lengths] == [0, 1, 3]
    assert not found.complete
    assert found.failed == ("length 2, float16: MemoryError: no room",)
    assert "1 unit of work failed" in found.as_table().note


def test_limits_beyond_the_machine_word():
    found = verdict_sweep(siegelmann_sontag(load("sweeper")), [0], [FLOAT16], max_steps=10**30)
    assert (found.lengths[0].steps, found.lengths[0].undecided, found.lengths[0].wrong) == (10**30, 1, (0,))


@pytest.mark.parametrize("format", [FLOAT16, FloatFormat(precision=60, exponent_bits=10), FORMATS[-1]], ids=str)
def test_a_judge_stops_when_it_is_told_to(format):
    judge = Judge(PALINDROME.network)
    truths = judge.exact([(0, 1, 1, 0)], None)
    judge.wrong(format, truths)
    judge.stop()
    with pytest.raises(KeyboardInterrupt):
        judge.wrong(format, truths)


WRONG = {
    "a number": ({"lengths": 5}, "give at least one length"),
    "a float as seed": ({"seed": 1.0}, "seed=1.0"),
    "no executor": ({"executor": 2}, "executor=2"),
    "no lengths": ({"lengths": []}, "give at least one length"),
    "negative": ({"lengths": [-1]}, "give at least one length"),
    "no formats": ({"formats": []}, "give at least one format"),
    "no words": ({"words": 0}, "words=0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options(case):
    options, message = WRONG[case]
    with pytest.raises(OptionError, match=message):
        verdict_sweep(PALINDROME, **{"lengths": [1], "formats": [FLOAT16], **options})


def test_networks_without_words_or_verdicts():
    vectors = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="takes vectors"):
        verdict_sweep(vectors, [1], [FLOAT16])
    with pytest.raises(OptionError, match="gives outputs and no verdicts"):
        verdict_sweep(replace(vectors, alphabet=("a",)), [1], [FLOAT16])


def test_a_format_that_is_never_wrong():
    found = verdict_sweep(PALINDROME, range(4), [FloatFormat(precision=64, exponent_bits=10)])
    assert found.first_failure(found.formats[0]) is None
    assert found.failing(3) == ()
    with pytest.raises(OptionError, match="not in this table"):
        found.first_failure(FLOAT16)


def test_runs_beyond_the_safe_length_give_a_warning():
    table = verdict_sweep(PALINDROME, range(8), [FLOAT16, FLOAT32, FloatFormat(precision=3, exponent_bits=9)])
    assert [table.safe_length(format) for format in table.formats] == [3, 7, None]
    with pytest.warns(xn.PrecisionWarning, match="4 symbols in float16, .* for up to 3 only"):
        xn.run(PALINDROME, "abba", arithmetic=FLOAT16, max_steps=99, safe_length=table.safe_length(FLOAT16))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xn.run(PALINDROME, "aba", arithmetic=FLOAT16, safe_length=3)
        xn.run(PALINDROME, "abba", safe_length=3)
        xn.run(PALINDROME, "abba", arithmetic=xn.RATIONAL, safe_length=3)
    with pytest.raises(OptionError, match="safe_length=-1"):
        xn.run(PALINDROME, "abba", arithmetic=FLOAT16, safe_length=-1)


@pytest.mark.parametrize("name", ["a\0b", "/dev/zero", "."])
def test_files_that_hold_no_sweep(name):
    with pytest.raises(CheckpointError):
        verdict_sweep(PALINDROME, [1], [FLOAT16], store=name)


def test_the_palindrome_machine_fails_on_all_words_from_a_length_that_p_gives():
    """What benchmarks/RESULTS.md says of the sweep: ⌊(p + 1)/3⌋, not ⌈p/3⌉, which is one more for p = 7, 10, 13."""
    precisions = range(6, 14)
    formats = [FloatFormat(precision=p, exponent_bits=10) for p in precisions]
    found = verdict_sweep(siegelmann_sontag(load("palindrome")), range(7), formats, max_steps=400)
    for column, p in enumerate(precisions):
        first = (p + 1) // 3
        for entry in found.lengths:
            assert entry.wrong[column] == (entry.words if entry.length >= first else 0)


def test_parts_have_a_row_for_every_word(tmp_path):
    polars = pytest.importorskip("polars")
    formats = [FLOAT16, FloatFormat(precision=4, exponent_bits=9)]
    found = verdict_sweep(PALINDROME, [3, 4], formats, keep=tmp_path / "parts")
    rows = polars.read_parquet(tmp_path / "parts" / "sweep-*.parquet").to_dicts()
    assert len(rows) == 2 * (8 + 16)
    for entry in found.lengths:
        for format, wrong in zip(formats, entry.wrong, strict=True):
            mine = [row for row in rows if row["length"] == entry.length and row["format"] == repr(format)]
            assert sum(row["wrong"] for row in mine) == wrong
            assert max(row["steps"] for row in mine) == entry.steps
            assert len({row["word"] for row in mine}) == entry.words


def test_a_format_that_lacks_a_number_is_an_error_of_the_call(tmp_path):
    with pytest.raises(UnsupportedArithmeticError):
        verdict_sweep(PALINDROME, [1], [FLOAT16, FixedPoint(integer_bits=2, fraction_bits=3)], store=tmp_path / "store")
    assert not (tmp_path / "store").exists()
