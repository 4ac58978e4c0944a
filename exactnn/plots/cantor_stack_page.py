"""A stack in one number that one plays with: a page of HTML where digits are rounded off and bits pushed and popped."""

import os
from collections.abc import Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import NAMED_FORMATS, FloatFormat, exact, short_text
from exactnn.errors import OptionError
from exactnn.options import entries, result, whole_number
from exactnn.plots.page import check_page_file, page_of, save_page
from exactnn.stacks import CantorStack

__all__ = ["BEYOND", "MOST_BITS", "MOST_PRECISION", "cantor_stack_page", "read_rounded", "read_symbols"]

MOST_BITS = 40
"""On a stack."""
MOST_PRECISION = 64
LEVELS = 5
"""Rows of intervals."""
BEYOND = 3
"""How many bits more than the stack has are read."""
END, MORE, UNREAD = "∅", "…", "?"
"""Symbols after the bits of a stack."""
LONGEST_PART = 64
"""Bits of the numerator and the denominator of an offset."""

STYLE = """
.set{position:relative;margin:.5rem 4px;padding:.2rem 0}
.set .row{position:relative;height:1.7rem}
.set .row span{position:absolute;top:.15rem;height:1.3rem;min-width:1px;overflow:hidden;
font-size:.75rem;line-height:1.3rem;text-align:center;color:#000}
.zero{background:#e69f00}.one{background:#56b4e9}
.set .at{position:absolute;top:0;bottom:0;width:0;margin-left:-1.5px;border-left:3px solid var(--ink)}
.set .at.rounded{border-left:3px dashed var(--ring)}
.digits{font-family:ui-monospace,monospace;word-break:break-all}.digits s{opacity:.55}
#number{overflow-wrap:anywhere}#told{min-height:3rem}
"""

BODY = """<p><button id="push0">push 0</button> <button id="push1">push 1</button> <button id="pop">pop</button></p>
<label for="at">Precision: <output id="p"></output></label>
<input id="at" type="range" min="2">
<p id="told" role="status"></p>
<h2>The stack, top first</h2><div id="exact" class="cells" tabindex="0" role="group" aria-label="the stack"></div>
<h2>The stack that is read off the rounded number</h2>
<div id="read" class="cells" tabindex="0" role="group" aria-label="the stack that is read"></div>
<h2 id="view"></h2>
<p><button id="out">zoom out</button> <button id="in">zoom in</button>
<button id="first">to the first wrong symbol</button></p>
<div id="set" class="set" role="img" aria-labelledby="view"></div>
<h2>The number q in binary, and rounded</h2>
<p id="number"></p><p class="digits">q = <span id="digits"></span><br>&#8776; <span id="kept"></span></p>
<p>Each row has an interval for every beginning of a stack, orange under a 0 and blue under a 1. The whole line is q,
the dashed one q rounded. Keys: 0 and 1 push, Backspace pops, the arrows change the precision, + and - zoom.
The sign &#8709; is the end of the stack; ? is neither 0 nor 1; dots are more symbols. q is rounded once, to nearest,
ties to even; exponents have no bound.</p>"""

