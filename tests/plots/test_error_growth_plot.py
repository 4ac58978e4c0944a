import math

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.plots import plot_error_growth
from exactnn.precision import error_growth


@pytest.fixture(scope="module")
def growth():
    net = xn.compile(xn.load("palindrome"))
    return error_growth(net, "abbaabba", [xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16])


def line_of(axes, label):
    (line,) = [line for line in axes.lines if line.get_label() == label]
    return line


def test_the_lines_are_the_logarithms(growth):
    axes = plot_error_growth(growth).axes[0]
    for entry in growth.formats[1:]:
        line = line_of(axes, str(entry.arithmetic))
        assert list(line.get_xdata()) == list(range(growth.steps + 1))
        for error, y in zip(entry.errors, line.get_ydata(), strict=True):
            assert math.isnan(y) if error == 0 else y == pytest.approx(math.log2(error))
    assert axes.get_xlabel() == "network step"
    assert axes.get_ylabel() == "largest error of a neuron (absolute)"


def test_the_first_wrong_steps_are_marked(growth):
    axes = plot_error_growth(growth).axes[0]
    for entry in growth.formats[1:]:
        for what in ("configuration", "verdict"):
            mark = line_of(axes, f"_{entry.arithmetic}, first wrong {what}")
            assert list(mark.get_xdata()) == [getattr(entry.divergence, what).step]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[0] == "float64, always exact"
    assert labels[4:] == ["first wrong configuration", "first wrong verdict"]


def test_an_error_far_below_every_float_is_drawn(tmp_path):
    shrinks = xn.SimpleRNN(V=[[mpq(1, 2**500 + 1)]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    growth = error_growth(shrinks, [1] + [0] * 12, [xn.FLOAT64])
    figure = plot_error_growth(growth, path=tmp_path / "tiny.png")
    assert line_of(figure.axes[0], "float64").get_ydata()[-1] == pytest.approx(-6000)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert "$2^{-6000}$" in labels


def test_infinite_values_are_marked():
    triples = xn.SimpleRNN(V=[[3]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    growth = error_growth(triples, [1] + [0] * 6, [xn.FloatFormat(precision=4, exponent_bits=3)])
    axes = plot_error_growth(growth).axes[0]
    (entry,) = growth.formats
    marks = line_of(axes, f"_{entry.arithmetic}, infinite or NaN")
    assert list(marks.get_xdata()) == [step for step, error in enumerate(entry.errors) if error is None]
    assert "infinite or NaN" in [text.get_text() for text in axes.get_legend().get_texts()]


def test_nothing_wrong_and_long_runs(tmp_path):
    net = xn.compile(xn.load("parity"))
    axes = plot_error_growth(error_growth(net, "01"), path=tmp_path / "right.pdf").axes[0]
    assert [text.get_text() for text in axes.texts] == ["no error"]
    thirds = xn.SimpleRNN(V=[["1/3"]], W=[["1/3"]], b=[0], s=[0], readout_weight=[1])
    growth = error_growth(thirds, [1, 0] * 1500, [xn.FLOAT32])
    line = line_of(plot_error_growth(growth).axes[0], "float32")
    assert len(line.get_xdata()) <= 2000
    assert max(line.get_ydata()[1:]) == pytest.approx(math.log2(max(growth.formats[0].errors)))


def test_given_axes(growth):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    assert plot_error_growth(growth, ax=axes, title="title") is figure
    assert axes.get_title() == "title"


def test_a_format_whose_name_begins_with_an_underscore_is_in_the_legend():
    halves = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    growth = error_growth(halves, [1, 0], [xn.FloatFormat(precision=4, exponent_bits=5, name="_mine")])
    shown = plot_error_growth(growth).axes[0].get_legend().get_texts()
    assert shown[0].get_text().startswith("'_mine")
