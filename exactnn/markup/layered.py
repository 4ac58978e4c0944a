"""Where the nodes, arrows and labels of a graph go: in layers from left to right, so that no label is on a crossing."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin

__all__ = ["Box", "Curve", "Layout", "Link", "Point", "Shape", "layered"]

Point = tuple[float, float]
"""A place in the picture: x to the right, y downwards."""

LOOP = 22.0
"""Height of an arrow from a node to itself."""
MARGIN, GAP = 10.0, 16.0
"""Least distance of things above each other, and of columns; arrows bend only between columns."""
WIDEST_FAN = 0.6 * pi
"""The part of a circle, on each side, at which arrows begin and end."""
ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Box:
    """The size of a label; it is empty where there is none."""

    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """An arrow between two nodes given by their numbers; from outside where there is no source."""

    source: int | None
    target: int
    label: Box


@dataclass(frozen=True, slots=True)
class Shape:
    """What is to be placed: so many circles of one radius, and the arrows."""

    nodes: int
    radius: float
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """The way of an arrow as cubic Bézier curves, a point and then three for each, and the middle of its label."""

    points: tuple[Point, ...]
    label: Point


@dataclass(frozen=True, slots=True)
class Layout:
    """The size of a picture, the middles of its circles, and the curves of its arrows in their order."""

    width: float
    height: float
    places: tuple[Point, ...]
    curves: tuple[Curve, ...]


@dataclass(slots=True)
class _Item:
    """What has a place in a column: a node, a point where an arrow from outside begins, or an arrow on its way.

    It takes room from `above` its place to `below`, and half of its `width` on both sides. A node has a radius.
    """

    column: int
    above: float
    below: float
    width: float
    before: list[int]
    after: list[int]
    radius: float = 0.0
    y: float = 0.0


def layered(shape: Shape) -> Layout:
    """Return places in layers: the drawing of Sugiyama, Tagawa and Toda, from left to right.

    Arrows that close a cycle are turned round until the end. A node stands as many columns from the left as the longest
    path to it is long, and between two such columns is one for labels. An arrow has an item in every column that it
    passes, and one of these has room for its label: labels and circles therefore keep apart from arrows, which only
    cross between columns. Items are sorted by the mean place of their neighbours, in both directions in turn, and the
    order with fewest crossings is kept. Then each column moves as near as possible to its neighbours (least squares, by
    pooling adjacent violators), without a change of order.

    Examples
    --------
    >>> there, back = Link(0, 1, Box(20, 12)), Link(1, 0, Box(20, 12))
    >>> layout = layered(Shape(nodes=2, radius=20.0, links=(there, back)))
    >>> layout.places[0][0] < layout.places[1][0], len(layout.curves)
    (True, 2)

    References
    ----------
    K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system structures", IEEE
    Transactions on Systems, Man, and Cybernetics 11(2), 1981.
    """
    loops = {link.source: link.label for link in shape.links if link.source == link.target}
    items = [_node(shape.radius, loops.get(node)) for node in range(shape.nodes)]
    chains = _chains(shape, items)
    columns = _sorted_columns(items)
    _spread(items, columns)
    across = _across(items, columns)
    places = [(across[item.column][0], item.y) for item in items]
    ports = _ports(items, chains)
    curves = []
    for number, link in enumerate(shape.links):
        if link.source == link.target:
            curves.append(_loop(places[link.target], shape.radius, link.label))
            continue
        chain, turned, labelled = chains[number]
        curves.append(_curve(chain, items, across, ports[number], turned, labelled, link.label))
    return _fitted(shape, places[: shape.nodes], curves)


def _node(radius: float, loop: Box | None) -> _Item:
    above, width = (LOOP + loop.height, loop.width) if loop else (0.0, 0.0)
    return _Item(0, radius + above, radius, max(2 * radius, width), [], [], radius)


def _chains(shape: Shape, items: list[_Item]) -> dict[int, tuple[list[int], bool, int | None]]:
    """Give every node its column, and every arrow but loops its items.

    Returns for each arrow the numbers of its items from left to right, whether it points to the left, and the item of
    its label.
    """
    first = {number: _begin(items) for number, link in enumerate(shape.links) if link.source is None}
    ends = {
        number: (first[number] if link.source is None else link.source, link.target)
        for number, link in enumerate(shape.links)
        if link.source != link.target
    }
    turned = _closing(len(items), ends, [first[number] for number in first])
    downward = {number: ends[number][::-1] if number in turned else ends[number] for number in ends}
    for item, column in enumerate(_longest_paths(len(items), downward.values())):
        items[item].column = 2 * column
    for number, item in first.items():
        items[item].column = items[shape.links[number].target].column - 2
    chains: dict[int, tuple[list[int], bool, int | None]] = {}
    for number, (left, right) in downward.items():
        columns = range(items[left].column + 1, items[right].column)
        label = shape.links[number].label
        middle = columns[len(columns) // 2] | 1 if label.height else None
        chain, labelled = [left], None
        for column in columns:
            has = column == middle
            labelled = len(items) if has else labelled
            chain.append(len(items))
            items.append(_Item(column, label.height + 3 if has else 1, 1, label.width + 8 if has else 0, [], []))
        chain.append(right)
        chains[number] = chain, number in turned, labelled
        for a, b in pairwise(chain):
            items[a].after.append(b)
            items[b].before.append(a)
    return chains


def _begin(items: list[_Item]) -> int:
    """Add the point where an arrow from outside begins."""
    items.append(_Item(0, 1, 1, 0, [], []))
    return len(items) - 1


def _closing(count: int, ends: dict[int, tuple[int, int]], roots: list[int]) -> set[int]:
    """Return the arrows that close a cycle in a search in depth, first from `roots`."""
    leaving: dict[int, list[int]] = {}
    for number, (source, _) in ends.items():
        leaving.setdefault(source, []).append(number)
    closing: set[int] = set()
    state = [0] * count  # 0 not seen, 1 on the way, 2 done
    for root in [*roots, *range(count)]:
        if state[root]:
            continue
        state[root] = 1
        way = [(root, iter(leaving.get(root, ())))]
        while way:
            node, rest = way[-1]
            leading = next(rest, None)
            if leading is None:
                state[node] = 2
                way.pop()
                continue
            target = ends[leading][1]
            if state[target] == 1:
                closing.add(leading)
            elif not state[target]:
                state[target] = 1
                way.append((target, iter(leaving.get(target, ()))))
    return closing


def _longest_paths(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return how long the longest path to each node of an acyclic graph is."""
    after: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for a, b in pairs:
        after[a].append(b)
        waiting[b] += 1
    length = [0] * count
    ready = [node for node in range(count) if not waiting[node]]
    for node in ready:
        for target in after[node]:
            length[target] = max(length[target], length[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return length


def _sorted_columns(items: list[_Item]) -> list[list[int]]:
    """Return the items of each column from above to below, in the best order that was found."""
    least = min(item.column for item in items)
    columns: list[list[int]] = [[] for _ in range(max(item.column for item in items) - least + 1)]
    for number, item in enumerate(items):
        item.column -= least
        columns[item.column].append(number)
    best, fewest = [list(column) for column in columns], _crossings(items, columns)
    for turn in range(2 * ROUNDS):
        forward = turn % 2 == 0
        rank = {item: place for column in columns for place, item in enumerate(column)}
        for column in columns if forward else columns[::-1]:
            means = {
                item: sum(rank[n] for n in near) / len(near) if near else rank[item]
                for item in column
                if (near := items[item].before if forward else items[item].after) is not None
            }
            column.sort(key=means.__getitem__)
            rank.update((item, place) for place, item in enumerate(column))
        found = _crossings(items, columns)
        if found < fewest:
            best, fewest = [list(column) for column in columns], found
    return best


def _crossings(items: list[_Item], columns: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of arrows cross between neighbouring columns."""
    total = 0
    for left, right in pairwise(columns):
        rank = {item: place for place, item in enumerate(right)}
        seen: list[int] = []
        for item in left:
            ends = sorted(rank[n] for n in items[item].after)
            total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _spread(items: list[_Item], columns: list[list[int]]) -> None:
    """Give every item its y: near its neighbours, in the order of its column, with room for all."""
    for column in columns:
        _place(items, column, [0.0] * len(column))
    for turn in range(2 * ROUNDS):
        for column in columns if turn % 2 == 0 else columns[::-1]:
            wished = []
            for number in column:
                item = items[number]
                near = [(items[n].y, _pull(item, items[n])) for n in item.before + item.after]
                total = sum(pull for _, pull in near)
                wished.append(sum(y * pull for y, pull in near) / total if near else item.y)
            _place(items, column, wished)


def _pull(item: _Item, neighbour: _Item) -> float:
    """Return how much an item wants to be as high as its neighbour: most of all so that long arrows are straight."""
    on_the_way = [len(each.before) == 1 == len(each.after) for each in (item, neighbour)]
    return 1.0 + 7.0 * all(on_the_way) + any(on_the_way)


def _place(items: list[_Item], column: list[int], wished: list[float]) -> None:
    """Place the items of a column as near as possible to where they wish to be: the least sum of squares.

    Without the room that each takes up this is a regression with values that never fall: neighbours that want to
    change places are pooled and get the mean of their wishes.
    """
    taken, room = [0.0], 0.0
    for above, below in pairwise(column):
        room += items[above].below + items[below].above + MARGIN
        taken.append(room)
    pools: list[tuple[float, int]] = []  # the mean of a pool, and how many it has
    for wish, before in zip(wished, taken, strict=True):
        mean, count = wish - before, 1
        while pools and pools[-1][0] > mean:
            other, many = pools.pop()
            mean, count = (mean * count + other * many) / (count + many), count + many
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    for number, mean, before in zip(column, means, taken, strict=True):
        items[number].y = mean + before


def _across(items: list[_Item], columns: list[list[int]]) -> list[tuple[float, float]]:
    """Return the middle of each column and half of its width; the gaps are wider where arrows climb."""
    found, x = [], 0.0
    for place, column in enumerate(columns):
        half = max(items[number].width for number in column) / 2
        found.append((x + half, half))
        climb = max((abs(items[n].y - items[number].y) for number in column for n in items[number].after), default=0)
        x += 2 * half + (max(GAP, min(60.0, climb / 4)) if place + 1 < len(columns) else 0)
    return found


def _ports(items: list[_Item], chains: dict[int, tuple[list[int], bool, int | None]]) -> dict[int, tuple[Point, Point]]:
    """Return for each arrow the directions in which it stands off the circles at its left and right end.

    The arrows on a side of a circle stand in the order in which they go on, like the sticks of a fan.
    """
    sides: dict[tuple[int, bool], list[tuple[float, int]]] = {}
    for number, (chain, _, _) in chains.items():
        for end, near, right in ((chain[0], chain[1], True), (chain[-1], chain[-2], False)):
            sides.setdefault((end, right), []).append((items[near].y, number))
    found: dict[int, list[Point]] = {number: [(0.0, 0.0), (0.0, 0.0)] for number in chains}
    for (end, right), sticks in sides.items():
        radius = items[end].radius
        stick = min(0.4, WIDEST_FAN / len(sticks))
        for place, (_, number) in enumerate(sorted(sticks)):
            angle = (place - (len(sticks) - 1) / 2) * stick
            found[number][0 if right else 1] = (
                (radius * cos(angle), radius * sin(angle)) if right else (-radius * cos(angle), radius * sin(angle))
            )
    return {number: (left, right) for number, (left, right) in found.items()}


def _curve(
    chain: list[int],
    items: list[_Item],
    across: list[tuple[float, float]],
    ports: tuple[Point, Point],
    turned: bool,
    labelled: int | None,
    label: Box,
) -> Curve:
    """Return the way of an arrow: straight through each column that it passes, and bent between them."""
    (left, right), first, last = ports, items[chain[0]], items[chain[-1]]
    (x, half), (z, width) = across[first.column], across[last.column]
    begin, end = (x + left[0], first.y + left[1]), (z + right[0], last.y + right[1])
    points, here, lean = [begin], begin, left
    if half > first.radius:  # straight through what is left of its own column
        here, lean = (x + half, begin[1]), (1.0, 0.0)
        points += _bend(begin, here, lean, (-1.0, 0.0))
    border, look = ((z - width, end[1]), (-1.0, 0.0)) if width > last.radius else (end, right)
    for number in chain[1:-1]:
        x, half = across[items[number].column]
        y = items[number].y
        points += _bend(here, (x - half, y), lean, (-1.0, 0.0))
        here, lean = (x + half, y), (1.0, 0.0)
        points += _bend((x - half, y), here, lean, (-1.0, 0.0))
    points += _bend(here, border, lean, look)
    if border != end:
        points += _bend(border, end, (1.0, 0.0), look)
    middle = here
    if labelled is not None:
        middle = (across[items[labelled].column][0], items[labelled].y - 2 - label.height / 2)
    return Curve(tuple(points[::-1] if turned else points), middle)


def _bend(begin: Point, end: Point, leaving: Point, arriving: Point) -> list[Point]:
    """Return the last three points of a curve that leaves in one direction and whose end looks back in the other."""
    pull = abs(end[0] - begin[0]) / 2
    (a, b), (c, d) = (_unit(leaving) or (1.0, 0.0)), (_unit(arriving) or (-1.0, 0.0))
    return [(begin[0] + a * pull, begin[1] + b * pull), (end[0] + c * pull, end[1] + d * pull), end]


def _unit(direction: Point) -> Point | None:
    length = (direction[0] ** 2 + direction[1] ** 2) ** 0.5
    return (direction[0] / length, direction[1] / length) if length else None


def _loop(place: Point, radius: float, label: Box) -> Curve:
    """Return an arrow from a node to itself, above it."""
    x, y = place
    aside, top = radius * sin(0.45), y - radius * cos(0.45)
    pull, high = 0.9 * radius * sin(0.9), y - radius - LOOP * 1.2
    points = (x - aside, top), (x - pull, high), (x + pull, high), (x + aside, top)
    return Curve(points, (x, y - radius - LOOP - label.height / 2 + 1))


def _fitted(shape: Shape, places: Sequence[Point], curves: list[Curve]) -> Layout:
    """Return the layout moved so that everything is in the picture."""
    spans = [(x, y, shape.radius, shape.radius) for x, y in places]
    for link, curve in zip(shape.links, curves, strict=True):
        spans += [(x, y, 1.0, 1.0) for x, y in curve.points]
        spans.append((*curve.label, link.label.width / 2, link.label.height / 2))
    left, top = min(x - w for x, _, w, _ in spans) - MARGIN, min(y - h for _, y, _, h in spans) - MARGIN
    width = max(x + w for x, _, w, _ in spans) - left + MARGIN
    height = max(y + h for _, y, _, h in spans) - top + MARGIN

    def moved(point: Point) -> Point:
        return point[0] - left, point[1] - top

    drawn = (Curve(tuple(map(moved, curve.points)), moved(curve.label)) for curve in curves)
    return Layout(width, height, tuple(map(moved, places)), tuple(drawn))
