"""A graph of states, drawn: where everything goes, in layers or as Graphviz says, and the picture."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from exactnn.markup.graph import Graph
from exactnn.markup.layered import Box, Curve, Layout, Link, Point, Shape, layered
from exactnn.markup.shapes import circle, path, picture, text

__all__ = ["MOST_ARROWS", "MOST_NODES", "DrawnGraph", "drawn_graph", "graph_picture", "svg_path"]

MOST_NODES, MOST_ARROWS = 48, 160
"""Of more, a picture shows nothing."""

SMALLEST_RADIUS = 18.0
LONGEST_LINE = 11
"""Letters in a line of a name."""
MOST_LINES_OF_A_NAME = 3
LONGEST_LABEL = 20
"""Letters in a line at an arrow."""
MOST_LINES = 5
"""Lines of a label that are drawn."""
LETTER, LINE, SIZE = 6.1, 12.0, 11
"""Width of a letter, height of a line, and size of letters."""
LONGEST_WAIT = 5.0
"""Seconds that Graphviz may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGraph:
    """A graph with the place of everything: the lines in circles and at arrows as they are drawn, and the layout.

    The arrows from outside come first, as in the layout.
    """

    graph: Graph
    radius: float
    names: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[str, ...], ...]
    layout: Layout


@lru_cache(maxsize=64)
def drawn_graph(graph: Graph, *, graphviz: bool = True) -> DrawnGraph | None:
    """Return where everything of `graph` goes, by Graphviz' ``dot`` where it is installed; None if it is too large.

    Examples
    --------
    >>> from exactnn.markup import Arrow, Node
    >>> arrow = Arrow(source=0, target=1, lines=("a",))
    >>> graph = Graph(title="a", nodes=(Node(name="p"), Node(name="q")), arrows=(arrow,), starts=((0, ""),))
    >>> (x, _), (further, _) = drawn_graph(graph, graphviz=False).layout.places
    >>> x < further
    True
    """
    if not 0 < len(graph.nodes) <= MOST_NODES or len(graph.arrows) > MOST_ARROWS:
        return None
    names = _unlike([_name_lines(node.name) for node in graph.nodes])
    radius = max(SMALLEST_RADIUS, *(3 * len(line) + 4.0 * len(lines) for lines in names for line in lines))
    labels = (
        *((_cut(label),) if label else () for _, label in graph.starts),
        *(_label_lines(arrow.lines) for arrow in graph.arrows),
    )
    ends: list[tuple[int | None, int]] = [(None, start) for start, _ in graph.starts]
    ends += [(arrow.source, arrow.target) for arrow in graph.arrows]
    links = tuple(Link(*end, _box(label)) for end, label in zip(ends, labels, strict=True))
    shape = Shape(len(graph.nodes), radius, links)
    layout = (_by_graphviz(shape) if graphviz else None) or layered(shape)
    return DrawnGraph(graph=graph, radius=radius, names=names, labels=labels, layout=layout)


def _name_lines(name: str) -> tuple[str, ...]:
    """Return what of a name goes into the lines of a circle: at most three, broken between words."""
    words = name.replace(" / ", " ").split() or [name]
    kept = words if len(words) <= MOST_LINES_OF_A_NAME else [*words[: MOST_LINES_OF_A_NAME - 1], "…"]
    return tuple(_cut(word, LONGEST_LINE) for word in kept)


