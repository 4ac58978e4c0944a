"""The picture of contraction: how a perturbation decays, and how the norm of the unitary linear part drifts."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from exactnn.arithmetic import Arithmetic
from exactnn.contraction import NormPreservation, PerturbationDecay
from exactnn.errors import OptionError
from exactnn.options import listed, result
from exactnn.plots.looks import (
    GREY,
    LEGEND,
    PANEL,
    WIDTH,
    binary_logarithm,
    legend_text,
    line_looks,
    plain,
    powers_of_two,
    same_sizes,
    thinned,
)
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_contraction"]

BLACK = "#000000"
"""Of exact arithmetic; formats have theirs, the same in both panels."""
FEW_STEPS = 60
"""Points of lines that are no longer have markers."""


def plot_contraction(
    decays: Sequence[PerturbationDecay],
    norms: Sequence[NormPreservation],
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Sequence[Axes] | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the distance of perturbed runs on the left, the drift of the squared norm on the right, as powers of two.

    The dashed line is the bound that exact runs keep. A triangle at the lower edge says that the two runs have become
    the same; after it there is no line, since 0 has no logarithm. On the right a line along the lower edge is that of
    a drift of 0, and elsewhere a line is interrupted there. Bars at the upper edge are infinite values and NaN. Of
    more than 2000 steps the largest value of each stretch is drawn.

    Parameters
    ----------
    decays : sequence of PerturbationDecay
        Of one network, word and perturbation, in several arithmetics.
    norms : sequence of NormPreservation
        Of one twin and start, in several arithmetics.
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : two matplotlib axes, optional
        Draw into these axes.
    title : str, optional
        Of the left panel; by default the name of the network.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If there is nothing to draw, the decays have different bounds, there are not two axes, or `path` cannot be
        written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16, RATIONAL
    >>> from exactnn.contraction import norm_preservation, perturbation_decay, unitary
    >>> from exactnn.networks import SimpleRNN
    >>> leaky = SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> decays = [perturbation_decay(leaky, [1] * 9, perturbation=[1], arithmetic=a) for a in (RATIONAL, FLOAT16)]
    >>> twin = unitary(leaky, input_bound=1)
    >>> norms = [norm_preservation(twin, start=[1, 2], steps=9, arithmetic=a) for a in (RATIONAL, FLOAT16)]
    >>> figure = plot_contraction(decays, norms)
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['distance of the two states', 'relative drift of the squared norm']
    """
    _check(decays, norms, ax, path, title)
    figure: Any = new_figure(WIDTH, 3.8) if ax is None else ax[0].figure
    left, right = figure.subplots(1, 2) if ax is None else ax
    colours = _colours([*(found.arithmetic for found in decays), *(found.arithmetic for found in norms)])
    _draw_decays(left, decays, colours)
    _draw_drifts(right, norms, colours)
    _dress(left, decays[0].steps, "distance of the two states")
    _dress(right, max(found.steps for found in norms), "relative drift of the squared norm")
    left.set_title(plain(decays[0].name if title is None else title), fontsize=PANEL)
    right.set_title("linear part of the unitary twin", fontsize=PANEL)
    same_sizes(left, right)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _check(
    decays: Sequence[PerturbationDecay], norms: Sequence[NormPreservation], ax: object, path: object, title: object
) -> None:
    for each in listed("decays", decays, "at least one decay: else there is nothing to draw", least=1):
        result("decays", each, PerturbationDecay, "exactnn.perturbation_decay")
    for found in listed("norms", norms, "at least one norm: else there is nothing to draw", least=1):
        check_drawing("norms", found, NormPreservation, "exactnn.norm_preservation", path, title)
    if any((found.rate, found.perturbation, found.steps) != (decays[0].rate, decays[0].perturbation, decays[0].steps)
           for found in decays):  # fmt: skip
        raise OptionError("the decays have different bounds: draw those of one network, word and perturbation")
    if ax is not None and (not hasattr(ax, "__len__") or len(ax) != 2):
        raise OptionError("ax is not a pair of axes: give two, one for each panel")


