"""Pictures, drawn by matplotlib, which is imported when the first one is drawn. Nothing is computed here."""

from exactnn.plots.collapse_plot import plot_collapse
from exactnn.plots.picture_file import check_picture_file

__all__ = ["check_picture_file", "plot_collapse"]
