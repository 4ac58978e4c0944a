"""The doubling LSTM: two forget gates, whose sum multiplies the cell state."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from exactnn.arithmetic import ExactNumber
from exactnn.networks.activation import Activation
from exactnn.networks.layer import StackedRNN
from exactnn.networks.lstm import LSTMLayer
from exactnn.networks.network import Network
from exactnn.networks.notation import named_as_in_torch
from exactnn.networks.squashing import Squashing
from exactnn.networks.step_units import Registers, StepUnits, additions

__all__ = ["DoublingLSTM", "DoublingLSTMLayer"]


@named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class DoublingLSTMLayer(LSTMLayer):
    """A layer of doubling LSTM cells, for :func:`StackedRNN`; :func:`DoublingLSTM` has its equations and parameters."""

    GATES: ClassVar[tuple[str, ...]] = ("i", "f1", "f2", "g", "o")

    def forget(self, step: StepUnits, gates: Mapping[str, Registers], number: str) -> Registers:
        """Add the sum of the two forget gates and return its registers."""
        return step.add(additions(f"f{number}", gates["f1"], gates["f2"]))


@named_as_in_torch
def DoublingLSTM(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Mapping[str, Sequence[Sequence[ExactNumber]]],
    W: Mapping[str, Sequence[Sequence[ExactNumber]]],
    b: Mapping[str, Sequence[ExactNumber]],
    h: Sequence[ExactNumber] | None = None,
    c: Sequence[ExactNumber] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    gate: str | Activation | Squashing = "sigmoid",
    candidate: str | Activation | Squashing = "tanh",
    output: str | Activation | Squashing = "tanh",
    alphabet: Iterable[str] | None = None,
    name: str = "doubling LSTM",
) -> Network:
    """Return an LSTM with two forget gates, ``c(t) = (f1(t) + f2(t)) * c(t-1) + i(t) * g(t)``.

    All else is as in :func:`~exactnn.networks.lstm.LSTM`. With saturated gates f1 + f2 is 0, 1 or 2: the cell state is
    reset, kept or doubled, as a binary stack needs it.

    Parameters
    ----------
    V, W, b : mappings from "i", "f1", "f2", "g" and "o"
        To a recurrent matrix (n by n), an input matrix (n by d) and a bias (n); `weight_hh`, `weight_ih`
        and `bias` are the same.
    h, c, readout_weight, readout_bias, gate, candidate, output, alphabet
        As in :func:`~exactnn.networks.lstm.LSTM`.

    Raises
    ------
    NetworkError, NumberError
        If a gate is missing or unknown, sizes do not fit, or an entry is not an exact number.

    Notes
    -----
    The lecture that makes this cell up prints the same weights for both forget gates. Saturated gates then agree, so
    that f1 + f2 is 0 or 2 and nothing can be kept. Here each has its own weights; for the cell as printed give both the
    same ones.

    Examples
    --------
    The value of a binary numeral: every digit doubles, and 1 adds one.

    >>> gates = ("i", "f1", "f2", "g", "o")
    >>> value = DoublingLSTM(
    ...     V={gate: [[0]] for gate in gates},
    ...     W={gate: [[0, 1]] if gate == "g" else [[0, 0]] for gate in gates},
    ...     b={gate: [0] if gate == "g" else [1] for gate in gates},
    ...     readout_weight=[1], gate="step", candidate="sign", output="identity", alphabet="01",
    ... )
    >>> from exactnn.simulation import run
    >>> [str(y) for y in run(value, "1011").outputs]
    ['1', '2', '5', '11']
    """
    layer = DoublingLSTMLayer(V=V, W=W, b=b, h=h, c=c, gate=gate, candidate=candidate, output=output)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
