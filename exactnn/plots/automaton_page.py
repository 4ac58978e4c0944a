"""The automaton of a format that one plays with: a page of HTML on which a word walks through two machines."""

import os
from collections.abc import Sequence
from math import atan2, cos, sin
from typing import Any

from exactnn.arithmetic import counted
from exactnn.automata import DFA, MooreMachine, as_word
from exactnn.equivalence import Extraction
from exactnn.errors import OptionError
from exactnn.markup import MOST_ARROWS, MOST_NODES, Curve, clipped, drawn_graph, svg_path
from exactnn.options import result
from exactnn.outcome import Outcome
from exactnn.plots.page import PLAYED, PLAYER, check_page_file, page_of, save_page

__all__ = ["automaton_page"]

MOST_LETTERS = 200
MOST_SYMBOLS = 40
LONGEST = 60
"""Characters of a name or an output."""

STYLE = """
input[type=text]{font:inherit;min-height:2.75rem;width:100%;max-width:30rem;box-sizing:border-box}
.cells button{flex:none;min-width:2.75rem;border:1px solid var(--line);background:var(--paper);color:var(--ink)}
.cells .here{background:var(--mark)}.cells .later{border-style:dashed}
.machine{overflow-x:auto;border:1px solid var(--line)}
svg{display:block;margin:auto}svg text{font-size:11px;fill:var(--ink);text-anchor:middle}
svg .halo{stroke:var(--paper);stroke-width:3;paint-order:stroke}
svg circle{fill:var(--paper);stroke:var(--ink)}svg .dashed{stroke-dasharray:4 3}
svg path{fill:none;stroke:var(--ink)}svg .tip{fill:var(--ink)}
svg .here{fill:var(--mark);stroke-width:3}svg .inner{fill:none}
svg .ring{fill:none;stroke:var(--ring);stroke-width:4}svg path.taken{stroke-width:3.5}
"""

BODY = f"""<p><label for="word">The word</label><br>
<input id="word" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"></p>
<p id="symbols"></p>{PLAYER}
<div id="letters" class="cells" role="group" aria-label="the letters"></div>
<p id="told" role="status"></p><div id="machines"></div>
<p>Type a word, or press the buttons of its letters, which are put at its end. Arrows go from letter to letter, the
space bar plays and pauses, a click on a letter goes there. The first letter after which the two do not say the same
is ringed.</p>"""