ARITHMETIC = """
function fraction(n, d) {
  let a = n < 0n ? -n : n, b = d;
  while (b) [a, b] = [b, a % b];
  return a ? {n: n / a, d: d / a} : {n: 0n, d: 1n};
}
const parsed = text => { const [n, d = "1"] = text.split("/"); return fraction(BigInt(n), BigInt(d)); };
const plus = (x, y) => fraction(x.n * y.d + y.n * x.d, x.d * y.d);
const minus = (x, y) => plus(x, {n: -y.n, d: y.d});
const below = (x, y) => x.n * y.d < y.n * x.d;
const written = x => x.d === 1n ? String(x.n) : x.n + "/" + x.d;
const bits = n => n.toString(2).length;
const base = BigInt(data.base), DIGITS = data.digits.map(parsed), WIDTH = fraction(1n, base);
const push = (q, bit) => plus(fraction(q.n, q.d * base), DIGITS[bit]);
const pop = (q, bit) => { const low = minus(q, DIGITS[bit]); return fraction(low.n * base, low.d); };
const numberOf = stack => stack.reduceRight(push, {n: 0n, d: 1n});
function exponent(q) {  // the e with 2^e <= q < 2^(e+1)
  const e = bits(q.n) - bits(q.d), shift = BigInt(Math.abs(e));
  return (e < 0 ? q.n << shift : q.n) < (e < 0 ? q.d : q.d << shift) ? e - 1 : e;
}
function rounded(q, p) {  // to nearest, ties to even
  if (!q.n) return q;
  const up = p - 1 - exponent(q), shift = BigInt(Math.abs(up));
  const n = up < 0 ? q.n : q.n << shift, d = up < 0 ? q.d << shift : q.d;
  let k = n / d;
  const twice = 2n * (n - k * d);
  if (twice > d || (twice === d && k % 2n)) k += 1n;
  return up < 0 ? fraction(k << shift, 1n) : fraction(k, 1n << shift);
}
function read(q, most) {
  const found = [];
  while (found.length < most) {
    const top = DIGITS.findIndex(low => !below(q, low) && !below(plus(low, WIDTH), q));
    if (top < 0) break;
    found.push(top); q = pop(q, top);
  }
  return {bits: found, left: q};
}
const checked = data.checks.every(([p, value, stack, left]) => {
  const q = rounded(numberOf(data.bits), p), found = read(q, data.bits.length + data.beyond);
  return written(q) === value && found.bits.join("") === stack && written(found.left) === left;
});
"""

