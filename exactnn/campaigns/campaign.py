"""A campaign: units, the subject that they work on, and what their rows make together."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from exactnn.campaigns.dispatch import Dispatch
from exactnn.campaigns.ledger import Ledger
from exactnn.campaigns.unit import Unit
from exactnn.errors import ExactnnError, OptionError, shown
from exactnn.options import callback, listed, whole_number

__all__ = ["Campaign", "Failure", "Finished"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A unit that has no row, and why."""

    unit: Unit
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(Generic[T]):
    """What a run of a campaign has.

    Parameters
    ----------
    result
        What the campaign's `merge` made of all rows that are there.
    computed, kept : int
        Units that were run now, and those whose rows were in the store.
    failed : tuple of Failure
        Units that raised something, or killed their workers, now or earlier.
    complete : bool
        False if Ctrl-C came first; what was done until then is here, and in the store.
    """

    result: T
    computed: int
    kept: int
    failed: tuple[Failure, ...]
    complete: bool


class Campaign(Generic[T]):
    """Many units of work, run on any executor; the same rows come out, whatever ran where and in which order.

    Parameters
    ----------
    units : iterable of Unit
        What comes first is begun first; one that is there twice counts once.
    merge : callable
        From an iterable of (unit, row), in the order of `units`, to the result. A row is JSON data; what was a tuple
        is a list. By default a list of these pairs.
    subject : object, optional
        What all units work on, the argument of :meth:`Unit.run`. It is pickled once, and sent once to each thread that
        works. One with a method `stop` is told when units are to end early.
    size : int
        Units that are sent together: the first `size` units, the next ones, and so on. More than one saves time where
        units take milliseconds, or where those of a group share work.

    Raises
    ------
    OptionError
        If a unit is none, or there is no unit, or the subject cannot be pickled.

    Examples
    --------
    >>> from exactnn.campaigns import Unit
    >>> @dataclass(frozen=True)
    ... class Square(Unit):
    ...     number: int
    ...
    ...     def run(self, subject):
    ...         return self.number**2
    >>> campaign = Campaign([Square(n) for n in range(5)], lambda pairs: sum(row for _, row in pairs))
    >>> campaign.run().result
    30
    """

    def __init__(
        self, units: Iterable[Unit], merge: Callable[[Iterable[tuple[Any, Any]]], T] = list,  # type: ignore[assignment]
        *, subject: object = None, size: int = 1,
    ) -> None:  # fmt: skip
        self.units: Sequence[Unit] = listed("units", units, "units of work, at least one", least=1)
        for unit in self.units:
            if not isinstance(unit, Unit):
                raise OptionError(f"units has {shown(unit)}: give objects of a class derived from Unit")
        if not callable(merge):
            raise OptionError(f"merge={shown(merge)}: give a function")
        self.units = tuple({unit.key: unit for unit in self.units}.values())
        self._merge = merge
        self._size = whole_number("size", size, 1)
        try:
            self._subject = None if subject is None else pickle.dumps(subject, protocol=5)
        except Exception as error:  # pickle raises what it likes
            raise OptionError(f"subject={shown(subject)} cannot be pickled: {error}") from None

    def run(
        self, *, executor: Executor | None = None, store: str | os.PathLike[str] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Finished[T]:  # fmt: skip
        """Run the units whose rows are not there yet, and return what all of them make.

        Parameters
        ----------
        executor : concurrent.futures.Executor, optional
            Without one, units are run one after the other here.
        store : str or path, optional
            A file that keeps rows: a :class:`Ledger`. Whenever a run ends, another one goes on from there.
        progress : callable, optional
            Called with the number of units that are done, those that failed or were there before too.

        Raises
        ------
        CheckpointError
            If the store cannot be read or written.
        CampaignError
            If the executor is gone, or its workers have another version of exactnn.
        ExactnnError
            If a unit raises one: then the call is wrong, and not one unit.
        OptionError
            If the executor is none.
        """
        callback("progress", progress)
        if executor is not None and not isinstance(executor, Executor):
            raise OptionError(f"executor={shown(executor)}: give an executor of concurrent.futures, or None")
        with Ledger(store) as ledger:
            known = ledger.known(unit.key for unit in self.units)
            groups = (self.units[n : n + self._size] for n in range(0, len(self.units), self._size))
            tasks = [tuple(unit for unit in group if unit.key not in known) for group in groups]
            todo = [task for task in tasks if task]
            if progress is not None and known:
                progress(len(known))
            if executor is not None or not todo:
                complete, computed = self._run(executor, todo, ledger, len(known), progress)
            else:
                with ThreadPoolExecutor(1) as thread:  # so that Ctrl-C finds somebody who listens
                    complete, computed = self._run(thread, todo, ledger, len(known), progress)
            ledger.flush()
            result = self._merge(self._pairs(ledger))
            failed = tuple(self._failures(ledger))
        return Finished(result=result, computed=computed, kept=len(known), failed=failed, complete=complete)

    def _run(
        self, executor: Executor | None, todo: Sequence[tuple[Unit, ...]], ledger: Ledger, kept: int,
        progress: Callable[[int], object] | None,
    ) -> tuple[bool, int]:  # fmt: skip
        """Return whether all units were run, and how many."""
        if executor is None or not todo:
            return True, 0
        dispatch, computed = Dispatch(executor, todo, self._subject), 0
        try:
            for unit, done in dispatch:
                if isinstance(done.error, ExactnnError):
                    raise done.error
                ledger.put(unit, done.row, done.error, done.seconds)
                computed += 1
                if progress is not None:
                    progress(kept + computed)
        except KeyboardInterrupt:
            dispatch.stop()
            return False, computed
        except BaseException:
            dispatch.stop()
            raise
        return True, computed

    def _pairs(self, ledger: Ledger) -> Iterator[tuple[Unit, Any]]:
        """Yield units with their rows in the order of the units."""
        for unit in self.units:
            recorded = ledger.get(unit.key)
            if recorded is not None and recorded.error is None:
                yield unit, recorded.row

    def _failures(self, ledger: Ledger) -> Iterator[Failure]:
        failures = ledger.failures()
        for unit in self.units if failures else ():
            if unit.key in failures:
                yield Failure(unit=unit, error=failures[unit.key])
