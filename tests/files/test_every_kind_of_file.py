"""What is promised of every file that is written, for every kind: `tests/written_files.py` has them."""

import os
import socket
import stat
import threading
import time
from functools import cache

import pytest

from exactnn.errors import ExactnnError
from tests.written_files import KINDS, contents_of, expected

resource = pytest.importorskip("resource", reason="files, links and limits of POSIX")

WRITERS = 3
ROUNDS = 2


def kinds(names=KINDS):
    return pytest.mark.parametrize("name", names)


@pytest.fixture(scope="module", autouse=True)
def _small_films():
    """Draw films in few dots: what is promised of a file has nothing to do with what is seen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("exactnn.plots.film_file.DOTS_PER_INCH", 20)
        yield


@pytest.fixture
def kind(name):
    found = KINDS[name]
    pytest.importorskip(found.needs)
    return found


@pytest.fixture
def small(name, kind):
    """Return the content of a file, and its bytes."""
    return contents_of(name)[0], expected(name)[0]


@pytest.fixture
def large(name, kind):
    return contents_of(name)[1], expected(name)[1]


@pytest.fixture
def path(tmp_path, kind):
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / f"file{kind.ending}"


@pytest.mark.mostly_slow(quick=5, slow=4)
@kinds()
def test_threads_that_write_one_file_do_not_disturb_each_other(name, kind, path, small, large):
    kind.save(small[0], path)
    stop, torn, errors = threading.Event(), [], []

    def read():
        while not stop.is_set():
            content = path.read_bytes()
            if content not in (small[1], large[1]):
                torn.append(content)
            time.sleep(0.001)

    def write(number):
        try:
            for i in range(ROUNDS):
                kind.save((small, large)[(number + i) % 2][0], path)
        except Exception as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert (torn, errors) == ([], [])
    assert os.listdir(path.parent) == [path.name]
    kind.load(path)


@kinds()
def test_what_a_kill_left_behind_blocks_nobody(name, kind, path, small):
    left = [path.with_name(f"{path.name}.{middle}.part") for middle in (os.getpid(), "0123456789abcdef")]
    for file in left:
        file.write_bytes(b"half")
    kind.save(small[0], path)
    assert path.read_bytes() == small[1]
    assert [file.read_bytes() for file in left] == [b"half", b"half"]


@pytest.mark.mostly_slow(quick=12, slow=10)
@kinds()
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_whole(name, kind, path, small, large, call, monkeypatch):
    kind.save(small[0], path)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(kind.error, match="No space left on device: choose a file name"):
        kind.save(large[0], path)
    assert path.read_bytes() == small[1]
    assert os.listdir(path.parent) == [path.name]


@kinds()
def test_a_file_that_may_not_grow_as_large_leaves_the_old_one_whole(name, kind, path, small, large):
    """The write itself fails here, in the middle of the file, as on a disk that is full."""
    kind.save(small[0], path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(large[1]) - 1, hard))
    try:
        with pytest.raises(kind.error, match=r"File too large: choose"):
            kind.save(large[0], path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == small[1]
    assert os.listdir(path.parent) == [path.name]


@kinds()
def test_ctrl_c_leaves_the_old_file_whole(name, kind, path, small, large, monkeypatch):
    kind.save(small[0], path)

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kind.save(large[0], path)
    assert path.read_bytes() == small[1]
    assert os.listdir(path.parent) == [path.name]


def make_folder(path):
    path.mkdir()


def make_socket(path):
    folder = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(folder)


def make_link_to_a_pipe(path):
    os.mkfifo(path.parent / "pipe")
    path.symlink_to("pipe")


def make_link_to_a_device(path):
    path.symlink_to(os.ttyname(terminal()[1]))


@cache
def terminal():
    """Return a device that is ours, unlike /dev/null, which a wrong writer would replace."""
    return os.openpty()


PLACES = {
    "folder": (make_folder, "is a folder"),
    "pipe": (os.mkfifo, "it is a named pipe"),
    "socket": (make_socket, "it is a socket"),
    "link to a pipe": (make_link_to_a_pipe, "it is a named pipe"),
    "link to a device": (make_link_to_a_device, "it is a device"),
    "link to itself": (lambda path: path.symlink_to(path.name), "symbolic links"),
}


@kinds()
@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_regular_file_is_refused_and_left_alone(name, kind, path, small, place):
    make, reason = PLACES[place]
    make(path)
    before, names = os.lstat(path), sorted(os.listdir(path.parent))
    with pytest.raises(kind.error, match=reason):
        kind.save(small[0], path)
    assert (os.lstat(path).st_ino, os.lstat(path).st_mode) == (before.st_ino, before.st_mode)
    assert sorted(os.listdir(path.parent)) == names


@pytest.mark.mostly_slow(quick=12, slow=10)
@kinds()
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link_to_the_file_that_is_written(name, kind, path, tmp_path, small, large, there):
    target = tmp_path / "elsewhere" / path.name
    target.parent.mkdir()
    if there:
        kind.save(small[0], target)
    path.symlink_to(f"../elsewhere/{path.name}")
    kind.save(large[0], path)
    assert os.readlink(path) == f"../elsewhere/{path.name}"
    assert target.read_bytes() == large[1]
    assert not target.is_symlink()
    assert (os.listdir(path.parent), os.listdir(target.parent)) == ([path.name], [path.name])


@pytest.mark.mostly_slow(quick=8, slow=4)
@kinds()
def test_permissions_stay(name, kind, path, small, large):
    old = os.umask(0o027)
    try:
        kind.save(small[0], path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        for mode in (0o600, 0o664, 0o444):
            path.chmod(mode)
            kind.save((large, small)[mode == 0o664][0], path)
            assert stat.S_IMODE(path.stat().st_mode) == mode
    finally:
        os.umask(old)


@kinds([name for name, kind in KINDS.items() if kind.can_keep])
def test_a_file_that_is_not_to_be_replaced_is_left_alone(name, kind, path, small, large):
    kind.save(small[0], path, replace=False)
    with pytest.raises(kind.error, match="there already: give another name"):
        kind.save(large[0], path, replace=False)
    assert path.read_bytes() == small[1]
    assert os.listdir(path.parent) == [path.name]


@kinds()
@pytest.mark.parametrize("wrong", ["", 5, None, b"file", "a\0b", "no/such/folder/file"], ids=repr)
def test_what_is_no_name_of_a_file_is_refused(name, kind, small, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExactnnError):
        kind.save(small[0], f"{wrong}{kind.ending}" if wrong in ("a\0b", "no/such/folder/file") else wrong)
    assert os.listdir(tmp_path) == []
