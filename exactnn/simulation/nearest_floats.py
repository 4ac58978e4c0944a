"""Many exact numbers rounded to nearest at once, into formats whose numbers are float64."""

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import FloatFormat

__all__ = ["nearest_floats"]


def nearest_floats(format: FloatFormat, values: Sequence[mpq]) -> NDArray[np.float64]:
    """Return what `format.nearest` gives for each of some numbers, bit for bit.

    Numbers that are float64, as trained weights are, are scaled to units in the last place, where rounding to whole
    numbers is all that is left. The others go through `format.nearest`.

    >>> from exactnn.arithmetic import FLOAT8_E4M3
    >>> nearest_floats(FLOAT8_E4M3, [mpq(1, 3), mpq(21), mpq(464), mpq(465)]).tolist()
    [0.34375, 20.0, 448.0, nan]
    """
    given = np.array([_as_float(value) for value in values], dtype=np.float64)
    found = _rounded(format, given)
    for place in np.flatnonzero(np.isnan(given)).tolist():
        found[place] = format.nearest(values[place])
    return found


def _as_float(value: mpq) -> float:
    """Return a number as the float64 that it is; NaN if it is none."""
    try:
        near = float(value)
    except OverflowError:
        return nan
    return near if near == value else nan


def _rounded(format: FloatFormat, given: NDArray[np.float64]) -> NDArray[Any]:
    exponents = np.frexp(given)[1].astype(np.int64) - 1
    if format.subnormals:
        exponents = np.maximum(exponents, format.smallest_exponent)
    units = exponents + 1 - format.precision
    with np.errstate(all="ignore"):  # both ways only the exponent changes: nothing is lost but beyond the largest
        found = np.ldexp(np.rint(np.ldexp(given, -units)), units)
        size = np.abs(found)
    if not format.subnormals:
        found = np.where(size < float(format.smallest), np.copysign(0.0, given), found)
    beyond = format.nearest(2 * format.largest)
    signed = np.copysign(beyond, given) if beyond == beyond else beyond
    return np.where(size > float(format.largest), signed, found)
