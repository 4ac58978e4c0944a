"""How a notebook begins, so that it runs on a hosted service too: a badge opens it there, and a cell installs.

    python docs/hosted.py

writes both into all notebooks. Their address is the `Repository` of `[project.urls]` in pyproject.toml. Where it is on
GitHub the badge is there, and the cell installs from there. As long as there is no address, there is no badge in the
files. But who builds the site knows where its sources come from, be it a copy of the repository: the notebooks of a
site that Read the Docs or a workflow of GitHub builds have the badge of that address.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)/?")
BADGE = "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
INSTALL = """\
# On a hosted service: install exactnn. Where it is there, nothing happens.
from importlib.util import find_spec

if find_spec("exactnn") is None:
    %pip install --quiet "{what}"\
"""


def address() -> str | None:
    """Return where the project says that its repository is, or None."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: str | None = project.get("urls", {}).get("Repository")
    return found


def address_of_builder(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return where the sources come from that a hosted service builds now, or None elsewhere."""
    if environment.get("READTHEDOCS_GIT_CLONE_URL"):
        return environment["READTHEDOCS_GIT_CLONE_URL"].removesuffix(".git")
    if environment.get("GITHUB_SERVER_URL") and environment.get("GITHUB_REPOSITORY"):
        return f"{environment['GITHUB_SERVER_URL']}/{environment['GITHUB_REPOSITORY']}"
    return None


def badge(repository: str | None, name: str) -> str | None:
    """Return the badge of a notebook, or None where its address is not one that Colab opens."""
    found = GITHUB.fullmatch(repository or "")
    return found and f"{BADGE}(https://colab.research.google.com/github/{found.group(1)}/blob/main/notebooks/{name})"


def install_cell(repository: str | None) -> str:
    """Return the source of the cell that installs."""
    found = GITHUB.fullmatch(repository or "")
    origin = f" @ git+https://github.com/{found.group(1)}" if found else ""
    return INSTALL.format(what=f"exactnn[plots]{origin}")


def with_beginning(notebook: Any, name: str, repository: str | None) -> Any:
    """Return a notebook with the badge below its heading, and the cell that installs after its first text."""
    import nbformat

    first, *cells = notebook.cells
    heading, *parts = [part for part in first.source.split("\n\n") if not part.startswith(BADGE)]
    first.source = "\n\n".join([heading, *filter(None, [badge(repository, name)]), *parts])
    if cells[0].source.startswith(INSTALL.splitlines()[0]):
        cells[0].source = install_cell(repository)
    else:
        cells.insert(0, nbformat.v4.new_code_cell(install_cell(repository)))
    notebook.cells = [first, *cells]
    return notebook


def main() -> None:
    """Write the beginning of all notebooks."""
    import nbformat

    for path in NOTEBOOKS:
        notebook = with_beginning(nbformat.read(path, as_version=4), path.name, address())
        for number, cell in enumerate(notebook.cells):
            cell.id = f"cell-{number}"
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
