"""Tapes and stacks one plays with: a page of HTML that steps through the exact run beside rounded ones.

It loads nothing.
"""

import os
from typing import Any

from exactnn.automata import LOST
from exactnn.errors import OptionError
from exactnn.options import result
from exactnn.plots.page import PLAYED, PLAYER, check_page_file, page_of, save_page
from exactnn.precision import CellLayout, SpaceTime, TapeRows
from exactnn.precision.tape_rows import used_cells

__all__ = ["played_tapes", "tape_player"]

MOST_CELLS = 400
"""Cells across."""

STYLE = """
.head{background:var(--mark);font-weight:bold}.lost{background:var(--faint)}.gap{visibility:hidden}
"""

BODY = (
    PLAYER
    + """<div id="tapes"></div>
<p>Arrows step, the space bar plays and pauses.
{pointers} shaded; the first wrong cell of a format is ringed.</p>"""
)

SCRIPT = """
const last = data.steps.length - 1;
function show() {
  $("step").value = data.steps[now];
  const tapes = $("tapes"); tapes.textContent = "";
  for (const run of data.runs) {
    const row = run.rows[Math.min(now, run.rows.length - 1)];
    const heading = make(tapes, "h2", run.name + ", state " + row.state);
    if (run.wrong !== null && data.steps[now] >= run.wrong)
      make(heading, "span", " (wrong from step " + run.wrong + ")", "wrong");
    const line = make(tapes, "div", "", "cells"); line.tabIndex = 0;
    row.cells.forEach((cell, i) => {
      const at = i + data.first, styles = [];
      if (row.heads.includes(at)) styles.push("head");
      if (data.gaps.includes(at)) styles.push("gap");
      if (cell === null) styles.push("lost");
      if (at === run.cell && data.steps[now] === run.wrong) styles.push("ring");
      make(line, "span", cell === null ? "?" : cell, styles.join(" ")).title = data.places[i];
    });
    const head = line.querySelector(".head");
    if (head) centre(line, head);
  }
}
"""


def tape_player(found: SpaceTime, *, path: str | os.PathLike[str] | None = None, replace: bool = True) -> str:
    """Return a page of HTML that plays the tapes or stacks of a run, exact first: play, pause and step.

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
        If the tape is wider than 400 cells, the page is too long, or `path` cannot be written.

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
    check_page_file(path)
    title = f"The {'stacks' if found.layout.stacks else 'tape'} of {found.name}, step by step"
    pointers = "The tops of stacks are" if found.layout.stacks else "The head's cell is"
    body = BODY.replace("{pointers}", pointers)
    page = page_of(title, played_tapes(found), style=STYLE, body=body, script=SCRIPT + PLAYED)
    if path is not None:
        save_page(page, path, replace=replace)
    return page


def played_tapes(found: SpaceTime) -> dict[str, Any]:
    """Return the steps of a run, and of each arithmetic the state, the heads and the cells from `first` on."""
    rings = [run.wrong_cell for run in found.computed if run.wrong_cell is not None]
    first, last = used_cells(found.layout, (found.exact, *found.computed))
    first, last = min([first, *rings]), max([last, *rings])
    if last - first >= MOST_CELLS:
        raise OptionError(f"a tape of {last - first + 1:,} cells is too wide to be played: give a smaller max_steps")
    columns, layout = range(first, last + 1), found.layout
    runs = [_run(layout, run, columns) for run in (found.exact, *found.computed)]
    steps, places = [row.step for row in found.exact.rows], list(map(layout.where, columns))
    return {"first": first, "steps": steps, "places": places, "gaps": sorted(layout.gaps), "runs": runs}


def _run(layout: CellLayout, run: TapeRows, columns: range) -> dict[str, Any]:
    blank = layout.blank
    wrong = None if run.divergence is None else run.divergence.configuration
    return {
        "name": "exact" if run.divergence is None else str(run.arithmetic),
        "wrong": None if wrong is None else wrong.step,
        "cell": run.wrong_cell,
        "rows": [
            {
                "state": str(row.state),
                "heads": row.heads,
                "cells": [
                    None if symbol is LOST else "" if symbol == blank else str(symbol)
                    for symbol in row.cells(columns, blank)
                ],
            }
            for row in run.rows
        ],
    }
