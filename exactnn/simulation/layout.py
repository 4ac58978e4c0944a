"""What the compiled loop reads: a network as flat arrays, how its units are computed, and where a run stops."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from exactnn.simulation.carriers.fixed import Fixed
from exactnn.simulation.carriers.native import Native
from exactnn.simulation.carriers.pair import Pair
from exactnn.simulation.carriers.rounded import Rounded, Short
from exactnn.simulation.float_rows import Columns, Rows

__all__ = ["Carrier", "Layout", "Manner", "Room", "Special", "Stop"]

Array = NDArray[Any]

Carrier = Native | Short | Rounded | Pair | Fixed


class Special(NamedTuple):
    """How a sum is made that is not the plain one: bias first, each term rounded, and each sum."""

    outer: Carrier
    """The carrier of results."""
    converts: bool
    """Whether that of sums is another one."""
    fused: bool
    """Whether a product is added with one rounding; products must be exact."""
    gathers: bool
    """Whether all terms are computed before they are summed up."""
    pairwise: bool
    """Whether they are then added in pairs, bias first, and pairs of these; if not, one by one, bias last."""


class Manner(NamedTuple):
    """How units are computed."""

    inner: Carrier
    """The carrier of terms and sums."""
    special: Special | None
    smooth: bool | None
    """True if there are smooth units, else None: their code takes long to compile."""
    skip: bool
    """Whether terms of registers that are 0, in all lanes, may be left out: they change no sum."""


class Layout(NamedTuple):
    """A network as flat arrays.

    Registers are the state, the inputs, the units, and the numbers of the readout, in this order.
    """

    rows: Rows
    """The units of all layers, then those of the readout."""
    columns: Columns | None
    """The linear terms of one run once more, by layer and register, if they are added in that order."""
    layers: Array
    """Of each layer the first unit and the one after the last, the same of its columns; the last is the readout."""
    next_state: Array
    """The registers that become the state."""
    first: int
    """The register of the first unit."""


class Room(NamedTuple):
    """Space to work in; what is in it before and after means nothing."""

    following: Array
    """For the next state."""
    terms: Array
    """For the terms of the longest unit, and two more numbers."""
    active: Array
    """For each register whether it is not 0 in some lane."""


class Stop(NamedTuple):
    """Where a run stops before there are as many outputs as are asked for: lane 0 tells."""

    undecided: int
    """In so many steps a verdict stops nothing."""
    threshold: Any
    """Outputs beyond it, or below its negative, are verdicts."""
    anchors: Array
    """Up to one row, a state: a step that leads to it is the last."""
