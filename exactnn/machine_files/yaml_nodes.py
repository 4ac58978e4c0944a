"""The nodes of a YAML document, which know their line. Every scalar is text: 0, yes, no and + are symbols."""

from dataclasses import dataclass

__all__ = ["ListNode", "MapNode", "Node", "TextNode"]


@dataclass(frozen=True, slots=True)
class TextNode:
    """A scalar. `plain` says that it has no quotes, `block` that it is a literal block."""

    line: int
    text: str
    plain: bool = False
    block: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing at all is written, as after ``H:``."""
        return self.plain and not self.text


@dataclass(frozen=True, slots=True)
class ListNode:
    """A sequence of nodes."""

    line: int
    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping, as pairs of nodes in their order; equal keys are all kept."""

    line: int
    pairs: "tuple[tuple[Node, Node], ...]"


Node = TextNode | ListNode | MapNode
