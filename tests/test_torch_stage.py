"""`.ci/torch` takes the newest build for the processor, says what it leaves out, and fails if a test did not run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "torch"
PIP = '#!/bin/sh\nif [ "$1" = index ]; then echo "$OFFERED"; else echo "pip $*"; exit "${REFUSED:-0}"; fi\n'
PYTHON = (
    '#!/bin/sh\ncase "$*" in *"torch; print"*) echo 2.9 ;; *"import torch") exit 1 ;;'
    ' *pytest*) printf "%s\\n" "$PRINTED" ;; esac\n'
)
OFFERED = "torch (2.15.0)\nAvailable versions: 2.15.0, 2.9.1+cpu, 2.13.0+cpu, 2.13.0"

CAN_RUN = sys.platform == "linux" and shutil.which("bash") is not None and SCRIPT.exists()
pytestmark = pytest.mark.skipif(not CAN_RUN, reason="for bash on Linux, in a checkout")


def stage(folder, **variables):
    """Run the script with a pip and a python that do nothing, and return its exit code and its lines."""
    for name, text in (("pip", PIP), ("python", PYTHON)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"} | variables
    done = subprocess.run(["bash", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def test_the_newest_build_for_the_processor_is_taken(tmp_path):
    code, lines = stage(tmp_path, OFFERED=OFFERED, PRINTED="3 passed in 1s")
    assert code == 0
    assert lines[0] == "pip install -q --no-compile torch==2.13.0+cpu"
    assert lines[-1].startswith("torch: 3 passed, none skipped")


@pytest.mark.parametrize(
    "variables", [{"OFFERED": "2.15.0, 2.13.0"}, {"OFFERED": ""}, {"OFFERED": OFFERED, "REFUSED": "1"}]
)
def test_what_is_left_out_is_said_in_one_line(tmp_path, variables):
    code, lines = stage(tmp_path, **variables)
    assert code == 0
    assert lines[-1].startswith("torch: LEFT OUT the tests marked needs_torch: ")


@pytest.mark.parametrize(
    ("printed", "last"),
    [
        ("SKIPPED [1] a: could not import 'sklearn'\n3 passed, 1 skipped", "torch: these tests did not run"),
        ("SKIPPED [1] a: here torch sums 32 products\n1 skipped", "torch: no test ran"),
    ],
)
def test_a_test_that_did_not_run_is_a_failure(tmp_path, printed, last):
    code, lines = stage(tmp_path, OFFERED=OFFERED, PRINTED=printed)
    assert (code, lines[-1]) == (1, last)