def _colours(arithmetics: Sequence[Arithmetic]) -> dict[Arithmetic, tuple[str, str]]:
    """Return a colour and a marker for each arithmetic."""
    rounding = line_looks(entry for entry in arithmetics if not entry.is_exact)
    return rounding | {entry: (BLACK, "o") for entry in arithmetics if entry.is_exact}


def _name(arithmetic: Arithmetic) -> str:
    return "exact" if arithmetic.is_exact else legend_text(str(arithmetic))


def _draw_decays(axes: "Axes", decays: Sequence[PerturbationDecay], colours: dict[Arithmetic, tuple[str, str]]) -> None:
    bounds = decays[0].squared_bounds
    steps, values = thinned([_half_logarithm(bound) for bound in bounds])
    rate = f"{float(decays[0].rate):.4g}"
    label = rf"bound, $\rho^t\,\Vert\delta\Vert$, $\rho$ = {rate}"
    axes.plot(steps, values, color=GREY, ls="--", lw=1.1, zorder=3, label=label)
    for found in decays:
        _draw(axes, [_half_logarithm(d) for d in found.squared_distances], found.arithmetic, colours)
        colour, _ = colours[found.arithmetic]
        _mark_infinite(axes, found.squared_distances, colour)
        if found.merged_from is not None:
            axes.plot(
                [found.merged_from], [0.015], transform=axes.get_xaxis_transform(), color=colour, ls="", marker="v",
                ms=6, clip_on=False, zorder=4, label=f"_{_name(found.arithmetic)}, the same",
            )  # fmt: skip
    if any(found.merged_from is not None for found in decays):
        axes.plot([], [], color="0.3", ls="", marker="v", ms=6, label="from here on the same")


def _draw_drifts(axes: "Axes", norms: Sequence[NormPreservation], colours: dict[Arithmetic, tuple[str, str]]) -> None:
    for found in norms:
        colour, _ = colours[found.arithmetic]
        if found.preserved:
            label = f"{_name(found.arithmetic)}: 0" + (" for ever" if found.arithmetic.is_exact else "")
            axes.plot([0, 1], [0.006, 0.006], transform=axes.transAxes, color=colour, lw=1.8, clip_on=False,
                      label=label)  # fmt: skip
            continue
        drifts = [binary_logarithm(abs(drift)) if drift else None for drift in found.drifts]
        _draw(axes, drifts, found.arithmetic, colours)
        _mark_infinite(axes, found.drifts, colour)


def _draw(
    axes: "Axes", values: list[float | None], arithmetic: Arithmetic, colours: dict[Arithmetic, tuple[str, str]]
) -> None:
    colour, marker = colours[arithmetic]
    steps, drawn = thinned(values)
    few = len(steps) <= FEW_STEPS
    axes.plot(steps, drawn, color=colour, lw=1.4 if few else 1.0, marker=marker if few else "", ms=3.5,
              label=_name(arithmetic))  # fmt: skip


def _mark_infinite(axes: "Axes", found: Sequence[mpq | None], colour: str) -> None:
    """Mark at the upper edge from where to where there are infinite values or NaN."""
    steps = [step for step, value in enumerate(found) if value is None]
    if steps:
        axes.plot([steps[0], steps[-1]], [0.985, 0.985], transform=axes.get_xaxis_transform(), color=colour, marker="|",
                  ms=7, lw=1.0, clip_on=False, label="_infinite or NaN")  # fmt: skip


def _half_logarithm(squared: mpq | None) -> float | None:
    return binary_logarithm(squared) / 2 if squared else None


def _dress(axes: "Axes", steps: int, what: str) -> None:
    from matplotlib.ticker import MaxNLocator

    powers_of_two(axes)
    axes.set_xlim(0, max(1, steps))
    axes.margins(y=0.08)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=1))
    axes.set_xlabel("step")
    axes.set_ylabel(what)
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if any(str(line.get_label()) == "_infinite or NaN" for line in axes.lines):
        axes.plot([], [], color="0.3", ls="", marker="|", ms=7, label="infinite or NaN")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False, fontsize=LEGEND, ncol=2)
