"""A file that grows: whole lines only, whoever appends, is killed, or has no room."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

import exactnn as xn
from exactnn.errors import CheckpointError, OptionError
from exactnn.files import open_log
from exactnn.precision.sweep_file import SweepFile
from exactnn.precision.verdict_sweep import SweptLength
from tests.files.test_every_kind_of_file import PLACES

resource = pytest.importorskip("resource", reason="locks and limits of POSIX")


def append(path, line):
    with open_log(path, error=OptionError) as log:
        log.append(line)


@pytest.mark.parametrize("left", [b"", b"one\n", b"one\nha", b"ha"])
def test_half_a_line_is_dropped(tmp_path, left):
    path = tmp_path / "log"
    path.write_bytes(left)
    append(path, b"two\n")
    assert path.read_bytes() == left[: left.rfind(b"\n") + 1] + b"two\n"


def test_a_line_for_which_there_is_no_room_leaves_the_others(tmp_path):
    path = tmp_path / "log"
    append(path, b"one\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OptionError, match="File too large: choose"):
            append(path, b"2" * 2000 + b"\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"one\n"


def test_ctrl_c_leaves_no_line(tmp_path, monkeypatch):
    path = tmp_path / "log"
    append(path, b"one\n")

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        append(path, b"two\n")
    assert path.read_bytes() == b"one\n"


KILLED = """
import os, signal, sys
from exactnn.errors import OptionError
from exactnn.files import open_log
with open_log(sys.argv[1], error=OptionError) as log:
    log._file.write(b"ha")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_one_that_was_killed_holds_nobody_up(tmp_path):
    path = tmp_path / "log"
    append(path, b"one\n")
    assert subprocess.run([sys.executable, "-c", KILLED, path], timeout=60, check=False).returncode == -9
    assert path.read_bytes() == b"one\nha"
    append(path, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_regular_file_is_refused(tmp_path, place):
    path = tmp_path / "log"
    make, reason = PLACES[place]
    make(path)
    before = os.lstat(path)
    with pytest.raises(CheckpointError, match=reason):
        xn.verdict_sweep(xn.compile(xn.load("parity")), [1], [xn.FLOAT16], file=path)
    assert os.lstat(path).st_ino == before.st_ino


def test_a_link_is_followed(tmp_path):
    (tmp_path / "link").symlink_to("log")
    append(tmp_path / "link", b"one\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "log").read_bytes() == b"one\n"


def test_sweeps_that_share_a_file_lose_no_line_and_read_no_half_one(tmp_path):
    path = tmp_path / "sweep"
    network = xn.compile(xn.load("parity")).network
    stop, errors = threading.Event(), []

    def sweep_file():
        return SweepFile(path, network, [xn.FLOAT16], 1000, 0, None)

    def write(number):
        try:
            list(sweep_file().read())
            for i in range(5):
                n = 10 * number + i
                sweep_file().append(
                    SweptLength(
                        length=n, words=1, every=False, steps=0, undecided=0, wrong=(1,), examples=(("1",) * n,)
                    )
                )
        except Exception as error:
            errors.append(error)

    def read():
        try:
            seen = 0
            while not stop.is_set():
                now = len(list(sweep_file().read()))
                assert now >= seen
                seen = now
                time.sleep(0.001)
        except Exception as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert errors == []
    header, *lines = path.read_text().splitlines()
    assert json.loads(header)["format"] == "exactnn verdict sweep"
    assert sorted(json.loads(line)["length"] for line in lines) == [10 * k + i for k in range(4) for i in range(5)]
