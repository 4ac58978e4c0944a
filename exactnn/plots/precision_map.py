"""The precision map: word length across, bits of the significand upwards, and what goes wrong there."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from exactnn.arithmetic import NAMED_FORMATS, Format, float_formats
from exactnn.errors import OptionError
from exactnn.plots.looks import FAILURES, LEGEND, WIDTH, Failure, edges, legend_columns, lengths, put_title, same_sizes
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.precision import Collapse, PrecisionThreshold, VerdictSweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["differ_by_precision", "plot_precision_map"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Map:
    """What failed: `failures` has a row for each precision, in ascending order, with an entry for each length."""

    title: str
    lengths: list[int]
    precisions: list[int]
    failures: list[list[Failure]]
    shown: list[Failure]
    """The failures that can be, from nothing on."""


def plot_precision_map(
    found: Collapse | PrecisionThreshold | VerdictSweep,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw what goes wrong at each word length in each precision, as a map.

    Words of the same length count together, by the worst failure. A line shows the precision from which on all that
    were tried are right at that length (in the verdict, or by the criterion of a threshold): a precision that is right
    below the line is right by chance.

    Parameters
    ----------
    found : Collapse, PrecisionThreshold or VerdictSweep
        A collapse table whose formats differ by their precision only, or a threshold.
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw into these axes.
    title : str, optional
        By default the name of the network, or the criterion of the threshold.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If there are no words, formats differ by more than the precision, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import precision_threshold
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> words = [[1] * n for n in range(1, 6)]
    >>> figure = plot_precision_map(precision_threshold(halves, words, precisions=range(2, 8), criterion="value"))
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('word length', 'precision (bits of the significand)')
    """
    check_drawing(
        "found",
        found,
        (Collapse, PrecisionThreshold, VerdictSweep),
        "exactnn.collapse, precision_threshold or verdict_sweep",
        path,
        title,
    )
    if isinstance(found, VerdictSweep):
        drawn = _of_sweep(found)
    else:
        drawn = _of_threshold(found) if isinstance(found, PrecisionThreshold) else _of_table(found)
    figure: Any = new_figure(WIDTH, 4.2) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    _draw(axes, drawn)
    lines = math.ceil(len(_legend(drawn)) / legend_columns(axes, 5))
    put_title(axes, drawn.title if title is None else title, pad=10 + 12 * lines)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def differ_by_precision(formats: Sequence[Format]) -> bool:
    """Whether formats are floating-point ones, and the same but for their precision.

    >>> from exactnn.arithmetic import FloatFormat
    >>> p = [FloatFormat(precision=p, exponent_bits=8) for p in (5, 7)]
    >>> differ_by_precision(p), differ_by_precision([*p, FloatFormat(precision=9, exponent_bits=5)])
    (True, False)
    """
    floats = float_formats(formats)
    return len(floats) == len(formats) and len({replace(one, precision=3, name="") for one in floats}) <= 1


def _of_table(table: Collapse) -> _Map:
    if not table.rows:
        raise OptionError("the collapse table has no rows: there is nothing to draw")
    if not differ_by_precision(table.formats):
        names = ", ".join(map(str, table.formats[:4])) + (", ..." if len(table.formats) > 4 else "")
        raise OptionError(f"formats {names} differ by more than their precision: draw them with plot_collapse")
    found = lengths(table)
    formats = float_formats(table.formats)
    order = sorted(range(len(formats)), key=lambda column: formats[column].precision)
    return _Map(
        title=table.name,
        lengths=[entry.length for entry in found],
        precisions=[formats[column].precision for column in order],
        failures=[[entry.failures[column] for entry in found] for column in order],
        shown=list(FAILURES),
    )


