from itertools import pairwise

import pytest

import exactnn as xn
from exactnn.errors import OptionError
from exactnn.plots import plot_required_bits
from exactnn.precision import RequiredBits, required_bits

FOUND = RequiredBits(steps=(0, 1, 2, 3, 4), rational=(1, 9, 30, 70, 20), significand=(1, 9, 12, 60, 8))


def test_the_lines_are_the_bits():
    axes = plot_required_bits(FOUND).axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["longest numerator or denominator"].get_ydata()) == list(FOUND.rational)
    assert list(lines["significand that has all numbers"].get_ydata()) == list(FOUND.significand)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("network step", "bits")


def test_formats_are_lines_with_a_mark_where_they_are_too_short():
    axes = plot_required_bits(FOUND, formats=[xn.FLOAT64, xn.TF32, xn.FLOAT16, xn.BFLOAT16]).axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["8: bfloat16, too few at step 1", "11: tf32, float16, too few at step 2",
                     "53: float64, too few at step 3"]  # fmt: skip
    marks = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines if line.get_marker() == "D"]
    assert marks == [([1], [8]), ([2], [11]), ([3], [53])]


def test_precisions_near_each_other_have_names_apart(tmp_path):
    long = RequiredBits(steps=(0, 1), rational=(1, 900), significand=(1, 900))
    axes = plot_required_bits(long, path=tmp_path / "bits.png").axes[0]
    heights = [text.get_position()[1] for text in axes.texts]
    assert min(b - a for a, b in pairwise(heights)) > 40


def test_where_no_precision_is_enough():
    net = xn.siegelmann_sontag(xn.load("palindrome"), base=7)
    found = required_bits(xn.run(net, "ab", record="all"))
    axes = plot_required_bits(found, formats=None).axes[0]
    assert "no precision is enough" in [text.get_text() for text in axes.get_legend().get_texts()]


def test_nothing_to_draw():
    with pytest.raises(OptionError, match="nothing to draw"):
        plot_required_bits(RequiredBits(steps=(), rational=(), significand=()))
