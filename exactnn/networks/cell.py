"""What every cell needs around its circuit: a readout from matrices, an alphabet, a protocol."""

from collections.abc import Iterable, Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError, shown
from exactnn.networks.activation import Activation
from exactnn.networks.circuit import Circuit, Unit, affine_unit
from exactnn.networks.decision import EOS, Decision, Protocol
from exactnn.networks.matrix import exact_entry, exact_matrix, exact_vector, is_sequence, sequence
from exactnn.networks.network import Network

__all__ = ["recurrent_network"]


def recurrent_network(
    *,
    circuit: Circuit,
    initial_state: Sequence[mpq],
    read: range,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber],
    alphabet: Iterable[str] | None,
    name: str,
) -> Network:
    """Return the network of a cell's circuit with a linear readout.

    Parameters
    ----------
    circuit : Circuit
    initial_state : vector of length d'
    read : range
        The state components that the readout reads: all, or those of the top layer.
    readout_weight : vector of length len(read), or matrix (k by len(read))
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector of length k
    alphabet : iterable of str, optional
        Symbols read as one-hot vectors; with "EOS" among them the protocol is that of intermediate steps, else a
        word is accepted if the output after it is above 0. Without it the network reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If the parts do not fit each other, or an entry is not an exact number.
    """
    readout, scalar = _readout(readout_weight, readout_bias, read)
    symbols = None if alphabet is None else _symbols(alphabet)
    return Network(
        circuit=circuit,
        initial_state=tuple(initial_state),
        readout=readout,
        alphabet=symbols,
        decision=_decision(symbols, scalar),
        scalar_output=scalar,
        name=name,
    )


def _readout(weight: Any, bias: Any, top: range) -> tuple[tuple[Unit, ...], bool]:
    """Return the readout of the top layer, and whether it is a single number."""
    entries = sequence(weight, "readout_weight", "a vector or a matrix of exact numbers")
    scalar = not (entries and is_sequence(entries[0]))
    rows: tuple[tuple[mpq, ...], ...]
    if scalar:
        rows = (exact_vector(entries, "readout_weight", size=len(top)),)
    else:
        rows = exact_matrix(entries, "readout_weight", width=len(top))
    if is_sequence(bias):
        biases = exact_vector(bias, "readout_bias", size=len(rows))
    else:
        biases = (exact_entry(bias, "readout_bias"),) * len(rows)
    units = tuple(
        affine_unit("output" if scalar else f"output[{i}]", zip(top, row, strict=True), biases[i], Activation.IDENTITY)
        for i, row in enumerate(rows)
    )
    return units, scalar


def _symbols(alphabet: Iterable[str]) -> tuple[str, ...]:
    if not isinstance(alphabet, str) and not is_sequence(alphabet):
        raise NetworkError(f"alphabet is {shown(alphabet)}: give a sequence of symbols, one per input component")
    return tuple(alphabet)


def _decision(alphabet: tuple[str, ...] | None, scalar: bool) -> Decision:
    if alphabet is None or not scalar:
        return Decision(protocol=Protocol.OUTPUTS)
    has_eos = any(isinstance(symbol, str) and symbol == EOS for symbol in alphabet)  # an array is no symbol
    return Decision(protocol=Protocol.EOS_VERDICT if has_eos else Protocol.END_OF_WORD)
