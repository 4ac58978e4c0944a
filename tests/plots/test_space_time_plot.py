import sys

import pytest

import exactnn as xn
from exactnn.automata import LOST
from exactnn.errors import MissingExtraError, OptionError
from exactnn.plots import plot_space_time
from exactnn.precision import space_time


@pytest.fixture(scope="module")
def tapes():
    return space_time(xn.compile(xn.load("bb4")), "", [xn.FLOAT16])


def image(axes):
    return axes.images[0].get_array()


def test_the_panels_show_the_symbols_of_the_tapes(tapes):
    exact, rounded = plot_space_time(tapes).axes
    first = round(exact.images[0].get_extent()[0] + 0.5)
    for axes, run in ((exact, tapes.exact), (rounded, tapes.computed[0])):
        shown = image(axes)
        for row, cells in zip(run.rows, shown, strict=True):
            assert cells[row.head - first] == int(row.configuration.scanned)
            left = [int(symbol) for symbol in row.configuration.left[: row.head - first]]
            assert list(cells[: row.head - first][::-1][: len(left)]) == left
    assert (exact.get_xlabel(), exact.get_ylabel()) == ("cell", "network step")


def test_the_first_wrong_cell_is_in_a_ring_and_later_than_the_verdict_nothing_is_shown(tapes):
    exact, rounded = plot_space_time(tapes).axes
    (ring,) = [line for line in rounded.lines if line.get_label() == "first wrong cell"]
    wrong = tapes.computed[0].divergence.configuration
    assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([tapes.computed[0].wrong_cell], [wrong.step])
    assert not [line for line in exact.lines if line.get_label() == "first wrong cell"]
    assert rounded.get_title() == f"float16\nwrong from step {wrong.step}"
    assert [text.get_text() for text in rounded.texts] == ["halted at step 75"]
    assert [text.get_text() for text in exact.texts] == []


def test_what_is_lost_has_a_colour_of_its_own_and_no_head():
    net = xn.siegelmann_sontag_book(xn.load("bb4"))
    found = space_time(net, "", [xn.FLOAT16])
    figure = plot_space_time(found)
    rows = found.computed[0].rows
    lost = next(i for i, row in enumerate(rows) if row.configuration.state is LOST)
    shown = image(figure.axes[1])
    assert shown.max() == 2
    (heads,) = [line for line in figure.axes[1].lines if line.get_label() == "head"]
    assert heads.get_xdata()[lost] != heads.get_xdata()[lost]
    assert "cannot be read" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_stacks_have_bottoms_and_tops():
    found = space_time("mirror-stacks", "abab#baba", ["float16"])
    figure = plot_space_time(found)
    exact = figure.axes[0]
    tops = [line for line in exact.lines if line.get_label() == "head"]
    assert len(tops) == 2
    for stack, line in enumerate(tops):
        for row, top in zip(found.exact.rows, line.get_xdata(), strict=True):
            assert bool(top == row.heads[stack]) is (row.heads[stack] is not None)
    assert [text.get_text() for text in exact.get_xticklabels()] == ["1", "2"]
    assert (exact.get_xlabel(), exact.get_ylim()) == ("stack", (len(found.exact.rows) - 0.5, -0.5))
    ends = [line.get_xdata()[0] for line in exact.lines if line.get_label() == "bottom"]
    assert ends == [end - 0.5 for end in found.layout.ends]
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown[:3] == ["a", "b", "#"]
    assert {"top", "bottom", "first wrong cell"} <= set(shown)


def test_a_state_that_stands_for_nothing_is_no_blank_tape():
    found = space_time(xn.compile(xn.load("palindrome")), "abbaabba", [xn.FLOAT16])
    rows = found.computed[0].rows
    lost = [i for i, row in enumerate(rows) if row.configuration.state is LOST]
    assert set(rows[lost[-1]].configuration.tape) == {"_"}
    figure = plot_space_time(found)
    exact, rounded = figure.axes
    (hatched,) = [patch for patch in rounded.patches if patch.get_label() == "cannot be read"]
    assert hatched.get_hatch()
    for i in lost:
        assert set(image(rounded)[i]) == {3}
        assert hatched.get_path().contains_point((0, rows[i].step))
    assert not hatched.get_path().contains_point((0, rows[lost[0] - 1].step))
    assert not [patch for patch in exact.patches if patch.get_label() == "cannot be read"]
    named = {text.get_text(): patch for text, patch in zip(*legend(figure), strict=True)}
    assert named["cannot be read"].get_hatch() == hatched.get_hatch()


def legend(figure):
    (drawn,) = figure.legends
    return drawn.get_texts(), drawn.legend_handles


def test_long_runs_are_sampled(tmp_path):
    found = space_time(xn.compile(xn.load("bb5")), "", [xn.FLOAT32], max_steps=1500, rows=100)
    figure = plot_space_time(found, path=tmp_path / "tapes.svg")
    assert image(figure.axes[0]).shape[0] == 94
    assert found.computed[0].divergence.configuration.step in [row.step for row in found.computed[0].rows]
    assert figure.axes[0].images[0].get_extent()[2] == 94 * 16 - 0.5
    assert (tmp_path / "tapes.svg").stat().st_size < 300_000


def test_a_semi_infinite_tape_begins_with_cell_0_unless_what_is_wrong_is_beyond():
    net = xn.compile(xn.load("palindrome"))
    figure = plot_space_time(space_time(net, "abba", [xn.FLOAT32]))
    assert figure.axes[0].get_xlim()[0] == -0.5
    found = space_time(net, "abba", [xn.FLOAT32, xn.FLOAT16, xn.FloatFormat(precision=13, exponent_bits=5)])
    assert found.computed[2].wrong_cell == -1
    figure = plot_space_time(found)
    assert len(figure.axes) == 4
    assert figure.axes[0].get_xlim()[0] == -1.5
    assert "end of the tape" in [line.get_label() for line in figure.axes[0].lines]


def test_many_symbols_have_colours(tmp_path):
    symbols = [chr(ord("a") + i) for i in range(20)]
    machine = xn.TuringMachine(
        states=["q", "end"],
        input_symbols=symbols,
        tape_symbols=[*symbols, "_"],
        transitions={"q": {a: ("q", a, "R") for a in symbols} | {"_": ("end", "_", "L")}},
        initial_state="q",
        blank_symbol="_",
        accept_state="end",
    )
    found = space_time(xn.compile(machine), "".join(symbols), [xn.FLOAT64])
    figure = plot_space_time(found, path=tmp_path / "many.png")
    assert figure.axes[0].images[0].cmap.N == 22
    assert "and 9 more" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_given_axes_show_the_first_format(tapes):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    assert plot_space_time(tapes, ax=axes, title="title") is figure
    assert (axes.get_title(), len(axes.images)) == ("title", 1)


def test_too_many_formats_and_a_missing_matplotlib(tapes, monkeypatch):
    formats = [xn.FloatFormat(precision=p, exponent_bits=5) for p in range(8, 12)]
    with pytest.raises(OptionError, match="4 formats"):
        plot_space_time(space_time(xn.compile(xn.load("bb2")), "", formats))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"exactnn\[plots\]"):
        plot_space_time(tapes)
