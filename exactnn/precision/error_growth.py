"""Numbers over time: components of a state, and the largest error after each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import (
    EXACT,
    FLOAT32,
    FLOAT64,
    AnyArithmetic,
    AnyFormats,
    Arithmetic,
    EnclosingArithmetic,
    Enclosure,
    Format,
    any_arithmetic,
    counted,
    exact_cell,
    formats_of,
    number_cell,
    short_text,
    value_text,
)
from exactnn.errors import OptionError, SizeLimitError, shown
from exactnn.files import DataTable
from exactnn.markup import MOST_ROWS, Entry, Table, named
from exactnn.networks import AnyNetwork, network_of
from exactnn.options import listed
from exactnn.outcome import Outcome
from exactnn.precision.divergence import Divergence, Lockstep
from exactnn.simulation import values_along, whole_run
from exactnn.size_limit import SizeLimit

__all__ = ["ErrorGrowth", "FormatErrors", "Trajectory", "error_growth", "trajectory"]


ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatErrors:
    """The errors of one format; entry t of each tuple is of the state after t steps, 0 the initial one.

    Parameters
    ----------
    arithmetic : Format
    errors : tuple of (mpq or None)
        The largest absolute error of a neuron, exactly, or what it is at most where the true value is enclosed; None
        where a value is infinite or NaN.
    neurons : tuple of (str or None)
        The neuron that has it; None where all values are exact.
    divergence : Divergence
        The first wrong value, configuration and verdict.
    """

    arithmetic: Format
    errors: tuple[mpq | None, ...]
    neurons: tuple[str | None, ...]
    divergence: Divergence


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGrowth(DataTable):
    """The errors of several formats on one word, up to the exact verdict.

    Parameters
    ----------
    name : str
        Of the network.
    word : tuple
    outcome : Outcome
        Of the exact run.
    steps : int
        Network steps compared.
    formats : tuple of FormatErrors
    complete : bool
        False if it was interrupted, or the errors fill the memory; the steps until then are here.
    """

    name: str
    word: tuple[object, ...]
    outcome: Outcome
    steps: int
    formats: tuple[FormatErrors, ...]
    complete: bool = True

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each format and step: the largest error, rounded to a float64 and exactly, and its place."""
        return [
            {
                "format": str(found.arithmetic),
                "step": step,
                "error": inf if error is None else float(error),
                "error_exact": None if error is None else exact_cell(error),
                "neuron": neuron,
            }
            for found in self.formats
            for step, (error, neuron) in enumerate(zip(found.errors, found.neurons, strict=True))
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the largest error of each format after each step."""
        shown = range(min(self.steps + 1, MOST_ROWS))
        return Table(
            title=f"{self.name}: largest error",
            heading=("step", *(str(found.arithmetic) for found in self.formats)),
            rows=tuple((step, *(_shown_error(found, step) for found in self.formats)) for step in shown),
            more=self.steps + 1 - len(shown),
            note="" if self.complete else "interrupted: these are the steps until then",
        )

    def __repr__(self) -> str:
        wrong = (f"{found.arithmetic} {_first_wrong(found.divergence)}" for found in self.formats)
        sizes = f"{counted(self.steps, 'step')}{', interrupted' * (not self.complete)}"
        return f"<ErrorGrowth of {named(self.name)}, {sizes}: {'; '.join(wrong)}>"


def _shown_error(found: FormatErrors, step: int) -> Entry:
    if step >= len(found.errors):
        return Entry("-")
    error, neuron = found.errors[step], found.neurons[step]
    if error is None:
        return Entry("not finite", told=neuron, mark="wrong")
    if not error:
        return Entry("0")
    wrong = found.divergence.step == step
    return Entry(short_text(error, limit=12), told=f"{neuron}: {short_text(error, limit=200)}", mark="wrong" * wrong)


def _first_wrong(found: Divergence) -> str:
    return "right" if found.step is None else f"wrong from step {found.step:,}"


def error_growth(
    network: AnyNetwork,
    word: str | Sequence[object],
    formats: AnyFormats = (FLOAT64, FLOAT32),
    *,
    max_steps: int | None = None,
) -> ErrorGrowth:
    """Run `network` on a word exactly and in every format, and return how large the errors are after each step.

    All runs take the same steps until the exact one is decided. With activations such as tanh its numbers are
    enclosed, and so narrowly that the errors are known.

    Parameters
    ----------
    network : Network or Construction
        Configurations are compared for a construction only.
    formats : sequence of Format
    max_steps : int, optional
        Compare at most this many network steps. An error is kept for every step.

    Raises
    ------
    WordError, OptionError, UnsupportedArithmeticError
        As :func:`exactnn.run`; OptionError also if there is no format.

    Notes
    -----
    Ctrl-C returns the steps that are compared, with `complete` False.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.arithmetic import FloatFormat
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> found = error_growth(thirds, [1, 0, 0], [FloatFormat(precision=2, exponent_bits=4)])
    >>> found.formats[0].errors
    (mpq(0,1), mpq(0,1), mpq(1,24), mpq(1,72))
    """
    asked = formats_of(formats)
    lockstep = Lockstep(network, asked)
    divergences = lockstep.compare(word, max_steps=max_steps)
    inputs = lockstep.network.inputs(word)
    steps = divergences[0].steps
    executors = [lockstep.true.executor, *(executor for _, executor in lockstep.rounded)]
    states = [values_along(executor, inputs, steps) for executor in executors]
    names = lockstep.network.circuit.state_names
    columns: list[list[tuple[mpq | None, str | None]]] = [[] for _ in asked]
    complete = divergences[0].outcome is not Outcome.INTERRUPTED
    size = SizeLimit()
    try:
        for exact, *computed in zip(*states, strict=True):
            row = [_largest(names, exact, values) for values in computed]
            size.keep(error or ZERO for error, _ in row)
            for column, entry in zip(columns, row, strict=True):
                column.append(entry)
    except (KeyboardInterrupt, SizeLimitError):
        complete = False
    done = len(columns[-1])
    return ErrorGrowth(
        name=lockstep.network.name,
        word=divergences[0].word,
        outcome=divergences[0].outcome,
        steps=max(0, done - 1),
        formats=tuple(
            FormatErrors(
                arithmetic=found.arithmetic,
                errors=tuple(error for error, _ in column[:done]),
                neurons=tuple(neuron for _, neuron in column[:done]),
                divergence=found,
            )
            for found, column in zip(divergences, columns, strict=True)
        ),
        complete=complete,
    )


def _largest(names: Sequence[str], exact: Any, computed: Any) -> tuple[mpq | None, str | None]:
    """Return the largest error of a state and the first neuron that has it."""
    largest, neuron = ZERO, None
    for name, true, rounded in zip(names, exact, computed, strict=True):
        if true != rounded:
            if isinstance(rounded, float) and not isfinite(rounded):
                return None, name
            given = mpq(rounded)
            error = max(abs(given - bound) for bound in true) if isinstance(true, Enclosure) else abs(given - true)
            if error > largest:
                largest, neuron = error, name
    return largest, neuron


# --- The states of a run as curves: chosen components of the state after every step, in several arithmetics.


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory(DataTable):
    """Components of the state of one run.

    Parameters
    ----------
    name : str
        Of the network.
    word : str or tuple
    arithmetic : Arithmetic
    components : tuple of str
        Names of the state components, such as "c[0]".
    values : tuple of tuples
        Entry t has the components after t steps, 0 the initial state: numbers as the trace of a run has them.
    """

    name: str
    word: Any
    arithmetic: Arithmetic | EnclosingArithmetic
    components: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    @property
    def steps(self) -> int:
        """How many steps there were."""
        return len(self.values) - 1

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each step: floats as they are, and all else as text."""
        return [
            {"step": step, **dict(zip(self.components, map(number_cell, values), strict=True))}
            for step, values in enumerate(self.values)
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the components after each step."""
        shown = self.values[:MOST_ROWS]
        return Table(
            title=f"{self.name} in {self.arithmetic}",
            heading=("step", *self.components),
            rows=tuple((step, *map(_entry, values)) for step, values in enumerate(shown)),
            more=len(self.values) - len(shown),
        )

    def __repr__(self) -> str:
        parts = f"{counted(len(self.components), 'component')}, {counted(self.steps, 'step')}"
        return f"<Trajectory of {named(self.name)} in {self.arithmetic}: {parts}>"


def _entry(value: Any) -> Entry:
    return Entry(value_text(value), told=value_text(value, limit=200))


def trajectory(
    network: AnyNetwork,
    word: str | Sequence[object],
    arithmetic: AnyArithmetic = EXACT,
    *,
    components: str | Sequence[str] = "",
    max_steps: int | None = None,
) -> Trajectory:
    """Run `network` on a word and return components of its state after every step.

    Parameters
    ----------
    network : Network or Construction
    word : str or sequence
    arithmetic : Arithmetic
    components : str or sequence of str
        The names, or what the names begin with: "c" are the cell states of an LSTM of one layer, "h" hidden states.
        All components by default.
    max_steps : int, optional

    Raises
    ------
    OptionError
        If there is no such component; otherwise as :func:`exactnn.run`.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> parts = {"V": [[1]], "W": [[1, -1]], "b": [0], "s": [0]}
    >>> counter = SimpleRNN(**parts, readout_weight=[1], activation="identity", alphabet="ab")
    >>> [str(value) for (value,) in trajectory(counter, "aaabb").values]
    ['0', '1', '2', '3', '2', '1']
    """
    arithmetic = any_arithmetic(arithmetic)
    names = network_of(network).circuit.state_names
    chosen = _chosen(names, components)
    trace = whole_run(network, word, arithmetic=arithmetic, max_steps=max_steps, record="all").trace
    return Trajectory(
        name=network_of(network).name,
        word=word if isinstance(word, str) else tuple(word),
        arithmetic=arithmetic,
        components=tuple(names[index] for index in chosen),
        values=tuple(tuple(state[index] for index in chosen) for state in trace.states),
    )


def _chosen(names: Sequence[str], components: str | Sequence[str]) -> list[int]:
    """Return the places of the components, in the order of the state."""
    if isinstance(components, str):
        chosen = [index for index, name in enumerate(names) if name.startswith(components)]
    else:
        wanted = listed("components", components, "how names begin, or a collection of names")
        unknown = [name for name in wanted if not isinstance(name, str) or name not in names]
        if unknown:
            raise OptionError(f"component {shown(unknown[0])}: the network has {', '.join(names[:20])}")
        chosen = [index for index, name in enumerate(names) if name in wanted]
    if not chosen:
        raise OptionError(f"components={shown(components)}: the network has {', '.join(names[:20])}")
    return chosen
