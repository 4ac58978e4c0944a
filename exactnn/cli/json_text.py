"""JSON with whole numbers of any length: Python's own writer refuses those with more than 4300 digits."""

import json
from typing import Any

from exactnn.arithmetic import whole_text

__all__ = ["json_text"]

INDENT = "  "


def json_text(value: Any, *, indent: str | None = "") -> str:
    r"""Return JSON data as ASCII text in which every whole number is a number, with all its digits.

    Parameters
    ----------
    value : dict with str keys, list, str, number, bool or None
    indent : str or None
        What the lines after the first begin with; None for one line.

    Examples
    --------
    >>> print(json_text({"steps": 10**30, "tape": []}), json_text([True, "é"], indent=None))
    {
      "steps": 1000000000000000000000000000000,
      "tape": []
    } [true, "\u00e9"]
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return whole_text(value)
    if not value or not isinstance(value, (dict, list, tuple)):
        return json.dumps(value, allow_nan=False)
    inner = None if indent is None else indent + INDENT
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {json_text(item, indent=inner)}" for key, item in value.items()]
        return _joined("{", items, "}", indent)
    return _joined("[", [json_text(item, indent=inner) for item in value], "]", indent)


def _joined(opening: str, items: list[str], closing: str, indent: str | None) -> str:
    if indent is None:
        return opening + ", ".join(items) + closing
    separator = f"\n{indent}{INDENT}"
    return f"{opening}{separator}{f',{separator}'.join(items)}\n{indent}{closing}"
