"""The formats of the campaign, and an executor of a format against what the format means.

Compiled loops are compared, step by step, with the emulated executor, which computes the format in rationals, and with
the run in a batch, for some of more than 53 bits in pairs of float64. Fused formats, and those too large for float64,
run in MPFR.
"""

from dataclasses import replace

from every_executor import check_batch, check_steps
from gmpy2 import mpq
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import Rounding, can_mpfr
from exactnn.errors import UnsupportedArithmeticError
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedFixedExecutor
from exactnn.simulation.executors import executor_for
from exactnn.simulation.fixed import can_compile
from exactnn.simulation.rounded import can_round
from exactnn.strategies import float_formats, rationals

__all__ = [
    "ANY_FIXED",
    "ANY_FLOAT",
    "FORMATS",
    "STEPS",
    "Format",
    "compared_formats",
    "formats",
    "pools",
    "same_as_emulated",
]

Format = xn.FloatFormat | xn.FixedPoint

FORMATS: dict[str, Format] = {
    "float16": xn.FLOAT16,
    "bfloat16": xn.BFLOAT16,
    "float8_e4m3": xn.FLOAT8_E4M3,
    "float8_e5m2": xn.FLOAT8_E5M2,
    "float32": xn.FLOAT32,
    "float64": xn.FLOAT64,
    "p30e9": xn.FloatFormat(precision=30, exponent_bits=9),
    "p30e9 up": xn.FloatFormat(precision=30, exponent_bits=9, rounding="up"),
    "p12e6 down": xn.FloatFormat(precision=12, exponent_bits=6, rounding="down"),
    "p9e5 stochastic": xn.FloatFormat(precision=9, exponent_bits=5, rounding="stochastic", seed=7),
    "p52e10": xn.FloatFormat(precision=52, exponent_bits=10),
    "p9e5, no subnormals": xn.FloatFormat(precision=9, exponent_bits=5, subnormals=False),
    "p60e11": xn.FloatFormat(precision=60, exponent_bits=11),
    "p70e9 toward zero": xn.FloatFormat(precision=70, exponent_bits=9, rounding="toward zero"),
    "p30e9 up, fused": xn.FloatFormat(precision=30, exponent_bits=9, rounding="up", fused=True),
    "q8.8": xn.FixedPoint(integer_bits=8, fraction_bits=8),
    "q8.16 wrap": xn.FixedPoint(integer_bits=8, fraction_bits=16, overflow="wrap"),
    "q32.32": xn.FixedPoint(integer_bits=32, fraction_bits=32),
}
ANY_FLOAT, ANY_FIXED = "any float format", "any fixed-point format"

STEPS = 60
"""Most network steps that a format and its meaning are compared for."""

TERMS = 100_000
"""Products and sums that the meaning of a format is asked for in a run: large networks take fewer steps."""

ROUNDINGS = tuple(Rounding)


def formats(arithmetic: str) -> st.SearchStrategy[Format]:
    """The format of a name, or any."""
    if arithmetic == ANY_FLOAT:
        return float_formats(max_precision=60, max_exponent_bits=11, roundings=ROUNDINGS) | usual_formats()
    if arithmetic == ANY_FIXED:
        return fixed_formats()
    return st.just(FORMATS[arithmetic])


def compared_formats(arithmetic: str) -> st.SearchStrategy[Format]:
    """The format of a name, or any that another executor computes than the one that says what it means."""
    return formats(arithmetic).filter(has_another_executor)


def has_another_executor(format: Format) -> bool:
    if isinstance(format, xn.FixedPoint):
        return can_compile(format, smooth=True)
    return can_round(format) or (can_mpfr(format) and can_mpfr(format.accumulator or format))


@st.composite
def usual_formats(draw: st.DrawFn) -> xn.FloatFormat:
    """Formats in which words run in batches, some by pairs of float64: few of all formats are like these."""
    rounding = draw(st.sampled_from((Rounding.NEAREST_EVEN, Rounding.NEAREST_AWAY, Rounding.UP, Rounding.TOWARD_ZERO)))
    precision, exponent_bits = draw(st.integers(3, 53) | st.integers(54, 106)), draw(st.integers(3, 10))
    return xn.FloatFormat(precision=precision, exponent_bits=exponent_bits, rounding=rounding)


