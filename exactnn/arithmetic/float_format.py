"""Binary floating-point formats as frozen data: which numbers there are, how they are rounded, how sums are formed."""

from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import ClassVar, Literal, get_args

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic.names import ALIASES, did_you_mean, name_of, near_names
from exactnn.arithmetic.rational import ExactNumber, exact
from exactnn.arithmetic.rounding import Rounding, rounded_quotient
from exactnn.errors import OptionError, shown
from exactnn.options import choice, flag, text, whole_number

__all__ = [
    "BFLOAT16",
    "FLOAT4_E2M1",
    "FLOAT6_E2M3",
    "FLOAT6_E3M2",
    "FLOAT8_E4M3",
    "FLOAT8_E5M2",
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "NAMED_FORMATS",
    "TF32",
    "FloatFormat",
    "Overflow",
    "Specials",
    "Summation",
]

Specials = Literal["ieee", "nan", "none"]
Overflow = Literal["infinity", "saturate", "nan"]
Summation = Literal["bias first", "bias last", "pairwise"]

_OVERFLOWS: dict[str, tuple[Overflow, ...]] = {
    "ieee": ("infinity", "saturate", "nan"),
    "nan": ("nan", "saturate"),
    "none": ("saturate",),
}
MOST_BITS = 1 << 20

