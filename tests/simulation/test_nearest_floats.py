"""Many numbers rounded at once are what each of them is alone, bit for bit."""

import struct

from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.arithmetic import NAMED_FORMATS, FloatFormat
from exactnn.simulation.nearest_floats import nearest_floats

FORMATS = st.sampled_from([*NAMED_FORMATS.values()]) | st.builds(
    FloatFormat,
    precision=st.integers(3, 53),
    exponent_bits=st.integers(2, 10),
    subnormals=st.booleans(),
    specials=st.sampled_from(["ieee", "nan", "none"]),
    rounding=st.sampled_from(["nearest even", "down", "stochastic"]),
)


def bits(value):
    return "nan" if value != value else struct.pack("d", value)


@st.composite
def numbers(draw, format):
    """Return a number near one of the format, or half-way between two, or far away from all."""
    ends = format.smallest_exponent - format.precision - 3, format.largest_exponent + 3
    units = draw(st.integers(-(1 << format.precision + 2), 1 << format.precision + 2))
    exponent = draw(st.integers(*ends)) - format.precision - 1
    return units * mpq(2) ** exponent + draw(st.sampled_from([0, 0, mpq(1, 3), mpq(1, 2**1200)]))


@settings(max_examples=150)
@given(st.data(), FORMATS)
def test_each_number_is_rounded_as_alone(data, format):
    values = [*data.draw(st.lists(numbers(format), max_size=8)), format.largest, -format.smallest / 2, mpq(0)]
    found = nearest_floats(format, values).tolist()
    assert list(map(bits, found)) == [bits(format.nearest(value)) for value in values]
