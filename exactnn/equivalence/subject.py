"""What can be compared, in the form in which comparisons walk through it."""

from exactnn.arithmetic import EXACT, Arithmetic, ExactArithmetic, RationalArithmetic
from exactnn.automata import DFA, CounterMachine, MooreMachine, StackMachine, TuringMachine
from exactnn.equivalence.exact_moore import ExactMoore
from exactnn.equivalence.integer_networks import is_clipped_integer
from exactnn.equivalence.lazy_moore import LazyMoore
from exactnn.equivalence.machine_moore import machine_moore
from exactnn.equivalence.network_moore import NetworkMoore
from exactnn.equivalence.spaces import state_space
from exactnn.equivalence.table_moore import TableMoore
from exactnn.errors import OptionError, shown
from exactnn.networks import Network, RealNetwork
from exactnn.simulation import network_of

__all__ = ["moore_of", "network_moore"]


def moore_of(subject: object, most: int, max_steps: int) -> LazyMoore:
    """Return an automaton, a machine or a network, exact or in an arithmetic, as a Moore machine.

    Raises
    ------
    OptionError
        If it is none of these, or a network that takes vectors.
    """
    if isinstance(subject, (DFA, MooreMachine)):
        return TableMoore(subject)
    if isinstance(subject, (CounterMachine, StackMachine, TuringMachine)):
        return machine_moore(subject, most, max_steps)
    network, arithmetic = subject if isinstance(subject, tuple) and len(subject) == 2 else (subject, EXACT)
    if not isinstance(arithmetic, Arithmetic) or not isinstance(
        getattr(network, "network", network), Network | RealNetwork
    ):
        raise OptionError(
            f"{shown(subject)} cannot be compared: give a DFA, a Moore, counter, stack or Turing machine, a network, "
            "or a pair of a network and an arithmetic"
        )
    return network_moore(network_of(network), arithmetic, most, max_steps)


def network_moore(network: Network, arithmetic: Arithmetic, most: int, max_steps: int) -> ExactMoore | NetworkMoore:
    """Return a network in an arithmetic as a Moore machine.

    Raises
    ------
    OptionError
        If the network takes vectors.
    UnsupportedArithmeticError
        If the arithmetic cannot run it, or rounds at random.
    """
    exact = isinstance(arithmetic, (ExactArithmetic, RationalArithmetic))
    space = state_space(network, arithmetic, most)
    # An exact run on EOS may have no end of states: then it is followed by itself, state after state is not kept.
    if exact and network.decision.protocol.reads_eos and not is_clipped_integer(network):
        return ExactMoore(space, max_steps)
    return NetworkMoore(space)
