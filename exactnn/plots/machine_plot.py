"""The picture of a machine: its states and transitions as a graph."""

import os
from typing import TYPE_CHECKING, Any

from exactnn.automata import Drawn
from exactnn.equivalence import Extraction
from exactnn.errors import OptionError
from exactnn.machine_files import load
from exactnn.markup import MOST_ARROWS, MOST_NODES, DrawnGraph, drawn_graph
from exactnn.plots.looks import WIDTH, plain, put_title, same_sizes
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_machine"]

POINTS = 72
"""In an inch; the layout of a graph has its lengths in points."""
LETTERS, LEAST_LETTERS = 9.5, 6
"""Size of the letters, in points: a layout has room for those of this size, and smaller ones are hard to read."""


def plot_machine(
    machine: Drawn | Extraction | str,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw a machine as a graph: a circle for each state, an arrow for each pair of states with transitions.

    It is what notebooks show of a machine (:func:`exactnn.machine_files.write_dot` says what circles and labels mean),
    drawn in layers; the places are those of Graphviz where its program ``dot`` is installed.

    Parameters
    ----------
    machine : machine, extraction, or name
        A DFA, a weighted automaton, a Moore, counter, stack or Turing machine, or the name or file of one; of what
        :func:`exactnn.extract_state_machine` returns the minimal automaton.
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide, or wider where letters would be smaller than 6
        points.
    ax : matplotlib axes, optional
        Draw into these axes.
    title : str, optional
        By default the name of the machine.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MachineFileError
        If there is no machine of that name.
    OptionError
        If it has more than 48 states or 160 arrows, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> [text.get_text() for text in plot_machine("parity").axes[0].texts]
    ['0', '1', '0', '1', 'even', 'odd']
    """
    given = load(machine) if isinstance(machine, str) else machine
    drawing: Any = given.minimal if isinstance(given, Extraction) else given
    check_drawing("machine", drawing, Drawn, "exactnn.load", path, title)
    graph = drawing.graph()
    drawn = drawn_graph(graph)
    if drawn is None:
        raise OptionError(
            f"{graph.title} has {len(graph.nodes)} states and {len(graph.arrows)} arrows: "
            f"at most {MOST_NODES} and {MOST_ARROWS} are drawn; exactnn.machine_files.write_dot has no such limit"
        )
    layout = drawn.layout
    width = max(layout.width, WIDTH * POINTS)  # a small graph is not made larger
    scale = WIDTH * POINTS / width
    if ax is None:
        scale = max(scale, LEAST_LETTERS / LETTERS)
        figure: Any = new_figure(width * scale / POINTS, layout.height * scale / POINTS + 0.3)
    else:
        figure = ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    side = (width - layout.width) / 2
    axes.set(xlim=(-side, layout.width + side), ylim=(layout.height, 0), aspect="equal")
    axes.axis("off")
    _draw(axes, drawn, scale)
    same_sizes(axes)
    put_title(axes, graph.title if title is None else title)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _draw(axes: "Axes", drawn: DrawnGraph, scale: float) -> None:
    from matplotlib.patches import Circle, FancyArrowPatch
    from matplotlib.path import Path

    size, width = LETTERS * scale, max(scale, 0.5)
    for curve in drawn.layout.curves:
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(curve.points) - 1)]
        path = Path(curve.points, codes)
        axes.add_patch(FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=9 * scale, color="black", lw=width))
    for curve, lines in zip(drawn.layout.curves, drawn.labels, strict=True):
        _write(axes, curve.label, lines, size)
    for node, place, name in zip(drawn.graph.nodes, drawn.layout.places, drawn.names, strict=True):
        style = "--" if node.dashed else "-"
        for radius in (drawn.radius, drawn.radius - 4)[: 1 + node.double]:
            axes.add_patch(Circle(place, radius, facecolor="white", edgecolor="black", linestyle=style, lw=width))
        _write(axes, place, name, size)


def _write(axes: "Axes", place: tuple[float, float], lines: tuple[str, ...], size: float) -> None:
    if lines:
        text = plain("\n".join(lines))
        axes.text(*place, text, ha="center", va="center", fontsize=size, linespacing=1.05, parse_math=False)
