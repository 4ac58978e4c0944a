"""Where a network meets an arithmetic: executors, and `run`."""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
