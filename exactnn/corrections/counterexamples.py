"""What entries of the ledger share: outputs under EOS, and machines written as rules."""

from collections.abc import Hashable

from exactnn.arithmetic import RATIONAL, ExactNumber, exact, short_text
from exactnn.automata import TuringMachine
from exactnn.networks import Network
from exactnn.simulation import advance_by, executor_for

__all__ = ["eos_outputs", "numbers_text", "two_state_machine"]


def eos_outputs(network: Network, count: int) -> str:
    """Return f(EOS), f(EOS EOS), ...: the outputs after the empty word, also those after a verdict."""
    assert network.eos is not None
    executor = executor_for(network, RATIONAL)
    segment = advance_by(executor, executor.start(), network.eos, count)
    return numbers_text(*(output for output, times in segment.outputs for _ in range(times)))


def numbers_text(*values: ExactNumber) -> str:
    """Return exact numbers as text.

    >>> numbers_text("1/2", 0)
    '1/2, 0'
    """
    return ", ".join(short_text(exact(value)) for value in values)


def two_state_machine(rules: str) -> TuringMachine:
    """Return the machine on a semi-infinite tape with states q0 and q1 and these rules; what they leave open rejects.

    >>> two_state_machine("q0,_→A,a,R").transitions["q0"]["_"].next_state
    'A'
    """
    table: dict[Hashable, dict[str, tuple[Hashable, str, str]]] = {
        q: {"_": ("R", "a", "R"), "a": ("R", "a", "R")} for q in ("q0", "q1")
    }
    for rule in rules.split("; "):
        (state, symbol), (target, written, move) = (side.split(",") for side in rule.split("→"))
        table[state][symbol] = (target, written, move)
    return TuringMachine(
        states=["q0", "q1", "A", "R"],
        input_symbols=["a"],
        tape_symbols=["_", "a"],
        transitions=table,
        initial_state="q0",
        blank_symbol="_",
        accept_state="A",
        reject_state="R",
    )
