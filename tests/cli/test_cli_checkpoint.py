import json
import os
import signal
import subprocess
import sys
import time

import pytest

LOOP = "1RB1LA_1LA1RB"  # sweeps over a growing tape for ever, without a halting entry
CODE = "from exactnn.cli import main; main()"


PASSING = ("seconds", "resumed_from", "max_steps", "engine")
"""What depends on how a run was cut in parts."""


def without_time(report):
    return {key: value for key, value in report.items() if key not in PASSING}


def test_a_larger_limit_goes_on_where_a_smaller_one_stopped(invoke, tmp_path):
    file = str(tmp_path / "file")
    first = invoke("run", "bb4", "--max-steps", "50", "--checkpoint", file, "--json")
    assert (first.exit_code, first.stderr) == (3, "")
    assert json.loads(first.stdout)["resumed_from"] is None
    second = invoke("run", "bb4", "--checkpoint", file, "--checkpoint-every", "0.5", "--json")
    assert (second.exit_code, second.stderr) == (0, "exactnn: resumed from step 50\n")
    report = json.loads(second.stdout)
    assert report["resumed_from"] == 50
    assert without_time(report) == without_time(json.loads(invoke("run", "bb4", "--json").stdout))
    third = invoke("run", "bb4", "--checkpoint", file, "--json")
    assert (third.exit_code, third.stderr) == (0, f"exactnn: resumed from step {report['steps']}\n")
    assert without_time(json.loads(third.stdout)) == without_time(report)


def test_a_trace_after_resuming_is_whole(invoke, tmp_path):
    file = str(tmp_path / "file")
    invoke("run", "bb2", "--max-steps", "3", "--checkpoint", file)
    result = invoke("run", "bb2", "--checkpoint", file, "--trace", "--json")
    report = json.loads(result.stdout)
    assert report["resumed_from"] == 3
    assert [row["step"] for row in report["trace"]] == list(range(report["steps"] + 1))


def check_error(result, *parts):
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("exactnn: error: ")
    assert len(result.stderr.splitlines()) == 1
    for part in parts:
        assert part in result.stderr


def test_files_that_are_not_of_the_run_are_one_line(invoke, tmp_path):
    file = tmp_path / "file"
    invoke("run", "bb4", "--max-steps", "50", "--checkpoint", str(file))
    content = file.read_bytes()
    check_error(invoke("run", "bb3", "--checkpoint", str(file)), "another network", "give another file name")
    check_error(invoke("run", "bb4", "--max-steps", "49", "--checkpoint", str(file)), "max_steps=49", "at step 50")
    assert file.read_bytes() == content
    for hostile in (content[:-1], b"\x1b[2J", b"[" * 10**5, b"\xff", b"", b"{}"):
        file.write_bytes(hostile)
        check_error(invoke("run", "bb4", "--checkpoint", str(file)), str(file))
        assert file.read_bytes() == hostile


def test_places_and_intervals_that_cannot_be(invoke, tmp_path):
    check_error(invoke("run", "bb4", "--checkpoint", str(tmp_path)), "is not a regular file")
    check_error(invoke("run", "bb4", "--checkpoint", str(tmp_path / "no" / "file")), "cannot write")
    check_error(invoke("run", "bb4", "--checkpoint-every", "5"), "--checkpoint-every 5.0", "add --checkpoint")
    for seconds in ("-1", "nan", "often"):
        result = invoke("run", "bb4", "--checkpoint", str(tmp_path / "file"), "--checkpoint-every", seconds)
        check_error(result, seconds)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_writes_the_checkpoint(invoke, tmp_path):
    file = tmp_path / "file"
    # One step after the other, since macro steps reach any limit before the signal comes.
    command = ["run", LOOP, "--json", "--arithmetic", "rational", "--checkpoint", str(file)]
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, *command, "--max-steps", "1000000000"],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not file.exists():  # the first file is that of step 0, the next one would come a minute later
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(1)
    os.kill(process.pid, signal.SIGINT)
    stdout, _ = process.communicate(timeout=300)
    assert process.returncode == 3
    report = json.loads(stdout)
    assert report["outcome"] == "interrupted"
    steps = report["steps"]
    assert steps > 0
    result = invoke(*command, "--max-steps", str(steps))
    assert json.loads(result.stdout)["resumed_from"] == steps
