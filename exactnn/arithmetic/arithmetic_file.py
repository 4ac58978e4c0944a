"""Arithmetics as JSON data, to be written into files and read back."""

from dataclasses import fields
from typing import Any, assert_never

from gmpy2 import mpq

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.interval import Certified, Interval
from exactnn.arithmetic.named import Arithmetic, EnclosingArithmetic, Format
from exactnn.arithmetic.rational import EXACT, RATIONAL, ExactArithmetic, RationalArithmetic, exact, exact_text
from exactnn.errors import OptionError, shown

__all__ = ["arithmetic_from_json", "arithmetic_to_json"]

_KINDS: dict[str, type[Format]] = {"float": FloatFormat, "fixed": FixedPoint}
_FLAGS = ("fused", "signed", "subnormals")


def arithmetic_to_json(arithmetic: Arithmetic | EnclosingArithmetic) -> dict[str, Any]:
    """Return an arithmetic as JSON data.

    >>> arithmetic_to_json(FixedPoint(integer_bits=2, fraction_bits=6))["fraction_bits"]
    6
    """
    match arithmetic:
        case ExactArithmetic() | RationalArithmetic():
            return {"kind": str(arithmetic)}
        case Interval():
            return {"kind": "interval", "bits": arithmetic.bits}
        case Certified():
            bits = {"bits": arithmetic.bits, "most_bits": arithmetic.most_bits}
            return {"kind": "certified", **bits, "width": exact_text(arithmetic.width)}
        case FloatFormat():
            return {"kind": "float", **_fields(arithmetic)}
        case FixedPoint():
            return {"kind": "fixed", **_fields(arithmetic)}
        case _:
            assert_never(arithmetic)


def _fields(format: Format) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in fields(format):
        value = getattr(format, field.name)
        if isinstance(value, Format):
            value = arithmetic_to_json(value)
        data[field.name] = value if value is None or isinstance(value, (bool, int, dict)) else str(value)
    return data


def arithmetic_from_json(data: object) -> Arithmetic | EnclosingArithmetic:
    """Return the arithmetic that :func:`arithmetic_to_json` wrote.

    Raises
    ------
    OptionError
        If the data are no arithmetic.

    Examples
    --------
    >>> p5 = FloatFormat(precision=5, exponent_bits=4, accumulator=FloatFormat(precision=9, exponent_bits=5))
    >>> arithmetic_from_json(arithmetic_to_json(p5)) == p5
    True
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    for arithmetic in (EXACT, RATIONAL):
        if data == {"kind": str(arithmetic)}:
            return arithmetic
    if isinstance(data, dict) and kind == "interval" and data.keys() == {"kind", "bits"}:
        return Interval(bits=data["bits"])
    if isinstance(data, dict) and kind == "certified" and data.keys() == {"kind", "bits", "most_bits", "width"}:
        return Certified(bits=data["bits"], most_bits=data["most_bits"], width=_number(data["width"]))
    if not isinstance(data, dict) or not isinstance(kind, str) or kind not in _KINDS:
        kinds = "'exact', 'rational', 'certified', 'interval', 'float' or 'fixed'"
        raise OptionError(f"{shown(data)} is no arithmetic: its kind is {kinds}, with what belongs to it")
    return _format(_KINDS[kind], data)


def _number(data: object) -> mpq:
    if not isinstance(data, str):
        raise OptionError(f"width of an arithmetic is {shown(data)}: it is a number as text")
    return exact(data)


def _format(kind: type[Format], data: dict[str, Any]) -> Format:
    options = {key: value for key, value in data.items() if key != "kind"}
    known = {field.name for field in fields(kind)}
    if options.keys() != known:
        raise OptionError(f"{shown(data)} is no {kind.__name__}: give {', '.join(sorted(known))}")
    inner = options.pop("accumulator")
    if isinstance(inner, dict) and inner.get("accumulator") is not None:
        raise OptionError(f"accumulator={shown(inner)} has an accumulator itself: give one without")
    for key, value in options.items():
        expected = bool if key in _FLAGS else str if key == "name" else (int, str)
        if not isinstance(value, expected) or (isinstance(value, bool) and key not in _FLAGS):
            raise OptionError(f"{key} of an arithmetic is {shown(value)}")
        if key == "name" and not str(value).isprintable():  # it is printed as it is
            raise OptionError(f"name of an arithmetic is {shown(value)}: leave out what cannot be printed")
    return kind(**options, accumulator=None if inner is None else arithmetic_from_json(inner))  # type: ignore[arg-type]
