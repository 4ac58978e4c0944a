"""A folder that imports its names when they are asked for: by several threads, while Ctrl-C comes, and wrong ones."""

import importlib
import sys
import threading
import zipfile

import pytest

STUB = """
from lazy_folder import other as other
from lazy_folder.thing import slow as slow
from lazy_folder.thing import (
    thing as thing,
)
"""
THING = """
import signal
import sys
import time

sys.times_loaded += 1
{during}
slow = object()


def thing():
    pass
"""


@pytest.fixture
def make_folder(tmp_path, monkeypatch):
    """Return a function that makes a folder with a stub, in whose file something happens, and imports it."""

    def make(during=""):
        folder = tmp_path / "lazy_folder"
        folder.mkdir()
        call = "make_lazy(__name__, {'think': 'it has thing'})"
        (folder / "__init__.py").write_text(f"from exactnn.lazy_names import make_lazy\n__all__ = {call}\n")
        (folder / "__init__.pyi").write_text(STUB)
        (folder / "thing.py").write_text(THING.format(during=during))
        (folder / "other.py").write_text("")
        importlib.invalidate_caches()
        return importlib.import_module("lazy_folder")

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "times_loaded", 0, raising=False)
    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazy_folder"]:
        del sys.modules[name]


def test_nothing_is_imported_before_it_is_asked_for(make_folder):
    folder = make_folder()
    assert folder.__all__ == ["slow", "thing"]
    assert {"other", "slow", "thing", "__all__"} <= set(dir(folder))
    assert sys.times_loaded == 0
    assert folder.slow is sys.modules["lazy_folder.thing"].slow
    assert folder.other is sys.modules["lazy_folder.other"]


def test_a_function_is_meant_where_a_file_has_its_name(make_folder):
    folder = make_folder()
    file = importlib.import_module("lazy_folder.thing")
    assert folder.thing is file.thing
    assert folder.other is importlib.import_module("lazy_folder.other")


def test_a_name_may_be_bound_anew(make_folder, monkeypatch):
    folder = make_folder()
    monkeypatch.setattr(folder, "thing", 3)
    assert folder.thing == 3
    monkeypatch.undo()
    assert folder.thing is sys.modules["lazy_folder.thing"].thing


def test_a_wrong_name_is_told_with_a_hint(make_folder):
    folder = make_folder()
    with pytest.raises(AttributeError, match=r"^module 'lazy_folder' has no .* 'think': it has thing$") as caught:
        folder.think  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("think", folder)
    with pytest.raises(AttributeError, match=r"has no attribute 'thinks'$"):
        folder.thinks  # noqa: B018


def test_what_ctrl_c_comes_into_is_whole_after_it(make_folder):
    folder = make_folder("signal.raise_signal(signal.SIGINT)")
    with pytest.raises(KeyboardInterrupt):
        folder.thing  # noqa: B018
    assert folder.thing is sys.modules["lazy_folder.thing"].thing
    assert sys.times_loaded == 1


def test_threads_that_ask_at_once_get_the_same(make_folder):
    folder = make_folder("time.sleep(0.05)")
    barrier = threading.Barrier(8)
    found = []

    def ask():
        barrier.wait()
        found.append(folder.slow)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [sys.modules["lazy_folder.thing"].slow] * 8
    assert sys.times_loaded == 1


def test_a_folder_in_an_archive_finds_its_stub(make_folder, tmp_path, monkeypatch):
    make_folder()
    with zipfile.ZipFile(tmp_path / "folders.zip", "w") as archive:
        for file in (tmp_path / "lazy_folder").glob("*.py*"):
            archive.write(file, f"lazy_folder/{file.name}")
    for name in [name for name in sys.modules if name.startswith("lazy_folder")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "folders.zip"), *sys.path[1:]])
    importlib.invalidate_caches()
    folder = importlib.import_module("lazy_folder")
    assert "folders.zip" in folder.__file__
    assert folder.thing() is None
