"""The formulas of docs/collapse_formulas.md: the first length that p bits get wrong, as measured for every p."""

from fractions import Fraction
from itertools import product
from math import ceil, floor, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactnn import (
    BFLOAT16,
    EXACT,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FloatFormat,
    Outcome,
    Rounding,
    collapse,
    first_divergence,
    first_failures,
    fractional_counter,
    gated_counter,
    run,
    scalar_stack,
    vector_stack,
)
from exactnn.precision import significand_bits

MODES = list(Rounding)
WHOLE = [mode for mode in MODES if mode is not Rounding.STOCHASTIC]
BITS = st.text("01", max_size=40)


def mirrored(word):
    return f"{word}#{word[::-1]}"


def all_words(length):
    return [mirrored("".join(w)) for w in product("01", repeat=length)]


def halves(n):
    return "a" * n + "b" * n


@pytest.mark.mostly_slow(quick=4, slow=4)
@pytest.mark.parametrize("rounding", MODES)
@pytest.mark.parametrize("criterion", ["value", "verdict"])
def test_scalar_stack_on_all_words(rounding, criterion):
    """Worst words: floor(p/2) + 1. All words: ceil(p/2) + 1. Value and verdict, in every rounding mode."""
    precisions = range(2, 11 if criterion == "verdict" else 9)
    found = first_failures(
        scalar_stack(), all_words, precisions, lengths=range(8), rounding=rounding, criterion=criterion
    )
    assert found.some == {p: p // 2 + 1 for p in precisions}
    assert found.every == {p: (p + 1) // 2 + 1 for p in precisions}


@pytest.mark.parametrize("rounding", MODES)
def test_scalar_stack_on_the_extremal_words(rounding):
    precisions = range(2, 21 if rounding is Rounding.STOCHASTIC else 53)
    worst = first_failures(
        scalar_stack(), lambda n: mirrored("1" * n), precisions, lengths=range(30), rounding=rounding
    )
    best = first_failures(scalar_stack(), lambda n: mirrored("0" * n), precisions, lengths=range(30), rounding=rounding)
    assert worst.some == {p: p // 2 + 1 for p in precisions}
    assert best.some == {p: (p + 1) // 2 + 1 for p in precisions}


@given(BITS, st.integers(2, 60), st.sampled_from(MODES), st.integers(0, 99))
def test_a_scalar_stack_is_right_as_far_as_the_number_of_its_longest_stack_is_there(word, p, rounding, seed):
    """Value and verdict are right exactly if the significand of the full stack has at most p bits."""
    full = sum((Fraction(2 * int(z) + 1, 4 ** (i + 1)) for i, z in enumerate(reversed(word))), Fraction(0))
    bits = 2 * len(word) - word.endswith("0")
    assert not word or significand_bits(full) == bits
    format = FloatFormat(precision=p, exponent_bits=10, rounding=rounding, seed=seed)
    found = first_divergence(scalar_stack(), mirrored(word), format)
    assert (found.value is None) == (found.verdict is None) == (bits <= p)


@given(BITS, st.text("01#", max_size=40), st.integers(2, 20), st.sampled_from(MODES))
def test_who_accepts_the_mirror_image_accepts_nothing_else(word, other, p, rounding):
    """A stack that is right on w # w^R is right on every other end of the word too."""
    format = FloatFormat(precision=p, exponent_bits=10, rounding=rounding)
    for network in (scalar_stack(), vector_stack()):
        right = run(network, mirrored(word), arithmetic=format).outcome is Outcome.ACCEPTED
        if right and other != word[::-1]:
            assert run(network, f"{word}#{other}", arithmetic=format).outcome is Outcome.REJECTED


def span(word, symbol):
    """Return the distance from the first to the last occurrence of a symbol, both counted."""
    places = [i for i, a in enumerate(word) if a == symbol]
    return places[-1] - places[0] + 1 if places else 0


@given(st.text("01", max_size=30), st.integers(2, 52), st.sampled_from(MODES))
def test_a_vector_stack_in_base_4_is_exact_as_far_as_no_symbol_is_spread_too_far(word, p, rounding):
    format = FloatFormat(precision=p, exponent_bits=10, rounding=rounding)
    found = first_divergence(vector_stack(base=4), mirrored(word), format)
    fits = 2 * max(span(word, "0"), span(word, "1")) <= p
    assert (found.value is None) == fits
    if fits:
        assert found.verdict is None


@pytest.mark.parametrize("rounding", [Rounding.NEAREST_EVEN, Rounding.TOWARD_ZERO])
def test_vector_stack_in_base_4_on_all_words(rounding):
    precisions = range(2, 8)
    value = first_failures(
        vector_stack(base=4), all_words, precisions, lengths=range(8), rounding=rounding, criterion="value"
    )
    assert value.some == {p: p // 2 + 1 for p in precisions}
    assert value.every == {p: 2 * (p // 2) + 1 for p in precisions}


def test_vector_stack_in_base_4_verdicts_measured_to_be_those_of_the_values():
    precisions = range(2, 8)
    verdict = first_failures(vector_stack(base=4), all_words, precisions, lengths=range(8))
    assert verdict.some == {p: p // 2 + 1 for p in precisions}
    assert verdict.every == {p: 2 * (p // 2) + 1 for p in precisions}


MEASURED = {
    Rounding.NEAREST_EVEN: {2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 7: 4, 8: 5, 9: 5, 10: 6, 11: 6, 12: 7},
    Rounding.TOWARD_ZERO: {2: 2, 3: 2, 4: 2, 5: 2, 6: 4, 7: 3, 8: 5, 9: 4, 10: 6, 11: 6, 12: 7},
}
"""The first wrong verdicts of the vector stack in base 3: the table of the document, not monotone in p."""


@pytest.mark.parametrize("rounding", MEASURED)
def test_vector_stack_in_base_3_measured(rounding):
    expected = MEASURED[rounding]
    found = first_failures(vector_stack(), all_words, expected, lengths=range(8), rounding=rounding)
    assert found.some == expected


def test_no_value_of_the_vector_stack_in_base_3_is_ever_right():
    for rounding in MODES:
        found = first_failures(
            vector_stack(), all_words, range(2, 31), lengths=range(2), rounding=rounding, criterion="value"
        )
        assert set(found.some.values()) == set(found.every.values()) == {1}


def proven_bounds(p):
    """Return n and m: no word of at most n symbols is wrong, and one of at most m is."""
    return max(0, floor((p - 7) / log2(3))), ceil((p + 3) / log2(3)) + 3


def test_the_proven_bounds_hold_of_the_measured_lengths():
    for p, length in MEASURED[Rounding.NEAREST_EVEN].items():
        right, wrong = proven_bounds(p)
        assert right < length <= wrong


@given(st.integers(9, 52), st.data())
def test_the_vector_stack_in_base_3_is_right_up_to_the_proven_length(p, data):
    right, _ = proven_bounds(p)
    word = data.draw(st.text("01", max_size=right))
    format = FloatFormat(precision=p, exponent_bits=10)
    assert first_divergence(vector_stack(), mirrored(word), format).verdict is None


def test_the_vector_stack_in_base_3_is_wrong_from_the_proven_length_on():
    """The words 0^n end at a number that knows no n."""
    found = first_failures(vector_stack(), lambda n: mirrored("0" * n), range(2, 53), lengths=range(1, 40))
    for p, length in found.some.items():
        assert length is not None
        assert proven_bounds(p)[0] < length <= proven_bounds(p)[1]


@pytest.mark.mostly_slow(quick=6)
@pytest.mark.parametrize("rounding", MODES)
@pytest.mark.parametrize("every", [5, 1])
def test_fractional_counter(every, rounding):
    """Each mode measures another fifth of the precisions, and then all of them, which takes long."""
    most, least = 20 if rounding is Rounding.STOCHASTIC else 52, 2 + MODES.index(rounding) % every
    for criterion, longest in (("value", min(most, 30)), ("verdict", most)):
        precisions = range(least, longest + 1, every)
        found = first_failures(
            fractional_counter(), halves, precisions, lengths=range(most + 4), rounding=rounding, criterion=criterion
        )
        assert found.some == {p: p + 1 for p in precisions}


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("rounding", MODES)
def test_fractional_counter_is_wrong_ever_after(rounding):
    for p in range(2, 12):
        for n in (*range(p + 1, p + 9), p + 29):
            assert first_failures(fractional_counter(), halves, [p], lengths=[n], rounding=rounding).some[p] == n


@pytest.mark.parametrize("rounding", WHOLE)
def test_gated_counter_at_every_length(rounding):
    for criterion, most in (("value", 5), ("verdict", 7)):
        precisions = range(2, most + 1)
        found = first_failures(
            gated_counter(), halves, precisions, lengths=range(2**most + 2), rounding=rounding, criterion=criterion,
            reference=FLOAT64 if criterion == "verdict" else EXACT,
        )  # fmt: skip
        assert found.some == {p: 2**p + 1 for p in precisions}


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("rounding", WHOLE)
def test_gated_counter_is_wrong_ever_after(rounding):
    for p in (2, 3, 4):
        for n in range(2**p + 1, 6 * 2**p):
            found = first_failures(gated_counter(), halves, [p], lengths=[n], rounding=rounding, reference=FLOAT64)
            assert found.some[p] == n


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("rounding", WHOLE)
def test_gated_counter_around_powers_of_two(rounding):
    """All shorter words are right: every count up to 2^p is a number of the format (see the document)."""
    precisions = range(2, 15)
    found = first_failures(
        gated_counter(), halves, precisions, lengths=sorted({2**k + d for k in precisions for d in (-1, 0, 1)}),
        rounding=rounding, reference=FLOAT64,
    )  # fmt: skip
    assert found.some == {p: 2**p + 1 for p in precisions}


NAMED = {
    FLOAT64: (27, 28, 54),
    FLOAT32: (13, 13, 25),
    FLOAT16: (6, 7, 12),
    BFLOAT16: (5, 5, 9),
    FLOAT8_E4M3: (3, 3, 5),
    FLOAT8_E5M2: (2, 3, 4),
}
"""Of each format: the scalar stack on 1^n and on 0^n, and the fractional counter."""


def test_named_formats():
    """Their exponents are wide enough for the formulas."""
    families = [
        (scalar_stack(), [mirrored("1" * n) for n in range(29)]),
        (scalar_stack(), [mirrored("0" * n) for n in range(29)]),
        (fractional_counter(), [halves(n) for n in range(55)]),
    ]
    tables = [collapse(network, words, list(NAMED)) for network, words in families]
    for format, lengths in NAMED.items():
        assert tuple(len(table.first_failure(format).word) // 2 for table in tables) == lengths
        assert lengths == (format.precision // 2 + 1, (format.precision + 1) // 2 + 1, format.precision + 1)


def test_named_formats_in_base_3():
    formats = {FLOAT16: 6, BFLOAT16: 5, FLOAT8_E4M3: 3, FLOAT8_E5M2: 2}
    table = collapse(vector_stack(), [word for n in range(7) for word in all_words(n)], list(formats))
    for format, length in formats.items():
        assert len(table.first_failure(format).word) // 2 == length


@pytest.mark.parametrize("format", [FLOAT16, BFLOAT16, FLOAT8_E4M3, FLOAT8_E5M2], ids=str)
def test_named_formats_count_to_two_to_the_precision(format):
    """float32 was counted to 16,777,217 by hand (docs/collapse_formulas.md)."""
    limit = 2**format.precision
    outcomes = [run(gated_counter(), halves(limit + d), arithmetic=format).outcome for d in (-1, 0, 1, 2, limit)]
    assert outcomes == [Outcome.ACCEPTED] * 2 + [Outcome.REJECTED] * 3


def test_a_stochastic_count_is_wrong_at_the_same_length_and_may_come_out_right():
    verdicts = []
    for seed in range(40):
        found = first_failures(
            gated_counter(), halves, [4], lengths=[16, 17], rounding="stochastic", seed=seed, criterion="value"
        )
        assert found.some == {4: 17}
        format = FloatFormat(precision=4, exponent_bits=10, rounding="stochastic", seed=seed)
        verdicts.append(run(gated_counter(), halves(17), arithmetic=format).outcome)
    assert set(verdicts) == {Outcome.ACCEPTED, Outcome.REJECTED}
