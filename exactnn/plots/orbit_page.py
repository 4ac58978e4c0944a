"""The orbit of a state that one plays with: a page of HTML with two components as a point of the plane."""

import os
from collections.abc import Sequence
from itertools import islice
from math import hypot, isfinite
from typing import Any

from exactnn.arithmetic import counted, exact, is_finite, value_text
from exactnn.automata import word_text
from exactnn.errors import OptionError
from exactnn.markup import clipped
from exactnn.options import listed, result
from exactnn.plots.page import PLAYED, PLAYER, check_page_file, page_of, save_page
from exactnn.precision import Trajectory
from exactnn.precision.measured import near_float

__all__ = ["orbit_page"]

MOST_RUNS = 4
MOST_STEPS = 2000
ENDED = "what is not known: the first run has ended"
LONGEST = 60
"""Characters of a number that are shown."""

STYLE = """
:root{--r0:#1a1a1a;--r1:#0072b2;--r2:#00795a;--r3:#a3497a}
@media(prefers-color-scheme:dark){:root{--r0:#eee;--r1:#56b4e9;--r2:#2cc59a;--r3:#e39fc4}}
.two{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
.plane{flex:1 1 20rem;min-width:0;max-width:40rem}
svg{display:block;width:100%;height:auto;border:1px solid var(--line);touch-action:pan-y}
svg .axis{stroke:var(--line);stroke-width:1;fill:none}svg .start{stroke-dasharray:4 4}
svg .trail{fill:none;stroke-linecap:round;stroke-width:5;opacity:.55}
svg .now{stroke:var(--paper);stroke-width:1.5}svg .ring{fill:none;stroke:var(--ring);stroke-width:3}
#told{flex:1 1 20rem;min-width:0;overflow-wrap:anywhere}dt{font-weight:bold}dd{margin:0 0 .3rem 1rem}
.r0{color:var(--r0)}.r1{color:var(--r1)}.r2{color:var(--r2)}.r3{color:var(--r3)}
.number{font-family:ui-monospace,monospace;font-size:.9rem}
"""

BODY = f"""{PLAYER}
<p><button id="out">zoom out</button> <button id="in">zoom in</button> <output id="view"></output></p>
<div class="two"><div class="plane">
<svg id="plane" viewBox="-200 -200 400 400" role="img" aria-labelledby="axes"></svg><p id="axes"></p></div>
<div id="told"></div></div>
<p>The large mark is the state after the step, the dots are those before it. Arrows step, the space bar plays and
pauses, + and - zoom. The first state of a run that is not the first run's is ringed. The dashed circle goes through
the start, around 0.</p>"""

