"""A rounded run beside the true one: how large the errors of its numbers are, and which of its decisions are wrong."""

from collections.abc import Callable
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import Enclosure, FixedPoint, Format, is_finite
from exactnn.errors import BitLimitError
from exactnn.outcome import Outcome
from exactnn.precision.lockstep import Follower, TrueRun
from exactnn.simulation import Executor, Output, Stretch, Values, outcome_after

__all__ = [
    "MEASURES",
    "Column",
    "Measured",
    "Said",
    "TrueSteps",
    "chosen",
    "lower",
    "near_float",
    "said_of",
    "verdict_text",
    "written_number",
]

MEASURES = ("absolute", "relative", "ulps")
"""How large an error is: as a number, beside the true number, in distances between the format's numbers there."""

SAFE = 1e-280, 1e280
"""Between these the float64 of a true number, and the float64 of what it lacks, have 106 bits of it."""

CLOSE = 0.49
"""Errors are compared in float64 first; those that are at least so much of the largest are computed exactly."""

SMALLEST = -1074
"""The exponent of the smallest float64."""

Said = int | str | None
"""A decision: the number of the largest output, or what is said of one; None where the enclosures do not tell."""


# --- The true run of a word: its numbers as pairs of float64, what it decides, and by how much.


class TrueSteps:
    """The true run's part of what is compared, which is the same for all formats."""

    sees_states = True

    def __init__(self, true_run: TrueRun, decision: str | None, length: int, stopped: Callable[[], bool]) -> None:
        self.true_run, self.stopped = true_run, stopped
        self.network, self.decision, self.length = true_run.network, decision, length
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget what was seen: a run with more bits begins."""
        self.margin: tuple[mpq, int] | None = None
        self.decisions = self.untold = 0
        self.said: Said = None
        self.output: Output | None = None

    def begin(self, true: Values) -> None:
        """Look at the start state."""
        self._read(true)

    def step(self, stretch: Stretch, true: Values) -> None:
        """Look at a step's numbers and outputs."""
        if self.stopped():
            raise KeyboardInterrupt
        self._read(true)
        if self.decision in ("argmax", "threshold"):
            output = stretch.segment.outputs[-1][0]
            self.said, margin = chosen(output) if self.decision == "argmax" else _side(output, mpq(0))
            if margin is None and self.true_run.can_tell_more:
                raise BitLimitError("an enclosure does not tell what is decided")
            self._decided(margin, stretch.position.steps)
        elif self.decision == "protocol":
            self.output = stretch.segment.outputs[-1][0]
            if stretch.outcome is not None and not stretch.outcome.cut_short:
                self._decided(self._distance(self.output), stretch.position.steps)

    def end(self, outcome: Outcome, steps: int) -> None:
        """Look at what the output after the word says, where that is the verdict."""
        if self.decision == "protocol" and steps == self.length and not self.decisions:
            executor = self.true_run.executor
            output = executor.output(executor.start()) if self.output is None else self.output
            self._decided(self._distance(output), steps)

    def close(self, outcome: Outcome) -> None:
        """Count what is not told because the enclosures do not tell how the run goes on."""
        if outcome in (Outcome.BIT_LIMIT, Outcome.DIGIT_LIMIT) and self.decision is not None:
            missing = max(0, (1 if self.decision == "protocol" else self.length) - self.decisions)
            self.decisions += missing
            self.untold += missing

    def _decided(self, margin: mpq | None, step: int) -> None:
        self.decisions += 1
        if margin is None:
            self.untold += 1
        elif self.margin is None or margin < self.margin[0]:
            self.margin = margin, step

    def _distance(self, output: Output) -> mpq | None:
        """Return how far an output is, at least, from where the protocol would say something else."""
        assert not isinstance(output, tuple)
        threshold = self.network.decision.threshold
        low, high = output if isinstance(output, Enclosure) else (output, output)
        signs = (1, -1) if self.network.decision.protocol.reads_eos else (1,)
        return min(abs(mpq(bound) - sign * threshold) for bound in (low, high) for sign in signs)

    def _read(self, true: Values) -> None:
        """Keep numbers as sums of two float64 each; those for which that will not do are hard."""
        self.true = true
        middles = [value.midpoint if isinstance(value, Enclosure) else mpq(value) for value in true]  # type: ignore[arg-type]
        self.middles = middles
        large = np.array([near_float(value) for value in middles])
        pairs = zip(middles, large.tolist(), strict=True)
        rest = [value - mpq(near) if isfinite(near) else value for value, near in pairs]
        self.large, self.small = large, np.array([near_float(value) for value in rest])
        size = np.abs(large)
        zero = np.array([not value for value in middles], dtype=bool)
        self.hard = np.flatnonzero(~zero & ~((size > SAFE[0]) & (size < SAFE[1])))
        self.size = np.where(size > 0, size, inf)


