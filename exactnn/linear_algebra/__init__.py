"""Exact linear algebra: factorisations, isometries and sums of squares over the rationals. No networks here."""

from exactnn.linear_algebra.characteristic_polynomial import characteristic_polynomial
from exactnn.linear_algebra.interior_point import Inequality, interior_point
from exactnn.linear_algebra.isometry import completed_isometry, is_isometry
from exactnn.linear_algebra.ldl import LDL, ldl
from exactnn.linear_algebra.matrix import (
    Matrix,
    Vector,
    common_denominator,
    defect,
    dot,
    identity,
    product,
    transposed,
)
from exactnn.linear_algebra.rank import rank
from exactnn.linear_algebra.spectral_norm import spectral_norm_bounds
from exactnn.linear_algebra.square_root import rational_square_root, rounded_up, square_root_above
from exactnn.linear_algebra.sums_of_squares import fewest_squares, sum_of_squares

__all__ = [
    "LDL",
    "Inequality",
    "Matrix",
    "Vector",
    "characteristic_polynomial",
    "common_denominator",
    "completed_isometry",
    "defect",
    "dot",
    "fewest_squares",
    "identity",
    "interior_point",
    "is_isometry",
    "ldl",
    "product",
    "rank",
    "rational_square_root",
    "rounded_up",
    "spectral_norm_bounds",
    "square_root_above",
    "sum_of_squares",
    "transposed",
]