SCRIPT = """
const last = data.letters.length, runs = data.runs, HALF = 200;
let zoom = 0;
const plane = $("plane");
function draw(kind, style, properties) {
  const made = document.createElementNS(plane.namespaceURI, kind);
  made.setAttribute("class", style);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  plane.append(made);
}
const MARKS = [  // a mark of each run, around 0
  "M-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0z", "M-6 -6h12v12h-12z", "M0 -8l8 14h-16z", "M0 -8l8 8l-8 8l-8 -8z"];
const upTo = run => run.points[Math.min(now, run.points.length - 1)];
function middle() {  // of what is seen: of everything, or the first run's point
  const at = upTo(runs[0]);
  return zoom && at ? at : data.middle;
}
function show() {
  const [x, y] = middle(), half = data.half / 2 ** zoom, scale = HALF / half;
  const place = ([a, b]) => [(a - x) * scale, (y - b) * scale];
  const near = ([a, b]) => Math.abs(a) < 3 * HALF && Math.abs(b) < 3 * HALF;
  plane.textContent = "";
  const [zeroX, zeroY] = place([0, 0]);
  if (Math.abs(zeroX) < HALF) draw("path", "axis", {d: "M" + zeroX + " -200V200"});
  if (Math.abs(zeroY) < HALF) draw("path", "axis", {d: "M-200 " + zeroY + "H200"});
  const radius = data.radius * scale;
  if (radius > 0 && radius < 100 * HALF) draw("circle", "axis start", {cx: zeroX, cy: zeroY, r: radius});
  runs.forEach((run, r) => {
    const dots = run.points.slice(0, now + 1).filter(point => point).map(place).filter(near);
    const d = dots.map(([a, b]) => "M" + a.toFixed(2) + " " + b.toFixed(2) + "h0").join("");
    draw("path", "trail", {d: d, stroke: "var(--r" + r + ")"});
  });
  runs.forEach((run, r) => {
    const at = upTo(run), wrong = run.wrong !== null && now >= run.wrong && run.points[run.wrong];
    if (at && near(place(at))) draw("path", "now",
      {d: MARKS[r], fill: "var(--r" + r + ")", transform: "translate(" + place(at) + ")"});
    if (wrong && near(place(wrong))) draw("circle", "ring", {cx: place(wrong)[0], cy: place(wrong)[1], r: 12});
  });
  const read = now ? ", after the letter " + data.letters[now - 1] : "";
  $("step").value = now + " of " + last + read;
  $("view").value = (2 * half).toPrecision(3) + " wide";
  $("axes").textContent = data.components[0] + " goes to the right, " + data.components[1] + " up.";
  $("in").disabled = zoom >= data.deepest; $("out").disabled = !zoom;
  const told = $("told"); told.textContent = "";
  runs.forEach((run, r) => {
    make(told, "h2", ["\\u25cf", "\\u25a0", "\\u25b2", "\\u25c6"][r] + " " + run.name, "r" + r);
    const list = make(told, "dl", ""), t = Math.min(now, run.seen.length - 1);
    run.texts[t].forEach((text, i) => { make(list, "dt", data.components[i]); make(list, "dd", text, "number"); });
    make(list, "dt", "different states so far");
    const back = run.first[t] < t ? ": this one is that of step " + run.first[t] + " again" : "";
    make(list, "dd", run.seen[t] + back);
    if (r === 0) return;
    make(list, "dt", "from " + runs[0].name);
    make(list, "dd", run.wrong !== null && now >= run.wrong
      ? "differs from step " + run.wrong + ", now by " + run.away[t] : "the same so far",
      run.wrong !== null && now >= run.wrong ? "wrong" : "");
  });
}
const zoomed = by => { zoom = Math.max(0, Math.min(data.deepest, zoom + by)); show(); };
$("in").onclick = () => zoomed(1); $("out").onclick = () => zoomed(-1);
onKey(event => {
  if (event.key === "+" || event.key === "=") zoomed(1);
  else if (event.key === "-") zoomed(-1);
});
"""
DEEPEST = 30
"""How often a picture is halved: below, coordinates that are floats have no digits left."""


def orbit_page(
    found: Trajectory | Sequence[Trajectory],
    *,
    path: str | os.PathLike[str] | None = None,
    replace: bool = True,
) -> str:
    """Return a page of HTML with a state of two components as a point of the plane, in several arithmetics.

    A slider goes through the steps. The page tells the numbers, how many different states there were so far, and from
    which step on a run differs from the first one. It is one file that loads nothing.

    Parameters
    ----------
    found : Trajectory or sequence of Trajectory
        Of one network and one word, with two components: the first one is what the others are compared with. Up to
        four, of at most 2000 steps.
    path : str or path, optional
        Save the page there too: .html.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If there are not two components, the runs are of several networks or words, there are too many of them or too
        many steps, no state of a run is finite, or `path` cannot be written.

    Examples
    --------
    >>> from exactnn.arithmetic import EXACT, FLOAT16
    >>> from exactnn.constructions import word_problem
    >>> from exactnn.precision import trajectory
    >>> turns = word_problem("Z5", "rotation", weights=FLOAT16)
    >>> page = orbit_page([trajectory(turns, "a" * 20, one) for one in (EXACT, FLOAT16)])
    >>> page.startswith("<!doctype html>"), "https:" in page
    (True, False)
    """
    runs = [found] if isinstance(found, Trajectory) else listed("found", found, "what exactnn.trajectory returns")
    for run in runs:
        result("found", run, Trajectory, "exactnn.trajectory(net, word, arithmetic)")
    check_page_file(path)
    _check(runs)
    first = runs[0]
    word = f" on {clipped(word_text(first.word), 40)}" if len(first.word) else ""
    name = clipped(first.name, LONGEST)
    page = page_of(f"The orbit of {name}{word}", _played(runs), style=STYLE, body=BODY, script=SCRIPT + PLAYED)
    if path is not None:
        save_page(page, path, replace=replace)
    return page


