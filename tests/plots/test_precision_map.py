import pytest

import exactnn as xn
from exactnn.errors import OptionError
from exactnn.plots import plot_precision_map
from exactnn.plots.looks import Failure
from exactnn.precision import PrecisionThreshold, WordThreshold

PRECISIONS = range(2, 20)


@pytest.fixture(scope="module")
def net():
    return xn.compile(xn.load("palindrome"))


def formats():
    return [xn.FloatFormat(precision=p, exponent_bits=10) for p in PRECISIONS]


def mesh(axes):
    (found,) = axes.collections
    return found.get_array()


def threshold(failing, precisions=(2, 3, 4, 5)):
    words = tuple(
        WordThreshold(word=("a",) * n, outcome=xn.Outcome.ACCEPTED, steps=n, failing=wrong) for n, wrong in failing
    )
    return PrecisionThreshold(precisions=precisions, criterion="verdict", words=words)


def test_the_map_is_the_table(net):
    words = ["a" * n for n in (3, 1, 5)]
    table = xn.collapse(net, words, formats()[::-1])
    axes = plot_precision_map(table).axes[0]
    drawn = mesh(axes)
    assert drawn.shape == (len(PRECISIONS), 3)
    for column, n in enumerate((1, 3, 5)):
        for row, fmt in enumerate(formats()):
            found = xn.first_divergence(net, "a" * n, fmt)
            worst = max((kind for kind in Failure if kind and getattr(found, kind.name.lower()) is not None), default=0)
            assert drawn[row, column] == worst
    assert axes.get_xlabel() == "word length"
    assert axes.get_ylabel() == "precision (bits of the significand)"
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[:4] == ["all right", "values wrong", "configuration wrong", "verdict wrong"]


def test_the_map_of_a_threshold_says_the_same_of_verdicts(net):
    words = ["a" * n for n in range(1, 5)]
    from_table = mesh(plot_precision_map(xn.collapse(net, words, formats())).axes[0])
    found = xn.precision_threshold(net, words, precisions=PRECISIONS)
    from_threshold = mesh(plot_precision_map(found).axes[0])
    assert ((from_table == Failure.VERDICT) == (from_threshold == Failure.VERDICT)).all()
    assert {int(x) for x in from_threshold.flat} <= {Failure.NOTHING, Failure.VERDICT}


def test_the_line_is_above_every_failing_precision_also_where_a_smaller_one_is_right():
    axes = plot_precision_map(threshold([(1, ()), (2, (2, 4)), (4, (2, 3, 4, 5)), (2, (3,))])).axes[0]
    (line,) = [patch for patch in axes.patches if hasattr(patch, "get_data")]
    assert list(line.get_data().values) == [1.5, 4.5, 5.5]
    assert list(line.get_data().edges) == [0.5, 1.5, 3.0, 4.5]
    assert mesh(axes)[:, 1].tolist() == [3, 3, 3, 0]


def test_formats_are_named_on_the_right_where_they_are():
    precisions = tuple(range(2, 30))
    axes = plot_precision_map(threshold([(1, (2,))], precisions)).axes[0]
    (side,) = axes.child_axes
    names = dict(zip(side.get_yticks(), [label.get_text() for label in side.get_yticklabels()], strict=True))
    assert names == {24: "float32", 11: "float16, tf32", 8: "bfloat16"}


def test_given_axes_and_title_and_file(tmp_path):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    path = tmp_path / "map.svg"
    assert plot_precision_map(threshold([(0, ())]), ax=axes, title="a $x_$", path=path) is figure
    assert axes.get_title() == r"a \$x_\$"
    assert path.stat().st_size > 1000


def test_what_is_no_map_is_refused(net):
    with pytest.raises(OptionError, match="more than their precision"):
        plot_precision_map(xn.collapse(net, ["a"], [xn.FLOAT32, xn.FLOAT16]))
    with pytest.raises(OptionError, match="no words"):
        plot_precision_map(threshold([]))
    with pytest.raises(OptionError, match="no rows"):
        plot_precision_map(xn.collapse(net, [], formats()))
