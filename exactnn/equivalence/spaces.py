"""Which state space a network has in an arithmetic."""

from exactnn.arithmetic import Arithmetic, ExactArithmetic, FixedPoint, FloatFormat, RationalArithmetic, Rounding
from exactnn.equivalence.integer_networks import integer_words
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
    from exactnn.equivalence.integer_space import IntegerSpace
    from exactnn.equivalence.listed_space import ListedSpace
    from exactnn.simulation.many_states import many_states

    if isinstance(arithmetic, (ExactArithmetic, RationalArithmetic)):
        words = integer_words(network)
        if words is not None:
            return IntegerSpace(network, words, most)
        return ListedSpace(executor_for(network, RationalArithmetic()), most)
    steps = many_states(network, arithmetic)
    if steps is None:
        return ListedSpace(executor_for(network, arithmetic), most)
    return CompiledSpace(network, steps, most)
