"""A drawing of JFLAP: states by name with their elements, and transitions between them."""

from dataclasses import dataclass

from exactnn.automata import fresh
from exactnn.errors import shown
from exactnn.machine_files.fields import MAX_STATES, FaultList
from exactnn.machine_files.xml_tree import Element

__all__ = ["BLANK", "Arrow", "Drawing", "drawing_of"]

BLANK = "□"
"""What JFLAP shows of a blank cell."""

_MOST_TRANSITIONS = 50_000


@dataclass(slots=True)
class Arrow:
    """A transition: its line, where it leads, and its element."""

    line: int
    source: str
    target: str
    element: Element

    def texts(self, tag: str, tapes: int = 1) -> list[str]:
        """Return the texts under a tag, one for each tape."""
        found = [""] * tapes
        for child in self.element.all(tag):
            number = child.attributes.get("tape", "1")
            if number.isdecimal() and 1 <= int(number[:3]) <= tapes:
                text = child.text if "\n" in child.raw else child.raw  # a blank may be a symbol
                found[int(number) - 1] = "" if text == BLANK else text
        return found


@dataclass(slots=True)
class Drawing:
    """States by name, in the file's order, and transitions between them."""

    name: str
    states: dict[str, Element]
    arrows: list[Arrow]
    faults: FaultList
    notes: list[str]

    @property
    def initial(self) -> str:
        """The state in which a run begins."""
        return next(q for q, element in self.states.items() if element.first("initial") is not None)

    @property
    def final(self) -> list[str]:
        """The states that accept."""
        return [q for q, element in self.states.items() if element.first("final") is not None]


def drawing_of(root: Element, name: str, faults: FaultList) -> Drawing:
    """Return what stands in the file, and note what is wrong with it."""
    body = root.first("automaton") or root
    elements = [child for child in body.children if child.tag in ("state", "block")]
    by_id: dict[str, str] = {}
    states: dict[str, Element] = {}
    for element in elements:
        number = element.attributes.get("id", "")
        if not number or number in by_id:
            faults.add(element.line, f"a state has the id {shown(number)}: give each another one")
            continue
        called = fresh(element.attributes.get("name", "").strip() or f"q{number}", states)
        by_id[number] = called
        states[called] = element
        inner = element.first("tag")
        block = None if inner is None else body.first(inner.text)
        if block is not None and any(child.tag in ("state", "block") for child in block.children):
            faults.add(element.line, f"state {shown(called)} is a building block: replace it by its states in JFLAP")
    initial = [q for q, element in states.items() if element.first("initial") is not None]
    if len(initial) != 1:
        faults.add(body.line, f"there are {len(initial)} initial states: mark one as initial in JFLAP")
    if len(states) > MAX_STATES:
        faults.add(body.line, f"there are {len(states):,} states: at most {MAX_STATES:,} can be read")
    arrows = []
    for element in body.all("transition"):
        ends = []
        for tag in ("from", "to"):
            child = element.first(tag)
            end = by_id.get("" if child is None else child.text)
            if end is None:
                said = "nothing" if child is None else shown(child.text)
                faults.add(element.line, f"a transition has <{tag}> {said}, which is the id of no state")
            else:
                ends.append(end)
        if len(ends) == 2:
            arrows.append(Arrow(element.line, ends[0], ends[1], element))
    if len(arrows) > _MOST_TRANSITIONS:
        faults.add(body.line, f"there are {len(arrows):,} transitions: at most {_MOST_TRANSITIONS:,} can be read")
    return Drawing(name, states, arrows, faults, [])
