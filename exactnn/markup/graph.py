"""A graph of states with labelled arrows, drawn around a circle."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin

from exactnn.markup.shapes import circle, path, picture, text

__all__ = ["MOST_NODES", "Arrow", "Graph", "Node", "graph_picture"]

MOST_NODES = 16
"""Around a circle, arrows between more cannot be told apart."""

SMALLEST_RADIUS = 24.0
LONGEST_LINE = 11
"""Letters in a line of a name."""
MOST_LINES_OF_A_NAME = 3
LONGEST_LABEL = 20
"""Letters in a line at an arrow."""
MOST_LINES = 5
"""Lines of a label that are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A state: its name, whether it has a double circle, and whether it is dashed."""

    name: str
    double: bool = False
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """An arrow between two nodes, given by their numbers, with the lines of its label."""

    source: int
    target: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes and arrows; `starts` are the nodes, by number, to which an arrow from outside leads, with its label."""

    title: str
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    starts: tuple[tuple[int, str], ...]


def graph_picture(graph: Graph) -> str | None:
    """Return `graph` as SVG; None if it has more than 16 nodes.

    Examples
    --------
    >>> arrow = Arrow(source=0, target=0, lines=("a",))
    >>> loop = Graph(title="a", nodes=(Node(name="q"),), arrows=(arrow,), starts=((0, ""),))
    >>> graph_picture(loop).count("<circle"), graph_picture(loop).count("marker-end")
    (1, 2)
    """
    count = len(graph.nodes)
    if not count or count > MOST_NODES:
        return None
    names = [_lines(node.name) for node in graph.nodes]
    radius = max(SMALLEST_RADIUS, *(3 * len(line) + 4.0 * len(lines) for lines in names for line in lines))
    around = 0.0 if count == 1 else max(60.0, count * (2 * radius + 57) / (2 * pi))
    reach = around + radius + 75
    height = radius + 75 + (around if count > 2 else 0)
    places = [
        (reach - around * cos(2 * pi * i / count), height - around * sin(2 * pi * i / count)) for i in range(count)
    ]
    centre = (reach, height)
    pairs = {(arrow.source, arrow.target) for arrow in graph.arrows}
    parts: list[str] = []
    labels: list[str] = []
    for begin, label in graph.starts:
        drawn, middle = _start(places[begin], centre, radius)
        parts.append(path(drawn, arrow=True))
        labels += _label(middle, (label,)) if label else ()
    for arrow in graph.arrows:
        if arrow.source == arrow.target:
            drawn, middle = _loop(places[arrow.source], centre, radius)
        else:
            bent = (arrow.target, arrow.source) in pairs
            drawn, middle = _between(places[arrow.source], places[arrow.target], radius, 22.0 if bent else 0.0)
        parts.append(path(drawn, arrow=True))
        labels += _label(middle, arrow.lines)
    for node, lines, (x, y) in zip(graph.nodes, names, places, strict=True):
        hover = node.name if any("…" in line for line in lines) else None
        parts.append(circle(x, y, radius, dashed=node.dashed, hover=hover))
        if node.double:
            parts.append(circle(x, y, radius - 4, fill="none"))
        top = y + 4 - 6 * (len(lines) - 1)
        parts += [text(x, top + 12 * i, line, size=11, hover=hover) for i, line in enumerate(lines)]
    return picture(2 * reach, 2 * height, parts + labels, title=graph.title)


def _outward(place: tuple[float, float], centre: tuple[float, float]) -> float:
    """Return the direction from the centre; to the left for the only node."""
    dx, dy = place[0] - centre[0], place[1] - centre[1]
    return atan2(dy, dx) if dx or dy else pi


def _lines(name: str) -> list[str]:
    """Return what of a name goes into the lines of a circle: at most three, broken between words."""
    words = name.replace(" / ", " ").split() or [name]
    kept = words if len(words) <= MOST_LINES_OF_A_NAME else [*words[: MOST_LINES_OF_A_NAME - 1], "…"]
    return [word if len(word) <= LONGEST_LINE else f"{word[: LONGEST_LINE - 1]}…" for word in kept]


def _start(place: tuple[float, float], centre: tuple[float, float], radius: float) -> tuple[str, tuple[float, float]]:
    """Return the arrow from outside to a node, and where its label goes."""
    angle = _outward(place, centre) + pi / 3
    x, y = place
    outer, inner = radius + 28, radius + 1
    ends = (x + outer * cos(angle), y + outer * sin(angle)), (x + inner * cos(angle), y + inner * sin(angle))
    return "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*ends[0], *ends[1]), ends[0]


def _loop(place: tuple[float, float], centre: tuple[float, float], radius: float) -> tuple[str, tuple[float, float]]:
    """Return an arrow from a node to itself, on the outer side, and where its label goes."""
    angle = _outward(place, centre) - (pi / 2 if place == centre else 0)
    x, y = place
    ends = [(x + radius * cos(angle + turn), y + radius * sin(angle + turn)) for turn in (-0.45, 0.45)]
    reach = radius + 42
    pulls = [(x + reach * cos(angle + turn), y + reach * sin(angle + turn)) for turn in (-0.5, 0.5)]
    drawn = "M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}".format(*ends[0], *pulls[0], *pulls[1], *ends[1])
    return drawn, (x + (reach + 2) * cos(angle), y + (reach + 2) * sin(angle))


def _between(
    first: tuple[float, float], second: tuple[float, float], radius: float, bend: float
) -> tuple[str, tuple[float, float]]:
    """Return an arrow from one node to another, bent to its left, and where its label goes."""
    dx, dy = second[0] - first[0], second[1] - first[1]
    length = hypot(dx, dy)
    normal = (dy / length, -dx / length)
    middle = ((first[0] + second[0]) / 2 + normal[0] * bend * 2, (first[1] + second[1]) / 2 + normal[1] * bend * 2)
    ends = []
    for place in (first, second):
        way = hypot(middle[0] - place[0], middle[1] - place[1])
        ends.append(
            (place[0] + (middle[0] - place[0]) * radius / way, place[1] + (middle[1] - place[1]) * radius / way)
        )
    drawn = "M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}".format(*ends[0], *middle, *ends[1])
    # The point of the curve at 0.4: labels of arrows that cross in the middle stand apart.
    share = (0.36, 0.48, 0.16)
    points = (ends[0], middle, ends[1])
    return drawn, (
        sum(s * p[0] for s, p in zip(share, points, strict=True)),
        sum(s * p[1] for s, p in zip(share, points, strict=True)),
    )


def _label(middle: tuple[float, float], lines: tuple[str, ...]) -> Iterator[str]:
    kept = lines if len(lines) <= MOST_LINES else (*lines[: MOST_LINES - 1], f"... {len(lines) - MOST_LINES + 1} more")
    top = middle[1] + 4 - 6 * (len(kept) - 1)
    hover = "; ".join(lines) if kept != lines else None
    for i, written in enumerate(kept):
        yield text(middle[0], top + 12 * i, written, size=11, halo=True, most=LONGEST_LABEL, hover=hover)
