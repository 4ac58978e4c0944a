"""Graphs in layers: nothing stands on anything else, arrows meet their circles, and Graphviz is not needed."""

from itertools import combinations
from math import hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactnn as xn
from exactnn.markup import Arrow, Graph, Node, drawn_graph, graph_drawing
from exactnn.markup.layered import Box, Link, Shape, layered

RADIUS = 20.0


@st.composite
def shapes(draw):
    nodes = draw(st.integers(1, 8))
    number = st.integers(0, nodes - 1)
    pairs = draw(st.lists(st.tuples(number, number), unique=True, max_size=20))
    starts = [(None, target) for target in draw(st.lists(number, unique=True, max_size=3))]
    boxes = st.builds(Box, st.integers(5, 100), st.integers(12, 60)) | st.just(Box())
    return Shape(nodes, RADIUS, tuple(Link(*ends, draw(boxes)) for ends in starts + pairs))


def apart(first, second):
    (x, y, w, h), (a, b, c, d) = first, second
    return abs(x - a) >= w + c - 1e-6 or abs(y - b) >= h + d - 1e-6


def bezier(points, share):
    (a, b), (c, d), (e, f), (g, h) = points
    weights = ((1 - share) ** 3, 3 * share * (1 - share) ** 2, 3 * share**2 * (1 - share), share**3)
    return (
        sum(w * x for w, x in zip(weights, (a, c, e, g), strict=True)),
        sum(w * y for w, y in zip(weights, (b, d, f, h), strict=True)),
    )


@settings(max_examples=100, deadline=None)
@given(shapes())
def test_circles_and_labels_keep_apart_and_arrows_run_between_them(shape):
    layout = layered(shape)
    circles = [(x, y, RADIUS, RADIUS) for x, y in layout.places]
    labels = {
        number: (*curve.label, link.label.width / 2, link.label.height / 2)
        for number, (link, curve) in enumerate(zip(shape.links, layout.curves, strict=True))
        if link.label.height
    }
    assert all(apart(a, b) for a, b in combinations([*circles, *labels.values()], 2))
    for x, y, w, h in [*circles, *labels.values()]:
        assert w <= x <= layout.width - w
        assert h <= y <= layout.height - h
    for link, curve in zip(shape.links, layout.curves, strict=True):
        x, y = layout.places[link.target]
        assert hypot(curve.points[-1][0] - x, curve.points[-1][1] - y) == pytest.approx(RADIUS)
        if link.source is not None:
            x, y = layout.places[link.source]
            assert hypot(curve.points[0][0] - x, curve.points[0][1] - y) == pytest.approx(RADIUS)
        if link.source == link.target:
            continue
        way = [
            bezier(curve.points[i : i + 4], share / 20)
            for i in range(0, len(curve.points) - 1, 3)
            for share in range(21)
        ]
        for x, y in way:
            assert all(hypot(x - a, y - b) >= RADIUS - 1e-6 for a, b in layout.places)
            assert all(apart((x, y, 0, 0), box) for box in labels.values())


@pytest.mark.mostly_slow(quick=25, slow=20)
@pytest.mark.parametrize("name", [entry.name for entry in xn.zoo()])
def test_both_layouts_draw_the_machines_of_the_zoo(name):
    graph = xn.load(name).graph()
    drawings = [drawn_graph(graph, graphviz=graphviz) for graphviz in (False, True)]
    assert [drawing is None for drawing in drawings] == [len(graph.nodes) > 48] * 2


@pytest.mark.parametrize(
    "program", ["exit 1", "sleep 9", "echo nothing", "echo '{}'", """echo '{"bb": "x", "objects": []}'"""]
)
def test_a_graphviz_that_fails_is_done_without(program, tmp_path, monkeypatch):
    (tmp_path / "dot").write_text(f"#!/bin/sh\n{program}\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(graph_drawing, "LONGEST_WAIT", 0.2)
    nodes = Node(name="p"), Node(name=program)
    graph = Graph(title="", nodes=nodes, arrows=(Arrow(source=0, target=1, lines=("a",)),), starts=((0, ""),))
    assert drawn_graph(graph).layout == drawn_graph(graph, graphviz=False).layout
