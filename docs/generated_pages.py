"""Pages of the site that are written at every build: public names with their docstrings, formats, notebooks."""

import importlib
import inspect
from fractions import Fraction
from pathlib import Path

import exactnn
from exactnn.arithmetic.named import NAMED_FORMATS

__all__ = ["write_pages"]

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"

ROOMS = {
    "machine_files": "Machines: files and the zoo",
    "automata": "Machines: values and their interpreters",
    "networks": "Networks",
    "constructions": "Constructions",
    "table_of_constructions": "Constructions, side by side",
    "simulation": "Runs",
    "outcome": "How a run ends",
    "arithmetic": "Arithmetics",
    "precision": "Precision",
    "equivalence": "Automata that networks are",
    "contraction": "Contractive and unitary networks",
    "census": "A census of small machines",
    "certificates": "Certificates",
    "corrections": "Errata",
    "strategies": "Strategies of Hypothesis",
    "testing": "Testing",
    "errors": "Errors",
}
"""Headings; a room that is not here has its own name as one."""


def write_pages(folder: Path) -> None:
    """Write the pages into a folder of their own."""
    folder.mkdir(exist_ok=True)
    pages = {"api.rst": api_page(), "formats.md": formats_page(), "commands.rst": commands_page(), **notebooks()}
    for page, text in pages.items():
        path = folder / page
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # what is unchanged is not built again
            path.write_text(text, encoding="utf-8")


def notebooks() -> dict[str, str]:
    """Return the notebooks by their files, with links that lead from this folder to the pages."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        text = path.read_text(encoding="utf-8")
        for outside, inside in {"](../docs/": "](../", "](../benchmarks/RESULTS.md": "](../measured.md"}.items():
            text = text.replace(outside, inside)
        found[path.name] = text
    return found


def api_page() -> str:
    """Return the page of all public names, by the room that they live in."""
    rooms: dict[str, list[str]] = {}
    for name in exactnn.__all__:
        value = getattr(exactnn, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            directive = "autoclass" if inspect.isclass(value) else "autofunction"
            module = value.__module__
            rooms.setdefault(module.split(".")[1], []).append(f".. {directive}:: exactnn.{name}\n")
    lines = ["API", "===", "", "Everything here is in ``exactnn`` itself: ``import exactnn as xn``.", ""]
    for room in sorted(rooms, key=lambda room: ([*ROOMS, room].index(room), room)):
        heading = ROOMS.get(room, room)
        lines += [heading, "-" * len(heading), "", *rooms[room]]
    plots = importlib.import_module("exactnn.plots")
    lines += ["Pictures: exactnn.plots", "-----------------------", ""]
    pictures = [name for name in plots.__all__ if name.startswith(("plot", "tape")) or name.endswith("_page")]
    lines += [f".. autofunction:: exactnn.plots.{name}\n" for name in pictures]
    campaigns = importlib.import_module("exactnn.campaigns")
    lines += ["Long work: exactnn.campaigns", "----------------------------", ""]
    for name in campaigns.__all__:
        kind = "class" if inspect.isclass(getattr(campaigns, name)) else "function"
        lines.append(f".. auto{kind}:: exactnn.campaigns.{name}\n")
    return "\n".join(lines)


def formats_page() -> str:
    """Return the table of the named floating-point formats."""
    lines = [
        "# Formats", "",
        "Any other precision, exponent, rounding mode or accumulator is a `FloatFormat`, and a `FixedPoint` is one in",
        "fixed point; [what a step means in them](../float_semantics.md). Weights are rounded to nearest.", "",
        "| name | precision | exponent bits | largest | smallest normal | smallest | unit roundoff | specials |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    specials = {"ieee": "±∞, NaN", "nan": "NaN", "none": "none"}
    for name, format in NAMED_FORMATS.items():
        numbers = [format.largest, Fraction(2) ** format.smallest_exponent, format.smallest, format.unit_roundoff]
        shown = [_number(float(number)) for number in numbers]
        cells = [f"`{name}`", str(format.precision), str(format.exponent_bits), *shown, specials[format.specials]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _number(number: float) -> str:
    """Return a number of a format in full, or in four digits where it has an exponent, which no line breaks."""
    whole = f"{number:.6g}"
    return f"{number:.4g}".replace("-", "\N{NON-BREAKING HYPHEN}") if "e" in whole else whole


def commands_page() -> str:
    """Return the page of the command line."""
    lines = [
        "Command line", "============", "",
        "Every command has ``--json``. Exit codes: 0 for any verdict and for an input out of domain, 2 for bad input,",
        "3 for a limit reached.", "",
        ".. click:: exactnn.cli.program:main", "   :prog: exactnn", "   :nested: full", "",
    ]  # fmt: skip
    return "\n".join(lines)
