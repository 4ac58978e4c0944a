"""Where counters and doubling stacks fail first in each format: the closed formulas, found again by running."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from gmpy2 import mpq

import exactnn
from exactnn.arithmetic import (
    BFLOAT16,
    EXACT,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    TF32,
    FixedPoint,
    FloatFormat,
    Rounding,
)
from exactnn.arithmetic.named import NAMED_FORMATS
from exactnn.constructions import doubling_lstm_palindromes, gated_counter, lstm_anbn
from exactnn.errors import UnsupportedArithmeticError
from exactnn.networks import LSTM
from exactnn.precision import counter_capacity, doubling_capacity
from exactnn.simulation import run

SMALL = [FLOAT8_E4M3, FLOAT8_E5M2, BFLOAT16]
SMALL += [FloatFormat(precision=p, exponent_bits=6) for p in range(2, 8)]
SMALL += [FloatFormat(precision=5, exponent_bits=6, rounding=mode) for mode in Rounding]
SMALL += [FloatFormat(precision=5, exponent_bits=6, summation="bias last")]
SMALL += [
    FloatFormat(precision=4, exponent_bits=6, accumulator=FLOAT32),
    FloatFormat(precision=4, exponent_bits=6, fused=True),
]
QUITE_WIDE = FloatFormat(precision=200, exponent_bits=20)
WIDE = [FLOAT64, FLOAT32, FLOAT16, BFLOAT16, FLOAT8_E4M3, FLOAT8_E5M2, QUITE_WIDE]
TIGHT = [
    FloatFormat(precision=p, exponent_bits=e, specials=specials)
    for p, e, specials in product((3, 4, 6, 9), (2, 3, 4), ("ieee", "nan", "none"))
]
"""Formats in which the largest number may be the limit rather than the precision."""
FIXED = [FixedPoint(integer_bits=i, fraction_bits=f) for i, f in ((3, 1), (4, 2), (6, 4))]

COUNTER = LSTM(
    V={gate: [[0]] for gate in "ifgo"},
    W={"i": [[0]], "f": [[0]], "g": [[1]], "o": [[0]]},
    b={"i": [1], "f": [1], "g": [0], "o": [1]},
    readout_weight=[1], gate="slu", candidate="hard_tanh", output="identity", alphabet="a",
)  # fmt: skip
"""Nothing but c' = c + 1."""

PALINDROMES = doubling_lstm_palindromes()


@pytest.mark.parametrize("format", [*SMALL, *TIGHT, *FIXED], ids=str)
def test_a_counter_fails_first_one_above_its_capacity(format):
    capacity = counter_capacity(format)
    outputs = run(COUNTER, "a" * (capacity + 1), arithmetic=format).outputs
    assert list(outputs[:-1]) == list(range(1, capacity + 1))
    assert outputs[-1] != capacity + 1


@pytest.mark.parametrize(("format", "capacity"), [
    (FLOAT64, 2**53), (FLOAT32, 2**24), (FLOAT16, 2048), (BFLOAT16, 256), (TF32, 2048), (FLOAT8_E4M3, 16),
    (FLOAT8_E5M2, 8), (FloatFormat(precision=2, exponent_bits=2), 3), (QUITE_WIDE, 2**200),
])  # fmt: skip
def test_counters_near_their_limit(format, capacity):
    """Wide formats from start states just below it, which are numbers of the format."""
    assert counter_capacity(format) == capacity
    for below in (2, 1):
        near = LSTM(
            V={gate: [[0]] for gate in "ifgo"}, W={"i": [[0]], "f": [[0]], "g": [[1]], "o": [[0]]},
            b={"i": [1], "f": [1], "g": [0], "o": [1]}, c=[capacity - below],
            readout_weight=[1], gate="slu", candidate="hard_tanh", output="identity", alphabet="a",
        )  # fmt: skip
        cells = [mpq(state[1]) if state[1] < float("inf") else None for state in run(
            near, "aaa", arithmetic=format, record="all"
        ).trace]  # fmt: skip
        right = [capacity - below + n for n in range(4)]
        assert cells[: below + 1] == right[: below + 1]
        assert cells[below + 1] != right[below + 1]


@pytest.mark.parametrize(
    "format", [FLOAT8_E4M3, FLOAT8_E5M2, *[FloatFormat(precision=p, exponent_bits=6) for p in (2, 3, 5)]], ids=str
)
def test_the_lstm_for_anbn_fails_first_one_above_the_capacity(format):
    net, capacity = lstm_anbn(), counter_capacity(format)
    for n in range(1, capacity + 3):
        for b, member in ((n, True), (n - 1, False), (n + 1, False)):
            right = bool(run(net, "a" * n + "b" * b, arithmetic=format).verdict) is member
            assert right or n > capacity or b > capacity, (n, b)
        says = bool(run(net, "a" * n + "b" * n, arithmetic=format).verdict)
        assert says == (n <= capacity)
        assert bool(run(gated_counter(), "a" * n + "b" * n, arithmetic=format).verdict) == says


