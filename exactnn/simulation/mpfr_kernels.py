"""What the compiled loops leave to MPFR: softplus, and where pairs of floats cannot round the others."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from gmpy2 import mpq
from numba import types
from numba.extending import intrinsic, register_jitable

from exactnn.arithmetic.smooth import (
    binary_real,
    bits_before_point,
    exp_to_odd,
    sigmoid_to_odd,
    softplus_to_odd,
    tanh_to_odd,
)

__all__ = ["hard_pair", "hard_word", "odd_pair", "odd_word"]


# --- Smooth functions by MPFR, where the compiled loops cannot tell how values are rounded.

_FUNCTIONS = (sigmoid_to_odd, tanh_to_odd, softplus_to_odd, exp_to_odd)
"""By their place among the smooth kinds of `float_rows.KINDS`."""
_BITS = 104  # with the bit that stands for the others, 53 of the nearest float64 and 52 of the rest
_LEAST = -1300  # below all float64
_FRACTION, _WORD = 62, (1 << 64) - 1


def odd_pair(place: int, x: float) -> tuple[float, float]:
    """Return the float64 nearest to a value, and the rest, rounded to odd.

    The rest is 0 below the normal numbers, and beyond the largest one.

    Examples
    --------
    >>> value, error = odd_pair(1, 0.5)
    >>> value, error.hex()
    (0.46211715726000974, '0x1.944a3b887196cp-56')
    """
    found = _FUNCTIONS[place](binary_real(mpq(x)), _BITS, _LEAST)
    value = float(found)
    return value, float(mpq(found) - mpq(value)) if 2.0**-900 < abs(value) < inf else 0.0


def odd_word(place: int, word: int, digits: int) -> tuple[int, int]:
    """Return the value at a number in fixed point as the word below, and 62 more bits, rounded to odd.

    The number has so many digits after the point. Of a word with more than 64 bits the last 64 are returned, as a
    signed number.

    Examples
    --------
    >>> odd_word(0, 0, 4), odd_word(1, -1000, 4)
    ((8, 0), (-16, 1))
    """
    x = binary_real(mpq(word, 1 << digits))
    function = _FUNCTIONS[place]
    more = bits_before_point(x) if function is exp_to_odd else 0
    bits = max(digits, word.bit_length()) + more + _FRACTION + 2
    found = mpq(function(x, bits, -digits - _FRACTION - 2)) * (1 << (digits + _FRACTION))
    below = int(found.numerator // found.denominator)
    below |= found.denominator != 1
    whole = (below >> _FRACTION) + (1 << 63)
    return (whole & _WORD) - (1 << 63), below & ((1 << _FRACTION) - 1)


# --- Values of smooth activations by MPFR within compiled loops, where Python is called.
#
# What Python raises goes through the loops, Ctrl-C as well. numba's own way to call Python, ``objmode``, compiles when
# it is called first and unpickles whenever it is called; an interruption of that is lost, or leaves the compiler
# broken.


@register_jitable
def hard_pair(place: Any, x: Any) -> Any:
    """Return the value as a float64 and the rest, rounded to odd."""
    return call_odd_pair(np.int64(place), x)  # type: ignore[call-arg]


@register_jitable
def hard_word(place: Any, word: Any, digits: Any) -> Any:
    """Return the value in fixed point as the word below and 62 more bits, rounded to odd."""
    return call_odd_word(np.int64(place), word, digits)  # type: ignore[call-arg]


@intrinsic
def call_odd_pair(typing_context: Any, place: Any, x: Any) -> Any:
    """Call :func:`odd_pair`."""
    return _pair_of(types.float64)(types.int64, types.float64), _call_of(odd_pair)


@intrinsic
def call_odd_word(typing_context: Any, place: Any, word: Any, digits: Any) -> Any:
    """Call :func:`odd_word`."""
    return _pair_of(types.int64)(types.int64, types.int64, types.int64), _call_of(odd_word)


def _pair_of(kind: Any) -> Any:
    return types.UniTuple(kind, 2)  # type: ignore[no-untyped-call]


def _call_of(function: Callable[..., object]) -> Callable[[Any, Any, Any, Any], Any]:
    """Return what writes the call of a function of Python that returns a pair."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        python = context.get_python_api(builder)
        lock = python.gil_ensure()

        def leave_if(failed: Any) -> None:
            """Give the exception that there is to the caller."""
            with builder.if_then(failed, likely=False):
                python.gil_release(lock)
                context.call_conv.return_exc(builder)

        def there(value: Any) -> Any:
            leave_if(builder.icmp_unsigned("==", value, python.get_null_object()))
            return value

        module = there(python.import_module(context.insert_const_string(builder.module, function.__module__)))
        callee = there(python.object_getattr_string(module, function.__name__))
        given = [python.from_native_value(kind, value) for kind, value in zip(signature.args, arguments, strict=True)]
        pair = there(python.call_function_objargs(callee, given))
        kinds = enumerate(signature.return_type)
        numbers = [python.to_native_value(kind, python.tuple_getitem(pair, place)) for place, kind in kinds]
        for used in (module, callee, *given, pair):
            python.decref(used)
        for number in numbers:
            leave_if(number.is_error)
        python.gil_release(lock)
        return context.make_tuple(builder, signature.return_type, [number.value for number in numbers])

    return generate
