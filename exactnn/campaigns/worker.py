"""What a worker does: it runs units one after the other, with a subject that it was sent once.

Every thread of a worker has a subject of its own, which keeps tables between units that two threads may not share. A
task comes without the subject first; a thread that has not got it says so, and the task is sent again with it.
"""

import pickle
import threading
import time
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from exactnn.campaigns.parts import write_part
from exactnn.campaigns.unit import Unit, json_line
from exactnn.errors import CampaignError
from exactnn.markup import clipped, printable
from exactnn.version import __version__

__all__ = ["Done", "Task", "failure_text", "run_task", "stop_threads"]

LONGEST_ROW = 1 << 26
"""Characters of a row as JSON."""

_subjects: WeakKeyDictionary[threading.Thread, tuple[bytes, Any]] = WeakKeyDictionary()
"""By thread of this process: the digest of the subject that it has, and the subject."""


@dataclass(frozen=True, slots=True)
class Task:
    """Units that one worker runs.

    `digest` is that of the subject, None if there is none; `subject` is None, too, if the worker should know it;
    `version` is exactnn's at the client; `keep` is the folder of Parquet parts, if they are wanted.
    """

    digest: bytes | None
    units: tuple[Unit, ...]
    subject: bytes | None
    version: str
    keep: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a unit: its row as JSON, or the text of an error."""

    row: str | None
    error: str | None
    seconds: float


def run_task(task: Task) -> list[Done] | None:
    """Return what became of each unit; None if this thread has not got the subject.

    Raises
    ------
    CampaignError
        If the worker has another version of exactnn than the client, which is asked before anything is computed; or a
        part cannot be written.
    """
    if task.version != __version__:
        raise CampaignError(
            f"a worker has exactnn {__version__} and the client {task.version}: install the same version everywhere"
        )
    if task.digest is None:
        return [_done(unit, None, task.keep) for unit in task.units]
    thread = threading.current_thread()
    digest, subject = _subjects.get(thread, (None, None))
    if digest != task.digest:
        if task.subject is None:
            return None
        subject = pickle.loads(task.subject)
        _subjects[thread] = task.digest, subject
    return [_done(unit, subject, task.keep) for unit in task.units]


def _done(unit: Unit, subject: Any, keep: str | None) -> Done:
    began = time.perf_counter()
    try:
        value = unit.run(subject)
        row = json_line(value)
        if len(row) > LONGEST_ROW:
            return Done(None, f"its row has {len(row):,} characters as JSON, and {LONGEST_ROW:,} are the most", 0.0)
        details = None if keep is None else list(unit.details(subject, value))
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # whatever is wrong with a unit, the others go on: also after sys.exit
        return Done(None, failure_text(raised), time.perf_counter() - began)
    seconds = time.perf_counter() - began
    if keep is not None and details is not None:
        write_part(keep, unit, details)
    return Done(row, None, seconds)


def failure_text(error: BaseException) -> str:
    r"""Return what a ledger keeps of an error: one short line that any file can hold.

    >>> print(failure_text(ValueError("no " + chr(0xDCFF) + "x" * 2000))[:24])
    ValueError: no \udcffxxx
    """
    try:
        told = str(error)
    except Exception:  # a stranger's error may have no text
        told = "an error without a text"
    return printable(clipped(f"{type(error).__name__}: {told}" if told else type(error).__name__))


def stop_threads(digest: bytes | None) -> None:
    """End the units with a subject that threads of this process compute: one with a method `stop` is told to.

    It is of no more use then.
    """
    for thread, (mine, subject) in list(_subjects.items()):
        if mine == digest and hasattr(subject, "stop"):
            del _subjects[thread]
            subject.stop()
