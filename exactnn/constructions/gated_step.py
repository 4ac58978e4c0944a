"""Steps with gates: units that choose between values, and the rules of machines made of them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.constructions.affine import Affine, symbol, total, unit_name, var
from exactnn.constructions.stack_numbers import HALF
from exactnn.errors import ConstructionError, shown
from exactnn.networks import EOS, Activation, Circuit, Decision, Network, Protocol, Unit

__all__ = ["GatedRule", "Next", "Row", "add_gated_rule", "gated_network", "state_component"]


# --- Rules of machines with vector stacks as gated units: in this state, with these tops, on this input, these values.


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedRule:
    """In `source`, with these tops, and a word symbol or EOS if `reads` says so: the next state and values.

    Parameters
    ----------
    source, target : hashable
        States, one of which is indicated by 1.
    tops : mapping stack -> symbol
        The stack s has the component (s, a) for its symbol a, at least (b-1)/b if a is on top and at most 1/b if not.
    values : mapping component -> Affine
        The next values of other components than states.
    reads : "", "word" or "EOS"
    """

    source: Hashable
    tops: Mapping[str, Hashable]
    target: Hashable
    values: Mapping[Hashable, Affine]
    reads: str = ""


def state_component(state: Hashable) -> Hashable:
    """Return the component that is 1 in this state."""
    return ("state", state)


def add_gated_rule(
    number: int,
    rule: GatedRule,
    base: int,
    hidden: dict[Hashable, Affine],
    emitted: dict[Hashable, list[Affine]],
) -> None:
    """Add the hidden units of a rule, and what they emit.

    A gate is positive or zero where state, tops and input match, and at most -vmax elsewhere: each new value v is
    ReLU(v + gate) - ReLU(gate). That takes a base above k + 1 for k tops.
    """
    values = {state_component(rule.target): Affine({}, 1)} | dict(rule.values)
    gate = _gate(rule, base, max(form.upper_bound() for form in values.values()))
    shared = Affine({})
    if rule.tops:  # the gate of a match may exceed 0, and is subtracted again
        hidden["gate", number] = gate
        shared = var(("gate", number))
    for component, form in values.items():
        hidden["rule", number, component] = form + gate
        emitted.setdefault(component, []).append(var(("rule", number, component)) - shared)


def _gate(rule: GatedRule, base: int, vmax: mpq) -> Affine:
    """Return a form that is in [0, ...] on a match of state, tops and input, and at most -vmax elsewhere."""
    k = len(rule.tops)
    slope = vmax * base / (base - 1 - k)
    height = vmax + k * slope / base
    gate = height * (var(state_component(rule.source)) - 1)
    gate = gate + slope * total(var((stack, a)) - mpq(base - 1, base) for stack, a in rule.tops.items())
    if rule.reads == "word":
        gate = gate - height * symbol(EOS)
    elif rule.reads == "EOS":
        gate = gate + height * (symbol(EOS) - 1)
    return gate


# --- Networks whose step is written row by row, with products of two quantities, as gated and second-order cells have.
#
# Quantities have names: text without spaces and without a + at its end, as in formulas, or any other hashables, so that
# states and symbols of machines can be part of a name.

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
