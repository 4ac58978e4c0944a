"""The states of a run that were recorded, and how they are shown."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from exactnn.arithmetic import count_text, counted, number_cell, value_text
from exactnn.errors import OptionError, shown
from exactnn.files import Data
from exactnn.markup import MOST_ROWS, Cell, InTerminal, Table, cell_grid
from exactnn.options import whole_number
from exactnn.simulation.executor import Values

__all__ = ["END", "Trace", "record_period", "trace_picture"]


MOST_VALUES = 12
"""Values shown of a state."""

ZEROS = ("0", "0.0")

_RECORD = "run with record='all', or with record=k for every k-th state"

END = "end"
"""What `record` is where outputs of steps within the word are not kept."""

_EVERY = re.compile(r"every-[0-9]{1,18}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Data, InTerminal):
    """Recorded states, with the step after which each was recorded; step 0 is the initial state.

    Parameters
    ----------
    names : tuple of str
        Names of the state components.
    steps : tuple of int
    states : tuple of tuples of numbers
        Exact rationals for exact runs, floats for rounded ones; one tuple of d' numbers per entry of `steps`.

    Examples
    --------
    An index gives a state, a name the values of that component, one for each state.

    >>> trace = Trace(names=("h[0]", "h[1]"), steps=(0, 1), states=((0.0, 1.0), (0.5, 2.0)))
    >>> trace[1], trace["h[0]"], trace["h[0]"][1]
    ((0.5, 2.0), (0.0, 0.5), 0.5)

    Numpy makes an array of it, of a row for each state, in which exact numbers are the nearest floats.

    >>> import numpy as np
    >>> from gmpy2 import mpq
    >>> np.array(Trace(names=("h[0]",), steps=(0,), states=((mpq(1, 3),),)), dtype=float)
    array([[0.33333333]])
    """

    names: tuple[str, ...]
    steps: tuple[int, ...] = ()
    states: tuple[Values, ...] = ()

    def _repr_svg_(self) -> str | None:
        return trace_picture(self.names, self.steps, self.states) if self.states and self.names else None

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[Values]:
        return iter(self.states)

    @overload
    def __getitem__(self, index: int) -> Values: ...

    @overload
    def __getitem__(self, index: str) -> Values: ...

    def __getitem__(self, index: int | str) -> Values:
        if not isinstance(index, str):
            if not self.states and not isinstance(index, slice):
                raise OptionError(f"no state {shown(index)} is recorded: {_RECORD}")
            if isinstance(index, int) and not -len(self.states) <= index < len(self.states):
                told = f"{counted(len(self.states), 'state')}, the last after step {count_text(self.steps[-1])}"
                raise IndexError(f"index {count_text(index)} of a trace of {told}")
            return self.states[index]
        component = self._component(index)
        return tuple(state[component] for state in self.states)  # type: ignore[return-value]  # of one arithmetic

    def _component(self, name: str) -> int:
        if not self.states:
            raise OptionError(f"no values of {shown(name)} are recorded: {_RECORD}")
        alike = self.names.count(name)
        if alike > 1:
            raise OptionError(f"{alike} components of the trace are called {shown(name)}: take one from its states")
        if alike:
            return self.names.index(name)
        near = difflib.get_close_matches(name, self.names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise OptionError(f"the trace has no component {shown(name)}: {hint}trace.names lists them")

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each recorded state: floats as they are, and all else as text."""
        if len(set(self.names)) < len(self.names):
            raise OptionError("components of the trace have the same name: take its states")
        return [
            {"step": step, **dict(zip(self.names, map(number_cell, state), strict=True))}
            for step, state in zip(self.steps, self.states, strict=True)
        ]

    def as_table(self) -> Table:
        """Return what terminals show: the values that are not 0 after each recorded step."""
        shown = list(zip(self.steps, self.states, strict=True))[:MOST_ROWS]
        return Table(
            heading=("step", "values that are not 0"),
            rows=tuple((step, self._shown_values(state)) for step, state in shown),
            more=len(self.states) - len(shown),
            longest=1000,
        )

    def _shown_values(self, state: Values) -> str:
        values = [(name, value_text(value)) for name, value in zip(self.names, state, strict=True)]
        values = [(name, text) for name, text in values if text not in ZEROS]
        text = ", ".join(f"{name}: {text}" for name, text in values[:MOST_VALUES])
        return text + (f", … {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else "")

    def __repr__(self) -> str:
        if not self.steps:
            return f"<Trace of {counted(len(self.names), 'number')}: nothing was recorded>"
        steps = f"steps {count_text(self.steps[0])} to {count_text(self.steps[-1])}"
        return f"<Trace of {counted(len(self.names), 'number')}: {counted(len(self.states), 'state')}, {steps}>"


def record_period(record: str | int) -> int | None:
    """Return every how many steps a state is recorded, or None for never.

    Raises
    ------
    OptionError
        If `record` is none of "outputs", "end", "all", "every-k" and k.

    Examples
    --------
    >>> [record_period(record) for record in ("outputs", "all", "every-5", 7)]
    [None, 1, 5, 7]
    """
    period: object = record
    if isinstance(record, str):
        if record in ("outputs", END):
            return None
        period = 1 if record == "all" else int(record[6:]) if _EVERY.fullmatch(record) else None
    try:
        return whole_number("record", period, 1)
    except OptionError:
        what = "'outputs', 'end', 'all', 'every-k' or a whole number k of at least 1"
        raise OptionError(f"record={shown(record)}: give {what}") from None


# --- A trace as a picture for notebooks: a row for each recorded step, a cell for each neuron, its value on hover.

MOST_DRAWN = 60
MOST_NEURONS = 80


def trace_picture(names: Sequence[str], steps: Sequence[int], states: Sequence[Sequence[Any]]) -> str:
    """Return the first 60 recorded states, of at most 80 neurons.

    0 is white, what is larger is darker, 1 and more is darkest; below 0 it is red, and grey where there is no number.

    Examples
    --------
    >>> from gmpy2 import mpq
    >>> "h[0] after step 3: 1/3" in trace_picture(["h[0]"], [3], [[mpq(1, 3)]])
    True
    """
    cells = {
        step: {
            j: Cell(fill=_shade(value), hover=f"{names[j]} after step {step}: {value_text(value)}")
            for j, value in enumerate(state[:MOST_NEURONS])
        }
        for step, state in zip(steps[:MOST_DRAWN], states, strict=False)
    }
    width = min(len(names), MOST_NEURONS)
    heading = f"{len(names)} neurons" if len(names) == width else f"the first {width} of {len(names)} neurons"
    if len(steps) > MOST_DRAWN:
        heading += f", the first {MOST_DRAWN} of {len(steps)} records"
    return cell_grid([(heading, cells)], list(cells), range(width), title="trace")


def _shade(value: Any) -> str:
    try:
        size = min(1.0, abs(float(value)))
    except (TypeError, ValueError, OverflowError):
        return "#bbbbbb"
    if size != size:
        return "#bbbbbb"
    # The square root, so that numbers as small as deep stacks give are seen not to be 0.
    light = round(255 - 200 * size**0.5)
    return f"#ff{light:02x}{light:02x}" if value < 0 else f"#{light:02x}{light:02x}ff"
