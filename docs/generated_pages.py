"""Pages of the site that are written at every build: public names, formats, notebooks, pictures one plays with."""

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import nbformat
from api_pages import api_pages
from hosted import address, address_of_builder, with_beginning

from exactnn.arithmetic.named import NAMED_FORMATS

__all__ = ["write_pages"]

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
PLAYED = Path(__file__).with_name("played.md")


def write_pages(folder: Path) -> None:
    """Write the pages into a folder of their own."""
    folder.mkdir(exist_ok=True)
    pages = {"formats.md": formats_page(), "commands.rst": commands_page(), **api_pages(), **notebooks()}
    for page, text in pages.items():
        path = folder / page
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # what is unchanged is not built again
            path.write_text(text, encoding="utf-8")
    write_played(folder / "beside" / "played")


def write_played(folder: Path) -> None:
    """Write the pictures one plays with: what the code of their page writes, but for films."""
    folder.mkdir(parents=True, exist_ok=True)
    text = PLAYED.read_text(encoding="utf-8").partition("## Films")[0]
    code = "".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


def notebooks() -> dict[str, str]:
    """Return the notebooks by their files, with links that lead from this folder to the pages.

    Where the site is built by a service that knows the address of the sources, they begin with its badge.
    """
    found, repository = {}, address() or address_of_builder()
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        text = path.read_text(encoding="utf-8")
        for outside, inside in {"](../docs/": "](../", "](../benchmarks/RESULTS.md": "](../measured.md"}.items():
            text = text.replace(outside, inside)
        if repository is not None:
            text = nbformat.writes(with_beginning(nbformat.reads(text, as_version=4), path.name, repository))
        found[path.name] = text
    return found


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
