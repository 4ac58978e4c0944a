"""A figure that notebooks show, without a window and without `%matplotlib inline`.

It is a file of its own since it can only be defined where matplotlib is loaded.
"""

from io import BytesIO

import matplotlib.backends.backend_agg  # noqa: F401 - what draws the PNG is loaded with the rest, not when it is shown
from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]

DOTS_PER_INCH = 120


class NotebookFigure(Figure):
    """A figure that shows itself as a PNG where it is the value of a cell."""

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.savefig(stream, dpi=DOTS_PER_INCH, format="png", metadata={"Software": None})
        return stream.getvalue()