@st.composite
def fixed_formats(draw: st.DrawFn) -> xn.FixedPoint:
    """Words of up to 64 bits, signed or not, with any rounding and overflow, some with an accumulator."""
    bits = draw(st.integers(2, 64))
    fraction = draw(st.integers(0, bits))
    format = xn.FixedPoint(
        integer_bits=bits - fraction,
        fraction_bits=fraction,
        signed=not draw(st.booleans()),
        rounding=draw(st.sampled_from(ROUNDINGS)),
        overflow=draw(st.sampled_from(("saturate", "wrap"))),
    )
    if not draw(st.booleans()) or bits > 32:
        return format
    wide = replace(format, integer_bits=64 - 2 * fraction, fraction_bits=2 * fraction, name="")
    return replace(format, accumulator=wide, name="")


@st.composite
def pools(draw: st.DrawFn, format: Format) -> tuple[mpq, ...]:
    """Return a few numbers and their negatives, so that sums and products tie, cancel and overflow."""
    if isinstance(format, xn.FixedPoint):
        return draw(fixed_pools(format))
    edges = edges_of(format)
    pool = draw(st.lists(rationals() | edges | edges, min_size=1, max_size=6))
    return mpq(0), *pool, *(-x for x in pool)


@st.composite
def fixed_pools(draw: st.DrawFn, format: xn.FixedPoint) -> tuple[mpq, ...]:
    """Return numbers that a fixed-point format has, or can round: networks with others are refused."""
    low, high = mpq(format.lowest_word, 1 << format.fraction_bits), mpq(format.largest_word, 1 << format.fraction_bits)
    words = words_of(format)
    pool = draw(st.lists(rationals() | words | words, min_size=1, max_size=6))
    return mpq(0), *(max(low, min(x, high)) for one in pool for x in (one, -one))


def edges_of(format: xn.FloatFormat) -> st.SearchStrategy[mpq]:
    """Numbers as small as the last bits of others, at the ends of the range of a format, or a little beyond."""
    p, lowest, highest = format.precision, format.smallest_exponent, format.largest_exponent
    last = mpq(2) ** (1 - p)
    ends = (format.largest, format.largest * (1 + last / 4), format.smallest, format.smallest / 4, mpq(2) ** lowest)
    significand = st.sampled_from((mpq(1), 1 + last, 2 - last)) | st.integers(0, 1 << p).map(lambda i: 1 + i * last / 2)
    middle = st.sampled_from((0, 0, 0, -p, -p, -p, p, lowest // 2, highest // 2, lowest, highest))
    near = st.sampled_from((0, 0, 0, 1, -1))
    exponent = st.tuples(middle, near).map(lambda pair: max(lowest - p, min(sum(pair), highest)))
    return st.sampled_from((mpq(1), *ends)) | st.builds(lambda x, e: x * mpq(2) ** e, significand, exponent)


@st.composite
def words_of(draw: st.DrawFn, format: xn.FixedPoint) -> mpq:
    """Numbers of a fixed-point format, most of them near the ends of its range, near 0, or near 1."""
    low, high, one = format.lowest_word, format.largest_word, 1 << format.fraction_bits
    middle = draw(st.sampled_from((low, high, 0, one, -one, low // 2, high // 2)))
    near, small = st.integers(-3, 3).map(lambda i: middle + i), st.integers(-2 * one, 2 * one)
    word = draw(near | small | st.integers(low, high))
    return mpq(max(low, min(word, high)), one)


def same_as_emulated(network: xn.Network, word: tuple[object, ...], format: Format) -> None:
    """Compare the executor of a format with what the format means."""
    emulated = EmulatedFixedExecutor if isinstance(format, xn.FixedPoint) else EmulatedExecutor
    try:
        pair = executor_for(network, format), emulated(network, format)
    except UnsupportedArithmeticError:
        return
    inputs = network.inputs(word)
    if network.decision.protocol.reads_eos:
        inputs += [network.alphabet.index(xn.EOS)] * (STEPS - len(inputs))
    terms = sum(len(unit.linear) + len(unit.bilinear) for layer in network.circuit.layers for unit in layer)
    inputs = inputs[: max(3, TERMS // max(1, terms))]
    try:
        check_steps(*pair, inputs)
        if isinstance(format, xn.FloatFormat):
            check_batch(network, word, format, len(inputs))
    except AssertionError as error:
        raise AssertionError(f"{network!r} on {word} in {format!r}: {error}") from error
