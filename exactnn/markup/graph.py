"""A graph of states with labelled arrows, and its text in the DOT language of Graphviz."""

from dataclasses import dataclass

__all__ = ["Arrow", "Graph", "Node", "dot_text"]


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


def dot_text(graph: Graph) -> str:
    """Return `graph` in the DOT language."""
    lines = [f"digraph {_text(graph.title)} {{", "  rankdir=LR;", "  node [shape=circle];"]
    lines.append('  start [shape=point, label=""];')
    lines += (f"  q{i} [{_looks(node)}];" for i, node in enumerate(graph.nodes))
    lines += (f"  start -> q{i}{f' [label={_text(label)}]' if label else ''};" for i, label in graph.starts)
    lines += (f"  q{arrow.source} -> q{arrow.target} [label={_text(*arrow.lines)}];" for arrow in graph.arrows)
    return "\n".join(lines) + "\n}\n"


def _looks(node: Node) -> str:
    """Return the attributes of a state's node."""
    if node.dashed:
        return f"label={_text(node.name)}, style=dashed"
    return f"label={_text(node.name)}, shape=doublecircle" if node.double else f"label={_text(node.name)}"


def _text(*lines: object) -> str:
    """Return lines as one quoted string that Graphviz prints as they are, in the middle of each line.

    >>> _text('say "\\\\N"', "&amp;")
    '"say \\\\"\\\\\\\\N\\\\"\\\\n&amp;amp;"'
    """
    return '"' + "\\n".join("".join(map(_escaped, str(line))) for line in lines) + '"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "&": "&amp;"}


def _escaped(character: str) -> str:
    if character.isprintable():
        return _ESCAPES.get(character, character)
    return "\\\\" + character.encode("unicode_escape", "backslashreplace").decode()[1:]
