"""Compiled kernels are kept on disk where a folder can be written, and float runs work where none can."""

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from types import FunctionType

import pytest

import exactnn
from exactnn.simulation import loops
from exactnn.simulation.compiled import sources_of

PROGRAM = """
import exactnn.simulation
from exactnn.arithmetic import FLOAT64
from exactnn.networks import SimpleRNN
from exactnn.notices import at_once
from exactnn.simulation import run

network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
print(exactnn.__file__)
with at_once():
    print(run(network, [1, 0, 0], arithmetic=FLOAT64).outputs[:])
from exactnn.simulation.loops import advance
print(sum(advance.stats.cache_hits.values()))
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


@pytest.mark.slow
def test_without_any_folder_to_write_to_a_float_run_works(copy):
    block_caches(copy)
    assert run_copy(copy, HOME="/dev/null/nowhere") == ("[1.0, 0.5, 0.25]", 0)
    assert cache_files(copy) == []


@pytest.mark.slow
def test_kernels_are_kept_next_to_the_package_and_found_again(copy):
    assert run_copy(copy, HOME="/dev/null/nowhere") == ("[1.0, 0.5, 0.25]", 0)
    files = cache_files(copy / "exactnn" / "simulation" / "__pycache__")
    assert files
    outputs, hits = run_copy(copy, HOME="/dev/null/nowhere")
    assert outputs == "[1.0, 0.5, 0.25]"
    assert hits > 0
    assert cache_files(copy) == files


@pytest.mark.slow
def test_a_package_that_cannot_be_written_uses_the_users_cache_folder(copy, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    block_caches(copy)
    assert run_copy(copy, HOME=str(home)) == ("[1.0, 0.5, 0.25]", 0)
    assert cache_files(copy) == []
    assert cache_files(home)
    assert run_copy(copy, HOME=str(home))[1] > 0


def test_names_that_another_thread_enters_meanwhile_do_no_harm():
    """A look at this name enters one more, as an import in another thread may at any time."""

    class Entering:
        @property
        def __module__(self):
            names[len(names)] = None
            return "another"

        def __call__(self):
            """Be a function."""

    def kernel():
        """Have globals of its own."""

    names = {"entering": Entering()}
    assert sources_of(FunctionType(kernel.__code__, names)) == set()
    assert len(names) > 1


def test_the_name_of_the_loop_in_the_cache_tells_the_state_of_every_carrier():
    folder = Path(loops.__file__).parent / "carriers"
    carriers = {f"exactnn.simulation.carriers.{file.stem}" for file in folder.glob("[a-z]*.py")}
    assert len(carriers) >= 4
    assert sources_of(loops.advance.py_func) >= carriers | {"exactnn.simulation.loops"}


KERNELS = """
import numpy as np
from exactnn.simulation.compiled import compiled


@compiled
def total(numbers):
    sum = 0
    for number in numbers:
        sum += number
    return sum


@compiled
def twice_the_total(numbers):
    return 2 * total(numbers)


NUMBERS = np.arange(5)
"""
REFRESHED = """
from numba.core.base import BaseContext

refresh, refreshed = BaseContext.refresh, []
BaseContext.refresh = lambda context: refreshed.append(context) or refresh(context)

from some_kernels import NUMBERS, total, twice_the_total

print(total(NUMBERS), bool(refreshed))
print(twice_the_total(NUMBERS), bool(refreshed))
"""


@pytest.fixture
def said(tmp_path):
    """What a program prints in a process of its own that finds `some_kernels`, with a cache of its own."""
    (tmp_path / "some_kernels.py").write_text(KERNELS)
    folders = f"{tmp_path}{os.pathsep}{Path(exactnn.__file__).parents[1]}"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": folders}

    def said(program):
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()

    return said


def test_numba_learns_what_it_can_compile_only_where_something_is_compiled(said):
    """And then calls what was loaded before."""
    assert said(REFRESHED.rpartition("print")[0]) == ["10 True"]
    assert said(REFRESHED) == ["10 False", "20 True"]
    assert said(REFRESHED) == ["10 False", "20 False"]


SPOILT = """
from importlib import import_module
from exactnn.notices import listening
from exactnn.simulation.compiled import is_compiled

for number in range({copies}):
    kernels, heard = import_module(f"some_kernels_{{number}}"), []
    with listening(heard.append):
        print(is_compiled(kernels.total), kernels.total(kernels.NUMBERS), heard)
"""
KEPT = "True 10 []"
ANEW = "False 10 ['compiling total']"
SPOIL = (lambda text: text[: len(text) // 2], lambda text: b"", lambda text: b"spoilt" + text)


def test_spoilt_files_are_written_anew(said, tmp_path):
    """As where the disk was full, or a process was killed. Each way to spoil a file has a module with kernels."""
    ways = list(product((("nbi", ANEW), ("nbc", "True 10 ['compiling total']")), SPOIL))
    for number in range(len(ways)):
        (tmp_path / f"some_kernels_{number}.py").write_text(KERNELS)
    program = SPOILT.format(copies=len(ways))
    assert said(program) == [ANEW] * len(ways)
    assert said(program) == [KEPT] * len(ways)
    for number, ((ending, _), spoil) in enumerate(ways):
        files = list((tmp_path / "cache").rglob(f"some_kernels_{number}.*.{ending}"))
        assert files
        for file in files:
            file.write_bytes(spoil(file.read_bytes()))
    assert said(program) == [first for (_, first), _ in ways]
    assert said(program) == [KEPT] * len(ways)
