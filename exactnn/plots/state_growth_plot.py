"""The picture of growing state spaces: how many states words of each length lead to, a line for each arithmetic."""

import os
from collections.abc import Iterator, Sequence
from math import log2, nan
from typing import TYPE_CHECKING, Any

from exactnn.equivalence import ArithmeticGrowth, LengthStates, StateGrowth
from exactnn.errors import OptionError
from exactnn.plots.looks import GREY, LEGEND, WIDTH, legend_text, line_looks, put_title, same_sizes, thinned
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_state_growth"]

MOST_MARKERS = 12
"""Markers on a line."""


def plot_state_growth(
    found: StateGrowth,
    *,
    up_to: bool = False,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the logarithm to base 2 of the number of states against the length of the words.

    A diamond marks the last length with a new state, where the network is known to have no more. Dotted lines are the
    classes of states that can be told apart, if they were counted, and the dashed one is the number of words, as far as
    there is room for it.

    Parameters
    ----------
    found : StateGrowth
    up_to : bool
        Draw the states that words of at most each length lead to, instead of exactly that length.
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw into these axes.
    title : str, optional
        By default the name of the network.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If there is no length, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import exactnn as xn
    >>> figure = plot_state_growth(xn.state_growth(xn.gated_counter(), [xn.EXACT], max_length=8))
    >>> figure.axes[0].get_ylabel()
    'bits (log2 of the number of states)'
    """
    check_drawing("found", found, StateGrowth, "exactnn.state_growth", path, title)
    if not any(growth.rows for growth in found.arithmetics):
        raise OptionError("no states were counted: there is nothing to draw")
    figure: Any = new_figure(WIDTH, 4.0) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    looks = line_looks(growth.arithmetic for growth in found.arithmetics)
    for index, growth in enumerate(found.arithmetics):
        _draw_line(axes, found, growth, index, up_to, looks[growth.arithmetic])
    for index, growth in enumerate(found.arithmetics):
        _mark_end(axes, growth, index, up_to, looks[growth.arithmetic][0])
    _dress(axes, found, up_to)
    put_title(axes, found.name if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _states(row: LengthStates, up_to: bool) -> int:
    return row.states_up_to if up_to else row.states


def _classes(row: LengthStates, up_to: bool) -> int | None:
    return row.classes_up_to if up_to else row.classes


def _bits(count: int | None) -> float | None:
    return log2(count) if count else None


def _draw_line(
    axes: "Axes", found: StateGrowth, growth: ArithmeticGrowth, index: int, up_to: bool, look: tuple[str, str]
) -> None:
    """Draw the states in an arithmetic; later lines are thinner and marked elsewhere, so that all of them are seen."""
    colour, marker = look
    lengths, bits = thinned([_bits(_states(row, up_to)) for row in growth.rows])
    stride = -(-len(lengths) // MOST_MARKERS) or 1
    axes.plot(
        lengths, bits, color=colour, lw=max(0.8, 2.4 - 0.5 * index), marker=marker, ms=max(2.5, 5 - 0.7 * index),
        markevery=(index * stride // len(found.arithmetics), stride), clip_on=False,
        label=legend_text(_label(found, growth)),
    )  # fmt: skip
    lengths, bits = thinned([_bits(_classes(row, up_to)) for row in growth.rows])
    if any(height == height for height in bits):
        axes.plot(
            lengths, bits, color=colour, lw=max(0.8, 2.0 - 0.4 * index), ls=":", label=f"_{growth.arithmetic}, classes"
        )


def _label(found: StateGrowth, growth: ArithmeticGrowth) -> str:
    name = str(growth.arithmetic)
    if growth.saturated_from is not None:
        most = max(row.states_up_to for row in growth.rows)
        return f"{name}: no new state beyond length {growth.saturated_from}" + (
            f", {most:,} in all" if growth.saturated_from < len(growth.rows) else ""
        )
    return name if len(growth.rows) > found.max_length else f"{name}: {growth.reason}"


def _mark_end(axes: "Axes", growth: ArithmeticGrowth, index: int, up_to: bool, colour: str) -> None:
    """Put a diamond where an arithmetic is saturated."""
    if growth.saturated_from is None or growth.saturated_from >= len(growth.rows):
        return
    height = _bits(_states(growth.rows[growth.saturated_from], up_to))
    axes.plot(
        [growth.saturated_from], [nan if height is None else height], color=colour, mfc="white",
        marker="D", ms=max(5.0, 9 - 1.2 * index), mew=1.5, ls="", zorder=4, clip_on=False,
        label=f"_{growth.arithmetic}, saturated",
    )  # fmt: skip


def _dress(axes: "Axes", found: StateGrowth, up_to: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    rows = [row for growth in found.arithmetics for row in growth.rows]
    axes.set_xlim(0, max(1, *(row.length for row in rows)))
    axes.set_ylim(0, 1.08 * max(1, *(_bits(_states(row, up_to)) or 0 for row in rows)))
    _draw_words(axes, rows, up_to)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.set_xlabel("word length (symbols)" if not up_to else "length of the longest words (symbols)")
    axes.set_ylabel("bits (log2 of the number of states)")
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles = [*axes.get_legend_handles_labels()[0], *_more_of_legend(found)]
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False, fontsize=LEGEND
    )


def _draw_words(axes: "Axes", rows: Sequence[LengthStates], up_to: bool) -> None:
    """Draw how many words there are, up to the first length that is above the picture."""
    top = axes.get_ylim()[1]
    bits: list[float] = []
    words = 0
    for row in sorted(rows, key=lambda row: row.length):
        if row.length == len(bits) and (not bits or bits[-1] <= top):
            words = row.words + (words if up_to else 0)
            bits.append(log2(words) if words else nan)
    axes.plot(range(len(bits)), bits, color=GREY, lw=0.9, ls="--", zorder=1, label="words")


def _more_of_legend(found: StateGrowth) -> Iterator[Any]:
    from matplotlib.lines import Line2D

    if any(growth.saturated_from is not None for growth in found.arithmetics):
        yield Line2D([], [], color="0.3", mfc="white", marker="D", ms=7, mew=1.5, ls="", label="last new states")
    if found.continuations is not None:
        told = f"told apart by {found.continuations} more symbols" if found.continuations else "told apart by outputs"
        yield Line2D([], [], color="0.3", ls=":", lw=1.4, label=told)
