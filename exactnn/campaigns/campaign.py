"""A campaign: units, the subject that they work on, and what their rows make together."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from exactnn.arithmetic import counted
from exactnn.campaigns.dispatch import Dispatch
from exactnn.campaigns.ledger import Ledger
from exactnn.campaigns.parts import parts_folder, parts_there
from exactnn.campaigns.unit import OfSubject, Unit, digest_of_subject
from exactnn.errors import CampaignError, CheckpointError, OptionError, shown
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
        Units that were run now, and those that the store had.
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
        What comes first is begun first; of those with the same key one is run, and counts.
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
        self._merge = merge
        self._size = whole_number("size", size, 1)
        try:
            self._subject = None if subject is None else pickle.dumps(subject, protocol=5)
        except Exception as error:  # pickle raises what it likes
            raise OptionError(f"subject={shown(subject)} cannot be pickled: {error}") from None
        if subject is not None and not all(unit.names_subject for unit in self.units):
            digest = digest_of_subject(subject)
            self.units = [unit if unit.names_subject else OfSubject(unit, digest) for unit in self.units]
        self.units = tuple({unit.key: unit for unit in self.units}.values())

    def run(
        self, *, executor: Executor | None = None, store: str | os.PathLike[str] | None = None,
        progress: Callable[[int], object] | None = None, keep: str | os.PathLike[str] | None = None,
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
        keep : str or path, optional
            A folder that gets a Parquet part for each unit, written by the worker that runs it, with the rows of
            :meth:`Unit.details`. Workers of other machines must see it under the same name. Units whose parts are not
            there are run again.

        Raises
        ------
        CheckpointError
            If the store cannot be read or written.
        CampaignError
            If the executor is gone, its processes cannot be started, its workers have another version of exactnn, or a
            part cannot be written.
        OptionError
            If the executor is none, or there cannot be such a folder.
        MissingExtraError
            If parts are wanted, and polars is not installed.

        Notes
        -----
        A unit that raises anything but KeyboardInterrupt, or kills its worker, is noted as failed, also in the store,
        and the others go on: :meth:`Ledger.forget_failures`, or ``exactnn campaign retry``, has it tried again.
        """
        callback("progress", progress)
        if executor is not None and not isinstance(executor, Executor):
            raise OptionError(f"executor={shown(executor)}: give an executor of concurrent.futures, or None")
        folder = None if keep is None else parts_folder(keep)
        with Ledger(store) as ledger:
            known = ledger.known(unit.key for unit in self.units)
            if folder is not None:
                known &= parts_there(folder, self.units) | ledger.failures().keys()
            groups = (self.units[n : n + self._size] for n in range(0, len(self.units), self._size))
            tasks = [tuple(unit for unit in group if unit.key not in known) for group in groups]
            todo = [task for task in tasks if task]
            if executor is not None or not todo:
                complete, computed = self._run(executor, todo, ledger, len(known), progress, folder)
            else:
                with ThreadPoolExecutor(1) as thread:  # so that Ctrl-C finds somebody who listens
                    complete, computed = self._run(thread, todo, ledger, len(known), progress, folder)
            ledger.flush()
            failed = tuple(self._failures(ledger))
            if complete:
                self._check_parts(folder, failed)
            result = self._merge(self._pairs(ledger, complete))
        return Finished(result=result, computed=computed, kept=len(known), failed=failed, complete=complete)

    def _run(
        self, executor: Executor | None, todo: Sequence[tuple[Unit, ...]], ledger: Ledger, kept: int,
        progress: Callable[[int], object] | None, folder: str | None,
    ) -> tuple[bool, int]:  # fmt: skip
        """Return whether all units were run, and how many."""
        dispatch, computed = None, 0
        try:
            if progress is not None and kept:
                progress(kept)
            if executor is not None and todo:
                dispatch = Dispatch(executor, todo, self._subject, folder)
                for unit, done in dispatch:
                    ledger.put(unit, done.row, done.error, done.seconds)
                    computed += 1
                    if progress is not None:
                        progress(kept + computed)
        except BaseException as error:
            if dispatch is not None:
                dispatch.stop()
            if isinstance(error, KeyboardInterrupt):
                return not todo, computed
            raise
        return True, computed

    def _check_parts(self, folder: str | None, failed: Sequence[Failure]) -> None:
        if folder is None:
            return
        missing = len(self.units) - len(parts_there(folder, self.units) | {failure.unit.key for failure in failed})
        if missing > 0:
            raise CampaignError(
                f"keep={shown(folder, limit=1000)} lacks {counted(missing, 'part')} that workers have written: "
                "give a folder that they and this program see under the same name"
            )

    def _pairs(self, ledger: Ledger, complete: bool) -> Iterator[tuple[Unit, Any]]:
        """Yield units with their rows in the order of the units."""
        for unit in self.units:
            recorded = ledger.get(unit.key)
            if recorded is None and complete:
                raise CheckpointError(f"{ledger.name} has lost the row of {shown(unit)}: it is damaged, or was changed")
            if recorded is not None and recorded.error is None:
                yield _given(unit), recorded.row

    def _failures(self, ledger: Ledger) -> Iterator[Failure]:
        failures = ledger.failures()
        for unit in self.units if failures else ():
            if unit.key in failures:
                yield Failure(unit=_given(unit), error=failures[unit.key])


def _given(unit: Unit) -> Unit:
    """Return a unit as it was given."""
    return unit.unit if isinstance(unit, OfSubject) else unit