def chosen(output: Output) -> tuple[int | None, mpq | None]:
    """Return the number of the largest output, the first of equals, and how much larger it is at least."""
    assert isinstance(output, tuple)
    bounds = [(entry.low, entry.high) if isinstance(entry, Enclosure) else (mpq(entry),) * 2 for entry in output]
    best = max(range(len(bounds)), key=lambda place: (bounds[place][0], -place))
    low = bounds[best][0]
    margin = min((low - high for place, (_, high) in enumerate(bounds) if place != best), default=low)
    told = all(high < low if place < best else high <= low for place, (_, high) in enumerate(bounds) if place != best)
    return (best, margin) if told else (None, None)


def _side(output: Output, threshold: mpq) -> tuple[str | None, mpq | None]:
    """Return whether an output is above a threshold, and how far from it at least."""
    assert not isinstance(output, tuple)
    low, high = (output.low, output.high) if isinstance(output, Enclosure) else (mpq(output),) * 2
    if low > threshold:
        return "above", low - threshold
    return ("not above", threshold - high) if high <= threshold else (None, None)


# --- A format beside it.


class Column:
    """What is known of a format on the words of a unit."""

    def __init__(self, format: Format) -> None:
        self.format = format
        self.worst: dict[str, tuple[mpq | float, list[Any]] | None] = dict.fromkeys(MEASURES)
        self.by_step: list[float | None] = []
        self.flips: list[list[Any]] = []
        self.partings: tuple[list[list[Any]], list[list[Any]]] = [], []

    def part(self, number: int, numbers: list[Any] | None, decisions: list[Any] | None) -> None:
        """Note where two orders part on a word: in a number, and in a decision."""
        for rows, found in zip(self.partings, (numbers, decisions), strict=True):
            if found is not None:
                rows.append([number, *found])

    def row(self) -> dict[str, Any]:
        """Return it as JSON data."""
        worst = {measure: None if found is None else found[1] for measure, found in self.worst.items()}
        told = {"worst": worst, "by_step": self.by_step, "flips": self.flips}
        return told | ({"partings": list(self.partings)} if any(self.partings) else {})


