import sys
from dataclasses import replace

import pytest
from gmpy2 import mpq

from exactnn import FLOAT32, FLOAT64, Collapse, Outcome
from exactnn.errors import MissingExtraError, OptionError
from exactnn.plots import plot_collapse
from exactnn.plots.looks import Failure, lengths
from exactnn.precision import (
    CollapseRow,
    ConfigurationDivergence,
    Divergence,
    ValueDivergence,
    VerdictDivergence,
)


def divergence(n, arithmetic, failure, step):
    found = Divergence(word=("a",) * n, arithmetic=arithmetic, steps=n + 3, outcome=Outcome.ACCEPTED)
    if failure >= Failure.VALUE:
        found = replace(found, value=ValueDivergence(step=step, neuron="x", exact=mpq(1, 3), computed=0.3))
    if failure >= Failure.CONFIGURATION:
        found = replace(found, configuration=ConfigurationDivergence(step=step + 1, exact="p", computed="q"))
    if failure is Failure.VERDICT:
        found = replace(found, verdict=VerdictDivergence(step=n + 3, exact=Outcome.ACCEPTED, computed=None))
    return found


def table_of(*rows):
    return Collapse(
        name="made up $x_$",
        formats=(FLOAT64, FLOAT32),
        rows=tuple(
            CollapseRow(
                word=("a",) * n,
                outcome=Outcome.ACCEPTED,
                steps=n + 3,
                divergences=(divergence(n, FLOAT64, wide, step), divergence(n, FLOAT32, narrow, step)),
            )
            for n, wide, narrow, step in rows
        ),
    )


TABLE = table_of(
    (3, Failure.NOTHING, Failure.VERDICT, 2),
    (1, Failure.NOTHING, Failure.NOTHING, 0),
    (2, Failure.NOTHING, Failure.VALUE, 7),
    (2, Failure.VALUE, Failure.CONFIGURATION, 5),
)


def test_words_of_one_length_count_by_the_worst():
    found = lengths(TABLE)
    assert [entry.length for entry in found] == [1, 2, 3]
    assert found[1].failures == (Failure.VALUE, Failure.CONFIGURATION)
    assert found[1].value_steps == (5, 5)
    assert found[1].configuration_steps == (None, 6)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "PNG"])
def test_the_picture_is_saved(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    figure = plot_collapse(TABLE, path=path)
    assert path.stat().st_size > 1000
    assert tuple(figure.get_size_inches()) == (6.5, 4)


def test_axes_and_bands_have_names():
    bands, steps = plot_collapse(TABLE).axes
    assert [label.get_text() for label in bands.get_yticklabels()] == ["float64", "float32"]
    assert [text.get_text() for text in bands.get_legend().get_texts()] == [
        *("all right", "values wrong", "configuration wrong", "verdict wrong")
    ]
    assert (steps.get_xlabel(), steps.get_ylabel(), steps.get_yscale()) == ("word length", "network step", "log")


def test_bands_change_between_the_lengths():
    bands = plot_collapse(TABLE).axes[0]
    drawn = [(round(p.get_y() + 0.35), p.get_x(), p.get_width()) for p in bands.patches if p.get_fill()]
    assert drawn == [(0, 0.5, 1), (0, 1.5, 1), (0, 2.5, 1), (1, 0.5, 1), (1, 1.5, 1), (1, 2.5, 1)]


def test_lengths_that_were_not_run_are_left_white():
    table = table_of(*((n, Failure.NOTHING, Failure.VERDICT if n > 3 else Failure.NOTHING, 2) for n in (1, 2, 3, 20)))
    bars = plot_collapse(table).axes[0].patches
    found = sorted({(bar.get_x(), bar.get_x() + bar.get_width(), round(bar.get_y())) for bar in bars})
    assert found == [(0.5, 3.5, 0), (0.5, 3.5, 1), (19.5, 20.5, 0), (19.5, 20.5, 1)]


def test_bands_alone_fit_into_given_axes():
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    assert plot_collapse(TABLE, ax=axes, title="title") is figure
    assert figure.axes == [axes]
    assert axes.get_title() == "title"


def test_a_single_word_and_nothing_wrong(tmp_path):
    figure = plot_collapse(table_of((0, Failure.NOTHING, Failure.NOTHING, 0)), path=tmp_path / "one.png")
    legends = (figure.axes[0].get_legend(), figure.legends[0])
    named = [[text.get_text() for text in legend.get_texts()] for legend in legends]
    exact = ["exact run, last step", "float64, always exact", "float32, always exact"]
    assert named == [["all right"], exact]  # what occurs, and nothing else


def test_an_empty_table_is_refused():
    with pytest.raises(OptionError, match="no rows"):
        plot_collapse(table_of())


@pytest.mark.parametrize("name", ["table", "table.gif", "missing/table.png"])
def test_bad_paths_are_refused(tmp_path, name):
    with pytest.raises(OptionError, match="picture"):
        plot_collapse(TABLE, path=tmp_path / name)


def test_a_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"exactnn\[plots\]"):
        plot_collapse(TABLE)


def test_a_picture_shows_itself_in_a_notebook():
    picture = plot_collapse(table_of((0, Failure.NOTHING, Failure.NOTHING, 0)))
    assert picture._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"
