"""Gated cells written unit by unit: each gate as an affine form, lowered to the matrices that a cell takes."""

from collections.abc import Hashable, Mapping, Sequence

from gmpy2 import mpq

from exactnn.constructions.affine import Affine, Scalar
from exactnn.constructions.unit_keys import symbol
from exactnn.errors import ConstructionError, shown

__all__ = ["Gates", "gate_parameters"]

Gates = Mapping[str, Affine | Scalar]
"""The gates of a unit by name: forms over the hidden state, by names of units, and symbols."""


def gate_parameters(
    units: Mapping[Hashable, Gates], alphabet: Sequence[str], defaults: Gates
) -> tuple[dict[str, list[list[mpq]]], dict[str, list[list[mpq]]], dict[str, list[mpq]]]:
    """Return V, W and b of a cell whose hidden state is `units`, in their order.

    Parameters
    ----------
    units : mapping name -> gates
    alphabet : sequence of str
        The symbols of the one-hot input, in their order.
    defaults : gates
        What a gate is that a unit does not have; it says which gates there are.

    Raises
    ------
    ConstructionError
        If a unit has a gate that is not among the defaults, or a form reads what is neither a unit nor a symbol.

    Examples
    --------
    A counter that is kept from going below zero:

    >>> from exactnn.constructions.affine import var
    >>> a, b = symbol("a"), symbol("b")
    >>> V, W, bias = gate_parameters({"n": {"i": a + var("n"), "g": a - b}}, "ab", {"i": 1, "f": 1, "g": 0, "o": 1})
    >>> V["i"], W["g"], bias["f"]
    ([[mpq(1,1)]], [[mpq(1,1), mpq(-1,1)]], [mpq(1,1)])
    """
    state = {name: i for i, name in enumerate(units)}
    inputs = {key: i for i, a in enumerate(alphabet) for key in symbol(a).terms}
    V: dict[str, list[list[mpq]]] = {gate: [] for gate in defaults}
    W: dict[str, list[list[mpq]]] = {gate: [] for gate in defaults}
    b: dict[str, list[mpq]] = {gate: [] for gate in defaults}
    for name, gates in units.items():
        if unknown := [gate for gate in gates if gate not in defaults]:
            raise ConstructionError(f"unit {shown(name)} has the gate {shown(unknown[0])}: use {', '.join(defaults)}")
        for gate, default in defaults.items():
            form = Affine({}) + gates.get(gate, default)
            if missing := [key for key in form.terms if key not in state and key not in inputs]:
                fault = f"gate {gate!r} of unit {shown(name)} reads {shown(missing[0])}"
                raise ConstructionError(f"{fault}, which is neither a unit nor a symbol")
            V[gate].append([form.terms.get(key, mpq(0)) for key in state])
            W[gate].append([form.terms.get(key, mpq(0)) for key in inputs])
            b[gate].append(form.constant)
    return V, W, b
