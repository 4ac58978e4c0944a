"""What notebooks show: well-formed whatever the names are, with the values that it tells of, and bounded."""

import re
from itertools import product
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import LOST, MultiTapeTuringMachine
from exactnn.automata.drawn import ANY, _merged
from exactnn.markup import Arrow, Cell, Graph, Node, Table, cell_grid, graph_picture, html_table
from exactnn.precision import space_time

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = st.text(max_size=6)


LARGE = ("binary-addition-checked",)
"""Machines whose network has tens of thousands of weights."""


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
        starts=tuple(data.draw(st.lists(st.tuples(number, TEXTS), max_size=3))),
    )
    drawn = parsed(graph_picture(graph))
    assert len(list(drawn.iter(SVG + "circle"))) == len(names) + sum(node.double for node in graph.nodes)
    assert sum("marker-end" in path.attrib for path in drawn.iter(SVG + "path")) == len(graph.arrows) + len(
        graph.starts
    )


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=4), max_size=4))
def test_a_table_and_cells_hold_any_text(rows):
    heading = [f"column {i}" for i in range(max([2, *map(len, rows)]))]
    table = Table(heading=tuple(heading), rows=tuple(map(tuple, rows)), title="<&>", note='"')
    assert len(list(parsed(html_table(table)).iter("tr"))) == len(rows) + 2
    cells = {i: {j: Cell(fill="#000000", letter=t, hover=t) for j, t in enumerate(row)} for i, row in enumerate(rows)}
    parsed(cell_grid([("<&>", cells)], list(cells), range(4), title='"'))


def test_large_graphs_are_not_drawn_and_large_tables_are_cut():
    nodes = tuple(Node(name=str(i)) for i in range(49))
    assert graph_picture(Graph(title="", nodes=nodes, arrows=(), starts=((0, ""),))) is None
    table = parsed(html_table(Table(heading=("n",) * 100, rows=tuple((i,) * 100 for i in range(1000)))))
    assert "960 more rows" in "".join(table.itertext())
    assert "76 more columns" in "".join(table.itertext())
    assert len(list(table.iter("tr"))) == 43


@pytest.mark.mostly_slow(quick=19, slow=11)
@pytest.mark.parametrize("name", sorted((entry.name for entry in xn.zoo()), key=LARGE.__contains__))
def test_every_machine_of_the_zoo_and_its_network_show_themselves(name):
    machine = xn.load(name)
    shown = parsed(machine._repr_html_())
    told = "".join(shown.itertext())
    drawn = machine.control_states if isinstance(machine, xn.PushdownAutomaton) else machine.states
    assert all(str(state) in told for state in drawn[:30])
    if not xn.constructions.constructions_for(machine):
        return
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
    assert "a, any / a R, a R" in texts(copy._repr_svg_())


def test_a_symbol_that_looks_like_an_empty_stack_is_told_from_it():
    machine = xn.StackMachine(
        states=["q", "H"], input_symbols=["ε"], stack_symbols=["ε"], stacks=1, initial_state="q", halt_state="H",
        transitions={"q": {("ε",): ("q", [("pop",)]), ("",): ("H", [("keep",)])}},
    )  # fmt: skip
    assert [arrow.lines for arrow in machine.graph().arrows] == [("'ε' / pop",), ("ε / keep",)]
    assert machine.as_table().heading == ("state", "'ε'", "ε")


@given(data=st.data())
def test_readings_with_any_are_those_on_which_the_same_is_done(data):
    symbols = data.draw(st.sampled_from(["ab", "abc"]))
    size = data.draw(st.integers(1, 3))
    readings = list(product(symbols, repeat=size))
    chosen = data.draw(st.lists(st.sampled_from(readings), unique=True))
    merged = _merged(chosen, symbols)
    meant = [one for reading in merged for one in product(*(symbols if x == ANY else x for x in reading))]
    assert set(meant) == set(chosen)
    assert len(merged) <= len(chosen)
    if len(chosen) == len(readings):
        assert merged == [(ANY,) * size]


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


