"""Exact linear algebra: factorisations, isometries, sums of squares, polynomials over the rationals. No networks."""

from exactnn.linear_algebra.echelon import ModularRows, UnluckyPrimeError, primes, reduced_rows
from exactnn.linear_algebra.interior_point import Inequality, interior_point
from exactnn.linear_algebra.isometry import (
    completed_isometry,
    is_isometry,
    rational_square_root,
    rounded_up,
    spectral_norm_bounds,
    square_root_above,
)
from exactnn.linear_algebra.matrix import (
    LDL,
    Matrix,
    Vector,
    characteristic_polynomial,
    common_denominator,
    defect,
    dot,
    identity,
    kronecker,
    ldl,
    product,
    rank,
    row_times,
    transposed,
)
from exactnn.linear_algebra.polynomial import (
    polynomial,
    polynomial_gcd,
    polynomial_product,
    polynomial_quotient,
    polynomial_sum,
    polynomial_text,
)
from exactnn.linear_algebra.sums_of_squares import fewest_squares, sum_of_squares

__all__ = [
    "LDL",
    "Inequality",
    "Matrix",
    "ModularRows",
    "UnluckyPrimeError",
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
    "kronecker",
    "ldl",
    "polynomial",
    "polynomial_gcd",
    "polynomial_product",
    "polynomial_quotient",
    "polynomial_sum",
    "polynomial_text",
    "primes",
    "product",
    "rank",
    "rational_square_root",
    "reduced_rows",
    "rounded_up",
    "row_times",
    "spectral_norm_bounds",
    "square_root_above",
    "sum_of_squares",
    "transposed",
]