SCRIPT = """
let stack = [...data.bits], zoom = 0;
$("at").max = data.most_precision; $("at").value = data.precision;
const share = x => Number(x.n * 1000000n / x.d) / 10000 + "%";
function cells(id, symbols, ring, whose) {
  $(id).textContent = "";
  symbols.forEach((symbol, i) => {
    const style = (symbol === "0" ? "zero" : symbol === "1" ? "one" : "") + (i === ring ? " ring" : "");
    const cell = make($(id), "span", symbol, style);
    if (symbol === "0" || symbol === "1") cell.style.color = "#000";
    cell.title = whose + ", place " + (i + 1) + (i === ring ? ": the first wrong one" : "");
  });
  centre($(id), $(id).querySelector(".ring"));
}
function binary(q, most) {  // digits after the point, and whether there are more
  let n = q.n % q.d, text = "";
  while (n && text.length < most) { n *= 2n; text += n < q.d ? "0" : "1"; n %= q.d; }
  return [q.n / q.d + (text ? "." : ""), text, n ? "\\u2026" : ""];
}
function digits(q, near, p) {
  const zeros = q.n ? Math.max(0, -exponent(q) - 1) : 0, kept = zeros + p;
  const [whole, after, dots] = binary(q, Math.max(kept + 16, 2 * data.most_bits + 8));
  $("digits").textContent = whole + after.slice(0, kept);
  make($("digits"), "s", after.slice(kept) + dots);
  $("kept").textContent = binary(near, kept).join("");
}
function told(p, symbols, ring, q) {
  const odd = q.d & (q.d - 1n) ? null : q.n ? q.n.toString(2).replace(/0+$/, "").length : 1;
  const needs = odd === null ? "No binary format has the number." : "The number has " + odd + " significant bits.";
  if (ring < 0) return ["With " + p + " bits the stack is read right. " + needs, ""];
  const now = symbols[ring];
  const said = now === "?" ? "cannot be read" : now === "\\u2205" ? "is missing: the stack ends there"
    : ring === stack.length ? "is read where the stack ends" : "is read as " + now + ", and is " + stack[ring];
  return ["With " + p + " bits place " + (ring + 1) + " from the top " + said + ". " + needs, "wrong"];
}
function point(q, style) {
  if (q.n < 0n || q.n > q.d) return false;
  make($("set"), "div", "", "at" + style).style.left = share(q);
  return true;
}
function show() {
  const p = +$("at").value, q = numberOf(stack), near = rounded(q, p), most = stack.length + data.beyond;
  const found = read(near, most), end = "\\u2205";
  const right = [...stack.map(String), end];
  const other = [...found.bits.map(String), !found.left.n ? end : found.bits.length === most ? "\\u2026" : "?"];
  const ring = right.findIndex((symbol, i) => symbol !== other[i]);
  const names = data.formats[p] ? ", as in " + data.formats[p].join(", ") : "";
  $("p").value = p + " bits" + names;
  $("at").setAttribute("aria-valuetext", p + " bits" + names);
  const [text, style] = told(p, other, ring, q);
  $("told").textContent = checked ? text : "This browser does not compute what exactnn does: do not trust the page.";
  $("told").className = checked ? style : "wrong";
  cells("exact", right, ring, "the stack"); cells("read", other, ring, "rounded");
  $("number").textContent = "exactly " + written(q) + ", rounded " + written(near);
  digits(q, near, p);
  zoom = Math.min(zoom, stack.length);
  const set = $("set"); set.textContent = "";
  data.intervals.forEach(row => {
    const line = make(set, "div", "", "row");
    row.forEach(([bits, left, width]) => {
      const bar = make(line, "span", bits.length < 3 ? bits : "", bits[0] === "0" ? "zero" : "one");
      bar.style.left = left + "%"; bar.style.width = width + "%"; bar.title = "stacks that begin with " + bits;
    });
  });
  const above = stack.slice(0, zoom), inside = x => above.reduce(pop, x);
  point(inside(q), "");
  const seen = point(inside(near), " rounded");
  $("view").textContent = (zoom ? "The Cantor set below " + above.join("") : "The Cantor set of all stacks") +
    (seen ? "" : ", where the rounded number is not");
  $("out").disabled = !zoom; $("in").disabled = zoom === stack.length;
  $("first").disabled = ring < 0; $("pop").disabled = !stack.length;
  $("push0").disabled = $("push1").disabled = stack.length >= data.most_bits;
  for (const button of ["out", "in", "first", "pop", "push0", "push1"])
    if ($(button).disabled && document.activeElement === $(button)) $("at").focus();
  $("first").dataset.zoom = Math.max(0, ring);
}
const pushed = bit => { if (stack.length < data.most_bits) stack.unshift(bit); show(); };
const popped = () => { stack.shift(); show(); };
const zoomed = by => { zoom = Math.max(0, zoom + by); show(); };
$("push0").onclick = () => pushed(0); $("push1").onclick = () => pushed(1); $("pop").onclick = popped;
$("in").onclick = () => zoomed(1); $("out").onclick = () => zoomed(-1);
$("first").onclick = () => { zoom = Math.min(stack.length, +$("first").dataset.zoom); show(); };
$("at").oninput = show;
onKey(event => {
  const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (event.key === "0" || event.key === "1") pushed(+event.key);
  else if (event.key === "Backspace") { event.preventDefault(); popped(); }
  else if (event.key === "+" || event.key === "=") zoomed(1);
  else if (event.key === "-") zoomed(-1);
  else if (by && !event.target.closest("input, .cells")) { $("at").value = +$("at").value + by; show(); }
});
show();
"""