def test_the_diagram_of_tapes_hatches_what_cannot_be_read():
    found = space_time(xn.compile(xn.load("palindrome")), "abba", [xn.FLOAT16])
    rows = found.computed[0].rows
    assert next(set(row.configuration.tape) for row in rows if row.configuration.state is LOST) == {"_"}
    drawn = parsed(found._repr_svg_())
    told = ["".join(title.itertext()) for title in drawn.iter(SVG + "title")]
    for row in rows:
        nothing = row.configuration.state is LOST
        assert nothing == any(t.startswith(f"step {row.step}, cells ") and t.endswith(": cannot be read") for t in told)
    assert len(hatches(drawn)) == sum(t.endswith("cannot be read") for t in told)
    assert texts(found._repr_svg_())[-1] == "cannot be read"
    right = space_time(xn.compile(xn.load("bb2")), "", [xn.FLOAT64])._repr_svg_()
    assert not hatches(parsed(right))
    assert "cannot be read" not in right


def hatches(drawn):
    return [path for path in drawn.iter(SVG + "path") if path.get("fill") == "none"]


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


CELLS = st.builds(Cell, fill=st.sampled_from(["#000000", "#ffffff"]), letter=st.sampled_from(["", "a"]),
                  marked=st.booleans(), hover=st.sampled_from(["x", "y"]))  # fmt: skip


@given(st.lists(st.lists(st.none() | CELLS, min_size=1, max_size=6), min_size=1, max_size=4))
def test_equal_cells_are_one_shape_and_every_cell_keeps_its_colour_letter_and_text(rows):
    cells = {i: {j: cell for j, cell in enumerate(row) if cell is not None} for i, row in enumerate(rows)}
    places = {}
    drawn = parsed(cell_grid([("", cells)], list(cells), range(6), title="", where=lambda i, j, k: f"{i} {j}-{k} "))
    for path in drawn.iter(SVG + "path"):
        x, y, width = map(float, re.match(r"M(\S+) (\S+?)h([\d.]+)v14", path.get("d")).groups())
        row, first, count = (y - 22) / 14, (x - 46) / 14, width / 14
        assert path.get("d").count("v14") == count, "the lines between cells"
        (told,) = ("".join(title.itertext()) for title in path.iter(SVG + "title"))
        assert told[:-1] == f"{row:.0f} {first:.0f}-{first + count - 1:.0f} "
        for column in range(int(first), int(first + count)):
            assert (int(row), column) not in places
            places[int(row), column] = path.get("fill"), told[-1]
    assert places == {(i, j): (cell.fill, cell.hover) for i, row in cells.items() for j, cell in row.items()}
    letters = [(int((float(t.get("y")) - 33) / 14), int((float(t.get("x")) - 46) / 14))
               for g in drawn.iter(SVG + "g") for t in g.iter(SVG + "text")]  # fmt: skip
    assert sorted(letters) == sorted((i, j) for i, row in cells.items() for j, cell in row.items() if cell.letter)
    marks = sum(cell.marked for row in cells.values() for cell in row.values())
    assert len(list(drawn.iter(SVG + "circle"))) == marks


def test_a_large_diagram_of_tapes_is_small():
    found = space_time(xn.compile(xn.load("bb4")), "", [xn.FLOAT16])
    assert len(found.exact.rows) == 108
    assert len(found._repr_svg_()) < 180_000


@pytest.mark.parametrize("columns", [1, 2, 30])
@pytest.mark.parametrize("heading", ["exact", "the weights of a network that is narrow"])
def test_headings_have_room(columns, heading):
    panel = (heading, {0: {j: Cell(fill="#ffffff") for j in range(columns)}})
    drawn = parsed(cell_grid([panel, panel], [0], range(columns), title=""))
    spans = []
    for text in drawn.iter(SVG + "text"):
        if text.text == heading:
            width, x = 6 * len(heading), float(text.get("x"))
            start = x - width / 2 if text.get("text-anchor") == "middle" else x
            spans += [start, start + width]
    assert spans == sorted(spans)
    assert spans[0] > 0
    assert spans[-1] < float(drawn.get("width"))


def test_large_numbers_of_rows_have_room():
    drawn = parsed(cell_grid([("", {10**12: {0: Cell(fill="#ffffff")}})], [10**12], range(1), title=""))
    (number,) = (text for text in drawn.iter(SVG + "text") if text.text == str(10**12))
    assert float(number.get("x")) > 13 * 5.6
