"""What is compared by the values of words: weighted automata, with stacks too, and networks by their outputs."""

from typing import Any

from exactnn.arithmetic import exact
from exactnn.automata import DFA, ValuedMachine, WeightedAutomaton
from exactnn.equivalence.moore_machines import network_in_arithmetic
from exactnn.errors import NetworkError, NumberError, OptionError, shown
from exactnn.networks import Network, Protocol, network_of, to_weighted

__all__ = ["as_weighted", "number_of", "valued"]


def valued(subject: Any) -> Any:
    """Return what gives words values for what `equivalent` takes: a DFA 1 and 0, a network its output.

    Raises
    ------
    OptionError
        If it gives verdicts only.
    """
    if isinstance(subject, ValuedMachine):
        return subject
    if isinstance(subject, DFA):
        return WeightedAutomaton.from_dfa(subject)
    network, arithmetic = network_in_arithmetic(subject)
    if not isinstance(getattr(network, "network", network), Network):
        raise OptionError(
            f"{shown(subject)} gives words no values: compare a WeightedAutomaton, a DFA or a network by value"
        )
    if arithmetic.encloses:
        raise OptionError(f"{arithmetic} arithmetic gives enclosures, which are equal to nothing: give one of numbers")
    core = network_of(network)
    if core.decision.protocol.reads_eos:
        raise OptionError(f"{core.name} reads EOS symbols after a word: it gives verdicts, and no value of the word")
    return core.giving_outputs(), arithmetic


def as_weighted(subject: Any) -> WeightedAutomaton | None:
    """Return a weighted automaton with the values of `subject`; None if it gives verdicts, rounds, or is not linear."""
    if isinstance(subject, WeightedAutomaton):
        return subject
    network, arithmetic = network_in_arithmetic(subject)
    core = getattr(network, "network", network)
    if not isinstance(core, Network) or core.decision.protocol is not Protocol.OUTPUTS:
        return None
    if not arithmetic.is_exact:
        return None
    try:
        return to_weighted(core)
    except NetworkError:
        return None


def number_of(label: Any) -> Any:
    """Return an output that was read as text as a number again; infinities stay text."""
    try:
        return exact(label)
    except NumberError:
        return label
