"""Errata of the textbook proof that simple RNNs simulate Turing machines: each alone, all others being corrected.

The literal step runs as a network of three hidden layers (`literal_book`), the corrected one as the simple RNN of
`siegelmann_sontag_book`.
"""

from collections.abc import Callable, Hashable
from typing import Any

from gmpy2 import mpq

from exactnn.constructions import siegelmann_sontag, siegelmann_sontag_book
from exactnn.constructions.literal_book import literal_book
from exactnn.constructions.stack_numbers import read_vector, write_vector
from exactnn.constructions.steps import step_network
from exactnn.corrections.erratum import Outcomes, entry, eos_outputs, two_state_machine
from exactnn.simulation import run

__all__ = ["ENTRIES", "RULES"]

RULES = {
    "E1": "q0,_→q0,a,R; q0,a→A,a,L",
    "E2": "q0,_→q0,a,L; q0,a→q1,_,R; q1,_→q0,_,R; q1,a→R,a,R",
    "E3": "q0,_→q0,a,L; q0,a→A,a,L",
    "E4": "q0,_→q1,a,R; q1,_→R,a,L",
    "E10": "q0,_→q1,a,R; q1,_→R,a,L",
}
"""The machine of each erratum, on a tape with symbols _ (blank) and a."""

CORRECTIONS = ("E1", "E2", "E3", "E4", "E10")


def _outcomes(erratum: str, steps: int) -> Callable[[], Outcomes]:
    """Return the function that runs a machine on the empty word, for so many EOS symbols."""

    def outcomes() -> Outcomes:
        machine = two_state_machine(RULES[erratum])
        text = step_network(literal_book(machine, fixes=[fix for fix in CORRECTIONS if fix != erratum]))
        return Outcomes(
            literal=eos_outputs(text, steps), corrected=eos_outputs(siegelmann_sontag_book(machine).network, steps)
        )

    return outcomes


def _machine(erratum: str, what: str) -> str:
    return f"the machine {RULES[erratum]} on the empty word, which {what}; outputs under EOS, all else corrected"


pop_leaves_a_digit = entry(
    id="E1",
    title="pop leaves a digit behind",
    where="textbook chapter on recurrent networks, (4.26)",
    statement="pop(z) = 3z - SLU(3z - 1)",
    counterexample=_machine("E1", "never halts"),
    correction="pop(z) = 3z - 2 SLU(3z - 1): a pushed symbol weighs 2/3, and pop of a stack of one symbol is 0.",
)(_outcomes("E1", 8))

left_move_does_not_write = entry(
    id="E2",
    title="a move to the left does not write",
    where="textbook chapter on recurrent networks, (4.33), first sum",
    statement="for q,a → q',a',L with c on top of the left stack: r' = push(r, c)",
    counterexample=_machine("E2", "rejects with the 10th EOS"),
    correction="r' = push(push(pop(r), a'), c).",
)(_outcomes("E2", 12))

unbound_symbol_at_the_left_end = entry(
    id="E3",
    title="an unbound symbol at the left end of the tape",
    where="textbook chapter on recurrent networks, (4.33), second sum",
    statement="at the left end: l' = push(pop(l), c), with c bound nowhere (here it is the bottom marker)",
    counterexample=_machine("E3", "accepts with the 4th EOS"),
    correction="The head stays on the leftmost cell: l' = l and r' = push(pop(r), a').",
)(_outcomes("E3", 6))

blank_beyond_the_right_end = entry(
    id="E4",
    title="no rule for a blank beyond the right end",
    where="textbook chapter on recurrent networks, (4.33)",
    statement="a left move needs top(r) = a, though r may be down to its bottom marker; then no case applies",
    counterexample=_machine("E4", "rejects with the 4th EOS"),
    correction="A left rule for the blank applies to top(r) = $ too, and does not pop it: r' = push(push(r, a'), c).",
)(_outcomes("E4", 6))

verdict_does_not_stay = entry(
    id="E10",
    title="the verdict does not stay",
    where="textbook chapter on recurrent networks, Theorem 4.6 and (4.30)",
    statement="no case applies in an accepting or rejecting state, so that the state vanishes",
    counterexample=_machine("E10", "rejects with the 4th EOS"),
    correction="One unit keeps accept and one reject; and every transition is given: a missing one looks like looping.",
)(_outcomes("E10", 8))


@entry(
    id="E11",
    title="the moves are not all the steps",
    where="textbook chapter on recurrent networks, after the proof of Theorem 4.6",
    statement="T(n) intermediate steps are at most T(n) moves, and so many other equivalences follow. One may read: "
    "networks that take T(n) of them decide what Turing machines decide in T(n) moves; that is not printed",
    counterexample="the machine q0,a→A,a,R, which accepts in one move, on a, aa, aaa with one EOS symbol each",
    correction="k moves on w take |w| + k + 2 intermediate steps, for the head goes back over the word first. The two "
    "equivalences that are printed, decidable and polynomial time, hold; for the T(n) of the reading |w| + 2 is added.",
)
def moves_are_not_steps() -> Outcomes:
    network = siegelmann_sontag(two_state_machine("q0,a→A,a,R"))
    words = ["a" * n for n in (1, 2, 3)]
    early = [run(network, word, max_steps=len(word) + 1).outcome for word in words]
    return Outcomes(
        literal=", ".join(map(str, early)),
        corrected="accepted with EOS number " + ", ".join(str(run(network, word).eos_steps) for word in words),
    )


@entry(
    id="E15",
    title="states and symbols have other numbers",
    where="textbook chapter on recurrent networks, before (4.27), and (4.31)",
    statement="Q has q1 and q2 beside the states of M, which are q3 ... q(|Q|+2); push(l, x) of a one-hot x over Sigma",
    counterexample=f"the machine {RULES['E10']} with 4 states, input alphabet a, tape alphabet _ a; x for a",
    correction="The last state is q(|Q_M|+2), and x is embedded: push(l, E x), where E sends a to its number in Gamma.",
)
def states_and_symbols_are_numbered() -> Outcomes:
    machine = two_state_machine(RULES["E10"])
    loading = 2
    states = loading + len(machine.states)
    gamma = [*machine.tape_symbols, "$"]
    x = [int(a == "a") for a in machine.input_symbols]
    embedded = [sum(bit for bit, a in zip(x, machine.input_symbols, strict=True) if a == b) for b in gamma]
    stack = write_vector("$", gamma, 3)
    pushed: dict[Hashable, Any] = {b: stack[b] / 3 + mpq(2 * bit, 3) for b, bit in zip(gamma, embedded, strict=True)}
    read = " ".join(map(str, [*read_vector(pushed, 3, "$", None), "$"]))
    return Outcomes(
        literal=f"q3 to q{states + 2} are {states} states of M; 2/3 x + 1/3 l adds {len(x)} number to {len(stack)}",
        corrected=f"q3 to q{states} are {states - loading}; the stack is {read}",
    )


ENTRIES = (
    pop_leaves_a_digit,
    left_move_does_not_write,
    unbound_symbol_at_the_left_end,
    blank_beyond_the_right_end,
    verdict_does_not_stay,
    moves_are_not_steps,
    states_and_symbols_are_numbered,
)
