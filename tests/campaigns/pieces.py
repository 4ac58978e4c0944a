"""Units for tests: workers import them from here."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from exactnn.campaigns import Unit
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
