"""A trace as a picture for notebooks: a row for each recorded step, a cell for each neuron, its value on hover."""

from collections.abc import Sequence
from typing import Any

from exactnn.arithmetic import value_text
from exactnn.markup import Cell, cell_grid

__all__ = ["trace_picture"]

MOST_ROWS = 60
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
        for step, state in zip(steps[:MOST_ROWS], states, strict=False)
    }
    width = min(len(names), MOST_NEURONS)
    heading = f"{len(names)} neurons" if len(names) == width else f"the first {width} of {len(names)} neurons"
    if len(steps) > MOST_ROWS:
        heading += f", the first {MOST_ROWS} of {len(steps)} records"
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