def cantor_stack_page(
    found: CantorStack,
    bits: str | Sequence[int] = "0110100110010110",
    *,
    precision: int = 11,
    path: str | os.PathLike[str] | None = None,
    replace: bool = True,
) -> str:
    """Return a page of HTML with a stack in one number: how many of its bits are left when the number is rounded.

    A slider sets the precision, buttons push and pop. The page shows the number and its rounding, the stacks that are
    read off both, the first wrong symbol, and both points in the Cantor set. It computes with whole numbers of any
    length, and checks itself against roundings of :class:`exactnn.FloatFormat`, which it has with it. It is one file
    that loads nothing.

    Parameters
    ----------
    found : CantorStack
    bits : str or sequence of int
        The stack at first, its top first; up to 40 bits.
    precision : int
        Bits of the significand at first, from 2 to 64.
    path : str or path, optional
        Save the page there too: .html.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If there are too many bits, no unit reads the tops of such a stack, the offset has more than 64 bits, or `path`
        cannot be written.

    Notes
    -----
    The number is rounded once, to nearest with ties to even, with exponents that have no bound. A network that rounds
    after every push may differ from that in the last place.

    Examples
    --------
    >>> page = cantor_stack_page(CantorStack(), "0110")
    >>> page.startswith("<!doctype html>"), "https:" in page
    (True, False)
    """
    result("found", found, CantorStack, "CantorStack()")
    check_page_file(path)
    precision = whole_number("precision", precision, least=2, most=MOST_PRECISION)
    _check_offset(exact(found.offset))
    given: Any = bits if isinstance(bits, str) else entries("bits", bits)
    if len(given) > MOST_BITS:
        raise OptionError(f"bits: a stack of {len(given):,} is too long for the page: give at most {MOST_BITS}")
    page = page_of(
        f"A stack of bits in one number, {repr(found)[1:-1].partition(': ')[2]}",
        _played(found, found.number(given), precision),
        style=STYLE,
        body=BODY,
        script=ARITHMETIC + SCRIPT,
    )
    if path is not None:
        save_page(page, path, replace=replace)
    return page


def _check_offset(offset: mpq) -> None:
    if max(offset.numerator.bit_length(), offset.denominator.bit_length()) > LONGEST_PART:
        raise OptionError(
            f"offset={short_text(offset)} is too long for the page: give a fraction of at most {LONGEST_PART} bits"
        )


def _played(found: CantorStack, number: mpq, precision: int) -> dict[str, Any]:
    stack, _ = found.read(number)
    return {
        "base": found.base,
        "digits": [str(digit) for digit in found.digits],
        "bits": [int(bit) for bit in stack],
        "precision": precision,
        "most_precision": MOST_PRECISION,
        "most_bits": MOST_BITS,
        "beyond": BEYOND,
        "formats": _names_by_precision(),
        "intervals": [
            [(bits, round(100 * float(low), 4), round(100 * float(high - low), 4)) for bits, low, high in row]
            for row in map(found.intervals, range(1, LEVELS + 1))
        ],
        "checks": [_check(found, number, len(stack) + BEYOND, p) for p in range(2, MOST_PRECISION + 1)],
    }


def _names_by_precision() -> dict[int, list[str]]:
    names: dict[int, list[str]] = {}
    for name, format in NAMED_FORMATS.items():
        names.setdefault(format.precision, []).append(name)
    return names


def read_rounded(found: CantorStack, number: mpq, most: int, precision: int) -> tuple[mpq, str, mpq]:
    """Return a number rounded to so many bits, the stack of at most `most` bits that is read off it, and what is left.

    >>> read_rounded(CantorStack(), CantorStack().number("0110"), 6, 3)
    (mpq(1,2), '011111', mpq(1,1))
    """
    rounded = exact(FloatFormat(precision=precision, exponent_bits=15).rounded(number))
    bits, left = found.read(rounded, most=most)
    return rounded, bits, left


def read_symbols(bits: str, left: mpq, most: int) -> list[str]:
    """Return what is read, a symbol for each place: the end of the stack after it, more bits, or what is neither."""
    return [*bits, END if not left else MORE if len(bits) == most else UNREAD]


def _check(found: CantorStack, number: mpq, most: int, precision: int) -> tuple[int, str, str, str]:
    """Return what the page must find with so many bits: the rounded number, the stack that is read, what is left."""
    rounded, bits, left = read_rounded(found, number, most, precision)
    return precision, str(rounded), bits, str(left)
