"""What pictures and tables are made of: texts for people, escaped, and the shapes of SVG."""

from collections.abc import Iterable

__all__ = ["circle", "clipped", "line", "named", "path", "picture", "printable", "rectangle", "text"]


# --- Text from strangers made fit to be shown: control characters as escapes, long texts cut.

LONGEST_NAME = 100
LONGEST_TOLD = 1000
"""Characters of a text that is shown where the pointer is; a name may have a million."""


def printable(text: str) -> str:
    r"""Return `text` with control and other invisible characters as escapes, so that none reaches a terminal.

    >>> printable("a\x1b[2J b\n")
    'a\\x1b[2J b\\n'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


def named(text: str) -> str:
    r"""Return a name for a line about what has it: the first 100 characters, none of them a control character.

    >>> named("a\x1b[2J"), named("a" * 2000)[-22:]
    ('a\\x1b[2J', 'aa… (2,000 characters)')
    """
    return printable(clipped(text, LONGEST_NAME))


def clipped(text: str, most: int = LONGEST_TOLD) -> str:
    """Return the first `most` characters of a text, and of a longer one how many characters it has.

    >>> clipped("abc"), clipped("a" * 2000, 5)
    ('abc', 'aaaaa… (2,000 characters)')
    """
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


INK = "#222222"

_MARKUP = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def escaped(value: object) -> str:
    """Return text that stands for itself in XML; characters that XML or a line cannot hold become escapes.

    >>> escaped("a<b"), escaped("tab" + chr(9))
    ('a&lt;b', 'tab\\\\t')
    """
    return "".join(_MARKUP.get(c, c) for c in printable(str(value)))


def _element(name: str, attributes: dict[str, object], hover: object = None, content: str = "") -> str:
    written = "".join(f' {key.replace("_", "-")}="{_number(value)}"' for key, value in attributes.items())
    title = "" if hover is None else f"<title>{escaped(clipped(str(hover)))}</title>"
    return f"<{name}{written}>{title}{content}</{name}>" if title or content else f"<{name}{written}/>"


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escaped(value)


def rectangle(
    x: float, y: float, wide: float, high: float, *, fill: str, stroke: str = "none", width: float = 1.0
) -> str:
    """Return a rectangle; `width` is that of its border."""
    place = {"x": float(x), "y": float(y), "width": float(wide), "height": float(high)}
    border = {} if width == 1 else {"stroke_width": width}
    return _element("rect", {**place, "fill": fill, "stroke": stroke, **border})


def squares(x: float, y: float, size: float, count: int, *, fill: str, hover: object = None) -> str:
    """Return squares side by side as one shape; `hover` is shown when the pointer is over them.

    >>> squares(0, 0, 10, 3, fill="white")
    '<path d="M0 0h30v10h-30zm10 0v10m10-10v10" fill="white"/>'
    """
    side, whole = _number(float(size)), _number(float(size * count))
    lines = [f"m{side} 0v{side}", *[f"m{side}-{side}v{side}"] * (count - 2)] if count > 1 else []
    drawn = f"M{_number(float(x))} {_number(float(y))}h{whole}v{side}h-{whole}z{''.join(lines)}"
    return _element("path", {"d": drawn, "fill": fill}, hover)


def diagonals(x: float, y: float, size: float, count: int) -> str:
    """Return a line across each of some squares side by side.

    >>> diagonals(0, 0, 10, 2)
    '<path d="M0 10l10-10m0 10l10-10" fill="none" stroke="#222222"/>'
    """
    side = _number(float(size))
    return path(f"M{_number(float(x))} {_number(float(y + size))}" + f"m0 {side}".join([f"l{side}-{side}"] * count))


def circle(
    x: float,
    y: float,
    radius: float,
    *,
    fill: str = "white",
    stroke: str = INK,
    dashed: bool = False,
    hover: object = None,
) -> str:
    """Return a circle; `hover` is shown when the pointer is over it."""
    place: dict[str, object] = {"cx": float(x), "cy": float(y), "r": float(radius), "fill": fill, "stroke": stroke}
    return _element("circle", place | ({"stroke_dasharray": "4 3"} if dashed else {}), hover)


def line(points: Iterable[tuple[float, float]], *, stroke: str = INK, width: float = 1.0, hover: object = None) -> str:
    """Return a line through points."""
    places = " ".join(f"{_number(float(x))},{_number(float(y))}" for x, y in points)
    return _element("polyline", {"points": places, "fill": "none", "stroke": stroke, "stroke_width": width}, hover)


def path(drawn: str, *, arrow: bool = False) -> str:
    """Return a path, with an arrow's head at its end."""
    marker = {"marker_end": "url(#head)"} if arrow else {}
    return _element("path", {"d": drawn, "fill": "none", "stroke": INK, **marker})


def text(
    x: float,
    y: float,
    written: object,
    *,
    size: float = 12,
    anchor: str = "middle",
    halo: bool = False,
    fill: str = INK,
    most: int | None = None,
    hover: object = None,
) -> str:
    """Return a line of text in the middle of which, or at whose beginning or end, the point is.

    Of more than `most` characters the first ones are drawn, and the whole is shown when the pointer is over them.
    """
    whole = str(written)
    if most is not None and len(whole) > most:
        written, hover = f"{whole[: most - 1]}…", hover or whole
    look: dict[str, object] = {"x": float(x), "y": float(y), "font_size": size, "text_anchor": anchor, "fill": fill}
    if halo:
        look |= {"stroke": "white", "stroke_width": 5, "paint_order": "stroke"}
    return _element("text", look, hover, content=escaped(written))


def letter(x: float, y: float, written: str) -> str:
    """Return a letter; its size, its place about x and its colour are said around it."""
    return _element("text", {"x": float(x), "y": float(y)}, content=escaped(written))


def picture(width: float, height: float, parts: Iterable[str], *, title: str) -> str:
    """Return the SVG of a picture; its title is for those who do not see it.

    >>> picture(20, 10, [rectangle(0, 0, 20, 10, fill="white")], title="nothing")[:60]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" '
    """
    head = (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>'
    )
    drawn, label = "".join(parts), escaped(clipped(title, 200))
    head = head if "url(#head)" in drawn else ""
    size = f'viewBox="0 0 {_number(float(width))} {_number(float(height))}" width="{_number(float(width))}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} height="{_number(float(height))}" role="img" '
        f'font-family="sans-serif" style="max-width:100%;height:auto;background:white" aria-label="{label}">'
        f"{head}{drawn}</svg>"
    )
