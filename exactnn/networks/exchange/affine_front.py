"""A recurrent layer behind an affine map: what an embedding or a linear layer below it does to its input."""

from dataclasses import dataclass

from exactnn.errors import NetworkError
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.cell import Registers, StepUnits, rows
from exactnn.networks.layer import RecurrentLayer, input_width

__all__ = ["AffineFront"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AffineFront(RecurrentLayer):
    """The recurrent layer ``layer(weight x + bias)``.

    The affine map is a layer of units of its own and not multiplied into the layer's matrix: each of its values is
    summed and rounded by itself, as libraries do it. Of a one-hot x they are the entries of an embedding as they are.

    Parameters
    ----------
    weight : matrix (n by d)
    bias : vector of length n
    layer : RecurrentLayer
        It reads n numbers.

    Raises
    ------
    NetworkError
        If the layer reads another number of them.
    """

    weight: Matrix
    bias: Vector
    layer: RecurrentLayer

    def __post_init__(self) -> None:
        if self.layer.input_size != len(self.weight):
            raise NetworkError(
                f"a layer that reads {self.layer.input_size} numbers has {len(self.weight)} below it: give it input "
                "matrices of that width"
            )

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.weight)

    @property
    def hidden_size(self) -> int:
        """Length of the hidden state."""
        return self.layer.hidden_size

    @property
    def start(self) -> Vector:
        """The start state of the recurrent layer."""
        return self.layer.start

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add the units ``e`` of the affine map and those of the layer; :meth:`RecurrentLayer.lower` says more."""
        values = step.add(rows(f"e{number}", self.bias, sums=[(below, self.weight)]))
        return self.layer.lower(step, own, values, number)
