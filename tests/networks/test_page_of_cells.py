"""docs/cells.md has every squashing and every layer, and is right about what of a squashing no format rounds."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from cells import EXACT_SQUASHINGS
from gmpy2 import mpq
from hypothesis import given
from strategies import rationals

import exactnn
from exactnn import networks
from exactnn.arithmetic import FLOAT8_E4M3, FLOAT8_E5M2, FLOAT16, FLOAT64, FixedPoint, FloatFormat
from exactnn.networks import QRNN, SQUASHINGS, RecurrentLayer, SimpleRNN
from exactnn.simulation import run

PAGE = Path(exactnn.__file__).parent.parent / "docs" / "cells.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
needs_page = pytest.mark.skipif(not TEXT, reason="the docs are not there")

FORMATS = [FLOAT8_E4M3, FLOAT16, FLOAT64, FixedPoint(integer_bits=8, fraction_bits=8)] + [
    FloatFormat(precision=9, exponent_bits=6, rounding=rounding) for rounding in ("up", "down", "toward zero")
]


def what_is_rounded():
    """Return the table of squashings: from each name to what is rounded besides x."""
    _, _, rows = TEXT.partition("| name | value at x | what is rounded besides x |\n|---|---|---|\n")
    table = [row.strip("| ").split(" | ") for row in rows.partition("\n\n")[0].splitlines()]
    return {name: cells[-1] for cells in table for name in re.findall(r"`(\w+)`", cells[0])}


ROUNDED = what_is_rounded()


@needs_page
def test_it_is_complete():
    values = (getattr(networks, name) for name in networks.__all__)
    layers = [value.__name__ for value in values if isinstance(value, type) and issubclass(value, RecurrentLayer)]
    assert len(layers) > 4
    for name in layers:
        assert f"`{name}`" in TEXT or name == "RecurrentLayer", f"{name} is not in docs/cells.md: enter it in its table"
    missing = SQUASHINGS.keys() - ROUNDED.keys()
    assert not missing, f"{missing}: not in docs/cells.md: enter it in the table of activations"
    assert ROUNDED.keys() <= SQUASHINGS.keys()


NOTHING = [name for name, what in ROUNDED.items() if what == "nothing"]


@needs_page
@pytest.mark.parametrize("format", [FLOAT8_E4M3, FLOAT8_E5M2], ids=str)
@pytest.mark.parametrize("name", NOTHING)
def test_it_rounds_no_number_of_a_small_format(name, format):
    units = [Fraction(format.smallest) * 2**e for e in range(2**format.exponent_bits)]
    numbers = sorted({sign * n * unit for n in range(2**format.precision) for unit in units for sign in (1, -1)})
    numbers = [x for x in numbers if abs(x) <= format.largest]
    assert len(numbers) > 200
    network = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], activation=name, readout_weight=[1])
    found = run(network, [[x] for x in numbers], arithmetic=format).outputs
    for x, y in zip(numbers, found, strict=True):
        assert Fraction(y) == EXACT_SQUASHINGS[name](x), f"{name} rounds its value at {x}: say so in docs/cells.md"


@needs_page
@pytest.mark.parametrize("name", NOTHING)
@given(rationals(), rationals())
def test_a_squashing_rounds_nothing_but_the_sum_that_it_reads(name, weight, x):
    """Where the page says so, in every mode of rounding: also where rounding -x is not the negative of rounding x."""

    def squashed(name, format):
        network = QRNN(
            W={"z": [[weight]], "f": [[0]], "i": [[0]], "o": [[0]]},
            b={"z": [mpq(1, 7)], "f": [0], "i": [1], "o": [1]},
            pooling="ifo",
            gate="step",
            candidate=name,
            readout_weight=[1],
        )
        return run(network, [[x]], arithmetic=format).outputs[-1]

    for format in FORMATS:
        net = Fraction(squashed("identity", format))
        assert Fraction(squashed(name, format)) == EXACT_SQUASHINGS[name](net), (
            f"{name} rounds more than x in {format}: say in the table of docs/cells.md what"
        )
