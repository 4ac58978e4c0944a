"""Networks whose step is written row by row, with products of two quantities, as gated and second-order cells have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.networks import Activation, Circuit, Decision, Network, Protocol, Unit

__all__ = ["Row", "gated_network"]

HALF = mpq(1, 2)


@dataclass(frozen=True, slots=True)
class Row:
    """One unit as a formula: weights by the names that are multiplied, as in ``{"": -1, "q": 4, "q pop": "1/2"}``.

    The empty text is the bias. The order of the terms is that in which a rounding arithmetic sums them: the bias, the
    terms with one name as they are written, then those with two.
    """

    activation: Activation
    terms: Mapping[str, ExactNumber]

    def unit(self, name: str, registers: Mapping[str, int]) -> Unit:
        """Return the unit that reads the names from these registers."""
        factors = [
            (tuple(registers[part] for part in text.split()), exact(weight)) for text, weight in self.terms.items()
        ]
        return Unit(
            name=name,
            bias=sum((weight for read, weight in factors if not read), mpq(0)),
            linear=tuple((read[0], weight) for read, weight in factors if len(read) == 1),
            bilinear=tuple((read[0], read[1], weight) for read, weight in factors if len(read) == 2),
            activation=self.activation,
        )


def gated_network(
    *,
    state: Mapping[str, ExactNumber],
    inputs: Mapping[str, str],
    layers: Sequence[Mapping[str, Row]],
    output: Mapping[str, ExactNumber],
    name: str,
) -> Network:
    """Return a network that accepts a word if its output after it is above 1/2.

    Parameters
    ----------
    state : mapping name -> start value
    inputs : mapping name -> symbol
        What rows call the component that is 1 if that symbol is read.
    layers : sequence of mappings name -> Row
        A row reads the state, the input and the layers before its own. The row called ``q+`` gives the next value of
        the state ``q``; every state has one.
    output : mapping name -> weight
        A sum over the state.

    Examples
    --------
    >>> add = {"c+": Row(Activation.IDENTITY, {"c": 1, "a": 1})}
    >>> ones = gated_network(state={"c": 0}, inputs={"a": "1", "b": "0"}, layers=[add], output={"c": 1}, name="some 1")
    >>> ones.circuit.state_names, ones.circuit.layers[0][0].linear
    (('c',), ((0, mpq(1,1)), (1, mpq(1,1))))
    """
    registers = {key: i for i, key in enumerate([*state, *inputs])}
    lowered = []
    for layer in layers:
        lowered.append(tuple(row.unit(key.removesuffix("+"), registers) for key, row in layer.items()))
        registers |= {key: len(registers) + i for i, key in enumerate(layer)}
    circuit = Circuit(
        state_size=len(state),
        input_size=len(inputs),
        layers=tuple(lowered),
        next_state=tuple(registers[f"{key}+"] for key in state),
    )
    return Network(
        circuit=circuit,
        initial_state=tuple(map(exact, state.values())),
        readout=(Row(Activation.IDENTITY, output).unit("output", registers),),
        alphabet=tuple(inputs.values()),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=HALF),
        name=name,
    )
