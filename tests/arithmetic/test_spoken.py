"""What people give for an arithmetic: names, bits and dtypes."""

import re
import sys
import types

import numpy as np
import pytest
from named_formats import ML_DTYPES

import exactnn as xn
from exactnn.arithmetic import ARITHMETICS, NAMED_FORMATS, any_arithmetic, arithmetic_of, format_of, formats_of
from exactnn.arithmetic.spoken import ALIASES, arithmetics_of, checked_formats
from exactnn.errors import ExactnnError, OptionError, UnsupportedArithmeticError


@pytest.mark.parametrize("name", ARITHMETICS)
def test_every_name_and_every_value(name):
    assert any_arithmetic(name) is ARITHMETICS[name]
    assert any_arithmetic(name.upper()) is ARITHMETICS[name]
    assert any_arithmetic(ARITHMETICS[name]) is ARITHMETICS[name]


@pytest.mark.parametrize("alias", ALIASES)
def test_every_alias(alias):
    found = ARITHMETICS[ALIASES[alias]]
    assert any_arithmetic(alias) is found
    assert alias not in ARITHMETICS
    for exponent, fraction in re.findall("e([0-9]+)m([0-9]+)", alias):  # what a name says of the bits
        assert (found.exponent_bits, found.precision - 1) == (int(exponent), int(fraction))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float16, xn.FLOAT16), (np.float32, xn.FLOAT32), (np.float64, xn.FLOAT64), (np.dtype("float16"), xn.FLOAT16),
        (np.dtype(">f4"), xn.FLOAT32), (float, xn.FLOAT64), (np.float32(1.5).dtype, xn.FLOAT32),
        ("p20e8", xn.FloatFormat(precision=20, exponent_bits=8)),
        ("p20", xn.FloatFormat(precision=20, exponent_bits=10)),
        ("q4.12", xn.FixedPoint(integer_bits=4, fraction_bits=12)),
        ("uq0.8", xn.FixedPoint(integer_bits=0, fraction_bits=8, signed=False)), ("interval128", xn.Interval(bits=128)),
    ],
)  # fmt: skip
def test_bits_and_dtypes(value, expected):
    assert any_arithmetic(value) == expected


def test_dtypes_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name, dtype in {"bfloat16": "bfloat16", **ML_DTYPES}.items():
        for given in (getattr(ml_dtypes, dtype), np.dtype(getattr(ml_dtypes, dtype))):
            assert format_of(given) is NAMED_FORMATS[name], (
                f"{dtype}: let ALIASES or DTYPES of names.py say {name}, or nothing where the dtype is called so"
            )


