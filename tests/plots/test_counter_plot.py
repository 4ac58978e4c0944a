import math
from dataclasses import replace

import pytest

import exactnn as xn
from exactnn.plots import plot_counters


def counting(weight=1):
    return xn.SimpleRNN(
        V=[[1, 0], [0, 1]], W=[[weight, -1], [0, 1]], b=[0, 0], s=[0, 0], readout_weight=[1, 0], activation="identity",
        alphabet="ab", name="counts",
    )  # fmt: skip


def test_lines_are_the_components():
    axes = plot_counters(xn.trajectory(counting(), "aaabb")).axes[0]
    first, second = (line for line in axes.lines if not line.get_label().startswith("_"))
    assert list(first.get_ydata()) == [0, 1, 2, 3, 2, 1]
    assert list(second.get_ydata()) == [0, 0, 0, 0, 1, 2]
    assert list(first.get_xdata()) == list(range(6))
    assert axes.get_title() == "counts, exact"
    assert axes.get_xlabel() == "network step"
    (switch,) = (line for line in axes.lines if line.get_label().startswith("_"))
    assert set(switch.get_xdata()) == {3}


def test_a_panel_for_each_run(tmp_path):
    runs = [xn.trajectory(counting(), "aaabbb", arithmetic) for arithmetic in (xn.EXACT, xn.FLOAT16, xn.FLOAT32)]
    figure = plot_counters(runs, path=tmp_path / "counters.svg")
    shown = [axes.get_title() for axes in figure.axes if axes.axison]
    assert shown == ["counts, exact", "counts, float16", "counts, float32"]
    assert (tmp_path / "counters.svg").stat().st_size > 1000


def test_panels_have_one_scale_unless_one_says_otherwise():
    small, large = counting(), replace(counting(5), name="fives")
    runs = [xn.trajectory(small, "aaaa"), xn.trajectory(large, "aaaa"), xn.trajectory(small, "aaaab")]
    panels = plot_counters(runs).axes[:3]
    assert len({axes.get_ylim() for axes in panels}) == 1
    assert panels[0].get_ylim()[1] >= 20
    first, second, third = plot_counters(runs, one_scale=False).axes[:3]
    assert first.get_ylim() == third.get_ylim()
    assert first.get_ylim()[1] < 5 < 20 <= second.get_ylim()[1]
    with pytest.raises(xn.ExactnnError, match="one_scale"):
        plot_counters(runs, one_scale="no")


def test_long_runs_are_thinned_and_infinite_values_left_out():
    tiny = xn.FloatFormat(precision=4, exponent_bits=3)
    line = plot_counters(xn.trajectory(counting(), "a" * 9000)).axes[0].lines[0]
    assert len(line.get_xdata()) <= 2000
    assert line.get_ydata()[-1] == line.get_xdata()[-1]
    line = plot_counters(xn.trajectory(counting(15), "a" * 5, tiny)).axes[0].lines[0]
    assert math.isnan(line.get_ydata()[-1])


def test_given_axes_and_refusals():
    from matplotlib.figure import Figure

    run = xn.trajectory(counting(), "ab")
    figure = Figure()
    assert plot_counters(run, ax=figure.subplots(), title="$a$") is figure
    assert figure.axes[0].get_title() == r"\$a\$"
    with pytest.raises(xn.ExactnnError, match="a panel each"):
        plot_counters([run, run], title="two")
    with pytest.raises(xn.ExactnnError, match="nothing to draw"):
        plot_counters([])


def test_a_component_whose_name_begins_with_an_underscore_is_in_the_legend():
    found = replace(xn.trajectory(counting(), "ab"), components=("_count", "b"))
    shown = plot_counters(found).axes[0].get_legend().get_texts()
    assert [text.get_text() for text in shown] == ["'_count'", "b"]
