"""What notebooks show: well-formed whatever the names are, with the values that it tells of, and bounded."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import MultiTapeTuringMachine
from exactnn.markup import Arrow, Cell, Graph, Node, cell_grid, graph_picture, html_table
from exactnn.precision import space_time

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = st.text(max_size=6)


def parsed(markup):
    return ElementTree.fromstring(markup)


def texts(markup):
    return ["".join(node.itertext()) for node in parsed(markup).iter(SVG + "text")]


@given(st.lists(TEXTS, min_size=1, max_size=5), st.data())
def test_a_graph_of_any_names_is_well_formed(names, data):
    number = st.integers(0, len(names) - 1)
    arrow = st.builds(Arrow, source=number, target=number, lines=st.lists(TEXTS, min_size=1, max_size=8).map(tuple))
    graph = Graph(
        title=data.draw(TEXTS),
        nodes=tuple(Node(name=name, double=data.draw(st.booleans())) for name in names),
        arrows=tuple(data.draw(st.lists(arrow, max_size=6))),
        start=data.draw(number),
    )
    drawn = parsed(graph_picture(graph))
    assert len(list(drawn.iter(SVG + "circle"))) == len(names) + sum(node.double for node in graph.nodes)
    assert sum("marker-end" in path.attrib for path in drawn.iter(SVG + "path")) == len(graph.arrows) + 1


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=4), max_size=4))
def test_a_table_and_cells_hold_any_text(rows):
    heading = [f"column {i}" for i in range(max([2, *map(len, rows)]))]
    assert len(list(parsed(html_table(heading, rows)).iter("tr"))) == len(rows) + 1
    cells = {i: {j: Cell(fill="#000000", letter=t, hover=t) for j, t in enumerate(row)} for i, row in enumerate(rows)}
    parsed(cell_grid([("<&>", cells)], list(cells), range(4), title='"'))


def test_large_graphs_are_not_drawn_and_large_tables_are_cut():
    nodes = tuple(Node(name=str(i)) for i in range(17))
    assert graph_picture(Graph(title="", nodes=nodes, arrows=(), start=0)) is None
    table = parsed(html_table(["n"] * 100, [[i] * 100 for i in range(1000)]))
    assert "960 more rows" in "".join(table.itertext())
    assert len(list(table.iter("tr"))) == 42


@pytest.mark.parametrize("name", [entry.name for entry in xn.zoo()])
def test_every_machine_of_the_zoo_and_its_network_show_themselves(name):
    machine = xn.load(name)
    shown = parsed(machine._repr_html_())
    told = "".join(shown.itertext())
    assert all(str(state) in told for state in machine.states[:30])
    network = xn.compile(machine).network
    pattern = parsed(network._repr_html_())
    titles = ["".join(title.itertext()) for title in pattern.iter(SVG + "title")]
    weighted = next(unit for unit in network.circuit.layers[0] if unit.bias or unit.linear or unit.bilinear)
    assert any(weighted.name in title for title in titles)


def test_a_machine_with_several_tapes_shows_its_moves():
    copy = MultiTapeTuringMachine(
        states=["q", "h"], input_symbols=["a"], tape_symbols=["a", "_"], tapes=2, initial_state="q", halt_state="h",
        blank_symbol="_",
        transitions={"q": {(x, y): ("h" if x == "_" else "q", (x, x), ("R", "R")) for x in "a_" for y in "a_"}},
    )  # fmt: skip
    assert "a, _ / a R, a R" in texts(copy._repr_svg_())


def test_the_diagram_of_tapes_rings_the_first_wrong_cell_of_each_format():
    found = space_time(xn.compile(xn.load("palindrome")), "abba", [xn.FLOAT16, xn.FLOAT8_E4M3])
    drawn = parsed(found._repr_svg_())
    wrong = [run for run in found.computed if run.divergence.configuration is not None]
    rings = [r for r in drawn.iter(SVG + "rect") if r.get("stroke") == "#D55E00" and r.get("fill") == "none"]
    assert wrong
    assert len(rings) == len(wrong)
    assert [t for t in texts(found._repr_svg_()) if t in ("exact", "float16", "float8_e4m3")] == [
        "exact", "float16", "float8_e4m3",
    ]  # fmt: skip


def test_a_trace_tells_exact_values():
    half = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    trace = xn.run(half, [1, 0, 0], record="all").trace
    titles = ["".join(t.itertext()) for t in parsed(trace._repr_svg_()).iter(SVG + "title")]
    assert titles == [f"h[0] after step {t}: {value}" for t, value in enumerate(["0", "1", "1/3", "1/9"])]
    floats = xn.run(half, [1, float("1e300")], record="all", arithmetic=xn.FLOAT16).trace
    assert "inf" in "".join(parsed(floats._repr_svg_()).itertext())
    assert xn.run(half, [1]).trace._repr_svg_() is None


@pytest.mark.parametrize("name", ["parity", "palindrome", "anbn-stacks", "anbn-counter"])
def test_a_construction_tells_its_machine_its_size_and_its_claim(name):
    net = xn.compile(xn.load(name))
    cells = ["".join(cell.itertext()) for cell in parsed(net._repr_html_()).iter("td")]
    assert cells[0] == name
    assert cells[1].startswith(f"{net.network.neurons} neurons, ")
    assert net.claim in cells
    assert net.citation in cells


@pytest.mark.parametrize("name", ["<b>&", "bell\x07", "\u202egnp", "\ud800", "two\nlines"])
def test_a_machine_a_network_and_a_run_of_any_name_are_well_formed(name):
    machine = xn.DFA(
        states=["p"], input_symbols="a", transitions={"p": {"a": "p"}}, initial_state="p", final_states=[], name=name
    )
    network = xn.minsky(machine).network
    for markup in (machine._repr_html_(), network._repr_html_(), xn.run(network, "a")._repr_html_()):
        assert markup.isprintable()
        assert parsed(markup) is not None


def test_a_long_heading_over_few_cells_has_room():
    drawn = parsed(cell_grid([("weights of 4 units; first column: biases", {})], [0], range(3), title=""))
    (heading,) = (text for text in drawn.iter(SVG + "text") if text.text.startswith("weights"))
    assert heading.get("text-anchor") == "start"
    assert float(heading.get("x")) + 6 * len(heading.text) < float(drawn.get("width"))
