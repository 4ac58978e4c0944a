"""The study of deliberate faults: its patches fit the tree, and what has to catch them is there."""

import re
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import mutation_study  # noqa: E402
from fuzz_subjects import SUBJECTS  # noqa: E402
from mutation_study import FOLDER, KINDS, Fault, known, markdown, mutations, survives, tried  # noqa: E402

from exactnn.campaigns import Campaign  # noqa: E402
from exactnn.constructions import CONSTRUCTIONS  # noqa: E402

TABLE = mutations()


def test_there_are_forty_faults_and_a_patch_for_each():
    assert len(TABLE) >= 40
    assert {mutation.name for mutation in TABLE} == {path.stem for path in FOLDER.glob("*.patch")}
    assert {mutation.kind for mutation in TABLE} == set(KINDS)


@pytest.mark.parametrize("mutation", TABLE, ids=lambda mutation: mutation.name)
def test_a_patch_changes_one_to_three_lines_of_the_library(mutation):
    text = mutation.patch.read_text()
    added, taken = (len(re.findall(rf"^\{sign}(?!\{sign})", text, re.MULTILINE)) for sign in "+-")
    assert 1 <= max(added, taken) <= 3
    assert mutation.files
    assert all(name.startswith("exactnn/") for name in mutation.files)


def test_all_patches_apply():
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("patches are tried with git, in a repository")
    for mutation in TABLE:
        done = subprocess.run(
            [git, "apply", "--check", str(mutation.patch)], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{mutation.name}: {done.stderr}"


@pytest.mark.parametrize("mutation", TABLE, ids=lambda mutation: mutation.name)
def test_what_has_to_catch_a_fault_is_there(mutation):
    paths = [argument for argument in shlex.split(mutation.tests) if argument.startswith("tests/")]
    assert paths
    for path in paths:
        file, *names = path.split("::")
        assert (ROOT / file).is_file()
        assert all(re.search(rf"^def {name}\b", (ROOT / file).read_text(), re.MULTILINE) for name in names)
    if "chunks" in mutation.fuzz:
        assert mutation.fuzz.keys() == {"subject", "arithmetic", "chunks"}
        assert mutation.fuzz["arithmetic"] in SUBJECTS[mutation.fuzz["subject"]].arithmetics
    else:
        assert mutation.fuzz["construction"] in CONSTRUCTIONS
        assert mutation.fuzz.keys() <= {"construction", "arithmetic", "by", "seconds"}
        assert mutation.fuzz["seconds"] > 0


def test_a_fault_that_has_changed_since_is_not_done(tmp_path, monkeypatch):
    first, second = TABLE[:2]
    row = {"tests": "caught", "first": "", "test_seconds": 2.0, "fuzz": "caught", "found": "x", "fuzz_seconds": 3.0}
    monkeypatch.setattr(Fault, "run", lambda self, subject: row)
    store = str(tmp_path / "store")
    assert known(store, TABLE) == {}
    Campaign([Fault(first.name, first.stamp), Fault(second.name, "0")]).run(store=store)
    done = known(store, TABLE)
    assert done == {first.name: row}
    assert len(markdown(TABLE, done).splitlines()) == 3
    assert not survives(done[first.name])
    assert survives({"tests": "survives", "fuzz": None})
    assert survives({"tests": "caught", "fuzz": "survives"})
    assert survives({"tests": "fail without it", "fuzz": None})


def test_tests_that_fail_without_a_fault_are_told(monkeypatch, tmp_path):
    work = mutation_study.Work(store=str(tmp_path / "store"))
    results = {"result": "failed", "first": "", "test_seconds": 1.0}
    monkeypatch.setattr(mutation_study.Selection, "run", lambda self, subject: results)
    rows = mutation_study.study(TABLE[:1], work)
    assert rows == {TABLE[0].name: {"tests": "fail without it", "fuzz": None}}
    assert known(work.store, TABLE) == {}


class Scripted:
    """A copy of the tree in which tests and searches end as they are told, with and without a fault."""

    def __init__(self, folder, *, tests=("passed", "failed"), found="", still=False):
        self.folder, self.results, self.found, self.still = folder, tests, found, still
        self.fault = False

    @contextmanager
    def patched(self, mutation):
        self.fault = True
        yield
        self.fault = False

    def test(self, selection):
        return self.results[self.fault], "", 1.0

    def search(self, fuzz):
        assert self.fault
        return self.found, ["again"], 1.0

    def still_found(self, arguments):
        assert not self.fault
        return self.still


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ({"found": "a word"}, ("caught", "caught")),
        ({}, ("caught", "survives")),
        ({"found": "a word", "still": True}, ("caught", "found without it")),
        ({"found": "error: no such construction"}, ("caught", "fails")),
        ({"found": "a word", "tests": ("passed", "passed")}, ("survives", "caught")),
        ({"found": "a word", "tests": ("passed", "too slow")}, ("too slow", "caught")),
    ],
)
def test_how_a_fault_is_judged(script, expected, tmp_path):
    row = tried(TABLE[0], Scripted(tmp_path, **script))
    assert (row["tests"], row["fuzz"]) == expected
    assert survives(row) == (expected != ("caught", "caught"))
