"""A figure that notebooks show, without a window and without `%matplotlib inline`."""

from io import BytesIO

from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]

DOTS_PER_INCH = 120


class NotebookFigure(Figure):
    """A figure that shows itself as a PNG where it is the value of a cell."""

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.savefig(stream, dpi=DOTS_PER_INCH, format="png", metadata={"Software": None})
        return stream.getvalue()
