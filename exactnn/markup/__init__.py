"""Pictures as SVG text, and tables as HTML text and for terminals. It knows only shapes and text, no machines."""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
