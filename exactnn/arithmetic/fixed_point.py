"""Binary fixed-point formats as frozen data: which numbers there are, how they are rounded, what overflow does."""

from dataclasses import dataclass, field, fields, replace
from typing import ClassVar, Literal, get_args

from gmpy2 import mpq, mpz

from exactnn.arithmetic.rational import ExactNumber, exact
from exactnn.arithmetic.rounding import Rounding, rounded_quotient
from exactnn.errors import OptionError, shown
from exactnn.options import choice, flag, text, whole_number

__all__ = ["FixedOverflow", "FixedPoint"]

FixedOverflow = Literal["saturate", "wrap"]

MOST_BITS = 1 << 20


@dataclass(frozen=True, slots=True, init=False, repr=False)
class FixedPoint:
    """A binary fixed-point format: the numbers k / 2**fraction_bits, where k is a word in two's complement.

    Every product and every sum is rounded into the format; the order of a sum is that of the circuit: the bias, and
    then the terms. Weights, biases, start state and inputs are rounded to nearest, ties to even, whatever the rounding;
    if one is beyond the range then, the network is refused: saturated or wrapped around, it would be another network.

    Parameters
    ----------
    integer_bits : int
        Bits before the point, the sign bit included: the word has ``integer_bits + fraction_bits`` bits. So count ARM,
        whose Q8.8 is a word of 16 bits, and AMD/Xilinx, whose ``ap_fixed<16, 8>`` is the same. Texas Instruments
        leaves the sign bit out, and calls it Q7.8.
    fraction_bits : int
        Bits after the point.
    signed : bool
        Whether there are negative numbers: from ``-2**(integer_bits - 1)`` up to just below ``2**(integer_bits - 1)``;
        without them from 0 up to just below ``2**integer_bits``.
    rounding : Rounding or str
        One of "nearest even", "nearest away", "toward zero", "up", "down", "stochastic". To drop the last bits of a
        word, as a shift does, is "down".
    overflow : "saturate" or "wrap"
        What becomes of a result beyond the range: the nearest number, or the one whose word has the same last bits.
    accumulator : FixedPoint, optional
        The format in which products are formed and summed up, with its own rounding and overflow, after the bias has
        been converted into it; the sum is then rounded into this format, before the activation. By default this format
        itself. With ``2 * fraction_bits`` bits after its point products of two numbers are exact, and so are sums, as
        far as its range goes.
    seed : int
        Of stochastic rounding. The i-th operation of a run takes the i-th random number.
    name : str, optional

    Raises
    ------
    OptionError
        If a number is out of range, or an option is unknown.

    References
    ----------
    .. [1] AMD, Vitis High-Level Synthesis User Guide (UG1399), "Arbitrary Precision Fixed-Point Data Types".
    .. [2] R. Yates, "Fixed-point arithmetic: an introduction", 2013.

    Examples
    --------
    >>> q = FixedPoint(integer_bits=3, fraction_bits=2)
    >>> str(q), q.word_bits, q.lowest, q.largest, q.smallest
    ('q3.2', 5, mpq(-4,1), mpq(15,4), mpq(1,4))
    >>> [q.rounded(mpq(x, 8)) for x in (3, 5, 100)]
    [mpq(1,2), mpq(1,2), mpq(15,4)]
    >>> replace(q, overflow="wrap").rounded(mpq(4))
    mpq(-4,1)
    """

    integer_bits: int
    fraction_bits: int
    signed: bool
    rounding: Rounding
    overflow: FixedOverflow
    accumulator: "FixedPoint | None"
    seed: int
    name: str = field(compare=False)

    is_exact: ClassVar[Literal[False]] = False
    rounds: ClassVar[Literal[True]] = True
    encloses: ClassVar[Literal[False]] = False

    # As in a FloatFormat, but there is no choice.
    fused: ClassVar[bool] = False
    summation: ClassVar[Literal["bias first"]] = "bias first"

    def __init__(
        self,
        *,
        integer_bits: int,
        fraction_bits: int,
        signed: bool = True,
        rounding: Rounding | str = Rounding.NEAREST_EVEN,
        overflow: FixedOverflow = "saturate",
        accumulator: "FixedPoint | None" = None,
        seed: int = 0,
        name: str = "",
    ) -> None:
        integer_bits = whole_number("integer_bits", integer_bits, 0, MOST_BITS)
        fraction_bits = whole_number("fraction_bits", fraction_bits, 0, MOST_BITS)
        seed = whole_number("seed", seed, 0, (1 << 64) - 1)
        signed = flag("signed", signed)
        if integer_bits + fraction_bits < 1 + signed:
            least = "2 bits, one of them for the sign" if signed else "1 bit"
            raise OptionError(f"integer_bits={integer_bits}, fraction_bits={fraction_bits}: give at least {least}")
        choice("overflow", overflow, get_args(FixedOverflow))
        if accumulator is not None:
            _check_accumulator(accumulator)
        for key, value in (
            ("integer_bits", integer_bits), ("fraction_bits", fraction_bits), ("signed", signed),
            ("rounding", Rounding.of(rounding)), ("overflow", overflow), ("accumulator", accumulator), ("seed", seed),
        ):  # fmt: skip
            object.__setattr__(self, key, value)
        object.__setattr__(self, "name", text("name", name) or _name_of(self))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        usual = {"signed": True, "rounding": Rounding.NEAREST_EVEN, "overflow": "saturate", "accumulator": None,
                 "seed": 0, "name": _name_of(self)}  # fmt: skip
        chosen = {key.name: getattr(self, key.name) for key in fields(self)}
        parts = [f"{key}={_text(value)}" for key, value in chosen.items() if key not in usual or usual[key] != value]
        return f"FixedPoint({', '.join(parts)})"

    @property
    def word_bits(self) -> int:
        """Bits of a word, the sign bit included."""
        return self.integer_bits + self.fraction_bits

    @property
    def magnitude_bits(self) -> int:
        """Bits of a word without the sign bit."""
        return self.word_bits - self.signed

    @property
    def lowest_word(self) -> int:
        """The word of the lowest number, as an integer."""
        return -(1 << self.magnitude_bits) if self.signed else 0

    @property
    def largest_word(self) -> int:
        """The word of the largest number, as an integer."""
        return (1 << self.magnitude_bits) - 1

    @property
    def lowest(self) -> mpq:
        """The lowest number: negative, or 0 without a sign."""
        return self.number(self.lowest_word)

    @property
    def largest(self) -> mpq:
        """The largest number."""
        return self.number(self.largest_word)

    @property
    def smallest(self) -> mpq:
        """The smallest number above zero."""
        return self.number(1)

    @property
    def significant_bits(self) -> int:
        """The most bits from the first digit of a number that is not 0 to its last one."""
        return self.word_bits

    @property
    def longest_bits(self) -> int:
        """The most bits that a number takes as a rational."""
        return self.word_bits

    @property
    def fits_float(self) -> bool:
        """Whether all of its numbers are Python floats."""
        return self.magnitude_bits <= 53

    @property
    def rounds_at_random(self) -> bool:
        """Whether the format or its accumulator rounds so: then a step depends on how many operations were before it.

        >>> FixedPoint(integer_bits=2, fraction_bits=2, rounding="stochastic").rounds_at_random
        True
        """
        return Rounding.STOCHASTIC in (self.rounding, (self.accumulator or self).rounding)

    @property
    def parameters(self) -> "FixedPoint":
        """The format of weights and inputs: the same numbers, rounded to nearest, ties to even."""
        if self.rounding is Rounding.NEAREST_EVEN:
            return self
        return replace(self, rounding=Rounding.NEAREST_EVEN, name="")

    def number(self, word: int | mpz) -> mpq:
        """Return the number of a word.

        >>> FixedPoint(integer_bits=8, fraction_bits=8).number(-384)
        mpq(-3,2)
        """
        return mpq(mpz(word), mpz(1) << self.fraction_bits)

    def unbounded_word(self, value: ExactNumber, draw: int = 0) -> mpz:
        """Return the word that an exact number is rounded to, as if words had no bound.

        >>> FixedPoint(integer_bits=1, fraction_bits=3).unbounded_word(mpq(-20))
        mpz(-160)
        """
        value = value if type(value) is mpq else exact(value)
        negative = value < 0
        scaled = abs(value) * (mpz(1) << self.fraction_bits)
        found = rounded_quotient(scaled, self.rounding, negative=negative, draw=draw)
        return -found if negative else found

    def rounded(self, value: ExactNumber, draw: int = 0) -> mpq:
        """Return an exact number rounded into this format.

        A float is taken as exactly what it is. `draw` is the random number of a stochastic rounding.

        >>> format = FixedPoint(integer_bits=4, fraction_bits=0, signed=False, overflow="wrap", rounding="up")
        >>> format.rounded(mpq(7, 3)), format.rounded(mpq(16)), format.rounded(mpq(-1))
        (mpq(3,1), mpq(0,1), mpq(15,1))
        """
        word, low, high = self.unbounded_word(value, draw), self.lowest_word, self.largest_word
        if low <= word <= high:
            return self.number(word)
        if self.overflow == "wrap":
            return self.number((word - low) % (1 << self.word_bits) + low)
        return self.number(low if word < low else high)

    def has_number(self, value: mpq | float) -> bool:
        """Return whether a number is one of this format.

        >>> [FixedPoint(integer_bits=2, fraction_bits=1).has_number(x) for x in (1.5, 2.0, -2.0, mpq(1, 4))]
        [True, False, True, False]
        """
        return bool(self.lowest <= value <= self.largest) and (mpq(value) * (1 << self.fraction_bits)).denominator == 1

    def spacing(self, value: ExactNumber) -> mpq:
        """Return the distance between the numbers of the format at `value`, which is the same everywhere.

        >>> FixedPoint(integer_bits=8, fraction_bits=3).spacing(mpq(100))
        mpq(1,8)
        """
        return self.smallest

    def nearest(self, value: ExactNumber) -> float:
        """Return `value` rounded to nearest, ties to even, as a Python float, for formats whose numbers are floats.

        >>> FixedPoint(integer_bits=1, fraction_bits=7).nearest(mpq(1, 10))
        0.1015625
        """
        if not self.fits_float:
            raise OptionError(f"numbers of {self} do not fit into a Python float: use rounded")
        return float(self.parameters.rounded(value))


def _text(value: object) -> str:
    return repr(str(value) if isinstance(value, Rounding) else value)


def _name_of(format: FixedPoint) -> str:
    name = f"{'' if format.signed else 'u'}q{format.integer_bits}.{format.fraction_bits}"
    parts = []
    if format.rounding is not Rounding.NEAREST_EVEN:
        parts.append(str(format.rounding) + (f", seed {format.seed}" if format.seed else ""))
    if format.overflow != "saturate":
        parts.append(format.overflow)
    if format.accumulator is not None:
        parts.append(f"accumulator: {format.accumulator}")
    return f"{name}({', '.join(parts)})" if parts else name


def _check_accumulator(accumulator: object) -> None:
    if not isinstance(accumulator, FixedPoint):
        raise OptionError(f"accumulator={shown(accumulator)}: give a FixedPoint")
    if accumulator.accumulator is not None:
        raise OptionError(f"accumulator={accumulator} has an accumulator itself: give one without")
