"""A matrix or a vector for each gate of a cell."""

from collections.abc import Mapping, Sequence
from typing import Any

from exactnn.automata import Transitions
from exactnn.errors import NetworkError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.matrices import exact_matrix, exact_vector
from exactnn.options import mapped

__all__ = ["gate_matrices", "gate_vectors"]


def gate_matrices(
    values: Any, what: str, gates: Sequence[str], *, height: int, width: int | None = None
) -> Transitions[str, Matrix]:
    """Return a matrix for each gate, all of one size; `what` names the parameter in errors.

    >>> gate_matrices({"r": [[1, 2]], "z": [[3, 4]]}, "W", ("r", "z"), height=1)["z"]
    ((mpq(3,1), mpq(4,1)),)
    """
    values = gate_values(values, what, gates, "matrix")
    matrices: dict[str, Matrix] = {}
    for gate in gates:
        matrices[gate] = exact_matrix(values[gate], f"{what}[{gate!r}]", height=height, width=width)
        width = len(matrices[gate][0]) if height else width
    return Transitions(matrices)


def gate_vectors(values: Any, what: str, gates: Sequence[str], *, size: int | None = None) -> Transitions[str, Vector]:
    """Return a vector for each gate, all of one length; `what` names the parameter in errors.

    >>> gate_vectors({"r": [1]}, "b", ("r", "z"))
    Traceback (most recent call last):
        ...
    exactnn.errors.NetworkError: b has no gate 'z': give a vector for each of r, z
    """
    values = gate_values(values, what, gates, "vector")
    vectors: dict[str, Vector] = {}
    for gate in gates:
        vectors[gate] = exact_vector(values[gate], f"{what}[{gate!r}]", size=size)
        size = len(vectors[gate])
    return Transitions(vectors)


def gate_values(values: Any, what: str, gates: Sequence[str], kind: str) -> dict[str, Any]:
    """Return a mapping from exactly these gates; raise NetworkError where `values` is none."""
    every = f"give a {kind} for each of {', '.join(gates)}"
    if not isinstance(values, Mapping):
        raise NetworkError(f"{what} is {shown(values)}, which is no mapping: {every}")
    given = mapped(what, values, error=NetworkError)
    if missing := [gate for gate in gates if gate not in given]:
        raise NetworkError(f"{what} has no gate {shown(missing[0])}: {every}")
    if unknown := [gate for gate in given if gate not in gates]:
        raise NetworkError(f"{what} has the gate {shown(unknown[0])}, which the cell does not have: {every}")
    return given
