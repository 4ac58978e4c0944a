"""Run a notebook from a clean kernel of this interpreter, and store it as notebooks are stored here.

    python tests/notebooks/execute_notebook.py notebooks/01_dfa_in_a_network.ipynb

writes the outputs into the notebook; a second path writes them there instead. Of the metadata the tags of cells are
left, and what a cell prints is one text for each stream. A process of its own keeps the sockets and warnings of Jupyter
away from the tests.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SECONDS_PER_CELL = 300
"""For the first run on a slow machine, which compiles."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(source, target):
    """Run the notebook in the file `source`, in an empty folder, and write it to `target`."""
    import nbformat
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpecManager
    from nbclient import NotebookClient

    notebook = nbformat.read(source, as_version=4)
    kernels = KernelSpecManager(kernel_dirs=[])  # none that was installed elsewhere: python3 is sys.executable
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=kernels)
    with TemporaryDirectory() as folder:
        os.environ["IPYTHONDIR"] = str(Path(folder) / "ipython")  # no start-up files, no history
        place = Path(folder) / "place"
        place.mkdir()
        options = {"timeout": SECONDS_PER_CELL, "record_timing": False, "resources": {"metadata": {"path": str(place)}}}
        NotebookClient(notebook, km=manager, **options).execute()
        left = [path.name for path in place.iterdir()]
    if left:
        raise SystemExit(f"{source} leaves files behind: {', '.join(left)}")
    nbformat.write(stored(notebook), target)


def stored(notebook):
    """Return the notebook without what belongs to an editor, a time or a widget."""
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    return notebook


def joined(outputs):
    """Return outputs with what was printed in several pieces as one."""
    found = []
    for output in outputs:
        if output.output_type == "stream" and found and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


if __name__ == "__main__":
    execute(sys.argv[1], sys.argv[-1])
