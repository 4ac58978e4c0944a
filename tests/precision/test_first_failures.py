"""`first_failures` beside what single runs say, and what it refuses."""

from itertools import product

import pytest

from exactnn import (
    DFA,
    FLOAT64,
    FloatFormat,
    SimpleRNN,
    collapse,
    compile,
    first_failures,
    fractional_counter,
    gated_counter,
    load,
    run,
    scalar_stack,
    siegelmann_sontag,
)
from exactnn.campaigns import Ledger, Processes
from exactnn.errors import OptionError


def marked(length):
    return ["".join(w) + "#" + "".join(reversed(w)) for w in product("01", repeat=length)]


def halves(n):
    return "a" * n + "b" * n


@pytest.mark.parametrize("criterion", ["value", "verdict"])
@pytest.mark.parametrize("rounding", ["nearest even", "stochastic"])
def test_it_counts_what_collapse_finds(criterion, rounding):
    found = first_failures(
        scalar_stack(), marked, range(2, 8), lengths=range(5), rounding=rounding, seed=7, criterion=criterion
    )
    for row in found.rows:
        format = FloatFormat(precision=row.precision, exponent_bits=10, rounding=rounding, seed=7)
        for length, wrong in zip(found.lengths, row.wrong, strict=False):
            table = collapse(scalar_stack(), marked(length), [format])
            failing = [line.word for line in table.rows if getattr(line.divergences[0], criterion)]
            assert wrong == len(failing)
            assert (wrong == 2**length) == (length == row.every)
            if length == row.some:
                assert failing[0] == row.word
    assert found.some == {row.precision: row.some for row in found.rows}
    assert found.every == {row.precision: row.every for row in found.rows}


def test_eos_verdicts_are_compared_with_their_steps():
    net = compile(load("palindrome"))
    found = first_failures(net, lambda n: "a" * n, [8, 11, 24], lengths=range(12))
    for row in found.rows:
        format = FloatFormat(precision=row.precision, exponent_bits=10)
        for length, wrong in zip(found.lengths, row.wrong, strict=False):
            exact = run(net, "a" * length)
            rounded = run(net, "a" * length, arithmetic=format, max_steps=exact.steps)
            assert wrong == ((exact.outcome, exact.steps) != (rounded.outcome, rounded.steps))
    assert found.some[8] is not None
    assert found.some == first_failures(net, lambda n: "a" * n, [8, 11, 24], lengths=range(12)).every


def test_configurations_go_wrong_no_later_than_verdicts():
    net = compile(load("palindrome"))
    some = [
        first_failures(net, lambda n: "a" * n, [8], lengths=range(9), criterion=criterion).some[8]
        for criterion in ("value", "configuration", "verdict")
    ]
    assert None not in some
    assert some == sorted(some)


def test_a_step_limit_is_one_of_both_runs():
    found = first_failures(compile(load("palindrome")), lambda n: "a" * n, [24], lengths=[2, 3], max_steps=3)
    assert found.rows[0].wrong == (0, 0)
    assert found.rows[0].some is found.rows[0].every is found.rows[0].word is None


def test_a_precision_is_done_when_every_word_is_wrong():
    asked = []
    found = first_failures(fractional_counter(), halves, [3, 2], lengths=range(50), progress=asked.append)
    assert asked == list(range(5))
    assert [row.precision for row in found.rows] == [3, 2]
    assert [len(row.wrong) for row in found.rows] == [5, 4]


def test_what_was_found_before_an_interruption_is_kept():
    def words(length):
        if length == 4:
            raise KeyboardInterrupt
        return halves(length)

    found = first_failures(fractional_counter(), words, [2, 3])
    assert not found.complete
    assert found.some == {2: 3, 3: None}


def test_a_reference_that_is_exact_for_the_purpose():
    lengths = [1, 16, 17]
    exact = first_failures(gated_counter(), halves, [4], lengths=lengths)
    assert first_failures(gated_counter(), halves, [4], lengths=lengths, reference=FLOAT64) == exact


EVERYTHING = DFA(
    states=["q"], input_symbols=["a"], transitions={"q": {"a": "q"}}, initial_state="q", final_states=["q"], name="a*"
)
OUTPUTS = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])


@pytest.mark.parametrize(
    ("network", "words", "options", "message"),
    [
        (fractional_counter(), halves, {"precisions": []}, "precisions=\\[\\]: give at least one"),
        (fractional_counter(), halves, {"lengths": []}, "lengths=\\[\\]: give at least one"),
        (fractional_counter(), lambda n: [], {}, "no words of length 1"),
        (fractional_counter(), halves, {"criterion": "bits"}, "give one of"),
        (fractional_counter(), halves, {"criterion": "configuration"}, "a mere network"),
        (fractional_counter(), halves, {"criterion": "value", "reference": FLOAT64}, "only verdicts"),
        (OUTPUTS, lambda n: [[[1]] * n], {}, "gives outputs and no verdicts"),
        (fractional_counter(), halves, {"max_steps": -1}, "max_steps"),
    ],
)
def test_refusals(network, words, options, message):
    with pytest.raises(OptionError, match=message):
        first_failures(network, words, **options)


def test_an_integer_network_is_never_wrong():
    found = first_failures(compile(EVERYTHING), lambda n: "a" * n, [2, 3], lengths=range(9), criterion="configuration")
    assert found.some == {2: None, 3: None}


def test_an_executor_and_a_store_find_the_same(tmp_path):
    network = siegelmann_sontag(load("palindrome"))
    options = {"precisions": range(4, 16), "lengths": range(1, 7)}

    def words(n):
        return ["a" * n, ("ab" * n)[:n], ("ba" * n)[:n]]

    whole = first_failures(network, words, **options)
    with Processes(2) as executor:
        assert first_failures(network, words, executor=executor, store=tmp_path / "store", **options) == whole
    assert first_failures(network, words, store=tmp_path / "store", **options) == whole
    with Ledger(tmp_path / "store") as ledger:
        (summary,) = ledger.summaries()
    assert summary.kind == "verdicts"
    assert summary.done == sum(len(row.wrong) for row in whole.rows)

    def interrupt(length):
        if length == 3:
            raise KeyboardInterrupt

    part = first_failures(network, words, store=tmp_path / "other", progress=interrupt, **options)
    assert not part.complete
    assert first_failures(network, words, store=tmp_path / "other", **options) == whole


def test_a_store_is_for_verdicts_on_words_of_symbols(tmp_path):
    network = siegelmann_sontag(load("palindrome"))
    vectors = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    with pytest.raises(OptionError, match="go with verdicts on words of symbols"):
        first_failures(network, lambda n: "a" * n, criterion="value", store=tmp_path / "store")
    with pytest.raises(OptionError, match=r"gives outputs|go with verdicts"):
        first_failures(vectors, lambda n: [[1]] * n, store=tmp_path / "store")
