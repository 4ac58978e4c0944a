"""The picture of gradients through time: their size after each step back, exactly and in formats."""

import os
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, exact, is_finite
from exactnn.depth import GradientGrowth
from exactnn.errors import OptionError
from exactnn.plots.looks import (
    LEGEND,
    WIDTH,
    binary_logarithm,
    legend_text,
    line_looks,
    powers_of_two,
    put_title,
    same_sizes,
    thinned,
)
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_gradient_growth"]


def plot_gradient_growth(
    found: GradientGrowth,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the largest number of the gradient after each step back, as powers of two.

    The exact gradient is black. A line ends where the gradient is 0 or not finite. Of several words each has its lines,
    in the same colours.

    Parameters
    ----------
    found : GradientGrowth
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
        If there is no backward pass, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16
    >>> from exactnn.depth import gradient_growth
    >>> from exactnn.networks import SimpleRNN
    >>> decay = SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    >>> plot_gradient_growth(gradient_growth(decay, [[0]] * 200, FLOAT16)).axes[0].get_xlabel()
    'steps back'
    """
    check_drawing("found", found, GradientGrowth, "exactnn.gradient_growth", path, title)
    if not found:
        raise OptionError("no backward pass was computed: there is nothing to draw")
    figure: Any = new_figure(WIDTH, 3.6) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    looks = line_looks(one.format for one in found if one.format is not None)
    drawn: set[object] = set()
    for one in found:
        colour = "black" if one.format is None else looks[one.format][0]
        label = "exact" if one.format is None else str(one.format)
        steps, values = thinned([_logarithm(size) for size in one.largest])
        shown = legend_text(label) if one.format not in drawn else f"_{label}"
        axes.plot(steps, values, color=colour, lw=1.0 if one.format is None else 1.8, label=shown)
        drawn.add(one.format)
    axes.set_xlabel("steps back")
    axes.set_ylabel("size of the gradient")
    powers_of_two(axes)
    axes.legend(fontsize=LEGEND)
    put_title(axes, "gradients through time" if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _logarithm(size: mpq | float | Enclosure) -> float | None:
    """Return the logarithm to base 2; None of 0 and of what is not finite; of an enclosure that of its middle."""
    number = size.midpoint if isinstance(size, Enclosure) else size
    return binary_logarithm(exact(number)) if number and is_finite(number) else None
