import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

LOOP = "1RB1LA_1LA1RB"  # sweeps over a growing tape for ever, without a halting entry
CODE = "from exactnn.cli import main; main()"


PAUSES = (2, 6, 18, 36)
"""Seconds until Ctrl-C: the first of them does, but where a machine is slow."""


def interrupted(*arguments: str, enough: Callable[[dict[str, Any]], bool]) -> "tuple[int, dict[str, Any], str]":
    """Press Ctrl-C after a while, and after a longer one if not enough had been computed by then."""
    for pause in PAUSES:
        process = subprocess.Popen(
            [sys.executable, "-c", CODE, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        time.sleep(pause)
        os.kill(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=300)  # what is being compiled comes first
        record = json.loads(stdout) if stdout else {}
        if record and enough(record):
            return process.returncode, record, stderr
    raise AssertionError(f"{arguments} computed nothing in {PAUSES[-1]} seconds: {stdout} {stderr}")


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_keeps_what_was_computed():
    limit = ("--max-steps", "1000000000", "--arithmetic", "rational")
    code, report, stderr = interrupted("run", LOOP, "--json", *limit, enough=lambda record: record["steps"] > 0)
    assert (code, stderr) == (3, "")
    assert report["outcome"] == "interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_prints_the_table_so_far():
    arguments = ("collapse", "anbn", "a^n b^n", "--n", "1:900", "--format", "float32", "--json")
    code, table, stderr = interrupted(*arguments, enough=lambda record: bool(record["rows"]))
    assert (code, stderr) == (3, "")
    assert table["complete"] is False
    assert len(table["rows"]) < 900


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_keeps_the_states_so_far():
    arguments = ("extract", "palindrome", "--arithmetic", "exact", "--json")
    code, record, stderr = interrupted(*arguments, enough=lambda record: record["states"] > 1)
    assert (code, stderr) == (3, "")
    assert (record["complete"], record["reason"]) == (False, "it was interrupted")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_keeps_the_length_that_was_compared():
    arguments = ("compare", "anbn", "anbn@exact", "--json")
    code, record, stderr = interrupted(*arguments, enough=lambda record: record["bound"] not in (None, -1))
    assert (code, stderr) == (3, "")
    assert (record["equal"], record["reason"]) == (None, "it was interrupted")


def test_a_reader_that_goes_away_is_no_traceback():
    pipe = f"{sys.executable} -c '{CODE}' run anbn {'a' * 40}{'b' * 40} --trace | head -n 1"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, timeout=300, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
