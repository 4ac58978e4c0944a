"""An order of evaluation that one plays with: a page of HTML with its composites, round by round, and what differs."""

import os
from collections.abc import Iterator
from typing import Any

from exactnn.arithmetic import counted, value_text
from exactnn.automata import word_text
from exactnn.errors import OptionError
from exactnn.evaluation import ScanNode, ScanState, ScanTree
from exactnn.markup import clipped
from exactnn.options import result
from exactnn.plots.page import PLAYED, PLAYER, check_page_file, page_of, save_page

__all__ = ["scan_page"]

MOST_LETTERS = 64
MOST_BOXES = 1500
MOST_NUMBERS = 30
"""Of a composite that are shown; zeros are left out."""
LONGEST = 40
"""Characters of a number, or of a name."""

STYLE = """
.two{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
.tree{flex:2 1 20rem;min-width:0;max-width:100%;overflow:auto;max-height:70vh;border:1px solid var(--line)}
svg{display:block}svg text{font-size:13px;fill:var(--ink);text-anchor:middle;pointer-events:none}
svg .box{fill:var(--paper);stroke:var(--ink);cursor:pointer}svg .state{stroke-dasharray:none}
svg .differs{fill:#e69f00}svg text.differs{fill:#000}svg .later{opacity:.2}
svg .edge{stroke:var(--line);stroke-width:1.5;fill:none}svg .chosen{stroke-width:3}svg .edge.into{stroke:var(--ink)}
svg .ring{fill:none;stroke:var(--ring);stroke-width:4}
#told{flex:1 1 18rem;min-width:0;min-height:16rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{border:1px solid var(--line);padding:.15rem .4rem;text-align:left;vertical-align:top}
td{font-family:ui-monospace,monospace}
"""

BODY = f"""{PLAYER}<p id="where" role="status"></p>
<div class="two"><div class="tree" id="tree" tabindex="0" role="group" aria-label="composites, round by round">
<svg id="picture" role="img" aria-labelledby="where"></svg></div><section id="told" role="status"></section></div>
<p>A box is the composite of letters: the numbers in it say of which, the first letter is 1. It is computed from the
boxes that lead to it. Boxes h1, h2 and so on are the states. Orange boxes have a number that is not the exact one; the
first of them, and the first such state, is ringed. A box with 1 changes nothing. Left and right go through the
rounds, up and down from box to box of a round, a click tells of a box, the space bar plays and pauses.</p>"""

