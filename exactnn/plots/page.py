"""Pages one plays with: the frame that they share. A page is one file of HTML that loads nothing."""

import json
import os
from collections.abc import Mapping
from html import escape

from exactnn.errors import OptionError, shown
from exactnn.files import new_file, write_file
from exactnn.options import text

__all__ = ["PLAYED", "PLAYER", "check_page_file", "page_of", "save_page"]

MOST_CHARACTERS = 8_000_000
"""Of a page: a telephone still shows as many."""

SAFETY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""What a browser is told that the page may load: nothing."""

STYLE = """
:root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--line:#bbb;--mark:#cfe8ff;--faint:#ddd;--ring:#c24e00}
@media(prefers-color-scheme:dark){
:root{--ink:#eee;--paper:#161616;--line:#555;--mark:#124a75;--faint:#444;--ring:#ff9a4d}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
margin:1rem auto;max-width:70rem;padding:0 1rem}
h1{font-size:1.2rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:.8rem 0 .2rem;overflow-wrap:anywhere}
button{font:inherit;min-width:3rem;min-height:2.75rem;margin:.1rem 0}
input[type=range]{width:100%;min-height:2.75rem;margin:0}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.cells{overflow-x:auto;display:flex;padding:4px}
.cells span{flex:none;width:2rem;height:2rem;line-height:2rem;text-align:center;
border:1px solid var(--line);overflow:hidden}
.cells .ring{position:relative;z-index:1;outline:3px solid var(--ring)}.wrong{color:var(--ring);font-weight:bold}
"""

SCRIPT = """
const $ = id => document.getElementById(id);
function make(parent, tag, text, style) {
  const made = document.createElement(tag);
  made.textContent = text; if (style) made.className = style;
  parent.append(made); return made;
}
function centre(line, cell) {  // scroll a line of cells so that one is seen
  line.scrollLeft = cell ? cell.offsetLeft - line.offsetLeft - line.clientWidth / 2 : 0;
}
function onKey(act) {
  document.addEventListener("keydown", event => {
    if (!event.ctrlKey && !event.altKey && !event.metaKey) act(event);
  });
}
"""

PLAYER = """<p><button id="back" aria-label="step back">&#9664;</button> <button id="play">play</button>
<button id="next" aria-label="step on">&#9654;</button> step <output id="step"></output></p>
<input id="at" type="range" min="0" value="0" aria-label="step">"""
"""Of pages that go through steps: the buttons and the slider."""

PLAYED = """
let now = 0, timer = null;
const WAIT = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1600 : 400;
$("at").max = last;
function go(to) {
  now = Math.max(0, Math.min(last, to));
  $("at").value = now; show();
}
function pause() { clearInterval(timer); timer = null; $("play").textContent = "play"; }
function play() {
  if (timer) return pause();
  if (now === last) go(0);
  $("play").textContent = "pause";
  timer = setInterval(() => now < last ? go(now + 1) : pause(), WAIT);
}
$("back").onclick = () => { pause(); go(now - 1); };
$("next").onclick = () => { pause(); go(now + 1); };
$("play").onclick = play;
$("at").oninput = event => { pause(); go(+event.target.value); };
onKey(event => {
  if (event.target === $("at") && event.key.startsWith("Arrow") || event.target.matches("input[type=text]")) return;
  if (event.key === "ArrowRight") { pause(); go(now + 1); }
  else if (event.key === "ArrowLeft") { pause(); go(now - 1); }
  else if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); play(); }
});
go(0);
"""
"""Their script, after one that has the number of the `last` step and a function `show` of the step `now`."""


def page_of(title: str, data: Mapping[str, object], *, style: str, body: str, script: str) -> str:
    """Return a page: a heading, what is below it, and a script that has its data as ``data``.

    Title and data may be of strangers. `style`, `body` and `script` are ours.

    Raises
    ------
    OptionError
        If the page is too long for a browser.

    Examples
    --------
    >>> page = page_of("</script>", {"name": "</script>"}, style="", body="", script="")
    >>> page.count("</script>"), "&lt;/script&gt;" in page
    (1, True)
    """
    # A half of a pair of surrogates, which no file can have, becomes a question mark.
    heading = escape(title.encode(errors="replace").decode())
    # In JSON a "<" stands in texts only: written as an escape, no name ends the script.
    stored = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{SAFETY}">\n'
        f'<link rel="icon" href="data:,"><title>{heading}</title><style>{STYLE}{style}</style></head>'
        f"<body><h1>{heading}</h1>\n{body}\n<script>\nconst data = {stored};\n{SCRIPT}{script}</script></body></html>\n"
    )
    if len(page) > MOST_CHARACTERS:
        raise OptionError(
            f"a page of {len(page):,} characters is too long to be played with: give less data, for a page of at most "
            f"{MOST_CHARACTERS:,}"
        )
    return page


def check_page_file(path: object) -> None:
    """Check that a page can be saved as `path`, or that it is None; raises OptionError if not."""
    if path is not None:
        new_file("page", path, (".html",), error=OptionError)


def save_page(page: str, path: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Write a page to a file that ends in .html; raises OptionError if that cannot be."""
    new_file("page", path, (".html",), error=OptionError)
    subject = f"page {shown(str(path))} cannot be written"
    write_file(path, text("page", page).encode(), error=OptionError, subject=subject, replace=replace)