def _of_threshold(found: PrecisionThreshold) -> _Map:
    if not found.words:
        raise OptionError("the threshold has no words: there is nothing to draw")
    wrong = Failure[found.criterion.upper()]
    failing: dict[int, set[int]] = {}
    for word in found.words:
        failing.setdefault(len(word.word), set()).update(word.failing)
    order = sorted(failing)
    return _Map(
        title=f"precisions with a wrong {found.criterion}",
        lengths=order,
        precisions=list(found.precisions),
        failures=[[wrong if p in failing[n] else Failure.NOTHING for n in order] for p in found.precisions],
        shown=[Failure.NOTHING, wrong],
    )


def _of_sweep(found: VerdictSweep) -> _Map:
    formats = float_formats(found.formats)
    if not found.lengths or not differ_by_precision(found.formats):
        raise OptionError("there is no length, or formats differ by more than their precision: there is no map to draw")
    order = sorted(range(len(formats)), key=lambda column: formats[column].precision)
    rows = sorted(found.lengths, key=lambda entry: entry.length)
    return _Map(
        title=f"{found.name}: precisions with a wrong verdict",
        lengths=[entry.length for entry in rows],
        precisions=[formats[column].precision for column in order],
        failures=[[Failure.VERDICT if e.wrong[column] else Failure.NOTHING for e in rows] for column in order],
        shown=[Failure.NOTHING, Failure.VERDICT],
    )


def _draw(axes: "Axes", drawn: _Map) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.ticker import MaxNLocator

    across, upwards = edges(drawn.lengths), edges(drawn.precisions)
    colours = ListedColormap([look.colour for look in FAILURES.values()])
    axes.pcolormesh(
        across, upwards, [list(map(int, row)) for row in drawn.failures],
        cmap=colours, vmin=-0.5, vmax=len(FAILURES) - 0.5, rasterized=True,
    )  # fmt: skip
    axes.stairs(_right_from(drawn, upwards), across, baseline=None, color="black", lw=1.4)
    axes.set_xlim(across[0], across[-1])
    axes.set_ylim(upwards[0], upwards[-1])
    axes.set_xlabel("word length")
    axes.set_ylabel("precision (bits of the significand)")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    _name_precisions(axes, upwards)
    axes.legend(
        handles=_legend(drawn), loc="lower center", bbox_to_anchor=(0.5, 1), ncols=legend_columns(axes, 5),
        frameon=False, fontsize=LEGEND, handlelength=1.4, columnspacing=1.2, borderpad=0.2,
    )  # fmt: skip


def _right_from(drawn: _Map, upwards: Sequence[float]) -> list[float]:
    """Return for each length the lower border of the least precision from which on the worst failure does not occur."""
    worst = drawn.shown[-1]
    found = []
    for column in range(len(drawn.lengths)):
        wrong = [i for i, row in enumerate(drawn.failures) if row[column] is worst]
        found.append(upwards[wrong[-1] + 1] if wrong else upwards[0])
    return found


def _name_precisions(axes: "Axes", upwards: Sequence[float]) -> None:
    """Write on the right which formats have these precisions, whatever their exponents."""
    names: dict[int, list[str]] = {}
    for name, arithmetic in NAMED_FORMATS.items():
        if upwards[0] <= arithmetic.precision <= upwards[-1] and arithmetic.precision >= 8:
            names.setdefault(arithmetic.precision, []).append(name)
    side = axes.secondary_yaxis("right")
    side.set_yticks(list(names), [", ".join(same) for same in names.values()])
    side.tick_params(labelsize=7)


def _legend(drawn: _Map) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    what = {Failure.VALUE: "values", Failure.CONFIGURATION: "configurations", Failure.VERDICT: "verdicts"}
    asked = what[drawn.shown[-1]]
    labels = {failure: FAILURES[failure].label for failure in drawn.shown}
    if len(drawn.shown) < len(FAILURES):  # nothing else was asked for
        labels[Failure.NOTHING] = f"{asked} right"
    patches = [
        Patch(facecolor=FAILURES[failure].colour, edgecolor="black", lw=0.5, label=label)
        for failure, label in labels.items()
    ]
    label = f"{asked} right above"
    return [*patches, Line2D([], [], color="black", lw=1.4, label=label)]
