"""The picture of the delay law: which widths and depths delay by so many steps, and what they cost."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exactnn.depth import DepthParameters
from exactnn.errors import OptionError
from exactnn.options import listed
from exactnn.plots.looks import GREY, LEGEND, LINES, WIDTH, put_title, same_sizes
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_depth_parameters"]

POINTS = 120
"""Of the grid on which lines of equal parameters are drawn, in each direction."""


def plot_depth_parameters(
    found: DepthParameters | Sequence[DepthParameters],
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the staircase p = L (n - 1) of each delay p: above and to the right of it n units in L layers delay by p.

    A dot is the cheapest network, and the dotted line through it has all n and L with as many parameters.

    Parameters
    ----------
    found : DepthParameters or sequence of them
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
        If there is nothing to draw, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.depth import depth_parameters
    >>> plot_depth_parameters([depth_parameters(p) for p in (4, 16)]).axes[0].get_xlabel()
    'units in a layer'
    """
    what = "what exactnn.depth_parameters returns"
    delays = [found] if isinstance(found, DepthParameters) else listed("found", found, what)
    for one in delays:
        check_drawing("found", one, DepthParameters, "exactnn.depth_parameters", path, title)
    if not delays:
        raise OptionError("there are no delays: there is nothing to draw")
    figure: Any = new_figure(WIDTH, 4.2) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    widest = max(row[0] for one in delays for row in one.rows)
    deepest = max(row[1] for one in delays for row in one.rows)
    for one, (colour, marker) in zip(delays, LINES * len(delays), strict=False):
        _draw_staircase(axes, one, colour, widest, deepest)
        units, layers, parameters, _ = one.cheapest
        _draw_equal_parameters(axes, parameters, colour, widest, deepest)
        label = f"delay by {one.p}: {parameters:,} parameters or more"
        axes.plot([units], [layers], color=colour, marker=marker, ms=6, ls="", label=label, zorder=3)
    axes.set_xlabel("units in a layer")
    axes.set_ylabel("layers")
    _scale(axes, widest, deepest)
    axes.legend(fontsize=LEGEND)
    put_title(axes, "what delays by p steps" if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _draw_staircase(axes: Any, found: DepthParameters, colour: str, widest: int, deepest: int) -> None:
    """Draw the corners of what is possible, each (units, layers) with fewest of both, and the steps between."""
    xs = [2.0 * widest, *(float(row[0]) for row in found.rows)]
    ys = [float(found.rows[0][1]), *(float(row[1]) for row in found.rows)]
    axes.step([*xs, xs[-1]], [*ys, 2.0 * deepest], where="pre", color=colour, lw=1.6)
    axes.plot(xs[1:], ys[1:], color=colour, marker=".", ms=4, ls="")


def _draw_equal_parameters(axes: Any, parameters: int, colour: str, widest: int, deepest: int) -> None:
    """Draw the line n^2 (2 L - 1) + 2 n = parameters, which :func:`exactnn.depth_parameters` counts."""
    units = [1.5 * (2 * widest) ** (i / POINTS) for i in range(POINTS + 1)]
    layers = [((parameters - 2 * n) / n**2 + 1) / 2 for n in units]
    inside = [(n, depth) for n, depth in zip(units, layers, strict=True) if 0.8 <= depth <= 2 * deepest]
    axes.plot([n for n, _ in inside], [depth for _, depth in inside], color=colour, lw=0.9, ls=":")


def _scale(axes: Any, widest: int, deepest: int) -> None:
    from matplotlib.ticker import FuncFormatter

    for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        scale("log", base=2)
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set_xlim(1.6, widest * 1.2)
    axes.set_ylim(0.75, deepest * 1.4)
    axes.grid(visible=True, color=GREY, alpha=0.2, lw=0.5)
