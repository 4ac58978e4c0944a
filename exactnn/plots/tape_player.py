"""Tapes one plays with: a page of HTML that steps through the exact run beside rounded ones. It loads nothing."""

import json
import os
from html import escape
from typing import Any

from exactnn.automata import LOST
from exactnn.errors import OptionError, shown
from exactnn.files import new_file, write_file
from exactnn.options import result
from exactnn.precision import SpaceTime, TapeRows

__all__ = ["save_page", "tape_player"]

MOST_CELLS = 400
"""Cells across."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>TITLE</title><style>
:root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--line:#bbb;--head:#cfe8ff;--lost:#ddd;--ring:#d55e00}
@media(prefers-color-scheme:dark){:root{--ink:#eee;--paper:#161616;--line:#555;--head:#124a75;--lost:#444;--ring:#ff9a4d}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
margin:1rem auto;max-width:70rem;padding:0 1rem}
h1{font-size:1.2rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:.8rem 0 .2rem}
.tape{overflow-x:auto;display:flex;padding:4px}
.tape span{flex:none;width:2rem;height:2rem;line-height:2rem;text-align:center;
border:1px solid var(--line);overflow:hidden}
.head{background:var(--head);font-weight:bold}.lost{background:var(--lost)}.ring{outline:3px solid var(--ring)}
button{font:inherit;min-width:3rem;min-height:2.75rem}input{width:100%;min-height:2.75rem;margin:0}.wrong{color:var(--ring);font-weight:bold}
</style></head><body><h1>TITLE</h1>
<p><button id="back" aria-label="step back">&#9664;</button> <button id="play">play</button>
<button id="next" aria-label="step on">&#9654;</button> step <output id="step"></output></p>
<input id="at" type="range" min="0" value="0" aria-label="step"><div id="tapes"></div>
<p>Arrows step, the space bar plays and pauses.
The head's cell is shaded; the first wrong cell of a format is ringed.</p>
<script>
const data = DATA;
const $ = id => document.getElementById(id), last = data.steps.length - 1;
let now = 0, timer = null;
$("at").max = last;
function make(parent, tag, text, style) {
  const made = document.createElement(tag);
  made.textContent = text; if (style) made.className = style;
  parent.append(made); return made;
}
function show(to) {
  now = Math.max(0, Math.min(last, to));
  $("at").value = now; $("step").value = data.steps[now];
  const tapes = $("tapes"); tapes.textContent = "";
  for (const run of data.runs) {
    const row = run.rows[Math.min(now, run.rows.length - 1)];
    const heading = make(tapes, "h2", run.name + ", state " + row.state);
    if (run.wrong !== null && data.steps[now] >= run.wrong)
      make(heading, "span", " (wrong from step " + run.wrong + ")", "wrong");
    const line = make(tapes, "div", "", "tape"); line.tabIndex = 0;
    row.cells.forEach((cell, i) => {
      const at = i + data.first, styles = [];
      if (at === row.head) styles.push("head");
      if (cell === null) styles.push("lost");
      if (at === run.cell && data.steps[now] === run.wrong) styles.push("ring");
      make(line, "span", cell === null ? "?" : cell, styles.join(" ")).title = "cell " + at;
    });
    const head = line.querySelector(".head");
    if (head) line.scrollLeft = head.offsetLeft - line.offsetLeft - line.clientWidth / 2;
  }
}
function pause() { clearInterval(timer); timer = null; $("play").textContent = "play"; }
function play() {
  if (timer) return pause();
  if (now === last) show(0);
  $("play").textContent = "pause";
  timer = setInterval(() => now < last ? show(now + 1) : pause(), 400);
}
$("back").onclick = () => { pause(); show(now - 1); };
$("next").onclick = () => { pause(); show(now + 1); };
$("play").onclick = play;
$("at").oninput = event => { pause(); show(+event.target.value); };
document.addEventListener("keydown", event => {
  if (event.target === $("at") && event.key.startsWith("Arrow")) return;
  if (event.key === "ArrowRight") { pause(); show(now + 1); }
  else if (event.key === "ArrowLeft") { pause(); show(now - 1); }
  else if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); play(); }
});
show(0);
</script></body></html>
"""


def tape_player(found: SpaceTime, *, path: str | os.PathLike[str] | None = None, replace: bool = True) -> str:
    """Return a page of HTML that plays the tapes of a run, the exact one first: play, pause and step.

    The page is one file that loads nothing. Keys, fingers and dark mode work.

    Parameters
    ----------
    found : SpaceTime
    path : str or path, optional
        Save the page there too: .html.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If the tape is wider than 400 cells, or `path` cannot be written.

    Examples
    --------
    >>> from exactnn.constructions import siegelmann_sontag
    >>> from exactnn.machine_files import load
    >>> from exactnn.precision import space_time
    >>> page = tape_player(space_time(siegelmann_sontag(load("bb3")), "", "float16"))
    >>> page.startswith("<!doctype html>"), "https:" in page
    (True, False)
    """
    result("found", found, SpaceTime, "space_time(net, word, formats)")
    if path is not None:
        new_file("page", path, (".html",), error=OptionError)
    # In JSON a "<" stands in texts only: written as an escape, no symbol of a machine ends the script.
    data = json.dumps(_played(found)).replace("<", "\\u003c")
    before, after = PAGE.replace("TITLE", escape(f"The tape of {found.name}, step by step")).split("DATA")
    page = before + data + after
    if path is not None:
        save_page(page, path, replace=replace)
    return page


def save_page(page: str, path: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Write a page to a file that ends in .html; raises OptionError if that cannot be."""
    new_file("page", path, (".html",), error=OptionError)
    subject = f"page {shown(str(path))} cannot be written"
    write_file(path, page.encode(), error=OptionError, subject=subject, replace=replace)


def _played(found: SpaceTime) -> dict[str, Any]:
    rings = [run.wrong_cell for run in found.computed if run.wrong_cell is not None]
    rows = found.exact.rows
    first = min([row.head - len(row.configuration.left) for row in rows] + rings)
    last = max([row.head + len(row.configuration.right) for row in rows] + rings)
    if last - first >= MOST_CELLS:
        raise OptionError(f"a tape of {last - first + 1:,} cells is too wide to be played: give a smaller max_steps")
    columns = range(first, last + 1)
    runs = [_run(found, run, columns) for run in (found.exact, *found.computed)]
    return {"first": first, "steps": [row.step for row in rows], "runs": runs}


def _run(found: SpaceTime, run: TapeRows, columns: range) -> dict[str, Any]:
    blank = found.machine.blank_symbol
    wrong = None if run.divergence is None else run.divergence.configuration
    return {
        "name": "exact" if run.divergence is None else str(run.arithmetic),
        "wrong": None if wrong is None else wrong.step,
        "cell": run.wrong_cell,
        "rows": [
            {
                "state": str(row.configuration.state),
                "head": row.head,
                "cells": [
                    None if symbol is LOST else "" if symbol == blank else str(symbol)
                    for symbol in row.cells(columns, blank)
                ],
            }
            for row in run.rows
        ],
    }
