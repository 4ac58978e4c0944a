"""What a step may do besides sums: clip, compare, decide. Every operand is checked against where it has to lie.

A condition is 0 or 1; a branch of `if_` lies in [0, 1], for which ``relu(branch - 1 + condition)`` is the branch or 0.
On any other operand these formulas give something else, so it is refused.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar, overload

from exactnn.constructions.steps.expression import (
    BIT,
    UNIT,
    Domain,
    Expression,
    Operand,
    alternative,
    as_expression,
    joined,
    known,
    relu,
    total,
)
from exactnn.constructions.steps.registers import StackVector
from exactnn.errors import ConstructionError, shown

__all__ = ["and_", "case_registers", "cases", "either", "if_", "max_", "min_", "not_", "or_"]

K = TypeVar("K", bound=Hashable)


def max_(*values: Operand) -> Expression:
    """Return the largest of one or more values: one unit, and one layer, for each after the first.

    >>> from exactnn.constructions.steps import number
    >>> print(max_(number("x"), 0), "|", max_(number("x", high=2), number("y", high=1)))
    relu(x) | max_(x, y)
    """
    largest, *others = map(as_expression, _some(values, "max_"))
    for other in others:
        domain, text = largest.domain.of_largest(other.domain), f"max_({largest}, {other})"
        largest = known(other + relu(largest - other), domain, text)
    return largest


def min_(*values: Operand) -> Expression:
    """Return the smallest of one or more values."""
    smallest, *others = map(as_expression, _some(values, "min_"))
    for other in others:
        domain, text = smallest.domain.of_smallest(other.domain), f"min_({smallest}, {other})"
        smallest = known(other - relu(other - smallest), domain, text)
    return smallest


def not_(condition: Operand) -> Expression:
    """Return 1 - condition."""
    return 1 - _bit(condition, "not_")


def and_(*conditions: Operand) -> Expression:
    """Return 1 if all conditions are 1, else 0: relu(sum - (n - 1)), one unit."""
    bits = [_bit(condition, "and_") for condition in conditions]
    return relu(total(bits) - (len(bits) - 1))


def or_(*conditions: Operand) -> Expression:
    """Return 1 if some condition is 1, else 0: 1 - relu(1 - sum), one unit."""
    bits = [_bit(condition, "or_") for condition in conditions]
    return 1 - relu(1 - total(bits))


def either(*conditions: Operand) -> Expression:
    """Return 1 if one of the conditions is 1, of which at most one ever is: their sum, no unit."""
    bits = [_bit(condition, "either") for condition in conditions]
    return alternative(total(bits), bits, BIT, f"either({', '.join(map(str, bits))})")


@overload
def if_(condition: Operand, branch: StackVector) -> StackVector: ...
@overload
def if_(condition: Operand, branch: Operand) -> Expression: ...
def if_(condition: Operand, branch: StackVector | Operand) -> StackVector | Expression:
    """Return the branch if the condition is 1, and 0, or the empty stack, if it is 0.

    Raises
    ------
    ConstructionError
        If the condition may be anything but 0 and 1, or the branch may be outside of [0, 1].

    Examples
    --------
    >>> from exactnn.constructions.steps import bit, number
    >>> print(if_(bit("c"), number("t", low=0, high=1)))
    relu(t + c - 1)
    >>> if_(bit("c"), number("t", low=0, high=3))
    Traceback (most recent call last):
    ...
    exactnn.errors.ConstructionError: if_: its branch 't' lies in [0, 3] and has to lie in [0, 1]: scale it (divide ...
    """
    decided = _bit(condition, "if_")
    if isinstance(branch, StackVector):
        return branch.mapped(lambda value: if_(decided, value))
    value = as_expression(branch)
    _require(value, UNIT, "if_", "branch")
    if not value.terms:
        return value.constant * decided
    return relu(value + decided - 1)


@overload
def cases(*alternatives: tuple[Operand, StackVector]) -> StackVector: ...
@overload
def cases(*alternatives: tuple[Operand, Operand]) -> Expression: ...
def cases(*alternatives: tuple[Operand, StackVector | Operand]) -> StackVector | Expression:
    """Return the branch whose condition is 1; of the conditions at most one ever is. 0, or the empty stack, if none is.

    >>> from exactnn.constructions.steps import bit
    >>> print(cases((bit("a"), "1/2"), (bit("b"), 1)).domain)
    [0, 1]
    """
    _require_pairs(alternatives, "cases", "branch")
    branches = [if_(condition, branch) for condition, branch in alternatives]
    conditions = [as_expression(condition) for condition, _ in alternatives]
    first = branches[0] if branches else Expression(())
    if isinstance(first, StackVector):
        return first.joined(branches[1:], conditions)
    if any(isinstance(branch, StackVector) for branch in branches):
        raise ConstructionError("cases: some branches are stacks and some are numbers: give one kind")
    return joined([as_expression(branch) for branch in branches], conditions)


def case_registers(
    *alternatives: tuple[Operand, Mapping[K, StackVector | Operand]],
) -> dict[K, StackVector | Expression]:
    """Return several registers by cases: of each, what the case whose condition is 1 says; what it leaves out is 0."""
    _require_pairs(alternatives, "case_registers", "mapping of registers")
    found: dict[K, list[tuple[Operand, StackVector | Operand]]] = {}
    for condition, values in alternatives:
        if not isinstance(values, Mapping):
            raise ConstructionError(f"case_registers: {shown(values)} is no mapping of registers to values")
        for register, value in values.items():
            found.setdefault(register, []).append((condition, value))
    return {register: cases(*pairs) for register, pairs in found.items()}


def _require_pairs(alternatives: Sequence[object], operation: str, second: str) -> None:
    for pair in alternatives:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ConstructionError(f"{operation}: {shown(pair)} is no alternative: give pairs (condition, {second})")


def _bit(condition: Operand, operation: str) -> Expression:
    value = as_expression(condition)
    _require(value, BIT, operation, "condition")
    return value


def _require(value: Expression, domain: Domain, operation: str, role: str) -> None:
    if domain.includes(value.domain):
        return
    found = value.domain
    scalable = role == "branch" and found.low is not None and found.low >= 0 and found.high is not None
    scale = f"scale it (divide by {found.high}), or " if scalable else ""
    claim = "within(x, 0, 1, whole=True)" if domain.whole else "within(x, 0, 1)"
    raise ConstructionError(
        f"{operation}: its {role} {shown(str(value))} lies in {found} and has to lie in {domain}: "
        f"{scale}say {claim} if you know that it does"
    )


def _some(values: Sequence[Operand], operation: str) -> Sequence[Operand]:
    if not values:
        raise ConstructionError(f"{operation}() has no values: give one or more")
    return values