def test_dtypes_of_ml_dtypes_with_infinities_are_no_formats_of_ocp():
    """In words float8_e4m3 is OCP's, whose largest number is 448; of the dtype of that name it is 240."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("float8_e4m3", "float8_e3m4"):
        dtype = getattr(ml_dtypes, name)
        for given in (dtype, np.dtype(dtype)):
            format, limits = format_of(given), ml_dtypes.finfo(dtype)
            assert (format.largest, format.smallest) == (float(limits.max), float(limits.smallest_subnormal))
            assert all(format.nearest(x) == dtype(float(x)) for x in map(xn.arithmetic.exact, range(-500, 500, 7)))
    assert format_of("float8_e4m3") is format_of("fp8_e4m3") is xn.FLOAT8_E4M3


def test_dtypes_of_torch_and_jax_by_what_they_look_like(monkeypatch):
    """torch.float16 is a value whose text is its name; jax.numpy.bfloat16 has a dtype."""

    class Dtype:
        def __repr__(self):
            return "torch.float8_e4m3fn"

    Dtype.__module__ = "torch"
    monkeypatch.setitem(sys.modules, "torch", types.ModuleType("torch"))
    assert format_of(Dtype()) is xn.FLOAT8_E4M3
    assert format_of(types.SimpleNamespace(dtype=np.dtype("float16"))) is xn.FLOAT16


@pytest.mark.parametrize(
    "value",
    [
        "flaot16",
        "bfloat",
        "float8",
        "fp16e",
        "",
        "int8",
        "p1",
        "p99999",
        None,
        16,
        object(),
        int,
        b"float16",
        np.dtype("int8"),
        np.float16(2),
    ],
)
def test_what_is_no_arithmetic(value):
    with pytest.raises(ExactnnError, match=r"arithmetic=|precision"):
        any_arithmetic(value)


def test_near_names():
    for wrong, near in (("flaot16", "float16"), ("bfloat", "bfloat16"), ("ratoinal", "rational")):
        with pytest.raises(OptionError, match=f"did you mean '{near}'"):
            any_arithmetic(wrong, error=OptionError)


def test_hints():
    for wrong, hint in (
        ("fp8", "did you mean 'float8_e4m3' or 'float8_e5m2'"),
        ("tensor core float32", "give 'tensor core tf32'"),
        ("tensor core", "did you mean 'tensor core float16' or"),
        ("tensor core fp8", "did you mean 'tensor core float8_e4m3' or 'tensor core float8_e5m2'"),
        ("tensor-core bf16", "did you mean 'tensor core bfloat16'"),
        ("float16,bf16", "these are several, and one is meant"),
        (["float16", "bf16"], "has 2 entries: give one"),
        (np.array([1.0], np.float16), "is no arithmetic"),
        (np.array(["float16"]), "is no arithmetic"),
        ("x", "'tensor core bf16'"),
        ("float8_e4m3fnuz", "is unknown: its exponents have another bias than those of IEEE 754, and it has no -0"),
    ):
        with pytest.raises(OptionError, match=hint):
            any_arithmetic(wrong, error=OptionError)
    with pytest.raises(OptionError, match="did you mean 'float32'"):
        xn.FloatFormat(precision=8, exponent_bits=8, accumulator="flaot32")


def test_a_text_with_commas_is_several_and_a_list_of_one_is_one():
    parity = xn.compile("parity")
    assert formats_of("float16, bf16,") == [xn.FLOAT16, xn.BFLOAT16]
    assert xn.collapse(parity, ["01"], "float16,p9").formats == xn.collapse(parity, ["01"], ["float16", "p9"]).formats
    assert any_arithmetic(["fp16"]) is any_arithmetic({"half"}) is xn.FLOAT16
    assert xn.run(parity, "1", ["float16"]).arithmetic is xn.FLOAT16
    assert xn.first_divergence(parity, "1", ["float16"]).arithmetic is xn.FLOAT16


def test_one_and_several():
    assert formats_of("float16") == formats_of([np.float16]) == formats_of(xn.FLOAT16) == [xn.FLOAT16]
    assert formats_of(name for name in ("fp16", "bf16")) == [xn.FLOAT16, xn.BFLOAT16]
    assert arithmetics_of(["exact", "half"]) == [xn.EXACT, xn.FLOAT16]
    assert checked_formats("float16") == [xn.FLOAT16]
    for wrong, message in (
        ([], "at least one"),
        ("exact", "does not round"),
        (["float16", "certified"], "does not round"),
    ):
        with pytest.raises(OptionError, match=message):
            formats_of(wrong)
    with pytest.raises(UnsupportedArithmeticError, match="gives enclosures"):
        arithmetic_of("certified")


def test_every_function_takes_names():
    net = xn.compile(xn.load("parity"))
    thirds = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    for given in ("float16", np.float16, xn.FLOAT16):
        assert xn.run(net, "01", given).arithmetic is xn.run(net, "01", arithmetic=given).arithmetic is xn.FLOAT16
    assert xn.collapse(net, ["01"], "half") == xn.collapse(net, ["01"], [xn.FLOAT16])
    assert xn.first_divergence(thirds, [1, 0], np.float32) == xn.first_divergence(thirds, [1, 0], xn.FLOAT32)
    assert xn.error_growth(thirds, [1, 0], "bf16") == xn.error_growth(thirds, [1, 0], [xn.BFLOAT16])
    assert xn.verdict_sweep(net, [1], "float16") == xn.verdict_sweep(net, [1], [xn.FLOAT16])
    assert xn.extract_state_machine(net, "float16").states == xn.extract_state_machine(net, xn.FLOAT16).states
    assert xn.state_growth(net, "float16", max_length=3) == xn.state_growth(net, [xn.FLOAT16], max_length=3)
    assert xn.counter_capacity("fp16") == xn.counter_capacity(xn.FLOAT16)
    assert xn.state_bound(net, "fp16") == xn.state_bound(net, xn.FLOAT16)


@pytest.mark.parametrize(
    "text", ["torch.float16", "np.float16", "numpy.float16", "jnp.float16", "float 16", "FLOAT 16"]
)
def test_the_text_of_a_dtype_and_a_space_within_a_name(text):
    assert any_arithmetic(text) is xn.FLOAT16


@pytest.mark.parametrize(("text", "meant"), [("int8", "q4.4"), ("uint8", "uq0.8"), (np.int16, "q8.8")])
def test_whole_numbers_are_pointed_to_fixed_point(text, meant):
    with pytest.raises(
        UnsupportedArithmeticError, match=f"need a scale: [0-9]+ bits in fixed point are such as {meant}"
    ):
        any_arithmetic(text)
