"""Which state space a network has in an arithmetic."""

from typing import Any

from exactnn.arithmetic import Arithmetic, ExactArithmetic, FixedPoint, FloatFormat, RationalArithmetic, Rounding
from exactnn.equivalence.bounded_integers import integer_format
from exactnn.equivalence.state_space import StateSpace
from exactnn.errors import OptionError, UnsupportedArithmeticError
from exactnn.networks import Network
from exactnn.simulation import executor_for

__all__ = ["rounds_at_random", "state_space"]


def rounds_at_random(arithmetic: Arithmetic) -> bool:
    """Whether a step depends on how many came before it.

    >>> rounds_at_random(FloatFormat(precision=4, exponent_bits=4, rounding=Rounding.STOCHASTIC))
    True
    """
    if not isinstance(arithmetic, (FloatFormat, FixedPoint)):
        return False
    inner = arithmetic.accumulator or arithmetic
    return Rounding.STOCHASTIC in (arithmetic.rounding, inner.rounding)


def state_space(network: Network, arithmetic: Arithmetic, most: int) -> StateSpace:
    """Return the state space of a network, whose steps are compiled where the arithmetic allows.

    Raises
    ------
    OptionError
        If the network takes vectors, of which there is no end.
    UnsupportedArithmeticError
        If rounding is stochastic: then a step depends on how many came before, or if no executor has the arithmetic.
    """
    if network.alphabet is None:
        raise OptionError(f"{network.name} takes vectors of numbers: only networks that take symbols are automata")
    if rounds_at_random(arithmetic):
        raise UnsupportedArithmeticError(
            f"{arithmetic} rounds at random: a step then depends on how many there were before, "
            "so the network is no automaton of its states: choose another rounding"
        )
    # Only here, since importing numba takes as long as everything else together.
    from exactnn.equivalence.compiled_space import CompiledSpace
    from exactnn.equivalence.listed_space import ListedSpace
    from exactnn.simulation.many_states import many_states

    compiled: Any = arithmetic
    if isinstance(arithmetic, (ExactArithmetic, RationalArithmetic)):
        compiled = integer_format(network)
    steps = None if compiled is None else many_states(network, compiled)
    if steps is not None:
        return CompiledSpace(network, steps, most)
    if isinstance(arithmetic, ExactArithmetic):
        arithmetic = RationalArithmetic()
    return ListedSpace(executor_for(network, arithmetic), most)