MOST_EXPONENT_BITS = 24
"""The largest number of such a format has a million bytes as a rational; GMP ends the program at 2 to the 32 or so."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class FloatFormat:
    """A binary floating-point format and the arithmetic in it; every single operation is correctly rounded.

    Parameters
    ----------
    precision : int
        Bits of the significand, the hidden one included; at least 2.
    exponent_bits : int
        Bits of the exponent field; from 2 to 24.
    rounding : Rounding or str
        One of "nearest even", "nearest away", "toward zero", "up", "down", "stochastic". Weights are always rounded
        to nearest, ties to even.
    subnormals : bool
        Whether there are numbers below the smallest normal one. If not, what is rounded to less, as if there were no
        bound, is zero.
    specials : "ieee", "nan" or "none"
        What the highest exponent stands for: infinities and NaN; numbers but for the largest significand, which is NaN
        (OCP E4M3); or numbers only (OCP MX).
    overflow : "infinity", "saturate" or "nan", optional
        What becomes of a number that is rounded beyond the largest one. By default infinity where the format has it,
        else NaN where it has that, else the largest number. Rounding toward zero, and up or down away from the
        infinity, gives the largest number in any case.
    fused : bool
        Whether a product is added to a sum with one rounding (fused multiply-add) rather than two.
    accumulator : FloatFormat or its name, optional
        The format in which products are formed and summed up, after the bias has been converted into it; the sum is
        then rounded into this format, before the activation. By default this format itself.
    summation : "bias first", "bias last" or "pairwise"
        The order of a sum: the bias and then the terms in the order of the circuit; the terms, and then the bias; or
        the bias and the terms added in pairs, those sums in pairs, and so on, where one that is left over at the end
        waits for the next round. Fused operations need the first.
    seed : int
        Of stochastic rounding. The i-th operation of a run takes the i-th random number.
    name : str, optional

    Raises
    ------
    OptionError
        If a number is out of range, or options do not go together.

    References
    ----------
    .. [1] IEEE Standard for Floating-Point Arithmetic, IEEE 754-2019.
    .. [2] OCP 8-bit Floating Point Specification (OFP8), revision 1.0, 2023.
    .. [3] OCP Microscaling Formats (MX) Specification, version 1.0, 2023.

    Examples
    --------
    >>> tiny = FloatFormat(precision=4, exponent_bits=4, specials="nan", name="float8_e4m3")
    >>> tiny.largest, tiny.smallest, tiny.unit_roundoff
    (mpq(448,1), mpq(1,512), mpq(1,16))
    >>> [float(tiny.rounded(mpq(x))) for x in (21, 464, 465)]
    [20.0, 448.0, nan]
    """

    precision: int
    exponent_bits: int
    rounding: Rounding
    subnormals: bool
    specials: Specials
    overflow: Overflow
    fused: bool
    accumulator: "FloatFormat | None"
    summation: Summation
    seed: int
    name: str = field(compare=False)

    is_exact: ClassVar[Literal[False]] = False
    rounds: ClassVar[Literal[True]] = True
    encloses: ClassVar[Literal[False]] = False

    def __init__(
        self,
        *,
        precision: int,
        exponent_bits: int,
        rounding: Rounding | str = Rounding.NEAREST_EVEN,
        subnormals: bool = True,
        specials: Specials = "ieee",
        overflow: Overflow | None = None,
        fused: bool = False,
        accumulator: "FloatFormat | str | None" = None,
        summation: Summation = "bias first",
        seed: int = 0,
        name: str = "",
    ) -> None:
        precision = whole_number("precision", precision, 2, MOST_BITS)
        exponent_bits = whole_number("exponent_bits", exponent_bits, 2, MOST_EXPONENT_BITS)
        seed = whole_number("seed", seed, 0, (1 << 64) - 1)
        subnormals, fused = flag("subnormals", subnormals), flag("fused", fused)
        choice("specials", specials, get_args(Specials))
        choice("summation", summation, get_args(Summation))
        overflow = _OVERFLOWS[specials][0] if overflow is None else overflow
        choice(f"with specials={specials!r}, overflow", overflow, _OVERFLOWS[specials])
        if specials == "nan" and precision < 3:
            raise OptionError(f"specials='nan' with precision={precision}: give a precision of at least 3")
        if fused and summation != "bias first":
            raise OptionError(f"fused=True with summation={summation!r}: a fused sum begins with the bias")
        if accumulator is not None:
            accumulator = _accumulator_of(accumulator)
        for key, value in (
            ("precision", precision), ("exponent_bits", exponent_bits), ("rounding", Rounding.of(rounding)),
            ("subnormals", subnormals), ("specials", specials), ("overflow", overflow), ("fused", fused),
            ("accumulator", accumulator), ("summation", summation), ("seed", seed),
        ):  # fmt: skip
            object.__setattr__(self, key, value)
        object.__setattr__(self, "name", text("name", name) or _name_of(self))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        usual = {"rounding": Rounding.NEAREST_EVEN, "subnormals": True, "specials": "ieee", "fused": False,
                 "overflow": _OVERFLOWS[self.specials][0], "accumulator": None, "summation": "bias first", "seed": 0,
                 "name": _name_of(self)}  # fmt: skip
        chosen = {key.name: getattr(self, key.name) for key in fields(self)}
        parts = [f"{key}={_text(value)}" for key, value in chosen.items() if key not in usual or usual[key] != value]
        return f"FloatFormat({', '.join(parts)})"

    @property
    def largest_exponent(self) -> int:
        """Exponent of the largest finite number, as in 1.xxx times two to it."""
        return (1 << (self.exponent_bits - 1)) - (self.specials == "ieee")

    @property
    def smallest_exponent(self) -> int:
        """Exponent of the smallest normal number."""
        return 2 - (1 << (self.exponent_bits - 1))

    @property
    def largest(self) -> mpq:
        """The largest finite number."""
        significand = (1 << self.precision) - (2 if self.specials == "nan" else 1)
        return _scaled(significand, self.largest_exponent + 1 - self.precision)

    @property
    def smallest(self) -> mpq:
        """The smallest number above zero."""
        return _scaled(1, self.smallest_exponent - (self.precision - 1 if self.subnormals else 0))

    @property
    def unit_roundoff(self) -> mpq:
        """Half the distance from 1 to the next larger number."""
        return mpq(1, 2**self.precision)

    @property
    def significant_bits(self) -> int:
        """The most bits from the first digit of a number that is not 0 to its last one."""
        return self.precision

    @property
    def longest_bits(self) -> int:
        """The most bits that a number takes as a rational, about."""
        return self.precision + (1 << (self.exponent_bits - 1))

    @property
    def fits_float(self) -> bool:
        """Whether all of its numbers are Python floats."""
        return self.precision <= 53 and self.exponent_bits <= 11 and self.largest_exponent < 1024

    @property
    def rounds_at_random(self) -> bool:
        """Whether the format or its accumulator rounds so: then a step depends on how many operations were before it.

        >>> FloatFormat(precision=4, exponent_bits=4, rounding="stochastic").rounds_at_random
        True
        """
        return Rounding.STOCHASTIC in (self.rounding, (self.accumulator or self).rounding)

    @property
    def parameters(self) -> "FloatFormat":
        """The format of weights and inputs: the same numbers, rounded to nearest, ties to even."""
        return self if self.rounding is Rounding.NEAREST_EVEN else _to_nearest(self)

    def rounded(self, value: ExactNumber, draw: int = 0) -> mpq | float:
        """Return an exact number rounded into this format: a rational, or one of the floats 0, -0, inf, -inf and nan.

        A float is taken as exactly what it is. `draw` is the random number of a stochastic rounding.

        >>> format = FloatFormat(precision=3, exponent_bits=3, rounding="down")
        >>> format.rounded(mpq(5, 6)), format.rounded(mpq(-1, 100)), format.rounded(mpq(100)), format.rounded(mpq(0))
        (mpq(3,4), mpq(-1,16), mpq(14,1), 0.0)
        """
        value = value if type(value) is mpq else exact(value)
        if not value:
            return 0.0
        negative = value < 0
        magnitude = abs(value)
        exponent = _exponent(magnitude)
        if self.subnormals:
            exponent = max(exponent, self.smallest_exponent)
        unit = _scaled(1, exponent + 1 - self.precision)
        found = rounded_quotient(magnitude / unit, self.rounding, negative=negative, draw=draw) * unit
        if found > self.largest:
            return self._overflowed(negative)
        if not found or (not self.subnormals and found < self.smallest):
            return -0.0 if negative else 0.0
        return -found if negative else found

    def spacing(self, value: ExactNumber) -> mpq:
        """Return the distance between the numbers of the format at `value`, the unit in the last place.

        >>> FloatFormat(precision=3, exponent_bits=4).spacing(mpq(5, 4))
        mpq(1,4)
        """
        value = exact(value)
        exponent = max(_exponent(abs(value)), self.smallest_exponent) if value else self.smallest_exponent
        return _scaled(1, exponent + 1 - self.precision)

    def nearest(self, value: ExactNumber) -> float:
        """Return `value` rounded to nearest, ties to even, as a Python float, for formats whose numbers are floats.

        >>> FloatFormat(precision=24, exponent_bits=8).nearest(mpq(1, 10))
        0.10000000149011612
        """
        if not self.fits_float:
            raise OptionError(f"numbers of {self} do not fit into a Python float: use rounded")
        return float(self.parameters.rounded(value))

    def _overflowed(self, negative: bool) -> mpq | float:
        inward = self.rounding is Rounding.TOWARD_ZERO or self.rounding is (Rounding.UP if negative else Rounding.DOWN)
        if inward or self.overflow == "saturate":
            return -self.largest if negative else self.largest
        if self.overflow == "nan":
            return float("nan")
        return float("-inf") if negative else float("inf")


def _text(value: object) -> str:
    return repr(str(value) if isinstance(value, Rounding) else value)


def _name_of(format: FloatFormat) -> str:
    parts = [f"p={format.precision}", f"e={format.exponent_bits}"]
    if format.rounding is not Rounding.NEAREST_EVEN:
        parts.append(str(format.rounding) + (f", seed {format.seed}" if format.seed else ""))
    if not format.subnormals:
        parts.append("no subnormals")
    if format.specials != "ieee":
        parts.append(f"specials: {format.specials}")
    if format.overflow != _OVERFLOWS[format.specials][0]:
        parts.append(f"overflow: {format.overflow}")
    if format.fused:
        parts.append("fused")
    if format.accumulator is not None:
        parts.append(f"accumulator: {format.accumulator}")
    if format.summation != "bias first":
        parts.append(format.summation)
    return f"float({', '.join(parts)})"


def _accumulator_of(value: object) -> FloatFormat:
    name = name_of(value)
    if name is not None:
        spoken = name.strip().lower()
        value = NAMED_FORMATS.get(ALIASES.get(spoken, spoken))
    if not isinstance(value, FloatFormat):
        known = f"a FloatFormat, or one of {', '.join(NAMED_FORMATS)}"
        near = "" if name is None else did_you_mean(near_names(name.strip().lower(), NAMED_FORMATS))
        raise OptionError(f"accumulator={shown(value if name is None else name)}: {near}give {known}")
    if value.accumulator is not None:
        raise OptionError(f"accumulator={value} has an accumulator itself: give one without")
    return value


def _exponent(magnitude: mpq) -> int:
    """Return the e with 2**e <= magnitude < 2**(e + 1)."""
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return guess - (magnitude < _scaled(1, guess))


def _scaled(number: int, exponent: int) -> mpq:
    return mpq(gmpy2.mpz(number) << exponent) if exponent >= 0 else mpq(number, gmpy2.mpz(1) << -exponent)


# --- The floating-point formats that have names.
#
# IEEE 754-2019 binary64, binary32, binary16; bfloat16 and TensorFloat-32; E4M3 and E5M2 of the OCP 8-bit specification
# (2023); E3M2, E2M3 and E2M1 of the OCP microscaling specification (2023), here without their shared scale.

FLOAT64 = FloatFormat(precision=53, exponent_bits=11, name="float64")
FLOAT32 = FloatFormat(precision=24, exponent_bits=8, name="float32")
FLOAT16 = FloatFormat(precision=11, exponent_bits=5, name="float16")
BFLOAT16 = FloatFormat(precision=8, exponent_bits=8, name="bfloat16")
TF32 = FloatFormat(precision=11, exponent_bits=8, name="tf32")
FLOAT8_E4M3 = FloatFormat(precision=4, exponent_bits=4, specials="nan", name="float8_e4m3")
FLOAT8_E5M2 = FloatFormat(precision=3, exponent_bits=5, name="float8_e5m2")
FLOAT6_E3M2 = FloatFormat(precision=3, exponent_bits=3, specials="none", name="float6_e3m2")
FLOAT6_E2M3 = FloatFormat(precision=4, exponent_bits=2, specials="none", name="float6_e2m3")
FLOAT4_E2M1 = FloatFormat(precision=2, exponent_bits=2, specials="none", name="float4_e2m1")

NAMED_FORMATS = {format.name: format for format in tuple(vars().values()) if isinstance(format, FloatFormat)}
"""Those above by name, in the same order."""


@lru_cache(maxsize=1 << 8)
def _to_nearest(format: FloatFormat) -> FloatFormat:
    return replace(format, rounding=Rounding.NEAREST_EVEN, name="")