SCRIPT = """
let word = [...data.word], last = word.length;
const short = data.symbols.every(symbol => [...symbol].length === 1 && symbol !== " ");
const pictures = data.machines.map(machine => {
  const heading = make($("machines"), "h2", ""), box = make($("machines"), "div", "", "machine");
  box.tabIndex = 0; box.setAttribute("role", "group"); box.setAttribute("aria-label", machine.name);
  const svg = $("drawing").cloneNode(false);
  svg.removeAttribute("id"); svg.removeAttribute("hidden"); box.append(svg);
  svg.setAttribute("width", machine.width); svg.setAttribute("height", machine.height);
  const draw = (kind, style, properties, text = "") => {
    const made = document.createElementNS(svg.namespaceURI, kind);
    made.setAttribute("class", style); made.textContent = text;
    for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
    svg.append(made); return made;
  };
  const written = ([x, y], lines, style) => lines.forEach((line, i) =>
    draw("text", style, {x: x, y: y + 4 + 12 * (i - (lines.length - 1) / 2)}, line));
  const arrows = machine.arrows.map(arrow => {
    const parts = [draw("path", "", {d: arrow.curve}), draw("path", "tip", {d: arrow.tip})];
    return parts;
  });
  machine.arrows.forEach(arrow => written(arrow.at, arrow.lines, "halo"));
  const circles = machine.states.map(({at: [x, y], lines, name, double, dashed}) => {
    const circle = draw("circle", dashed ? "dashed" : "", {cx: x, cy: y, r: machine.radius});
    draw("title", "", {}, name); circle.append(svg.lastChild);
    if (double) draw("circle", "inner", {cx: x, cy: y, r: machine.radius - 4});
    written([x, y], lines, "");
    return circle;
  });
  const ring = draw("circle", "ring", {r: machine.radius + 5, cx: 0, cy: 0});
  return {machine, heading, box, arrows, circles, ring};
});
$("drawing").remove();
function walk(machine) {  // the states after each letter
  const states = [machine.initial];
  for (const letter of word) states.push(machine.next[states[states.length - 1]][letter]);
  return states;
}
const says = (machine, state) => machine.says[machine.states[state].says];
function change(to, place) {
  word = to.slice(0, data.most); last = word.length;
  $("at").max = last; pause(); go(place === undefined ? last : place);
}
function show() {
  const walks = data.machines.map(walk), [one, other] = data.machines;
  const wrong = walks[0].findIndex((state, i) => says(one, state) !== says(other, walks[1][i]));
  $("step").value = now + " of " + last;
  if (document.activeElement !== $("word"))
    $("word").value = word.map(letter => data.symbols[letter]).join(short ? "" : " ");
  const letters = $("letters"); letters.textContent = "";
  word.forEach((letter, i) => {
    const styles = [i + 1 === now ? "here" : i + 1 > now ? "later" : "", i + 1 === wrong ? "ring" : ""];
    const cell = make(letters, "button", data.symbols[letter], styles.join(" ").trim());
    cell.title = "letter " + (i + 1) + (i + 1 === wrong ? ": the first wrong one" : "");
    cell.onclick = () => { pause(); go(i + 1); };
  });
  centre(letters, letters.children[now - 1]);
  pictures.forEach(({machine, heading, box, arrows, circles, ring}, m) => {
    const state = walks[m][now], before = now ? walks[m][now - 1] : -1, at = machine.states[state].at;
    heading.textContent = machine.name + ": " + says(machine, state);
    circles.forEach((circle, i) => circle.classList.toggle("here", i === state));
    machine.arrows.forEach(({source, target}, i) => {
      const taken = source === before && target === state && now > 0;
      arrows[i][0].setAttribute("class", taken ? "taken" : "");
    });
    ring.setAttribute("cx", at[0]); ring.setAttribute("cy", at[1]);
    ring.style.display = now === wrong ? "" : "none";
    box.scrollLeft = at[0] - box.clientWidth / 2;
  });
  const read = word.slice(0, now).map(letter => data.symbols[letter]).join(short ? "" : " ");
  const same = says(one, walks[0][now]) === says(other, walks[1][now]);
  $("told").className = same ? "" : "wrong";
  $("told").textContent = "After " + (now ? now > 30 ? now + " letters" : read : "no letter") + ": " +
    data.machines.map((machine, m) => machine.name + " says " + says(machine, walks[m][now])).join(", ") + "." +
    (wrong < 0 ? " The two say the same all along." : wrong === 0 ? " They differ before any letter."
      : " They differ first after letter " + wrong + ".");
}
data.symbols.forEach((symbol, i) => {
  make($("symbols"), "button", symbol).onclick = () => change([...word, i]);
  $("symbols").append(" ");
});
make($("symbols"), "button", "delete").onclick = () => change(word.slice(0, -1));
$("symbols").append(" ");
make($("symbols"), "button", "clear").onclick = () => change([]);
$("word").oninput = event => {
  const typed = short ? [...event.target.value] : event.target.value.split(" ").filter(text => text);
  const found = typed.map(text => data.symbols.indexOf(text)), odd = found.indexOf(-1);
  if (odd < 0) return change(found);
  $("told").className = "wrong";
  $("told").textContent = typed[odd] + " is no letter: " + data.symbols.join(" ");
};
"""

DRAWING = '<svg id="drawing" hidden></svg>'
"""What pictures are copies of: a script without addresses cannot name SVG."""


