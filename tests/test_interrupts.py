"""Ctrl-C while something is loaded or compiled: it comes after it, and everything works from then on."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from exactnn.interrupts import Uninterrupted, loaded
from exactnn.simulation.compiled import compiled
from tests.interrupted_process import INTERRUPTED, interrupted

ROOT = Path(__file__).parent.parent


def press():
    signal.raise_signal(signal.SIGINT)


# Blocks that are not interrupted


def uninterrupted(function, doing="testing"):
    with Uninterrupted(doing):
        return function()


def test_ctrl_c_comes_after_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(lambda: (press(), done.append("all")))
    assert done == ["all"]


def test_the_handler_that_was_there_gets_the_signal_once():
    seen = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    with Uninterrupted("testing"):
        for _ in range(3):
            press()
        assert seen == []
    assert seen == [signal.SIGINT]
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_without_ctrl_c_an_error_goes_through_and_with_it_is_its_context():
    with pytest.raises(ZeroDivisionError):
        uninterrupted(lambda: 1 / 0)
    with pytest.raises(KeyboardInterrupt) as caught:
        uninterrupted(lambda: (press(), 1 / 0))
    assert isinstance(caught.value.__context__, ZeroDivisionError)


def test_of_nested_blocks_the_outer_one_delivers():
    done = []
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(lambda: (uninterrupted(press), done.append("inner")))
    assert done == ["inner"]


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL])
def test_where_ctrl_c_means_something_else_nothing_is_done(handler):
    signal.signal(signal.SIGINT, handler)
    with Uninterrupted("testing"):
        assert signal.getsignal(signal.SIGINT) is handler
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_another_thread_leaves_the_handler_alone():
    seen = []

    def enter():
        with Uninterrupted("testing"):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_who_presses_again_is_told_what_is_waited_for(capsys):
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(press, "loading everything")
    assert capsys.readouterr().err == ""
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(lambda: (press(), press()), "loading everything")
    assert capsys.readouterr().err == "exactnn: Ctrl-C comes after loading everything, which cannot end half-way\n"


def test_without_a_standard_error_nothing_is_told(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(lambda: (press(), press()))


# Loading


def test_a_module_is_loaded_as_a_whole(tmp_path, monkeypatch):
    (tmp_path / "slowly_loaded.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        loaded("slowly_loaded")
    assert sys.modules.pop("slowly_loaded").whole


EVERY_IMPORT = """
import importlib.abc, os, signal, sys
import exactnn as xn

seen = set()

class Presser(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in seen:
            seen.add(name)
            signal.raise_signal(signal.SIGINT)

times = 0

def insist(call):
    global times
    while True:
        try:
            return call()
        except KeyboardInterrupt:
            times += 1

def drawn():
    from exactnn.plots import plot_required_bits
    plot_required_bits(xn.required_bits(insist(parity), "1"), path="bits.svg")

def kept():
    xn.save_collapse(xn.collapse(insist(parity), ["1"], [xn.FixedPoint(integer_bits=70, fraction_bits=0)]), "a.parquet")

parity = lambda: xn.compile(xn.load("parity"))
calls = {
    "runs": lambda: str(xn.run(parity(), "101").verdict),
    "is": lambda: xn.equivalent(parity(), xn.load("parity")).equal,
    "runs in intervals": lambda: str(xn.run(parity(), "101", arithmetic=xn.Interval(bits=64)).verdict),
    "is drawn": drawn,
    "is kept": kept,
}
sys.meta_path.insert(0, Presser())
sys.stderr = open(os.devnull, "w")
results = {name: [insist(call) for _ in range(2)][1] for name, call in calls.items()}  # the first may be told of
sys.meta_path.pop(0)
print(results)
print(times, *sorted({"gmpy2", "matplotlib", "numba", "numpy", "polars", "yaml"} & seen))
"""


def test_ctrl_c_at_the_import_of_every_module_leaves_all_of_them_whole(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", EVERY_IMPORT],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    results, last = done.stdout.splitlines() if done.returncode == 0 else (done.returncode, done.stderr[-2000:])
    assert results == str(
        {"runs": "reject", "is": True, "runs in intervals": "reject", "is drawn": None, "is kept": None}
    )
    times, *names = last.split()
    assert names == ["gmpy2", "matplotlib", "numba", "numpy", "polars", "yaml"]
    assert int(times) > 5


# Compiling


def new_kernel():
    """A kernel that no cache has."""
    names = {"__name__": __name__}
    exec("def twice(x):\n    return x + x\n", names)
    return compiled(names["twice"])


@contextlib.contextmanager
def pressed_in(function):
    """Press Ctrl-C when a function of this name is called."""
    pressed = []

    def look(frame, event, argument):
        if event == "call" and frame.f_code.co_name == function and not pressed:
            pressed.append(frame)
            press()

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(None)
        assert pressed, f"{function} was not called"


@pytest.mark.parametrize(
    "function",
    [
        "stream_list",  # a generator that numba keeps: "generator raised StopIteration" from then on
        "_raw_object_cache_notify",  # called by LLVM, which loses exceptions
        "_from_disk",
        "typeof_pyval",
        "add_overload",
    ],
)
def test_ctrl_c_within_the_compiler_comes_when_a_kernel_is_compiled(function):
    kernel = new_kernel()
    with pytest.raises(KeyboardInterrupt), pressed_in(function):
        kernel(21)
    assert len(kernel.signatures) == 1
    assert kernel(21) == 42
    assert new_kernel()(2.5) == 5.0


def test_a_kernel_that_is_compiled_is_called_as_ever():
    kernel = new_kernel()
    kernel(1)
    with pytest.raises(AssertionError, match="was not called"), pressed_in("compile_as_a_whole"):
        kernel(2)


# Fresh processes


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_fresh_processes_give_right_results_after_ctrl_c():
    with ThreadPoolExecutor(2) as pool:
        endings = list(pool.map(lambda seconds: interrupted("compare", seconds), (0.3, 0.7)))
    assert {ending.first for ending in endings} <= {*INTERRUPTED}
    assert [(ending.again, ending.stderr) for ending in endings] == [([True, [True]], "")] * 2
