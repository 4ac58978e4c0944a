"""The picture of a stack over time: the cake of its strengths, its cells as a heat map, or the shares of its tops."""

import os
from collections.abc import Sequence
from math import exp
from typing import TYPE_CHECKING, Any, assert_never

from exactnn.automata import NondeterministicStack
from exactnn.errors import OptionError
from exactnn.options import listed
from exactnn.plots.looks import GREY, LEGEND, LINES, WIDTH, legend_text, put_title, same_sizes
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.stacks import StratifiedStack, SuperpositionStack

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_stack"]

Stack = StratifiedStack | SuperpositionStack | NondeterministicStack

KINDS = (StratifiedStack, SuperpositionStack, NondeterministicStack)


def plot_stack(
    found: Sequence[StratifiedStack] | Sequence[SuperpositionStack] | Sequence[NondeterministicStack],
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw a stack after each of its steps.

    Of strengths it is a cake: a layer for each vector, as high as its strength, in a colour for the step that pushed
    it, and a line above which it is read. Of a superposition it is a heat map: for each depth the sum of the absolute
    values of the cell. Of a nondeterministic stack it is the share of each state and top.

    Parameters
    ----------
    found : sequence of stacks of one kind
        One after each step.
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
        If there is no stack, they are of several kinds, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> stack = StratifiedStack()
    >>> stacks = [stack := stack.step(k, push="1/2", pop="1/5") for k in range(6)]
    >>> plot_stack(stacks).axes[0].get_ylabel()
    'strength'
    """
    stacks: list[Any] = listed("found", found, "stacks, one after each step", least=1)
    for one in stacks:
        check_drawing("found", one, KINDS, "a stack, such as a StratifiedStack", path, title)
    if len(set(map(type, stacks))) > 1:
        raise OptionError("the stacks are of several kinds: give those of one")
    figure: Any = new_figure(WIDTH, 3.4) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    first: Stack = stacks[0]
    match first:
        case StratifiedStack():
            _draw_cake(axes, stacks)
        case SuperpositionStack():
            _draw_cells(figure, axes, stacks)
        case NondeterministicStack():
            _draw_tops(axes, stacks)
        case _:
            assert_never(first)
    axes.set_xlabel("step")
    _whole_numbers(axes.xaxis)
    put_title(axes, _usual_title(first) if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _whole_numbers(axis: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def _usual_title(stack: Stack) -> str:
    match stack:
        case StratifiedStack():
            return "strengths on the stack, from the bottom"
        case SuperpositionStack():
            return "cells of the stack"
        case NondeterministicStack():
            return "what is on top, over all runs"
        case _:
            assert_never(stack)


def _draw_cake(axes: Any, stacks: Sequence[StratifiedStack]) -> None:
    """Draw a bar for each step, of as many layers as there are vectors."""
    from matplotlib import colormaps

    colours = colormaps["viridis"]
    count = max(len(stack.strengths) for stack in stacks)
    for step, stack in enumerate(stacks, 1):
        height = 0.0
        for number, strength in enumerate(stack.strengths):
            colour = colours(number / max(1, count - 1))
            axes.bar(step, float(strength), bottom=height, width=0.9, color=colour, edgecolor="white", lw=0.4)
            height += float(strength)
        depth = max(0.0, height - float(stack.read))
        axes.plot([step - 0.45, step + 0.45], [depth, depth], color="black", lw=1.2)
    axes.set_ylabel("strength")


def _draw_cells(figure: Any, axes: Any, stacks: Sequence[SuperpositionStack]) -> None:
    depth = max(1, *(len(stack.cells) for stack in stacks))
    sizes = [
        [sum(abs(float(x)) for x in stack.cells[i]) if i < len(stack.cells) else 0.0 for stack in stacks]
        for i in range(depth)
    ]
    image = axes.imshow(sizes, aspect="auto", cmap="viridis", extent=(0.5, len(stacks) + 0.5, depth - 0.5, -0.5))
    bar = figure.colorbar(image, ax=axes)
    bar.set_label("size of the cell")
    same_sizes(bar.ax)
    axes.set_ylabel("depth")
    _whole_numbers(axes.yaxis)


def _draw_tops(axes: Any, stacks: Sequence[NondeterministicStack]) -> None:
    """Draw the share of each state and top that has one, one above the other."""
    logarithms = stacks[0].semiring == "log"
    shares = [stack.weights and stack.reading for stack in stacks]
    pairs = list(dict.fromkeys(pair for one in shares for pair in one))
    below = [0.0] * len(stacks)
    for number, pair in enumerate(pairs):
        heights = [_share(one[pair], logarithms) if pair in one else 0.0 for one in shares]
        colour, _ = LINES[number % len(LINES)]
        hatch = ("", "///", "...", "xxx")[number // len(LINES) % 4]
        label = legend_text(", ".join(map(str, pair)))
        axes.bar(range(1, len(stacks) + 1), heights, bottom=below, width=0.9, color=colour, hatch=hatch, label=label)
        below = [x + y for x, y in zip(below, heights, strict=True)]
    axes.set_ylabel("share of the weight")
    axes.axhline(1, color=GREY, lw=0.8)
    axes.legend(fontsize=LEGEND, title="state, top", title_fontsize=LEGEND, loc="upper left", bbox_to_anchor=(1.01, 1))


def _share(number: Any, logarithm: bool) -> float:
    return exp(number) if logarithm else float(number)