def automaton_page(
    found: Extraction | DFA | MooreMachine,
    should: Extraction | DFA | MooreMachine,
    word: str | Sequence[str] = "",
    *,
    path: str | os.PathLike[str] | None = None,
    replace: bool = True,
) -> str:
    """Return a page of HTML on which a word walks through the automaton of a format and the one it should be.

    The word is typed or clicked, letter by letter. The first letter after which the two do not say the same is ringed.
    The page is one file that loads nothing.

    Parameters
    ----------
    found : Extraction, DFA or MooreMachine
        What :func:`exactnn.extract_state_machine` returns: its minimal automaton is shown.
    should : Extraction, DFA or MooreMachine
        What it is compared with, over the same symbols.
    word : str or sequence of str
        The word at first, of at most 200 letters; such as the witness of :func:`exactnn.equivalent`.
    path : str or path, optional
        Save the page there too: .html.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If a search was not complete, the symbols are not the same, a machine has more than 48 states or 160 arrows, or
        `path` cannot be written.
    WordError
        If `word` has a symbol outside the alphabet.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16
    >>> from exactnn.equivalence import extract_state_machine
    >>> from exactnn.constructions import word_problem
    >>> turns = word_problem("Z3", "rotation")
    >>> page = automaton_page(extract_state_machine(turns, FLOAT16), turns.machine, "aaa")
    >>> page.startswith("<!doctype html>"), "https:" in page
    (True, False)
    """
    kinds, made_by = (Extraction, DFA, MooreMachine), "exactnn.extract_state_machine, or a DFA or a MooreMachine"
    result("found", found, kinds, made_by)
    result("should", should, kinds, made_by)
    check_page_file(path)
    machines = [_machine(found), _machine(should)]
    symbols = machines[0][1].input_symbols
    if set(symbols) != set(machines[1][1].input_symbols):
        others = " ".join(map(str, machines[1][1].input_symbols[:MOST_SYMBOLS]))
        mine = " ".join(map(str, symbols[:MOST_SYMBOLS]))
        raise OptionError(
            f"the machines read {clipped(mine, 80) or 'nothing'} and {clipped(others, 80) or 'nothing'}: give two with "
            "the same symbols"
        )
    if len(symbols) > MOST_SYMBOLS:
        raise OptionError(f"{len(symbols)} symbols are too many for a page: at most {MOST_SYMBOLS}")
    letters = as_word(word, symbols)
    if len(letters) > MOST_LETTERS:
        raise OptionError(f"a word of {counted(len(letters), 'letter')} is too long for a page: at most {MOST_LETTERS}")
    data = {
        "symbols": [str(symbol) for symbol in symbols],
        "word": [symbols.index(letter) for letter in letters],
        "most": MOST_LETTERS,
        "machines": [_played(name, machine, symbols) for name, machine in machines],
    }
    title = f"The automaton of {machines[0][0]}, beside {machines[1][0]}"
    page = page_of(title, data, style=STYLE, body=DRAWING + BODY, script=SCRIPT + PLAYED)
    if path is not None:
        save_page(page, path, replace=replace)
    return page


def _machine(found: Extraction | DFA | MooreMachine) -> tuple[str, DFA | MooreMachine]:
    """Return what a machine is called, and the automaton that is shown."""
    if not isinstance(found, Extraction):
        return clipped(found.name, LONGEST), found
    minimal = found.minimal
    if minimal is None:
        raise OptionError(
            f"the automaton is not complete, {found.reason}: go on with resumed(), or choose a smaller format"
        )
    return f"{clipped(found.network.name, LONGEST)} in {found.arithmetic}", minimal


def _said(machine: DFA | MooreMachine, state: Any) -> str:
    """Return what a machine says of a word that leads to a state."""
    if isinstance(machine, DFA):
        return str(Outcome.ACCEPTED if state in machine.final_states else Outcome.REJECTED)
    output = machine.outputs[state]
    return ", ".join(map(str, output)) if isinstance(output, tuple) else str(output)


def _played(name: str, machine: DFA | MooreMachine, symbols: Sequence[str]) -> dict[str, Any]:
    drawn = drawn_graph(machine.graph(), graphviz=False)
    if drawn is None:
        raise OptionError(
            f"{name} has {counted(len(machine.states), 'state')}, and a picture at most {MOST_NODES}, and "
            f"{MOST_ARROWS} arrows: give its minimal automaton, or a smaller one"
        )
    number = {state: i for i, state in enumerate(machine.states)}
    said = [_said(machine, state) for state in machine.states]
    labels = list(dict.fromkeys(said))
    layout, graph = drawn.layout, drawn.graph
    ends = [(None, target) for target, _ in graph.starts] + [(arrow.source, arrow.target) for arrow in graph.arrows]
    return {
        "name": name,
        "initial": number[machine.initial_state],
        "next": [[number[machine.transitions[state][symbol]] for symbol in symbols] for state in machine.states],
        "says": labels,
        "width": round(layout.width),
        "height": round(layout.height),
        "radius": round(drawn.radius, 1),
        "states": [
            {
                "name": node.name,
                "lines": lines,
                "at": [round(x, 1) for x in place],
                "double": node.double,
                "dashed": node.dashed,
                "says": labels.index(what),
            }
            for node, lines, place, what in zip(graph.nodes, drawn.names, layout.places, said, strict=True)
        ],
        "arrows": [
            {
                "source": source,
                "target": target,
                "curve": svg_path(curve),
                "tip": _tip(curve),
                "lines": lines,
                "at": [round(x, 1) for x in curve.label],
            }
            for (source, target), curve, lines in zip(ends, layout.curves, drawn.labels, strict=True)
        ],
    }


def _tip(curve: Curve) -> str:
    """Return the triangle at the end of an arrow."""
    (x, y), (a, b) = curve.points[-2:]
    direction = atan2(b - y, a - x)
    sides = [(a - 9 * cos(direction + turn), b - 9 * sin(direction + turn)) for turn in (-0.4, 0.4)]
    return f"M{a:.1f} {b:.1f}" + "".join(f"L{p:.1f} {q:.1f}" for p, q in sides) + "z"
