"""Clipped expressions, and expressions that are known to lie in a smaller domain than intervals can tell."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.constructions.steps.domain import BIT, Domain
from exactnn.constructions.steps.expression import Clipped, Expression, Known, Operand, as_expression
from exactnn.errors import ConstructionError

__all__ = ["alternative", "joined", "known", "relu", "slu", "total", "within"]

ZERO, ONE = mpq(0), mpq(1)


def relu(value: Operand) -> Expression:
    """Return max(0, value): a unit, unless the domain of the value says which of the two it is."""
    argument = as_expression(value)
    domain = argument.domain
    if domain.low is not None and domain.low >= 0:
        return argument
    if domain.high is not None and domain.high <= 0:
        return Expression(())
    return Expression(((Clipped(argument, False, domain.clipped(ZERO, None)), ONE),))


def slu(value: Operand) -> Expression:
    """Return min(1, max(0, value))."""
    argument = as_expression(value)
    domain = argument.domain
    if domain.high is not None and domain.high <= 1:
        return relu(argument)
    if domain.low is not None and domain.low >= 1:
        return Expression((), ONE)
    return Expression(((Clipped(argument, True, domain.clipped(ZERO, ONE)), ONE),))


def within(value: Operand, low: ExactNumber | None, high: ExactNumber | None, *, whole: bool = False) -> Expression:
    """Return the same value, claimed to lie in [low, high]: for what you know and intervals cannot tell.

    A direct evaluation (`step_outputs`) checks the claim; a network does not.

    Raises
    ------
    ConstructionError
        If `low` is above `high`.
    """
    argument = as_expression(value)
    domain = Domain(None if low is None else exact(low), None if high is None else exact(high), whole)
    if domain.low is not None and domain.high is not None and domain.low > domain.high:
        raise ConstructionError(f"within({argument}, {low}, {high}): nothing lies there; give the lower end first")
    return known(argument, domain, f"within({argument}, {low}, {high})")


def joined(branches: Sequence[Expression], conditions: Sequence[Expression]) -> Expression:
    """Return the sum of branches of which at most one is not 0: that whose condition is 1."""
    whole = all(branch.domain.whole for branch in branches)
    text = " or ".join(map(str, branches)) or "0"
    return alternative(total(branches), conditions, Domain(ZERO, ONE, whole), text)


def alternative(value: Expression, conditions: Sequence[Expression], domain: Domain, text: str) -> Expression:
    """Return a value that has its domain because at most one of some conditions is 1."""
    chosen = total(conditions)
    if BIT.includes(chosen.domain):
        return known(value, domain, text)
    return Expression(((Known(value, domain, text, chosen), ONE),))


def known(value: Expression, domain: Domain, text: str) -> Expression:
    """Return a value with the domain that it is known to have, unless intervals tell as much."""
    if domain.includes(value.domain):
        return value
    return Expression(((Known(value, domain, text), ONE),))


def total(values: Sequence[Expression]) -> Expression:
    """Return the sum of expressions; the sum of none is 0."""
    return sum(values, Expression(()))
