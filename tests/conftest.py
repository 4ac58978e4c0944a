"""Settings of the property tests: the same examples in every run, and a longer campaign on demand.

``pytest --hypothesis-profile=campaign`` draws new and many examples, ``mutations`` three times as many as ever, all the
same in every run, without shrinking.
Tests marked `slow`, and those marked `mostly_slow` but for some, run with ``pytest -m slow`` only. Those marked
`by_hand`, and of `mostly_slow` the cases beyond a number, are run by people, as the campaigns of ``benchmarks/`` are.
"""

import gc
import math
import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, settings

from exactnn.notices import at_once
from exactnn.simulation import plain_exact, race, stepping

SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large]

QUICKLY = [phase for phase in Phase if phase is not Phase.explain]
"""All but the one that traces every line again once an example is found, as every `find` in our doctests does."""

settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    max_examples=10,
    phases=QUICKLY,
    suppress_health_check=SLOW_DATA,
)
settings.register_profile("campaign", deadline=None, max_examples=2000, suppress_health_check=SLOW_DATA)
settings.register_profile(
    "mutations", settings.get_profile("steady"), max_examples=30, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("steady")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores Ctrl-C


COMPILES = "test_cli_warm.py"
"""It compiles what most tests need, in a minute; that needs to be done once only, and others would do it, too."""
WITHOUT_KERNELS = ("linear_algebra", "automata", "files", "machine_files")
"""Folders of tests that hardly need compiled code: what another process does meanwhile."""
LONGEST = ("test_code_blocks.py", "test_notebooks.py", "test_census.py")
"""Files of few tests that take long."""


def turn(path, tests):
    """Return when the tests of a file have their turn, where several processes work: those that last long come first.

    Of the folders without kernels the large files come last: a few of their tests need some.
    """
    if path.name == COMPILES:
        return 0, 0
    if path.parent.name in WITHOUT_KERNELS:
        return 1, tests
    return (2 if path.name in LONGEST else 3), -tests


def pytest_collection_modifyitems(config, items):
    """Mark doctests that ask for torch, others say so themselves; and the slow cases of tests that are mostly slow."""
    cases = Counter()
    for item in items:
        if isinstance(item, pytest.DoctestItem) and 'importorskip("torch")' in item.dtest.docstring:
            item.add_marker("needs_torch")
        if mark := item.get_closest_marker("mostly_slow"):
            test = item.nodeid.partition("[")[0]
            cases[test] += 1
            quick, slow = mark.kwargs["quick"], mark.kwargs.get("slow", math.inf)
            if cases[test] > quick:
                item.add_marker("slow" if cases[test] <= quick + slow else "by_hand")
    if hasattr(config, "workerinput"):
        tests = Counter(item.path for item in items)
        items.sort(key=lambda item: turn(item.path, tests[item.path]))


def pytest_collection_finish():
    """Let the garbage collector look no more at what stays: modules and thousands of tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let the tests of a file run in one process, so that a kernel that they share is compiled once."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # they are in order, see above
    return LoadFileScheduling(config, log)


def pytest_runtest_setup(item):
    """Skip what needs torch where it is not installed."""
    if item.get_closest_marker("needs_torch"):
        pytest.importorskip("torch")


def pytest_runtest_teardown(item):
    """Let no test leave another handler of Ctrl-C to those after it."""
    left = signal.signal(signal.SIGINT, signal.default_int_handler)
    assert left is signal.default_int_handler, f"{item.nodeid} leaves {left} to Ctrl-C"


@pytest.fixture(scope="session", autouse=True)
def _no_clock():
    """Let executors take all steps, so that no test depends on how slow a machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stepping, "LONGEST_SLICE", math.inf)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_history():
    """Let a new network begin in rationals, whatever other tests of the process have run before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_exact, "words_are_ready", lambda: False)
        patch.setattr(race.ALL_RUNS, "seconds", -math.inf)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_waiting():
    """Compile kernels at their first call: else tests of the loop would compare its definition with itself."""
    with at_once():
        yield