def _check(runs: Sequence[Trajectory]) -> None:
    if not 0 < len(runs) <= MOST_RUNS:
        raise OptionError(f"{counted(len(runs), 'run')} do not go into one page: give 1 to {MOST_RUNS}")
    first = runs[0]
    if len(first.components) != 2:
        raise OptionError(
            f"{first.name} has {counted(len(first.components), 'component')} here, and a plane has two: give "
            "exactnn.trajectory the names of two, components=[...]"
        )
    if any((run.name, run.word, run.components) != (first.name, first.word, first.components) for run in runs):
        raise OptionError("the runs are not of one network, one word and the same components: give such runs")
    if first.arithmetic.encloses or any(run.arithmetic.encloses for run in runs):
        raise OptionError("an arithmetic that gives intervals has no points: give runs that are exact or rounded")
    most = max(run.steps for run in runs)
    if most > MOST_STEPS:
        raise OptionError(f"{most:,} steps are too many for a page: give trajectory max_steps={MOST_STEPS} or less")
    for run in runs:
        if not any(map(_point, run.values)):
            raise OptionError(f"no state in {run.arithmetic} is finite and small enough for a float: nothing to show")


def _played(runs: Sequence[Trajectory]) -> dict[str, Any]:
    shown = [point for run in runs for point in map(_point, run.values) if point]
    sides = [(min(axis), max(axis)) for axis in zip(*shown, strict=True)]
    half = max(high / 2 - low / 2 for low, high in sides)
    first = runs[0]
    start = _point(first.values[0])
    steps = max(run.steps for run in runs)
    return {
        "components": list(first.components),
        "letters": [clipped(str(letter), LONGEST) for letter in _letters(first.word, steps)],
        "middle": [low / 2 + high / 2 for low, high in sides],
        "half": 1.1 * half if isfinite(1.1 * half) and half > 0 else 1.0,
        "radius": 0 if start is None or not isfinite(hypot(*start)) else hypot(*start),
        "deepest": DEEPEST,
        "runs": [_run(run, first) for run in runs],
    }


def _letters(word: Sequence[object], steps: int) -> list[object]:
    """Return what is read in each step: after the word, EOS symbols."""
    return [*islice(word, steps), *["EOS"] * (steps - len(word))]


def _run(run: Trajectory, leader: Trajectory) -> dict[str, Any]:
    pairs = list(zip(run.values, leader.values, strict=False))
    places: dict[tuple[Any, ...], int] = {}
    first, seen = [], []
    for step, state in enumerate(run.values):
        first.append(places.setdefault(tuple(map(_key, state)), step))
        seen.append(len(places))
    return {
        "name": str(run.arithmetic),
        "points": [_point(state) for state in run.values],
        "texts": [[value_text(value, limit=LONGEST) for value in state] for state in run.values],
        "first": first,
        "seen": seen,
        "wrong": next((step for step, both in enumerate(pairs) if not _same(*both)), None),
        "away": [*(_distance(a, b) for a, b in pairs), *[ENDED] * (len(run.values) - len(pairs))],
    }


def _key(value: Any) -> Any:
    """Return a number so that NaN is itself, and any other NaN."""
    return value if value == value else "NaN"


def _same(first: Sequence[Any], second: Sequence[Any]) -> bool:
    return all(_key(x) == _key(y) for x, y in zip(first, second, strict=True))


def _point(state: Sequence[Any]) -> tuple[float, float] | None:
    """Return a state as floats, or None where it has no place in a picture."""
    x, y = map(near_float, state)
    return (x, y) if isfinite(x) and isfinite(y) else None


def _distance(a: Sequence[Any], b: Sequence[Any]) -> str:
    """Return how far two states are from each other, in three digits."""
    if not all(map(is_finite, (*a, *b))):
        return "no number that is finite"
    away = hypot(*(near_float(exact(x) - exact(y)) for x, y in zip(a, b, strict=True)))
    return f"{away:.3g}" if isfinite(away) else "more than 10^308"
