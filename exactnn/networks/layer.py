"""What a recurrent layer is: its parameters, its start state, and its equations written as units."""

from abc import ABC, abstractmethod

from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks.step_units import Registers, StepUnits

__all__ = ["RecurrentLayer", "input_width"]


class RecurrentLayer(ABC):
    """One layer of recurrent cells of any kind, in a network of one layer or of several.

    Its state begins with its hidden state, which is what the layer above reads, and the readout above the last.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def input_size(self) -> int:
        """How many numbers it reads."""

    @property
    @abstractmethod
    def hidden_size(self) -> int:
        """Length of its hidden state."""

    @property
    @abstractmethod
    def start(self) -> Vector:
        """Its start state, the hidden state first."""

    @abstractmethod
    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add its units to a step and return the registers of its next state.

        Parameters
        ----------
        step : StepUnits
            The units of the layers below.
        own : registers
            Its last state.
        below : registers
            What it reads: the input, or the new hidden state of the layer below.
        number : str
            What follows the letter in the names of its units, as in ``h2[0]``; empty for a layer alone.
        """


def input_width(matrix: Matrix) -> int:
    """Return the number of columns of an input matrix; 0 if it has no rows."""
    return len(matrix[0]) if matrix else 0