SCRIPT = """
const WIDTH = 58, HEIGHT = 58, boxes = data.boxes, last = Math.max(...boxes.map(box => box.row));
const picture = $("picture"), columns = Math.max(...boxes.map(box => box.column)) + 1;
picture.setAttribute("width", columns * WIDTH + 8); picture.setAttribute("height", (last + 1) * HEIGHT + 8);
let chosen = 0;
const middle = box => [box.column * WIDTH + WIDTH / 2 + 4, box.row * HEIGHT + HEIGHT / 2 + 4];
function draw(kind, style, properties) {
  const made = document.createElementNS(picture.namespaceURI, kind);
  made.setAttribute("class", style);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  picture.append(made); return made;
}
const edges = [];
boxes.forEach((box, to) => box.from.forEach(from => {
  const [x, y] = middle(boxes[from]), [a, b] = middle(box);
  const d = "M" + x + " " + (y + 15) + "C" + x + " " + (y + 32) + " " + a + " " + (b - 32) + " " + a + " " + (b - 15);
  edges.push([to, draw("path", "edge", {d: d})]);
}));
const drawn = boxes.map((box, i) => {
  const [x, y] = middle(box), wide = 50, high = 30;
  const parts = [draw("rect", "box", {x: x - wide / 2, y: y - high / 2, width: wide, height: high,
    rx: box.kind === "state" ? 15 : 4})];
  parts[0].onclick = () => { pause(); choose(i); };
  const text = draw("text", "", {x: x, y: y + 4.5}); text.textContent = box.label; parts.push(text);
  if (data.ringed.includes(i)) parts.push(draw("rect", "ring",
    {x: x - wide / 2 - 3, y: y - high / 2 - 3, width: wide + 6, height: high + 6, rx: 8}));
  return parts;
});
function choose(i) {
  chosen = i;
  const box = boxes[i], told = $("told"); told.textContent = "";
  boxes.forEach((other, j) => drawn[j].forEach((part, k) => {
    const ring = part.classList.contains("ring"), later = other.row > now;
    if (ring) return part.style.display = later ? "none" : "";
    part.setAttribute("class", (k ? "" : "box") + (other.differs && !later ? " differs" : "") +
      (later ? " later" : "") + (!k && j === chosen ? " chosen" : ""));
  }));
  for (const [to, edge] of edges)
    edge.setAttribute("class", "edge" + (boxes[to].row > now ? " later" : "") + (to === chosen ? " into" : ""));
  make(told, "h2", box.title, box.differs ? "wrong" : "");
  if (box.how) make(told, "p", box.how);
  const tree = $("tree"), [x, y] = middle(box), {scrollLeft, scrollTop, clientWidth, clientHeight} = tree;
  if (x < scrollLeft + WIDTH || x > scrollLeft + clientWidth - WIDTH) tree.scrollLeft = x - clientWidth / 2;
  if (y < scrollTop + HEIGHT || y > scrollTop + clientHeight - HEIGHT) tree.scrollTop = y - clientHeight / 2;
  if (!box.numbers.length) return make(told, "p", box.nothing);
  const table = make(told, "table", ""), head = make(table, "tr", "");
  for (const name of ["", "exactly", data.arithmetic]) make(head, "th", name).scope = "col";
  for (const [name, exact, computed] of box.numbers) {
    const row = make(table, "tr", "");
    make(row, "th", name).scope = "row"; make(row, "td", exact);
    make(row, "td", computed === null ? exact : computed, computed === null ? "" : "wrong");
  }
  if (box.more) make(told, "p", "and " + box.more + " more numbers");
}
const rowOf = () => boxes.flatMap((box, i) => box.row === now ? [i] : []);
function show() {
  const row = rowOf(), wrong = row.filter(i => boxes[i].differs).length;
  const ringed = row.find(i => data.ringed.includes(i));
  $("step").value = now + " of " + last;
  const what = now > data.rounds ? "States" : now ? "Round " + now + " of " + data.rounds : "The letters";
  const boxed = row.length + (row.length === 1 ? " box, " : " boxes, ");
  $("where").textContent = what + ": " + boxed + (wrong ? wrong + " with a wrong number." : "all exact.");
  choose(ringed === undefined ? row[row.length - 1] : ringed);
}
onKey(event => {
  const by = {ArrowUp: -1, ArrowDown: 1}[event.key], row = rowOf();
  if (!by || event.target === $("at")) return;
  event.preventDefault(); pause();
  choose(row[Math.max(0, Math.min(row.length - 1, row.indexOf(chosen) + by))]);
});
"""


def scan_page(found: ScanTree, *, path: str | os.PathLike[str] | None = None, replace: bool = True) -> str:
    """Return a page of HTML with all that an order of evaluation computes on a word, round by round.

    Each composite (A, B) is a box, with its numbers exactly and in the format; the first one that differs is ringed.
    The states follow. The page is one file that loads nothing.

    Parameters
    ----------
    found : ScanTree
        Of a word of at most 64 letters.
    path : str or path, optional
        Save the page there too: .html.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If the word is empty or too long, there are more than 1500 boxes, the page is too long, or `path` cannot be
        written.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT8_E5M2
    >>> from exactnn.evaluation import KOGGE_STONE, scan_tree
    >>> from exactnn.networks import DiagonalSSM
    >>> net = DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
    >>> page = scan_page(scan_tree(net, "+--+", KOGGE_STONE, FLOAT8_E5M2))
    >>> page.startswith("<!doctype html>"), "https:" in page
    (True, False)
    """
    result("found", found, ScanTree, "exactnn.scan_tree(net, word, order, arithmetic)")
    check_page_file(path)
    boxes = len(found.nodes) + len(found.states)
    if not 0 < len(found.word) <= MOST_LETTERS or boxes > MOST_BOXES:
        raise OptionError(
            f"a word of {counted(len(found.word), 'letter')} with {counted(boxes, 'box', 'boxes')} is nothing for a "
            f"page: give scan_tree a word of 1 to {MOST_LETTERS} letters, for at most {MOST_BOXES:,} boxes"
        )
    word = clipped(word_text(found.word), 40)
    title = f"{found.order!r} of {clipped(found.name, LONGEST)} on {word} in {found.arithmetic}"
    page = page_of(title, _played(found), style=STYLE, body=BODY, script=SCRIPT + PLAYED)
    if path is not None:
        save_page(page, path, replace=replace)
    return page


