"""The one writer: what it leaves when it is killed, interrupted or refused, and where file systems differ."""

import errno
import linecache
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from exactnn.errors import OptionError
from exactnn.files import target_of, whole_file, write_file

OLD, NEW = b"old", b"new and longer"


def write(path, content=NEW, **options):
    write_file(path, content, error=OptionError, **options)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "file"
    found.write_bytes(OLD)
    return found


KILLED = """
import os, signal, sys
from exactnn.errors import OptionError
from exactnn.files import write_file
setattr(os, sys.argv[1], lambda *_: os.kill(os.getpid(), signal.SIGKILL))
write_file(sys.argv[2], b"new and longer", error=OptionError)
"""


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_killed_writer_leaves_the_old_file_and_blocks_nobody(path, call):
    killed = subprocess.run([sys.executable, "-c", KILLED, call, path], timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_bytes() == OLD
    (left,) = set(os.listdir(path.parent)) - {path.name}
    assert left.startswith("file.")
    assert left.endswith(".part")
    write(path)
    assert path.read_bytes() == NEW
    assert sorted(os.listdir(path.parent)) == sorted([path.name, left])


def interrupt_at_line(number, files):
    """Return a trace function that raises KeyboardInterrupt at the n-th line of these files, and what it counted."""
    lines = []

    def trace(frame, event, argument):
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            lines.append(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
            if len(lines) == number:
                raise KeyboardInterrupt
        return trace

    return trace, lines


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # open() was interrupted
@pytest.mark.parametrize("replace", [True, False])
def test_ctrl_c_at_any_line_leaves_the_old_file_or_the_new_one(path, replace):
    if not replace:
        path.unlink()
    for number in range(1, 100):
        trace, lines = interrupt_at_line(number, {whole_file.__file__, whole_file.__file__})
        previous = sys.gettrace()
        sys.settrace(trace)
        try:
            write(path, replace=replace)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(previous)
        if len(lines) < number:
            break
        found = path.read_bytes() if path.exists() else None
        assert found in (NEW, OLD if replace else None), lines[-1]
        left = [name for name in os.listdir(path.parent) if name != path.name]
        if any(end in lines[-1] for end in ("with suppress(OSError):  # a file", "temporary.unlink(")):
            for name in left:  # it was interrupted while it removed the temporary file
                (path.parent / name).unlink()
        else:
            assert left == [], lines[-1]
        path.write_bytes(OLD) if replace else path.unlink(missing_ok=True)
    assert 20 < number < 99
    assert path.read_bytes() == NEW


def test_of_many_that_make_a_file_one_does_and_no_other_replaces_it(tmp_path):
    path = tmp_path / "file"
    start, won, lost = threading.Barrier(6), [], []

    def make(number):
        start.wait()
        try:
            write(path, str(number).encode(), replace=False)
            won.append(str(number).encode())
        except OptionError as error:
            lost.append(str(error))

    threads = [threading.Thread(target=make, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [path.read_bytes()]
    assert len(lost) == 5
    assert all("there already" in text for text in lost)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.EMLINK])
def test_where_there_are_no_hard_links_a_new_file_is_made_and_an_old_one_kept(path, number, monkeypatch):
    def no_links(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", no_links)
    new = path.with_name("new")
    write(new, replace=False)
    assert new.read_bytes() == NEW
    real = whole_file.found_target

    def late(name):  # the file is made by somebody else after it was looked for
        found = real(name)
        return whole_file.Target(path=found.path, status=None)

    monkeypatch.setattr(whole_file, "found_target", late)
    with pytest.raises(OptionError, match="there already"):
        write(path, replace=False)
    assert path.read_bytes() == OLD
    assert sorted(os.listdir(path.parent)) == ["file", "new"]


def test_a_claim_is_given_up_where_the_file_cannot_be_put_there(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", fail)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OptionError, match="not permitted"):
        write(tmp_path / "file", replace=False)
    assert os.listdir(tmp_path) == []


def test_other_trouble_with_links_is_told(path, monkeypatch):
    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(OptionError, match="Input/output error"):
        write(path.with_name("new"), replace=False)
    assert os.listdir(path.parent) == [path.name]


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="names of open files, as Linux tells them")


@needs_proc
def test_file_and_folder_are_written_to_the_disk(path, monkeypatch):
    synced, real = [], os.fsync

    def fsync(descriptor):
        synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write(path)
    first, second = synced
    assert first.startswith("file.")
    assert second == path.parent.name


@needs_proc
def test_a_folder_that_cannot_be_synced_is_no_error(path, monkeypatch):
    real = os.fsync

    def fsync(descriptor):
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write(path)
    assert path.read_bytes() == NEW


def test_the_longest_names_can_be_written(tmp_path):
    path = tmp_path / ("ä" * 127)  # 254 bytes
    write(path)
    assert path.read_bytes() == NEW


def test_a_name_of_a_temporary_file_that_is_taken_is_left_alone(path, monkeypatch):
    tokens = iter([b"\x0a", b"\x0b"])
    monkeypatch.setattr(whole_file.os, "urandom", lambda _: next(tokens))
    taken = path.with_name("file.0a.part")
    taken.write_bytes(b"of another")
    write(path)
    assert taken.read_bytes() == b"of another"
    assert path.read_bytes() == NEW


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(path):
    os.chown(path, 12345, 54321)
    path.chmod(0o640)
    write(path)
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 54321, 0o640)


def test_nobody_may_read_a_private_file_while_it_is_written(path, monkeypatch):
    path.chmod(0o600)
    modes, real = [], os.fchmod

    def fchmod(descriptor, mode):
        modes.append(os.fstat(descriptor).st_mode & 0o777)
        real(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", fchmod)
    old = os.umask(0)
    try:
        write(path)
    finally:
        os.umask(old)
    assert modes == [0o600]


OUTPUT = """
import sys
from exactnn.errors import OptionError
from exactnn.files import write_file
print("report", flush=True)
try:
    write_file(sys.argv[1], b"new", error=OptionError)
except OptionError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["/dev/stdout", "out", "link"])
def test_where_the_output_of_the_program_goes_nothing_is_put(tmp_path, name):
    """It would take the place of the file that is being written, and the report would be lost with that."""
    out = tmp_path / "out"
    (tmp_path / "link").symlink_to("out")
    with out.open("w") as file:
        subprocess.run([sys.executable, "-c", OUTPUT, name], stdout=file, cwd=tmp_path, timeout=300, check=True)
    assert out.read_text().splitlines() == [
        "report",
        f"cannot write {name!r}: the standard output of this program goes there: give another name",
    ]


def test_standard_output_that_is_a_pipe_is_no_file(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", OUTPUT, "/dev/stdout"], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.splitlines()[1:] == [
        "cannot write '/dev/stdout': it is a named pipe: give the name of a regular file"
    ]
    assert done.stderr == ""


def test_a_target_is_told_before_anything_is_written(path):
    found = target_of(path, error=OptionError)
    assert (found.path, found.status.st_size) == (Path(os.path.realpath(path)), len(OLD))
    assert target_of(path.with_name("new"), error=OptionError).status is None
    with pytest.raises(OptionError, match=r"^picture: it is the name of a folder"):
        target_of(f"{path}/", error=OptionError, subject="picture")
    assert os.listdir(path.parent) == [path.name]
