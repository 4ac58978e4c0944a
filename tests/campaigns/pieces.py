"""Units for tests: workers import them from here."""

import asyncio
import os
import signal
import sqlite3
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from exactnn.campaigns import Unit
from exactnn.campaigns.ledger import _digest
from exactnn.errors import OptionError


@dataclass(frozen=True)
class Square(Unit):
    """Notes in a folder that it ran; with seconds it takes them."""

    number: int
    folder: str = ""
    seconds: float = 0.0

    @property
    def identity(self):
        return {"kind": "square", "version": self.version, "number": self.number}

    def run(self, subject):
        if self.folder:
            Path(self.folder, f"{self.number} {time.time_ns()}").touch()
        time.sleep(self.seconds)
        return {"square": self.number**2, "subject": subject}


@dataclass(frozen=True)
class Shifted(Unit):
    number: int
    pair: tuple[int, str] = (1, "a")
    share: float = 0.5
    none: None = None

    def run(self, subject):
        return [self.number + subject["shift"], list(self.pair)]


@dataclass(frozen=True)
class Deadly(Unit):
    """Kills its worker, always or the first time only."""

    number: int
    always: bool = True
    folder: str = ""

    def run(self, subject):
        mark = Path(self.folder, "died")
        if self.always or not mark.exists():
            mark.touch() if self.folder else None
            os.kill(os.getpid(), signal.SIGKILL)
        return "survived"


@dataclass(frozen=True)
class Wrong(Unit):
    number: int

    def run(self, subject):
        raise ZeroDivisionError(f"unit {self.number}")


@dataclass(frozen=True)
class WrongCall(Unit):
    number: int

    def run(self, subject):
        raise OptionError(f"number={self.number}: give another one")


@dataclass(frozen=True)
class Leaving(Unit):
    """Raises what is no Exception."""

    way: str

    def run(self, subject):
        if self.way == "exit":
            sys.exit(3)
        raise GeneratorExit if self.way == "close" else asyncio.CancelledError


@dataclass(frozen=True)
class Long(Unit):
    length: int

    def run(self, subject):
        return "x" * self.length


@dataclass(frozen=True)
class Spelled(Unit):
    """Has details."""

    word: str

    def run(self, subject):
        return {"letters": len(self.word), "word": self.word}

    def details(self, subject, row):
        assert row["word"] == self.word
        return [{"place": place, "letter": letter} for place, letter in enumerate(self.word)]


class Local(Unit):
    """Cannot be pickled."""

    def __init__(self, number):
        self.number = lambda: number

    @property
    def identity(self):
        return {"kind": "local"}

    def run(self, subject):
        return 0


@dataclass(frozen=True)
class AtHome(Unit):
    """Can be read in the process that wrote it only."""

    number: int

    def __reduce__(self):
        return at_home, (self.number, os.getpid())

    def run(self, subject):
        return self.number


def at_home(number, process):
    if process != os.getpid():
        raise AttributeError("no such")
    return AtHome(number)


@dataclass(frozen=True)
class NoJson(Unit):
    number: int

    def run(self, subject):
        return {1, 2}


@dataclass(frozen=True)
class Unplain(Unit):
    number: object

    def run(self, subject):
        return None


class Counting:
    """A subject that counts how often each thread has got it, and ends units when it is told to."""

    def __init__(self) -> None:
        self.runs = 0
        self.stopped = False

    def __reduce__(self):
        return Counting, ()

    def stop(self):
        self.stopped = True


@dataclass(frozen=True)
class Counted(Unit):
    number: int

    def run(self, subject):
        subject.runs += 1
        return subject.runs


@dataclass(frozen=True)
class Endless(Unit):
    number: int

    def run(self, subject):
        for _ in range(3000):
            time.sleep(0.01)
            if subject.stopped:
                raise KeyboardInterrupt
        return "nobody stopped it"


def total(pairs):
    return sum(row["square"] for _, row in pairs)


def forge(path, command, *values):
    """Change rows of a ledger, and give them the check sums that they would have: somebody's own, not a disk's."""
    with sqlite3.connect(path) as database:
        database.create_function("digest_of", 5, _digest)
        database.execute(command, values)
        database.execute("UPDATE units SET digest = digest_of(key, identity, line, error, seconds)")
    database.close()
