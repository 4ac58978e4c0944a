"""The pictures of the two learning experiments: R² against units, and accuracies by kind."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from recurrent_training import KINDS

from exactnn.plots.looks import GREY, LINES
from exactnn.plots.picture_file import new_figure, save_picture

__all__ = ["plot_permuted_digits", "plot_unitary_learning"]

DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)))
"""Of the kinds, so that they are told apart in grey."""
OFFSET = 0.22
"""By how many units the kinds stand beside each other, so that bars do not hide each other."""


def plot_unitary_learning(
    outcomes: Sequence[Any], poster: Mapping[int, Mapping[str, Mapping[int, float]]], path: str | os.PathLike[str]
) -> None:
    """Draw R² against units: medians with quartiles, and means as open markers; 1 - R² is logarithmic, best at the top.

    Parameters
    ----------
    outcomes : sequence of Outcome of unitary_learning.py
    poster : mapping
        By SNR and curve, what the poster has: units to R².
    path : str or path
        .png, .svg or .pdf.
    """
    snrs = sorted({each.snr for each in outcomes}, reverse=True)
    figure = new_figure(4.3 * len(snrs) + 1, 4.6)
    panels = figure.subplots(1, len(snrs), sharey=True, squeeze=False)[0]
    for axes, snr in zip(panels, snrs, strict=True):
        of_snr = [each for each in outcomes if each.snr == snr]
        _draw_kinds(axes, of_snr)
        for index, (name, curve) in enumerate(poster.get(snr, {}).items()):
            axes.plot(
                list(curve), [1 - value for value in curve.values()], color="black", lw=0.9, ls=DASHES[index], ms=5,
                marker="x+"[index], label=f"poster, {name}",
            )  # fmt: skip
        axes.axhline(1 - of_snr[0].ceiling.mean(), color=GREY, lw=1.2, label="true system")
        _dress(axes, [each.units for each in of_snr])
        axes.set_title(f"SNR {snr} dB, {of_snr[0].r2.shape[1]} realisations", fontsize=10)
    panels[0].invert_yaxis()  # shared by all
    panels[0].set_ylabel("R² on test sequences (1 − R² logarithmic)")
    handles, labels = panels[0].get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: ("mean" in labels[i], "median" in labels[i]))
    figure.legend(
        [handles[i] for i in order], [labels[i] for i in order], loc="outside lower center",
        ncols=min(3, 1 + len(snrs)), frameon=False, fontsize=8,
    )  # fmt: skip
    save_picture(figure, path)


def _draw_kinds(axes: Any, outcomes: Sequence[Any]) -> None:
    """Draw a line for each kind, and its means, which leave out what failed (R² below 0); medians do not."""
    for kind, name in enumerate(KINDS):
        colour, marker = LINES[kind]
        losses = [np.nan_to_num(1 - each.r2[kind], nan=np.inf).clip(max=10) for each in outcomes]
        low, middle, high = (np.array([np.quantile(each, q) for each in losses]) for q in (0.25, 0.5, 0.75))
        places = np.array([each.units for each in outcomes]) + OFFSET * (kind - 1)
        axes.errorbar(
            places, middle, yerr=[middle - low, high - middle], color=colour, marker=marker, ms=5, lw=1.6, capsize=2,
            elinewidth=1, ls=DASHES[kind], label=f"{name}: median, quartiles",
        )  # fmt: skip
        means = [each[each <= 1].mean() if (each <= 1).any() else np.nan for each in losses]
        axes.plot(places, means, color=colour, marker=marker, mfc="white", ms=4.5, ls="", label=f"{name}: mean")


def _dress(axes: Any, sizes: Sequence[int]) -> None:
    from matplotlib.ticker import FuncFormatter

    axes.set_yscale("log")
    axes.set_yticks([0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.4])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{1 - value:.3g}"))
    axes.minorticks_off()
    axes.set_ylim(top=0.6)  # bars of what failed go on beyond the edge
    axes.set_xticks(sorted(set(sizes)))
    axes.set_xlabel("hidden units")
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def plot_permuted_digits(
    accuracies: Mapping[str, Sequence[float]], images: str, units: int, path: str | os.PathLike[str]
) -> None:
    """Draw the test accuracy of each seed, and means as lines, by kind.

    Parameters
    ----------
    accuracies : mapping
        By kind, of each seed.
    images : str
        Which images, for the title.
    units : int
    path : str or path
        .png, .svg or .pdf.
    """
    figure = new_figure(4.6, 3.6)
    axes = figure.subplots()
    for place, (values, (colour, marker)) in enumerate(zip(accuracies.values(), LINES, strict=False)):
        percent = 100 * np.array(values)
        aside = np.linspace(-0.12, 0.12, len(percent)) if len(percent) > 1 else [0]
        axes.hlines(percent.mean(), place - 0.25, place + 0.25, color=colour, lw=2)
        axes.plot(place + np.array(aside), percent, color=colour, marker=marker, mfc="white", ms=6, ls="")
        axes.annotate(f"{percent.mean():.1f}", (place + 0.28, percent.mean()), va="center", fontsize=8)
    axes.set_xticks(range(len(accuracies)), [name.replace(" ", "\n") for name in accuracies])
    axes.set_xlim(-0.5, len(accuracies) - 0.3)
    axes.set_ylabel("test accuracy (%)")
    axes.set_title(f"Permuted {images}: {units} units, seeds and their mean", fontsize=10)
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    save_picture(figure, path)
