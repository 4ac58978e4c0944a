"""Processes of this machine as an executor that goes on when one of them is killed."""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, ParamSpec, TypeVar

from exactnn.errors import CampaignError
from exactnn.options import whole_number

__all__ = ["Processes", "call_sent"]

P = ParamSpec("P")
T = TypeVar("T")

MOST_JOBS = 4096
GUARD = (
    "a script that starts processes must be a file that they can import, with 'if __name__ == \"__main__\":' before "
    "what it does"
)


class Processes(Executor):
    """So many processes; where one is killed, what they had is lost, and what is submitted next gets new ones.

    A script that makes one is a file, and needs ``if __name__ == "__main__":``, since the processes import it.

    Parameters
    ----------
    jobs : int

    Raises
    ------
    OptionError
        If it is no whole number from 1 to 4096.
    CampaignError
        In a process that is itself being started, and imports the script for that.

    Examples
    --------
    >>> with Processes(2) as executor:
    ...     executor.submit(pow, 2, 10).result()
    1024
    """

    def __init__(self, jobs: int) -> None:
        self.workers = whole_number("jobs", jobs, 1, MOST_JOBS)
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            # Here, before there are semaphores: who is killed while it has some leaves them behind, with a warning.
            raise CampaignError(f"a process that has only begun cannot start others: {GUARD}")
        self._context = _Context()
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(self.workers, mp_context=self._context, initializer=_begin)
        if sys.version_info < (3, 12):
            # The thread that ends a broken pool takes no lock here, and fails if a submit starts one more process just
            # then. So all start with the first submit, as in a pool that forks; later Pythons lock.
            pool._safe_to_dynamically_spawn_children = False  # type: ignore[attr-defined]
        return pool

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a process call a function."""
        try:
            sent = pickle.dumps((function, args, kwargs), protocol=5)
        except Exception as error:  # pickle raises what it likes
            failed: Future[T] = Future()
            failed.set_exception(error)
            return failed
        try:
            return self._pool.submit(call_sent, sent)
        except (BrokenProcessPool, OSError):  # or it breaks just now, and its connections are closed
            self._pool.shutdown(wait=False)
            self._pool = self._new_pool()
            return self._pool.submit(call_sent, sent)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the processes end when they are done."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def kill(self) -> None:
        """End the processes at once; what they compute is lost. What is submitted next gets new ones."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in self._context.started:
            with suppress(ValueError):  # it was closed
                if process.is_alive():
                    process.kill()
        self._pool = self._new_pool()


class _Context(SpawnContext):
    """Starts fresh processes, and knows them."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        self.started = [process for process in self.started if process.exitcode is None]
        process = SpawnProcess(*args, **kwargs)
        self.started.append(process)
        return process


def call_sent(sent: bytes) -> Any:
    """Call a function with what it was sent with: a pool would break, or wait for ever, where that cannot be read."""
    try:
        function, args, kwargs = pickle.loads(sent)
    except Exception as error:
        raise CampaignError(
            f"a worker cannot read what it is sent ({type(error).__name__}: {error}): define classes of units at the "
            "top of a file that workers can import"
        ) from None
    return function(*args, **kwargs)


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end when it has ended, however that was."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
