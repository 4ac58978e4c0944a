"""Binary floating-point formats as frozen data, and correct rounding into them by MPFR."""

from dataclasses import dataclass, field

import gmpy2
from gmpy2 import mpq

from exactnn.errors import OptionError, shown

__all__ = ["FLOAT32", "FLOAT64", "FloatFormat"]


@dataclass(frozen=True, slots=True, init=False)
class FloatFormat:
    """A binary floating-point format in the manner of IEEE 754.

    Rounding is to nearest, ties to even, after every operation; there are subnormal numbers and infinities.

    Parameters
    ----------
    precision : int
        Bits of the significand, the hidden one included; at least 2.
    exponent_bits : int
        Bits of the exponent field; at least 2.
    name : str, optional

    Raises
    ------
    OptionError
        If either number is out of range.

    Examples
    --------
    >>> FLOAT32.unit_roundoff, FLOAT32.largest_exponent
    (mpq(1,16777216), 127)
    """

    precision: int
    exponent_bits: int
    name: str = field(compare=False)

    def __init__(self, *, precision: int, exponent_bits: int, name: str = "") -> None:
        for what, value, most in (("precision", precision, 1 << 20), ("exponent_bits", exponent_bits, 60)):
            if not isinstance(value, int) or not 2 <= value <= most:
                raise OptionError(f"{what}={shown(value)}: give a whole number from 2 to {most}")
        object.__setattr__(self, "precision", precision)
        object.__setattr__(self, "exponent_bits", exponent_bits)
        object.__setattr__(self, "name", name or f"float(p={precision}, e={exponent_bits})")

    def __str__(self) -> str:
        return self.name

    @property
    def largest_exponent(self) -> int:
        """Exponent of the largest finite number, as in 1.xxx times two to it."""
        return int((1 << (self.exponent_bits - 1)) - 1)

    @property
    def unit_roundoff(self) -> mpq:
        """Half the distance from 1 to the next larger number."""
        return mpq(1, 2**self.precision)

    @property
    def mpfr_context(self) -> gmpy2.context:
        """An MPFR context in which every operation rounds into this format."""
        emax = self.largest_exponent + 1
        return gmpy2.context(precision=self.precision, emax=emax, emin=4 - emax - self.precision, subnormalize=True)

    def nearest(self, value: mpq) -> float:
        """Return `value` correctly rounded into this format, as a Python float (precision up to 53).

        >>> FLOAT32.nearest(mpq(1, 10))
        0.10000000149011612
        """
        if self.precision > 53 or self.exponent_bits > 11:
            raise OptionError(f"numbers of {self} do not fit into a Python float: use mpfr_context")
        with self.mpfr_context:
            return float(gmpy2.mpfr(value))


FLOAT32 = FloatFormat(precision=24, exponent_bits=8, name="float32")
FLOAT64 = FloatFormat(precision=53, exponent_bits=11, name="float64")
