"""Certificates of long exact runs, and their checker: short, in plain rationals, and independent of every executor."""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
