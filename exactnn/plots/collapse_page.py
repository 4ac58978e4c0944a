"""The collapse table that one plays with: a page of HTML with a map whose fields tell of the word and its runs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import Format, count_text, counted, float_formats, value_text
from exactnn.automata import configuration_text, word_text
from exactnn.errors import OptionError
from exactnn.markup import clipped
from exactnn.options import result
from exactnn.outcome import Outcome
from exactnn.plots.looks import FAILURES, Failure, failure_of
from exactnn.plots.page import check_page_file, page_of, save_page
from exactnn.plots.precision_map import differ_by_precision
from exactnn.precision import Collapse, CollapseRow, Divergence, PrecisionThreshold, VerdictSweep

__all__ = ["collapse_page"]

MOST_CELLS = 20_000
LONGEST = 300
"""Characters of a word, a value or a configuration that are shown."""
REACH = 8
"""Cells of a tape that are shown on either side of the head."""
SIGNS = {Failure.NOTHING: "\u00a0", Failure.VALUE: "~", Failure.CONFIGURATION: "≠", Failure.VERDICT: "✗"}
"""What a field has besides its colour."""

STYLE = (
    """
.two{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
.map{flex:2 1 20rem;min-width:0;max-width:100%;overflow:auto;max-height:65vh;
scroll-padding:2.2rem 0 0 8rem;border:1px solid var(--line)}
table{border-collapse:separate;border-spacing:0}
th{font-weight:normal;font-size:.85rem;background:var(--paper);padding:0 .3rem;position:sticky;z-index:1}
thead th{top:0}tbody th{left:0;text-align:right;min-width:3.6rem;max-width:7rem;overflow-wrap:anywhere}
thead th:first-child{left:0;z-index:2}
td{min-width:1.9rem;height:1.9rem;text-align:center;border:1px solid var(--line);cursor:pointer}
td:focus,td.here{outline:3px solid #000;outline-offset:-3px;box-shadow:inset 0 0 0 5px #fff}
.legend span{display:inline-block;min-width:1.6rem;text-align:center;border:1px solid var(--line);margin-left:.8rem}
#told{flex:1 1 20rem;min-width:0;min-height:16rem}
dt{font-weight:bold}dd{margin:0 0 .4rem;overflow-wrap:anywhere}
"""
    + "".join(
        f".f{int(failure)}{{background:{look.colour};color:{'#fff' if failure is Failure.VERDICT else '#000'}}}\n"
        for failure, look in FAILURES.items()
    )
    + "@media(prefers-color-scheme:dark){.f0{background:var(--paper);color:var(--ink)}}\n"
)

BODY = """<p class="legend" id="legend"></p>
<div class="two"><div class="map" id="map"></div><section id="told" role="status"></section></div>
<p>The arrows, Home and End go from field to field, with the mouse a field tells what it is. Word lengths go across.
Of several words of a length the one that goes worst is shown, and of these the one that goes wrong first.</p>"""

SCRIPT = """
let here = [0, 0];
const grid = make($("map"), "table", "");
grid.setAttribute("role", "grid"); grid.setAttribute("aria-label", "word lengths by formats");
const head = make(make(grid, "thead", ""), "tr", ""), fields = [], rows = make(grid, "tbody", "");
make(head, "th", "length");
for (const column of data.columns) make(head, "th", column.length).scope = "col";
const kind = failure => data.kinds[failure].name;
data.rows.forEach((row, r) => {
  const line = make(rows, "tr", "");
  const name = make(line, "th", row.label);
  name.scope = "row"; name.title = row.name;
  fields.push(data.cells[r].map((cell, c) => {
    const field = make(line, "td", data.kinds[cell.failure].sign, "f" + cell.failure);
    field.setAttribute("role", "gridcell"); field.tabIndex = -1;
    field.setAttribute("aria-label", row.label + ", length " + data.columns[c].length + ": " + kind(cell.failure));
    field.dataset.r = r; field.dataset.c = c;
    return field;
  }));
});
for (const [failure, {name, sign}] of Object.entries(data.kinds)) {
  make($("legend"), "span", sign, "f" + failure); $("legend").append(" " + name);
}
function tell(r, c) {
  const cell = data.cells[r][c], column = data.columns[c], panel = $("told");
  panel.textContent = "";
  make(panel, "h2", data.rows[r].name + ", length " + column.length + ": " + kind(cell.failure));
  const list = make(panel, "dl", "");
  for (const [name, text] of [...column.words[cell.word], ...cell.told]) {
    make(list, "dt", name); make(list, "dd", text);
  }
}
function go(r, c, focus) {
  const was = fields[here[0]][here[1]];
  was.tabIndex = -1; was.classList.remove("here");
  here = [Math.max(0, Math.min(fields.length - 1, r)), Math.max(0, Math.min(data.columns.length - 1, c))];
  const field = fields[here[0]][here[1]];
  field.tabIndex = 0; field.classList.add("here"); tell(...here);
  if (focus) field.focus();
}
const fieldOf = event => event.target.closest("td");
grid.addEventListener("mouseover", event => { const td = fieldOf(event); if (td) tell(+td.dataset.r, +td.dataset.c); });
grid.addEventListener("mouseleave", () => tell(...here));
grid.addEventListener("click", event => {
  const td = fieldOf(event); if (td) go(+td.dataset.r, +td.dataset.c, true);
});
const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  Home: [0, -Infinity], End: [0, Infinity]};
onKey(event => {
  if (!STEPS[event.key] || (event.target !== document.body && !grid.contains(event.target))) return;
  event.preventDefault();
  go(here[0] + STEPS[event.key][0], here[1] + STEPS[event.key][1], true);
});
go(0, 0, false);
"""

Facts = list[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What a format is called beside its row and in full, and which cell of a column is its own."""

    label: str
    name: str
    cell: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """What a format made of a word: the worst that is wrong, and what is told of it; of which word of the column."""

    failure: Failure
    word: int
    told: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """The words of a length, what is told of each, and a cell for each format."""

    length: int
    words: list[Facts]
    cells: list[_Cell]


def collapse_page(
    found: Collapse | PrecisionThreshold | VerdictSweep,
    *,
    path: str | os.PathLike[str] | None = None,
    replace: bool = True,
) -> str:
    """Return a page of HTML with a map, word lengths by formats, whose fields tell what happens there.

    A field has the word, the exact verdict and its step, the computed verdict, and the first step of each kind at which
    the two runs differ. A sweep tells of counts and a first wrong word, a threshold of right or wrong only. The mouse
    and the arrow keys go from field to field. The page is one file that loads nothing.

    Parameters
    ----------
    found : Collapse, PrecisionThreshold or VerdictSweep
    path : str or path, optional
        Save the page there too: .html.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If there are no words, or more than 20,000 fields, the page is too long, or `path` cannot be written.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import collapse
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> page = collapse_page(collapse(thirds, [[1] * n for n in range(1, 6)]))
    >>> page.startswith("<!doctype html>"), "https:" in page
    (True, False)
    """
    result(
        "found",
        found,
        (Collapse, PrecisionThreshold, VerdictSweep),
        "exactnn.collapse, precision_threshold or verdict_sweep",
    )
    check_page_file(path)
    title, rows, columns = _read(found)
    page = page_of(title, _played(rows, columns), style=STYLE, body=BODY, script=SCRIPT)
    if path is not None:
        save_page(page, path, replace=replace)
    return page


def _read(found: Collapse | PrecisionThreshold | VerdictSweep) -> tuple[str, list[_Row], list[_Column]]:
    """Return the title, the rows and the columns, if they are not too many for a page."""
    match found:
        case Collapse():
            name, rows, lengths = found.name, _rows(found.formats), len({len(row.word) for row in found.rows})
        case VerdictSweep():
            name, rows, lengths = found.name, _rows(found.formats), len(found.lengths)
        case PrecisionThreshold():
            name, rows = (
                f"precisions with a wrong {found.criterion}",
                [_bits(p, i) for i, p in enumerate(found.precisions)],
            )
            rows, lengths = rows[::-1], len({len(word.word) for word in found.words})
    if not lengths or not rows:
        raise OptionError("the table has no words or no formats: there is nothing to show")
    if lengths * len(rows) > MOST_CELLS:
        raise OptionError(
            f"{counted(lengths, 'length')} by {counted(len(rows), 'format')} are too many fields for a page: give "
            f"at most {MOST_CELLS:,} in all"
        )
    match found:
        case Collapse():
            columns = _of_table(found)
        case VerdictSweep():
            columns = _of_sweep(found)
        case PrecisionThreshold():
            columns = _of_threshold(found)
    return f"{name}: what fails at which word length", rows, sorted(columns, key=lambda column: column.length)


def _bits(precision: int, cell: int, name: str = "") -> _Row:
    label = f"{precision} bits"
    return _Row(label=label, name=name or label, cell=cell)


def _rows(formats: Sequence[Format]) -> list[_Row]:
    """Return a row for each format, in their order; the largest precision first if they differ by nothing else."""
    if len(formats) > 1 and differ_by_precision(formats):
        floats = sorted(enumerate(float_formats(formats)), key=lambda entry: -entry[1].precision)
        return [_bits(format.precision, i, str(format)) for i, format in floats]
    return [_Row(label=str(format), name=str(format), cell=i) for i, format in enumerate(formats)]


def _played(rows: Sequence[_Row], columns: Sequence[_Column]) -> dict[str, Any]:
    kinds = {cell.failure for column in columns for cell in column.cells} | {Failure.NOTHING}
    return {
        "kinds": {int(kind): {"name": FAILURES[kind].label, "sign": SIGNS[kind]} for kind in sorted(kinds)},
        "rows": [{"label": row.label, "name": row.name} for row in rows],
        "columns": [{"length": column.length, "words": column.words} for column in columns],
        "cells": [
            [
                {"failure": int(cell.failure), "word": cell.word, "told": cell.told}
                for cell in (column.cells[row.cell] for column in columns)
            ]
            for row in rows
        ],
    }


def _word(word: Sequence[object], outcome: Outcome, steps: int) -> Facts:
    return [
        ("word", clipped(word_text(word), LONGEST)),
        ("exactly", f"{_said(outcome)} after {counted(steps, 'step')}"),
    ]


def _said(outcome: Outcome) -> str:
    return str(outcome if outcome.verdict is None else outcome.verdict)  # a verdict that rejects is false


# --- A collapse table: the words of a length are told by the worst of them.


def _of_table(table: Collapse) -> list[_Column]:
    gathered: dict[int, list[CollapseRow]] = {}
    for row in table.rows:
        gathered.setdefault(len(row.word), []).append(row)
    return [_column(length, rows) for length, rows in gathered.items()]


def _column(length: int, rows: Sequence[CollapseRow]) -> _Column:
    worst = [_worst(column) for column in zip(*(row.divergences for row in rows), strict=True)]
    kept = sorted(set(worst))
    return _Column(
        length=length,
        words=[_word(rows[i].word, rows[i].outcome, rows[i].steps) for i in kept],
        cells=[
            _Cell(failure=failure, word=kept.index(i), told=_told(found) + _how_many(rows, column, failure))
            for column, i in enumerate(worst)
            for found in [rows[i].divergences[column]]
            for failure in [failure_of(found)]
        ],
    )


def _worst(column: Sequence[Divergence]) -> int:
    """Return which of some words goes worst, and of these the one that goes wrong first."""
    return min(range(len(column)), key=lambda i: (-failure_of(column[i]), column[i].step or 0))


def _how_many(rows: Sequence[CollapseRow], column: int, failure: Failure) -> Facts:
    if len(rows) == 1:
        return []
    same = sum(failure_of(row.divergences[column]) is failure for row in rows)
    return [("words of this length", f"{FAILURES[failure].label}: {same:,} of {len(rows):,}")]


def _told(found: Divergence) -> Facts:
    facts = [("computed", _computed(found))]
    if (value := found.value) is not None:
        exact, computed = (clipped(value_text(v, limit=60), LONGEST) for v in (value.exact, value.computed))
        facts.append(
            (
                f"first wrong value: step {count_text(value.step)}",
                f"{value.neuron}: exactly {exact}, computed {computed}",
            )
        )
    if (other := found.configuration) is not None:
        exact, computed = (clipped(configuration_text(c, reach=REACH), LONGEST) for c in (other.exact, other.computed))
        facts.append(
            (f"first wrong configuration: step {count_text(other.step)}", f"exactly {exact}, computed {computed}")
        )
    return facts


def _computed(found: Divergence) -> str:
    wrong = found.verdict
    if wrong is None:
        return "the same" if found.outcome.verdict is not None else f"{found.outcome}, as exactly"
    if wrong.computed is None:
        return f"nothing yet at step {count_text(wrong.step)}"
    return f"{_said(wrong.computed)} at step {count_text(wrong.step)}"


# --- Sweeps and thresholds know which words are wrong, and not where.


def _of_sweep(found: VerdictSweep) -> list[_Column]:
    columns = []
    for entry in found.lengths:
        words = f"{'all ' * entry.every}{counted(entry.words, 'word')}, up to {counted(entry.steps, 'step')}"
        cells = []
        for wrong, word in zip(entry.wrong, entry.examples, strict=True):
            told = [("wrong verdict, or at another step", f"{wrong:,} of {counted(entry.words, 'word')}")]
            if word is not None:
                told.append(("the first of them", clipped(word_text(word), LONGEST)))
            cells.append(_Cell(failure=Failure.VERDICT if wrong else Failure.NOTHING, word=0, told=told))
        columns.append(_Column(length=entry.length, words=[[("exactly", words)]], cells=cells))
    return columns


def _of_threshold(found: PrecisionThreshold) -> list[_Column]:
    """Return the columns; of a length the first wrong word is told."""
    kind = Failure[found.criterion.upper()]
    columns = []
    for length in {len(word.word) for word in found.words}:
        words = [word for word in found.words if len(word.word) == length]
        cells = []
        for precision in found.precisions:
            wrong = [i for i, word in enumerate(words) if precision in word.failing]
            told = [(f"wrong {found.criterion}", f"{len(wrong):,} of {counted(len(words), 'word')}")]
            cells.append(_Cell(failure=kind if wrong else Failure.NOTHING, word=wrong[0] if wrong else 0, told=told))
        facts = [_word(word.word, word.outcome, word.steps) for word in words]
        columns.append(_Column(length=length, words=facts, cells=cells))
    return columns
