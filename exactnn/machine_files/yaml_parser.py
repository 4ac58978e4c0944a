"""From YAML text to a tree of nodes.

The tree is built from the parser's events with an explicit stack, so that depth and size are bounded and
no text can exhaust memory or the call stack. Anchors, aliases and tags are refused: machine files need none.
"""

import re

import yaml

from exactnn.errors import MachineFileError
from exactnn.machine_files.fields import FaultList, ListNode, MapNode, Node, TextNode

__all__ = ["compose", "leading_texts"]

_MAX_DEPTH = 12
_TOO_DEEP = f"nested more than {_MAX_DEPTH} deep: a machine file is flatter"
_MAX_NODES = 400_000
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast loader of libyaml, where PyYAML was built with it."""


class _TooMuchError(Exception):
    """The text leaves the bounds; the rest of it is not looked at."""


def compose(text: str, faults: FaultList, *, first_line: int = 1, one_line: bool = False) -> Node | None:
    """Return the root node of `text`, or None after noting faults.

    Parameters
    ----------
    text : str
        One YAML document.
    faults : FaultList
        Where faults are noted.
    first_line : int
        The number of the text's first line, for a text inside another.
    one_line : bool
        Whether all of it counts as that line, for a text whose lines cannot be told.
    """
    tree = _Tree(faults, first_line, one_line)
    if bad := _CONTROL.search(text):
        line = tree.line_of(text.count("\n", 0, bad.start()))
        faults.add(line, f"character {bad.group()!a} is not text: remove it, or write it as an escape in double quotes")
        return None
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            tree.take(event)
    except yaml.YAMLError as error:
        faults.add(tree.line_of(_line_of_error(error, text)), _sentence(error))
        return None
    except _TooMuchError:
        return None
    return tree.root


class _Tree:
    """Builds nodes from events; the open collections are a stack."""

    def __init__(self, faults: FaultList, first_line: int, one_line: bool) -> None:
        self.root: Node | None = None
        self._faults = faults
        self._first_line = first_line
        self._one_line = one_line
        self._open: list[tuple[int, list[Node]]] = []
        self._nodes = 0

    def line_of(self, index: int) -> int:
        """Return the number of the line with this index."""
        return self._first_line if self._one_line else self._first_line + index

    def _line(self, event: yaml.Event) -> int:
        return self.line_of(0 if event.start_mark is None else event.start_mark.line)

    def take(self, event: yaml.Event) -> None:
        """Take in the next event of the parser."""
        if isinstance(event, yaml.NodeEvent):
            self._refuse(event)
        line = self._line(event)
        if isinstance(event, yaml.ScalarEvent):
            self._close(TextNode(line, event.value, plain=event.style in (None, ""), block=event.style == "|"))
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open.append((line, []))
        elif isinstance(event, yaml.SequenceEndEvent):
            start, items = self._open.pop()
            self._close(ListNode(start, tuple(items)))
        elif isinstance(event, yaml.MappingEndEvent):
            start, items = self._open.pop()
            self._close(MapNode(start, tuple(zip(items[::2], items[1::2], strict=True))))
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            self._stop(line, "a second document begins: keep one machine in a file")

    def _close(self, node: Node) -> None:
        if self._open:
            self._open[-1][1].append(node)
        else:
            self.root = node

    def _refuse(self, event: yaml.NodeEvent) -> None:
        line = self._line(event)
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            self._stop(line, f"more than {_MAX_NODES} entries: a machine file is smaller")
        if len(self._open) >= _MAX_DEPTH:
            self._stop(line, _TOO_DEEP)
        if event.anchor is not None:
            mark = "*" if isinstance(event, yaml.AliasEvent) else "&"
            fault = f"'{mark}{event.anchor}' is a YAML anchor or alias: write it out, or quote it if it is a symbol"
            self._faults.add(line, fault)
            if mark == "*":
                self._close(TextNode(line, f"*{event.anchor}"))
        elif (tag := getattr(event, "tag", None)) is not None:
            self._faults.add(line, f"{tag!a} is a YAML tag: remove it, or quote it if it is a symbol")

    def _stop(self, line: int, fault: str) -> None:
        self._faults.add(line, fault)
        raise _TooMuchError


def _line_of_error(error: yaml.YAMLError, text: str) -> int:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        return mark.line if mark is not None else 0
    position = getattr(error, "position", 0)
    return text.count("\n", 0, position)


def _sentence(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        problem = " ".join(filter(None, (error.context, error.problem)))
    else:
        problem = str(getattr(error, "reason", "it cannot be read"))
    if "nesting depth" in problem:  # libyaml looks ahead, and newer ones have a bound of their own
        return _TOO_DEEP
    return f"not valid YAML ({problem}): check the indentation, and quote symbols such as '#', '*', '|' and ' '"


def leading_texts(text: str, wanted: set[str], subject: str) -> dict[str, tuple[str, ...]]:
    """Return the top-level texts of a document, reading only as far as all wanted keys are found.

    Behind a key there is one text, or those of a list.

    Raises
    ------
    MachineFileError
        If that part is not valid YAML.
    """
    found: dict[str, tuple[str, ...]] = {}
    key = None
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth == 1 and isinstance(event, yaml.ScalarEvent):
                key, found = (event.value, found) if key is None else (None, found | {key: (event.value,)})
            elif depth == 1 and isinstance(event, yaml.CollectionEndEvent):
                key = None
            elif depth == 2 and key is not None:
                if isinstance(event, yaml.SequenceStartEvent):
                    found[key] = ()
                elif isinstance(event, yaml.ScalarEvent) and key in found:
                    found[key] += (event.value,)
            if depth == 1 and wanted <= found.keys():
                break
    except yaml.YAMLError as error:
        raise MachineFileError(subject, ["not valid YAML: load it to see its faults"]) from error
    return found