def _unlike(names: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the lines of names, and the number of the node instead of the last one where several would look alike.

    >>> _unlike([("wait", "for", "…"), ("q",), ("wait", "for", "…")])
    (('wait', 'for', '(1)'), ('q',), ('wait', 'for', '(3)'))
    """
    times = Counter(names)
    return tuple(
        lines if times[lines] == 1 else (*lines[: MOST_LINES_OF_A_NAME - 1], f"({number})")
        for number, lines in enumerate(names, 1)
    )


def _label_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return what of the lines at an arrow is drawn: at most five."""
    kept = lines if len(lines) <= MOST_LINES else (*lines[: MOST_LINES - 1], f"... {len(lines) - MOST_LINES + 1} more")
    return tuple(map(_cut, kept))


def _cut(line: str, longest: int = LONGEST_LABEL) -> str:
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _box(lines: tuple[str, ...]) -> Box:
    return Box(LETTER * max(map(len, lines), default=0), LINE * len(lines))


def graph_picture(graph: Graph) -> str | None:
    """Return `graph` as SVG, the same text on every machine; None if it has more than 48 nodes or 160 arrows.

    Examples
    --------
    >>> from exactnn.markup import Arrow, Node
    >>> arrow = Arrow(source=0, target=0, lines=("a",))
    >>> loop = Graph(title="a", nodes=(Node(name="q"),), arrows=(arrow,), starts=((0, ""),))
    >>> graph_picture(loop).count("<circle"), graph_picture(loop).count("marker-end")
    (1, 2)
    """
    drawn = drawn_graph(graph, graphviz=False)
    if drawn is None:
        return None
    layout, parts, labels = drawn.layout, list[str](), list[str]()
    told = [*((label,) if label else () for _, label in graph.starts), *(arrow.lines for arrow in graph.arrows)]
    for curve, kept, whole in zip(layout.curves, drawn.labels, told, strict=True):
        parts.append(path(svg_path(curve), arrow=True))
        hover = None if kept == whole else "; ".join(whole)
        labels += _written(curve.label, kept, hover=hover, halo=True)
    for node, name, place in zip(graph.nodes, drawn.names, layout.places, strict=True):
        hover = node.name if any("…" in line for line in name) else None
        parts.append(circle(*place, drawn.radius, dashed=node.dashed, hover=hover))
        if node.double:
            parts.append(circle(*place, drawn.radius - 4, fill="none"))
        parts += _written(place, name, hover=hover, halo=False)
    return picture(layout.width, layout.height, parts + labels, title=graph.title)


def svg_path(curve: Curve) -> str:
    """Return a curve as SVG writes it."""
    (x, y), *rest = curve.points
    return f"M{x:.1f} {y:.1f}C" + " ".join(f"{a:.1f} {b:.1f}" for a, b in rest)


def _written(middle: Point, lines: tuple[str, ...], *, hover: str | None, halo: bool) -> Iterator[str]:
    x, y = middle
    for i, line in enumerate(lines):
        yield text(x, y + 4 + LINE * (i - (len(lines) - 1) / 2), line, size=SIZE, halo=halo, hover=hover)


# --- The places that Graphviz finds.


def _by_graphviz(shape: Shape) -> Layout | None:
    """Return the layout that Graphviz' ``dot`` finds; None if it is not installed, fails or takes too long."""
    try:
        done = subprocess.run(
            ["dot", "-Tjson0"],
            input=_nameless(shape).encode(),
            capture_output=True,
            timeout=LONGEST_WAIT,
            check=True,
        )
        return _read(json.loads(done.stdout), shape)
    except (OSError, subprocess.SubprocessError, ValueError, LookupError):
        return None


def _nameless(shape: Shape) -> str:
    """Return what is to be placed as DOT text: sizes without any names, so that nothing depends on fonts."""
    lines = ["digraph {", "  rankdir=LR;", "  nodesep=0.2;", "  ranksep=0.2;", "  edge [dir=none];"]
    lines.append(f'  node [shape=circle, fixedsize=true, width={shape.radius / 36:.4f}, label=""];')
    lines += (f"  q{node};" for node in range(shape.nodes))
    for number, link in enumerate(shape.links):
        source = f"q{link.source}"
        if link.source is None:
            source = f"s{number}"
            lines.append(f"  {source} [shape=point, width=0.01];")
        lines.append(f"  {source} -> q{link.target} [id={number}{_room(link.label)}];")
    return "\n".join(lines) + "\n}\n"


def _room(label: Box) -> str:
    if not label.height:
        return ""
    size = f'width="{label.width + 4:.0f}" height="{label.height + 4:.0f}"'
    return f', label=<<table border="0" cellborder="0" fixedsize="true" {size}><tr><td></td></tr></table>>'


def _read(found: dict[str, object], shape: Shape) -> Layout:
    """Return the layout in Graphviz' JSON, in which y grows upwards."""
    _, _, width, height = _numbers(str(found["bb"]))
    margin = 10.0

    def place(x: float, y: float) -> Point:
        return x + margin, height - y + margin

    objects: Iterable[dict[str, str]] = found["objects"]  # type: ignore[assignment]
    edges: Iterable[dict[str, str]] = found.get("edges", ())  # type: ignore[assignment]
    places = {each["name"]: place(*_numbers(each["pos"])) for each in objects}
    curves = {}
    for edge in edges:
        points = tuple(place(*_numbers(point)) for point in edge["pos"].split())
        label = place(*_numbers(edge["lp"])) if "lp" in edge else points[0]
        curves[int(edge["id"])] = Curve(points, label)
    return Layout(
        width + 2 * margin,
        height + 2 * margin,
        tuple(places[f"q{node}"] for node in range(shape.nodes)),
        tuple(curves[number] for number in range(len(shape.links))),
    )


def _numbers(written: str) -> list[float]:
    return [float(part) for part in written.split(",")]
