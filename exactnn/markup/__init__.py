"""Pictures as SVG text, and tables as HTML text and for terminals. It knows only shapes and text, no machines."""

from exactnn.markup.cell_grid import Cell, cell_grid
from exactnn.markup.graph import (
    MOST_ARROWS,
    MOST_NODES,
    Arrow,
    DrawnGraph,
    Graph,
    Node,
    dot_text,
    drawn_graph,
    graph_picture,
    svg_path,
)
from exactnn.markup.layered import Curve
from exactnn.markup.shapes import clipped, escaped, named, picture, printable
from exactnn.markup.table import MOST_ROWS, Entry, InTerminal, Table, Tabular, html_table, rich_table

__all__ = [
    "MOST_ARROWS",
    "MOST_NODES",
    "MOST_ROWS",
    "Arrow",
    "Cell",
    "Curve",
    "DrawnGraph",
    "Entry",
    "Graph",
    "InTerminal",
    "Node",
    "Table",
    "Tabular",
    "cell_grid",
    "clipped",
    "dot_text",
    "drawn_graph",
    "escaped",
    "graph_picture",
    "html_table",
    "named",
    "picture",
    "printable",
    "rich_table",
    "svg_path",
]
