"""Have the identities of the lower bound 2n a solution with fewer states? An SMT solver decides, pattern by pattern.

The argument of :func:`refute_unitary_candidate` has two halves: a twin satisfies three identities of matrices on some
cell of inputs, and these need 2n states. This is a cross-check of the second half, by z3.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as tuples
from typing import Any

from exactnn.arithmetic import counted
from exactnn.contraction.lower_bounds.smt import MOST_UNKNOWN, milliseconds, z3_module
from exactnn.options import seconds, whole_number

__all__ = ["CellAnswer", "smt_cell_lower_bound"]

Rows = list[list[Any]]
Pattern = tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAnswer:
    """Whether ``C D₁ F = I``, ``C D₂ U D₁ F = 0``, ``C D₂ F = I`` can be true of an orthogonal U with m states.

    Parameters
    ----------
    inputs, states : int
    possible : bool or None
        False: they cannot, for any patterns D₁ and D₂ of units that are on. So no unitary ReLU network with m states is
        a twin of ``relu_witness(n)``. True: they can, which makes no twin yet. None: not decided.
    patterns : pair of patterns, or None
        Those of a solution, or the first that are not decided.
    """

    inputs: int
    states: int
    possible: bool | None
    patterns: tuple[Pattern, Pattern] | None

    def __str__(self) -> str:
        size = f"{counted(self.states, 'state')} and {counted(self.inputs, 'input')}"
        if self.possible is None:
            return f"not decided whether the identities have a solution with {size}"
        return f"the identities have {'a' if self.possible else 'no'} solution with {size}"


def smt_cell_lower_bound(inputs: int, states: int, *, max_seconds: float = 60) -> CellAnswer:
    """Ask z3 whether the identities that a twin of ``relu_witness(n)`` satisfies on a cell have a solution.

    Parameters
    ----------
    inputs : int
        n.
    states : int
        m.
    max_seconds : float
        Time for the solver.

    Raises
    ------
    OptionError
        If a number is out of range.
    MissingExtraError
        If z3 is not installed.

    Notes
    -----
    Each pair of patterns is a question of its own, about real polynomials; units may change places, so that those that
    D₁ has on come first. For m = 1, U is 1 or -1, for m = 2 a rotation, or one with its second column reversed. That
    decides n = m = 2 in some seconds; without it z3 does not come to an end. For n = 2, m = 3 it does not either.

    Examples
    --------
    >>> print(smt_cell_lower_bound(1, 1))
    the identities have no solution with 1 state and 1 input
    >>> print(smt_cell_lower_bound(1, 2))
    the identities have a solution with 2 states and 1 input
    """
    inputs, states = (
        whole_number(name, number, 1, MOST_UNKNOWN) for name, number in (("inputs", inputs), ("states", states))
    )
    max_seconds = seconds("max_seconds", max_seconds)
    deadline = time.monotonic() + max_seconds
    undecided: tuple[Pattern, Pattern] | None = None
    for on in range(states + 1):
        first = (True,) * on + (False,) * (states - on)
        for second in tuples((False, True), repeat=states):
            for constraints in _questions(inputs, states, first, second):
                solver = z3_module().Solver()
                solver.set("timeout", milliseconds(deadline - time.monotonic()))
                solver.add(constraints)
                answer = str(solver.check())
                if answer == "sat":
                    return CellAnswer(inputs=inputs, states=states, possible=True, patterns=(first, second))
                if answer != "unsat":
                    undecided = undecided or (first, second)
                if undecided and time.monotonic() > deadline:
                    return CellAnswer(inputs=inputs, states=states, possible=None, patterns=undecided)
    return CellAnswer(inputs=inputs, states=states, possible=None if undecided else False, patterns=undecided)


def _questions(inputs: int, states: int, first: Pattern, second: Pattern) -> Iterator[list[Any]]:
    """Yield the identities for each form of an orthogonal matrix."""
    F, C = _matrix("F", states, inputs), _matrix("C", inputs, states)
    driven = [row if on else [z3_module().RealVal(0)] * inputs for row, on in zip(F, first, strict=True)]
    read = [[x if on else z3_module().RealVal(0) for x, on in zip(row, second, strict=True)] for row in C]
    for U, orthogonal in _orthogonal(states):
        yield [
            *orthogonal,
            *_equal(_times(C, driven), 1),
            *_equal(_times(read, F), 1),
            *_equal(_times(read, _times(U, driven)), 0),
        ]


def _orthogonal(size: int) -> Iterator[tuple[Rows, list[Any]]]:
    """Yield the forms of an orthogonal matrix, and what its unknowns satisfy."""
    U = _matrix("U", size, size)
    if size == 1:
        yield from (([[z3_module().RealVal(sign)]], []) for sign in (1, -1))
    elif size == 2:
        (x, _), (y, _) = U
        yield from (([[x, -sign * y], [y, sign * x]], [x * x + y * y == 1]) for sign in (1, -1))
    else:
        yield U, _equal(_times([list(column) for column in zip(*U, strict=True)], U), 1)


def _matrix(name: str, rows: int, columns: int) -> Rows:
    return [[z3_module().Real(f"{name}[{i}][{j}]") for j in range(columns)] for i in range(rows)]


def _times(first: Sequence[Sequence[Any]], second: Rows) -> Rows:
    columns = list(zip(*second, strict=True))
    return [[z3_module().Sum([x * y for x, y in zip(row, column, strict=True)]) for column in columns] for row in first]


def _equal(matrix: Rows, diagonal: int) -> list[Any]:
    """Return that a matrix is `diagonal` times the identity."""
    return [x == (diagonal if i == j else 0) for i, row in enumerate(matrix) for j, x in enumerate(row)]
