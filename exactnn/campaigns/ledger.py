"""The ledger of a campaign: a file of SQLite with a row for every unit that is done, or failed.

One process writes at a time, and nobody waits long: rows are gathered and written once a second. Where somebody else
holds the file they are gathered on, and written later. Rows are found by the keys of units, so that several campaigns
may share a ledger, and one that asks for more computes no more than that. Each row has a check sum: what a disk has
changed is told, and is no result.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

from exactnn.campaigns.unit import LONGEST_IDENTITY, Unit, json_line
from exactnn.campaigns.worker import LONGEST_ROW
from exactnn.errors import CheckpointError, reason_of, shown
from exactnn.files import target_of
from exactnn.options import file_path

__all__ = ["Ledger", "Recorded", "Summary"]

APPLICATION = 0x65786E6E
"""Tells SQLite whose file it is."""
_COLUMNS = "key BLOB PRIMARY KEY, identity TEXT NOT NULL, line TEXT, error TEXT, seconds REAL NOT NULL"
OLD_TABLES = {"units": f"CREATE TABLE units ({_COLUMNS}) WITHOUT ROWID"}
"""Without check sums."""
TABLES = {"units": f"CREATE TABLE units ({_COLUMNS}, digest BLOB) WITHOUT ROWID"}
LONGEST = LONGEST_ROW + LONGEST_IDENTITY + (1 << 20)
"""Bytes of a row that is read or written."""
PATIENCE = 600
"""Seconds to wait for somebody else in the end."""
SHORTLY = 1
"""Seconds to wait for somebody else while there is other work."""
PAUSE = 1.0
"""Seconds between two writes."""
PIECE = 500
"""Rows that are read at once, so that nobody who writes waits long."""

_BEGIN_ANEW = "give another file name, or delete the file to begin anew"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: "another program has it open: try again when that has ended",
    sqlite3.SQLITE_LOCKED: "another program has it open: try again when that has ended",
    sqlite3.SQLITE_FULL: "free some space; the same command goes on",
    sqlite3.SQLITE_IOERR: "see whether its disk is full or broken; the same command goes on",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable, or give another file name",
    sqlite3.SQLITE_PERM: "make the file and its folder writable, or give another file name",
    sqlite3.SQLITE_CANTOPEN: "make the file and its folder writable, or give another file name",
    sqlite3.SQLITE_NOTADB: "give another file name",
}


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
    new : bool
        Whether a new file may be made, or an empty one become a ledger.

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

    def __init__(self, path: str | os.PathLike[str] | None = None, *, new: bool = True) -> None:
        file = None if path is None else file_path("store", path, error=CheckpointError)
        self.name = "the ledger in memory" if file is None else f"ledger {shown(str(file), limit=1000)}"
        self._waiting: list[tuple[bytes, str, str | None, str | None, float, bytes]] = []
        self._due = time.monotonic() + PAUSE
        place = ":memory:"
        if file is not None:
            target = target_of(file, error=CheckpointError, subject=self.name)
            place = str(target.path)
            if target.status is not None and target.status.st_size:
                self._check_beginning(place)
            elif not new:
                there = "there is no such file" if target.status is None else "the file is empty"
                raise CheckpointError(f"{self.name}: {there}: give a store that --store has made")
        with self._errors():
            self._database = sqlite3.connect(place, isolation_level=None, timeout=PATIENCE / 10)
            try:
                self._begin()
            except BaseException:
                self._database.close()
                raise

    def _check_beginning(self, place: str) -> None:
        try:
            with open(place, "rb") as file:
                start = file.read(64)
        except OSError as error:
            raise CheckpointError(f"{self.name} cannot be read: {reason_of(error)}") from None
        if start.startswith(b'{"format":"exactnn verdict sweep"'):
            raise CheckpointError(
                f"{self.name} is a sweep file of an earlier version: "
                f"'exactnn campaign import {os.path.basename(place)} NEW.db' makes a ledger of it"
            )
        if not start.startswith(b"SQLite format 3\0"):
            raise CheckpointError(f"{self.name} is something else: give another file name")

    def _begin(self) -> None:
        """Make the table, or check that it is ours: a file of a stranger could have triggers and views."""
        self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self._database.execute("PRAGMA trusted_schema=OFF")
        if self._is_ours():
            return
        self._database.execute("BEGIN IMMEDIATE")
        found, owner = self._tables()
        if not found and not owner:
            for sql in TABLES.values():
                self._database.execute(sql)
            self._database.execute(f"PRAGMA application_id={APPLICATION}")
        elif found == OLD_TABLES and owner == APPLICATION:
            self._database.create_function("digest_of", 5, _digest, deterministic=True)
            self._database.execute("ALTER TABLE units ADD COLUMN digest BLOB")
            self._database.execute("UPDATE units SET digest = digest_of(key, identity, line, error, seconds)")
        elif not self._is_ours():
            raise CheckpointError(f"{self.name} is a database of something else: give another file name")
        self._database.execute("COMMIT")

    def _tables(self) -> tuple[dict[str, str], int]:
        found = dict(self._database.execute("SELECT name, sql FROM sqlite_master"))
        return found, self._database.execute("PRAGMA application_id").fetchone()[0]

    def _is_ours(self) -> bool:
        return self._tables() == (TABLES, APPLICATION)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            remedy = _REMEDIES.get(_code(error), _BEGIN_ANEW)
            raise CheckpointError(f"{self.name} cannot be read or written: {error}: {remedy}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *error: object) -> None:
        try:
            if kind is not CheckpointError:  # it would be raised once more, perhaps after a long wait
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
        """Note a row, as a line of JSON, or an error; it is on the disk soon, or after `flush`.

        That is after a second, unless another program holds the file meanwhile.
        """
        self._wait(unit.key, json_line(unit.identity), line, error, seconds)
        if time.monotonic() > self._due and not self._write():
            self._due += 9 * PAUSE

    def put_recorded(self, recorded: Recorded) -> None:
        """Note a unit that is recorded elsewhere."""
        line = None if recorded.error is not None else json_line(recorded.row)
        self._wait(recorded.key, json_line(recorded.identity), line, recorded.error, recorded.seconds)

    def _wait(self, *row: Any) -> None:
        self._waiting.append((*row, _digest(*row)))

    def flush(self) -> None:
        """Write what is not written yet; what was there before stays."""
        end = time.monotonic() + PATIENCE
        while not self._write(last=time.monotonic() > end):
            pass  # a short wait, again and again, so that Ctrl-C is heard

    def _write(self, *, last: bool = False) -> bool:
        """Return whether all is written; False if somebody else holds the file, which the last time is an error."""
        done = True
        if self._waiting:
            with self._errors(), self._patience(SHORTLY):
                try:
                    self._database.execute("BEGIN IMMEDIATE")
                    self._database.executemany("INSERT OR IGNORE INTO units VALUES (?, ?, ?, ?, ?, ?)", self._waiting)
                    self._database.execute("COMMIT")
                except BaseException as error:
                    with suppress(sqlite3.Error):
                        self._database.execute("ROLLBACK")
                    if last or _code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                        raise
                    done = False
            if done:
                self._waiting = []
        self._due = time.monotonic() + PAUSE
        return done

    @contextmanager
    def _patience(self, seconds: float) -> Iterator[None]:
        """Have SQLite wait so long for somebody else."""
        before = self._database.execute("PRAGMA busy_timeout").fetchone()[0]
        self._database.execute(f"PRAGMA busy_timeout={int(1000 * seconds)}")
        try:
            yield
        finally:
            self._database.execute(f"PRAGMA busy_timeout={before}")

    def get(self, key: bytes) -> Recorded | None:
        """Return what is known of a unit."""
        with self._errors():
            found = self._database.execute("SELECT * FROM units WHERE key=?", (key,)).fetchone()
        return None if found is None else self._recorded(*found)

    def failures(self) -> dict[bytes, str]:
        """Return the errors of all units that failed, by key."""
        with self._errors():
            found = self._database.execute("SELECT * FROM units WHERE error IS NOT NULL").fetchall()
        return {unit.key: unit.error or "" for unit in (self._recorded(*row) for row in found)}

    def all(self) -> Iterator[Recorded]:
        """Yield all units, in the order of their identities; what is put or forgotten meanwhile may be among them."""
        with self._errors():
            keys = [key for (key,) in self._database.execute("SELECT key FROM units ORDER BY identity, key")]
        for n in range(0, len(keys), PIECE):
            piece = keys[n : n + PIECE]
            asked = f"SELECT * FROM units WHERE key IN ({', '.join('?' * len(piece))})"
            with self._errors():
                rows = {row[0]: row for row in self._database.execute(asked, piece)}
            yield from (self._recorded(*rows[key]) for key in piece if key in rows)

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

    def _recorded(
        self, key: object, identity: object, line: object, error: object, seconds: object, digest: object
    ) -> Recorded:
        try:
            if _digest(key, identity, line, error, seconds) != digest:
                raise ValueError
            described = json.loads(identity)  # type: ignore[arg-type]
            row = None if line is None else json.loads(line)  # type: ignore[arg-type]
        except (ValueError, TypeError, RecursionError):
            what = line if error is None else error
            raise CheckpointError(f"{self.name} is damaged at {shown(what)}: {_BEGIN_ANEW}") from None
        whole = isinstance(key, bytes) and isinstance(described, dict) and isinstance(described.get("kind"), str)
        if not (whole and isinstance(seconds, float) and (line is None) == isinstance(error, str)):
            raise CheckpointError(f"{self.name} is damaged at {shown(identity)}: {_BEGIN_ANEW}")
        return Recorded(key=key, identity=described, row=row, error=error, seconds=seconds)  # type: ignore[arg-type]


def _digest(*row: object) -> bytes:
    """Return the check sum of a row: of its key, identity, line, error and seconds."""
    return sha256(repr(row).encode("ascii", "backslashreplace")).digest()[:16]


def _code(error: BaseException) -> int:
    """Return which error of SQLite it is, without what is special of it; 0 if it is none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
