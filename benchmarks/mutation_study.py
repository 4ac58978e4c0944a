"""Deliberate faults, one at a time: which of them the tests catch, and which the fuzzer.

`mutations/NAME.patch` changes one to three lines of the library into something wrong; `mutations/mutations.yaml` says
what is wrong then, which tests have to fail, and which search of the fuzzer has to find it. Patches are applied to a
copy of the tree, in a temporary folder: yours is never touched. The copy has compiled kernels of its own, those of your
tree to begin with. A selection of tests must pass without the patch first, and what the fuzzer finds must be gone
without it. Every fault is a unit of a campaign: what is done is in the store; a fault whose patch or entry has changed,
or whose search has, is done anew. Exit code 1 if one survives.

    python benchmarks/mutation_study.py [--store mutations.db] [--jobs 2] [--only NAME] [--seconds 1200] [--table]
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import click
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))

from long_work import Work, work_options

from exactnn.campaigns import Campaign, Ledger, Unit

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).resolve().parent / "mutations"

KINDS = ("construction", "executor", "rounding", "engine", "automata", "certificate", "reader")
NOT_COPIED = (".git", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", "_build", "build", "dist")
PYTEST = "-q -x -p no:cacheprovider -p no:xdist --hypothesis-profile=mutations --tb=no -m 'slow or not slow'"
LONGEST = 120
"""Seconds for one selection of tests, or one search; what takes longer is not caught."""

CHUNKS = (
    "import sys; sys.path.insert(0, 'benchmarks'); import fuzz_campaign; name, arithmetic, many = sys.argv[1:]; "
    "lines = (fuzz_campaign.one_chunk(name, arithmetic, n, shrink=False) for n in range(int(many))); "
    "wrong = next((line['wrong'] for line in lines if line['wrong']), ''); "
    "print(' '.join(wrong.split())); sys.exit(0 if wrong else 3)"
)
"""Chunks of `fuzz_campaign.py` until one is wrong; exit codes as of `exactnn fuzz`."""

FOUND, NOTHING = 0, 3
FAILED, STOPPED = 1, 2
"""Exit codes of the fuzzer, and of pytest where a test or the collection fails."""
ERROR = "error: "
"""Before what a search says that could not be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A fault.

    Parameters
    ----------
    name : str
        Of its patch, too.
    what : str
        What is wrong then, in one line.
    kind : str
        One of KINDS.
    tests : str
        Arguments of pytest that select what has to fail.
    fuzz : dict
        `construction` and `seconds` for a search of `exactnn fuzz` (with `by` and `arithmetic` if they are others than
        configurations and exact); or `subject`, `arithmetic` and `chunks` of `fuzz_campaign.py`.
    """

    name: str
    what: str
    kind: str
    tests: str
    fuzz: dict[str, Any]

    @property
    def patch(self) -> Path:
        return FOLDER / f"{self.name}.patch"

    @property
    def stamp(self) -> str:
        """A digest of the patch and of what has to catch it."""
        drawn = campaign() if "chunks" in self.fuzz else ()
        text = json.dumps([self.patch.read_text(), self.tests, self.fuzz, drawn])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def files(self) -> list[str]:
        """The files that the patch changes."""
        return re.findall(r"^\+\+\+ b/(.+)$", self.patch.read_text(), re.MULTILINE)


@cache
def campaign() -> tuple[str, ...]:
    """Return what the campaign draws and checks, as text."""
    files = (ROOT / "benchmarks" / "fuzz_campaign.py", *(ROOT / "benchmarks" / "fuzz_subjects").glob("*.py"))
    return tuple(path.read_text() for path in sorted(files))


def mutations() -> list[Mutation]:
    """Return the table."""
    entries = yaml.safe_load((FOLDER / "mutations.yaml").read_text())
    return [Mutation(name=name, **entry) for name, entry in entries.items()]


class Copy:
    """A copy of the tree in which patches are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tree"
        shutil.copytree(ROOT, self.folder, ignore=shutil.ignore_patterns(*NOT_COPIED))

    @contextmanager
    def patched(self, mutation: Mutation) -> Iterator[None]:
        """Apply a patch, and take it back: with the times of the files, so that what was compiled of them is valid."""
        paths = [self.folder / name for name in mutation.files]
        before = [(path.read_bytes(), path.stat()) for path in paths]
        ceiling = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
        subprocess.run(["git", "apply", str(mutation.patch)], cwd=self.folder, env=ceiling, check=True)
        try:
            yield
        finally:
            for path, (text, status) in zip(paths, before, strict=True):
                path.write_bytes(text)
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def run(self, arguments: Sequence[str]) -> tuple[int | None, str, float]:
        """Run Python in the copy; return its exit code (None: it took too long), output and seconds."""
        dropped = ("NUMBA_CACHE_DIR", "PYTEST_ADDOPTS")
        environment = {name: value for name, value in os.environ.items() if name not in dropped}
        environment |= {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        began = time.monotonic()
        try:
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=self.folder, env=environment, timeout=LONGEST, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None, "", time.monotonic() - began
        return done.returncode, done.stdout, time.monotonic() - began

    def test(self, selection: str) -> tuple[str, str, float]:
        """Run tests; return "passed", "failed" or "too slow", the first that failed, and seconds."""
        code, output, seconds = self.run(["-m", "pytest", *shlex.split(PYTEST), *shlex.split(selection)])
        if code is None:
            return "too slow", "", seconds
        if code not in (0, FAILED, STOPPED):
            raise RuntimeError(f"pytest {selection} ends with exit code {code}:\n{output[-2000:]}")
        first = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
        return "failed" if code else "passed", first[1] if first else "", seconds

    def search(self, fuzz: dict[str, Any]) -> tuple[str, list[str], float]:
        """Run the fuzzer; return what it found, "" for nothing, how to see whether it is still there, and seconds."""
        if "chunks" in fuzz:
            arguments = ["-c", CHUNKS, fuzz["subject"], fuzz["arithmetic"], str(fuzz["chunks"])]
            code, output, seconds = self.run(arguments)
            return (_last_line(output) if code == FOUND else _nothing(code, output)), arguments, seconds
        replay = str(self.folder.parent / "found.yaml")
        options = {"by": "configuration", "arithmetic": "exact", **fuzz}
        given = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        code, output, seconds = self.run(["-m", "exactnn", "fuzz", *given, "--json", "-o", replay, "--force"])
        if code != FOUND:
            return _nothing(code, output), [], seconds
        found = _record_in(output)["found"]
        text = f"{found['states']} states, word of {len(found['word'])}: {found['found']}, not {found['expected']}"
        return text, ["-m", "exactnn", "fuzz", "--replay", replay, "--json"], seconds

    def still_found(self, arguments: list[str]) -> bool:
        """Return whether what the fuzzer found is found by these arguments now."""
        code, output, _ = self.run(arguments)
        return code == FOUND and ("--replay" not in arguments or _record_in(output)["disagrees"])


def _nothing(code: int | None, output: str) -> str:
    """Return "" if the search came to its end, or too far, and else what is wrong."""
    return "" if code in (None, NOTHING) else f"{ERROR}{_last_line(output)}"


def _record_in(output: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(output[output.index("{") : output.rindex("}") + 1])
    return record


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ""


class Workplace:
    """The subject of both campaigns: each worker has a copy of the tree of its own."""

    def __reduce__(self) -> tuple[object, ...]:
        return Workplace, ()

    @cached_property
    def copy(self) -> Copy:
        self._folder = tempfile.TemporaryDirectory()
        return Copy(Path(self._folder.name))


@dataclass(frozen=True)
class Selection(Unit):
    """Tests of a tree without a fault."""

    tests: str
    tree: str

    def run(self, subject: Workplace) -> dict[str, Any]:
        result, first, seconds = subject.copy.test(self.tests)
        return {"result": result, "first": first, "test_seconds": round(seconds, 1)}


@dataclass(frozen=True)
class Fault(Unit):
    """A fault of the table, as its stamp says it is."""

    name: str
    stamp: str

    def run(self, subject: Workplace) -> dict[str, Any]:
        (mutation,) = (mutation for mutation in mutations() if mutation.name == self.name)
        return tried(mutation, subject.copy)


def tried(mutation: Mutation, copy: Copy) -> dict[str, Any]:
    """Try a fault whose tests pass without it, and return what caught it."""
    with copy.patched(mutation):
        result, first, seconds = copy.test(mutation.tests)
        caught = {"passed": "survives", "failed": "caught"}.get(result, result)
        row: dict[str, Any] = {"tests": caught, "first": first, "test_seconds": round(seconds, 1)}
        found, again, seconds = copy.search(mutation.fuzz)
        error = found.startswith(ERROR)
        row |= {"fuzz": "fails" if error else "caught" if found else "survives", "found": found[:300]}
        row |= {"fuzz_seconds": round(seconds, 1)}
    if row["fuzz"] == "caught" and copy.still_found(again):
        row["fuzz"] = "found without it"
    return row


def tree_stamp(root: Path) -> str:
    """Return a digest of the library and its tests."""
    files = sorted(path for folder in ("exactnn", "tests", "machines") for path in (root / folder).rglob("*.[py]*"))
    texts = (path.read_bytes() for path in files if "__pycache__" not in path.parts and path.is_file())
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def known(store: str | None, table: list[Mutation]) -> dict[str, dict[str, Any]]:
    """Return what a store has of the faults of a table, as they are now."""
    if store is None or not Path(store).exists():
        return {}
    with Ledger(store) as ledger:
        found = {mutation.name: ledger.get(Fault(mutation.name, mutation.stamp).key) for mutation in table}
    return {name: unit.row for name, unit in found.items() if unit is not None and unit.error is None}


def survives(line: dict[str, Any]) -> bool:
    return (line["tests"], line["fuzz"]) != ("caught", "caught")


def markdown(table: list[Mutation], done: dict[str, dict[str, Any]]) -> str:
    """Return a row for each fault that was tried."""
    rows = ["| fault | what is wrong | kind | tests | s | fuzzer | s |", "|---|---|---|---|---|---|---|"]
    for mutation in table:
        line = done.get(mutation.name)
        if line is not None:
            fuzz = (line["fuzz"], f"{line['fuzz_seconds']:.0f}") if line["fuzz"] else ("–", "")
            seconds = f"{line['test_seconds']:.0f}" if "test_seconds" in line else ""
            cells = (mutation.name, mutation.what, mutation.kind, line["tests"], seconds, *fuzz)
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def summary(table: list[Mutation], done: dict[str, dict[str, Any]]) -> str:
    lines = []
    for kind in KINDS:
        own = [done[mutation.name] for mutation in table if mutation.kind == kind and mutation.name in done]
        tested = sum(line["tests"] == "caught" for line in own)
        fuzzed = [line["fuzz"] == "caught" for line in own if line["fuzz"]]
        lines.append(f"{kind:13} {tested} of {len(own)} caught by tests, {sum(fuzzed)} of {len(fuzzed)} by the fuzzer")
    return "\n".join(lines)


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this fault, anew; may be given several times.")
@click.option("--table", "as_table", is_flag=True, help="Print a table in Markdown of what the store has, and end.")
@work_options
def main(only: tuple[str, ...], as_table: bool, work: Work) -> None:
    """Try the faults of mutations.yaml."""
    table = mutations()
    if unknown := set(only) - {mutation.name for mutation in table}:
        raise click.BadParameter(f"{', '.join(sorted(unknown))}: not in mutations.yaml", param_hint="--only")
    done = {} if only else known(work.store, table)
    if as_table:
        click.echo(markdown(table, done))
        sys.exit(any(map(survives, done.values())))
    todo = [m for m in table if (m.name in only if only else m.name not in done)]
    done |= study(todo, replace(work, store=None) if only else work)
    for name, row in done.items():
        if survives(row):
            click.echo(f"{name}: tests {row['tests']}, fuzzer {row['fuzz'] or 'not asked'}", err=True)
    click.echo(summary(table, done))
    sys.exit(any(map(survives, done.values())))


def study(todo: list[Mutation], work: Work) -> dict[str, dict[str, Any]]:
    """Try faults: first their tests without a fault, which have to pass."""
    if not todo:
        return {}
    tree, subject = tree_stamp(ROOT), Workplace()
    selections = [Selection(tests, tree) for tests in dict.fromkeys(mutation.tests for mutation in todo)]
    passing = work.run(Campaign(selections, dict, subject=subject), "tests without a fault").result
    results = {unit.tests: row["result"] for unit, row in passing.items()}
    ready = [mutation for mutation in todo if results.get(mutation.tests) == "passed"]
    rows = {
        m.name: {"tests": "fail without it", "fuzz": None} for m in todo if results.get(m.tests, "passed") != "passed"
    }
    faults = [Fault(mutation.name, mutation.stamp) for mutation in ready]
    if faults:
        found = work.run(Campaign(faults, dict, subject=subject), "faults").result
        rows |= {unit.name: row for unit, row in found.items()}
    return rows


if __name__ == "__main__":
    main()
