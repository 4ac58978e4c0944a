"""Recurrent layers beside each other that read the same: the heads of a layer of linear attention."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactnn.linear_algebra import Vector
from exactnn.networks.cell import Registers, StepUnits
from exactnn.networks.layer import RecurrentLayer

__all__ = ["SideBySide", "beside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide(RecurrentLayer):
    """Layers that read the same input; the hidden state is that of the first, then that of the second, and so on.

    Parameters
    ----------
    layers : tuple of RecurrentLayer
        At least one, all of the same input size.
    """

    layers: tuple[RecurrentLayer, ...]

    @property
    def input_size(self) -> int:
        """How many numbers each of them reads."""
        return self.layers[0].input_size

    @property
    def hidden_size(self) -> int:
        """The sum of their hidden sizes."""
        return sum(layer.hidden_size for layer in self.layers)

    @property
    def start(self) -> Vector:
        """The hidden states of all of them, then the rest of each start state."""
        starts = [(layer.start, layer.hidden_size) for layer in self.layers]
        hidden = [number for start, size in starts for number in start[:size]]
        return (*hidden, *(number for start, size in starts for number in start[size:]))

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units of each, with its place among them in their names; :meth:`RecurrentLayer.lower` says more."""
        hidden: list[int] = []
        rest: list[int] = []
        read = self.hidden_size
        for place, layer in enumerate(self.layers, 1):
            size, more = layer.hidden_size, len(layer.start) - layer.hidden_size
            first, then = len(hidden), read + len(rest)
            mine = (*own[first : first + size], *own[then : then + more])
            following = layer.lower(step, mine, below, f"{number}:{place}")
            hidden += following[:size]
            rest += following[size:]
        return (*hidden, *rest)


def beside(layers: Sequence[RecurrentLayer]) -> RecurrentLayer:
    """Return layers beside each other as one; one alone is itself.

    >>> from exactnn.networks.diagonal_ssm import DiagonalSSMLayer
    >>> fades = DiagonalSSMLayer(a=["1/2"], B=[[1]], C=[[3]])
    >>> beside([fades]) is fades, beside([fades, fades]).start
    (True, (mpq(0,1), mpq(0,1), mpq(0,1), mpq(0,1)))
    """
    return layers[0] if len(layers) == 1 else SideBySide(layers=tuple(layers))
