"""The picture of required bits: how long the exact numbers of a run are, beside what formats have room for."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exactnn.arithmetic import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, AnyFormats, FloatFormat, checked_formats
from exactnn.errors import OptionError
from exactnn.plots.looks import LEGEND, LINES, WIDTH, inches_of, legend_columns, plain, put_title, same_sizes, thinned
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.precision import RequiredBits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_required_bits"]


def plot_required_bits(
    found: RequiredBits,
    *,
    formats: AnyFormats | None = (FLOAT64, FLOAT32, FLOAT16, BFLOAT16),
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw how many bits the exact state needs after each step, and where that is more than formats have.

    Parameters
    ----------
    found : RequiredBits
    formats : formats or None
        Their precisions are horizontal lines. A mark shows the first state that a format has no room for. None
        draws no such line.
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw into these axes.
    title : str, optional

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If there are no steps, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import required_bits
    >>> from exactnn.simulation import run
    >>> halves = SimpleRNN(V=[["1/2"]], W=[["1"]], b=[0], s=[0], readout_weight=[1])
    >>> figure = plot_required_bits(required_bits(run(halves, [1] * 12, record="all")))
    >>> figure.axes[0].get_ylabel()
    'bits'
    """
    check_drawing("found", found, RequiredBits, "exactnn.required_bits", path, title)
    if not found.steps:
        raise OptionError("there are no required bits of any step: there is nothing to draw")
    drawn = [] if formats is None else checked_formats(formats)
    figure: Any = new_figure(WIDTH, 3.4) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    _draw_bits(axes, found)
    _dress(axes, found, [arithmetic.precision for arithmetic in drawn])
    _draw_precisions(axes, found, drawn)
    put_title(axes, "bits that the exact state needs" if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _draw_bits(axes: "Axes", found: RequiredBits) -> None:
    series = {"longest numerator or denominator": found.rational, "significand that has all numbers": found.significand}
    for (label, bits), (colour, marker), dashes in zip(series.items(), LINES, ("--", "-"), strict=False):
        if all(b is None for b in bits):
            continue
        places, values = thinned([None if b is None else float(b) for b in bits])
        steps = [found.steps[place] for place in places]
        few = marker if len(steps) <= 60 else ""
        axes.plot(
            steps,
            values,
            color=colour,
            ls=dashes,
            lw=1.2 if len(steps) <= 500 else 0.7,
            marker=few,
            ms=2.5,
            label=label,
        )
    missing = [bits is None for bits in found.significand]
    if any(missing):
        axes.fill_between(
            found.steps, 0, 1, where=missing, step="mid", transform=axes.get_xaxis_transform(), color="0.9", lw=0,
            label="no precision is enough",
        )  # fmt: skip


def _draw_precisions(axes: "Axes", found: RequiredBits, formats: Sequence[FloatFormat]) -> None:
    """Draw the precisions of formats, with a mark at the first state that one does not have."""
    names: dict[int, list[str]] = {}
    for arithmetic in sorted(formats, key=lambda arithmetic: arithmetic.precision):
        names.setdefault(arithmetic.precision, []).append(str(arithmetic))
    above = 0.0
    for precision, same in names.items():
        axes.axhline(precision, color="0.45", lw=0.7, ls=":")
        crossing = _first_beyond(found, precision)
        note = "" if crossing is None else f", too few at step {crossing}"
        above = max(float(precision), above)
        axes.annotate(
            plain(f"{precision}: {', '.join(same)}{note}"), (1, precision), xycoords=axes.get_yaxis_transform(),
            xytext=(1.015, above), textcoords=axes.get_yaxis_transform(), va="center", fontsize=LEGEND,
            annotation_clip=False,
        )  # fmt: skip
        above += 0.05 * axes.get_ylim()[1]
        if crossing is not None:
            axes.plot(
                [crossing],
                [precision],
                color="black",
                marker="D",
                ms=4.5,
                ls="",
                zorder=4,
                clip_on=False,
                label=f"_{same[0]}",
            )


def _first_beyond(found: RequiredBits, precision: int) -> int | None:
    """Return the first step whose state a format of that precision does not have."""
    pairs = zip(found.steps, found.significand, strict=True)
    return next((step for step, bits in pairs if bits is None or bits > precision), None)


def _dress(axes: "Axes", found: RequiredBits, precisions: Sequence[int]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.set_xlim(found.steps[0], max(found.steps[-1], found.steps[0] + 1))
    axes.set_ylim(0, 1.06 * max(*found.rational, *(bits or 0 for bits in found.significand), *precisions))
    axes.set_xlabel("network step")
    axes.set_ylabel("bits")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles = list(axes.get_legend_handles_labels()[0])
    if any(_first_beyond(found, precision) is not None for precision in precisions):
        handles.append(Line2D([], [], color="black", marker="D", ms=4.5, ls="", label="first state beyond a format"))
    below = -0.44 / (0.77 * inches_of(axes)[1])  # the axes have that part of the height, the name of theirs 0.44 inches
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, below), ncols=legend_columns(axes, 2), frameon=False,
        fontsize=LEGEND,
    )  # fmt: skip
