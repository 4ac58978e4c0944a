"""What a recurrent layer is: parameters, start state, equations written as units; and stacks of layers as a network."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.matrices import sequence
from exactnn.networks.cell import Registers, StepUnits, recurrent_network
from exactnn.networks.circuit import Circuit
from exactnn.networks.network import Network

__all__ = ["RecurrentLayer", "StackedRNN", "input_width"]


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
    def hidden_size(self) -> int:
        """Length of its hidden state: of the whole state, of a layer that has nothing else."""
        return len(self.start)

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


def StackedRNN(  # noqa: N802  (a constructor by its field's name)
    layers: Sequence[RecurrentLayer],
    *,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    alphabet: Iterable[str] | None = None,
    name: str = "stacked RNN",
) -> Network:
    """Return the network of layers that each read the new hidden state of the one below; the first reads the input.

    Parameters
    ----------
    layers : sequence of RecurrentLayer
        The first at the bottom, of any kinds: `SimpleRNNLayer`, `LSTMLayer` and others.
    readout_weight : vector of length n, or matrix (k by n)
        The output ``w . h + bias``, h being the hidden state of the last layer: a number for a vector, a tuple for a
        matrix.
    readout_bias : number or vector of length k
    alphabet : iterable of str, optional
        Symbols read as one-hot vectors; if it contains "EOS" the protocol is that of intermediate steps, else
        a word is accepted if the output after it is above 0. Without it the network reads vectors.

    Returns
    -------
    Network
        Its state is that of the first layer, then that of the second, and so on, each with its hidden state first.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNNLayer
    >>> layer = SimpleRNNLayer(V=[[1]], W=[[1]], b=[0], s=[0])
    >>> StackedRNN([layer, layer], readout_weight=[1]).circuit.state_names
    ('h1[0]', 'h2[0]')
    """
    parts = _checked(layers)
    starts = [layer.start for layer in parts]
    state_size, input_size = sum(map(len, starts)), parts[0].input_size
    step = StepUnits(state_size + input_size)
    below: Registers = range(state_size, state_size + input_size)
    next_state: list[int] = []
    for i, (layer, start) in enumerate(zip(parts, starts, strict=True)):
        own = range(len(next_state), len(next_state) + len(start))
        following = layer.lower(step, own, below, str(i + 1) if len(parts) > 1 else "")
        below = following[: layer.hidden_size]
        next_state += following
    top = state_size - len(starts[-1])
    return recurrent_network(
        circuit=Circuit(
            state_size=state_size,
            input_size=input_size,
            layers=tuple(step.layers),
            next_state=tuple(next_state),
        ),
        initial_state=tuple(entry for start in starts for entry in start),
        read=range(top, top + parts[-1].hidden_size),
        readout_weight=readout_weight,
        readout_bias=readout_bias,
        alphabet=alphabet,
        name=name,
    )


def _checked(layers: object) -> list[RecurrentLayer]:
    """Return layers that fit one upon the other."""
    parts = sequence(layers, "layers", "a sequence of recurrent layers")
    if not parts:
        raise NetworkError("layers is empty: give one recurrent layer at least")
    for i, layer in enumerate(parts):
        if not isinstance(layer, RecurrentLayer):
            raise NetworkError(f"layers[{i}] is {shown(layer)}: give a recurrent layer, such as an LSTMLayer")
        if i and layer.input_size != parts[i - 1].hidden_size:
            raise NetworkError(
                f"layers[{i}] reads {layer.input_size} numbers, but the hidden state below it has "
                f"{parts[i - 1].hidden_size}: give it input matrices of that width"
            )
    return parts
