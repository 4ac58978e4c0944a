"""Operations on the numbers of float formats: against MPFR, against gfloat and ml_dtypes, and by their laws."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import gmpy2
import pytest
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st
from named_formats import GFLOAT, ML_DTYPES, SMALL_NAMES

from exactnn.arithmetic import (
    FLOAT4_E2M1,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    NAMED_FORMATS,
    FloatFormat,
    FloatOperations,
    Rounding,
)
from exactnn.arithmetic.rounding import random_bits

INF, NAN = math.inf, math.nan
MPFR_MODES = {
    Rounding.NEAREST_EVEN: gmpy2.RoundToNearest,
    Rounding.TOWARD_ZERO: gmpy2.RoundToZero,
    Rounding.UP: gmpy2.RoundUp,
    Rounding.DOWN: gmpy2.RoundDown,
}
SMALL = [NAMED_FORMATS[name] for name in SMALL_NAMES]
IN_GFLOAT = [format for format in SMALL if format.name in GFLOAT]
IN_ML_DTYPES = [format for format in SMALL if format.name in ML_DTYPES]


def context(format):
    """Return the MPFR context in which every operation rounds into a format with infinities."""
    emax = 2 ** (format.exponent_bits - 1)
    return gmpy2.context(
        precision=format.precision,
        emax=emax,
        emin=4 - emax - format.precision,
        subnormalize=True,
        round=MPFR_MODES[format.rounding],
    )


def number(value):
    """Return a float as a number of the operations: a rational unless it is special."""
    return value if value == 0 or not math.isfinite(value) else mpq(value)


def key(value):
    """Return a number such that equal means the same number, with the sign of a zero; NaNs are alike."""
    if isinstance(value, gmpy2.mpfr) and gmpy2.is_regular(value):  # as a float it might be infinite
        return mpq(value)
    if isinstance(value, (float, gmpy2.mpfr)) and (value == 0 or not math.isfinite(value)):
        return "nan" if value != value else float(value).hex()
    return mpq(value)


def is_a_number_of(found, format):
    """Return whether a result is in the form that the operations promise, and a number of the format."""
    if isinstance(found, float):
        return found == 0 or found != found or format.specials == "ieee"
    return isinstance(found, mpq) and found != 0 and format.parameters.rounded(found) == found


# --- formats with infinities


def formats(modes=tuple(MPFR_MODES), **options):
    return st.builds(
        FloatFormat,
        precision=st.integers(2, 60),
        exponent_bits=st.integers(2, 12),
        rounding=st.sampled_from(modes),
        **options,
    )


@st.composite
def numbers(draw, format):
    """Numbers of a format: special ones, subnormal ones, those at both ends, those with few bits, and any."""
    if draw(st.integers(0, 5)) == 0:
        specials = {"ieee": (INF, -INF, NAN), "nan": (NAN,), "none": ()}[format.specials]
        return draw(st.sampled_from((0.0, -0.0, *specials)))
    p, bottom, top = format.precision, format.smallest_exponent, format.largest_exponent
    units = draw(st.one_of(st.integers(1, 4), st.integers(1, 2**p - 1), st.integers(2**p - 2, 2**p - 1)))
    exponent = draw(st.one_of(st.integers(bottom, bottom + p), st.integers(-p, p), st.integers(bottom, top)))
    exponent = draw(st.sampled_from((exponent, exponent, top)))
    value = min(units * mpq(2) ** (min(max(exponent, bottom), top) - p + 1), format.largest)
    return draw(st.sampled_from((1, -1))) * value


@st.composite
def operands(draw, count, **options):
    """A format and numbers of it, some of them of about the same size or cancelling each other."""
    format = draw(formats(**options))
    found = [draw(numbers(format)) for _ in range(count)]
    if draw(st.booleans()) and isinstance(found[0], mpq):
        p = format.precision
        shift = draw(st.sampled_from((0, 0, 1, -1, p - 1, p, p + 1)))
        sign = draw(st.sampled_from((1, -1)))
        near = format.parameters.rounded(sign * found[0] / mpq(2) ** shift)
        found[-1] = near
    return format, found


@given(operands(2))
@example((FLOAT64, [mpq(1), mpq(1, 2**53)]))
@example((FLOAT32, [mpq(1) + mpq(1, 2**23), mpq(1, 2**24)]))
@example((FLOAT16, [mpq(65504), mpq(16)]))  # halfway to beyond
@example((replace(FLOAT16, rounding="down"), [mpq(1), mpq(-1)]))
@example((replace(FLOAT16, rounding="down"), [0.0, -0.0]))
@example((replace(FLOAT16, rounding="up"), [-0.0, -0.0]))
@example((FLOAT64, [mpq(1, 2**1074), mpq(-1, 2**1074)]))
@example((FLOAT64, [INF, -INF]))
def test_addition_is_that_of_mpfr(drawn):
    format, (x, y) = drawn
    exact, operations = context(format), FloatOperations(format)
    found = operations.add(x, y)
    assert key(found) == key(exact.add(gmpy2.mpfr(x, 0, exact), gmpy2.mpfr(y, 0, exact)))
    assert key(operations.add(y, x)) == key(found)
    assert is_a_number_of(found, format)


@given(operands(2))
@example((FLOAT64, [mpq(1, 2**537), mpq(1, 2**538)]))  # half of the smallest number
@example((FLOAT64, [mpq(3, 2**537), mpq(-1, 2**538)]))
@example((replace(FLOAT64, rounding="up"), [mpq(1, 2**1074), mpq(1, 2**1074)]))
@example((replace(FLOAT64, rounding="up"), [mpq(1, 2**1074), mpq(-1, 2**1074)]))
@example((replace(FLOAT16, rounding="down"), [FLOAT16.largest, FLOAT16.largest]))
@example((FLOAT16, [FLOAT16.largest, -FLOAT16.largest]))
@example((FLOAT16, [0.0, -INF]))
@example((FLOAT16, [-0.0, mpq(-3)]))
def test_multiplication_is_that_of_mpfr(drawn):
    format, (x, y) = drawn
    exact, operations = context(format), FloatOperations(format)
    found = operations.multiply(x, y)
    assert key(found) == key(exact.mul(gmpy2.mpfr(x, 0, exact), gmpy2.mpfr(y, 0, exact)))
    assert key(operations.multiply(y, x)) == key(found)
    assert is_a_number_of(found, format)


@given(operands(3), st.booleans())
@example((FLOAT64, [1 + mpq(1, 2**52), 1 - mpq(1, 2**52), mpq(-1)]), False)
@example((FLOAT64, [mpq(1, 2**1074), mpq(1, 2**1074), -0.0]), False)
@example((FLOAT64, [mpq(1, 2**1074), mpq(1, 2**1074), mpq(1)]), False)
@example((replace(FLOAT16, rounding="down"), [mpq(2), mpq(3), mpq(-6)]), False)
@example((replace(FLOAT16, rounding="down"), [mpq(-2), 0.0, 0.0]), False)
@example((FLOAT16, [mpq(-2), 0.0, -0.0]), False)
@example((FLOAT16, [FLOAT16.largest, FLOAT16.largest, -INF]), False)
@example((FLOAT16, [0.0, INF, mpq(1)]), False)
@example((FLOAT16, [INF, mpq(-1), INF]), False)
@example((FLOAT16, [FLOAT16.largest, mpq(2), -FLOAT16.largest]), False)
def test_fused_multiply_add_is_that_of_mpfr(drawn, cancel):
    format, (x, y, z) = drawn
    if cancel and isinstance(x, mpq) and isinstance(y, mpq):
        z = format.parameters.rounded(-x * y)
    exact = context(format)
    found = FloatOperations(format).fused(x, y, z)
    assert key(found) == key(exact.fma(*(gmpy2.mpfr(a, 0, exact) for a in (x, y, z))))
    assert is_a_number_of(found, format)


@pytest.mark.mostly_slow(quick=4, slow=4)
@pytest.mark.parametrize("mode", list(MPFR_MODES))
@pytest.mark.parametrize(("precision", "exponent_bits"), [(2, 2), (2, 3), (3, 2)])
def test_all_sums_products_and_fused_sums_of_the_smallest_formats(precision, exponent_bits, mode):
    format = FloatFormat(precision=precision, exponent_bits=exponent_bits, rounding=mode)
    exact, operations = context(format), FloatOperations(format)
    positive, x = [], mpq(0)
    while x < format.largest:
        x = replace(format, rounding="up").rounded(x + format.smallest / 2)
        positive.append(x)
    values = [0.0, -0.0, INF, -INF, NAN, *positive, *(-x for x in positive)]
    for x, y, z in product(values, repeat=3):
        a, b, c = (gmpy2.mpfr(v, 0, exact) for v in (x, y, z))
        assert key(operations.fused(x, y, z)) == key(exact.fma(a, b, c)), (x, y, z)
    for x, y in product(values, repeat=2):
        a, b = (gmpy2.mpfr(v, 0, exact) for v in (x, y))
        assert key(operations.add(x, y)) == key(exact.add(a, b)), (x, y)
        assert key(operations.multiply(x, y)) == key(exact.mul(a, b)), (x, y)


@given(operands(2, modes=tuple(Rounding), seed=st.integers(0, 2**64 - 1)), st.integers(0, 9))
def test_a_finite_result_that_is_not_zero_is_the_exact_one_rounded_once(drawn, count):
    format, (x, y) = drawn
    if not isinstance(x, mpq) or not isinstance(y, mpq):
        return
    draw = random_bits(format.seed, count)
    assert key(FloatOperations(format, count).multiply(x, y)) == key(format.rounded(x * y, draw))
    if x + y:
        assert key(FloatOperations(format, count).add(x, y)) == key(format.rounded(x + y, draw))
    if x * y + x:
        assert key(FloatOperations(format, count).fused(x, y, x)) == key(format.rounded(x * y + x, draw))
    assert key(FloatOperations(format, count).convert(x)) == key(x)


# --- small formats, all pairs


def values_of(format):
    """Return all numbers of a format as floats, in the order of their codes."""
    if format.name in ML_DTYPES:
        np, ml_dtypes = pytest.importorskip("numpy"), pytest.importorskip("ml_dtypes")
        codes = np.arange(2 ** (format.precision + format.exponent_bits), dtype=np.uint8)
        return codes.view(getattr(ml_dtypes, ML_DTYPES[format.name])).astype(np.float64).tolist()
    gfloat, known = pytest.importorskip("gfloat"), pytest.importorskip("gfloat.formats")
    info = getattr(known, GFLOAT[format.name])
    return [float(gfloat.decode_float(info, code).fval) for code in range(2**info.k)]


def exact_result(operation, x, y, mode):
    """Return a sum or product of two small numbers as a float, which has it exactly, and the sign of an exact zero."""
    result = x + y if operation == "add" else x * y
    if math.isfinite(x) and math.isfinite(y):
        a, b = Fraction(x), Fraction(y)
        assert Fraction(result) == (a + b if operation == "add" else a * b)
    both_zeros_alike = x == y == 0 and math.copysign(1, x) == math.copysign(1, y)
    if operation == "add" and result == 0 and not both_zeros_alike:
        return -0.0 if mode is Rounding.DOWN else 0.0
    return result


@pytest.mark.mostly_slow(quick=2, slow=1)
@pytest.mark.parametrize("operation", ["add", "multiply"])
@pytest.mark.parametrize("mode", [mode for mode in Rounding if mode is not Rounding.STOCHASTIC])
@pytest.mark.parametrize("format", IN_GFLOAT, ids=str)
def test_all_pairs_are_those_of_gfloat(format, mode, operation):
    """The result is exact in float64, and gfloat rounds it once. Of the other modes a third of the pairs of 8 bits."""
    gfloat, known = pytest.importorskip("gfloat"), pytest.importorskip("gfloat.formats")
    modes = {
        Rounding.NEAREST_EVEN: gfloat.RoundMode.TiesToEven,
        Rounding.NEAREST_AWAY: gfloat.RoundMode.TiesToAway,
        Rounding.TOWARD_ZERO: gfloat.RoundMode.TowardZero,
        Rounding.UP: gfloat.RoundMode.TowardPositive,
        Rounding.DOWN: gfloat.RoundMode.TowardNegative,
    }
    values, info = values_of(format), getattr(known, GFLOAT[format.name])
    every = 1 if mode is Rounding.NEAREST_EVEN or len(values) < 256 else 3
    rounded = {}
    compute = getattr(FloatOperations(replace(format, rounding=mode)), operation)
    for x, y in product(values, values[::every]):
        exact = exact_result(operation, x, y, mode)
        if exact.hex() not in rounded:
            found = gfloat.round_float(info, exact, modes[mode], sat=format.specials == "none")
            rounded[exact.hex()] = key(float(found))
        assert key(compute(number(x), number(y))) == rounded[exact.hex()], (x, y)


@pytest.mark.mostly_slow(quick=3, slow=4)
@pytest.mark.parametrize("operation", ["add", "multiply"])
@pytest.mark.parametrize("format", IN_ML_DTYPES, ids=str)
def test_all_pairs_are_those_of_ml_dtypes(format, operation):
    """ml_dtypes computes in float32 and rounds that once more; where float32 has the exact result that is right."""
    np, ml_dtypes = pytest.importorskip("numpy"), pytest.importorskip("ml_dtypes")
    values, dtype = values_of(format), getattr(ml_dtypes, ML_DTYPES[format.name])
    column = np.array(values)
    with np.errstate(all="ignore"):
        x, y = column[:, None].astype(dtype), column[None, :].astype(dtype)
        exact = column[:, None] + column[None, :] if operation == "add" else column[:, None] * column[None, :]
        expected = (x + y if operation == "add" else x * y).astype(np.float64)
        fits = (exact.astype(np.float32).astype(np.float64) == exact) | ~np.isfinite(exact)
    assert fits.mean() > (0.9 if format is FLOAT8_E5M2 and operation == "add" else 0.9999)
    compute = getattr(FloatOperations(format), operation)
    numbers = list(map(number, values))
    for i, j in np.argwhere(fits).tolist():
        assert key(compute(numbers[i], numbers[j])) == key(expected[i, j].item()), (values[i], values[j])


def test_all_fused_sums_of_the_smallest_named_format():
    gfloat, known = pytest.importorskip("gfloat"), pytest.importorskip("gfloat.formats")
    values, operations = values_of(FLOAT4_E2M1), FloatOperations(FLOAT4_E2M1)
    for x, y, z in product(values, repeat=3):
        exact = x * y + z  # in float64, exactly, with the sign of a zero
        expected = gfloat.round_float(known.format_info_ocp_e2m1, exact, sat=True)
        assert key(operations.fused(number(x), number(y), number(z))) == key(float(expected)), (x, y, z)


# --- special values


UNBOUNDED = [
    *SMALL, FloatFormat(precision=5, exponent_bits=4, specials="nan", overflow="saturate"),
    FloatFormat(precision=5, exponent_bits=4, specials="none", rounding="down"),
    FloatFormat(precision=5, exponent_bits=4, overflow="nan"),
    FloatFormat(precision=5, exponent_bits=4, overflow="saturate"),
]  # fmt: skip


@pytest.mark.parametrize("format", UNBOUNDED, ids=str)
def test_an_infinity_that_the_format_lacks_has_overflowed(format):
    operations = FloatOperations(format)
    for sign in (1, -1):
        if format.specials == "ieee":
            expected = sign * INF
        else:
            expected = NAN if format.overflow == "nan" else sign * format.largest
        assert key(operations.convert(sign * INF)) == key(expected)


@pytest.mark.parametrize("mode", list(Rounding))
@pytest.mark.parametrize("format", UNBOUNDED, ids=str)
def test_zeros_and_nan_are_converted_as_they_are(format, mode):
    operations = FloatOperations(replace(format, rounding=mode))
    assert key(operations.convert(0.0)) == key(0.0)
    assert key(operations.convert(-0.0)) == key(-0.0)
    assert key(operations.convert(NAN)) == "nan"


@pytest.mark.parametrize("format", [f for f in UNBOUNDED if f.specials != "none"], ids=str)
def test_nan_goes_through_everything(format):
    operations = FloatOperations(format)
    for x in (mpq(1), -format.largest, 0.0, -0.0, NAN):
        for found in (
            operations.add(x, NAN), operations.add(NAN, x), operations.multiply(x, NAN), operations.multiply(NAN, x),
            operations.fused(NAN, x, mpq(1)), operations.fused(x, NAN, mpq(1)), operations.fused(x, x, NAN),
        ):  # fmt: skip
            assert key(found) == "nan"


@pytest.mark.parametrize("mode", list(Rounding))
@pytest.mark.parametrize("format", UNBOUNDED, ids=str)
def test_overflow_without_infinities(format, mode):
    format = replace(format, rounding=mode, seed=3)
    operations, largest = FloatOperations(format), format.largest
    for sign in (1, -1):
        inward = mode is Rounding.TOWARD_ZERO or mode is (Rounding.UP if sign < 0 else Rounding.DOWN)
        beyond = {"infinity": sign * INF, "saturate": sign * largest, "nan": NAN}[format.overflow]
        expected = key(sign * largest if inward else beyond)
        assert key(operations.add(sign * largest, sign * largest)) == expected
        assert key(operations.multiply(largest, sign * largest)) == expected
        assert key(operations.fused(largest, sign * largest, sign * largest)) == expected
        assert key(operations.add(sign * largest, 0.0)) == key(operations.multiply(sign * largest, mpq(1)))
        assert key(operations.fused(largest, sign * mpq(2), -sign * largest)) == key(sign * largest)


@given(st.data(), st.sampled_from(UNBOUNDED), st.sampled_from(tuple(Rounding)))
def test_results_are_numbers_of_the_format(data, format, mode):
    format = replace(format, rounding=mode)
    x, y, z = (data.draw(numbers(format)) for _ in range(3))
    operations = FloatOperations(format)
    for found in (operations.add(x, y), operations.multiply(x, y), operations.fused(x, y, z), operations.convert(x)):
        assert is_a_number_of(found, format)
        if format.specials == "none":
            assert key(found) != "nan"


@given(st.data(), st.sampled_from(UNBOUNDED), st.sampled_from(tuple(Rounding)), st.booleans())
def test_laws_of_zero_and_one(data, format, mode, subnormals):
    format = replace(format, rounding=mode, subnormals=subnormals, overflow=format.overflow)
    x = data.draw(numbers(format))
    if isinstance(x, mpq) and abs(x) < format.smallest:
        return
    operations = FloatOperations(format)
    assert key(operations.multiply(x, mpq(1))) == key(operations.convert(x)) == key(x)
    if isinstance(x, mpq):
        zero = -0.0 if mode is Rounding.DOWN else 0.0
        assert key(operations.add(x, -0.0)) == key(operations.add(0.0, x)) == key(x)
        assert key(operations.add(x, -x)) == key(operations.fused(x, mpq(1), -x)) == key(zero)
        assert key(operations.multiply(x, 0.0)) == key(math.copysign(0.0, x))
        assert key(operations.multiply(-0.0, x)) == key(math.copysign(0.0, -x))
        assert key(operations.fused(x, 0.0, x)) == key(x)


@pytest.mark.parametrize(
    ("mode", "signs"), [(mode, (0.0, -0.0 if mode is Rounding.DOWN else 0.0, -0.0)) for mode in Rounding]
)
def test_sums_of_zeros(mode, signs):
    operations = FloatOperations(replace(FLOAT16, rounding=mode))
    both, mixed, negative = map(key, signs)
    assert key(operations.add(0.0, 0.0)) == both
    assert key(operations.add(0.0, -0.0)) == key(operations.add(-0.0, 0.0)) == mixed
    assert key(operations.add(-0.0, -0.0)) == negative
    assert key(operations.fused(mpq(-1), 0.0, -0.0)) == key(operations.fused(-0.0, mpq(1), -0.0)) == negative
    assert key(operations.fused(mpq(-1), 0.0, 0.0)) == key(operations.fused(0.0, mpq(1), -0.0)) == mixed


def test_a_product_that_underflows_in_a_fused_sum_leaves_the_addend():
    tiny = FLOAT16.smallest
    for mode, expected in (("nearest even", 1), ("up", 1 + mpq(1, 1024)), ("down", 1), ("toward zero", 1)):
        assert FloatOperations(replace(FLOAT16, rounding=mode)).fused(tiny, tiny, mpq(1)) == expected
    down = FloatOperations(replace(FLOAT16, rounding="down"))
    assert down.fused(tiny, -tiny, mpq(1)) == 1 - mpq(1, 2048)
    assert key(FloatOperations(FLOAT16).fused(tiny, -tiny, 0.0)) == key(-0.0)  # not an exact zero


# --- random numbers


def test_the_i_th_operation_takes_the_i_th_random_number_whatever_it_is():
    format = FloatFormat(precision=5, exponent_bits=6, rounding="stochastic", seed=11)
    third = mpq(21, 16)
    operations = FloatOperations(format, 100)
    steps = [
        lambda: operations.add(mpq(1), mpq(1, 100)),
        lambda: operations.add(0.0, -0.0),
        lambda: operations.multiply(third, third),
        lambda: operations.multiply(INF, third),
        lambda: operations.convert(mpq(1, 3)),
        lambda: operations.convert(-0.0),
        lambda: operations.fused(third, third, third),
        lambda: operations.fused(NAN, third, third),
        lambda: operations.add(third, mpq(1, 1000)),
    ]
    exact = [mpq(101, 100), 0.0, third**2, INF, mpq(1, 3), -0.0, third**2 + third, NAN, third + mpq(1, 1000)]
    for i, (step, value) in enumerate(zip(steps, exact, strict=True)):
        assert operations.count == 100 + i
        expected = format.rounded(value, random_bits(11, 100 + i)) if isinstance(value, mpq) else value
        assert key(step()) == key(expected)


def test_operations_are_counted_in_every_mode():
    for mode in Rounding:
        operations = FloatOperations(replace(FLOAT16, rounding=mode), 5)
        operations.add(mpq(1), mpq(1))
        operations.multiply(0.0, mpq(1))
        operations.fused(mpq(1), mpq(1), INF)
        operations.convert(NAN)
        assert operations.count == 9


def test_seeds_give_different_random_numbers_and_the_same_again():
    format = FloatFormat(precision=3, exponent_bits=5, rounding="stochastic")

    def sums(seed):
        operations = FloatOperations(replace(format, seed=seed))
        return [operations.add(mpq(1), mpq(1, 8)) for _ in range(200)]

    assert sums(0) == sums(0)
    assert sums(0) != sums(1)
    assert set(sums(2**64 - 1)) == {mpq(1), mpq(5, 4)}
    assert 60 < sums(5).count(mpq(1)) < 140
