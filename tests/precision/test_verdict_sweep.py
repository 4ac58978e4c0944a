"""Sweeps: the counts are those of single comparisons, and a file resumes exactly."""

import json
import warnings
from dataclasses import replace
from itertools import product

import pytest

import exactnn as xn
from exactnn.arithmetic import BFLOAT16, FLOAT16, FLOAT32, FixedPoint, FloatFormat, Rounding
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.errors import CheckpointError, OptionError
from exactnn.machine_files import load
from exactnn.precision import collapse, sampled_words, verdict_sweep
from exactnn.precision.verdict_sweep import Judge

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
    found = verdict_sweep(construction, range(5), FORMATS)
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


def test_a_sweep_goes_on_from_its_file(tmp_path):
    path = tmp_path / "sweep.jsonl"
    whole = verdict_sweep(PALINDROME, range(6), FORMATS[:3])

    def interrupt(done):
        if done == 3:
            raise KeyboardInterrupt

    part = verdict_sweep(PALINDROME, range(6), FORMATS[:3], file=path, progress=interrupt)
    assert not part.complete
    assert part.lengths == whole.lengths[:3]
    lines = path.read_bytes()
    assert verdict_sweep(PALINDROME, range(6), FORMATS[:3], file=path) == whole
    assert path.read_bytes().startswith(lines)
    assert verdict_sweep(PALINDROME, [4, 5, 1], FORMATS[:3], file=path).lengths == tuple(
        whole.lengths[n] for n in (4, 5, 1)
    )
    for cut in range(1, 200, 29):  # whenever the program is killed
        path.write_bytes(lines[:-cut])
        assert verdict_sweep(PALINDROME, range(6), FORMATS[:3], file=path) == whole


def test_a_file_that_is_removed_meanwhile_begins_anew(tmp_path):
    path = tmp_path / "sweep.jsonl"
    whole = verdict_sweep(PALINDROME, range(3), [FLOAT16], file=path, progress=lambda done: done == 1 and path.unlink())
    assert verdict_sweep(PALINDROME, range(3), [FLOAT16], file=path) == whole
    assert [json.loads(line)["length"] for line in path.read_text().splitlines()[1:]] == [1, 2, 0]


def test_a_file_of_another_sweep_is_left_alone(tmp_path):
    path = tmp_path / "sweep.jsonl"
    verdict_sweep(PALINDROME, [1], [FLOAT16], file=path)
    text = path.read_bytes()
    others = [
        (siegelmann_sontag(load("anbn")), [FLOAT16], {}, "another network"),
        (PALINDROME, [FLOAT32], {}, "other formats"),
        (PALINDROME, [FLOAT16], {"seed": 1}, "seed=0 instead of 1"),
        (PALINDROME, [FLOAT16], {"words": 5}, "words=1000 instead of 5"),
        (PALINDROME, [FLOAT16], {"max_steps": 500}, "max_steps=None instead of 500"),
        (
            PALINDROME,
            [FLOAT16],
            {"max_steps": 500, "words": 5},
            "words=1000 instead of 5, max_steps=None instead of 500",
        ),
    ]
    for network, formats, options, difference in others:
        with pytest.raises(CheckpointError, match=f"no file of this sweep, it has {difference}: give another"):
            verdict_sweep(network, [1], formats, file=path, **options)
    assert path.read_bytes() == text


DAMAGE = {
    "not JSON": b"{\n",
    "deep": b"[" * 100_000 + b"\n",
    "a list": b"[]\n",
    "a field too few": b'{"length":1}\n',
}


@pytest.mark.parametrize("line", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files(tmp_path, line):
    path = tmp_path / "sweep.jsonl"
    verdict_sweep(PALINDROME, [1], [FLOAT16], file=path)
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(CheckpointError, match="damaged"):
        verdict_sweep(PALINDROME, [1], [FLOAT16], file=path)


CHANGES = {
    "length": "1",
    "words": True,
    "steps": -1,
    "every": 1,
    "wrong": [3],
    "examples": [["a"]],
    "undecided": None,
}


@pytest.mark.parametrize("field", CHANGES)
def test_damaged_fields(tmp_path, field):
    path = tmp_path / "sweep.jsonl"
    verdict_sweep(PALINDROME, [1], [FLOAT16], file=path)
    header, line = path.read_text().splitlines()
    path.write_text(f"{header}\n{json.dumps({**json.loads(line), field: CHANGES[field]})}\n")
    with pytest.raises(CheckpointError, match="damaged"):
        verdict_sweep(PALINDROME, [1], [FLOAT16], file=path)


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(CheckpointError, match="No such file"):
        verdict_sweep(PALINDROME, [1], [FLOAT16], file=tmp_path / "missing" / "sweep.jsonl")


@pytest.mark.parametrize("text", [b"my notes, no newline", b"a\nb\nlast line", b"{}", b"\n"])
def test_a_foreign_file_is_left_alone(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_bytes(text)
    with pytest.raises(CheckpointError, match="no file of this sweep"):
        verdict_sweep(PALINDROME, [1], [FLOAT16], file=path)
    assert path.read_bytes() == text


def test_limits_beyond_the_machine_word():
    found = verdict_sweep(siegelmann_sontag(load("sweeper")), [0], [FLOAT16], max_steps=10**30)
    assert (found.lengths[0].steps, found.lengths[0].undecided, found.lengths[0].wrong) == (10**30, 1, (0,))


@pytest.mark.parametrize("format", [FLOAT16, FloatFormat(precision=60, exponent_bits=10), FORMATS[-1]], ids=str)
def test_threads_stop_when_they_are_told_to(format):
    judge = Judge(PALINDROME.network, [format])
    truths = judge.exact([(0, 1, 1, 0)], None)
    judge.wrong(0, truths)
    with pytest.raises(ZeroDivisionError), judge.stopping():
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt):
        judge.wrong(0, truths)


WRONG = {
    "a number": ({"lengths": 5}, "give at least one length"),
    "a float as seed": ({"seed": 1.0}, "seed=1.0"),
    "no threads": ({"threads": 0}, "threads=0"),
    "no lengths": ({"lengths": []}, "give at least one length"),
    "negative": ({"lengths": [-1]}, "give at least one length"),
    "no formats": ({"formats": []}, "give a sequence of at least one format"),
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
        verdict_sweep(PALINDROME, [1], [FLOAT16], file=name)


def test_the_palindrome_machine_fails_on_all_words_from_a_length_that_p_gives():
    """What benchmarks/RESULTS.md says of the sweep: ⌊(p + 1)/3⌋, not ⌈p/3⌉, which is one more for p = 7, 10, 13."""
    precisions = range(6, 14)
    formats = [FloatFormat(precision=p, exponent_bits=10) for p in precisions]
    found = verdict_sweep(siegelmann_sontag(load("palindrome")), range(7), formats, max_steps=400)
    for column, p in enumerate(precisions):
        first = (p + 1) // 3
        for entry in found.lengths:
            assert entry.wrong[column] == (entry.words if entry.length >= first else 0)
