"""Networks whose step is written row by row, with products of two quantities, as gated and second-order cells have.

Quantities have names: text without spaces and without a + at its end, as in formulas, or any other hashables, so that
states and symbols of machines can be part of a name.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.constructions.affine import unit_name
from exactnn.constructions.stack_numbers import HALF
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Activation, Circuit, Decision, Network, Protocol, Unit

__all__ = ["Next", "Row", "gated_network"]

AFTER_THE_WORD = Decision(protocol=Protocol.END_OF_WORD, threshold=HALF)


@dataclass(frozen=True, slots=True)
class Next:
    """The name of the next value of the state component `name`; ``Next("q")`` may be written ``"q+"``."""

    name: Hashable


@dataclass(frozen=True, slots=True)
class Row:
    """One unit as a formula: weights by the names that are multiplied, as in ``{"": -1, "q": 4, "q pop": "1/2"}``.

    A text is split at its spaces; the empty one is the bias. Names that are no such text stand in a tuple: ``()`` is
    the bias, ``(name,)`` one name and ``(name, other)`` two. The order of the terms is that in which a rounding
    arithmetic sums them: the bias, the terms with one name as they are written, then those with two.
    """

    activation: Activation
    terms: Mapping[Any, ExactNumber]

    def unit(self, name: str, registers: Mapping[Hashable, int]) -> Unit:
        """Return the unit that reads the names from these registers.

        Raises
        ------
        ConstructionError
            If a name has no register before this unit, or more than two are multiplied.
        """
        factors = [(_read(key, registers, name), exact(weight)) for key, weight in self.terms.items()]
        return Unit(
            name=name,
            bias=sum((weight for read, weight in factors if not read), mpq(0)),
            linear=tuple((read[0], weight) for read, weight in factors if len(read) == 1),
            bilinear=tuple((read[0], read[1], weight) for read, weight in factors if len(read) == 2),
            activation=self.activation,
        )


def gated_network(
    *,
    state: Mapping[Any, ExactNumber],
    inputs: Mapping[Any, str],
    layers: Sequence[Mapping[Any, Row]],
    output: Mapping[Any, ExactNumber],
    name: str,
    decision: Decision = AFTER_THE_WORD,
) -> Network:
    """Return the network of a step that is written in rows.

    Parameters
    ----------
    state : mapping name -> start value
    inputs : mapping name -> symbol
        What rows call the component that is 1 if that symbol is read.
    layers : sequence of mappings name -> Row
        A row reads the state, the input and the layers before its own. The row called ``q+``, or ``Next(q)``, gives the
        next value of the state ``q``; every state has one.
    output : mapping as the terms of a row
        A sum over the state.
    decision : Decision
        By default a word is accepted if the output after it is above 1/2.

    Raises
    ------
    ConstructionError
        If a row reads what is not there before it, or a state has no row for its next value.

    Examples
    --------
    >>> add = {"c+": Row(Activation.IDENTITY, {"c": 1, "a": 1})}
    >>> ones = gated_network(state={"c": 0}, inputs={"a": "1", "b": "0"}, layers=[add], output={"c": 1}, name="some 1")
    >>> ones.circuit.state_names, ones.circuit.layers[0][0].linear
    (('c',), ((0, mpq(1,1)), (1, mpq(1,1))))
    """
    registers: dict[Hashable, int] = {key: i for i, key in enumerate([*state, *inputs])}
    lowered = []
    for layer in layers:
        rows = {_whole(key): row for key, row in layer.items()}
        lowered.append(tuple(row.unit(_printed(key), registers) for key, row in rows.items()))
        registers |= {key: len(registers) + i for i, key in enumerate(rows)}
    if missing := [key for key in state if Next(key) not in registers]:
        raise ConstructionError(f"state {shown(missing[0])} has no row for its next value: add {Next(missing[0])}")
    return Network(
        circuit=Circuit(
            state_size=len(state),
            input_size=len(inputs),
            layers=tuple(lowered),
            next_state=tuple(registers[Next(key)] for key in state),
        ),
        initial_state=tuple(map(exact, state.values())),
        readout=(Row(Activation.IDENTITY, output).unit("output", registers),),
        alphabet=tuple(inputs.values()),
        decision=decision,
        name=name,
    )


def _read(key: str | tuple[Hashable, ...], registers: Mapping[Hashable, int], unit: str) -> tuple[int, ...]:
    """Return the registers of the names that a term multiplies."""
    names = tuple(map(_whole, key.split() if isinstance(key, str) else key))
    if unknown := [name for name in names if name not in registers]:
        raise ConstructionError(f"unit {shown(unit)} reads {shown(unknown[0])}, which is not there before it")
    if len(names) > 2:
        raise ConstructionError(f"unit {shown(unit)} multiplies {len(names)} names: a term has at most two")
    return tuple(registers[name] for name in names)


def _whole(name: Hashable) -> Hashable:
    """Return ``Next("q")`` for ``"q+"``, and any other name as it is."""
    return Next(name[:-1]) if isinstance(name, str) and name.endswith("+") else name


def _printed(key: Hashable) -> str:
    return unit_name(key.name if isinstance(key, Next) else key)
