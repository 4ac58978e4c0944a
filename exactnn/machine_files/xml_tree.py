"""From XML text to a tree of elements that know their line, within bounds, by defusedxml.

Documents with a document type, and with it entities, are refused: no machine file needs one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from exactnn.interrupts import Uninterrupted
from exactnn.machine_files.fields import FaultList

__all__ = ["Element", "parse_xml", "xml_text"]

_MAX_DEPTH = 12
_MAX_ELEMENTS = 200_000


@dataclass(slots=True)
class Element:
    """An element: its name, attributes, children, the text in it as it is, and the line on which it begins."""

    tag: str
    line: int
    attributes: dict[str, str]
    raw: str = ""
    children: "list[Element]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text without the blanks around it."""
        return self.raw.strip()

    def all(self, tag: str) -> "Iterator[Element]":
        """Yield the children of this name."""
        yield from (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> "Element | None":
        """Return the first child of this name, if there is one."""
        return next(self.all(tag), None)


class _TooMuchError(Exception):
    """The text leaves the bounds; the rest of it is not looked at."""


def parse_xml(text: str, faults: FaultList) -> Element | None:
    """Return the root element of `text`, or None after noting a fault.

    >>> root = parse_xml("<structure><type>fa</type></structure>", FaultList("some file"))
    >>> root.tag, [child.text for child in root.all("type")]
    ('structure', ['fa'])
    """
    with Uninterrupted("loading defusedxml"):
        from xml.sax import SAXParseException
        from xml.sax.handler import ContentHandler

        from defusedxml import DefusedXmlException
        from defusedxml.sax import make_parser

    class Tree(ContentHandler):
        """Builds elements with a stack of those that are open."""

        def __init__(self) -> None:
            super().__init__()
            self.root: Element | None = None
            self.open: list[Element] = []
            self.elements = 0

        def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - the name is SAX's
            self.elements += 1
            line = parser.getLineNumber() or 1
            if self.elements > _MAX_ELEMENTS or len(self.open) >= _MAX_DEPTH:
                deep = len(self.open) >= _MAX_DEPTH
                fault = f"nested more than {_MAX_DEPTH} deep" if deep else f"more than {_MAX_ELEMENTS:,} elements"
                faults.add(line, f"{fault}: a machine file is smaller")
                raise _TooMuchError
            element = Element(name, line, dict(attrs.items()))
            if self.open:
                self.open[-1].children.append(element)
            else:
                self.root = element
            self.open.append(element)

        def endElement(self, name: str) -> None:  # noqa: N802
            self.open.pop()

        def characters(self, content: str) -> None:
            if self.open and len(self.open[-1].raw) < 10_000:
                self.open[-1].raw += content

    parser = make_parser()
    parser.forbid_dtd = True
    tree = Tree()
    parser.setContentHandler(tree)
    try:
        parser.parse(StringIO(_plain(text)))
    except SAXParseException as error:
        faults.add(error.getLineNumber() or 1, f"not valid XML ({error.getMessage()}): save it again, or correct it")
        return None
    except DefusedXmlException:
        faults.add(parser.getLineNumber() or 1, "it declares a document type or entities: remove '<!DOCTYPE ...>'")
        return None
    except _TooMuchError:
        return None
    except (UnicodeError, ValueError) as error:
        faults.add(1, f"not valid XML ({' '.join(str(error).split())}): save it again as UTF-8")
        return None
    return tree.root


def _plain(text: str) -> str:
    """Return `text` without its XML declaration: it is text already, whatever encoding that names."""
    found = re.match(r"\s*<\?xml[^>]*\?>", text)
    return text if found is None else re.sub("[^\n]", " ", found.group()).lstrip(" ") + text[found.end() :]


def xml_text(text: str) -> str:
    """Return `text` so that it stands in XML as it is.

    >>> xml_text("<&>")
    '&lt;&amp;&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
