"""Settings of Sphinx for the pages in this folder."""

import re
import sys
from pathlib import Path
from typing import Any

from exactnn.version import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "exactnn"
author = "The exactnn developers"
copyright = "The exactnn developers, Apache-2.0"
release = version = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_click",
]
html_theme = "furo"
html_title = "exactnn"
smartquotes = False  # "--n" is an option, not a dash
html_static_path = ["pictures", "looks"]
html_css_files = ["wide.css"]
html_extra_path = ["generated/beside"]  # pages of their own, which the site leads to
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the notebooks are stored with what they gave, and tests run them

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say it in words
napoleon_google_docstring = False
napoleon_use_rtype = False
nitpicky = False
suppress_warnings = ["myst.header", "ref.citation"]

linkcheck_ignore = [r"https?://.*"]  # what others keep is not ours to check at every build

MOVED = {
    "../benchmarks/RESULTS.md": "measured.md",
    "../CONTRIBUTING.md": "contributing.md",
    "../notebooks/": "generated/",
}
"""Files outside of this folder, which pages here include, as readers of the sources find them."""


def _inside(app: Any, name: str, source: list[str]) -> None:
    """Let links to files outside of this folder lead to the pages that include them."""
    for outside, page in MOVED.items():
        source[0] = source[0].replace(f"]({outside}", f"]({page}")


def _readable(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Let a stroke in a formula stand for itself, and number the references of each function apart."""
    short = name.rpartition(".")[2]
    for i, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        parts = line.split("``")  # every second one is literal
        parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
        line = re.sub(r"\[([0-9]+)\](_| )", rf"[{short}-\1]\2", "``".join(parts))
        lines[i] = line


def setup(app: Any) -> None:
    """Write the generated pages before anything is read."""
    from generated_pages import write_pages

    write_pages(HERE / "generated")
    app.connect("source-read", _inside)
    app.connect("autodoc-process-docstring", _readable, priority=400)  # before napoleon
