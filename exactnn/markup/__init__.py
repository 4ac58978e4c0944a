"""Pictures as SVG text and tables as HTML text, drawn without any library. It knows only shapes, no machines."""

from exactnn.markup.cell_grid import Cell, cell_grid
from exactnn.markup.graph import Arrow, Graph, Node, graph_picture
from exactnn.markup.shapes import escaped, picture
from exactnn.markup.table import html_table

__all__ = ["Arrow", "Cell", "Graph", "Node", "cell_grid", "escaped", "graph_picture", "html_table", "picture"]
