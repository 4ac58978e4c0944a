"""What formats do to a network on some words: the errors of its numbers, and its decisions, as a unit of work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from typing import Any, ClassVar

from gmpy2 import mpq

from exactnn.arithmetic import Format
from exactnn.campaigns import Unit
from exactnn.evaluation import STEP, executors_in_order
from exactnn.networks import Input, Network
from exactnn.outcome import Outcome
from exactnn.precision.judge import written_whole
from exactnn.precision.lockstep import TrueRun, narrow_for
from exactnn.precision.measured import Column, Measured, TrueSteps, lower
from exactnn.precision.order_parting import Orders, parted
from exactnn.simulation import Executor

__all__ = ["CheckUnit", "Checker", "units_of_words"]

OfWord = Callable[[Sequence[Input]], Executor]
"""What makes an executor for the inputs of a word."""

STEPS = 1000
"""Steps of the words of a unit, unless one word is longer."""


@dataclass(frozen=True)
class CheckUnit(Unit):
    """Some words in some formats beside the true runs.

    Parameters
    ----------
    network, words : str
        The digests of the network and of these words, which are the subject's.
    first, count : int
        Which of the subject's words they are.
    formats : tuple of Format
    decision : "argmax", "threshold", "protocol" or None
    max_steps : int or None
    orders : (EvaluationOrder or None, EvaluationOrder)
        That of training, which is compared with the other one, if there is one; and that of the runs.
    """

    names_subject = True
    version: ClassVar[int] = 2
    network: str
    words: str
    first: int
    count: int
    formats: tuple[Format, ...]
    decision: str | None
    max_steps: int | None
    orders: Orders = (None, STEP)

    @property
    def identity(self) -> dict[str, Any]:
        """The fields but the place of the words; formats and orders as their reprs, and orders only where there are."""
        kept = {name: value for name, value in vars(self).items() if name not in ("first", "orders")}
        limit = None if self.max_steps is None else written_whole(self.max_steps)
        written: dict[str, Any] = {"formats": list(map(repr, self.formats)), "max_steps": limit}
        if self.orders != (None, STEP):
            written["orders"] = list(map(repr, self.orders))
        return {"kind": "check", "version": self.version} | kept | written

    def run(self, subject: "Checker") -> dict[str, Any]:
        """Return what became of each word, the smallest margin, and the errors and wrong decisions of each format."""
        return subject.checked(self)


def units_of_words(
    network: str, words: Sequence[Sequence[Input]], formats: tuple[Format, ...], decision: str | None,
    limit: int | None, orders: Orders,
) -> list[CheckUnit]:  # fmt: skip
    """Return units of words that follow each other, with some 1000 steps each."""
    units: list[CheckUnit] = []
    first, steps = 0, 0
    for end, word in enumerate(words, 1):
        steps += 1 + len(word)
        if steps + len(words[end] if end < len(words) else ()) >= STEPS or end == len(words):
            text = "\n".join(map(_written, words[first:end]))
            digest = sha256(text.encode("ascii")).hexdigest()
            units.append(CheckUnit(network, digest, first, end - first, formats, decision, limit, orders))
            first, steps = end, 0
    return units


def _written(word: Sequence[Input]) -> str:
    return " ".join(",".join(map(str, symbol)) if isinstance(symbol, tuple) else str(symbol) for symbol in word)


class Checker:
    """A network with the words that it is checked on: the subject of a check, for one thread."""

    def __init__(self, network: Network, words: Sequence[Sequence[Input]]) -> None:
        self.network, self.words = network, words
        self._kept: tuple[object, TrueRun, list[tuple[OfWord | None, OfWord]]] | None = None
        self._stopped = False

    def __reduce__(self) -> tuple[object, ...]:
        return Checker, (self.network, self.words)

    def stop(self) -> None:
        """End what another thread computes with this, by KeyboardInterrupt."""
        self._stopped = True

    def _executors(self, unit: CheckUnit) -> tuple[TrueRun, list[tuple[OfWord | None, OfWord]]]:
        """Return what runs, for each format in both orders; what ran the last unit is kept."""
        if self._kept is None or self._kept[0] != (unit.formats, unit.orders):
            training, inference = unit.orders
            rounded = [
                (
                    None if training in (None, inference) else executors_in_order(self.network, format, training),
                    executors_in_order(self.network, format, inference),
                )
                for format in unit.formats
            ]
            self._kept = (unit.formats, unit.orders), TrueRun(self.network, narrow_for(unit.formats)), rounded
        return self._kept[1:]

    def checked(self, unit: CheckUnit) -> dict[str, Any]:
        """Return the row of a unit."""
        true, executors = self._executors(unit)
        columns = [Column(format) for format in unit.formats]
        endings: list[list[Any]] = []
        margin: tuple[mpq, int, int] | None = None
        for number, word in enumerate(self.words[unit.first : unit.first + unit.count]):
            shared = TrueSteps(true, unit.decision, len(word), lambda: self._stopped)
            running = [inference(word) for _, inference in executors]

            def begin(shared: TrueSteps = shared, number: int = number, running: list[Executor] = running) -> list[Any]:
                shared.begin_anew()
                both = zip(columns, running, strict=True)
                return [shared, *(Measured(column, executor, shared, number) for column, executor in both)]

            outcome, steps, (_, *measured) = true.follow(word, begin, limit=unit.max_steps, end=inf)
            if outcome is Outcome.INTERRUPTED or self._stopped:
                raise KeyboardInterrupt
            shared.close(outcome)
            for found in measured:
                found.keep()
            for column, (training, _), executor in zip(columns, executors, running, strict=True):
                if training is not None:
                    pair = parted(self.network, unit.decision, word, steps, training(word), executor)
                    column.part(number, *pair)
            if shared.margin is not None and (margin is None or shared.margin[0] < margin[0]):
                margin = shared.margin[0], number, shared.margin[1]
            endings.append([str(outcome), steps, shared.decisions, shared.untold])
        return {
            "words": endings,
            "margin": None if margin is None else [lower(margin[0]), margin[1], margin[2]],
            "formats": [column.row() for column in columns],
        }
