"""Where there is no numba, as in browsers: the same results, to the last bit, and one warning that tells why."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "without_numba.py"


def told(*arguments):
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_same_results_without_numba():
    with_numba, without = told(), told("without")
    assert (with_numba["numba"], with_numba["slow"]) == (True, 0)
    assert (without["numba"], without["slow"]) == (False, 1)
    for mine, theirs in zip(with_numba["results"], without["results"], strict=True):
        for one, other in zip(mine, theirs, strict=True):
            assert one == other