class Measured(Follower):
    """One rounded run of a word: its errors, and its decisions that are others than the true ones."""

    sees_states = True

    def __init__(self, column: Column, executor: Executor, shared: TrueSteps, number: int) -> None:
        super().__init__(executor)
        self.column, self.shared, self.number = column, shared, number
        self.format = column.format
        self.worst = dict(column.worst)
        self.by_step: list[float] = []
        self.flip: list[Any] | None = None

    def keep(self) -> None:
        """Add what was found to the column: the run of this word is over."""
        column = self.column
        column.worst = self.worst
        more = len(self.by_step) - len(column.by_step)
        column.by_step += [0.0] * more
        for step, error in enumerate(self.by_step):
            known = column.by_step[step]
            column.by_step[step] = None if known is None or not isfinite(error) else max(known, error)
        if self.flip is not None:
            column.flips.append(self.flip)

    def begin(self, true: Values) -> None:
        """Measure the start state."""
        self._measure(0)

    def step(self, stretch: Stretch, true: Values) -> None:
        """Take a step, measure the state, and compare the decisions."""
        _, computed = self.take(stretch)
        step = stretch.position.steps
        self._measure(step)
        match self.shared.decision:
            case "argmax" | "threshold":
                self._compare(step, self.shared.said, said_of(self.shared.decision, self.output))
            case "protocol" if stretch.outcome is not computed and self.flip is None:
                if stretch.outcome is None or not stretch.outcome.cut_short:  # else nobody knows what is right
                    self._flipped(step, verdict_text(stretch.outcome), verdict_text(computed))

    def end(self, outcome: Outcome, steps: int) -> None:
        """Compare what the outputs after the word say, where that is the verdict."""
        shared = self.shared
        if shared.decision == "protocol" and steps == shared.length and self.flip is None:
            said = outcome_after(shared.network, steps, steps, self.output)
            if said is not outcome:
                self._flipped(steps, verdict_text(outcome), verdict_text(said))

    def _compare(self, step: int, true: Said, computed: Said) -> None:
        if true is None or true == computed:
            if self.flip is not None:
                self.flip[5] = False
        elif self.flip is None:
            self._flipped(step, true, computed)
        else:
            self.flip[4] += 1
            self.flip[5] = True

    def _flipped(self, step: int, true: Said, computed: Said) -> None:
        self.flip = [self.number, step, true, computed, 1, True]

    def _measure(self, step: int) -> None:
        """Note the errors of a state, if they are the largest so far."""
        shared = self.shared
        computed = self.executor.values(self.state)
        errors = self._errors(computed)
        largest = float(errors.max(initial=0.0))
        self.by_step.append(largest)
        if not largest and not shared.hard.size:
            return
        endless = not isfinite(largest)
        broken = next((n for n, value in enumerate(computed) if not is_finite(value)), None) if endless else None
        if broken is not None:
            for measure in MEASURES:
                known = self.worst[measure]
                if known is None or known[0] != inf:
                    self._note(measure, inf, step, broken, computed)
            return
        with np.errstate(all="ignore"):  # what no float64 can tell is computed exactly
            relative = errors / shared.size
            ulps = np.where(shared.size < inf, errors / self._spacings(), 0.0)
        self._note_largest("absolute", errors, step, computed)
        self._note_largest("relative", relative, step, computed)
        self._note_largest("ulps", ulps, step, computed)

    def _errors(self, computed: Values) -> NDArray[np.float64]:
        """Return how large errors are, to some 50 bits; infinite where a number is infinite or NaN."""
        shared = self.shared
        if not all(type(value) is float for value in computed):
            return np.array([near_float(self._error(place, value)) for place, value in enumerate(computed)])
        numbers = np.array(computed)
        with np.errstate(invalid="ignore"):
            errors: NDArray[np.float64] = np.abs((numbers - shared.large) - shared.small)
        errors[~np.isfinite(numbers)] = inf
        for place in shared.hard.tolist():
            errors[place] = near_float(self._error(place, computed[place]))
        return errors

    def _error(self, place: int, value: Any) -> Any:
        return abs(mpq(value) - self.shared.middles[place]) if is_finite(value) else inf

    def _spacings(self) -> NDArray[np.float64]:
        """Return the distances between the format's numbers at the true ones, to a factor of two."""
        format = self.format
        if isinstance(format, FixedPoint):
            return np.array(near_float(format.smallest))
        exponents = np.maximum(np.frexp(self.shared.large)[1] - 1, format.smallest_exponent)
        found: NDArray[np.float64] = np.ldexp(1.0, np.maximum(exponents + 1 - format.precision, SMALLEST))
        return found

    def _note_largest(self, measure: str, sizes: NDArray[np.float64], step: int, computed: Values) -> None:
        """Compute exactly the errors that may be the largest so far, and note the one that is."""
        known = self.worst[measure]
        before = 0.0 if known is None else near_float(known[0])
        exact = {place: self._exactly(measure, place, computed[place]) for place in self.shared.hard.tolist()}
        while True:  # what an enclosure does not tell must not hide what others tell: drop it and look again
            told = np.nan_to_num(sizes, nan=0.0, posinf=inf)
            told[[place for place, size in exact.items() if size is None]] = 0.0
            least = max(float(told.max()), before) * CLOSE
            near = set(np.flatnonzero((told >= least) & (told > 0)).tolist()) - exact.keys()
            if not near:
                break
            exact |= {place: self._exactly(measure, place, computed[place]) for place in near}
        for place, size in exact.items():
            if size and (self.worst[measure] is None or size > self.worst[measure][0]):  # type: ignore[index]
                self._note(measure, size, step, place, computed)

    def _exactly(self, measure: str, place: int, value: Any) -> Any:
        """Return how large an error is at most; None if an enclosure does not tell enough of it."""
        true, middle = self.shared.true[place], self.shared.middles[place]
        error = self._error(place, value)
        half = true.width / 2 if isinstance(true, Enclosure) else mpq(0)
        if measure == "absolute":
            return error + half
        if 256 * half > error or not middle:
            return None
        if measure == "ulps":
            return (error + half) / self.format.spacing(middle)
        return (error + half) / (abs(middle) - half) if abs(middle) > half else None

    def _note(self, measure: str, size: mpq | float, step: int, place: int, computed: Values) -> None:
        sizes = {name: inf if size == inf else self._exactly(name, place, computed[place]) for name in MEASURES}
        true, given = written_number(self.shared.middles[place]), written_number(computed[place])
        written = [None if size is None else _upper(size) for size in sizes.values()]
        self.worst[measure] = size, [self.number, step, place, true, given, *written]


def said_of(decision: str, output: Output) -> Said:
    """Return what a computed output decides: which is the largest, or whether the one is above 0; "nan" if one is none.

    >>> said_of("argmax", (1.0, 3.0, 3.0)), said_of("threshold", 0.0)
    (1, 'not above')
    """
    if decision == "threshold":
        return "nan" if output != output else "above" if output > 0 else "not above"  # type: ignore[operator]
    assert isinstance(output, tuple)
    if any(value != value for value in output):
        return "nan"
    return max(range(len(output)), key=lambda place: (output[place], -place))


def verdict_text(outcome: Outcome | None) -> str:
    """Return an outcome as a decision.

    >>> verdict_text(None)
    'not yet'
    """
    return "not yet" if outcome is None else str(outcome)


def near_float(value: mpq | float) -> float:
    """Return the nearest float64, infinite beyond the largest.

    >>> near_float(mpq(1, 4)), near_float(mpq(-(10**400)))
    (0.25, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _upper(value: mpq | float) -> float | str:
    """Return the least float64 that is not below a number; beyond the largest it is text."""
    near = near_float(value)
    near = nextafter(near, inf) if near < value else near
    return near if near < inf else "inf"


def lower(value: mpq) -> float:
    """Return the largest float64 that is not above a number.

    >>> lower(mpq(1, 10)) < mpq(1, 10)
    True
    """
    near = near_float(value)
    return nextafter(near, -inf) if near > value else near


def written_number(value: Any) -> float | str:
    """Return a number as JSON has it: the nearest float64, or text if it is infinite or none.

    >>> written_number(mpq(1, 4)), written_number(float("inf"))
    (0.25, 'inf')
    """
    near = near_float(value)
    return near if isfinite(near) else str(near)
