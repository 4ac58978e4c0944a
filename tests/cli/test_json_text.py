"""JSON as Python writes it, with whole numbers of any length."""

import json

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactnn.cli.printing import json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_it_is_what_python_writes(value):
    assert json_text(value) == json.dumps(value, indent=2)
    assert json_text(value, indent=None) == json.dumps(value)


@pytest.mark.parametrize("digits", [4300, 4301, 100_000])
def test_numbers_beyond_the_digit_limit_of_python(digits):
    number = 10**digits - 7
    text = json_text({"steps": number, "trace": [{"step": -number}]})
    assert json.loads(text, parse_int=gmpy2.mpz) == {"steps": number, "trace": [{"step": -number}]}


def test_what_is_no_json_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        json_text({"output": float("nan")})
