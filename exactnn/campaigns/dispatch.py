"""Which units go to workers when: so many at a time that no worker waits, and no more.

What a dead worker had is computed again. An executor that lost a process tells all futures that it is broken, and not
whose fault it was: the units that were out twice at such a moment are run alone, one after the other. One that breaks
the executor `MOST_DEATHS` times while it is alone is the one. But first a task without units is sent: where that does
not come back either, such as from processes that cannot be started, no unit is to blame.
"""

import pickle
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import replace
from hashlib import sha256
from queue import SimpleQueue

from exactnn.arithmetic import counted
from exactnn.campaigns.executors import GUARD
from exactnn.campaigns.unit import Unit
from exactnn.campaigns.worker import Done, Task, failure_text, run_task, stop_threads
from exactnn.errors import CampaignError, ExactnnError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.version import __version__

__all__ = ["Dispatch"]

PER_WORKER = 3
"""Tasks for each worker that are out at a time: one is computed, and others wait for it to end."""
WORKERS = 16
"""Of an executor that does not say how many it has."""
ASK_EVERY = 5.0
"""Seconds between two questions to an executor how many workers it has."""
MOST_DEATHS = 3
"""How often a unit may kill its worker while it is alone."""


class Dispatch:
    """A run of some units on an executor; iterating gives each unit with what became of it, in any order.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    tasks : iterable of tuple of Unit
        What is sent together.
    subject : bytes or None
        Pickled.
    keep : str or None
        The folder of Parquet parts.
    """

    def __init__(
        self, executor: Executor, tasks: Iterable[tuple[Unit, ...]], subject: bytes | None, keep: str | None = None
    ) -> None:
        self._executor, self._subject, self._keep = executor, subject, keep
        self._todo = iter(tasks)
        self._digest = None if subject is None else sha256(subject).digest()
        self._out: dict[Future[list[Done] | None], Task] = {}
        # Futures that are done. Ctrl-C may come while somebody waits for this queue, which holds no lock of a future:
        # one that is left locked would hold up the executor for ever. All else that takes such a lock is uninterrupted.
        self._done: SimpleQueue[Future[list[Done] | None]] = SimpleQueue()
        self._again: deque[tuple[Unit, ...]] = deque()
        self._alone: deque[tuple[Unit, ...]] = deque()
        self._broken: Counter[Unit] = Counter()
        self._deaths: Counter[Unit] = Counter()
        self._answered = False
        self._asked, self._room = -ASK_EVERY, PER_WORKER * WORKERS

    def __iter__(self) -> Iterator[tuple[Unit, Done]]:
        if units := next(self._todo, ()):
            if units[1:]:
                self._again.append(units[1:])
            self._submit(self._task(units[:1]))  # it compiles what the others find in caches
        while self._out:
            finished = {self._done.get()}
            while not self._done.empty():
                finished.add(self._done.get())
            for future in [future for future in self._out if future in finished]:  # in the order of the units
                yield from self._finished(future)
            self._fill(self._window())

    def _window(self) -> int:
        """Return how many tasks may be out: of a cluster the workers come and go, and at first there may be none."""
        now = time.monotonic()
        if now < self._asked + ASK_EVERY:
            return self._room
        self._asked = now
        workers = getattr(self._executor, "workers", getattr(self._executor, "_max_workers", None))
        self._room = PER_WORKER * (workers if isinstance(workers, int) and workers > 0 else WORKERS)
        return self._room

    def stop(self) -> None:
        """Forget what is out."""
        stop_threads(self._digest)
        with Uninterrupted("ending the work"):
            if hasattr(self._executor, "kill"):  # it cancels by itself: a pool fails on what others have cancelled
                self._executor.kill()
            else:
                for future in self._out:
                    future.cancel()

    def _task(self, units: tuple[Unit, ...]) -> Task:
        return Task(self._digest, units, None, __version__, self._keep)

    def _fill(self, window: int) -> None:
        while len(self._out) < window and not (self._alone and self._out):
            units = self._next()
            if not units:
                break
            self._submit(self._task(units))

    def _next(self) -> tuple[Unit, ...]:
        if self._alone:
            return self._alone.popleft()
        return self._again.popleft() if self._again else next(self._todo, ())

    def _submit(self, task: Task) -> None:
        with Uninterrupted("handing out work"):
            try:
                future = self._handed_out(task, self._done)
            except (BrokenExecutor, RuntimeError) as error:
                raise _gone(error) from None
            self._out[future] = task

    def _handed_out(self, task: Task, done: SimpleQueue[Future[list[Done] | None]]) -> Future[list[Done] | None]:
        """Return the future of a task, which comes to `done` when it is."""
        with Uninterrupted("handing out work"):
            future = self._executor.submit(run_task, task)
            if not isinstance(future, Future) or future in self._out:
                what = f"{shown(self._executor)} gave {shown(future)}"
                raise CampaignError(f"{what}: submit returns a new Future each time")
            future.add_done_callback(done.put)
        return future

    def _finished(self, future: Future[list[Done] | None]) -> Iterator[tuple[Unit, Done]]:
        task = self._out.pop(future)
        try:
            with Uninterrupted("taking over work"):
                done = future.result()
        except BrokenExecutor:
            yield from self._lost(task)
        except ExactnnError:  # units' own are among what is done
            raise
        except (CancelledError, OSError) as error:
            raise _gone(error) from None
        except (AttributeError, ImportError, TypeError, pickle.PickleError) as error:
            raise CampaignError(f"a worker cannot be sent {shown(task.units[0])}: {failure_text(error)}") from None
        except Exception as error:
            if len(task.units) > 1:  # which of them it was is not known
                self._again.extend((unit,) for unit in task.units)
            else:
                yield task.units[0], Done(None, failure_text(error), 0.0)
        else:
            self._answered = True
            if done is None:
                self._submit(replace(task, subject=self._subject))
            elif isinstance(done, list) and len(done) == len(task.units) and all(isinstance(one, Done) for one in done):
                yield from zip(task.units, done, strict=True)
            else:
                what = f"{shown(self._executor)} answered {shown(done)} for {counted(len(task.units), 'unit')}"
                raise CampaignError(f"{what}: a future gives what the submitted function has returned")

    def _lost(self, task: Task) -> Iterator[tuple[Unit, Done]]:
        """Take back the units that were out when the executor broke."""
        if not self._answered:
            self._probe()
        lonely = len(task.units) == 1 and not self._out and self._broken[task.units[0]] > 1
        for unit in task.units:
            self._broken[unit] += 1
            self._deaths[unit] += lonely
            if self._deaths[unit] >= MOST_DEATHS:
                self._probe()
                yield unit, Done(None, f"its worker died {MOST_DEATHS} times while nothing else ran", 0.0)
            elif self._broken[unit] > 1:
                self._alone.append((unit,))
            else:
                self._again.append((unit,))

    def _probe(self) -> None:
        """Raise CampaignError if a task without units does not come back."""
        for _ in range(MOST_DEATHS):
            try:
                done: SimpleQueue[Future[list[Done] | None]] = SimpleQueue()
                self._handed_out(Task(None, (), None, __version__), done)
                done.get().result()
            except BrokenExecutor as error:
                why = error
            except RuntimeError as error:
                raise _gone(error) from None
            else:
                self._answered = True
                return
        raise CampaignError(f"the workers end before they do anything ({failure_text(why)}): {GUARD}")


def _gone(error: BaseException) -> CampaignError:
    why = f"{type(error).__name__}{': ' if str(error) else ''}{error}"
    return CampaignError(
        f"the executor is gone ({why}): what was done is kept where there is a store; the same call goes on from there"
    )