def _played(found: ScanTree) -> dict[str, Any]:
    count = len(found.nodes)
    wrong = (found.first_wrong, None if found.first_wrong_state is None else count + found.first_wrong_state)
    return {
        "arithmetic": str(found.arithmetic),
        "rounds": found.rounds,
        "ringed": [number for number in wrong if number is not None],
        "boxes": [
            *(_composite(found, node) for node in found.nodes),
            *(_state(found, t, state, count) for t, state in enumerate(found.states)),
        ],
    }


def _composite(found: ScanTree, node: ScanNode) -> dict[str, Any]:
    letters = len(found.word)
    parts = [found.nodes[part] for part in (node.early, node.late) if part is not None]
    if node.exact is None:
        label, title = "1", "nothing: h stays as it is"
    elif not node.round:
        letter = clipped(word_text(found.word[node.first : node.first + 1]), 20)
        label, title = clipped(str(found.word[node.first]), 5), f"letter {node.first + 1}, {letter}"
    else:
        label = f"{node.first + 1}–{node.last + 1}" if node.first < node.last else str(node.first + 1)
        title = f"round {node.round}, the composite of letters {label}"
    whole = node.exact is not None and len(parts) == 2 and all(part.exact is not None for part in parts)
    return {
        "kind": "composite",
        # The places of a tree stand behind those of the letters; column 0 has the start state.
        "column": 1 + (node.place if node.place < letters else node.place - letters),
        "row": node.round,
        "label": label,
        "title": title,
        "how": "first " + ", then ".join(map(_span, parts)) if whole else "",
        "nothing": "A = 1 and B = 0, which nothing computes with" if node.exact is None else "all numbers are 0",
        "differs": node.differs,
        "from": [part for part in (node.late, node.early) if part is not None],
        **_numbers(_entries(found.components, node)),
    }


def _span(node: ScanNode) -> str:
    if node.first == node.last:
        return f"letter {node.first + 1}"
    return f"letters {node.first + 1} to {node.last + 1}"


def _state(found: ScanTree, letters: int, state: ScanState, count: int) -> dict[str, Any]:
    before = [] if state.before is None else [count + state.before]
    return {
        "kind": "state",
        "column": letters,
        "row": found.rounds + state.stage if letters else 0,
        "label": f"h{letters}",
        "title": f"the state after {counted(letters, 'letter')}" if letters else "the start state",
        "how": "" if state.before is None else f"A h{state.before} + B, with {_applied(found, state)}",
        "nothing": "all numbers are 0",
        "differs": state.differs,
        "from": [*before, *state.nodes],
        **_numbers(zip(found.components, state.exact, state.computed, strict=True)),
    }


def _applied(found: ScanTree, state: ScanState) -> str:
    spans = [_span(found.nodes[node]) for node in state.nodes if found.nodes[node].exact is not None]
    return ", then ".join(spans)


def _entries(components: tuple[str, ...], node: ScanNode) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name of each number of a composite, its exact value and that of the format."""
    if node.exact is None or node.computed is None:
        return
    for name, *vectors in zip(components, node.exact[0], node.computed[0], strict=True):
        for other, true, rounded in zip(components, *vectors, strict=True):
            yield f"A[{name}, {other}]", true, rounded
    for name, true, rounded in zip(components, node.exact[1], node.computed[1], strict=True):
        yield f"B[{name}]", true, rounded


def _numbers(entries: Any) -> dict[str, Any]:
    """Return the first numbers that are not both 0, as texts, None where it is the exact one; and how many more."""
    kept = [(name, true, rounded) for name, true, rounded in entries if true != 0 or rounded != 0]
    return {
        "numbers": [
            (name, _text(true), None if true == rounded else _text(rounded))
            for name, true, rounded in kept[:MOST_NUMBERS]
        ],
        "more": max(0, len(kept) - MOST_NUMBERS),
    }


def _text(number: Any) -> str:
    return value_text(number, limit=LONGEST)
