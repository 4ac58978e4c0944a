from math import log2

import pytest

import exactnn as xn
from exactnn.equivalence import StateGrowth
from exactnn.errors import OptionError
from exactnn.plots import plot_state_growth

FORMATS = [xn.EXACT, xn.FLOAT16, xn.FLOAT8_E4M3]
STACK = xn.state_growth(xn.scalar_stack(), FORMATS, max_length=8, continuations=2)


def lines_of(axes):
    return {line.get_label(): line for line in axes.lines}


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("up_to", [False, True])
def test_the_lines_are_the_logarithms_of_states_and_classes(up_to):
    axes = plot_state_growth(STACK, up_to=up_to).axes[0]
    lines = lines_of(axes)
    rows = STACK.of(xn.EXACT).rows
    states = [row.states_up_to if up_to else row.states for row in rows]
    classes = [row.classes_up_to if up_to else row.classes for row in rows]
    assert list(lines["exact"].get_ydata()) == [log2(count) for count in states]
    assert list(lines["_exact, classes"].get_ydata()) == [log2(count) for count in classes]
    assert list(lines["exact"].get_xdata()) == list(range(9))
    words = [3**n for n in range(9)]
    shown = [log2(sum(words[: n + 1]) if up_to else words[n]) for n in range(9)]
    drawn = list(lines["words"].get_ydata())
    assert drawn == shown[: len(drawn)]
    assert drawn[-2] <= axes.get_ylim()[1] < drawn[-1]


def test_saturation_is_marked_and_said():
    axes = plot_state_growth(STACK).axes[0]
    lines = lines_of(axes)
    found = STACK.of(xn.FLOAT8_E4M3)
    mark = lines["_float8_e4m3, saturated"]
    assert found.saturated_from == 6
    assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([6], [log2(found.rows[6].states)])
    assert "_exact, saturated" not in lines
    assert "float8_e4m3: no new state beyond length 6, 39 in all" in legend_of(axes)
    assert "told apart by 2 more symbols" in legend_of(axes)


def test_saturation_that_longer_words_showed_has_no_mark():
    found = xn.state_growth(xn.scalar_stack(), [xn.FLOAT8_E4M3], max_length=4, continuations=4)
    axes = plot_state_growth(found).axes[0]
    assert "_float8_e4m3, saturated" not in lines_of(axes)
    assert "float8_e4m3: no new state beyond length 6" in legend_of(axes)


def test_a_limit_is_said():
    found = xn.state_growth(xn.scalar_stack(), [xn.EXACT], max_length=20, max_states=100)
    axes = plot_state_growth(found, title="stack $q$").axes[0]
    assert legend_of(axes) == ["exact: the limit of 100 states was reached", "words"]
    assert axes.get_title() == r"stack \$q\$"
    assert axes.get_xlim() == (0, 4)


def test_markers_of_lines_that_coincide_are_apart():
    found = xn.state_growth(xn.gated_counter(), FORMATS, max_length=60)
    lines = lines_of(plot_state_growth(found).axes[0])
    assert len({lines[name].get_markevery() for name in ("exact", "float16")}) == 2


@pytest.mark.parametrize("length", [0, 1, 5000])
def test_short_and_long(tmp_path, length):
    found = xn.state_growth(xn.compile(xn.load("parity")), [xn.EXACT], max_length=length, continuations=0)
    figure = plot_state_growth(found, path=tmp_path / "growth.svg")
    assert (tmp_path / "growth.svg").stat().st_size > 1000
    assert figure.axes[0].get_ylim()[1] > 1


def test_axes_of_ones_own():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert plot_state_growth(STACK, ax=axes) is axes.figure
    assert (axes.get_xlabel(), axes.get_title()) == ("word length (symbols)", "scalar stack, base 4")


def test_nothing_to_draw():
    with pytest.raises(OptionError, match="nothing to draw"):
        plot_state_growth(StateGrowth(name="none", max_length=0, continuations=None, arithmetics=()))
