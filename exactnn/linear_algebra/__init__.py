"""Exact linear algebra: factorisations, isometries, sums of squares, polynomials over the rationals. No networks."""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
