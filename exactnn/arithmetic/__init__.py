"""Number systems. This folder knows nothing of machines or networks."""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