NARROW = [
    FloatFormat(precision=11, exponent_bits=5, accumulator=FLOAT8_E4M3),
    FloatFormat(precision=11, exponent_bits=5, rounding="up", accumulator=FloatFormat(precision=3, exponent_bits=5)),
    FloatFormat(precision=8, exponent_bits=8, accumulator=FloatFormat(precision=6, exponent_bits=4, specials="none")),
    FixedPoint(integer_bits=9, fraction_bits=2, accumulator=FixedPoint(integer_bits=5, fraction_bits=2)),
]
"""Accumulators with fewer bits than the format."""


@pytest.mark.parametrize("format", NARROW, ids=str)
def test_what_is_summed_in_fewer_bits_counts_no_further(format):
    capacity, depth = counter_capacity(format), doubling_capacity(format)
    assert capacity == counter_capacity(format.accumulator) < counter_capacity(replace(format, accumulator=None))
    assert depth == doubling_capacity(format.accumulator) < doubling_capacity(replace(format, accumulator=None))
    outputs = run(COUNTER, "a" * (capacity + 1), arithmetic=format).outputs
    assert list(outputs) != list(range(1, capacity + 2)) == [*outputs[:-1], capacity + 1]
    for n, right in ((depth, True), (depth + 1, False)):
        words = [f"{half}${half[::-1]}" for half in ("b" + "a" * (n - 2) + "b", "b" * n)]
        assert all(states(word, format) == states(word, RATIONAL) for word in words) is right


def test_an_accumulator_may_be_put_right_once():
    """Its largest number, 15 + 15/16, is rounded to 16, where one more is lost."""
    format = FixedPoint(integer_bits=9, fraction_bits=2, accumulator=FixedPoint(integer_bits=5, fraction_bits=4))
    assert counter_capacity(format) == 15
    assert list(run(COUNTER, "a" * 17, arithmetic=format).outputs) == [*range(1, 17), 16]


def test_a_format_without_one_half_has_no_threshold():
    """Numbers below 1 are zero in it: the output of a^n b^n is 0, which is not above 0."""
    flushed = FloatFormat(precision=2, exponent_bits=2, specials="none", subnormals=False)
    assert (flushed.smallest, flushed.largest, counter_capacity(flushed)) == (1, 6, 4)
    assert not run(lstm_anbn(), "ab", arithmetic=flushed).verdict
    assert run(lstm_anbn(), "ab", arithmetic=replace(flushed, subnormals=True)).verdict


def states(word, arithmetic):
    return [tuple(state[8:10]) for state in run(PALINDROMES, word, arithmetic=arithmetic, record="all").trace]


@pytest.mark.mostly_slow(quick=12, slow=10)
@pytest.mark.parametrize("format", [*SMALL[:6], *SMALL[9:], *TIGHT[::2]], ids=str)
def test_a_doubling_stack_fails_first_one_above_its_capacity(format):
    capacity = doubling_capacity(format)
    depths = [n for n in (capacity - 1, capacity) if 0 <= n <= 6]
    for n in depths:
        for half in map("".join, product("ab", repeat=n)):
            word = f"{half}${half[::-1]}"
            assert states(word, format) == states(word, RATIONAL), word
    n = capacity + 1
    failing = ["b" + "a" * (n - 2) + "b", "b" * n] if n > 1 else ["b"]
    assert any(states(f"{half}${half[::-1]}", format) != states(f"{half}${half[::-1]}", RATIONAL) for half in failing)


@pytest.mark.parametrize("format", WIDE, ids=str)
def test_doubling_stacks_of_wide_formats(format):
    """Formats whose exponents are wide enough: p places, and b a^(p-1) b is rejected."""
    p = format.precision
    assert doubling_capacity(format) == p
    for half in ("b" * p, "b" + "a" * (p - 2) + "b", "ab" * (p // 2), "a" * p):
        word = f"{half}${half[::-1]}"
        assert run(PALINDROMES, word, arithmetic=format).verdict
        assert not run(PALINDROMES, word[:-1], arithmetic=format).verdict
        assert states(word, format) == states(word, RATIONAL)
    half = "b" + "a" * (p - 1) + "b"
    assert not run(PALINDROMES, f"{half}${half[::-1]}", arithmetic=format).verdict


@pytest.mark.parametrize("format", FIXED, ids=str)
def test_doubling_stacks_in_fixed_point(format):
    capacity = doubling_capacity(format)
    for half in map("".join, product("ab", repeat=min(5, capacity))):
        word = f"{half}${half[::-1]}"
        assert states(word, format) == states(word, RATIONAL)
    word = "b" * (capacity + 1)
    assert states(f"{word}${word}", format) != states(f"{word}${word}", RATIONAL)


def test_the_table_of_the_docs():
    lines = (Path(exactnn.__file__).parent.parent / "docs" / "counting.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    found = {row[0]: [int(cell.replace(" ", "")) for cell in row[1:]] for row in rows if row[0] in NAMED_FORMATS}
    assert len(found) == 6
    for name, (p, counter, stack) in found.items():
        format = NAMED_FORMATS[name]
        assert (format.precision, counter_capacity(format), doubling_capacity(format)) == (p, counter, stack)


def test_exact_arithmetic_has_no_limit_and_other_things_no_capacity():
    for capacity in (counter_capacity, doubling_capacity):
        assert capacity(EXACT) is capacity(RATIONAL) is None
        for wrong in ("flot16", 3, None):
            with pytest.raises(UnsupportedArithmeticError, match=r"is unknown|is no arithmetic"):
                capacity(wrong)
