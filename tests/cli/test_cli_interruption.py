import json
import os
import signal
import subprocess
import sys
import time

import pytest

LOOP = "1RB1LA_1LA1RB"  # sweeps over a growing tape for ever, without a halting entry
CODE = "from exactnn.cli import main; main()"


def interrupted(*arguments: str, after: float) -> "tuple[int, str, str]":
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(after)
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    return process.returncode, stdout, stderr


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_keeps_what_was_computed():
    limit = ("--max-steps", "1000000000", "--arithmetic", "rational")
    code, stdout, stderr = interrupted("run", LOOP, "--json", *limit, after=4)
    assert code == 3
    report = json.loads(stdout)
    assert report["outcome"] == "interrupted"
    assert report["steps"] > 0
    assert stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_prints_the_table_so_far():
    arguments = ("collapse", "anbn", "a^n b^n", "--n", "1:900", "--format", "float32", "--json")
    code, stdout, stderr = interrupted(*arguments, after=4)
    assert (code, stderr) == (3, "")
    table = json.loads(stdout)
    assert table["complete"] is False
    assert 0 < len(table["rows"]) < 900


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_keeps_the_states_so_far():
    code, stdout, stderr = interrupted("extract", "palindrome", "--arithmetic", "exact", "--json", after=4)
    assert (code, stderr) == (3, "")
    record = json.loads(stdout)
    assert (record["complete"], record["reason"]) == (False, "it was interrupted")
    assert record["states"] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_keeps_the_length_that_was_compared(invoke):
    assert invoke("compare", "parity", "parity").exit_code == 0  # compiles what is kept for the next process
    code, stdout, stderr = interrupted("compare", "anbn", "anbn@exact", "--json", after=5)
    assert (code, stderr) == (3, "")
    record = json.loads(stdout)
    assert (record["equal"], record["reason"]) == (None, "it was interrupted")
    assert record["bound"] >= 0


def test_a_reader_that_goes_away_is_no_traceback():
    pipe = f"{sys.executable} -c '{CODE}' run anbn {'a' * 40}{'b' * 40} --trace | head -n 1"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, timeout=60, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
