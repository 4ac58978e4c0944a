"""The ledger of a campaign: a file of SQLite with a row for every unit that is done, or failed.

One process writes at a time, and nobody waits long: rows are gathered and written once a second. Rows are found by the
keys of units, so that several campaigns may share a ledger, and one that asks for more computes no more than that.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self

from exactnn.campaigns.unit import Unit, json_line
from exactnn.errors import CheckpointError, shown
from exactnn.files import target_of
from exactnn.options import file_path

__all__ = ["Ledger", "Recorded", "Summary"]

APPLICATION = 0x65786E6E
"""Tells SQLite whose file it is."""
TABLES = {
    "units": "CREATE TABLE units (key BLOB PRIMARY KEY, identity TEXT NOT NULL, line TEXT, error TEXT, "
    "seconds REAL NOT NULL) WITHOUT ROWID",
}
LONGEST = 1 << 26
"""Bytes of a row that is read or written."""
PATIENCE = 60
"""Seconds to wait for another writer."""
PAUSE = 1.0
"""Seconds between two writes."""

_REMEDY = "give another file name, or delete the file to begin anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A unit in a ledger: `row` is JSON data, None if it failed, and then `error` says why."""

    key: bytes
    identity: Mapping[str, Any]
    row: Any
    error: str | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The units of a kind in a ledger: how many are done, how many failed, and the seconds that all of them took."""

    kind: str
    done: int
    failed: int
    seconds: float


class Ledger:
    """Rows by unit; a context manager, which writes what is not written yet when it is left.

    Parameters
    ----------
    path : str or path, optional
        A new file is made. Without one rows are kept in memory.

    Raises
    ------
    CheckpointError
        If it cannot be read or written, or is no ledger; so do all methods.

    Examples
    --------
    >>> with Ledger() as ledger:
    ...     ledger.summaries()
    []
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        file = None if path is None else file_path("store", path, error=CheckpointError)
        self._name = "the ledger in memory" if file is None else f"ledger {shown(str(file), limit=1000)}"
        self._waiting: list[tuple[bytes, str, str | None, str | None, float]] = []
        self._written = time.monotonic()
        place = ":memory:"
        if file is not None:
            target = target_of(file, error=CheckpointError, subject=self._name)
            place = str(target.path)
            if target.status is not None and target.status.st_size:
                self._check_beginning(place)
        with self._errors():
            self._database = sqlite3.connect(place, isolation_level=None, timeout=PATIENCE)
            try:
                self._begin()
            except BaseException:
                self._database.close()
                raise

    def _check_beginning(self, place: str) -> None:
        with open(place, "rb") as file:
            start = file.read(64)
        if start.startswith(b'{"format":"exactnn verdict sweep"'):
            raise CheckpointError(
                f"{self._name} is a sweep file of an earlier version: "
                f"'exactnn campaign import {os.path.basename(place)} NEW.db' makes a ledger of it"
            )
        if not start.startswith(b"SQLite format 3\0"):
            raise CheckpointError(f"{self._name} is something else: {_REMEDY}")

    def _begin(self) -> None:
        """Make the table, or check that it is ours: a file of a stranger could have triggers and views."""
        self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self._database.execute("PRAGMA trusted_schema=OFF")
        self._database.execute("BEGIN IMMEDIATE")
        found = dict(self._database.execute("SELECT name, sql FROM sqlite_master"))
        (owner,) = self._database.execute("PRAGMA application_id").fetchone()
        if not found and not owner:
            for sql in TABLES.values():
                self._database.execute(sql)
            self._database.execute(f"PRAGMA application_id={APPLICATION}")
        elif found != TABLES or owner != APPLICATION:
            raise CheckpointError(f"{self._name} is a database of something else: {_REMEDY}")
        self._database.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CheckpointError(f"{self._name} cannot be read or written: {error}: {_REMEDY}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.flush()
        finally:
            with suppress(sqlite3.Error):
                self._database.close()

    def known(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return those of some keys that are done or failed."""
        asked = set(keys)
        with self._errors():
            return {key for (key,) in self._database.execute("SELECT key FROM units") if key in asked}

    def put(self, unit: Unit, line: str | None, error: str | None, seconds: float) -> None:
        """Note a row, as a line of JSON, or an error; it is on the disk after a second at most, or `flush`."""
        self._waiting.append((unit.key, json_line(unit.identity), line, error, seconds))
        if time.monotonic() - self._written > PAUSE:
            self.flush()

    def put_recorded(self, recorded: Recorded) -> None:
        """Note a unit that is recorded elsewhere."""
        line = None if recorded.error is not None else json_line(recorded.row)
        self._waiting.append((recorded.key, json_line(recorded.identity), line, recorded.error, recorded.seconds))

    def flush(self) -> None:
        """Write what is not written yet; what was there before stays."""
        if self._waiting:
            with self._errors():
                self._database.execute("BEGIN IMMEDIATE")
                try:
                    self._database.executemany("INSERT OR IGNORE INTO units VALUES (?, ?, ?, ?, ?)", self._waiting)
                    self._database.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):
                        self._database.execute("ROLLBACK")
                    raise
            self._waiting = []
        self._written = time.monotonic()

    def get(self, key: bytes) -> Recorded | None:
        """Return what is known of a unit."""
        asked = "SELECT * FROM units WHERE key=?"
        with self._errors():
            found = self._database.execute(asked, (key,)).fetchone()
        return None if found is None else self._recorded(*found)

    def failures(self) -> dict[bytes, str]:
        """Return the errors of all units that failed, by key."""
        with self._errors():
            return dict(self._database.execute("SELECT key, error FROM units WHERE error IS NOT NULL"))

    def all(self) -> Iterator[Recorded]:
        """Yield all units, in the order of their kinds and identities."""
        with self._errors():
            for row in self._database.execute("SELECT * FROM units ORDER BY identity"):
                yield self._recorded(*row)

    def summaries(self) -> list[Summary]:
        """Return what there is, by kind."""
        counts: dict[str, list[float]] = {}
        for unit in self.all():
            of_kind = counts.setdefault(str(unit.identity["kind"]), [0, 0, 0.0])
            of_kind[unit.error is not None] += 1
            of_kind[2] += unit.seconds
        return [
            Summary(kind=kind, done=int(done), failed=int(failed), seconds=seconds)
            for kind, (done, failed, seconds) in sorted(counts.items())
        ]

    def forget_failures(self) -> int:
        """Forget the units that failed, so that the next run tries them again; return how many there were."""
        with self._errors():
            return self._database.execute("DELETE FROM units WHERE error IS NOT NULL").rowcount

    def _recorded(self, key: object, identity: object, line: object, error: object, seconds: object) -> Recorded:
        try:
            described = json.loads(identity)  # type: ignore[arg-type]
            row = None if line is None else json.loads(line)  # type: ignore[arg-type]
        except (ValueError, TypeError, RecursionError):
            raise CheckpointError(f"{self._name} is damaged at {shown(line)}: {_REMEDY}") from None
        whole = isinstance(key, bytes) and isinstance(described, dict) and isinstance(described.get("kind"), str)
        if not (whole and isinstance(seconds, float) and (line is None) == isinstance(error, str)):
            raise CheckpointError(f"{self._name} is damaged at {shown(identity)}: {_REMEDY}")
        return Recorded(key=key, identity=described, row=row, error=error, seconds=seconds)  # type: ignore[arg-type]
