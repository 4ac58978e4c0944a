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


def test_runs_of_one_network_have_one_scale():
    words = ("aaaa", "a" * 20)
    low, high = plot_counters([xn.trajectory(counting(), word) for word in words]).axes
    assert low.get_ylim() == high.get_ylim()
    assert low.get_ylim()[1] >= 20
    low, high = plot_counters([xn.trajectory(counting(weight), "aaaa") for weight in (1, 5)]).axes[:2]
    assert low.get_ylim() == high.get_ylim()  # they are called the same
    other = replace(counting(5), name="fives")
    low, high = plot_counters([xn.trajectory(network, "aaaa") for network in (counting(), other)]).axes
    assert low.get_ylim() != high.get_ylim()


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
