"""Compiled kernels are kept on disk where a folder can be written, and float runs work where none can."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import exactnn

PROGRAM = """
import exactnn.simulation
from exactnn.arithmetic import FLOAT64
from exactnn.networks import SimpleRNN
from exactnn.simulation import run

network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
print(exactnn.__file__)
print(run(network, [1, 0, 0], arithmetic=FLOAT64).outputs[:])
from exactnn.simulation import float_kernels
print(sum(sum(getattr(float_kernels, name).stats.cache_hits.values()) for name in float_kernels.__all__
          if hasattr(getattr(float_kernels, name), "stats")))
"""


def run_copy(folder, **variables):
    """Run PROGRAM on the copy of the package in `folder`; return what it printed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG", "PYTHON"))}
    environment |= {"PYTHONPATH": str(folder), "PYTHONWARNINGS": "error"} | variables
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, cwd=folder, timeout=300
    )
    assert result.returncode == 0, result.stderr[-2000:]
    file, outputs, hits = result.stdout.splitlines()
    assert Path(file).is_relative_to(folder)
    return outputs, int(hits)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package without anything compiled."""
    source = Path(exactnn.__file__).parent
    shutil.copytree(source, tmp_path / "exactnn", ignore=shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc"))
    return tmp_path


def block_caches(folder):
    """Make it impossible to write compiled kernels next to the package, even for root.

    Permission bits do not bind root; but a file where a folder should be stops everyone.
    """
    for path in [folder / "exactnn", *(folder / "exactnn").rglob("*")]:
        if path.is_dir():
            (path / "__pycache__").write_text("a file, not a folder")


def cache_files(folder):
    return sorted(path.name for path in folder.rglob("*.nb[ic]"))


def test_without_any_folder_to_write_to_a_float_run_works(copy):
    block_caches(copy)
    assert run_copy(copy, HOME="/dev/null/nowhere") == ("[1.0, 0.5, 0.25]", 0)
    assert cache_files(copy) == []


def test_kernels_are_kept_next_to_the_package_and_found_again(copy):
    assert run_copy(copy, HOME="/dev/null/nowhere") == ("[1.0, 0.5, 0.25]", 0)
    files = cache_files(copy / "exactnn" / "simulation" / "__pycache__")
    assert files
    outputs, hits = run_copy(copy, HOME="/dev/null/nowhere")
    assert outputs == "[1.0, 0.5, 0.25]"
    assert hits > 0
    assert cache_files(copy) == files


def test_a_package_that_cannot_be_written_uses_the_users_cache_folder(copy, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    block_caches(copy)
    assert run_copy(copy, HOME=str(home)) == ("[1.0, 0.5, 0.25]", 0)
    assert cache_files(copy) == []
    assert cache_files(home)
    assert run_copy(copy, HOME=str(home))[1] > 0
